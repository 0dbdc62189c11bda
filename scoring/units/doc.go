// Package units parses and converts units of measure, which it finds in names, cells, questions and queries. A
// single table holds currencies, lengths, masses, durations, temperatures, data sizes, shares and the rest, each
// with its spellings and the exact factor to a base unit.
//
// # Usage
//
//	gold := units.InName("distance_km", question)
//	pred := units.InName("distance_miles", question)
//	how, c := units.Compare(gold, pred) // Converted, by the factor 1/1.609344
//
// Only [Compare] decides how two statements are related: they are the same, one unit converts to the other by a
// factor, they contradict each other, or nothing is certain because a side states nothing. [Asked] parses the units
// that a question asks for, and [OfQuery] derives the units of the columns of a select list.
//
// Spellings with other meanings, such as m, s, min or c, are units only if the name or the question mentions what
// they measure.
package units

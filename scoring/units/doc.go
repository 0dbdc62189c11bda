// Package units is the vocabulary of units of measure: what a name, a cell, a question or a query
// says that a number is in. Money by currency, lengths, masses, durations, temperatures, data,
// shares and the rest stand in one table, each with its spellings and the exact factor to a base.
//
// # Usage
//
//	gold := units.InName("distance_km", question)
//	pred := units.InName("distance_miles", question)
//	how, c := units.Compare(gold, pred) // Converted, by the factor 1/1.609344
//
// [Compare] is the only place that decides what two statements are to one another: the same, one
// unit converted to another by a factor, two that contradict each other, or nothing certain where a
// side says nothing. [Asked] reads the units that a question asks for, and [OfQuery] what the items
// of a select list say of their columns.
//
// Spellings that mean other things too, such as m, s, min or c, are units only where the name or the
// question speaks of what they measure.
package units

// Package scoring is the vocabulary of badger and its one verb: a [Case] is scored by a [Metric] and gives a [Score].
//
// A case is one question with its accepted answers (gold) and the answer of an agent (pred), each with its SQL and the
// result that SQL returned when it ran. Results are [Table] values: columnar, typed and exact. A metric is data plus one
// function. The [Engine] runs metrics on a case and turns every failure of a row into a score with a reason.
//
// The package knows no transport, no warehouse and no Arrow. Nothing in it reads a clock or a random source: the same case,
// configuration and recorded assessments give the same bytes.
package scoring

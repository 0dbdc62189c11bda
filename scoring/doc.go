// Package scoring defines the basic types of badger and its one operation: a [Metric] computes a [Score] for a
// [Case].
//
// A case is one question with its accepted answers (gold) and the answer of an agent (pred). Each
// answer has its SQL and the result that the SQL returned. Results are [Table] values: columnar,
// typed and exact. A metric is data plus one function. The [Engine] runs metrics on a case and
// turns every failure of a row into a score with a reason.
//
// The package knows no transport, no warehouse and no Arrow. It reads no clock and no random
// source: the same case, configuration and recorded assessments give the same bytes.
package scoring

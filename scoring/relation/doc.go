// Package relation explains why two results differ. It names the relation between a gold and a
// predicted result, and proves it on their rows. It also uses the two queries and the question if
// they are given.
//
// # Usage
//
//	relations := relation.Find(relation.Input{
//		Gold: gold, Pred: pred,                 // the two tables
//		Alignment: &alignment, Counts: &counts, // from hybrid_ex if it ran already; nil: computed here
//		GoldSQL: goldSQL, PredSQL: predSQL,     // empty if not known
//		Question: question, Evidence: evidence, Dialect: dialect,
//	})
//	first := relations[0] // there is always one
//
// The first relation explains the difference best. The others hold too, sorted by how much they
// explain. If the results hold the same data, all relations together are the difference, with the
// most distant class first. So a caller that accepts the first accepts them all. For example, a
// result that is rounded and has an extra column is "rounded", "extra_columns".
//
//	switch first.Class {
//	case relation.Equivalent:     // the same data
//	case relation.Presentational: // the same data in another form
//	case relation.Defensible:     // another reading of the question that people often accept
//	case relation.Difference:     // data that differs from gold's
//	}
//
// The class is a prior that follows from the meaning alone. A calibrated table, keyed by [Relation.Name], states
// which relations pass under which policy. [Kinds] lists the names with their meanings. Relations describe and
// never judge: experts accept answers whose tables differ in every possible way, because the gold query was wrong
// or the question was ambiguous. So evidence may pass an answer, and the class Difference does not fail one.
//
// [Queries] returns the relations between two queries, whatever their results are. It serves a
// policy that asks whether the query would remain right if the data changed, for which equal
// results are not enough. It returns nothing if it finds no difference of a kind it knows. Its
// first relation is "same_query" if the queries have the same text up to spelling.
//
// Metrics share the alignment of hybrid_ex: see relationsOf in package metric.
//
// # Order
//
// The order of rows is part of the answer if the question asks for one. It also is if both queries sort and gold's
// rows do not show gold's sort key, so that the answer's rows cannot be sorted in the same way. [AskedOrder]
// derives it from gold's ORDER BY, the question and gold's rows. Every metric that compares order uses it. Rows in
// another order are "reordered", a difference, whatever other relations hold.
//
// # Implementation
//
// Relations come in families, one file each. A relation is an entry in the list of its family, with
// its meaning and the function that proves it. Relations proven on rows come before those derived
// from the queries. Relations that only measure what two results have in common come last. All
// decisions use hashes of cells ([cell.JointKeys], so the rounding, scales and formats that the
// alignment found do not matter) and take time linear in the tables. Nothing is sampled or guessed.
// The same input gives the same relations.
//
// docs/reference/relations.md lists all relations.
package relation

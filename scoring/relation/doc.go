// Package relation says why two results differ: which relation holds between a gold and a predicted result, proven on their rows and, where they are
// given, on the two queries and the question.
//
// # How to call it
//
//	relations := relation.Find(relation.Input{
//		Gold: gold, Pred: pred,                   // the two tables
//		Alignment: &alignment, Counts: &counts,   // of hybrid_ex where it ran already; nil: found here
//		GoldSQL: goldSQL, PredSQL: predSQL,       // empty where not known
//		Question: question, Evidence: evidence, Dialect: dialect,
//	})
//	first := relations[0] // there is always one
//
// The first is the relation: what best explains the difference. The others hold as well, in order of how much they explain. Where the results hold the same data, all of them
// together are the difference, the furthest one first, so that who accepts the first accepts them all: a result that is rounded and shows a column more is "rounded", "extra_columns".
//
//	switch first.Class {
//	case relation.Equivalent:     // the same data
//	case relation.Presentational: // the same data, shown otherwise
//	case relation.Defensible:     // another reading of the question that people often accept
//	case relation.Difference:     // other data
//	}
//
// The class is a prior by meaning alone. Which relations pass under which policy is for a calibrated table, by [Relation.Name]; [Kinds] lists the names with their meaning. Relations describe
// and never judge: experts accept answers whose tables differ in every possible way, because the reference was wrong or the question open. So evidence may pass an answer;
// that a relation is a difference does not fail one.
//
// [Queries] gives the relations between two queries whatever their results are: for a policy that asks whether the query would stay right when the data changes, where the sameness of two
// results is not enough. It is empty where no difference of a kind it knows is found, and its first is "same_query" where the queries are written alike.
//
// Inside a metric, the alignment of hybrid_ex is shared: see relationsOf in package metric.
//
// # Order
//
// The order of rows is part of the answer where the question asks for one: [AskedOrder] reads it off gold's ORDER BY, the question and gold's rows, and every metric that looks at order follows it.
// Rows in another order are "reordered", a difference, whatever else holds.
//
// # How it works
//
// Relations come in families, one file each; a relation is an entry of a family's list, with its meaning and the function that proves it. Relations proven on rows come before those read off the queries,
// and those that only say how much two results have in common come last. Everything is decided by hashes of cells ([cell.JointKeys], so that rounding, scales and formats that the
// alignment found stay out of the way) in time linear in the tables; nothing is sampled and nothing guessed. The same input gives the same relations.
//
// docs/relations.md lists all of them.
package relation

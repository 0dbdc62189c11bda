// Package analysis answers questions about scores that exist: how they change over time, whether one
// batch is worse than another, what goes wrong and where, which accepted answers are suspect, and how
// systems rank. It reads scores and computes no metric.
//
// Only comparable scores are compared. Two scores of a case are comparable if the version of the metric, its
// configuration, the judge and the question with its accepted answer are the same on both sides. Scores that are
// not compared are counted, with the reason. A reason that is unknown because it was not recorded is a note.
//
// Tests and intervals come from scoring/agreement. Package report prints the results.
package analysis

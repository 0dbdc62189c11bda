// Package analysis answers questions about scores that exist: how they change over time, whether one
// batch is worse than another, what goes wrong and where, which accepted answers are suspect, and how
// systems rank. It reads scores and computes no metric.
//
// Everything compares like with like. Two scores of a case are compared only if the version of the
// metric, its configuration, the judge that was asked and the question with its accepted answer are
// the same on both sides. What is not compared is counted, with the reason. A reason that cannot be
// known, because it was not recorded, is a note.
//
// Tests and intervals come from scoring/agreement. Package report prints the results.
package analysis

// Package analysis answers questions about existing scores: how they change over time, whether one batch is worse
// than another, which errors occur and where, which gold queries are suspect, and how systems rank. It computes no
// metric.
//
// Only comparable scores are compared: those with the same version and configuration of the metric, the same judge,
// and the same question and gold. Scores that are not compared are counted by reason. If an input was not recorded,
// scores are compared, and a note says so.
//
// The tests and intervals are those of scoring/agreement. Package report prints the results.
package analysis

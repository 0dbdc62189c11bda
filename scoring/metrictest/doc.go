// Package metrictest checks metrics: invariants that hold for every one of them ([Run]), and what
// single cases must score, written in a small language ([Corpus]), so that a metric is covered by
// adding a file of cases.
//
// The language is described in scoring/metric/testdata/README.md. A file says what metrics must
// answer; the versions file next to it ([Corpus.Versions]) makes sure that an answer that moves
// comes with a raised Version, so that a score in somebody's table can always be traced to the rule
// that made it.
package metrictest

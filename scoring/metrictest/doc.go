// Package metrictest checks metrics: invariants that hold for every one of them ([Run]), and what
// single cases must score, written in a small language ([Corpus]), so that a metric is covered by
// adding a file of cases. A case can also demonstrate how a metric can be gamed ([Corpus.Games]).
//
// The language is described in scoring/metric/testdata/README.md. A file states the expected scores. The versions
// file next to it ([Corpus.Versions]) ensures that a changed score comes with a raised Version, so that a stored
// score can always be traced to the rule that produced it.
package metrictest

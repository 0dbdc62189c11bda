// Package metrictest tests metrics: properties that all metrics must have ([Run]), and the expected scores of cases
// in files with a small language ([Corpus]). To cover a metric, add a file of cases. A case can also demonstrate how
// a metric can be gamed ([Corpus.Games]).
//
// The language is described in scoring/metric/testdata/README.md. A file states the expected scores. The versions
// file next to it ([Corpus.Versions]) ensures that a changed score comes with a raised Version, so that a stored
// score can always be traced to the rule that produced it.
package metrictest

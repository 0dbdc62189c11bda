// Package report shows people what a run found: a [Summary] of its scores, and the [Diff] of one
// pair of results.
//
// Both are computed as plain figures first, which are one JSON document, and rendered for a terminal from the same
// figures. A summary takes scores in any order and returns the same figures for every order; it keeps eleven bytes
// of every score. Text that comes from data, such as questions, column names and cells, is shown with control
// characters and bidirectional marks escaped.
package report

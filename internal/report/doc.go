// Package report prints the results of a run: a [Summary] of its scores, the [Diff] of one pair of results, a case, and
// the results of packages analysis and calibration.
//
// A summary and a diff are first computed as plain figures, which can be encoded as one JSON document, and then printed
// from them. A summary accepts scores in any order, with the same figures for every order; it keeps at most eleven
// bytes of most scores. Text from data, such as questions, column names and cells, is printed with control characters
// and bidirectional marks escaped.
package report

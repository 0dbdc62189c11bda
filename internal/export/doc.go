// Package export writes the answers of a run in the formats of other programs (JUnit XML, SARIF, CSV, JSON Lines), and
// the run's summary in Markdown.
//
// A [Writer] receives one answer after the other. Except for Markdown, which keeps the scores, it needs memory for one
// answer only. All strings come from data: each format escapes markup, formulas and links in them.
package export

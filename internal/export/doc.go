// Package export writes the answers of a run in the forms of other programs: JUnit XML, SARIF, CSV,
// JSON Lines, and its summary in Markdown.
//
// A [Writer] gets one answer after the other and keeps none of them, so a run of any size takes the memory of one.
// All strings come from data: each form escapes markup, formulas and links in it.
package export

// Package export writes the answers of a run in the forms of other programs: JUnit XML, SARIF, CSV,
// JSON Lines, and its summary in Markdown.
//
// A [Writer] is given one answer after the other and holds none of them, so that a run of any size
// takes the memory of one. Everything comes from data: each form escapes what would be markup, a
// formula or a link in it.
package export

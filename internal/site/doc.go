// Package site serves the report: pages about the runs in a warehouse, their cases and labels.
//
// A page is one Go file, which finds its figures, and one template of the same name, which shows
// them. The same pages have three forms: served next to the wires or by badger view, one file, and a
// folder. A template therefore writes no address by hand: it asks for a link, and gets plain text
// where the form has no such page.
//
// Everything from outside is text: html/template escapes it by its context, and no type that would
// switch that off is ever made of data. The pages need no script but for keys, saving in the
// background and folding, and ask no other origin for anything.
//
// Alternatives were templ and gomponents, which generate code or escape less by context, and a
// JavaScript framework, which needs a second toolchain. Package html/template is the best proven one
// for hostile text.
package site

// Package site serves the report: pages about the runs in a warehouse, their cases and labels.
//
// A page is one Go file, which reads the data, and one template of the same name, which renders them. The report has
// three forms: served by badger serve or badger view, one HTML file, and a folder of files. A template therefore
// contains no hard-coded addresses: it calls a function for each link, and gets plain text if the form does not have
// the page.
//
// All external data is text: html/template escapes it by context, and data is never converted to a type that disables
// escaping. The pages need scripts only for keyboard shortcuts, saving in the background and folding, and load nothing
// from other origins.
//
// Alternatives were templ and gomponents, which generate code or escape less by context, and a JavaScript framework,
// which needs a second toolchain. Package html/template is the best proven one for hostile text.
package site

// Package sitetest holds what tests and benchmarks of the web report share: a small store that
// badger's own programs have filled, a large one, and strings that try to break out of a page.
package sitetest

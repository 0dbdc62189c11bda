// Package sitetest provides fixtures for tests and benchmarks of the web report: a small store that badger's programs
// filled, a large one, and strings that try to inject markup or scripts.
package sitetest

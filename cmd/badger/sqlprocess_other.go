//go:build !unix && !no_duckdb

package main

// limitMemory does nothing: the engine's own limit and the time limit remain.
func limitMemory(uint64) {}

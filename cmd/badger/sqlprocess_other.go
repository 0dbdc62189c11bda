//go:build !unix && !no_duckdb

package main

// limitMemory does nothing on this system. The engine's memory limit and the time limit still apply.
func limitMemory(uint64) {}

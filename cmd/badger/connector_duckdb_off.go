//go:build no_duckdb

package main

func init() { leaveOut("duckdb", "duckdb") }

//go:build no_sqlite

package main

func init() { leaveOut("sqlite", "sqlite") }

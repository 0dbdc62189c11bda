//go:build no_sqlserver

package main

func init() { leaveOut("sqlserver", "sqlserver") }

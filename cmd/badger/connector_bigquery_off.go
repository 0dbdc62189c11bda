//go:build no_bigquery

package main

func init() { leaveOut("bigquery", "bigquery") }

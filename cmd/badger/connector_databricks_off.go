//go:build no_databricks

package main

func init() { leaveOut("databricks", "databricks") }

//go:build no_snowflake

package main

func init() { leaveOut("snowflake", "snowflake") }

//go:build no_postgres

package main

func init() { leaveOut("postgres", "postgres", "postgresql", "redshift") }

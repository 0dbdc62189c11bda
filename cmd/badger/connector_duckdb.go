//go:build !no_duckdb

package main

import "github.com/badger-eval/badger/connectors/duckdb"

func init() {
	warehouses.Register(duckdb.Scheme, duckdb.Open)
	contacts[duckdb.Scheme] = duckdb.Contacts
	dialects[duckdb.Dialect.Name] = duckdb.Dialect
}

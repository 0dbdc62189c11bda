//go:build !no_duckdb

package main

import "github.com/badger-eval/badger/connectors/duckdb"

func init() {
	warehouses.Register(duckdb.Scheme, duckdb.Open)
	dialects[duckdb.Dialect.Name] = duckdb.Dialect
}

//go:build !no_duckdb

package main

import "github.com/badger-eval/badger/connectors/duckdb"

func init() { link(duckdb.Connector) }

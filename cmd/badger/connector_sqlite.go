//go:build !no_sqlite

package main

import "github.com/badger-eval/badger/connectors/sqlite"

func init() { link(sqlite.Connector) }

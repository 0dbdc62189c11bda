//go:build !no_postgres

package main

import "github.com/badger-eval/badger/connectors/postgres"

func init() { link(postgres.Connector) }

//go:build !no_databricks

package main

import "github.com/badger-eval/badger/connectors/databricks"

func init() { link(databricks.Connector) }

//go:build !no_databricks

package main

import "github.com/badger-eval/badger/connectors/databricks"

func init() {
	warehouses.Register(databricks.Scheme, databricks.Open)
	contacts[databricks.Scheme] = databricks.Contacts
	dialects[databricks.Dialect.Name] = databricks.Dialect
}

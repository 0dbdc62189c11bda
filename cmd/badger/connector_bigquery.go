//go:build !no_bigquery

package main

import "github.com/badger-eval/badger/connectors/bigquery"

func init() {
	warehouses.Register(bigquery.Scheme, bigquery.Open)
	contacts[bigquery.Scheme] = bigquery.Contacts
	dialects[bigquery.Dialect.Name] = bigquery.Dialect
}

//go:build !no_bigquery

package main

import "github.com/badger-eval/badger/connectors/bigquery"

func init() { link(bigquery.Connector) }

//go:build !no_snowflake

package main

import "github.com/badger-eval/badger/connectors/snowflake"

func init() {
	warehouses.Register(snowflake.Scheme, snowflake.Open)
	contacts[snowflake.Scheme] = snowflake.Contacts
	dialects[snowflake.Dialect.Name] = snowflake.Dialect
}

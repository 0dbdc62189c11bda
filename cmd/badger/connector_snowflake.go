//go:build !no_snowflake

package main

import "github.com/badger-eval/badger/connectors/snowflake"

func init() {
	warehouses.Register(snowflake.Scheme, snowflake.Open)
	dialects[snowflake.Dialect.Name] = snowflake.Dialect
}

//go:build !no_snowflake

package main

import "github.com/badger-eval/badger/connectors/snowflake"

func init() { link(snowflake.Connector) }

//go:build !no_sqlserver

package main

import "github.com/badger-eval/badger/connectors/sqlserver"

func init() { link(sqlserver.Connector) }

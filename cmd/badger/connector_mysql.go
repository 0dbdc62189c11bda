//go:build !no_mysql

package main

import "github.com/badger-eval/badger/connectors/mysql"

func init() { link(mysql.Connector) }

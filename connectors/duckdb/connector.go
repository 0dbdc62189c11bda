package duckdb

import "github.com/badger-eval/badger/connectors/driver"

// Connector is the connector of the embedded engine.
var Connector = driver.Connector{
	Name: "duckdb", Schemes: []string{Scheme}, Open: Open, Contacts: contacts, Dialects: []driver.Dialect{Dialect},
	Examples: []driver.Example{
		{Title: "DuckDB", Key: "`duckdb:FILE`", URL: "duckdb:FILE"},
	},
	Place: 10,
}

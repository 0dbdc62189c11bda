package postgres

import "github.com/badger-eval/badger/connectors/driver"

// Connector is the connector of PostgreSQL and Amazon Redshift.
var Connector = driver.Connector{
	Name: "postgres", Schemes: []string{Scheme, schemeLong, schemeRedshift}, Open: Open, Contacts: Contacts,
	Dialects: []driver.Dialect{Dialect, RedshiftDialect},
	Examples: []driver.Example{
		{Title: "PostgreSQL", Key: "`postgres://USER@HOST/DATABASE`",
			URL: "postgres://USER@HOST/DATABASE?sslmode=verify-full&sslrootcert=system"},
		{Title: "Redshift", Key: "`redshift://USER@CLUSTER/DATABASE`",
			URL: "redshift://USER@CLUSTER/DATABASE?sslmode=require"},
	},
	Place: 20,
}

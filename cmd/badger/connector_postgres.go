//go:build !no_postgres

package main

import "github.com/badger-eval/badger/connectors/postgres"

func init() {
	for _, scheme := range []string{postgres.Scheme, postgres.SchemeLong, postgres.SchemeRedshift} {
		warehouses.Register(scheme, postgres.Open)
		contacts[scheme] = postgres.Contacts
	}
	dialects[postgres.Dialect.Name] = postgres.Dialect
	dialects[postgres.RedshiftDialect.Name] = postgres.RedshiftDialect
}

// Package known lists the hosts of every connector.
package known

import (
	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/internal/residency"
)

// Connectors are by the scheme of their URLs. That of DuckDB, which contacts nobody, is here without
// the engine.
var Connectors = map[string]driver.Contacts{
	snowflake.Scheme: snowflake.Contacts, bigquery.Scheme: bigquery.Contacts, databricks.Scheme: databricks.Contacts,
	postgres.Scheme: postgres.Contacts, postgres.SchemeLong: postgres.Contacts, postgres.SchemeRedshift: postgres.Contacts,
	"duckdb": func(string) ([]driver.Contact, error) { return nil, nil },
}

// Hosts is [residency.Hosts] with all connectors.
func Hosts(c residency.Config) ([]residency.Contact, error) { return residency.Hosts(c, Connectors) }

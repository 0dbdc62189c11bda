// Package known lists the hosts of every connector and of every provider of judges.
package known

import (
	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/internal/residency"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/anthropic"
	"github.com/badger-eval/badger/judgebackend/inwarehouse"
	"github.com/badger-eval/badger/judgebackend/openai"
)

// Connectors are by the scheme of their URLs. That of DuckDB, which contacts nobody, is here without
// the engine.
var Connectors = map[string]driver.Contacts{
	snowflake.Scheme: snowflake.Contacts, bigquery.Scheme: bigquery.Contacts, databricks.Scheme: databricks.Contacts,
	postgres.Scheme: postgres.Contacts, postgres.SchemeLong: postgres.Contacts, postgres.SchemeRedshift: postgres.Contacts,
	"duckdb": func(string) ([]driver.Contact, error) { return nil, nil },
}

// Providers are those of judges.
var Providers = judgebackend.Providers{openai.Provider, anthropic.Provider, inwarehouse.Cortex, inwarehouse.BigQueryAI, inwarehouse.AIQuery}

// Hosts is [residency.Hosts] with all connectors and providers.
func Hosts(c residency.Config) ([]residency.Contact, error) {
	return residency.Hosts(c, Connectors, Providers)
}

package known

import (
	"github.com/badger-eval/badger/internal/residency"
)

// Configuration is one that docs/residency.md lists the hosts of.
type Configuration struct {
	Title string
	Key   string // of the configuration, or the option of a URL, that makes it
	residency.Config
}

func warehouse(url string) residency.Config {
	return residency.Config{Warehouses: []residency.Named{{Key: "results.warehouse", URL: url}}}
}

const (
	snowflakeURL  = "snowflake://ME@ACCOUNT/DATABASE/SCHEMA?warehouse=W&private_key_file=/run/secrets/key.p8"
	bigqueryURL   = "bigquery://PROJECT/DATASET?"
	databricksURL = "databricks://WORKSPACE.cloud.databricks.com?http_path=/sql/1.0/warehouses/ID&"
)

// Configurations are those of the page, in its order.
var Configurations = []Configuration{
	{"DuckDB", "`duckdb:FILE`", warehouse("duckdb:FILE")},
	{"PostgreSQL", "`postgres://USER@HOST/DATABASE`", warehouse("postgres://USER@HOST/DATABASE?sslmode=verify-full&sslrootcert=system")},
	{"Redshift", "`redshift://USER@CLUSTER/DATABASE`", warehouse("redshift://USER@CLUSTER/DATABASE?sslmode=require")},
	{"Snowflake", "`snowflake://USER@ACCOUNT/…`", warehouse(snowflakeURL)},
	{"Snowflake, certificates looked up", "`revocation=crl`", warehouse(snowflakeURL + "&revocation=crl")},
	{"Snowflake, private link", "`host=HOST`", warehouse(snowflakeURL + "&host=ACCOUNT.privatelink.snowflakecomputing.com")},
	{"Snowflake, behind a proxy", "`proxy=http://PROXY:3128`", warehouse(snowflakeURL + "&proxy=http://PROXY:3128")},
	{"BigQuery, a token that something else renews", "`token_file=FILE`", warehouse(bigqueryURL + "token_file=/run/secrets/token")},
	{"BigQuery, a credentials file", "`credentials_file=FILE`", warehouse(bigqueryURL + "credentials_file=/no/such/file")},
	{"BigQuery, the machine's service account", "`credentials=metadata`", warehouse(bigqueryURL + "credentials=metadata")},
	{"BigQuery, acting as another account", "`impersonate=ACCOUNT`", warehouse(bigqueryURL + "token_file=/run/secrets/token&impersonate=ACCOUNT")},
	{"BigQuery, without the Storage API", "`storage=off`", warehouse(bigqueryURL + "token_file=/run/secrets/token&storage=off")},
	{"Databricks, a token", "`token_file=FILE`", warehouse(databricksURL + "token_file=/run/secrets/token")},
	{"Databricks, a service principal", "`client_id=ID`", warehouse(databricksURL + "client_id=ID&client_secret_file=/run/secrets/secret")},
	{"Databricks, without cloud storage", "`cloud_fetch=false`", warehouse(databricksURL + "token_file=/run/secrets/token&cloud_fetch=false")},
	{"A judge at an endpoint", "`judge.base_url`", residency.Config{Judge: residency.Judge{Backend: "openai:MODEL", BaseURL: "https://JUDGE/v1"}}},
	{"OpenAI's own endpoint", "`judge.backend: openai:MODEL`, allowed by `judge.allow_hosts`", residency.Config{Judge: residency.Judge{Backend: "openai:MODEL"}}},
	{"Anthropic's own endpoint", "`judge.backend: anthropic:MODEL`, allowed by `judge.allow_hosts`", residency.Config{Judge: residency.Judge{Backend: "anthropic:MODEL"}}},
	{"A judge behind a proxy", "`judge.proxy`", residency.Config{Judge: residency.Judge{Backend: "openai:MODEL", BaseURL: "https://JUDGE/v1", Proxy: "http://PROXY:3128"}}},
	{"A judge in the warehouse", "`judge.backend: cortex:MODEL`, `bigqueryai:`, `aiquery:`", residency.Config{Judge: residency.Judge{Backend: "cortex:MODEL"}}},
	{"Recorded answers only", "`judge.offline`, `replay:FILE`", residency.Config{Judge: residency.Judge{Backend: "openai:MODEL", Offline: true}}},
	{"Callers with tokens, certificates, a platform or a proxy", "`auth.mode`: `local`, `token`, `mtls`, `platform`, `proxy`", residency.Config{}},
	{"Callers with OpenID Connect tokens", "`auth: {mode: oidc, issuer: https://ISSUER}`", residency.Config{Issuers: []residency.Issuer{{Key: "auth", URL: "https://ISSUER"}}}},
	{"the same, keys named", "`auth.keys: https://KEYS/keys`", residency.Config{Issuers: []residency.Issuer{{Key: "auth", URL: "https://ISSUER", Keys: "https://KEYS/keys"}}}},
	{"the same, keys in a file", "`auth.keys: FILE`", residency.Config{Issuers: []residency.Issuer{{Key: "auth", URL: "https://ISSUER", Keys: "FILE"}}}},
	{"Traces", "`traces.endpoint`", residency.Config{Traces: "https://COLLECTOR:4318"}},
	{"Metrics for Prometheus", "`listen.metrics`", residency.Config{}},
	{"A new configuration now and then", "`reload`", residency.Config{}},
}

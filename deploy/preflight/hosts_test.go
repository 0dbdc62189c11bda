package preflight_test

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/connectors/mysql"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/connectors/sqlite"
	"github.com/badger-eval/badger/connectors/sqlserver"
	"github.com/badger-eval/badger/deploy/preflight"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/anthropic"
	"github.com/badger-eval/badger/judgebackend/inwarehouse"
	"github.com/badger-eval/badger/judgebackend/openai"
)

var (
	connectors = []driver.Connector{bigquery.Connector, databricks.Connector, duckdb.Connector, mysql.Connector, postgres.Connector, snowflake.Connector, sqlite.Connector, sqlserver.Connector}
	providers  = judgebackend.Providers{openai.Provider, anthropic.Provider, inwarehouse.Cortex, inwarehouse.BigQueryAI, inwarehouse.AIQuery}
)

func TestHosts(t *testing.T) {
	snowflake := []preflight.Named{{Key: "results.warehouse", URL: "snowflake://me@acme/DB?token_file=t"}}
	for _, tc := range []struct {
		why    string
		config preflight.HostsConfig
		want   string // KEY=HOST:PORT
	}{
		{"nothing", preflight.HostsConfig{}, ""},
		{"a file", preflight.HostsConfig{Warehouses: []preflight.Named{{Key: "--to", URL: "duckdb:scores.duckdb"}}}, ""},
		{"a database of queries", preflight.HostsConfig{Warehouses: []preflight.Named{{Key: "--execute", URL: "sqlite:shop.sqlite"}}}, ""},
		{"a judge in the warehouse", preflight.HostsConfig{Warehouses: snowflake, Judge: preflight.Judge{Backend: "cortex:m"}}, "results.warehouse=acme.snowflakecomputing.com:443 results.warehouse=:443"},
		{
			"a judge in another one", preflight.HostsConfig{Warehouses: snowflake, Judge: preflight.Judge{Backend: "aiquery:m", Warehouse: "databricks://w.cloud.databricks.com?http_path=/w&token_file=t&cloud_fetch=false"}},
			"results.warehouse=acme.snowflakecomputing.com:443 results.warehouse=:443 judge.warehouse=w.cloud.databricks.com:443",
		},
		{"an endpoint", preflight.HostsConfig{Judge: preflight.Judge{Backend: "openai:m", BaseURL: "http://JUDGE.corp:8000/v1"}}, "judge=judge.corp:8000"},
		{"a vendor's own", preflight.HostsConfig{Judge: preflight.Judge{Backend: "anthropic:m"}}, "judge=api.anthropic.com:443"},
		{"a proxy", preflight.HostsConfig{Judge: preflight.Judge{Backend: "openai:m", Proxy: "http://proxy.corp"}}, "judge=proxy.corp:80 judge=api.openai.com:443@proxy.corp:80"},
		{"offline", preflight.HostsConfig{Judge: preflight.Judge{Backend: "openai:m", Offline: true, Warehouse: "oracle:x"}}, ""},
		{"judges of metrics and tags", preflight.HostsConfig{Judge: preflight.Judge{Backend: "openai:m", BaseURL: "http://judge.corp:8000/v1"}, Judges: []preflight.Judge{
			{Key: "judge.metrics.rose", Backend: "openai:o3", BaseURL: "http://judge.corp:8000/v1"}, {Key: "judge.by_tag[0]", Backend: "openai:m", BaseURL: "http://other.corp"}, {Key: "judge.by_tag[1]", Backend: "none"},
		}}, "judge=judge.corp:8000 judge.by_tag[0]=other.corp:80"},
		{"no judge", preflight.HostsConfig{Judge: preflight.Judge{Backend: "none"}}, ""},
		{"recordings", preflight.HostsConfig{Judge: preflight.Judge{Backend: "replay:FILE"}}, ""},
		{"traces", preflight.HostsConfig{Traces: "https://collector.corp:4318/v1/traces"}, "traces.endpoint=collector.corp:4318"},
		{
			"issuers", preflight.HostsConfig{Issuers: []preflight.Issuer{{"auth.grpc", "https://i.corp", "keys.json"}, {"auth.http", "https://i.corp/", ""}, {"auth", "https://i.corp", "https://k.corp/keys"}}},
			"auth.http=i.corp:443 auth.http=:443 auth=k.corp:443",
		},
	} {
		list, err := preflight.Hosts(tc.config, connectors, providers)
		var got []string
		for _, c := range list {
			name := c.Key + "=" + net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
			if c.Via != "" {
				name += "@" + c.Via
			}
			if got = append(got, name); c.Why == "" || (c.Host == "") != (c.Learn != "") {
				t.Errorf("%s: %+v", tc.why, c)
			}
		}
		if want := strings.Fields(tc.want); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", tc.why, got, err, want)
		}
	}
	for want, config := range map[string]preflight.HostsConfig{
		"--to: no connector":         {Warehouses: []preflight.Named{{Key: "--to", URL: "oracle:x"}}},
		"--to: snowflake":            {Warehouses: []preflight.Named{{Key: "--to", URL: "snowflake://me@acme/DB?secret=hunter2"}}},
		"judge base URL":             {Judge: preflight.Judge{Backend: "openai:m", BaseURL: "judge.corp"}},
		"judge.proxy: expected":      {Judge: preflight.Judge{Backend: "openai:m", Proxy: "proxy.corp"}},
		"traces.endpoint: expected":  {Traces: "collector.corp"},
		"auth.http.issuer: expected": {Issuers: []preflight.Issuer{{Key: "auth.http", URL: "i.corp"}}},
		"auth.http.keys: expected":   {Issuers: []preflight.Issuer{{Key: "auth.http", URL: "https://i.corp", Keys: "ftp://k.corp"}}},
	} {
		if list, err := preflight.Hosts(config, connectors, providers); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v, %v; want an error with %q", config, list, err, want)
		}
	}
}

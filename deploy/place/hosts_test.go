package place_test

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
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/connectors/sqlite"
	"github.com/badger-eval/badger/deploy/place"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/anthropic"
	"github.com/badger-eval/badger/judgebackend/inwarehouse"
	"github.com/badger-eval/badger/judgebackend/openai"
)

var (
	connectors = []driver.Connector{bigquery.Connector, databricks.Connector, duckdb.Connector, postgres.Connector, snowflake.Connector, sqlite.Connector}
	providers  = judgebackend.Providers{openai.Provider, anthropic.Provider, inwarehouse.Cortex, inwarehouse.BigQueryAI, inwarehouse.AIQuery}
)

func TestHosts(t *testing.T) {
	snowflake := []place.Named{{Key: "results.warehouse", URL: "snowflake://me@acme/DB?token_file=t"}}
	for _, tc := range []struct {
		why    string
		config place.HostsConfig
		want   string // KEY=HOST:PORT
	}{
		{"nothing", place.HostsConfig{}, ""},
		{"a file", place.HostsConfig{Warehouses: []place.Named{{Key: "--to", URL: "duckdb:scores.duckdb"}}}, ""},
		{"a database of queries", place.HostsConfig{Warehouses: []place.Named{{Key: "--execute", URL: "sqlite:shop.sqlite"}}}, ""},
		{"a judge in the warehouse", place.HostsConfig{Warehouses: snowflake, Judge: place.Judge{Backend: "cortex:m"}}, "results.warehouse=acme.snowflakecomputing.com:443 results.warehouse=:443"},
		{
			"a judge in another one", place.HostsConfig{Warehouses: snowflake, Judge: place.Judge{Backend: "aiquery:m", Warehouse: "databricks://w.cloud.databricks.com?http_path=/w&token_file=t&cloud_fetch=false"}},
			"results.warehouse=acme.snowflakecomputing.com:443 results.warehouse=:443 judge.warehouse=w.cloud.databricks.com:443",
		},
		{"an endpoint", place.HostsConfig{Judge: place.Judge{Backend: "openai:m", BaseURL: "http://JUDGE.corp:8000/v1"}}, "judge=judge.corp:8000"},
		{"a vendor's own", place.HostsConfig{Judge: place.Judge{Backend: "anthropic:m"}}, "judge=api.anthropic.com:443"},
		{"a proxy", place.HostsConfig{Judge: place.Judge{Backend: "openai:m", Proxy: "http://proxy.corp"}}, "judge=proxy.corp:80 judge=api.openai.com:443@proxy.corp:80"},
		{"offline", place.HostsConfig{Judge: place.Judge{Backend: "openai:m", Offline: true, Warehouse: "oracle:x"}}, ""},
		{"no judge", place.HostsConfig{Judge: place.Judge{Backend: "none"}}, ""},
		{"recordings", place.HostsConfig{Judge: place.Judge{Backend: "replay:FILE"}}, ""},
		{"traces", place.HostsConfig{Traces: "https://collector.corp:4318/v1/traces"}, "traces.endpoint=collector.corp:4318"},
		{
			"issuers", place.HostsConfig{Issuers: []place.Issuer{{"auth.grpc", "https://i.corp", "keys.json"}, {"auth.http", "https://i.corp/", ""}, {"auth", "https://i.corp", "https://k.corp/keys"}}},
			"auth.http=i.corp:443 auth.http=:443 auth=k.corp:443",
		},
	} {
		list, err := place.Hosts(tc.config, connectors, providers)
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
	for want, config := range map[string]place.HostsConfig{
		"--to: no connector":         {Warehouses: []place.Named{{Key: "--to", URL: "oracle:x"}}},
		"--to: snowflake":            {Warehouses: []place.Named{{Key: "--to", URL: "snowflake://me@acme/DB?secret=hunter2"}}},
		"judge base URL":             {Judge: place.Judge{Backend: "openai:m", BaseURL: "judge.corp"}},
		"judge.proxy: expected":      {Judge: place.Judge{Backend: "openai:m", Proxy: "proxy.corp"}},
		"traces.endpoint: expected":  {Traces: "collector.corp"},
		"auth.http.issuer: expected": {Issuers: []place.Issuer{{Key: "auth.http", URL: "i.corp"}}},
		"auth.http.keys: expected":   {Issuers: []place.Issuer{{Key: "auth.http", URL: "https://i.corp", Keys: "ftp://k.corp"}}},
	} {
		if list, err := place.Hosts(config, connectors, providers); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v, %v; want an error with %q", config, list, err, want)
		}
	}
}

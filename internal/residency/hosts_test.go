package residency_test

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/residency"
	"github.com/badger-eval/badger/internal/residency/known"
)

func TestHosts(t *testing.T) {
	snowflake := []residency.Named{{Key: "results.warehouse", URL: "snowflake://me@acme/DB?token_file=t"}}
	for _, tc := range []struct {
		why    string
		config residency.Config
		want   string // KEY=HOST:PORT
	}{
		{"nothing", residency.Config{}, ""},
		{"a file", residency.Config{Warehouses: []residency.Named{{Key: "--to", URL: "duckdb:scores.duckdb"}}}, ""},
		{"a judge in the warehouse", residency.Config{Warehouses: snowflake, Judge: residency.Judge{Backend: "cortex:m"}}, "results.warehouse=acme.snowflakecomputing.com:443 results.warehouse=:443"},
		{
			"a judge in another one", residency.Config{Warehouses: snowflake, Judge: residency.Judge{Backend: "aiquery:m", Warehouse: "databricks://w.cloud.databricks.com?http_path=/w&token_file=t&cloud_fetch=false"}},
			"results.warehouse=acme.snowflakecomputing.com:443 results.warehouse=:443 judge.warehouse=w.cloud.databricks.com:443",
		},
		{"an endpoint", residency.Config{Judge: residency.Judge{Backend: "openai:m", BaseURL: "http://JUDGE.corp:8000/v1"}}, "judge=judge.corp:8000"},
		{"a vendor's own", residency.Config{Judge: residency.Judge{Backend: "anthropic:m"}}, "judge=api.anthropic.com:443"},
		{"a proxy", residency.Config{Judge: residency.Judge{Backend: "openai:m", Proxy: "http://proxy.corp"}}, "judge=proxy.corp:80 judge=api.openai.com:443@proxy.corp:80"},
		{"offline", residency.Config{Judge: residency.Judge{Backend: "openai:m", Offline: true, Warehouse: "oracle:x"}}, ""},
		{"no judge", residency.Config{Judge: residency.Judge{Backend: "none"}}, ""},
		{"recordings", residency.Config{Judge: residency.Judge{Backend: "replay:FILE"}}, ""},
		{"traces", residency.Config{Traces: "https://collector.corp:4318/v1/traces"}, "traces.endpoint=collector.corp:4318"},
		{
			"issuers", residency.Config{Issuers: []residency.Issuer{{"auth.grpc", "https://i.corp", "keys.json"}, {"auth.http", "https://i.corp/", ""}, {"auth", "https://i.corp", "https://k.corp/keys"}}},
			"auth.http=i.corp:443 auth.http=:443 auth=k.corp:443",
		},
	} {
		list, err := known.Hosts(tc.config)
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
	for want, config := range map[string]residency.Config{
		"--to: no connector":         {Warehouses: []residency.Named{{Key: "--to", URL: "oracle:x"}}},
		"--to: snowflake":            {Warehouses: []residency.Named{{Key: "--to", URL: "snowflake://me@acme/DB?secret=hunter2"}}},
		"judge base URL":             {Judge: residency.Judge{Backend: "openai:m", BaseURL: "judge.corp"}},
		"judge.proxy: expected":      {Judge: residency.Judge{Backend: "openai:m", Proxy: "proxy.corp"}},
		"traces.endpoint: expected":  {Traces: "collector.corp"},
		"auth.http.issuer: expected": {Issuers: []residency.Issuer{{Key: "auth.http", URL: "i.corp"}}},
		"auth.http.keys: expected":   {Issuers: []residency.Issuer{{Key: "auth.http", URL: "https://i.corp", Keys: "ftp://k.corp"}}},
	} {
		if list, err := known.Hosts(config); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v, %v; want an error with %q", config, list, err, want)
		}
	}
}

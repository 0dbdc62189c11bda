package preflight

import (
	_ "embed"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/judgebackend"
)

//go:embed hosts_page.md
var pageText string

// HostsPage returns the page docs/reference/residency.md: a fixed text with a table of configurations and the hosts
// that each contacts.
func HostsPage(connectors []driver.Connector, providers judgebackend.Providers) ([]byte, error) {
	table, err := table(connectors, providers)
	if err != nil {
		return nil, err
	}
	return []byte(strings.Replace(pageText, "<!-- configurations -->\n", table, 1)), nil
}

// configuration is a row of the page's table: a configuration whose hosts are listed.
type configuration struct {
	title string
	key   string // key of the configuration, or option of a URL, that selects it
	HostsConfig
}

// configurations returns the configurations of the page in its order: the examples of the connectors, by their Place,
// and then the others.
func configurations(connectors []driver.Connector) (out []configuration) {
	byPlace := slices.SortedFunc(slices.Values(connectors), func(a, b driver.Connector) int { return a.Place - b.Place })
	for _, c := range byPlace {
		for _, e := range c.Examples {
			out = append(out, configuration{e.Title, e.Key, HostsConfig{Warehouses: []Named{{"results.warehouse", e.URL}}}})
		}
	}
	return append(out, otherConfigurations...)
}

var otherConfigurations = []configuration{
	{"A judge at an endpoint", "`judge.base_url`",
		HostsConfig{Judge: Judge{Backend: "openai:MODEL", BaseURL: "https://JUDGE/v1"}}},
	{"OpenAI's own endpoint", "`judge.backend: openai:MODEL`, allowed by `judge.allow_hosts`",
		HostsConfig{Judge: Judge{Backend: "openai:MODEL"}}},
	{"Anthropic's own endpoint", "`judge.backend: anthropic:MODEL`, allowed by `judge.allow_hosts`",
		HostsConfig{Judge: Judge{Backend: "anthropic:MODEL"}}},
	{"A judge behind a proxy", "`judge.proxy`",
		HostsConfig{Judge: Judge{Backend: "openai:MODEL", BaseURL: "https://JUDGE/v1", Proxy: "http://PROXY:3128"}}},
	{"A judge in the warehouse", "`judge.backend: cortex:MODEL`, `bigqueryai:`, `aiquery:`",
		HostsConfig{Judge: Judge{Backend: "cortex:MODEL"}}},
	{"Recorded answers only", "`judge.offline`, `replay:FILE`",
		HostsConfig{Judge: Judge{Backend: "openai:MODEL", Offline: true}}},
	{"Callers with tokens, certificates, a platform or a proxy",
		"`auth.mode`: `local`, `token`, `mtls`, `platform`, `proxy`", HostsConfig{}},
	{"Callers with OpenID Connect tokens", "`auth: {mode: oidc, issuer: https://ISSUER}`",
		HostsConfig{Issuers: []Issuer{{Key: "auth", URL: "https://ISSUER"}}}},
	{"the same, keys named", "`auth.keys: https://KEYS/keys`",
		HostsConfig{Issuers: []Issuer{{Key: "auth", URL: "https://ISSUER", Keys: "https://KEYS/keys"}}}},
	{"the same, keys in a file", "`auth.keys: FILE`",
		HostsConfig{Issuers: []Issuer{{Key: "auth", URL: "https://ISSUER", Keys: "FILE"}}}},
	{"Traces", "`traces.endpoint`", HostsConfig{Traces: "https://COLLECTOR:4318"}},
	{"Metrics for Prometheus", "`listen.metrics`", HostsConfig{}},
	{"A new configuration now and then", "`reload`", HostsConfig{}},
}

func table(connectors []driver.Connector, providers judgebackend.Providers) (string, error) {
	var b strings.Builder
	b.WriteString("| Configuration | by | contacts | why | when | instead |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, c := range configurations(connectors) {
		hosts, err := Hosts(c.HostsConfig, connectors, providers)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.title, err)
		}
		if len(hosts) == 0 {
			none := "no other host"
			if len(c.Warehouses) > 0 {
				none = "no host"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | | | |\n", c.title, c.key, none)
		}
		title, key := c.title, c.key
		for _, h := range hosts {
			where := "port " + strconv.Itoa(h.Port) + "; " + h.Learn
			if h.Host != "" {
				where = "`" + net.JoinHostPort(h.Host, strconv.Itoa(h.Port)) + "`"
			}
			if h.Via != "" {
				where += " through `" + h.Via + "`"
			}
			off := h.Off
			if strings.ContainsAny(off, "=:") {
				off = "`" + off + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", title, key, where, h.Why, h.When, off)
			title, key = "", ""
		}
	}
	return b.String(), nil
}

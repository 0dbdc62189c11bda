package service

import (
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// Kubernetes holds additional settings for a cluster: the values under deploy.kubernetes. Secrets are named, and
// must exist in the cluster.
type Kubernetes struct {
	Namespace  string `yaml:"namespace"`
	Release    string `yaml:"release"`     // name of the Helm release
	Tokens     string `yaml:"tokens"`      // Secret whose key tokens has lines NAME:TOKEN
	PullSecret string `yaml:"pull_secret"` // Secret for the registry
	TLS        struct {
		Secret    string `yaml:"secret"` // Secret of type kubernetes.io/tls
		Issuer    string `yaml:"issuer"` // a ClusterIssuer of cert-manager
		Plaintext bool   `yaml:"plaintext"`
	} `yaml:"tls"`
	// Secrets are the names of further Secrets to mount as files, by the folder below /etc/badger/secrets.
	Secrets map[string]string `yaml:"secrets"`
	Callers []string          `yaml:"callers"` // namespaces whose pods may call; none: only the release's
	Egress  []Egress          `yaml:"egress"`
	Hosts   []string          `yaml:"hosts"` // HOST:PORT that may be connected to, by name, which requires Cilium
	Run     struct {
		Source string   `yaml:"source"` // URL of the warehouse that badger run evaluates; empty: no CronJob
		Args   []string `yaml:"args"`
	} `yaml:"run"`
	Metrics        bool     `yaml:"metrics"`         // serve metrics for Prometheus, with a ServiceMonitor
	MetricsCallers []string `yaml:"metrics_callers"` // namespaces whose pods may read the metrics
}

// Egress is a network that the NetworkPolicy allows connections to.
type Egress struct {
	CIDR  string `yaml:"cidr"`
	Ports []int  `yaml:"ports"`
}

// HostPort is a host and port that may be connected to.
type HostPort struct {
	Host string
	Port int
}

var (
	dnsLabel = lazyregexp.New(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	dnsName  = lazyregexp.New(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)
	fullName = lazyregexp.New(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?$`)
)

func (k *Kubernetes) fields() []Field {
	return []Field{
		{"deploy.kubernetes.namespace", &k.Namespace, "badger", "badger"},
		{"deploy.kubernetes.release", &k.Release, "badger", "badger"},
		{"deploy.kubernetes.tokens", &k.Tokens, "badger-tokens", "badger-tokens"},
		{"deploy.kubernetes.pull_secret", &k.PullSecret, "", "registry"},
		{"deploy.kubernetes.tls.secret", &k.TLS.Secret, "", "badger-tls"},
		{"deploy.kubernetes.tls.issuer", &k.TLS.Issuer, "", "internal"},
		{"deploy.kubernetes.run.source", &k.Run.Source, "", "postgres://badger@db.example.com/analytics"},
	}
}

// complete returns an error for an invalid value. Whether the values suffice is checked by the target kubernetes.
func (k *Kubernetes) complete() error {
	bad := func(key, value, want string) error {
		return errcode.New(errcode.InvalidArgument, "values: deploy.kubernetes.%s is %.60q, expected %s", key, value, want)
	}
	for _, n := range []struct{ key, value string }{{"namespace", k.Namespace}, {"release", k.Release}} {
		if !dnsLabel.MatchString(n.value) {
			return bad(n.key, n.value, "lower-case letters, digits and dashes, such as badger")
		}
	}
	if k.Release[0] < 'a' || len(k.Release) > 53 {
		return bad("release", k.Release, "a name of at most 53 characters that begins with a letter")
	}
	for _, n := range []struct{ key, value string }{{"tokens", k.Tokens}, {"pull_secret", k.PullSecret},
		{"tls.secret", k.TLS.Secret}, {"tls.issuer", k.TLS.Issuer}} {
		if n.value != "" && !dnsName.MatchString(n.value) {
			return bad(n.key, n.value, "the name of an object, of lower-case letters, digits, dashes and dots")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(k.Secrets)) {
		if !dnsLabel.MatchString(name) || len(name) > 50 {
			return bad("secrets", name, "names of folders, of lower-case letters, digits and dashes")
		}
		if name == "tokens" || name == "judge" {
			return bad("secrets", name, "another name: deploy.kubernetes.tokens and deploy.judge.secret name those Secrets")
		}
		if !dnsName.MatchString(k.Secrets[name]) {
			return bad("secrets."+name, k.Secrets[name], "the name of a Secret")
		}
	}
	for _, l := range []struct {
		key   string
		names []string
	}{{"callers", k.Callers}, {"metrics_callers", k.MetricsCallers}} {
		for _, n := range l.names {
			if !dnsLabel.MatchString(n) {
				return bad(l.key, n, "names of namespaces")
			}
		}
	}
	if k.Metrics != (len(k.MetricsCallers) > 0) {
		return errcode.New(errcode.InvalidArgument, "values: deploy.kubernetes.metrics and metrics_callers belong together: expected the namespaces whose pods may read the metrics, such as metrics_callers: [monitoring]")
	}
	for _, e := range k.Egress {
		prefix, err := netip.ParsePrefix(e.CIDR)
		if err != nil || prefix.Masked() != prefix {
			return bad("egress", e.CIDR, "a network, such as 10.20.0.0/16")
		}
		if len(e.Ports) == 0 {
			return bad("egress", e.CIDR, "ports for this network, such as {cidr: 10.20.0.0/16, ports: [443]}")
		}
		for _, p := range e.Ports {
			if p < 1 || p > 65535 {
				return bad("egress", strconv.Itoa(p), "ports from 1 to 65535")
			}
		}
	}
	for _, h := range k.Hosts {
		if _, ok := hostPort(h); !ok {
			return bad("hosts", h, "HOST or HOST:PORT, such as api.example.com:443")
		}
	}
	if err := checkWarehouse("deploy.kubernetes.run.source", k.Run.Source); err != nil {
		return err
	}
	for _, a := range k.Run.Args {
		if !strings.HasPrefix(a, "-") {
			return bad("run.args", a, "flags of badger run, such as --fail-under=hybrid_ex=0.9")
		}
	}
	return nil
}

// NamedHosts returns the hosts of deploy.kubernetes.hosts and, if there are any, also those of the warehouses and the
// judge, because names of other hosts can then not be resolved. A host without a fully qualified name is an error.
func (d *Deployment) NamedHosts() ([]HostPort, error) {
	var out []HostPort
	for _, h := range d.Kubernetes.Hosts {
		if hp, ok := hostPort(h); ok {
			out = append(out, hp)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	for _, u := range d.urls() {
		hp := hostOf(u.value)
		if hp.Host == "" || net.ParseIP(hp.Host) != nil || slices.Contains(out, hp) {
			continue
		}
		if !fullName.MatchString(hp.Host) {
			return nil, errcode.New(errcode.InvalidArgument, "values: %s names the host %.60q, expected a fully qualified name such as db.data.svc.cluster.local; with deploy.kubernetes.hosts, other names are not resolved", u.key, hp.Host)
		}
		out = append(out, hp)
	}
	return out, nil
}

// Contacts reports whether badger serve or badger run connects to a warehouse or a judge, other than an embedded
// DuckDB.
func (d *Deployment) Contacts() bool {
	return slices.ContainsFunc(d.urls(),
		func(u urlValue) bool { return u.value != "" && !strings.HasPrefix(u.value, "duckdb:") })
}

type urlValue struct{ key, value string }

func (d *Deployment) urls() []urlValue {
	return []urlValue{{"deploy.warehouse", d.Warehouse}, {"deploy.judge.url", d.Judge.URL},
		{"deploy.kubernetes.run.source", d.Kubernetes.Run.Source}}
}

// hostOf returns the host and port that the URL of a warehouse or a judge connects to. The Host is empty if the URL has
// none.
func hostOf(text string) HostPort {
	u, err := url.Parse(text)
	if err != nil {
		return HostPort{}
	}
	hp := HostPort{Host: strings.ToLower(u.Hostname()),
		Port: map[string]int{"postgres": 5432, "postgresql": 5432, "redshift": 5439, "http": 80}[u.Scheme]}
	if hp.Port == 0 {
		hp.Port = 443
	}
	port := u.Port()
	switch u.Scheme {
	case "duckdb":
		return HostPort{}
	case "bigquery":
		hp.Host = "bigquery.googleapis.com"
	case "snowflake":
		if port = u.Query().Get("port"); u.Query().Get("host") != "" {
			hp.Host = strings.ToLower(u.Query().Get("host"))
		} else if hp.Host != "" {
			hp.Host += ".snowflakecomputing.com"
		}
	}
	if n, err := strconv.Atoi(port); err == nil {
		hp.Port = n
	}
	return hp
}

// hostPort parses HOST or HOST:PORT, and reports whether it is valid. The default port is 443.
func hostPort(text string) (HostPort, bool) {
	host, port, found := strings.Cut(text, ":")
	if !found {
		port = "443"
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return HostPort{host, int(n)}, err == nil && n > 0 && fullName.MatchString(host) && len(host) <= 253
}

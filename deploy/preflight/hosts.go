package preflight

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// HostsConfig is the part of the configuration that determines the contacted hosts.
type HostsConfig struct {
	Warehouses []Named // URLs of warehouses
	Judge      Judge
	Judges     []Judge  // those of single metrics and of tags, with their keys
	Issuers    []Issuer // issuers of the listeners in mode oidc
	Traces     string   // URL that trace spans are sent to; "": none
}

// Named is a URL and the key or flag that it comes from, such as results.warehouse or --to.
type Named struct{ Key, URL string }

// Judge is the part of the judge's configuration that determines hosts, with the same keys.
type Judge struct {
	Key       string // of a judge of a metric or a tag; "" for judge
	Backend   string // "" or "none": no judge
	BaseURL   string // URL of the endpoint; empty: the vendor's
	Proxy     string
	Warehouse string // URL of the warehouse whose models are called, unless it is in HostsConfig.Warehouses
	Offline   bool   // only cached replies are used
}

// Issuer is an OpenID Connect provider whose keys a listener needs to verify tokens.
type Issuer struct {
	Key  string // key of the listener, such as auth.http
	URL  string
	Keys string // a file or the URL of its key set; "": its discovery document names it
}

// Contact is a host that badger connects to, and the key of the configuration that it comes from.
type Contact struct {
	Key string `json:"key"`
	driver.Contact
}

// Each connector has a function [driver.Contacts] that returns its hosts. A program passes the connectors that it
// links. The name server that resolves the hosts is not listed. A test of this package runs the program in a
// separate network namespace, records every connection and name lookup, and fails on any that Hosts does not list.

// Hosts returns the hosts that badger contacts with a configuration, in the order of its keys, without contacting
// them. Providers are the judge providers. Hosts reads credential files that contain host names. Its error has the
// code InvalidArgument if the configuration or such a file is invalid.
func Hosts(c HostsConfig, connectors []driver.Connector, providers judgebackend.Providers) ([]Contact, error) {
	var out []Contact
	add := func(key string, contacts ...driver.Contact) {
		for _, k := range contacts {
			out = append(out, Contact{key, k})
		}
	}
	warehouses := c.Warehouses
	var asked []Judge
	for _, j := range append([]Judge{c.Judge}, c.Judges...) {
		if j.Backend == "" || j.Backend == "none" || j.Offline {
			continue
		}
		j.Key = cmp.Or(j.Key, "judge")
		asked = append(asked, j)
		if j.Warehouse != "" {
			warehouses = append(warehouses[:len(warehouses):len(warehouses)], Named{j.Key + ".warehouse", j.Warehouse})
		}
	}
	for _, w := range warehouses {
		scheme, _, _ := strings.Cut(w.URL, ":")
		at := slices.IndexFunc(connectors, func(k driver.Connector) bool { return slices.Contains(k.Schemes, scheme) })
		if at < 0 {
			return nil, errcode.New(errcode.InvalidArgument, "%s: no connector for the scheme %.20q", w.Key, scheme)
		}
		list, err := connectors[at].Contacts(w.URL)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "%s: %w", w.Key, err)
		}
		add(w.Key, list...)
	}
	named := map[driver.Contact]bool{} // several judges have the same host
	for _, j := range asked {
		list, err := j.contacts(providers)
		if err != nil {
			return nil, err
		}
		for _, k := range list {
			if !named[k] {
				add(j.Key, k)
			}
			named[k] = true
		}
	}
	for _, i := range c.Issuers {
		list, err := i.contacts()
		if err != nil {
			return nil, err
		}
		add(i.Key, list...)
	}
	if c.Traces != "" {
		host, port, err := hostPort("traces.endpoint", c.Traces)
		if err != nil {
			return nil, err
		}
		add("traces.endpoint",
			driver.Contact{Host: host, Port: port, Why: "the collector of traces", When: "while badger serve runs, and in badger run if traces.evaluations is set"})
	}
	return out, nil
}

func hostPort(key, text string) (string, int, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", 0, errcode.New(errcode.InvalidArgument, "%s: expected a URL http(s)://HOST/…", key)
	}
	host, port := driver.HostPort(u)
	return host, port, nil
}

func (j Judge) contacts(providers judgebackend.Providers) ([]driver.Contact, error) {
	u, err := providers.Address(j.Backend, j.BaseURL)
	if err != nil || u == nil {
		return nil, err
	}
	var proxy *url.URL
	if j.Proxy != "" {
		if _, _, err := hostPort(j.Key+".proxy", j.Proxy); err != nil {
			return nil, err
		}
		proxy, _ = url.Parse(j.Proxy)
	}
	host, port := driver.HostPort(u)
	return driver.Behind(proxy, "the proxy that the judge is reached through",
		driver.Contact{Host: host, Port: port, Why: "the judge: questions that rules cannot decide",
			When: "for judged metrics, where the ledger has no answer", Off: "judge.offline: true"}), nil
}

func (i Issuer) contacts() ([]driver.Contact, error) {
	const when = "when a caller's token needs a key that is not fresh"
	key := i.Key + ".keys"
	switch {
	case i.Keys != "" && !strings.Contains(i.Keys, "://"):
		return nil, nil // a file
	case i.Keys != "":
		host, port, err := hostPort(key, i.Keys)
		return []driver.Contact{
			{Host: host, Port: port, Why: "the keys of the OpenID Connect issuer", When: when, Off: key + ": FILE"}}, err
	}
	host, port, err := hostPort(i.Key+".issuer", i.URL)
	return []driver.Contact{
		{Host: host, Port: port, Why: "the OpenID Connect issuer's discovery document", When: when,
			Off: key + ": FILE or URL"},
		{Port: 443, Why: "the issuer's keys", When: when,
			Learn: "jwks_uri in " + strings.TrimSuffix(i.URL, "/") + "/.well-known/openid-configuration",
			Off:   key + ": FILE or URL"},
	}, err
}

package main

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/deploy/preflight"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
)

// hosts returns the hosts that badger serve contacts with the configuration c.
func (c *configuration) hosts() ([]preflight.Contact, error) {
	r := preflight.HostsConfig{
		Judge: preflight.Judge{Backend: c.Judge.Backend, BaseURL: c.Judge.BaseURL, Proxy: c.Judge.Proxy,
			Warehouse: c.Judge.Warehouse, Offline: c.Judge.Offline},
		Traces: c.Traces.Endpoint,
	}
	own, err := c.Judge.Others()
	if err != nil {
		return nil, err
	}
	for key, e := range own {
		r.Judges = append(r.Judges, preflight.Judge{Key: key, Backend: e.Backend, BaseURL: e.BaseURL, Proxy: e.Proxy,
			Warehouse: e.Warehouse, Offline: c.Judge.Offline})
	}
	slices.SortFunc(r.Judges, func(a, b preflight.Judge) int { return strings.Compare(a.Key, b.Key) })
	if c.Results.Warehouse != "" {
		r.Warehouses = []preflight.Named{{Key: "results.warehouse", URL: c.Results.Warehouse}}
	}
	byGRPC, byHTTP, err := c.Auth.Listeners(c.TLS.ClientCA)
	if err != nil {
		return nil, err
	}
	one := c.Auth.GRPC == nil && c.Auth.HTTP == nil
	for _, l := range []struct {
		key string
		of  identity.Config
	}{{"auth.grpc", byGRPC}, {"auth.http", byHTTP}} {
		if l.of.Mode == identity.OIDC && !(one && l.key == "auth.http") {
			if one {
				l.key = "auth"
			}
			r.Issuers = append(r.Issuers, preflight.Issuer{Key: l.key, URL: l.of.Issuer, Keys: l.of.Keys})
		}
	}
	list, err := preflight.Hosts(r, linkedConnectors(), providers)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return list, nil
}

// printHosts prints a line for each host, preceded by prefix.
func printHosts(w io.Writer, prefix string, hosts []preflight.Contact) {
	if len(hosts) == 0 {
		fmt.Fprintf(w, "%scontacts nobody\n", prefix)
	}
	for _, c := range hosts {
		where := c.Learn
		if c.Host != "" {
			where = net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
		} else {
			where = "port " + strconv.Itoa(c.Port) + " of hosts that are not known before (" + where + ")"
		}
		fmt.Fprintf(w, "%scontacts %s: %s", prefix, where, c.Why)
		if c.When != "" {
			fmt.Fprintf(w, ", %s", c.When)
		}
		if c.Via != "" {
			fmt.Fprintf(w, ", through %s", c.Via)
		}
		fmt.Fprintf(w, " [%s]\n", c.Key)
	}
}

package postgres

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// Contacts lists the hosts of a URL; it is a [driver.Contacts]. Unix sockets are not listed. What the URL omits is
// taken from the environment, as in [Open].
func Contacts(rawURL string) ([]driver.Contact, error) {
	at, err := parseURL(rawURL)
	if err != nil {
		return nil, err
	}
	what := "the PostgreSQL server: sign-in and statements"
	config := at.config
	if at.redshift {
		what = "the Redshift cluster: sign-in and statements"
	}
	var out []driver.Contact
	add := func(host string, port uint16, when string) {
		c := driver.Contact{Host: strings.ToLower(host), Port: int(port), Why: what, When: when}
		if !strings.HasPrefix(host, "/") &&
			!slices.ContainsFunc(out, func(o driver.Contact) bool { return o.Host == c.Host && o.Port == c.Port }) {
			out = append(out, c)
		}
	}
	add(config.ConnConfig.Host, config.ConnConfig.Port, "")
	for _, f := range config.ConnConfig.Fallbacks { // further hosts, and the same ones without TLS
		add(f.Host, f.Port, "where the hosts before it do not answer")
	}
	return out, nil
}

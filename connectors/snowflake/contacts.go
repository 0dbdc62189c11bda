package snowflake

import (
	"strings"

	sf "github.com/snowflakedb/gosnowflake"

	"github.com/badger-eval/badger/connectors/driver"
)

// Contacts lists the hosts that are contacted for the account of a URL; it is a [driver.Contacts].
func Contacts(rawURL string) ([]driver.Contact, error) {
	c, err := checked(rawURL)
	if err != nil {
		return nil, err
	}
	host, port := c.server()
	out := []driver.Contact{
		{Host: host, Port: port, Why: "the Snowflake account: sign-in and statements"},
		{
			Port: 443, Why: "the account's stage, in its cloud's storage", When: "for results that do not fit one answer",
			Learn: "SELECT SYSTEM$ALLOWLIST() lists it with the type STAGE",
		},
	}
	if c.Revocation == RevocationCRL {
		out = append(out, driver.Contact{
			Port: 80, Why: "lists of revoked certificates, in plain HTTP",
			When:  "at the first connection to a host, and again when a list expires",
			Learn: "the CRL distribution points in the certificates of the hosts above; SELECT SYSTEM$ALLOWLIST() lists them with the type CRL_DISTRIBUTION_POINT",
		})
	}
	return driver.Behind(c.Proxy, "the proxy that Snowflake is reached through", out...), nil
}

// server returns the host and the port of the account, as the driver derives them.
func (c *Config) server() (host string, port int) {
	derived := sf.Config{Account: c.Account, Host: c.Host, Port: c.port(), Protocol: c.Protocol, User: "user",
		Password: "password"}
	_, _ = sf.DSN(&derived) // sets the host and the port
	return strings.ToLower(derived.Host), derived.Port
}

// port returns the URL's port; 0 is the default. For http it is 80, since gosnowflake 1.19.1 would use 443.
func (c *Config) port() int {
	if c.Port == 0 && c.Protocol == "http" {
		return 80
	}
	return c.Port
}

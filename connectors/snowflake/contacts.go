package snowflake

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// Contacts lists the hosts that the account of a URL is reached by; it is a [driver.Contacts].
func Contacts(rawURL string) ([]driver.Contact, error) {
	c, err := ParseURL(rawURL)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	host, port := c.server()
	return driver.Behind(c.Proxy, "the proxy that Snowflake is reached through", append([]driver.Contact{
		{Host: host, Port: port, Why: "the Snowflake account: sign-in and statements"},
		{
			Port: 443, Why: "the account's stage, in its cloud's storage", When: "for results that do not fit one answer",
			Learn: "SELECT SYSTEM$ALLOWLIST() lists it with the type STAGE",
		},
	}, c.revocationContacts()...)...), nil
}

// revocationContacts are those that issue revocation lists.
func (c *Config) revocationContacts() []driver.Contact {
	if c.Revocation != RevocationCRL {
		return nil
	}
	return []driver.Contact{{
		Port: 80, Why: "lists of revoked certificates, in plain HTTP", When: "at the first connection to a host, and again when a list expires",
		Learn: "the CRL distribution points in the certificates of the hosts above; SELECT SYSTEM$ALLOWLIST() lists them with the type CRL_DISTRIBUTION_POINT",
	}}
}

// server is the host and port of the account, as the driver derives them.
func (c *Config) server() (host string, port int) {
	host, port = c.Host, c.Port
	if host == "" {
		account, region, _ := strings.Cut(c.Account, ".")
		host = account
		if region != "" && !strings.EqualFold(region, "us-west-2") {
			host += "." + region
		}
		if strings.HasPrefix(strings.ToLower(region), "cn-") {
			host += ".snowflakecomputing.cn"
		} else {
			host += ".snowflakecomputing.com"
		}
	}
	if port == 0 {
		port = 443
		if c.Protocol == "http" {
			port = 80
		}
	}
	return strings.ToLower(host), port
}

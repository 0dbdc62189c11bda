package databricks

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// Contacts lists the hosts that are contacted for the warehouse of a URL; it is a [driver.Contacts].
func Contacts(rawURL string) ([]driver.Contact, error) {
	c, err := checked(rawURL)
	if err != nil {
		return nil, err
	}
	what := "the Databricks workspace: statements"
	if c.Secret.Client() {
		what = "the Databricks workspace: sign-in and statements"
	}
	out := []driver.Contact{{Host: strings.ToLower(c.Host), Port: c.PortNumber(), Why: what}}
	if c.CloudFetch {
		out = append(out, driver.Contact{
			Port: 443, Why: "the workspace's cloud storage", When: "for results that do not fit one answer",
			Learn: "the storage of the workspace's root, in its cloud's region; the error of a result that cannot be fetched names the host", Off: "cloud_fetch=false",
		})
	}
	return driver.Behind(c.Proxy, "the proxy that Databricks is reached through", out...), nil
}

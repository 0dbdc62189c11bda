package bigquery

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/bigquery/internal/signin"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// The hosts of Google's REST API and Storage Read API.
const (
	restHost    = "bigquery.googleapis.com"
	storageHost = "bigquerystorage.googleapis.com"
)

// Contacts lists the hosts that are contacted for the project of a URL; it is a [driver.Contacts]. It also reads the
// hosts in the credentials file, if that exists.
func Contacts(rawURL string) ([]driver.Contact, error) {
	o, err := ParseURL(rawURL)
	if err != nil {
		return nil, err
	}
	rest := driver.Contact{Host: restHost, Port: 443, Why: "BigQuery's API: jobs, rows to write and small results"}
	if o.Endpoint != "" {
		u, err := url.Parse(o.Endpoint)
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument,
				"bigquery: option endpoint: expected http://HOST:PORT or https://HOST")
		}
		rest.Host, rest.Port = driver.HostPort(u)
	}
	out := []driver.Contact{rest}
	if o.storage() != "" {
		host, text, err := net.SplitHostPort(o.storage())
		port, portErr := strconv.ParseUint(text, 10, 16)
		if err != nil || portErr != nil {
			return nil, errcode.New(errcode.InvalidArgument, "bigquery: option storage_endpoint: expected HOST:PORT")
		}
		out = append(out,
			driver.Contact{Host: strings.ToLower(host), Port: int(port), Why: "BigQuery's Storage API: large results",
				When: "as results need it", Off: "storage=off"})
	}
	var local []driver.Contact
	if !o.anonymous() {
		more, err := o.Account.Contacts()
		if err != nil {
			return nil, err
		}
		for _, c := range more {
			if c.Host == signin.MetadataHost && o.Proxy != nil { // it is contacted directly
				local = append(local, c)
			} else {
				out = append(out, c)
			}
		}
	}
	return append(driver.Behind(o.Proxy, "the proxy that BigQuery is reached through", out...), local...), nil
}

package bigquery

import (
	"cmp"
	"encoding/json"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Google's own hosts.
const (
	restHost    = "bigquery.googleapis.com"
	storageHost = "bigquerystorage.googleapis.com"
	tokenHost   = "oauth2.googleapis.com"
	universe    = "googleapis.com"
)

// Contacts lists the hosts that the project of a URL is reached by; it is a [driver.Contacts]. It
// reads the credentials file, which names hosts, too; of a file that is not there it says so.
func Contacts(rawURL string) ([]driver.Contact, error) {
	o, err := ParseURL(rawURL)
	if err != nil {
		return nil, err
	}
	rest := driver.Contact{Host: restHost, Port: 443, Why: "BigQuery's API: jobs, rows to write and small results"}
	if o.Endpoint != "" {
		u, err := url.Parse(o.Endpoint)
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "bigquery: option endpoint: expected http://HOST:PORT or https://HOST")
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
		out = append(out, driver.Contact{Host: strings.ToLower(host), Port: int(port), Why: "BigQuery's Storage API: large results", When: "as results need it", Off: "storage=off"})
	}
	var local []driver.Contact
	if !o.anonymous() {
		more, err := o.credentialContacts()
		if err != nil {
			return nil, err
		}
		for _, c := range more {
			if c.Host == metadataHost && o.Proxy != nil { // is reached directly
				local = append(local, c)
			} else {
				out = append(out, c)
			}
		}
	}
	return append(driver.Behind(o.Proxy, "the proxy that BigQuery is reached through", out...), local...), nil
}

// credentialContacts are those that sign-in needs.
func (o *Options) credentialContacts() ([]driver.Contact, error) {
	var out []driver.Contact
	domain := universe
	path, err := o.source()
	switch {
	case err != nil:
		return nil, err
	case o.TokenFile != "": // something else renews it
	case path == "":
		out = append(out, driver.Contact{Host: metadataHost, Port: 80, Why: "Google's metadata server, for access tokens, in plain HTTP on the machine's own link", Off: "credentials_file or token_file"})
	default:
		text, err := driverbase.ReadFile("bigquery", "credentials", path)
		if err != nil { // where rules are made for a machine that has the file
			out = append(out, driver.Contact{Port: 443, Why: "access tokens, as the credentials file says", Learn: "the addresses in the credentials file; oauth2.googleapis.com for a service account's key and for a user"})
			break
		}
		hosts := map[driver.Contact]bool{}
		if domain, err = fileHosts(text, hosts); err != nil {
			return nil, wrongFile(path, err)
		}
		out = append(out, slices.SortedFunc(maps.Keys(hosts), func(a, b driver.Contact) int { return strings.Compare(a.Host, b.Host) })...)
	}
	if len(o.Impersonate) > 0 {
		out = append(out, driver.Contact{Host: "iamcredentials." + domain, Port: 443, Why: "Google's IAM: to act as another service account"})
	}
	return out, nil
}

// fileHosts adds the hosts that a credentials file names, and returns its universe of Google's
// hosts.
func fileHosts(text []byte, hosts map[driver.Contact]bool) (string, error) {
	var f struct {
		Type      string `json:"type"`
		Universe  string `json:"universe_domain"`
		TokenURI  string `json:"token_uri"`
		TokenURL  string `json:"token_url"`
		ActAs     string `json:"service_account_impersonation_url"`
		Available struct {
			URL        string `json:"url"`
			RegionURL  string `json:"region_url"`
			SessionURL string `json:"imdsv2_session_token_url"`
		} `json:"credential_source"`
		Source json.RawMessage `json:"source_credentials"`
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return "", err
	}
	add := func(address, why string) error {
		if address == "" {
			return nil
		}
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" {
			return errcode.New(errcode.InvalidArgument, "an address in it cannot be read")
		}
		host, port := driver.HostPort(u)
		hosts[driver.Contact{Host: host, Port: port, Why: why}] = true
		return nil
	}
	const tokens, acting, subject = "access tokens, as the credentials file says", "to act as another service account, as the credentials file says", "the identity that is exchanged for an access token, as the credentials file says"
	var errs []error
	switch f.Type {
	case "service_account":
		errs = append(errs, add(cmp.Or(f.TokenURI, "https://"+tokenHost+"/token"), tokens))
	case "authorized_user":
		errs = append(errs, add("https://"+tokenHost+"/token", tokens))
	case "external_account_authorized_user":
		errs = append(errs, add(f.TokenURL, tokens))
	case "external_account":
		errs = append(errs, add(f.TokenURL, tokens), add(f.ActAs, acting), add(f.Available.URL, subject), add(f.Available.RegionURL, subject), add(f.Available.SessionURL, subject))
	case "impersonated_service_account":
		errs = append(errs, add(f.ActAs, acting))
		if len(f.Source) > 0 {
			_, err := fileHosts(f.Source, hosts)
			errs = append(errs, err)
		}
	default:
		errs = append(errs, errcode.New(errcode.InvalidArgument, "unknown type"))
	}
	for _, err := range errs {
		if err != nil {
			return "", err
		}
	}
	return cmp.Or(f.Universe, universe), nil
}

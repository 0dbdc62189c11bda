package signin

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Google's default token host and domain.
const (
	tokenHost = "oauth2.googleapis.com"
	universe  = "googleapis.com"
)

// Contacts lists the hosts that authentication contacts. It reads the hosts in the credentials file; if the file cannot
// be read, the contact describes how to find them.
func (a *Account) Contacts() ([]driver.Contact, error) {
	var out []driver.Contact
	domain := universe
	path, err := a.source()
	switch {
	case err != nil:
		return nil, err
	case a.TokenFile != "": // another program renews it
	case path == "":
		out = append(out,
			driver.Contact{Host: MetadataHost, Port: 80,
				Why: "Google's metadata server, for access tokens, in plain HTTP on the machine's own link",
				Off: "credentials_file or token_file"})
	default:
		text, err := driverbase.ReadFile("bigquery", "credentials", path)
		if err != nil { // the hosts may be listed on a machine without the file
			out = append(out,
				driver.Contact{Port: 443, Why: "access tokens, as the credentials file says",
					Learn: "the addresses in the credentials file; oauth2.googleapis.com for a service account's key and for a user"})
			break
		}
		hosts := map[driver.Contact]bool{}
		if domain, err = fileHosts(text, hosts); err != nil {
			return nil, wrongFile(path, err)
		}
		out = append(out,
			slices.SortedFunc(maps.Keys(hosts), func(a, b driver.Contact) int { return strings.Compare(a.Host, b.Host) })...)
	}
	if len(a.Impersonate) > 0 {
		out = append(out,
			driver.Contact{Host: "iamcredentials." + domain, Port: 443, Why: "Google's IAM: to act as another service account"})
	}
	return out, nil
}

// fileHosts adds the hosts in a credentials file to hosts, and returns its universe domain, by default googleapis.com.
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
	const tokens, acting, subject = "access tokens, as the credentials file says",
		"to act as another service account, as the credentials file says",
		"the identity that is exchanged for an access token, as the credentials file says"
	var errs []error
	switch f.Type {
	case "service_account":
		errs = append(errs, add(cmp.Or(f.TokenURI, "https://"+tokenHost+"/token"), tokens))
	case "authorized_user":
		errs = append(errs, add("https://"+tokenHost+"/token", tokens))
	case "external_account_authorized_user":
		errs = append(errs, add(f.TokenURL, tokens))
	case "external_account":
		errs = append(errs, add(f.TokenURL, tokens), add(f.ActAs, acting), add(f.Available.URL, subject),
			add(f.Available.RegionURL, subject), add(f.Available.SessionURL, subject))
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

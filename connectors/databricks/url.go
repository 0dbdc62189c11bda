package databricks

import (
	"cmp"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// Config configures the connection to a SQL warehouse. It contains no secrets, only their locations.
type Config struct {
	workspace.Config

	Insecure        bool              // allow plain http to other machines
	Catalog, Schema string            // defaults for names that have none
	Conf            map[string]string // configuration parameters of sessions, such as TIMEZONE or STATEMENT_TIMEOUT
	CloudFetch      bool              // large results arrive as files in cloud storage, which must be reachable
	PageRows        int64             // number of rows in a page of a result
}

const defaultPageRows = 100_000

// ParseURL reads databricks://HOST[:PORT][/CATALOG[/SCHEMA]]?http_path=/sql/1.0/warehouses/ID&….
// The options are
//
//	http_path                                  of the SQL warehouse, from its connection details
//	token_file, token_env                      a personal access token, or an OAuth token that another program renews
//	client_id                                  of a service principal (OAuth M2M), with client_secret_file or client_secret_env
//	conf.NAME                                  a configuration parameter of the session, such as conf.TIMEZONE=UTC
//	cloud_fetch                                false: results come only through the workspace, not cloud storage
//	retries, page_rows                         numbers
//	proxy                                      http(s)://HOST:PORT, for all connections
//	protocol, insecure                         http for emulators; beyond this machine only with insecure=true
//
// A URL cannot contain secrets. Files are read whenever a token is needed, so that a rotated one takes effect. If
// the URL names no credentials and the host is one of Databricks' own, they are taken from DATABRICKS_TOKEN, or
// DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET; http_path is taken from DATABRICKS_HTTP_PATH. If the URL names
// no host (databricks:///CATALOG/SCHEMA), it is that of DATABRICKS_HOST, as apps of Databricks have it.
func ParseURL(rawURL string) (Config, error) { return parseURL(rawURL, os.Getenv) }

func parseURL(rawURL string, getenv func(string) string) (Config, error) {
	c := Config{Config: workspace.Config{Getenv: getenv}, CloudFetch: true}
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != scheme || u.Opaque != "" {
		return c, invalid("expected a URL such as databricks://HOST/CATALOG/SCHEMA?http_path=/sql/1.0/warehouses/ID")
	}
	if u.User != nil {
		return c, invalid("a URL appears in logs and must not contain a token: use token_file, token_env, or client_id with client_secret_file or client_secret_env")
	}
	if err := c.setHost(u); err != nil {
		return c, err
	}
	c.Catalog, c.Schema, _ = strings.Cut(strings.Trim(u.Path, "/"), "/")
	if strings.Contains(c.Schema, "/") {
		return c, invalid("expected at most /CATALOG/SCHEMA after the host; the warehouse's path goes into http_path")
	}
	if err := c.options().Read("databricks", u.RawQuery); err != nil {
		return c, err
	}
	if c.Host == "" {
		if err := c.hostOfWorkspace(); err != nil {
			return c, err
		}
	}
	c.complete()
	return c, nil
}

func (c *Config) setHost(u *url.URL) error {
	c.Host = u.Hostname()
	if p := u.Port(); p != "" {
		port, err := strconv.ParseUint(p, 10, 16)
		if err != nil || port == 0 {
			return invalid("expected a port from 1 to 65535 after the host")
		}
		c.Port = int(port) //nolint:gosec // 16 bits
	}
	return nil
}

// hostOfWorkspace sets the host from DATABRICKS_HOST, with or without https://. Without the variable it does nothing.
func (c *Config) hostOfWorkspace() error {
	address := strings.TrimPrefix(c.Getenv("DATABRICKS_HOST"), "https://")
	if address == "" {
		return nil
	}
	u, err := url.Parse("https://" + address)
	if err != nil || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return invalid("DATABRICKS_HOST: expected the host of the workspace, such as dbc-a1b2c3d4-e5f6.cloud.databricks.com")
	}
	if c.setHost(u) != nil {
		return invalid("DATABRICKS_HOST: expected a port from 1 to 65535 after the host")
	}
	return nil
}

// checked returns the configuration of a URL, or an error if something is missing.
func checked(rawURL string) (Config, error) {
	c, err := ParseURL(rawURL)
	if err == nil {
		err = c.check()
	}
	return c, err
}

func (c *Config) options() driverbase.Options {
	return driverbase.Options{
		"http_path": driverbase.Takes("a path such as /sql/1.0/warehouses/ID",
			func(v string) bool { c.HTTPPath = v; return strings.HasPrefix(v, "/") }),
		"token_file": driverbase.Text(&c.Secret.TokenFile), "token_env": driverbase.Text(&c.Secret.TokenEnv),
		"client_id": driverbase.Text(&c.ClientID), "client_secret_file": driverbase.Text(&c.Secret.ClientSecretFile),
		"client_secret_env": driverbase.Text(&c.Secret.ClientSecretEnv),
		"conf.":             driverbase.Each(&c.Conf),
		"cloud_fetch":       driverbase.Bool(&c.CloudFetch),
		"retries":           driverbase.Positive(&c.Retries, "a positive number"),
		"page_rows":         driverbase.Positive(&c.PageRows, "a positive number"),
		"proxy":             driverbase.Proxy(&c.Proxy),
		"protocol":          driverbase.Choice(&c.Protocol, "https", "http"), "insecure": driverbase.Bool(&c.Insecure),
	}
}

// complete sets what the URL omits from the environment: http_path, and for Databricks' own hosts the credentials.
func (c *Config) complete() {
	if c.HTTPPath == "" {
		c.HTTPPath = c.Getenv("DATABRICKS_HTTP_PATH")
	}
	if c.Secret != (workspace.Secret{}) || !c.ownHost() {
		return
	}
	switch {
	case c.ClientID == "" && c.Getenv("DATABRICKS_TOKEN") != "":
		c.Secret.TokenEnv = "DATABRICKS_TOKEN"
	case c.Getenv("DATABRICKS_CLIENT_SECRET") != "":
		c.Secret.ClientSecretEnv = "DATABRICKS_CLIENT_SECRET"
		if c.ClientID == "" {
			c.ClientID = c.Getenv("DATABRICKS_CLIENT_ID")
		}
	}
}

// ownHost reports whether the host is in one of Databricks' domains.
func (c *Config) ownHost() bool {
	host := strings.ToLower(c.Host)
	for _, domain := range []string{".databricks.com", ".azuredatabricks.net", ".databricks.azure.us",
		".databricks.azure.cn", ".databricks.us"} {
		if strings.HasSuffix(host, domain) {
			return true
		}
	}
	return false
}

// check sets defaults and returns an error if a required value is missing.
func (c *Config) check() error {
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	c.Protocol, c.Retries, c.PageRows = cmp.Or(c.Protocol, "https"), cmp.Or(c.Retries, driverbase.DefaultRetry.Times),
		cmp.Or(c.PageRows, defaultPageRows)
	switch {
	case c.Host == "":
		return invalid("no host: expected databricks://HOST/CATALOG/SCHEMA, the host of the workspace, such as dbc-a1b2c3d4-e5f6.cloud.databricks.com, or DATABRICKS_HOST")
	case c.HTTPPath == "":
		return invalid("no warehouse: expected http_path=/sql/1.0/warehouses/ID, from the connection details of the SQL warehouse, or DATABRICKS_HTTP_PATH")
	case c.Protocol == "http" && !c.Insecure && !driver.Loopback(c.Host):
		return invalid("plain http is for emulators on this machine; use https, or insecure=true if the network is trusted")
	}
	return c.CheckSecret()
}

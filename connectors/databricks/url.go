package databricks

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
)

// Config says which SQL warehouse is opened, and how. It holds no secrets, only where they are.
type Config struct {
	Host            string // of the workspace, such as dbc-a1b2c3d4-e5f6.cloud.databricks.com
	Port            int    // 0 is 443
	Protocol        string // https, or http for emulators; "" is https
	Insecure        bool   // plain http beyond this machine
	HTTPPath        string // of the warehouse, such as /sql/1.0/warehouses/0123456789abcdef
	Catalog, Schema string // of names without one

	Secret   Secret // where the credentials are
	ClientID string // of a service principal: OAuth with a client secret

	Conf       map[string]string // of sessions, such as TIMEZONE or STATEMENT_TIMEOUT
	CloudFetch bool              // large results as files of cloud storage, which this machine must reach then
	Retries    int               // of one request
	PageRows   int64             // of one page of a result
	Proxy      *url.URL          // http(s)://HOST:PORT; nil is none. Proxies that the environment names are not used

	getenv func(string) string // nil is the process's
}

// Defaults of what a URL leaves out.
const (
	defaultRetries  = 6
	defaultPageRows = 100_000
)

// ParseURL reads databricks://HOST[:PORT][/CATALOG[/SCHEMA]]?http_path=/sql/1.0/warehouses/ID&….
// The options are
//
//	http_path                                  of the SQL warehouse, from its connection details
//	token_file, token_env                      a personal access token, or an OAuth token that something else renews
//	client_id                                  of a service principal (OAuth M2M), with client_secret_file or client_secret_env
//	conf.NAME                                  a configuration parameter of the session, such as conf.TIMEZONE=UTC
//	cloud_fetch                                false: results come through the workspace only, where cloud storage is not to be reached
//	retries, page_rows                         numbers
//	proxy                                      http(s)://HOST:PORT, for all connections
//	protocol, insecure                         http for emulators; beyond this machine only with insecure=true
//
// Secrets themselves cannot stand in a URL. Files are read again whenever a token is needed, so
// that a rotated one takes effect. Where the URL names no credentials and the host is one of
// Databricks' own, they are taken from DATABRICKS_TOKEN, or DATABRICKS_CLIENT_ID and
// DATABRICKS_CLIENT_SECRET; http_path is taken from DATABRICKS_HTTP_PATH. Where the URL names no
// host (databricks:///CATALOG/SCHEMA), it is that of DATABRICKS_HOST, as apps of Databricks have it.
func ParseURL(rawURL string) (Config, error) { return parseURL(rawURL, os.Getenv) }

func parseURL(rawURL string, getenv func(string) string) (Config, error) {
	c := Config{getenv: getenv, CloudFetch: true}
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != Scheme || u.Opaque != "" {
		return c, invalid("expected a URL such as databricks://HOST/CATALOG/SCHEMA?http_path=/sql/1.0/warehouses/ID")
	}
	if u.User != nil {
		return c, invalid("a URL ends up in logs and may hold no token: use token_file, token_env, or client_id with client_secret_file or client_secret_env")
	}
	c.Host = u.Hostname()
	if p := u.Port(); p != "" {
		if c.Port, err = strconv.Atoi(p); err != nil || c.Port < 1 || c.Port > 65535 {
			return c, invalid("expected a port from 1 to 65535 behind the host")
		}
	}
	path := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(path) > 2 {
		return c, invalid("expected at most /CATALOG/SCHEMA behind the host; the warehouse's path goes into http_path")
	}
	c.Catalog = path[0]
	if len(path) == 2 {
		c.Schema = path[1]
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return c, invalid("the options behind ? cannot be read")
	}
	for key, v := range values {
		if len(v) != 1 {
			return c, invalid("option %.40q is given %d times", key, len(v))
		}
		if err := c.option(key, v[0]); err != nil {
			return c, err
		}
	}
	if c.Host == "" {
		if err := c.hostOfWorkspace(); err != nil {
			return c, err
		}
	}
	c.complete()
	return c, nil
}

// hostOfWorkspace takes the host from DATABRICKS_HOST, which may have https:// in front.
func (c *Config) hostOfWorkspace() error {
	address := strings.TrimPrefix(c.env("DATABRICKS_HOST"), "https://")
	if address == "" {
		return nil
	}
	u, err := url.Parse("https://" + address)
	if err != nil || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return invalid("DATABRICKS_HOST: expected the host of the workspace, such as dbc-a1b2c3d4-e5f6.cloud.databricks.com")
	}
	if p := u.Port(); p != "" {
		if c.Port, err = strconv.Atoi(p); err != nil || c.Port < 1 || c.Port > 65535 {
			return invalid("DATABRICKS_HOST: expected a port from 1 to 65535 behind the host")
		}
	}
	c.Host = u.Hostname()
	return nil
}

// option sets one option. Values are not repeated in errors: they may be secrets.
func (c *Config) option(key, value string) (err error) {
	if name, ok := strings.CutPrefix(key, "conf."); ok && name != "" {
		if c.Conf == nil {
			c.Conf = map[string]string{}
		}
		c.Conf[name] = value
		return nil
	}
	want := ""
	switch key {
	case "http_path":
		if c.HTTPPath = value; !strings.HasPrefix(value, "/") {
			want = "a path such as /sql/1.0/warehouses/ID"
		}
	case "token_file":
		c.Secret.TokenFile = value
	case "token_env":
		c.Secret.TokenEnv = value
	case "client_id":
		c.ClientID = value
	case "client_secret_file":
		c.Secret.ClientSecretFile = value
	case "client_secret_env":
		c.Secret.ClientSecretEnv = value
	case "proxy":
		if c.Proxy, err = driver.ParseProxy(value); err != nil {
			want = driver.WantProxy
		}
	case "protocol":
		if c.Protocol = strings.ToLower(value); c.Protocol != "http" && c.Protocol != "https" {
			want = "https or http"
		}
	case "insecure":
		if c.Insecure, err = strconv.ParseBool(value); err != nil {
			want = "true or false"
		}
	case "cloud_fetch":
		if c.CloudFetch, err = strconv.ParseBool(value); err != nil {
			want = "true or false"
		}
	case "retries":
		if c.Retries, err = strconv.Atoi(value); err != nil || c.Retries < 1 {
			want = "a positive number"
		}
	case "page_rows":
		if c.PageRows, err = strconv.ParseInt(value, 10, 64); err != nil || c.PageRows < 1 {
			want = "a positive number"
		}
	case "token", "password", "client_secret", "access_token":
		return invalid("a URL ends up in logs and may hold no %s: name a file or an environment variable", key)
	default:
		return invalid("unknown option %.40q; see the documentation of the connector", key)
	}
	if want != "" {
		return invalid("option %s: expected %s", key, want)
	}
	return nil
}

// complete takes from the environment what the URL leaves out.
func (c *Config) complete() {
	if c.HTTPPath == "" {
		c.HTTPPath = c.env("DATABRICKS_HTTP_PATH")
	}
	if c.Secret != (Secret{}) || !c.ownHost() {
		return
	}
	switch {
	case c.ClientID == "" && c.env("DATABRICKS_TOKEN") != "":
		c.Secret.TokenEnv = "DATABRICKS_TOKEN"
	case c.env("DATABRICKS_CLIENT_SECRET") != "":
		c.Secret.ClientSecretEnv = "DATABRICKS_CLIENT_SECRET"
		if c.ClientID == "" {
			c.ClientID = c.env("DATABRICKS_CLIENT_ID")
		}
	}
}

func (c *Config) env(name string) string {
	if c.getenv == nil {
		return os.Getenv(name)
	}
	return c.getenv(name)
}

// ownHost tells whether the host is one of Databricks' own.
func (c *Config) ownHost() bool {
	host := strings.ToLower(c.Host)
	for _, domain := range []string{".databricks.com", ".azuredatabricks.net", ".databricks.azure.us", ".databricks.azure.cn", ".databricks.us"} {
		if strings.HasSuffix(host, domain) {
			return true
		}
	}
	return false
}

// check says what is missing and sets what is left out.
func (c *Config) check() error {
	if c.Protocol == "" {
		c.Protocol = "https"
	}
	if c.Retries == 0 {
		c.Retries = defaultRetries
	}
	if c.PageRows == 0 {
		c.PageRows = defaultPageRows
	}
	switch {
	case c.Host == "":
		return invalid("no host: expected databricks://HOST/CATALOG/SCHEMA, the host of the workspace, such as dbc-a1b2c3d4-e5f6.cloud.databricks.com, or DATABRICKS_HOST")
	case c.HTTPPath == "":
		return invalid("no warehouse: expected http_path=/sql/1.0/warehouses/ID, from the connection details of the SQL warehouse, or DATABRICKS_HTTP_PATH")
	case c.Protocol == "http" && !c.Insecure && !driver.Loopback(c.Host):
		return invalid("plain http is for emulators on this machine; use https, or insecure=true where the network is trusted")
	}
	return c.checkSecret()
}

// base is the address of the workspace.
func (c *Config) base() string {
	host := c.Host
	if c.Port != 0 {
		host = net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
	} else if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return c.Protocol + "://" + host
}

// warehouse is the warehouse's id, for messages.
func (c *Config) warehouse() string {
	path, _, _ := strings.Cut(c.HTTPPath, "?")
	return strconv.Quote(path[strings.LastIndexByte(path, '/')+1:])
}

// workspace is the workspace's number, of hosts that serve several: their http_path ends in
// ?o=NUMBER.
func (c *Config) workspace() string {
	_, query, _ := strings.Cut(c.HTTPPath, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	return values.Get("o")
}

// baseName is a file's name in messages.
func baseName(path string) string { return strconv.Quote(filepath.Base(path)) }

// The pauses between attempts, doubled from one to the next; what the service asks for counts, up
// to its own limit.
type pauses struct{ first, longest, longestAsked time.Duration }

var defaultPauses = pauses{500 * time.Millisecond, 30 * time.Second, 2 * time.Minute}

package workspace

import (
	"cmp"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Config is the address of a workspace and the location of its credentials. It contains no secrets.
type Config struct {
	Host     string // of the workspace, such as dbc-a1b2c3d4-e5f6.cloud.databricks.com
	Port     int    // 0 is 443
	Protocol string // https, or http for emulators; "" is https
	HTTPPath string // of the SQL warehouse, such as /sql/1.0/warehouses/0123456789abcdef

	Secret   Secret              // location of the credentials
	ClientID string              // of a service principal, for OAuth with a client secret
	Getenv   func(string) string // returns environment variables; nil is os.Getenv

	Retries int      // maximum number of retries of a request
	Proxy   *url.URL // http(s)://HOST:PORT, or nil for no proxy; proxies of the environment are ignored
}

// base returns the URL of the workspace.
func (c *Config) base() string {
	if c.Port != 0 {
		return c.Protocol + "://" + net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
	}
	return c.Portless()
}

// Portless returns the URL of the workspace without a port.
func (c *Config) Portless() string {
	if strings.Contains(c.Host, ":") {
		return c.Protocol + "://[" + c.Host + "]"
	}
	return c.Protocol + "://" + c.Host
}

// PortNumber returns the port, or the default port of the protocol.
func (c *Config) PortNumber() int {
	return cmp.Or(c.Port, map[string]int{"http": 80, "https": 443}[c.Protocol])
}

// warehouse returns the warehouse's quoted ID, for messages.
func (c *Config) warehouse() string {
	path, _, _ := strings.Cut(c.HTTPPath, "?")
	return strconv.Quote(path[strings.LastIndexByte(path, '/')+1:])
}

// number returns the workspace's number if http_path ends in ?o=NUMBER, as for hosts that serve several; else "".
func (c *Config) number() string {
	_, query, _ := strings.Cut(c.HTTPPath, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	return values.Get("o")
}

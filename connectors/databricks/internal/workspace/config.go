package workspace

import (
	"cmp"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Config has the URL of a workspace, and its credentials. It holds no secrets, only where they are.
type Config struct {
	Host     string // of the workspace, such as dbc-a1b2c3d4-e5f6.cloud.databricks.com
	Port     int    // 0 is 443
	Protocol string // https, or http for emulators; "" is https
	HTTPPath string // of the SQL warehouse, such as /sql/1.0/warehouses/0123456789abcdef

	Secret   Secret              // where the credentials are
	ClientID string              // of a service principal: OAuth with a client secret
	Getenv   func(string) string // reads environment variables; nil is the process's

	Retries int      // of one request
	Proxy   *url.URL // http(s)://HOST:PORT, or nil for no proxy; proxies of the environment are ignored
}

// base is the address of the workspace.
func (c *Config) base() string {
	if c.Port != 0 {
		return c.Protocol + "://" + net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
	}
	return c.Portless()
}

// Portless is the address of the workspace without a port.
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

// warehouse is the warehouse's id, for messages.
func (c *Config) warehouse() string {
	path, _, _ := strings.Cut(c.HTTPPath, "?")
	return strconv.Quote(path[strings.LastIndexByte(path, '/')+1:])
}

// number is the workspace's number, of hosts that serve several: their http_path ends in ?o=NUMBER.
func (c *Config) number() string {
	_, query, _ := strings.Cut(c.HTTPPath, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	return values.Get("o")
}

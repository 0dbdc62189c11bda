package driver

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Contact is a host that a program contacts because of its configuration.
type Contact struct {
	// Host is a name or an address. It is empty if the host is only known from the server's replies. Learn then
	// describes how to find it.
	Host  string `json:"host,omitempty"`
	Port  int    `json:"port"`
	Why   string `json:"why"`
	When  string `json:"when,omitempty"`  // the condition; "" is always
	Learn string `json:"learn,omitempty"` // how to find out a host that is not known
	Off   string `json:"off,omitempty"`   // a setting that keeps the host from being contacted, if there is one
	// HOST:PORT of the proxy that connects to the host, and looks its name up, in place of this machine
	Via string `json:"via,omitempty"`
}

// Behind are the contacts of a proxy that the others are reached through; a nil proxy is none.
func Behind(proxy *url.URL, why string, contacts ...Contact) []Contact {
	if proxy == nil {
		return contacts
	}
	host, port := HostPort(proxy)
	out := []Contact{{Host: host, Port: port, Why: why}}
	for _, c := range contacts {
		c.Via = net.JoinHostPort(host, strconv.Itoa(port))
		out = append(out, c)
	}
	return out
}

// Contacts lists the hosts that opening and using the warehouse of a URL contacts. It makes no connections. Names
// are in lower case, and each combination of host, port and purpose is listed once.
type Contacts func(rawURL string) ([]Contact, error)

// HostPort reads the host and the port of a URL; the port is by default that of http and https.
func HostPort(u *url.URL) (host string, port int) {
	port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		port = int(n)
	}
	return strings.ToLower(u.Hostname()), port
}

// WantProxy describes the values of the option proxy of a URL.
const WantProxy = "http://HOST:PORT or https://HOST:PORT, without a user"

// ParseProxy reads the option proxy of a URL: http://HOST:PORT or https://HOST:PORT.
func ParseProxy(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errcode.New(errcode.InvalidArgument, "option proxy: expected "+WantProxy)
	}
	host, port := HostPort(u)
	return &url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(host, strconv.Itoa(port))}, nil
}

// Transport sends HTTP requests through a proxy, or directly if proxy is nil. It ignores proxies in the environment,
// such as HTTPS_PROXY: badger uses only configured proxies.
func Transport(proxy *url.URL) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // its type is part of the package
	t.Proxy = nil
	if proxy != nil {
		t.Proxy = http.ProxyURL(proxy)
	}
	return t
}

// Tunnel connects to an address HOST:PORT through a proxy (CONNECT, RFC 9110, section 9.3.6), for
// what is not HTTP. The proxy looks the host up.
func Tunnel(proxy *url.URL) func(ctx context.Context, address string) (net.Conn, error) {
	return func(ctx context.Context, address string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", proxy.Host)
		if err != nil {
			return nil, err
		}
		if proxy.Scheme == "https" {
			c = tls.Client(c, &tls.Config{ServerName: proxy.Hostname(), MinVersion: tls.VersionTLS12})
		}
		stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
		answer, err := connect(c, address)
		if !stop() {
			err = errors.Join(err, ctx.Err())
		}
		if err != nil {
			c.Close() //nolint:errcheck // the first error counts
			return nil, err
		}
		return answer, nil
	}
}

// connect asks the proxy at the other end of c for a tunnel.
func connect(c net.Conn, address string) (net.Conn, error) {
	if _, err := fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", address, address); err != nil {
		return nil, err
	}
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect}) //nolint:bodyclose // the connection is the body, and is the tunnel
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the proxy makes no tunnel: HTTP status %d", resp.StatusCode)
	}
	return tunnel{c, r}, nil
}

// tunnel reads what came behind the proxy's answer first.
type tunnel struct {
	net.Conn
	r *bufio.Reader
}

// Read reads from the tunnel.
func (t tunnel) Read(b []byte) (int, error) { return t.r.Read(b) }

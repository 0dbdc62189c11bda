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
	Learn string `json:"learn,omitempty"` // how to find the host if it is unknown
	Off   string `json:"off,omitempty"`   // a setting that avoids the contact, if any
	// HOST:PORT of the proxy that connects to the host and resolves its name; "" if this machine does
	Via string `json:"via,omitempty"`
}

// Behind returns the proxy as a contact with the purpose why, followed by the contacts, which are reached through it.
// If proxy is nil, it returns the contacts unchanged.
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

// Contacts lists the hosts that are contacted when the warehouse of a URL is opened and used. It makes no connections.
// Host names are in lower case; no combination of host, port and purpose is repeated.
type Contacts func(rawURL string) ([]Contact, error)

// HostPort returns the host of a URL in lower case, and its port or the default port of http or https.
func HostPort(u *url.URL) (host string, port int) {
	port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		port = int(n)
	}
	return strings.ToLower(u.Hostname()), port
}

// WantProxy describes the valid values of a URL's option proxy, for messages.
const WantProxy = "http://HOST:PORT or https://HOST:PORT, without a user"

// ParseProxy parses a URL's option proxy: http://HOST:PORT or https://HOST:PORT. Without a port, the default is used.
func ParseProxy(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errcode.New(errcode.InvalidArgument, "option proxy: expected "+WantProxy)
	}
	host, port := HostPort(u)
	return &url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(host, strconv.Itoa(port))}, nil
}

// Transport returns a transport that sends requests through a proxy, or directly if proxy is nil. It ignores proxies in
// the environment, such as HTTPS_PROXY: badger uses only configured proxies.
func Transport(proxy *url.URL) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // its type is part of the package
	t.Proxy = nil
	if proxy != nil {
		t.Proxy = http.ProxyURL(proxy)
	}
	return t
}

// Tunnel returns a function that connects to an address HOST:PORT through a proxy (CONNECT, RFC 9110, section 9.3.6),
// for protocols other than HTTP. The proxy resolves the host's name.
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

// connect requests a tunnel to address from the proxy that c is connected to.
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

// tunnel is a connection that first returns the bytes that were buffered while the proxy's reply was read.
type tunnel struct {
	net.Conn
	r *bufio.Reader
}

// Read reads through the buffer.
func (t tunnel) Read(b []byte) (int, error) { return t.r.Read(b) }

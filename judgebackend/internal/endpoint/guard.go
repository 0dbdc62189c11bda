// Package endpoint contains what judges over HTTP share: a transport that only reaches allowed hosts, a key that is
// read at each call, the classification of error responses, and the features that an endpoint turned out not to
// support.
package endpoint

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// allowList is the set of host:port, in lower case, that may be contacted.
type allowList map[string]bool

// newAllowList parses "host" (port 443) and "host:port". Patterns are an error, so that the list is easy to review.
func newAllowList(hosts []string) (allowList, error) {
	l := allowList{}
	for i, h := range hosts {
		host, port, err := net.SplitHostPort(h)
		if err != nil {
			host, port = strings.Trim(h, "[]"), "443"
		}
		if host == "" || port == "" || strings.ContainsAny(host, "/*@? ") {
			return nil, errcode.New(errcode.InvalidArgument, "allowed host %d: expected host or host:port", i)
		}
		l[strings.ToLower(net.JoinHostPort(host, port))] = true
	}
	return l, nil
}

// HostPort returns host:port of u in lower case, with the scheme's default port if u has none.
func HostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(net.JoinHostPort(u.Hostname(), port))
}

// Guard is an HTTP transport that only connects to the hosts on the allow list, and to the configured proxy.
type Guard struct {
	id       judgebackend.Identity
	allow    allowList
	proxy    string // host:port of the configured proxy; "" if unset
	maxBytes int64
	headers  headers
	clock    judgebackend.Clock
	base     *http.Transport
}

// NewGuard returns a guard for the endpoint base. It returns an error if the allow list lacks the host, or plain HTTP
// is not allowed.
func NewGuard(id judgebackend.Identity, base *url.URL, o *judgebackend.OpenOptions) (*Guard, error) {
	allow, err := newAllowList(o.AllowHosts)
	if err != nil {
		return nil, err
	}
	g := &Guard{id: id, allow: allow, maxBytes: o.MaxReplyBytes, clock: o.Clock}
	if err := judgebackend.CheckBaseURL(base); err != nil {
		return nil, err
	}
	switch {
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errcode.New(errcode.InvalidArgument, "judge base URL: expected neither credentials nor a query in it")
	case !allow[HostPort(base)]:
		return nil, errcode.New(errcode.PermissionDenied,
			"judge %s: host %s is not on the allow list", id.Backend, HostPort(base))
	case base.Scheme == "http" && !o.AllowPlainHTTP && !isLoopback(base.Hostname()):
		return nil, errcode.New(errcode.PermissionDenied,
			"judge %s: host %s would be sent plain HTTP; allow that explicitly or use https", id.Backend, HostPort(base))
	}
	if g.headers, err = newHeaders(o); err != nil {
		return nil, err
	}
	g.base = &http.Transport{
		DialContext:           g.dial,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          512,
		MaxIdleConnsPerHost:   512, // one per call in flight: a judge run keeps many
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	if o.Proxy != "" {
		p, err := url.Parse(o.Proxy)
		if err != nil || p.Hostname() == "" || p.Scheme != "http" && p.Scheme != "https" {
			return nil, errcode.New(errcode.InvalidArgument, "judge proxy: expected http(s)://host:port")
		}
		g.proxy, g.base.Proxy = HostPort(p), http.ProxyURL(p)
	}
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		pool := x509.NewCertPool()
		if err != nil || !pool.AppendCertsFromPEM(pem) {
			return nil, errcode.New(errcode.InvalidArgument, "judge CA file: no certificate can be read from it")
		}
		g.base.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return g, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Client returns an HTTP client that uses the guard. A redirect is an error, because it would pass the prompt to
// another address.
func (g *Guard) Client() *http.Client {
	return &http.Client{Transport: g, CheckRedirect: func(req *http.Request, _ []*http.Request) error {
		if !g.allow[HostPort(req.URL)] {
			return g.denied()
		}
		return &judgebackend.Error{Kind: judgebackend.KindNotFound, Backend: g.id.Backend, Host: g.id.Host,
			Detail: "the endpoint redirects to another address of its host; set base_url to that address"}
	}}
}

func (g *Guard) denied() error {
	return &judgebackend.Error{Kind: judgebackend.KindEgress, Backend: g.id.Backend, Host: g.id.Host,
		Detail: "the endpoint redirects to another host or port"}
}

// RoundTrip implements http.RoundTripper. A request to a host that is not on the list is an error.
func (g *Guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if !g.allow[HostPort(req.URL)] {
		return nil, g.denied()
	}
	res, err := g.base.RoundTrip(req)
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return nil, &judgebackend.Error{Kind: judgebackend.KindUntrusted}
	}
	return res, err
}

// dial opens connections only to hosts on the list and to the proxy, even if RoundTrip were bypassed.
func (g *Guard) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	addr = strings.ToLower(addr)
	if !g.allow[addr] && (g.proxy == "" || addr != g.proxy) {
		return nil, g.denied()
	}
	d := net.Dialer{Timeout: 15 * time.Second}
	return d.DialContext(ctx, network, addr)
}

// Middleware is a middleware of the SDKs. It converts responses that are not 2xx to an *Error before the SDK reads
// them, and limits the size of bodies.
func (g *Guard) Middleware(req *http.Request,
	next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if err := g.headers.add(req.Header); err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", "gzip") // decompress reads it, as sent, marked or not
	res, err := next(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
		_ = res.Body.Close()
		if plain, err := decompress(body, res.Header, 64<<10); err == nil {
			body = plain
		}
		return nil, classifyHTTP(res.StatusCode, res.Header, body, g.clock.Now(), secretsOf(req.Header, g.headers.names()))
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, g.maxBytes+1))
	_ = res.Body.Close()
	if err == nil && int64(len(body)) <= g.maxBytes {
		body, err = decompress(body, res.Header, g.maxBytes)
	}
	known := (*judgebackend.Error)(nil)
	switch {
	case err != nil && (req.Context().Err() != nil || errors.As(err, &known) || os.IsTimeout(err)):
		return nil, err
	case err != nil:
		return nil, &judgebackend.Error{Kind: judgebackend.KindNetwork, Detail: "the response broke off or is damaged"}
	case int64(len(body)) > g.maxBytes:
		return nil, &judgebackend.Error{Kind: judgebackend.KindOversized}
	}
	res.Header.Del("Content-Encoding")
	res.Body = io.NopCloser(bytes.NewReader(body))
	res.ContentLength = int64(len(body))
	return res, nil
}

// Package outbound has what clients of HTTP servers have in common that a configuration or a flag names: how they
// connect, and how long they wait before they try again.
package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"strconv"
	"time"
)

// Client returns a client that contacts the named server only: without a proxy, and without following redirects. pem
// has the certificates of authorities; nil means those of the system. ok is false if it has no certificate.
func Client(pem []byte, timeout time.Duration) (c *http.Client, ok bool) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if pem != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, false
		}
	}
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: config, IdleConnTimeout: time.Minute},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, true
}

// Busy reports whether a status means that the server may accept the same request later.
func Busy(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Wait waits until d has passed, or returns the context's error when that ends.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RetryAfter returns the delay of a Retry-After header, in seconds or until a date (RFC 9110,
// section 10.2.3); 0 if there is none.
func RetryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(max(0, n)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

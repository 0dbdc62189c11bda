package signin

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"cloud.google.com/go/auth"
	"google.golang.org/grpc/credentials"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// Client returns a client that sends the credentials, unless creds is nil, and follows no redirects.
func Client(proxy *url.URL, creds *auth.Credentials) *http.Client {
	client := plain(proxy)
	client.Timeout = 0 // the requests' contexts limit them
	if creds != nil {
		client.Transport = bearer{client.Transport, creds}
	}
	return client
}

// plain returns a client for token requests.
func plain(proxy *url.URL) *http.Client {
	return &http.Client{Transport: driverbase.Counted{RoundTripper: driver.Transport(proxy)}, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// bearer sends credentials with each request, including the quota project, which the transport of
// cloud.google.com/go/auth omits.
type bearer struct {
	base  http.RoundTripper
	creds *auth.Credentials
}

// RoundTrip sends a request with the credentials.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	headers, err := headers(r.Context(), b.creds)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper must close it
		}
		return nil, err
	}
	r = r.Clone(r.Context())
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	return b.base.RoundTrip(r)
}

// PerRPC returns credentials for gRPC. If secure is set, they are only sent over TLS.
func PerRPC(creds *auth.Credentials, secure bool) credentials.PerRPCCredentials {
	return perRPC{creds, secure}
}

type perRPC struct {
	creds  *auth.Credentials
	secure bool
}

// GetRequestMetadata returns the headers of a request.
func (p perRPC) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	return headers(ctx, p.creds)
}

// RequireTransportSecurity reports whether the credentials require TLS.
func (p perRPC) RequireTransportSecurity() bool { return p.secure }

// headers returns the headers with a token, and the quota project if there is one.
func headers(ctx context.Context, creds *auth.Credentials) (map[string]string, error) {
	t, err := creds.Token(ctx)
	if err != nil {
		return nil, err
	}
	h := map[string]string{"authorization": "Bearer " + t.Value}
	if project, err := creds.QuotaProjectID(ctx); err == nil && project != "" {
		h["x-goog-user-project"] = project
	}
	return h, nil
}

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

// Client is a client that sends credentials along, if there are some, and follows no
// redirection with them.
func Client(proxy *url.URL, creds *auth.Credentials) *http.Client {
	client := plain(proxy)
	client.Timeout = 0 // of requests: their contexts say it
	if creds != nil {
		client.Transport = bearer{client.Transport, creds}
	}
	return client
}

// plain is a client for requests of tokens.
func plain(proxy *url.URL) *http.Client {
	return &http.Client{Transport: driverbase.Counted{RoundTripper: driver.Transport(proxy)}, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// bearer sends credentials with each request. That of cloud.google.com/go/auth leaves the project of
// the quota out.
type bearer struct {
	base  http.RoundTripper
	creds *auth.Credentials
}

// RoundTrip sends a request.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	headers, err := headers(r.Context(), b.creds)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as transports must
		}
		return nil, err
	}
	r = r.Clone(r.Context())
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	return b.base.RoundTrip(r)
}

// PerRPC are credentials of gRPC. If secure is set, they are sent only over TLS.
func PerRPC(creds *auth.Credentials, secure bool) credentials.PerRPCCredentials {
	return perRPC{creds, secure}
}

type perRPC struct {
	creds  *auth.Credentials
	secure bool
}

// GetRequestMetadata is the headers of a request.
func (p perRPC) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	return headers(ctx, p.creds)
}

// RequireTransportSecurity reports whether they need TLS.
func (p perRPC) RequireTransportSecurity() bool { return p.secure }

// headers carry a token, and the project that a user's quota is taken from.
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

package identity

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
)

// certificates identifies callers by their client certificate, which the guard has verified.
type certificates struct{ subjects []string }

func (c *certificates) identify(_ context.Context, r *Request) (string, error) {
	leaf := r.TLS.PeerCertificates[0]
	name := certificateName(leaf)
	if c.subjects != nil && !slices.Contains(c.subjects, name) && !slices.Contains(c.subjects, "*") {
		return "", errcode.New(errcode.PermissionDenied, "the client certificate is none of those that may call")
	}
	return name, nil
}

func (c *certificates) String() string { return "mtls (client certificates)" }
func (c *certificates) err() error     { return nil }

// certificateName returns the common name, or else the first URI, DNS name or e-mail address, or else "certificate".
func certificateName(c *x509.Certificate) string {
	switch {
	case c.Subject.CommonName != "":
		return c.Subject.CommonName
	case len(c.URIs) > 0:
		return c.URIs[0].String()
	case len(c.DNSNames) > 0:
		return c.DNSNames[0]
	case len(c.EmailAddresses) > 0:
		return c.EmailAddresses[0]
	}
	return "certificate"
}

// verify verifies the client certificate of a connection for each request: the authorities may have changed, or the
// certificate may have expired, after the connection was opened.
func (g *Guard) verify(state *tls.ConnectionState) error {
	if state == nil || len(state.PeerCertificates) == 0 {
		return errcode.New(errcode.Unauthenticated, "a client certificate is required")
	}
	pool, err := g.ca.Value()
	if err != nil {
		return err
	}
	between := x509.NewCertPool()
	for _, c := range state.PeerCertificates[1:] {
		between.AddCert(c)
	}
	_, err = state.PeerCertificates[0].Verify(
		x509.VerifyOptions{Roots: pool, Intermediates: between, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	if err != nil {
		return errcode.New(errcode.Unauthenticated, "the client certificate is invalid or has expired")
	}
	return nil
}

func watchAuthorities(path string, s Env) (*ReloadingFile[*x509.CertPool], error) {
	return Watch("client authorities", func(b [][]byte) (*x509.CertPool, error) {
		p := x509.NewCertPool()
		if !p.AppendCertsFromPEM(b[0]) {
			return nil, errcode.New(errcode.InvalidArgument, "no certificate in the file")
		}
		return p, nil
	}, s.Changed, path)
}

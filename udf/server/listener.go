package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
)

// TLS names the PEM files of the server's certificate and key; both are set or neither. They are reloaded within a
// second of a change. While they cannot be read, TLS handshakes fail.
type TLS struct{ CertFile, KeyFile string }

// port is the configuration of one listener: authentication and TLS.
type port struct {
	name  string // in messages
	guard *identity.Guard
	tls   *tls.Config                               // nil: no TLS
	cert  *identity.ReloadingFile[*tls.Certificate] // nil: no TLS
	addr  net.Addr                                  // address of the listener; nil before Serve
}

// livePort is the current configuration of a listener, which Renew replaces.
type livePort struct{ atomic.Pointer[port] }

// newPort returns the configuration of a listener, or an error if the authentication or the TLS files are invalid.
func newPort(name string, who identity.Config, files TLS, around identity.Env) (p port, err error) {
	p.name = name
	if p.guard, err = identity.New(who, around); err != nil {
		return p, errcode.New(errcode.Of(err), "%s: %w", name, err)
	}
	_, certificates, _ := p.guard.ClientCAs()
	switch {
	case files == TLS{} && certificates:
		return p, errcode.New(errcode.InvalidArgument,
			"%s: client certificates need TLS: expected a certificate file and a key file", name)
	case files == TLS{}:
		return p, nil
	case files.CertFile == "" || files.KeyFile == "":
		return p, errcode.New(errcode.InvalidArgument, "TLS: expected a certificate file and a key file")
	}
	p.cert, err = identity.Watch("TLS certificate", func(b [][]byte) (*tls.Certificate, error) {
		c, err := tls.X509KeyPair(b[0], b[1])
		return &c, err
	}, around.Changed, files.CertFile, files.KeyFile)
	if err != nil {
		return p, err
	}
	p.tls = &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.cert.Value() },
	}
	if !certificates {
		return p, nil
	}
	plain := p.tls.Clone()
	p.tls.ClientAuth = tls.RequireAndVerifyClientCert
	p.tls.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		pool, _, err := p.guard.ClientCAs()
		if err != nil {
			return nil, err
		}
		c := plain.Clone()
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, pool
		return c, nil
	}
	return p, nil
}

// err returns why callers cannot be authenticated at present, or nil.
func (p port) err() error {
	if p.cert != nil {
		if _, err := p.cert.Value(); err != nil {
			return err
		}
	}
	return p.guard.Err()
}

// String describes the authentication and TLS.
func (p port) String() string {
	if p.tls != nil {
		return p.guard.String() + ", TLS"
	}
	return p.guard.String()
}

// allow returns an error if l is reachable from other machines without authentication, or without TLS unless
// plaintext is set or a platform encrypts in front of the server. l may be nil.
func (p port) allow(l net.Listener, plaintext bool) error {
	if l == nil {
		return nil
	}
	return p.allowAddr(l.Addr(), plaintext)
}

func (p port) allowAddr(addr net.Addr, plaintext bool) error {
	if a, ok := addr.(*net.TCPAddr); !ok || a.IP.IsLoopback() {
		return nil // also a Unix socket, guarded by its file's mode
	}
	mode := p.guard.Mode()
	if mode == identity.Local {
		return errcode.New(errcode.FailedPrecondition, "%s: %s is reachable from other machines: configure authentication (tokens, client certificates, oidc, platform or proxy)", p.name, addr)
	}
	if p.tls == nil && !plaintext && mode != identity.Platform {
		return errcode.New(errcode.FailedPrecondition,
			"%s: %s is reachable from other machines: configure TLS, or allow plaintext if a proxy in front of the server encrypts",
			p.name, addr)
	}
	return nil
}

// Allow returns FailedPrecondition if other machines could reach one of the listeners without authentication or
// without TLS, unless plaintext is allowed. Either may be nil. [Server.Serve] checks the same.
func (s *Server) Allow(grpcListener, httpListener net.Listener) error {
	if err := s.grpcPort.Load().allow(grpcListener, s.plaintext); err != nil {
		return err
	}
	return s.httpPort.Load().allow(httpListener, s.plaintext)
}

// AllowAddress is like Allow for an address HOST:PORT before a listener exists. listener is the name of the gRPC
// port, or else it means the HTTP port.
func (s *Server) AllowAddress(listener, address string) error {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return errcode.New(errcode.InvalidArgument, "%s: invalid address %.60q; expected HOST:PORT", listener, address)
	}
	p := s.httpPort.Load()
	if listener == s.grpcPort.Load().name {
		p = s.grpcPort.Load()
	}
	return p.allowAddr(addr, s.plaintext)
}

// Identities describes the authentication for gRPC and for HTTP, in a few words and without secrets.
func (s *Server) Identities() (byGRPC, byHTTP string) {
	return s.grpcPort.Load().String(), s.httpPort.Load().String()
}

// announce logs the address and the authentication of a listener.
func (s *Server) announce(l net.Listener, p port) {
	if l != nil {
		s.log.Info("listening", slog.String("listener", p.name), slog.String("address", l.Addr().String()),
			slog.String("callers", p.String()))
	}
}

// crossOrigin detects requests from pages of other sites: by Sec-Fetch-Site, or by Origin if a browser sends only
// that, as it does without TLS to a host that is not loopback.
var crossOrigin = http.NewCrossOriginProtection()

// authHTTP authenticates a request, and removes its identity headers. It rejects POST requests from pages of other
// sites, because a browser adds the user's credentials to them.
func (s *Server) authHTTP(r *http.Request) (identity.Caller, error) {
	if crossOrigin.Check(r) != nil &&
		(r.Header.Get("Sec-Fetch-Site") != "" || !identity.LocalPage(r.Host, r.Header.Get("Origin"))) {
		return identity.Caller{}, errcode.New(errcode.PermissionDenied,
			"a page of another site sent this request; send it from a program")
	}
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	guard := s.httpPort.Load().guard
	caller, err := guard.Identify(r.Context(), &identity.Request{
		Header: r.Header.Values, Peer: from.Addr(), TLS: r.TLS, HTTP: true, Host: r.Host, Origin: r.Header.Get("Origin"),
	})
	guard.Strip(r.Header)
	return caller, err
}

// authGRPC authenticates a gRPC call. The returned context has the metadata without identity headers. again
// authenticates the same caller again and returns an error if it may no longer call.
func (s *Server) authGRPC(
	ctx context.Context) (in context.Context, caller identity.Caller, again func() error, err error) {
	md, _ := metadata.FromIncomingContext(ctx) // a copy
	r := &identity.Request{}
	if p, ok := peer.FromContext(ctx); ok {
		if info, ok := p.AuthInfo.(credentials.TLSInfo); ok {
			r.TLS = &info.State
		}
		from, _ := netip.ParseAddrPort(p.Addr.String())
		r.Peer = from.Addr()
	}
	shown := md.Copy() // the identity headers are removed below
	r.Header = shown.Get
	guard := s.grpcPort.Load().guard
	caller, err = guard.Identify(ctx, r)
	guard.Strip(md)
	return metadata.NewIncomingContext(ctx, md), caller, func() error { return s.still(ctx, r, caller) }, err
}

// still returns an error if the caller that opened a stream may no longer call: its token or certificate authority
// may have expired or been removed, or the configuration may have changed.
func (s *Server) still(ctx context.Context, r *identity.Request, was identity.Caller) error {
	now, err := s.grpcPort.Load().guard.Identify(ctx, r)
	if err == nil && now.Name != was.Name {
		err = errcode.New(errcode.Unauthenticated,
			"the caller's credentials no longer have the name that the stream was opened with; open a new stream")
	}
	if err != nil {
		return err
	}
	return now.Demand(identity.Call)
}

func first(md metadata.MD, key string) string {
	if v := md.Get(key); len(v) > 0 {
		return v[0]
	}
	return ""
}

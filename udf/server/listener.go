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

// TLS names the files of the server's certificate, in PEM form; both or neither. They are read
// again within a second of a change. While they cannot be read, no connection is made.
type TLS struct{ CertFile, KeyFile string }

// port is one listener's protection: who may call, and by which TLS.
type port struct {
	name  string // in messages
	guard *identity.Guard
	tls   *tls.Config                               // nil: none
	cert  *identity.ReloadingFile[*tls.Certificate] // nil: none
	addr  net.Addr                                  // where it listens; nil before
}

// livePort is the port that counts now.
type livePort struct{ atomic.Pointer[port] }

// newPort prepares a listener.
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

// err returns why no caller can call at present, or nil.
func (p port) err() error {
	if p.cert != nil {
		if _, err := p.cert.Value(); err != nil {
			return err
		}
	}
	return p.guard.Err()
}

// String describes the protection.
func (p port) String() string {
	if p.tls != nil {
		return p.guard.String() + ", TLS"
	}
	return p.guard.String()
}

// allow refuses to serve others than this machine's users without authentication, or in the clear
// unless that was asked for or a platform encrypts in front of the server.
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
		return errcode.New(errcode.FailedPrecondition, "%s: %s is reachable from other machines: configure who may call (tokens, client certificates, oidc, platform or proxy)", p.name, addr)
	}
	if p.tls == nil && !plaintext && mode != identity.Platform {
		return errcode.New(errcode.FailedPrecondition,
			"%s: %s is reachable from other machines: configure TLS, or allow plaintext where something in front encrypts",
			p.name, addr)
	}
	return nil
}

// Allow refuses listeners that would serve other machines' users without authentication or in the
// clear: FailedPrecondition. Either may be nil. [Server.Serve] does the same.
func (s *Server) Allow(grpcListener, httpListener net.Listener) error {
	if err := s.grpcPort.Load().allow(grpcListener, s.plaintext); err != nil {
		return err
	}
	return s.httpPort.Load().allow(httpListener, s.plaintext)
}

// AllowAddress is Allow for an address HOST:PORT before anything listens there.
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

// Identities describes who may call by gRPC and by HTTP, in a few words and without secrets.
func (s *Server) Identities() (byGRPC, byHTTP string) {
	return s.grpcPort.Load().String(), s.httpPort.Load().String()
}

// announce logs once who may call which listener.
func (s *Server) announce(l net.Listener, p port) {
	if l != nil {
		s.log.Info("listening", slog.String("listener", p.name), slog.String("address", l.Addr().String()),
			slog.String("callers", p.String()))
	}
}

// crossOrigin recognizes requests from pages of other sites: by Sec-Fetch-Site, and by Origin where a browser sends
// that alone, as it does without TLS to a name that is not loopback.
var crossOrigin = http.NewCrossOriginProtection()

// authHTTP authenticates a request, and removes headers that claim an identity. A browser sends the credentials for
// this server with requests from pages of any site: POST requests from pages of other sites are rejected.
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

// authGRPC is authHTTP for a gRPC call; the context that it returns has the metadata that is left.
// again asks once more.
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
	shown := md.Copy() // what says who calls is taken away below
	r.Header = shown.Get
	guard := s.grpcPort.Load().guard
	caller, err = guard.Identify(ctx, r)
	guard.Strip(md)
	return metadata.NewIncomingContext(ctx, md), caller, func() error { return s.still(ctx, r, caller) }, err
}

// still reports whether who opened a stream may still call. A token may have expired or been taken out,
// a certificate's authority, too, and a new configuration may say otherwise.
func (s *Server) still(ctx context.Context, r *identity.Request, was identity.Caller) error {
	now, err := s.grpcPort.Load().guard.Identify(ctx, r)
	if err == nil && now.Name != was.Name {
		err = errcode.New(errcode.Unauthenticated,
			"the caller is no longer known by the name that the stream began with; open another one")
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

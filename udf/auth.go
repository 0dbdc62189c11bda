package udf

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/badger-eval/badger/internal/errcode"
)

// Auth says who may call. Without tokens and without TLS.ClientCAFile anyone on this machine may,
// and the server listens on loopback only.
//
// A token comes as "Authorization: Bearer TOKEN", as the password of "Authorization: Basic", or as
// the header or metadata "x-badger-token".
type Auth struct {
	Tokens    map[string]string // secret by the name that stands in the log
	TokenFile string            // further ones: lines "NAME:SECRET", # comments; read again when it changes
}

// TLS names files in PEM form. They are read again when they change.
type TLS struct {
	CertFile, KeyFile string // the server's certificate; both or neither
	ClientCAFile      string // authorities whose client certificates are then required
}

const minSecret = 16 // characters of a token

// tokens holds digests, so that comparing takes the same time whatever is wrong.
type tokens struct {
	fixed []token
	file  *watched[[]token]
}

type token struct {
	name   string
	digest [sha256.Size]byte
}

func newTokens(a Auth) (*tokens, error) {
	if len(a.Tokens) == 0 && a.TokenFile == "" {
		return nil, nil //nolint:nilnil // no authentication
	}
	t := &tokens{}
	for name, secret := range a.Tokens {
		tok, err := newToken(name, secret)
		if err != nil {
			return nil, err
		}
		t.fixed = append(t.fixed, tok)
	}
	if a.TokenFile != "" {
		t.file = &watched[[]token]{paths: []string{a.TokenFile}, load: func() ([]token, error) { return readTokens(a.TokenFile) }}
		if _, err := t.file.value(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func newToken(name, secret string) (token, error) {
	if name == "" || len(name) > 64 || correlation(name) != name {
		return token{}, errcode.New(errcode.InvalidArgument, "token: expected a name of up to 64 letters, digits and punctuation")
	}
	if len(secret) < minSecret {
		return token{}, errcode.New(errcode.InvalidArgument, "token %q: the secret has fewer than %d characters", name, minSecret)
	}
	return token{name, sha256.Sum256([]byte(secret))}, nil
}

func readTokens(path string) (list []token, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, errcode.New(errcode.NotFound, "token file: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, secret, ok := strings.Cut(line, ":")
		if !ok {
			return nil, errcode.New(errcode.InvalidArgument, "token file, line %d: expected NAME:SECRET", n)
		}
		tok, err := newToken(strings.TrimSpace(name), strings.TrimSpace(secret))
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "token file, line %d: %w", n, err)
		}
		list = append(list, tok)
	}
	if len(list) == 0 {
		return nil, errcode.New(errcode.InvalidArgument, "token file: no line NAME:SECRET")
	}
	return list, nil
}

var errNoToken = errcode.New(errcode.Unauthenticated, "a token is required: Authorization: Bearer TOKEN")

// check finds whose token it is.
func (t *tokens) check(secret string) (name string, err error) {
	digest := sha256.Sum256([]byte(secret))
	var fromFile []token
	if t.file != nil {
		if fromFile, err = t.file.value(); err != nil {
			return "", err
		}
	}
	for _, list := range [...][]token{t.fixed, fromFile} {
		for i := range list {
			if subtle.ConstantTimeCompare(digest[:], list[i].digest[:]) == 1 {
				name = list[i].name
			}
		}
	}
	if name == "" {
		return "", errNoToken
	}
	return name, nil
}

// secretIn reads the token out of an Authorization header, or out of our own.
func secretIn(authorization, own string) string {
	if own != "" {
		return own
	}
	scheme, rest, _ := strings.Cut(authorization, " ")
	switch {
	case strings.EqualFold(scheme, "bearer"):
		return strings.TrimSpace(rest)
	case strings.EqualFold(scheme, "basic"):
		raw, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		_, password, _ := strings.Cut(string(raw), ":")
		return password
	}
	return ""
}

// authHTTP finds who sent a request.
func (s *Server) authHTTP(r *http.Request) (string, error) {
	name := certName(r.TLS)
	if s.tokens != nil {
		return s.tokens.check(secretIn(r.Header.Get("Authorization"), r.Header.Get("X-Badger-Token")))
	}
	if name == "" && !(localName(r.Host) && localOrigin(r.Header.Get("Origin"))) {
		// A web page that a browser on this machine shows must not reach a server that asks for no
		// token.
		return "", errcode.New(errcode.PermissionDenied, "without authentication the server answers to its loopback name only")
	}
	return name, nil
}

func localOrigin(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && localName(u.Host)
}

func localName(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// authGRPC finds who sent a call.
func (s *Server) authGRPC(ctx context.Context) (string, error) {
	name := ""
	if p, ok := peer.FromContext(ctx); ok {
		if info, ok := p.AuthInfo.(credentials.TLSInfo); ok {
			name = certName(&info.State)
		}
	}
	if s.tokens == nil {
		return name, nil
	}
	md, _ := metadata.FromIncomingContext(ctx)
	return s.tokens.check(secretIn(first(md, "authorization"), first(md, "x-badger-token")))
}

func first(md metadata.MD, key string) string {
	if v := md.Get(key); len(v) > 0 {
		return v[0]
	}
	return ""
}

func certName(state *tls.ConnectionState) string {
	if state == nil || len(state.VerifiedChains) == 0 {
		return ""
	}
	if name := correlation(state.VerifiedChains[0][0].Subject.CommonName); name != "" {
		return name
	}
	return "certificate"
}

// config makes the TLS configuration, or nil where there is none.
func (t TLS) config() (*tls.Config, error) {
	if t == (TLS{}) {
		return nil, nil //nolint:nilnil // no TLS
	}
	if t.CertFile == "" || t.KeyFile == "" {
		return nil, errcode.New(errcode.InvalidArgument, "TLS: expected a certificate file and a key file")
	}
	cert := &watched[*tls.Certificate]{paths: []string{t.CertFile, t.KeyFile}, load: func() (*tls.Certificate, error) {
		c, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		return &c, err
	}}
	if _, err := cert.value(); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "TLS certificate: %w", err)
	}
	cfg := &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return cert.value() },
	}
	if t.ClientCAFile == "" {
		return cfg, nil
	}
	pool := &watched[*x509.CertPool]{paths: []string{t.ClientCAFile}, load: func() (*x509.CertPool, error) {
		pem, err := os.ReadFile(t.ClientCAFile)
		p := x509.NewCertPool()
		if err == nil && !p.AppendCertsFromPEM(pem) {
			err = errcode.New(errcode.InvalidArgument, "no certificate in the file")
		}
		return p, err
	}}
	if _, err := pool.value(); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "TLS client authorities: %w", err)
	}
	cfg.ClientAuth = tls.RequireAndVerifyClientCert
	plain := cfg.Clone()
	cfg.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		p, err := pool.value()
		if err != nil {
			return nil, err
		}
		c := plain.Clone()
		c.ClientCAs = p
		return c, nil
	}
	return cfg, nil
}

// watched is what files hold, loaded again when they change. While a change cannot be read, the
// value before it stays.
type watched[T any] struct {
	paths []string
	load  func() (T, error)

	mu      sync.Mutex
	checked time.Time
	stamp   string
	loaded  bool
	v       T
}

const recheck = 2 * time.Second

func (w *watched[T]) value() (T, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.loaded && now.Sub(w.checked) < recheck {
		return w.v, nil
	}
	w.checked = now
	stamp := ""
	for _, p := range w.paths {
		if st, err := os.Stat(p); err == nil {
			stamp += st.ModTime().String() + "|"
		}
	}
	if w.loaded && stamp == w.stamp {
		return w.v, nil
	}
	v, err := w.load()
	if err != nil {
		if w.loaded {
			return w.v, nil
		}
		return v, err
	}
	w.v, w.stamp, w.loaded = v, stamp, true
	return v, nil
}

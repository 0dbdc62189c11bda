package identity

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Mode is the authentication mode of a listener.
type Mode string

// The modes: how callers authenticate.
const (
	Local    Mode = "local"    // no authentication; the listener must be on loopback
	Token    Mode = "token"    // by a secret that the server knows
	MTLS     Mode = "mtls"     // by a client certificate
	OIDC     Mode = "oidc"     // by a signed token of an OpenID Connect provider
	Platform Mode = "platform" // the platform that runs the server authenticates them before it
	Proxy    Mode = "proxy"    // a proxy at a known address authenticates them
)

var modes = []Mode{Local, Token, MTLS, OIDC, Platform, Proxy}

// Config configures how callers of a listener authenticate, and their roles. Only the fields of its mode, Roles,
// DefaultRoles and ClientCAFile may be set. The keys of the configuration file are these names.
type Config struct {
	// Mode defaults to Token if tokens are set, else to MTLS if ClientCAFile is set, and else to Local.
	Mode Mode `yaml:"mode"`

	Tokens    map[string]string `yaml:"-"`          // secrets by the caller's name
	TokenFile string            `yaml:"token_file"` // a file of further tokens: lines "NAME:SECRET", # comments

	// ClientCAFile is a PEM file of certificate authorities. If it is set, callers need a client certificate of one
	// of them, in any mode.
	ClientCAFile string `yaml:"client_ca"`

	Issuer   string   `yaml:"issuer"`   // URL of the issuer of OIDC tokens
	Audience []string `yaml:"audience"` // any of these must be in an OIDC token, or in Cloud Run's
	Emails   []string `yaml:"emails"`   // allowed callers: verified e-mail addresses, *@DOMAIN or *
	Subjects []string `yaml:"subjects"` // allowed callers: subjects of tokens or names of certificates, or *
	// file or https URL of the issuer's JSON Web Key Set; by default the issuer's discovery document names it
	Keys string        `yaml:"keys"`
	Skew time.Duration `yaml:"clock_skew" least:"0s" most:"10m"` // accepted between the issuer's clock and the server's; 1 minute

	Platform string `yaml:"platform"` // spcs, cloud-run or databricks-apps

	Peers  []string `yaml:"peers"`  // addresses or CIDR prefixes of the proxy
	Header string   `yaml:"header"` // the header in which the proxy names the user

	Roles        map[string][]string `yaml:"roles"`         // roles of callers, by their names
	DefaultRoles []string            `yaml:"default_roles"` // of other callers; default: call, in mode local all
}

// Env holds the external dependencies of a guard. A zero field means the real one.
type Env struct {
	Getenv func(string) string
	Now    func() time.Time
	Client *http.Client // fetches key sets; by default one without a proxy
	// Changed is called when a file of secrets or a key set can no longer be read, and with a nil error when it can
	// be read again. The error contains no secret.
	Changed func(what string, err error)
	// SPCSToken is the file whose existence shows that the server runs in Snowpark Container Services.
	SPCSToken string
}

func (s Env) withDefaults() Env {
	if s.Getenv == nil {
		s.Getenv = os.Getenv
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Client == nil {
		direct := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // its type is part of the package
		// a proxy of the environment is a host that no configuration names
		direct.Proxy = nil
		s.Client = &http.Client{Transport: direct, Timeout: 10 * time.Second}
	}
	if s.Changed == nil {
		s.Changed = func(string, error) {}
	}
	s.SPCSToken = cmp.Or(s.SPCSToken, "/snowflake/session/token")
	return s
}

// Request is what a guard needs of a request to identify its caller.
type Request struct {
	Header func(name string) []string // the values of an HTTP header or of gRPC metadata
	Peer   netip.Addr                 // the other end of the connection
	TLS    *tls.ConnectionState       // nil without TLS
	HTTP   bool                       // Host and Origin are set
	Host   string
	Origin string
}

// identify authenticates callers in one mode.
type identify interface {
	// identify returns the caller's name. An error is Unauthenticated, PermissionDenied or, if a file or key set
	// cannot be read, Unavailable.
	identify(ctx context.Context, r *Request) (name string, err error)
	// String describes the authentication in a few words, without secrets.
	String() string
	// err returns why no caller can be identified at present, or nil.
	err() error
}

// Guard identifies the callers of one listener.
type Guard struct {
	config    Config
	mode      Mode
	how       identify
	ca        *ReloadingFile[*x509.CertPool] // nil: no client certificates
	roles     map[string][]Role
	otherwise []Role
	own       func(header string) bool // reports whether the mode uses a header (in lower case)
}

// New returns a guard. It reads the files that c names, and returns an error if Mode is Platform and the process does
// not run on that platform.
func New(c Config, s Env) (*Guard, error) {
	s = s.withDefaults()
	switch {
	case c.Mode != "":
	case len(c.Tokens) > 0 || c.TokenFile != "":
		c.Mode = Token
	case c.ClientCAFile != "":
		c.Mode = MTLS
	default:
		c.Mode = Local
	}
	if !slices.Contains(modes, c.Mode) {
		return nil, errcode.New(errcode.InvalidArgument,
			"mode: unknown mode %.40q, expected local, token, mtls, oidc, platform or proxy", c.Mode)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	g := &Guard{config: c, mode: c.Mode, roles: map[string][]Role{}, own: func(string) bool { return false }}
	var err error
	for name, roles := range c.Roles {
		if g.roles[name], err = parseRoles("roles."+Clean(name), roles); err != nil {
			return nil, err
		}
	}
	if g.otherwise, err = parseRoles("default_roles", c.DefaultRoles); err != nil {
		return nil, err
	}
	if c.DefaultRoles == nil {
		if g.otherwise = []Role{Call}; c.Mode == Local {
			g.otherwise = Roles
		}
	}
	if c.ClientCAFile != "" {
		if g.ca, err = watchAuthorities(c.ClientCAFile, s); err != nil {
			return nil, err
		}
	}
	switch c.Mode {
	case Local:
		g.how = local{}
	case Token:
		g.how, err = newTokens(c, s)
	case MTLS:
		g.how = &certificates{subjects: c.Subjects}
	case OIDC:
		g.how, err = newOIDC(c, s)
	case Platform:
		g.how, g.own, err = newPlatform(c, s)
	case Proxy:
		g.how, g.own, err = newProxy(c)
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// check returns an error if a field is set that the mode ignores: an operator could believe that it protects the
// server.
func (c Config) check() error {
	for _, f := range []struct {
		key   string
		set   bool
		modes []Mode
	}{
		{"token_file", c.TokenFile != "" || len(c.Tokens) > 0, []Mode{Token}},
		{"issuer", c.Issuer != "", []Mode{OIDC}},
		{"audience", c.Audience != nil, []Mode{OIDC, Platform}},
		{"emails", c.Emails != nil, []Mode{OIDC, Platform}},
		{"subjects", c.Subjects != nil, []Mode{OIDC, MTLS}},
		{"keys", c.Keys != "", []Mode{OIDC}},
		{"clock_skew", c.Skew != 0, []Mode{OIDC, Platform}},
		{"platform", c.Platform != "", []Mode{Platform}},
		{"peers", c.Peers != nil, []Mode{Proxy}},
		{"header", c.Header != "", []Mode{Proxy}},
	} {
		if f.set && !slices.Contains(f.modes, c.Mode) {
			return errcode.New(errcode.InvalidArgument, "%s: not used in mode %s, only in %s", f.key, c.Mode, join(f.modes))
		}
	}
	if c.Mode == MTLS && c.ClientCAFile == "" {
		return errcode.New(errcode.InvalidArgument,
			"client_ca: mode mtls requires a file with the CA certificates of clients")
	}
	if c.Skew < 0 || c.Skew > 10*time.Minute {
		return errcode.New(errcode.InvalidArgument, "clock_skew: expected 0 to 10 minutes")
	}
	return nil
}

func join(modes []Mode) string {
	var text []string
	for _, m := range modes {
		text = append(text, string(m))
	}
	return strings.Join(text, " and ")
}

// Identify authenticates the sender of a request and returns its name and roles.
func (g *Guard) Identify(ctx context.Context, r *Request) (Caller, error) {
	if g.ca != nil {
		if err := g.verify(r.TLS); err != nil {
			return Caller{}, err
		}
	}
	name, err := g.how.identify(ctx, r)
	if err != nil {
		return Caller{}, err
	}
	if name = Clean(name); len(name) > maxName {
		return Caller{}, errcode.New(errcode.Unauthenticated, "the caller's name is longer than %d bytes", maxName)
	}
	if roles, ok := g.roles[name]; ok {
		return Caller{name, roles}, nil
	}
	return Caller{name, g.otherwise}, nil
}

// Mode returns the authentication mode.
func (g *Guard) Mode() Mode { return g.mode }

// String describes the authentication in a few words, without secrets.
func (g *Guard) String() string {
	if g.ca != nil && g.mode != MTLS {
		return g.how.String() + ", with client certificates"
	}
	return g.how.String()
}

// Err returns why no caller can be identified at present, or nil.
func (g *Guard) Err() error {
	if g.ca != nil {
		if _, err := g.ca.Value(); err != nil {
			return err
		}
	}
	return g.how.err()
}

// ClientCAs returns the authorities whose client certificates a TLS listener must require; ok is false if it requires
// no client certificates.
func (g *Guard) ClientCAs() (pool *x509.CertPool, ok bool, err error) {
	if g.ca == nil {
		return nil, false, nil
	}
	pool, err = g.ca.Value()
	return pool, true, err
}

// local admits every caller on this machine, except web pages of other sites in a browser.
type local struct{}

func (local) identify(_ context.Context, r *Request) (string, error) {
	if r.HTTP && !LocalPage(r.Host, r.Origin) {
		return "", errcode.New(errcode.PermissionDenied,
			"without authentication the server answers to its loopback name only")
	}
	return "", nil
}

func (local) String() string { return "local (this machine only, no authentication)" }
func (local) err() error     { return nil }

// LocalPage reports whether host is a loopback name and origin is empty or on this machine.
func LocalPage(host, origin string) bool { return localName(host) && localOrigin(origin) }

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

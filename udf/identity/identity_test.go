package identity

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

const secret = "a-token-of-some-length"

// request is one with headers, in pairs.
func request(headers ...string) *Request {
	h := http.Header{}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Add(headers[i], headers[i+1])
	}
	return &Request{Header: h.Values, Peer: netip.MustParseAddr("192.0.2.7"), HTTP: true, Host: "badger.example.com"}
}

func guard(t *testing.T, c Config, s Env) *Guard {
	t.Helper()
	g, err := New(c, s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// expect checks who a request is from: a name, or the code of the refusal.
func expect(t *testing.T, why string, g *Guard, r *Request, want any) {
	t.Helper()
	c, err := g.Identify(t.Context(), r)
	switch want := want.(type) {
	case string:
		if err != nil || c.Name != want {
			t.Errorf("%s: %q %v, want %q", why, c.Name, err, want)
		}
	case errcode.Code:
		if errcode.Of(err) != want || c.Name != "" || len(c.Roles) > 0 {
			t.Errorf("%s: %+v %v, want %v", why, c, err, want)
		}
	}
}

func TestRoles(t *testing.T) {
	for _, tc := range []struct {
		has []Role
		may []Role
		why string
	}{
		{nil, nil, "no role"},
		{[]Role{Call}, []Role{Call}, "call"},
		{[]Role{Read}, []Role{Read}, "read"},
		{[]Role{Label}, []Role{Read, Label}, "label includes read"},
		{[]Role{Submit}, []Role{Read, Submit}, "submit includes read"},
		{[]Role{Admin}, Roles, "admin includes all"},
	} {
		c := Caller{Roles: tc.has}
		for _, r := range Roles {
			want := slices.Contains(tc.may, r)
			if c.May(r) != want || (c.Demand(r) == nil) != want || !want && errcode.Of(c.Demand(r)) != errcode.PermissionDenied {
				t.Errorf("%s: may %s: %v", tc.why, r, c.May(r))
			}
		}
	}

	g := guard(t, Config{
		Tokens: map[string]string{"site": secret, "nightly": secret + "2", "nobody": secret + "3"},
		Roles:  map[string][]string{"site": {"read", "label"}, "nobody": {}},
	}, Env{})
	for token, want := range map[string][]Role{secret: {Read, Label}, secret + "2": {Call}, secret + "3": {}} {
		c, err := g.Identify(t.Context(), request("X-Badger-Token", token))
		if err != nil || !slices.Equal(c.Roles, want) {
			t.Errorf("%s has %v, want %v", c.Name, c.Roles, want)
		}
		if got, ok := From(With(t.Context(), c)); !ok || got.Name != c.Name {
			t.Errorf("through the context: %v %v", got, ok)
		}
	}
	if _, ok := From(context.Background()); ok {
		t.Error("a context of no request has a caller")
	}
	local := guard(t, Config{}, Env{})
	r := request()
	r.Host = "localhost:80"
	if c, err := local.Identify(t.Context(), r); err != nil || !c.May(Admin) {
		t.Errorf("a user of this machine: %+v %v", c, err)
	}
}

// A configuration that promises what it does not do is refused.
func TestConfigurationsAreChecked(t *testing.T) {
	good := Config{Mode: OIDC, Issuer: "https://issuer.example", Audience: []string{"a"}, Emails: []string{"*"}}
	with := func(change func(*Config)) Config { c := good; change(&c); return c }
	for _, tc := range []struct {
		why  string
		c    Config
		says string
	}{
		{"an unknown mode", Config{Mode: "magic"}, "mode"},
		{"an unknown role", Config{DefaultRoles: []string{"root"}}, "default_roles"},
		{"an unknown role of a caller", Config{Roles: map[string][]string{"a": {"root"}}}, "roles.a"},
		{"tokens in a mode that does not look at them", Config{Mode: Local, TokenFile: "x"}, "token_file: not used"},
		{"token without tokens", Config{Mode: Token}, "token_file"},
		{"mtls without authorities", Config{Mode: MTLS}, "client_ca"},
		{"oidc without an issuer", with(func(c *Config) { c.Issuer = "" }), "issuer"},
		{"an issuer in the clear", with(func(c *Config) { c.Issuer = "http://issuer.example" }), "issuer"},
		{"keys in the clear", with(func(c *Config) { c.Keys = "http://issuer.example/keys" }), "keys"},
		{"oidc for any audience", with(func(c *Config) { c.Audience = nil }), "audience"},
		{"oidc for an empty audience", with(func(c *Config) { c.Audience = []string{""} }), "audience"},
		{"oidc for anybody", with(func(c *Config) { c.Emails = nil }), "emails or subjects"},
		{"a clock that is an hour off", with(func(c *Config) { c.Skew = time.Hour }), "clock_skew"},
		{"an unknown platform", Config{Mode: Platform, Platform: "heroku"}, "platform"},
		{"a platform in another mode", Config{Mode: Proxy, Platform: SPCS}, "platform: not used"},
		{"a proxy without peers", Config{Mode: Proxy, Header: "X-User"}, "peers"},
		{"a proxy without a header", Config{Mode: Proxy, Peers: []string{"10.0.0.1"}}, "header"},
		{"a proxy's header that callers set", Config{Mode: Proxy, Peers: []string{"10.0.0.1"}, Header: "x-forwarded-for"}, "does not identify the user"},
		{"peers that are everybody", Config{Mode: Proxy, Peers: []string{"0.0.0.0/0"}, Header: "X-User"}, "everybody"},
		{"peers that are no addresses", Config{Mode: Proxy, Peers: []string{"proxy.example.com"}, Header: "X-User"}, "neither an address"},
	} {
		_, err := New(tc.c, Env{Getenv: env()})
		if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.why, err, tc.says)
		}
	}
	if _, err := New(good, Env{}); err != nil {
		t.Errorf("the good one: %v", err)
	}
}

// What is no text of a log never becomes another name.
func TestClean(t *testing.T) {
	for name, want := range map[string]string{
		"ana@example.com": "ana@example.com", "Ana Maria": "Ana%20Maria", "a\nb": "a%0Ab", `a"b\`: "a%22b%5C", "a%20b": "a%2520b", "é": "%C3%A9", "": "",
	} {
		if got := Clean(name); got != want {
			t.Errorf("Clean(%q) = %q, want %q", name, got, want)
		}
	}
}

// A token that was taken out of the file is refused within seconds, whatever became of the file,
// and nobody is let in by a file that cannot be read. The log and the hook are told.
func TestRevokedTokens(t *testing.T) {
	for _, tc := range []struct {
		why    string
		change func(t *testing.T, path string)
		want   errcode.Code
		event  bool
	}{
		{"emptied", write(""), errcode.Unavailable, true},
		{"removed", func(_ *testing.T, path string) { _ = os.Remove(path) }, errcode.Unavailable, true},
		{"a directory", func(_ *testing.T, path string) { _, _ = os.Remove(path), os.Mkdir(path, 0o700) }, errcode.Unavailable, true},
		{"malformed", write("old:" + secret + "\nwhat is this\n"), errcode.Unavailable, true},
		{"a secret too short", write("old:short\n"), errcode.Unavailable, true},
		{"too long", write("old:" + secret + "\n" + strings.Repeat("#", maxSecretFile)), errcode.Unavailable, true},
		{"rotated at the same time of modification", func(t *testing.T, path string) {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			write("new:"+strings.ToUpper(secret)+"\n")(t, path)
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, errcode.Unauthenticated, false},
	} {
		t.Run(tc.why, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokens")
			write("old:"+secret+"\n")(t, path)
			synctest.Test(t, func(t *testing.T) {
				var events []string
				g := guard(t, Config{TokenFile: path}, Env{Changed: func(what string, err error) {
					if err != nil && strings.Contains(err.Error(), secret) {
						t.Errorf("the event holds a secret: %v", err)
					}
					events = append(events, what)
				}})
				old := request("Authorization", "Bearer "+secret)
				expect(t, "before", g, old, "old")
				tc.change(t, path)
				time.Sleep(recheck)
				expect(t, "after", g, old, tc.want)
				expect(t, "without a token", g, request(), errcode.Unauthenticated)
				if (g.Err() != nil) != tc.event || (len(events) == 1) != tc.event {
					t.Errorf("after: %v, events %q", g.Err(), events)
				}
				write("old:"+secret+"\n")(t, path)
				time.Sleep(recheck)
				expect(t, "given back", g, old, "old")
				if g.Err() != nil || tc.event && len(events) != 2 {
					t.Errorf("given back: %v, events %q", g.Err(), events)
				}
			})
		})
	}
}

func write(text string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		t.Helper()
		_ = os.Remove(path) // perhaps a directory
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A header that says who calls counts in its mode alone, once, and is taken away elsewhere.
func TestIdentityHeaders(t *testing.T) {
	session := filepath.Join(t.TempDir(), "token")
	write("x")(t, session)
	var forged []string
	for _, h := range []string{
		"Sf-Context-Current-User", "Sf-Context-Current-Role", "Sf-Context-Current-User-Token", "X-Forwarded-Email", "X-Forwarded-User", "X-Forwarded-Preferred-Username",
		"X-Forwarded-Access-Token", "X-Forwarded-Groups", "X-Goog-Authenticated-User-Email", "X-Goog-Iap-Jwt-Assertion", "X-Serverless-Authorization",
		"X-Auth-Request-Email", "Remote-User", "X-Remote-User", "X-Ms-Client-Principal-Name", "X-Amzn-Oidc-Identity", "X-My-User",
	} {
		forged = append(forged, h, "root@example.com")
	}
	for _, tc := range []struct {
		why     string
		c       Config
		s       Env
		request []string // next to the forged headers
		want    any
		keeps   []string
	}{
		{"local", Config{}, Env{}, nil, errcode.PermissionDenied, []string{"X-My-User"}},
		{"token", Config{Tokens: map[string]string{"nightly": secret}}, Env{}, []string{"Authorization", "Bearer " + secret}, "nightly", []string{"X-My-User"}},
		{"token, none", Config{Tokens: map[string]string{"nightly": secret}}, Env{}, nil, errcode.Unauthenticated, []string{"X-My-User"}},
		{
			"spcs", Config{Mode: Platform, Platform: SPCS}, Env{Getenv: env("SNOWFLAKE_HOST", "h"), SPCSToken: session}, nil, "root@example.com",
			[]string{"Sf-Context-Current-Role", "Sf-Context-Current-User", "Sf-Context-Current-User-Token", "X-My-User"},
		},
		{
			"databricks-apps", Config{Mode: Platform, Platform: DatabricksApps}, Env{Getenv: env("DATABRICKS_APP_NAME", "a")}, nil, "root@example.com",
			[]string{"X-Forwarded-Access-Token", "X-Forwarded-Email", "X-Forwarded-Groups", "X-Forwarded-Preferred-Username", "X-Forwarded-User", "X-My-User"},
		},
		{"cloud-run", Config{Mode: Platform, Platform: CloudRun}, Env{Getenv: env("K_SERVICE", "s")}, nil, errcode.Unauthenticated, []string{"X-My-User"}},
		{"proxy", Config{Mode: Proxy, Peers: []string{"192.0.2.0/28"}, Header: "x-my-user"}, Env{}, nil, "root@example.com", []string{"X-My-User"}},
		{"proxy, another peer", Config{Mode: Proxy, Peers: []string{"192.0.2.8", "2001:db8::/32"}, Header: "x-my-user"}, Env{}, nil, errcode.Unauthenticated, []string{"X-My-User"}},
	} {
		g := guard(t, tc.c, tc.s)
		expect(t, tc.why, g, request(append(slices.Clone(forged), tc.request...)...), tc.want)
		h := http.Header{"Authorization": {"x"}, "X-Badger-Token": {"x"}, "X-Request-Id": {"7"}, "Sf-Custom-Team": {"a"}, "remote-user": {"in small letters, as in gRPC"}}
		for i := 0; i < len(forged); i += 2 {
			h.Set(forged[i], forged[i+1])
		}
		g.Strip(h)
		var left []string
		for name := range h {
			left = append(left, name)
		}
		slices.Sort(left)
		want := append([]string{"Sf-Custom-Team", "X-Request-Id"}, tc.keeps...)
		slices.Sort(want)
		if !slices.Equal(left, want) {
			t.Errorf("%s: what is left is %q, want %q", tc.why, left, want)
		}
		// Whoever adds a second header must not choose the user.
		twice := request(append(append(slices.Clone(forged), forged...), tc.request...)...)
		if _, ok := tc.want.(string); ok && tc.why != "token" {
			expect(t, tc.why+", headers twice", g, twice, errcode.Unauthenticated)
		}
	}
}

// A platform is believed only where its marks are.
func TestPlatformMarks(t *testing.T) {
	dir := t.TempDir()
	session := filepath.Join(dir, "token")
	write("x")(t, session)
	for _, tc := range []struct {
		why      string
		platform string
		s        Env
		ok       bool
	}{
		{"spcs", SPCS, Env{Getenv: env("SNOWFLAKE_HOST", "h"), SPCSToken: session}, true},
		{"spcs without its variable", SPCS, Env{Getenv: env(), SPCSToken: session}, false},
		{"spcs without its token file", SPCS, Env{Getenv: env("SNOWFLAKE_HOST", "h"), SPCSToken: filepath.Join(dir, "none")}, false},
		{"spcs with a directory for a token", SPCS, Env{Getenv: env("SNOWFLAKE_HOST", "h"), SPCSToken: dir}, false},
		{"cloud run", CloudRun, Env{Getenv: env("K_SERVICE", "s")}, true},
		{"cloud run elsewhere", CloudRun, Env{Getenv: env("SNOWFLAKE_HOST", "h")}, false},
		{"databricks apps", DatabricksApps, Env{Getenv: env("DATABRICKS_APP_NAME", "a")}, true},
		{"databricks apps elsewhere", DatabricksApps, Env{Getenv: env("K_SERVICE", "s")}, false},
	} {
		_, err := New(Config{Mode: Platform, Platform: tc.platform}, tc.s)
		if tc.ok && err != nil || !tc.ok && errcode.Of(err) != errcode.FailedPrecondition {
			t.Errorf("%s: %v", tc.why, err)
		}
	}
	// SFC-9: a service function that asks for no CONTEXT_HEADERS names nobody.
	g := guard(t, Config{Mode: Platform, Platform: SPCS}, Env{Getenv: env("SNOWFLAKE_HOST", "h"), SPCSToken: session})
	expect(t, "spcs without a user", g, request(), "spcs")
	expect(t, "spcs with a user", g, request("sf-context-current-user", "Ana Maria"), "Ana%20Maria")
	g = guard(t, Config{Mode: Platform, Platform: DatabricksApps}, Env{Getenv: env("DATABRICKS_APP_NAME", "a")})
	expect(t, "databricks without a user", g, request(), errcode.Unauthenticated)
	expect(t, "a service principal", g, request("X-Forwarded-User", "1234@5678"), "1234@5678")
	expect(t, "a name that is too long", g, request("X-Forwarded-User", strings.Repeat("a", 200)), errcode.Unauthenticated)
}

// A client certificate counts as long as its authority is in the file and it has not expired, also
// on a connection that is older.
func TestClientCertificatesAreVerifiedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca, other := newAuthority(t), newAuthority(t)
		path := filepath.Join(t.TempDir(), "ca.pem")
		write(ca.pem)(t, path)
		g := guard(t, Config{ClientCAFile: path, Subjects: []string{"warehouse-7"}, Mode: MTLS}, Env{})
		with := func(c *x509.Certificate) *Request {
			r := request()
			if r.TLS = (&tls.ConnectionState{}); c != nil {
				r.TLS.PeerCertificates = []*x509.Certificate{c}
			}
			return r
		}
		expect(t, "ours", g, with(ca.issue(t, "warehouse-7", time.Hour)), "warehouse-7")
		expect(t, "another name", g, with(ca.issue(t, "warehouse-8", time.Hour)), errcode.PermissionDenied)
		expect(t, "none", g, with(nil), errcode.Unauthenticated)
		expect(t, "no TLS", g, request(), errcode.Unauthenticated)
		expect(t, "foreign", g, with(other.issue(t, "warehouse-7", time.Hour)), errcode.Unauthenticated)
		expect(t, "expired", g, with(ca.issue(t, "warehouse-7", -time.Minute)), errcode.Unauthenticated)

		open := with(ca.issue(t, "warehouse-7", time.Hour))
		write(other.pem)(t, path)
		time.Sleep(recheck + 50*time.Millisecond)
		expect(t, "its authority is gone", g, open, errcode.Unauthenticated)
		write("")(t, path)
		time.Sleep(recheck + 50*time.Millisecond)
		expect(t, "the file is empty", g, open, errcode.Unavailable)
		if _, required, err := g.ClientCAs(); !required || err == nil {
			t.Errorf("new connections: required %v, %v", required, err)
		}
	})
}

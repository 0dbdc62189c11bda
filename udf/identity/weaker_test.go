package identity_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
)

// A guard that lacks a key which its predecessor had, as one of a file that was cut does, takes no
// place; one that lists others does.
func TestReplaces(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(keys, []byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{"ana": "a-secret-of-ana-0123456789"}
	token := identity.Config{Tokens: tokens}
	oidc := identity.Config{Mode: identity.OIDC, Issuer: "https://i.example", Audience: []string{"a"}, Emails: []string{"ana@i.example"}, Keys: keys}
	proxy := identity.Config{Mode: identity.Proxy, Peers: []string{"10.0.0.1"}, Header: "X-User"}
	run := func(c identity.Config) identity.Config { c.Mode, c.Platform = identity.Platform, "cloud-run"; return c }
	with := func(c identity.Config, roles map[string][]string, otherwise []string) identity.Config {
		c.Roles, c.DefaultRoles = roles, otherwise
		return c
	}
	for _, tc := range []struct {
		why      string
		was, now identity.Config
		ok       bool
	}{
		{"nothing is left", token, identity.Config{}, false},
		{"a proxy says who calls", token, proxy, false},
		{"the other way round", proxy, token, true},
		{"from nothing", identity.Config{}, token, true},
		{"another proof", token, oidc, true},
		{"another token", token, identity.Config{Tokens: map[string]string{"bob": "a-secret-of-bob-0123456789"}}, true},
		{"others are listed", run(identity.Config{Emails: []string{"a@x"}}), run(identity.Config{Emails: []string{"*"}}), true},
		{"nobody is listed", run(identity.Config{Emails: []string{"a@x"}}), run(identity.Config{}), false},
		{"no audience", run(identity.Config{Audience: []string{"a"}}), run(identity.Config{}), false},
		{"default roles are missing", with(token, nil, []string{}), token, false},
		{"default roles are missing, which gave as much", with(token, nil, []string{"call", "read"}), token, true},
		{"default roles are more, and say so", with(token, nil, []string{}), with(token, nil, []string{"admin"}), true},
		{"the roles of one are missing", with(token, map[string][]string{"bob": {}}, nil), token, false},
		{"the roles of one are missing, who had more", with(token, map[string][]string{"bob": {"admin"}}, nil), token, true},
		{"the roles of one are others", with(token, map[string][]string{"bob": {}}, nil), with(token, map[string][]string{"bob": {"admin"}}, nil), true},
	} {
		around := identity.Env{Getenv: func(name string) string { return map[string]string{"K_SERVICE": "badger"}[name] }}
		was, err := identity.New(tc.was, around)
		if err != nil {
			t.Fatalf("%s: %v", tc.why, err)
		}
		now, err := identity.New(tc.now, around)
		if err != nil {
			t.Fatalf("%s: %v", tc.why, err)
		}
		if err := now.Replaces(was); (err == nil) != tc.ok || err != nil && errcode.Of(err) != errcode.FailedPrecondition {
			t.Errorf("%s: %v", tc.why, err)
		}
	}
}

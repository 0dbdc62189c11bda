package server

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/badger-eval/badger/internal/fake/callers"
	"github.com/badger-eval/badger/udf/identity"
)

// platformOptions are those of a server on a platform, whose marks are there.
func platformOptions(t *testing.T, platform, mark string) *Options {
	t.Helper()
	session := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(session, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	getenv := func(name string) string {
		if name == mark {
			return "set"
		}
		return ""
	}
	return &Options{HTTP: identity.Config{Mode: identity.Platform, Platform: platform}, Env: identity.Env{Getenv: getenv, SPCSToken: session}}
}

// googleClaims are those of a token of BigQuery's, for the tests' audience.
func googleClaims(changes map[string]any) []byte {
	claims := map[string]any{
		"iss": "https://accounts.google.com", "aud": "https://badger.example.com", "sub": "42", "iat": time.Now().Unix() - 10, "exp": time.Now().Unix() + 3600,
		"email": "bq@example.iam.gserviceaccount.com", "email_verified": true,
	}
	maps.Copy(claims, changes)
	b, _ := json.Marshal(claims)
	return b
}

var identityStatements = map[string]func(*testing.T){
	"BQ-11": func(t *testing.T) {
		keyFile := filepath.Join(t.TempDir(), "keys.json")
		publish := func(id string) *rsa.PrivateKey {
			key, err := rsa.GenerateKey(rand.Reader, 2048)
			if err != nil {
				t.Fatal(err)
			}
			set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: id, Algorithm: "RS256", Use: "sig"}}})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(keyFile, set, 0o600); err != nil {
				t.Fatal(err)
			}
			return key
		}
		sign := func(key *rsa.PrivateKey, id string, changes map[string]any) string {
			signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: id}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			signed, err := signer.Sign(googleClaims(changes))
			if err != nil {
				t.Fatal(err)
			}
			token, err := signed.CompactSerialize()
			if err != nil {
				t.Fatal(err)
			}
			return token
		}
		key := publish("k1")
		s := start(t, newCatalogue(t), &Options{HTTP: identity.Config{
			Mode: identity.OIDC, Issuer: "https://accounts.google.com", Keys: keyFile, Audience: []string{"https://badger.example.com"}, Emails: []string{"bq@example.iam.gserviceaccount.com"},
		}})
		call := func(token string) (*callers.Call, error) {
			b := s.bigquery("badger_whoami")
			b.Header = http.Header{"Authorization": {"Bearer " + token}}
			return b.Call(t.Context(), []any{})
		}
		want(t, "a token of BigQuery's", `"bq@example.iam.gserviceaccount.com"`)(call(sign(key, "k1", nil)))
		want(t, "a clock that is 30 s behind", `"bq@example.iam.gserviceaccount.com"`)(call(sign(key, "k1", map[string]any{"exp": time.Now().Unix() - 30})))
		for why, changes := range map[string]map[string]any{
			"another audience": {"aud": "https://other.example.com"}, "another issuer": {"iss": "https://issuer.example.com"}, "expired": {"exp": time.Now().Unix() - 3600},
		} {
			wantRefused(t, why, 401, "")(call(sign(key, "k1", changes)))
		}
		wantRefused(t, "somebody else", 403, "")(call(sign(key, "k1", map[string]any{"email": "eve@example.com"})))
		part := base64.RawURLEncoding.EncodeToString
		wantRefused(t, "alg none", 401, "")(call(part([]byte(`{"alg":"none"}`)) + "." + part(googleClaims(nil)) + "."))
		foreign, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		wantRefused(t, "a foreign key of the same id", 401, "")(call(sign(foreign, "k1", nil)))
		wantRefused(t, "the signature removed", 401, "")(call(part([]byte(`{"alg":"RS256","kid":"k1"}`)) + "." + part(googleClaims(nil)) + ".SIGNATURE_REMOVED_BY_GOOGLE"))
	},
	"BQ-12": func(t *testing.T) {
		part := base64.RawURLEncoding.EncodeToString
		token := part([]byte(`{"alg":"RS256"}`)) + "." + part(googleClaims(nil)) + ".SIGNATURE_REMOVED_BY_GOOGLE"
		o := platformOptions(t, identity.CloudRun, "K_SERVICE")
		o.HTTP.Audience = []string{"https://badger.example.com"}
		for why, tc := range map[string]struct {
			options *Options
			token   string
			status  int
		}{
			"on Cloud Run": {o, token, 200}, "on Cloud Run, with a signature that nobody verified": {o, token + "x", 401}, "elsewhere": {tokenOptions(), token, 401},
		} {
			b := start(t, newCatalogue(t), tc.options).bigquery("badger_whoami")
			b.Header = http.Header{"Authorization": {"Bearer " + tc.token}}
			c, err := b.Call(t.Context(), []any{})
			if tc.status == 200 {
				want(t, why, `"bq@example.iam.gserviceaccount.com"`)(c, err)
			} else {
				wantRefused(t, why, tc.status, "")(c, err)
			}
		}
	},
	"SFC-9": func(t *testing.T) {
		named := http.Header{"Sf-Context-Current-User": {"ANALYST"}}
		s := start(t, newCatalogue(t), platformOptions(t, identity.SPCS, "SNOWFLAKE_HOST")).service("badger_whoami")
		s.Header = named
		want(t, "in its mode", `"ANALYST"`)(s.Call(t.Context(), []any{}))
		s = start(t, newCatalogue(t), tokenOptions()).service("badger_whoami")
		s.Header = named
		wantRefused(t, "in another mode", 401, "")(s.Call(t.Context(), []any{}))
	},
	"DBX-12": func(t *testing.T) {
		forwarded := http.Header{"X-Forwarded-Email": {"ana@example.org"}}
		call := func(o *Options, h http.Header) (*callers.Call, error) {
			return (&callers.Databricks{URL: start(t, newCatalogue(t), o).url + "/api/v1/databricks/badger_whoami", Header: h}).Call(t.Context(), nil)
		}
		want(t, "in an App", `"ana@example.org"`)(call(platformOptions(t, identity.DatabricksApps, "DATABRICKS_APP_NAME"), forwarded))
		wantRefused(t, "elsewhere", 401, "unauthenticated")(call(tokenOptions(), forwarded))
		both := forwarded.Clone()
		both.Set("Authorization", "Bearer "+testToken)
		want(t, "elsewhere, with a token", `"nightly"`)(call(tokenOptions(), both))
	},
}

package identity

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/badger-eval/badger/internal/errcode"
)

// issuer is a provider of OpenID Connect tokens on loopback.
type issuer struct {
	*httptest.Server
	mu       sync.Mutex
	keys     string // the key set that it answers with
	status   int
	requests int
}

func newIssuer(t *testing.T) *issuer {
	is := &issuer{status: http.StatusOK}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(rw http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(rw).Encode(map[string]string{"issuer": is.URL, "jwks_uri": is.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(rw http.ResponseWriter, _ *http.Request) {
		is.mu.Lock()
		defer is.mu.Unlock()
		is.requests++
		rw.WriteHeader(is.status)
		_, _ = rw.Write([]byte(is.keys))
	})
	is.Server = httptest.NewServer(mux)
	t.Cleanup(is.Close)
	return is
}

func (is *issuer) publish(status int, keys string) {
	is.mu.Lock()
	defer is.mu.Unlock()
	is.status, is.keys = status, keys
}

func (is *issuer) asked() int {
	is.mu.Lock()
	defer is.mu.Unlock()
	return is.requests
}

type signer struct {
	id  string
	key crypto.Signer
	alg jose.SignatureAlgorithm
}

func newRSA(t *testing.T, id string) signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return signer{id, key, jose.RS256}
}

func keySet(t *testing.T, signers ...signer) string {
	t.Helper()
	var set jose.JSONWebKeySet
	for _, s := range signers {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: s.key.Public(), KeyID: s.id, Algorithm: string(s.alg), Use: "sig"})
	}
	b, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (s signer) sign(t *testing.T, claims map[string]any) string {
	t.Helper()
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return s.signText(t, s.alg, s.key, payload)
}

func (s signer) signText(t *testing.T, alg jose.SignatureAlgorithm, key any, payload []byte) string {
	t.Helper()
	js, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", s.id))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := js.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func segment(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// BQ-11: only a whole token of the right issuer, for the right audience, in time, signed with one of
// the issuer's keys and of somebody who may call counts.
func TestOIDCTokens(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	is := newIssuer(t)
	rsaKey, foreign := newRSA(t, "k1"), newRSA(t, "k1")
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ec := signer{"k2", ecKey, jose.ES256}
	is.publish(200, keySet(t, rsaKey, ec))
	g := guard(t, Config{
		Mode: OIDC, Issuer: is.URL, Audience: []string{"https://badger.example.com"},
		Emails: []string{"bq@example.iam.gserviceaccount.com", "*@data.example"}, Subjects: []string{"108"},
	}, Env{Now: func() time.Time { return now }})

	good := map[string]any{
		"iss": is.URL, "aud": "https://badger.example.com", "sub": "42", "iat": now.Unix() - 10, "exp": now.Unix() + 3600,
		"email": "bq@example.iam.gserviceaccount.com", "email_verified": true,
	}
	with := func(pairs ...any) map[string]any {
		c := maps.Clone(good)
		for i := 0; i < len(pairs); i += 2 {
			if c[pairs[i].(string)] = pairs[i+1]; pairs[i+1] == nil {
				delete(c, pairs[i].(string))
			}
		}
		return c
	}
	whole := rsaKey.sign(t, good)
	parts := strings.Split(whole, ".")
	public, err := x509.MarshalPKIXPublicKey(rsaKey.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	payload, _ := json.Marshal(good)
	changed, _ := json.Marshal(with("email", "root@data.example"))
	const service = "bq@example.iam.gserviceaccount.com"
	for _, tc := range []struct {
		why   string
		token string
		want  any
	}{
		{"a good one", whole, service},
		{"a good one, signed with the other key", ec.sign(t, good), service},
		{"one of several audiences", rsaKey.sign(t, with("aud", []string{"x", "https://badger.example.com"})), service},
		{"an address of the domain", rsaKey.sign(t, with("email", "ana@data.example")), "ana@data.example"},
		{"a subject", rsaKey.sign(t, with("email", nil, "sub", "108")), "108"},
		{"half a minute too late", rsaKey.sign(t, with("exp", now.Unix()-30)), service},
		{"half a minute too early", rsaKey.sign(t, with("nbf", now.Unix()+30, "iat", now.Unix()+30)), service},

		{"none", "", errcode.Unauthenticated},
		{"no token", "nonsense", errcode.Unauthenticated},
		{"alg none", segment(`{"alg":"none"}`) + "." + parts[1] + ".", errcode.Unauthenticated},
		{"alg none, with the signature", segment(`{"alg":"none","kid":"k1"}`) + "." + parts[1] + "." + parts[2], errcode.Unauthenticated},
		{"alg None", segment(`{"alg":"None"}`) + "." + parts[1] + ".", errcode.Unauthenticated},
		{"the public key as a shared secret", rsaKey.signText(t, jose.HS256, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), payload), errcode.Unauthenticated},
		{"the wrong kind of key", segment(`{"alg":"ES256","kid":"k1"}`) + "." + parts[1] + "." + parts[2], errcode.Unauthenticated},
		{"a foreign key of the same id", foreign.sign(t, good), errcode.Unauthenticated},
		{"a key in the token", keyInside(t, foreign, payload), errcode.Unauthenticated},
		{"the signature removed by a platform", parts[0] + "." + parts[1] + "." + signatureRemoved, errcode.Unauthenticated}, // BQ-12
		{"a signature cut short", whole[:len(whole)-10], errcode.Unauthenticated},
		{"no signature", parts[0] + "." + parts[1] + ".", errcode.Unauthenticated},
		{"other claims", parts[0] + "." + base64.RawURLEncoding.EncodeToString(changed) + "." + parts[2], errcode.Unauthenticated},
		{"expired", rsaKey.sign(t, with("exp", now.Unix()-61)), errcode.Unauthenticated},
		{"no end", rsaKey.sign(t, with("exp", nil)), errcode.Unauthenticated},
		{"not yet", rsaKey.sign(t, with("nbf", now.Unix()+120)), errcode.Unauthenticated},
		{"issued in the future", rsaKey.sign(t, with("iat", now.Unix()+120)), errcode.Unauthenticated},
		{"another audience", rsaKey.sign(t, with("aud", "https://other.example.com")), errcode.Unauthenticated},
		{"no audience", rsaKey.sign(t, with("aud", nil)), errcode.Unauthenticated},
		{"another issuer", rsaKey.sign(t, with("iss", "https://accounts.google.com")), errcode.Unauthenticated},
		{"no issuer", rsaKey.sign(t, with("iss", nil)), errcode.Unauthenticated},
		{"somebody else", rsaKey.sign(t, with("email", "eve@example.com")), errcode.PermissionDenied},
		{"a domain that ends alike", rsaKey.sign(t, with("email", "eve@evil-data.example")), errcode.PermissionDenied},
		{"an address that is not verified", rsaKey.sign(t, with("email_verified", false)), errcode.PermissionDenied},
		{"an address nobody speaks of", rsaKey.sign(t, with("email_verified", nil)), errcode.PermissionDenied},
		{"a very long one", rsaKey.sign(t, with("x", strings.Repeat("a", maxToken))), errcode.Unauthenticated},
	} {
		expect(t, tc.why, g, request("Authorization", "Bearer "+tc.token), tc.want)
	}
	if n := is.asked(); n != 1 {
		t.Errorf("the key set was fetched %d times, want once", n)
	}
}

// keyInside is a token that brings its own key.
func keyInside(t *testing.T, s signer, payload []byte) string {
	t.Helper()
	js, err := jose.NewSigner(jose.SigningKey{Algorithm: s.alg, Key: s.key}, &jose.SignerOptions{EmbedJWK: true})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := js.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := signed.CompactSerialize()
	return text
}

// Keys come and go: a new one is found when a token has it, one that was withdrawn is forgotten. Where
// there is no other key set, whatever the issuer says instead, the last one counts for a while.
func TestKeysRotate(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	is := newIssuer(t)
	one, two := newRSA(t, "1"), newRSA(t, "2")
	is.publish(200, keySet(t, one))
	var events []error
	g := guard(t, Config{Mode: OIDC, Issuer: is.URL, Audience: []string{"a"}, Subjects: []string{"*"}}, Env{
		Now: func() time.Time { return now }, Changed: func(_ string, err error) { events = append(events, err) },
	})
	by := func(s signer) *Request {
		return request("Authorization", "Bearer "+s.sign(t, map[string]any{"iss": is.URL, "aud": "a", "sub": "x", "exp": now.Unix() + 3600}))
	}
	fetched := func(why string, want int) {
		t.Helper()
		if n := is.asked(); n != want {
			t.Errorf("%s: the key set was fetched %d times, want %d", why, n, want)
		}
	}
	expect(t, "the first", g, by(one), "x")
	for range 100 {
		expect(t, "again", g, by(one), "x")
	}
	fetched("one key", 1)
	expect(t, "an unknown key", g, by(two), errcode.Unauthenticated)
	for range 100 {
		expect(t, "unknown keys in a row", g, by(two), errcode.Unauthenticated)
	}
	fetched("they must not make us ask each time", 1)

	now = now.Add(keysPause)
	is.publish(200, keySet(t, one, two))
	expect(t, "a new key", g, by(two), "x")
	fetched("a new key", 2)

	is.publish(200, keySet(t, two))
	now = now.Add(keysFresh)
	expect(t, "a withdrawn key", g, by(one), errcode.Unauthenticated)
	expect(t, "the other key", g, by(two), "x")

	now = now.Add(keysFresh)
	is.publish(503, "")
	expect(t, "the issuer is down", g, by(two), "x")
	now = now.Add(keysStale)
	expect(t, "the issuer is down for long", g, by(two), errcode.Unavailable)
	if len(events) != 1 || events[0] == nil || g.Err() == nil {
		t.Errorf("events %v, %v", events, g.Err())
	}
	now = now.Add(keysPause)
	is.publish(200, keySet(t, two))
	expect(t, "the issuer is back", g, by(two), "x")
	if len(events) != 2 || events[1] != nil || g.Err() != nil {
		t.Errorf("events %v, %v", events, g.Err())
	}

	for why, text := range map[string]string{"empty": "", "a page": "<html>maintenance</html>", "no keys": `{"keys":[]}`, "malformed": `{"keys":`, "a shared secret": `{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"2"}]}`} {
		now = now.Add(keysFresh)
		is.publish(200, keySet(t, two))
		expect(t, "before "+why, g, by(two), "x")
		now = now.Add(keysFresh)
		is.publish(200, text)
		expect(t, "a key set that is "+why, g, by(two), "x")
		expect(t, "an unknown key beside one that is "+why, g, by(one), errcode.Unavailable)
		expect(t, "the key that counts, after the unknown one", g, by(two), "x")
		now = now.Add(keysStale - keysFresh)
		expect(t, "a key set that is for long "+why, g, by(two), errcode.Unavailable)
	}
}

// A key that can be factored is no key, and an address is somebody's.
func TestWeakKeysAndEmptyAddresses(t *testing.T) {
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Skipf("Go makes no such key any more: %v", err)
	}
	set, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &weak.PublicKey, KeyID: "1"}}})
	if keys, err := parseKeys(set); err == nil {
		t.Errorf("%d keys of 1,024 bits count", len(keys))
	}
	for address, want := range map[string]bool{"ana@corp.example": true, "@corp.example": false, "ana@sub.corp.example": false, "corp.example": false,
		"evil@other.example@corp.example": false, "an a@corp.example": false, "ana\n@corp.example": false, "\u202eana@corp.example": false, "josé@corp.example": true} {
		if matches([]string{"*@corp.example"}, address) != want {
			t.Errorf("%q: %v", address, !want)
		}
	}
}

// A key set in a file follows the file.
func TestKeyFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := newRSA(t, "1"), newRSA(t, "2")
		path := filepath.Join(t.TempDir(), "keys.json")
		write(keySet(t, one))(t, path)
		g := guard(t, Config{Mode: OIDC, Issuer: "https://accounts.google.com", Audience: []string{"a"}, Subjects: []string{"x"}, Keys: path}, Env{})
		by := func(s signer, issuer string) *Request {
			return request("X-Badger-Token", s.sign(t, map[string]any{"iss": issuer, "aud": "a", "sub": "x", "exp": time.Now().Unix() + 3600}))
		}
		expect(t, "the key", g, by(one, "https://accounts.google.com"), "x")
		expect(t, "Google's other name", g, by(one, "accounts.google.com"), "x")
		expect(t, "another issuer", g, by(one, "https://accounts.google.com.evil.example"), errcode.Unauthenticated)
		write(keySet(t, two))(t, path)
		time.Sleep(recheck + 50*time.Millisecond)
		expect(t, "withdrawn", g, by(one, "accounts.google.com"), errcode.Unauthenticated)
		expect(t, "new", g, by(two, "accounts.google.com"), "x")
		write(`{"keys":[]}`)(t, path)
		time.Sleep(recheck + 50*time.Millisecond)
		expect(t, "no keys", g, by(two, "accounts.google.com"), errcode.Unavailable)
	})
}

// BQ-12: behind Cloud Run a token counts if Cloud Run has verified it, which its missing signature
// shows, and still is for us and in time.
func TestCloudRun(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	g := guard(t, Config{Mode: Platform, Platform: CloudRun, Audience: []string{"https://b.run.app"}, Emails: []string{"bq@example.com"}},
		Env{Getenv: env("K_SERVICE", "badger"), Now: func() time.Time { return now }})
	token := func(pairs ...any) string {
		c := map[string]any{"iss": "https://accounts.google.com", "aud": "https://b.run.app", "email": "bq@example.com", "email_verified": true, "exp": now.Unix() + 60, "sub": "1"}
		for i := 0; i < len(pairs); i += 2 {
			c[pairs[i].(string)] = pairs[i+1]
		}
		b, _ := json.Marshal(c)
		return segment(`{"alg":"RS256"}`) + "." + segment(string(b)) + "."
	}
	for _, tc := range []struct {
		why     string
		headers []string
		want    any
	}{
		{"verified", []string{"Authorization", "Bearer " + token() + signatureRemoved}, "bq@example.com"},
		{"in the other header", []string{"X-Serverless-Authorization", "bearer " + token() + signatureRemoved}, "bq@example.com"},
		{"in the other header, forged in this one", []string{
			"X-Serverless-Authorization", "Bearer " + token("email", "eve@example.com") + signatureRemoved, "Authorization", "Bearer " + token() + signatureRemoved,
		}, errcode.PermissionDenied},
		{"with a signature, which nobody has verified", []string{"Authorization", "Bearer " + token() + "c2lnbmF0dXJl"}, errcode.Unauthenticated},
		{"none", nil, errcode.Unauthenticated},
		{"no token", []string{"Authorization", "Bearer " + signatureRemoved}, errcode.Unauthenticated},
		{"two parts", []string{"Authorization", "Bearer x." + signatureRemoved}, errcode.Unauthenticated},
		{"no JSON", []string{"Authorization", "Bearer x.eA." + signatureRemoved}, errcode.Unauthenticated},
		{"for an address below the service's", []string{"Authorization", "Bearer " + token("aud", "https://b.run.app/v1/bigquery/hybrid_ex") + signatureRemoved}, "bq@example.com"},
		{"another audience", []string{"Authorization", "Bearer " + token("aud", "x") + signatureRemoved}, errcode.Unauthenticated},
		{"no audience", []string{"Authorization", "Bearer " + token("aud", nil) + signatureRemoved}, errcode.Unauthenticated},
		{"an audience that begins like the service's", []string{"Authorization", "Bearer " + token("aud", "https://b.run.app.example.com/x") + signatureRemoved}, errcode.Unauthenticated},
		{"expired", []string{"Authorization", "Bearer " + token("exp", now.Unix()-61) + signatureRemoved}, errcode.Unauthenticated},
		{"another issuer", []string{"Authorization", "Bearer " + token("iss", "https://x") + signatureRemoved}, errcode.Unauthenticated},
		{"somebody else", []string{"Authorization", "Bearer " + token("email", "eve@example.com") + signatureRemoved}, errcode.PermissionDenied},
	} {
		expect(t, tc.why, g, request(tc.headers...), tc.want)
	}
}

// authority issues client certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{c, key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

func (a *authority) issue(t *testing.T, name string, ends time.Duration) *x509.Certificate {
	t.Helper()
	c := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(ends),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// Two callers with one secret would be one caller, whichever line is last.
func TestTokensOfOneSecret(t *testing.T) {
	const a, b = "0123456789abcdef", "fedcba9876543210"
	for text, want := range map[string]string{
		"ana:" + a + "\nben:" + b:                       "",
		"ana:" + a + "\nana:" + b:                       "", // one caller may have two, while they change
		"ana:" + a + "\nana:" + a:                       "",
		"ana:" + a + "\n# x\nben:" + a:                  `line 3: tokens "ana" and "ben" have the same secret`,
		"ana:" + a + "\nben:" + b + "\ncem: " + a + " ": `line 3: tokens "ana" and "cem" have the same secret`,
	} {
		_, err := parseTokens([]byte(text))
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %q", text, got, want)
		}
		if err != nil && strings.Contains(err.Error(), a) {
			t.Errorf("%q: the error shows a secret", text)
		}
	}
}

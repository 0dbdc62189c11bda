package identity

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"

	"github.com/badger-eval/badger/internal/errcode"
)

// keySource provides the public keys of an issuer.
type keySource interface {
	// find returns the keys that may have signed a token with this algorithm and key id, which may be empty. An error
	// is Unavailable or that of ctx.
	find(ctx context.Context, id, algorithm string) ([]jose.JSONWebKey, error)
	err() error
}

func newKeys(c Config, s Env) (keySource, error) {
	if c.Keys != "" && !strings.Contains(c.Keys, "://") {
		w, err := Watch("OIDC key set", func(b [][]byte) ([]jose.JSONWebKey, error) { return parseKeys(b[0]) }, s.Changed,
			c.Keys)
		return keyFile{w}, err
	}
	if c.Keys != "" {
		if err := checkURL(c.Keys); err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "keys: %w", err)
		}
	}
	client := *s.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error {
		return errcode.New(errcode.PermissionDenied, "redirects are not followed")
	}
	return &keyURL{issuer: c.Issuer, at: c.Keys, client: &client, now: s.Now, changed: s.Changed}, nil
}

// checkURL returns an error unless text is an https URL, or an http URL on loopback, without user and fragment.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return errcode.New(errcode.InvalidArgument, "expected a URL https://HOST/…")
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && localName(u.Host)) {
		return errcode.New(errcode.InvalidArgument, "expected a URL https://HOST/…")
	}
	return nil
}

// parseKeys parses a JSON Web Key Set (RFC 7517). It returns only valid public keys for signatures, and an error if
// there are none.
func parseKeys(data []byte) ([]jose.JSONWebKey, error) {
	var raw struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, `no JSON Web Key Set, expected {"keys":[…]}`)
	}
	var keys []jose.JSONWebKey
	for _, r := range raw.Keys {
		var k jose.JSONWebKey
		if json.Unmarshal(r, &k) != nil { // of a kind that is not known: RFC 7517 requires to ignore it
			continue
		}
		if k.IsPublic() && k.Valid() && (k.Use == "" || k.Use == "sig") && longEnough(k.Key) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, errcode.New(errcode.InvalidArgument,
			"the key set has no public key for signatures, of at least %d bits where it is RSA", leastRSA)
	}
	return keys, nil
}

// leastRSA is the minimum number of bits of an RSA key (RFC 7518, section 3.3).
const leastRSA = 2048

func longEnough(key any) bool {
	k, ok := key.(*rsa.PublicKey)
	return !ok || k.N.BitLen() >= leastRSA
}

// matching returns the keys with this id and algorithm. A key without an algorithm matches any, and an empty id
// matches all keys.
func matching(keys []jose.JSONWebKey, id, algorithm string) (found []jose.JSONWebKey) {
	for _, k := range keys {
		if (id == "" || k.KeyID == id) && (k.Algorithm == "" || k.Algorithm == algorithm) {
			found = append(found, k)
		}
	}
	return found
}

// keyFile is a key set that is read from a file.
type keyFile struct {
	*ReloadingFile[[]jose.JSONWebKey]
}

func (k keyFile) find(_ context.Context, id, algorithm string) ([]jose.JSONWebKey, error) {
	keys, err := k.Value()
	return matching(keys, id, algorithm), err
}

func (k keyFile) err() error { _, err := k.Value(); return err }

// Durations and the size limit of a key set that is fetched.
const (
	keysFresh  = 5 * time.Minute  // it counts without another look
	keysStale  = 15 * time.Minute // it counts while the issuer gives no other
	keysPause  = 5 * time.Second  // between two attempts to fetch it
	keysTime   = 10 * time.Second // for one attempt
	keysLength = 1 << 20          // bytes
)

// keyURL is a key set that is fetched. It is fetched again if it is older than keysFresh, or if no key matches a
// token's id. If that fails, the last key set remains valid for keysStale, so that one bad answer does not block all
// callers.
type keyURL struct {
	issuer  string
	at      string // the URL of the key set; empty: the discovery document names it
	client  *http.Client
	now     func() time.Time
	changed func(string, error)
	flight  singleflight.Group

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched time.Time // when keys were
	tried   time.Time
	bad     error
}

func (k *keyURL) find(ctx context.Context, id, algorithm string) ([]jose.JSONWebKey, error) {
	keys, fresh, wait := k.cached()
	found := matching(keys, id, algorithm)
	if wait || fresh && len(found) > 0 {
		return found, k.missing(keys, found)
	}
	done := k.flight.DoChan("", func() (any, error) { k.refresh(); return nil, nil })
	select {
	case <-done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	keys, _, _ = k.cached()
	found = matching(keys, id, algorithm)
	return found, k.missing(keys, found)
}

// missing returns Unavailable if no key was found and the last fetch failed, or if there are no keys at all, and else
// nil.
func (k *keyURL) missing(keys, found []jose.JSONWebKey) error {
	k.mu.Lock()
	bad := k.bad
	k.mu.Unlock()
	if len(found) == 0 && bad != nil {
		keys = nil
	}
	return unavailable(keys)
}

// cached returns the cached keys unless they are stale, whether they are fresh, and whether the last attempt was too
// recent for another.
func (k *keyURL) cached() (keys []jose.JSONWebKey, fresh, wait bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	age := now.Sub(k.fetched)
	if age < keysStale {
		keys = k.keys
	}
	return keys, age < keysFresh, !k.tried.IsZero() && now.Sub(k.tried) < keysPause
}

func unavailable(keys []jose.JSONWebKey) error {
	if len(keys) > 0 {
		return nil
	}
	return errcode.New(errcode.Unavailable, "the server cannot read the key set of its OpenID Connect issuer")
}

// err returns Unavailable if the last fetch failed and no valid keys are cached, and else nil.
func (k *keyURL) err() error {
	k.mu.Lock()
	bad := k.bad
	k.mu.Unlock()
	if bad == nil {
		return nil
	}
	keys, _, _ := k.cached()
	return unavailable(keys)
}

// refresh fetches the key set, unless an attempt was just made. It does not end with the context of a call.
func (k *keyURL) refresh() {
	if _, _, wait := k.cached(); wait {
		return // another goroutine has just fetched it
	}
	ctx, cancel := context.WithTimeout(context.Background(), keysTime)
	defer cancel()
	keys, err := k.fetch(ctx)
	k.mu.Lock()
	was := k.bad
	k.tried, k.bad = k.now(), err
	if err == nil {
		k.keys, k.fetched = keys, k.tried
	}
	k.mu.Unlock()
	if (was == nil) != (err == nil) {
		k.changed("OIDC key set", err)
	}
}

func (k *keyURL) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	at := k.at
	if at == "" {
		body, err := k.get(ctx, strings.TrimSuffix(k.issuer, "/")+"/.well-known/openid-configuration")
		if err != nil {
			return nil, err
		}
		var doc struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		if json.Unmarshal(body, &doc) != nil || doc.Issuer != k.issuer || checkURL(doc.Keys) != nil {
			return nil, errcode.New(errcode.InvalidArgument,
				"the issuer's discovery document is malformed, of another issuer, or names no https URL of its keys")
		}
		at = doc.Keys
	}
	body, err := k.get(ctx, at)
	if err != nil {
		return nil, err
	}
	return parseKeys(body)
}

func (k *keyURL) get(ctx context.Context, at string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	resp, err := k.client.Do(req)
	if err != nil {
		return nil, errcode.New(errcode.Unavailable, "the issuer cannot be reached: %w", err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	body, err := io.ReadAll(io.LimitReader(resp.Body, keysLength+1))
	switch {
	case err != nil:
		return nil, errcode.New(errcode.Unavailable, "the issuer's reply was cut off")
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return nil, errcode.New(errcode.Unavailable, "the issuer answered with status %d", resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return nil, errcode.New(errcode.NotFound, "the issuer answered with status %d", resp.StatusCode)
	case len(body) > keysLength:
		return nil, errcode.New(errcode.ResourceExhausted, "the issuer's answer is longer than %d bytes", keysLength)
	}
	return body, nil
}

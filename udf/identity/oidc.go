package identity

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/badger-eval/badger/internal/errcode"
)

const (
	defaultSkew = time.Minute
	maxToken    = 16 << 10 // bytes of a signed token
)

// googleIssuers are the two forms of one issuer.
var googleIssuers = []string{"https://accounts.google.com", "accounts.google.com"}

// algorithms are the signatures that count: those with a public key. "none" and those with a shared
// secret do not.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// oidc identifies by ID tokens, as section 3.1.3.7 of OpenID Connect Core says: issuer, audience,
// signature, expiry.
type oidc struct {
	issuer           string
	audience         []string
	emails, subjects []string
	skew             time.Duration
	now              func() time.Time
	keys             keySource
}

func newOIDC(c Config, s Env) (*oidc, error) {
	if err := checkURL(c.Issuer); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "issuer: %w", err)
	}
	if len(c.Audience) == 0 || slices.Contains(c.Audience, "") {
		return nil, errcode.New(errcode.InvalidArgument,
			"audience: expected what tokens for this server have as their audience, such as its URL")
	}
	if len(c.Emails)+len(c.Subjects) == 0 {
		return nil, errcode.New(errcode.InvalidArgument,
			"emails or subjects: expected who may call; an issuer gives tokens to others, too")
	}
	o := &oidc{issuer: c.Issuer, audience: c.Audience, emails: c.Emails, subjects: c.Subjects, skew: c.Skew, now: s.Now}
	if o.skew == 0 {
		o.skew = defaultSkew
	}
	var err error
	o.keys, err = newKeys(c, s)
	return o, err
}

var (
	errNoOIDC = errcode.New(errcode.Unauthenticated,
		"a token of the OpenID Connect issuer is required: Authorization: Bearer TOKEN")
	errBadToken  = errcode.New(errcode.Unauthenticated, "the token is malformed, or signed with an unsupported algorithm")
	errSignature = errcode.New(errcode.Unauthenticated, "the token's signature is by none of the issuer's keys")
	errIssuer    = errcode.New(errcode.Unauthenticated, "the token is of another issuer")
	errAudience  = errcode.New(errcode.Unauthenticated, "the token is for another audience")
	errExpired   = errcode.New(errcode.Unauthenticated, "the token has expired, or says no time when it does")
	errTooEarly  = errcode.New(errcode.Unauthenticated, "the token is not valid yet")
	errNotListed = errcode.New(errcode.PermissionDenied,
		"the token is valid, but its e-mail address or subject is none of those that may call")
)

func (o *oidc) identify(ctx context.Context, r *Request) (string, error) {
	text, err := secretIn(r)
	if err != nil {
		return "", errNoOIDC
	}
	if len(text) > maxToken {
		return "", errBadToken
	}
	token, err := jwt.ParseSigned(text, algorithms)
	if err != nil || len(token.Headers) != 1 {
		return "", errBadToken
	}
	var claims tokenClaims
	// Cheap checks before the search for a key: a token for another audience must not cause a request to the
	// issuer. The claims are trusted only after the signature is verified.
	if err := token.UnsafeClaimsWithoutVerification(&claims); err != nil {
		return "", errBadToken
	}
	if err := o.check(&claims); err != nil {
		return "", err
	}
	keys, err := o.keys.find(ctx, token.Headers[0].KeyID, token.Headers[0].Algorithm)
	if err != nil {
		return "", err
	}
	for i := range keys {
		claims = tokenClaims{}
		if token.Claims(keys[i].Key, &claims) == nil {
			if err := o.check(&claims); err != nil {
				return "", err
			}
			return claims.allowed(o.emails, o.subjects, false)
		}
	}
	return "", errSignature
}

func (o *oidc) check(claims *tokenClaims) error {
	google := slices.Contains(googleIssuers, o.issuer) && slices.Contains(googleIssuers, claims.Issuer)
	if claims.Issuer != o.issuer && !google {
		return errIssuer
	}
	return claims.check(jwt.Expected{AnyAudience: o.audience, Time: o.now()}, o.skew)
}

func (o *oidc) String() string {
	return "oidc (issuer " + o.issuer + pinned(o.audience, o.emails, o.subjects) + ")"
}

func (o *oidc) err() error { return o.keys.err() }

// pinned lists what a token must have.
func pinned(audience, emails, subjects []string) string {
	text := ""
	for _, p := range []struct {
		what string
		list []string
	}{{"audience", audience}, {"e-mail", emails}, {"subject", subjects}} {
		if len(p.list) > 0 {
			text += ", " + p.what + " " + strings.Join(p.list, " or ")
		}
	}
	return text
}

// tokenClaims are the claims that count.
type tokenClaims struct {
	jwt.Claims
	Email    string `json:"email"`
	Verified any    `json:"email_verified"` // some issuers write it as text
}

func (c *tokenClaims) check(e jwt.Expected, skew time.Duration) error {
	if c.Expiry == nil {
		return errExpired
	}
	switch err := c.ValidateWithLeeway(e, skew); {
	case err == nil:
		return nil
	case errors.Is(err, jwt.ErrInvalidAudience):
		return errAudience
	case errors.Is(err, jwt.ErrExpired):
		return errExpired
	}
	return errTooEarly
}

// allowed is the caller's name: the e-mail address or subject that is listed. anyone takes all.
func (c *tokenClaims) allowed(emails, subjects []string, anyone bool) (string, error) {
	verified := c.Verified == true || c.Verified == "true"
	if c.Email != "" && verified && (anyone || matches(emails, c.Email)) {
		return c.Email, nil
	}
	if c.Subject != "" && (anyone || matches(subjects, c.Subject)) {
		return c.Subject, nil
	}
	return "", errNotListed
}

// matches compares s with a list of strings, *@DOMAIN and *. Only an address with one @ and without blanks and
// control characters matches *@DOMAIN: what else an issuer may send is not an address of that domain.
func matches(list []string, s string) bool {
	for _, p := range list {
		domain, ok := strings.CutPrefix(p, "*@")
		local, found := strings.CutSuffix(s, "@"+domain)
		if p == s || p == "*" || ok && found && isLocalPart(local) {
			return true
		}
	}
	return false
}

// isLocalPart reports whether a string can be the part of an address before its @.
func isLocalPart(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r == '@' || r == utf8.RuneError || unicode.IsSpace(r) || !unicode.IsPrint(r)
	})
}

func base64URL(s string) ([]byte, error) { return base64.RawURLEncoding.DecodeString(s) }

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

// googleIssuers are the two forms in which Google's tokens name their issuer.
var googleIssuers = []string{"https://accounts.google.com", "accounts.google.com"}

// algorithms are the accepted signature algorithms: those with a public key, not "none" and not those with a shared
// secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// oidc identifies callers by ID tokens. It verifies them by section 3.1.3.7 of OpenID Connect Core: issuer, audience,
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
			"audience is missing: expected the claim aud of tokens for this server, such as its URL")
	}
	if len(c.Emails)+len(c.Subjects) == 0 {
		return nil, errcode.New(errcode.InvalidArgument,
			"emails or subjects: expected the allowed callers; the issuer also issues tokens to other users")
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
	errSignature = errcode.New(errcode.Unauthenticated, "the token is not signed with a key of the issuer")
	errIssuer    = errcode.New(errcode.Unauthenticated, "the token has another issuer")
	errAudience  = errcode.New(errcode.Unauthenticated, "the token has another audience")
	errExpired   = errcode.New(errcode.Unauthenticated, "the token has expired, or has no expiration time")
	errTooEarly  = errcode.New(errcode.Unauthenticated, "the token is not valid yet")
	errNotListed = errcode.New(errcode.PermissionDenied,
		"the token is valid, but its e-mail address or subject is not among the allowed callers")
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

// pinned describes the accepted audiences, e-mail addresses and subjects; a list that is empty is omitted.
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

// tokenClaims are the claims of a token that are checked or name the caller.
type tokenClaims struct {
	jwt.Claims
	Email    string `json:"email"`
	Verified any    `json:"email_verified"` // true, or "true" as some issuers write it
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

// allowed returns the verified e-mail address if emails lists it, or else the subject if subjects lists it, or else
// errNotListed. With anyone, every address and subject is allowed.
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

// matches reports whether an entry of list equals s, is *, or is *@DOMAIN for an address s in that domain. For
// *@DOMAIN the part of s before the @ must have no other @, blanks or control characters.
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

// isLocalPart reports whether s can be the part of an e-mail address before its @.
func isLocalPart(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r == '@' || r == utf8.RuneError || unicode.IsSpace(r) || !unicode.IsPrint(r)
	})
}

func base64URL(s string) ([]byte, error) { return base64.RawURLEncoding.DecodeString(s) }

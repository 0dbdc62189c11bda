package identity

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/badger-eval/badger/internal/errcode"
)

// The platforms.
const (
	SPCS           = "spcs"
	CloudRun       = "cloud-run"
	DatabricksApps = "databricks-apps"
)

// newPlatform returns the mode of a platform, and which headers belong to it. It returns an error if the environment
// does not show that the server runs there: elsewhere any client could send the platform's headers.
func newPlatform(c Config, s Env) (identify, func(string) bool, error) {
	if c.Platform != CloudRun && (c.Audience != nil || c.Emails != nil || c.Skew != 0) {
		return nil, nil, errcode.New(errcode.InvalidArgument,
			"audience, emails and clock_skew: used by platform cloud-run only")
	}
	marks := map[string][]string{SPCS: {"SNOWFLAKE_HOST"}, CloudRun: {"K_SERVICE"},
		DatabricksApps: {"DATABRICKS_APP_NAME"}}[c.Platform]
	if marks == nil {
		return nil, nil, errcode.New(errcode.InvalidArgument,
			"platform: %.40q is unknown, expected spcs, cloud-run or databricks-apps", c.Platform)
	}
	for _, m := range marks {
		if s.Getenv(m) == "" {
			return nil, nil, errcode.New(errcode.FailedPrecondition,
				"platform %s: this is not that platform, the environment variable %s is not set", c.Platform, m)
		}
	}
	has := func(prefix string) func(string) bool {
		return func(h string) bool { return strings.HasPrefix(h, prefix) }
	}
	switch c.Platform {
	case SPCS:
		if info, err := os.Stat(s.SPCSToken); err != nil || !info.Mode().IsRegular() {
			return nil, nil, errcode.New(errcode.FailedPrecondition,
				"platform spcs: this is not that platform, there is no file %s", s.SPCSToken)
		}
		return spcs{}, has("sf-context-"), nil
	case DatabricksApps:
		return databricksApps{}, has("x-forwarded-"), nil
	}
	if c.Skew == 0 {
		c.Skew = defaultSkew
	}
	return &cloudRun{audience: c.Audience, emails: c.Emails, skew: c.Skew,
		now: s.Now}, func(string) bool { return false }, nil
}

// spcs trusts Snowpark Container Services, where only roles with the service role reach an endpoint. A public
// endpoint always names the user. A service function names it if it has CONTEXT_HEADERS; otherwise the caller's name
// is "spcs".
type spcs struct{}

func (spcs) identify(_ context.Context, r *Request) (string, error) {
	name, err := one(r, "Sf-Context-Current-User")
	if err == nil && name == "" {
		name = SPCS
	}
	return name, err
}

func (spcs) String() string {
	return "platform spcs (Snowflake authenticates; Sf-Context-Current-User names the user)"
}
func (spcs) err() error { return nil }

// databricksApps trusts the headers of the proxy of Databricks Apps: all requests to an app come through it.
type databricksApps struct{}

func (databricksApps) identify(_ context.Context, r *Request) (string, error) {
	if name, err := one(r, "X-Forwarded-Email"); err != nil || name != "" {
		return name, err
	}
	return userIn(r, "X-Forwarded-User") // a service principal has no address
}

func (databricksApps) String() string {
	return "platform databricks-apps (Databricks authenticates; X-Forwarded-Email names the user)"
}
func (databricksApps) err() error { return nil }

// cloudRun trusts Cloud Run, which verifies the caller's token against roles/run.invoker and replaces its signature.
// It checks that the signature is replaced, because a service that allows unauthenticated calls gets unverified
// tokens, and then the claims.
type cloudRun struct {
	audience, emails []string
	skew             time.Duration
	now              func() time.Time
}

// signatureRemoved replaces the signature of a token that Cloud Run has verified.
const signatureRemoved = "SIGNATURE_REMOVED_BY_GOOGLE"

var errCloudRun = errcode.New(errcode.Unauthenticated,
	"no token that Cloud Run has verified: the service must require authentication")

func (c *cloudRun) identify(_ context.Context, r *Request) (string, error) {
	// If both headers are present, Cloud Run verifies this one and ignores the other.
	header, err := one(r, "X-Serverless-Authorization")
	if err == nil && header == "" {
		header, err = one(r, "Authorization")
	}
	if err != nil {
		return "", err
	}
	scheme, token, _ := strings.Cut(header, " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "bearer") || len(token) > maxToken {
		return "", errCloudRun
	}
	head, signature, ok := cutLast(token, ".")
	if !ok || signature != signatureRemoved {
		return "", errCloudRun
	}
	_, payload, ok := strings.Cut(head, ".")
	raw, err := base64URL(payload)
	if !ok || err != nil {
		return "", errCloudRun
	}
	var claims tokenClaims
	if err := json.Unmarshal(raw, &claims); err != nil {
		return "", errCloudRun
	}
	if !slices.Contains(googleIssuers, claims.Issuer) {
		return "", errIssuer
	}
	if err := claims.check(jwt.Expected{Time: c.now()}, c.skew); err != nil {
		return "", err
	}
	if c.audience != nil && !slices.ContainsFunc(claims.Audience, c.meant) {
		return "", errAudience
	}
	return claims.allowed(c.emails, nil, c.emails == nil)
}

// meant reports whether a token's audience is one of c.audience or a path below one. Callers may use either; Cloud
// Run accepts both.
func (c *cloudRun) meant(audience string) bool {
	return slices.ContainsFunc(c.audience, func(a string) bool {
		return audience == a || strings.HasPrefix(audience, strings.TrimSuffix(a, "/")+"/")
	})
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func (c *cloudRun) String() string {
	return "platform cloud-run (Cloud Run verifies the token" + pinned(c.audience, c.emails, nil) + ")"
}
func (c *cloudRun) err() error { return nil }

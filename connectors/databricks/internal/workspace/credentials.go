package workspace

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/outbound"
)

// Secret is the location of the credentials: a file or an environment variable with a token or a client secret.
type Secret struct {
	TokenFile, TokenEnv               string
	ClientSecretFile, ClientSecretEnv string
}

func (s Secret) token() bool { return s.TokenFile != "" || s.TokenEnv != "" }

// Client reports whether the location is that of a client secret.
func (s Secret) Client() bool { return s.ClientSecretFile != "" || s.ClientSecretEnv != "" }

// CheckSecret returns an error if credentials are missing or ambiguous. An emulator on this machine over http needs
// none.
func (c *Config) CheckSecret() error {
	s := c.Secret
	switch {
	case s.TokenFile != "" && s.TokenEnv != "", s.ClientSecretFile != "" && s.ClientSecretEnv != "",
		s.token() && (s.Client() || c.ClientID != ""):
		return invalid("more than one kind of credentials; expected one of token_file, token_env, and client_id with client_secret_file or client_secret_env")
	case s.Client() && c.ClientID == "":
		return invalid("a client secret without client_id, the application id of the service principal")
	case c.ClientID != "" && !s.Client():
		return invalid("client_id without client_secret_file or client_secret_env")
	case !s.token() && !s.Client() && !(c.Protocol == "http" && driver.Loopback(c.Host)):
		return invalid("no credentials: expected token_file or token_env, or client_id with client_secret_file or client_secret_env; for Databricks' own hosts DATABRICKS_TOKEN, or DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET")
	}
	return nil
}

// tokens provides access tokens, and caches those of a service principal.
type tokens struct {
	config *Config
	client *http.Client
	now    func() time.Time

	mu      sync.Mutex
	token   string // latest token of a service principal
	expires time.Time
}

// early is the time before its expiration at which a token is renewed.
const early = 2 * time.Minute

// access returns a token that is valid now; "" if no credentials are configured. stale reports that the service
// rejected the latest token.
func (t *tokens) access(ctx context.Context, stale bool) (string, error) {
	s := t.config.Secret
	switch {
	case s.token():
		return driverbase.ReadSecret("databricks", "token", s.TokenFile, s.TokenEnv, t.config.Getenv)
	case !s.Client():
		return "", nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != "" && !stale && t.now().Add(early).Before(t.expires) {
		return t.token, nil
	}
	if err := t.renew(ctx); err != nil {
		return "", err
	}
	return t.token, nil
}

// renew requests a token for the service principal from the workspace: OAuth 2.0 client credentials (RFC 6749, section
// 4.4).
func (t *tokens) renew(ctx context.Context) error {
	secret, err := driverbase.ReadSecret("databricks", "client secret", t.config.Secret.ClientSecretFile,
		t.config.Secret.ClientSecretEnv, t.config.Getenv)
	if err != nil {
		return err
	}
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {"all-apis"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.config.base()+"/oidc/v1/token",
		strings.NewReader(form.Encode()))
	if err != nil {
		return invalid("the host is invalid in a URL")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(url.QueryEscape(t.config.ClientID), url.QueryEscape(secret))
	resp, err := t.client.Do(req)
	if err != nil {
		return unreachable(ctx, err, "signing in")
	}
	defer resp.Body.Close() //nolint:errcheck // nothing follows
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return unreachable(ctx, err, "signing in")
	}
	var answer struct {
		Token   string `json:"access_token"`
		Expires int64  `json:"expires_in"`
		Error   string `json:"error"`
	}
	err = json.Unmarshal(body, &answer)
	switch {
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500:
		return &Refusal{Status: resp.StatusCode, after: outbound.RetryAfter(resp.Header), what: "signing in"}
	case resp.StatusCode != http.StatusOK || err != nil || answer.Token == "":
		return errcode.New(errcode.Unauthenticated, "databricks: the workspace issues no token to the service principal (%s); check client_id, that its secret has not expired, and that it belongs to this workspace", plain(answer.Error, resp.Status))
	}
	if answer.Expires <= 0 {
		answer.Expires = 3600
	}
	t.token, t.expires = answer.Token, t.now().Add(time.Duration(min(answer.Expires, 1<<20))*time.Second)
	return nil
}

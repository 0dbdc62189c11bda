package snowflake

import (
	"context"
	"crypto/rsa"
	sqldriver "database/sql/driver"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	sf "github.com/snowflakedb/gosnowflake"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/snowflake/internal/pkcs8"
	"github.com/badger-eval/badger/internal/errcode"
)

// Auth is a way to sign in.
type Auth string

// The ways to sign in.
const (
	KeyPair   Auth = "keypair"   // a JSON Web Token signed with an RSA key whose public half the user has
	OAuth     Auth = "oauth"     // an OAuth token
	Container Auth = "container" // the token that Snowflake puts into its own containers (Snowpark Container Services)
	PAT       Auth = "pat"       // a programmatic access token
	Password  Auth = "password"
)

// containerToken is the file that Snowflake keeps a service's token in; it is rewritten every few
// minutes.
const containerToken = "/snowflake/session/token"

// Secret says where secrets are: names of files and of environment variables, never the secrets.
type Secret struct {
	PrivateKeyFile, PassphraseFile, PassphraseEnv string
	TokenFile, TokenEnv                           string
	PasswordFile, PasswordEnv                     string
}

// auth is the way to sign in that a secret is for.
func (s Secret) auth() Auth {
	switch {
	case s.PrivateKeyFile != "":
		return KeyPair
	case s.TokenFile == containerToken:
		return Container
	case s.TokenFile != "" || s.TokenEnv != "":
		return OAuth
	case s.PasswordFile != "" || s.PasswordEnv != "":
		return Password
	}
	return ""
}

// secretOfEnvironment is the first secret that the usual variables, or Snowflake's own container,
// offer for the way to sign in.
func (c *Config) secretOfEnvironment() Secret {
	wants := func(a ...Auth) bool {
		for _, a := range a {
			if c.Auth == "" || c.Auth == a {
				return true
			}
		}
		return false
	}
	switch {
	case wants(KeyPair) && c.getenv("SNOWFLAKE_PRIVATE_KEY_FILE") != "":
		s := Secret{PrivateKeyFile: c.getenv("SNOWFLAKE_PRIVATE_KEY_FILE")}
		if c.getenv("SNOWFLAKE_PRIVATE_KEY_PASSPHRASE") != "" {
			s.PassphraseEnv = "SNOWFLAKE_PRIVATE_KEY_PASSPHRASE"
		}
		return s
	case wants(OAuth, PAT) && c.getenv("SNOWFLAKE_TOKEN_FILE_PATH") != "":
		return Secret{TokenFile: c.getenv("SNOWFLAKE_TOKEN_FILE_PATH")}
	case wants(OAuth, PAT) && c.getenv("SNOWFLAKE_TOKEN") != "":
		return Secret{TokenEnv: "SNOWFLAKE_TOKEN"}
	case wants(Password) && c.getenv("SNOWFLAKE_PASSWORD") != "":
		return Secret{PasswordEnv: "SNOWFLAKE_PASSWORD"}
	case c.Auth == Container || c.Auth == "" && exists(containerToken):
		return Secret{TokenFile: containerToken}
	}
	return Secret{}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// checkSecret returns an error if credentials are missing.
func (c *Config) checkSecret() error {
	s := c.Secret
	sources := 0
	for _, name := range []string{s.PrivateKeyFile, s.TokenFile, s.TokenEnv, s.PasswordFile, s.PasswordEnv} {
		if name != "" {
			sources++
		}
	}
	switch {
	case sources > 1:
		return invalid(
			"more than one of private_key_file, token_file, token_env, password_file and password_env is named; expected one")
	case sources == 0 && !c.ownHost() && c.getenv("SNOWFLAKE_HOST") == "":
		return invalid("no secret is named; for a host that is not Snowflake's own, expected private_key_file, token_file, token_env, password_file or password_env in the URL")
	case sources == 0:
		return invalid("nothing to sign in with: expected private_key_file, token_file, token_env, password_file or password_env in the URL, or SNOWFLAKE_PRIVATE_KEY_FILE, SNOWFLAKE_TOKEN_FILE_PATH, SNOWFLAKE_TOKEN or SNOWFLAKE_PASSWORD")
	}
	token := s.TokenFile != "" || s.TokenEnv != ""
	need := map[Auth]struct {
		named bool
		what  string
	}{
		KeyPair:  {s.PrivateKeyFile != "", "private_key_file"},
		Password: {s.PasswordFile != "" || s.PasswordEnv != "", "password_file or password_env"},
		OAuth:    {token, "token_file or token_env"}, PAT: {token, "token_file or token_env"},
		Container: {s.TokenFile != "", "the container's token file"},
	}[c.Auth]
	switch {
	case !need.named:
		return invalid("auth=%s needs %s", c.Auth, need.what)
	case c.Auth == Container && c.Host == "":
		return invalid("a container's token works only with the host in SNOWFLAKE_HOST, which is not set")
	case c.User == "" && (c.Auth == KeyPair || c.Auth == Password || c.Auth == PAT):
		return invalid("no user: expected snowflake://USER@ACCOUNT/… or SNOWFLAKE_USER")
	}
	for _, name := range []string{s.TokenEnv, s.PasswordEnv, s.PassphraseEnv} {
		if !variable.MatchString(name) { // perhaps the secret itself: not repeated
			return invalid("token_env, password_env and private_key_passphrase_env take the name of an environment variable")
		}
	}
	return nil
}

var variable = regexp.MustCompile(`^[A-Za-z0-9_]*$`)

// read returns the content of a file or of a variable.
func (c *Config) read(what, file, env string) (string, error) {
	return driverbase.ReadSecret("snowflake", what, file, env, c.getenv)
}

func unauthenticated(format string, args ...any) error {
	return errcode.New(errcode.Unauthenticated, "snowflake: "+format, args...)
}

// login signs in for each session of the pool, reading the secret anew.
type login struct {
	config Config
	// transport is that of all sessions. If it is nil, the driver makes one that checks revocation
	// lists; what it receives counts when it has become records.
	transport http.RoundTripper
}

func newLogin(c Config) *login {
	l := &login{config: c}
	if c.Revocation != RevocationCRL {
		l.transport = driverbase.Counted{RoundTripper: driver.Transport(c.Proxy), Unzip: true}
	}
	return l
}

// Driver is the driver.
func (*login) Driver() sqldriver.Driver { return sf.SnowflakeDriver{} }

// Connect makes a session.
func (l *login) Connect(ctx context.Context) (sqldriver.Conn, error) {
	config, err := l.config.driverConfig()
	if err != nil {
		return nil, err
	}
	config.Transporter = l.transport
	conn, err := sf.NewConnector(sf.SnowflakeDriver{}, config).Connect(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, l.config.loginError(err)
	}
	return conn, nil
}

// driverConfig is the configuration as the driver takes it, with the secret.
func (c *Config) driverConfig() (sf.Config, error) {
	loginTimeout := c.LoginTimeout
	if loginTimeout == 0 {
		loginTimeout = time.Minute
	}
	out := sf.Config{
		Account: c.Account, User: c.User, Database: c.Database, Schema: c.Schema, Warehouse: c.Warehouse, Role: c.Role,
		Host: c.Host, Port: c.port(), Protocol: c.Protocol,
		Application: "badger", MaxRetryCount: c.Retries, LoginTimeout: loginTimeout,
		DisableTelemetry: true, DisableOCSPChecks: true, Params: map[string]*string{},
		// A proxy that no host is reached through: without one gosnowflake 1.19.1 uses the
		// environment's.
		ProxyProtocol: "http", ProxyHost: "proxy.invalid", ProxyPort: 80, NoProxy: "*",
	}
	if c.Proxy != nil {
		host, port := driver.HostPort(c.Proxy)
		out.ProxyProtocol, out.ProxyHost, out.ProxyPort, out.NoProxy = c.Proxy.Scheme, host, port, ""
	}
	if c.Revocation == RevocationCRL {
		out.CertRevocationCheckMode, out.CrlOnDiskCacheDisabled = sf.CertRevocationCheckEnabled, true
	}
	for name, value := range c.params() {
		out.Params[name] = &value
	}
	var err error
	switch c.Auth {
	case KeyPair:
		out.Authenticator = sf.AuthTypeJwt
		out.PrivateKey, err = c.privateKey()
	case OAuth, Container:
		out.Authenticator = sf.AuthTypeOAuth
		out.Token, err = c.read("token", c.Secret.TokenFile, c.Secret.TokenEnv)
	case PAT:
		out.Authenticator = sf.AuthTypePat
		out.Token, err = c.read("token", c.Secret.TokenFile, c.Secret.TokenEnv)
	case Password:
		out.Authenticator = sf.AuthTypeSnowflake
		out.Password, err = c.read("password", c.Secret.PasswordFile, c.Secret.PasswordEnv)
	}
	return out, err
}

// params returns the session's parameters: instants in UTC, JSON on one line, and nothing that is visible to
// others.
func (c *Config) params() map[string]string {
	p := map[string]string{
		"ABORT_DETACHED_QUERY": "true", // what a client ran that is gone, after five minutes
		"TIMEZONE":             "UTC", "JSON_INDENT": "0", "CLIENT_TELEMETRY_ENABLED": "false", "QUERY_TAG": "badger",
		// MB, the second lowest: a few are held at the same time
		"GEOGRAPHY_OUTPUT_FORMAT": "WKT", "GEOMETRY_OUTPUT_FORMAT": "WKT", "CLIENT_RESULT_CHUNK_SIZE": "48",
	}
	if c.QueryTag != "" {
		p["QUERY_TAG"] = c.QueryTag
	}
	if c.StatementTimeout > 0 {
		p["STATEMENT_TIMEOUT_IN_SECONDS"] = strconv.Itoa(int(c.StatementTimeout / time.Second))
	}
	for name, value := range c.Params {
		p[strings.ToUpper(name)] = value
	}
	p["AUTOCOMMIT"], p["MULTI_STATEMENT_COUNT"] = "true", "1" // what the connector relies on
	return p
}

func (c *Config) privateKey() (*rsa.PrivateKey, error) {
	file, err := driverbase.ReadFile("snowflake", "private key", c.Secret.PrivateKeyFile)
	if err != nil {
		return nil, err
	}
	passphrase := ""
	if c.Secret.PassphraseFile != "" || c.Secret.PassphraseEnv != "" {
		if passphrase, err = c.read("passphrase", c.Secret.PassphraseFile, c.Secret.PassphraseEnv); err != nil {
			return nil, err
		}
	}
	key, err := pkcs8.Key(file, passphrase)
	if err != nil {
		return nil, unauthenticated("the private key file %s: %w", driverbase.FileName(c.Secret.PrivateKeyFile), err)
	}
	return key, nil
}

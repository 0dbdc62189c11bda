package snowflake

import (
	"context"
	"crypto/rsa"
	sqldriver "database/sql/driver"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	sf "github.com/snowflakedb/gosnowflake"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/snowflake/internal/pkcs8"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// Auth is a method of authentication.
type Auth string

// The methods of authentication.
const (
	KeyPair   Auth = "keypair"   // a JSON Web Token signed with the RSA key whose public key is set on the user
	OAuth     Auth = "oauth"     // an OAuth token
	Container Auth = "container" // the token that Snowflake puts into its own containers (Snowpark Container Services)
	PAT       Auth = "pat"       // a programmatic access token
	Password  Auth = "password"
)

// containerToken is the file in which Snowflake stores a container service's token; Snowflake rewrites it every few
// minutes.
const containerToken = "/snowflake/session/token"

// Secret is the location of secrets: names of files and of environment variables.
type Secret struct {
	PrivateKeyFile, PassphraseFile, PassphraseEnv string
	TokenFile, TokenEnv                           string
	PasswordFile, PasswordEnv                     string
}

// auth returns the method of authentication for the kind of secret that is set; "" if none is.
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

// secretOfEnvironment returns the location of the first secret for c.Auth, or for any method if that is empty, among
// the environment variables and a container's token file. It is empty if there is none.
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

// checkSecret returns an error if credentials are missing or ambiguous.
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
		return invalid("no credentials: for a host other than Snowflake's own, expected private_key_file, token_file, token_env, password_file or password_env in the URL")
	case sources == 0:
		return invalid("no credentials: expected private_key_file, token_file, token_env, password_file or password_env in the URL, or SNOWFLAKE_PRIVATE_KEY_FILE, SNOWFLAKE_TOKEN_FILE_PATH, SNOWFLAKE_TOKEN or SNOWFLAKE_PASSWORD")
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
		if !variable.MatchString(name) { // it may be the secret itself: do not repeat it
			return invalid("token_env, password_env and private_key_passphrase_env take the name of an environment variable")
		}
	}
	return nil
}

var variable = lazyregexp.New(`^[A-Za-z0-9_]*$`)

// read returns the single line of a file or of an environment variable.
func (c *Config) read(what, file, env string) (string, error) {
	return driverbase.ReadSecret("snowflake", what, file, env, c.getenv)
}

func unauthenticated(format string, args ...any) error {
	return errcode.New(errcode.Unauthenticated, "snowflake: "+format, args...)
}

// login authenticates each session of the pool, and reads the secret each time.
type login struct {
	config Config
	// transport is the HTTP transport of all sessions. If nil, the driver creates one that checks revocation lists; its
	// memory is then only accounted once responses have become records.
	transport http.RoundTripper
}

func newLogin(c Config) *login {
	l := &login{config: c}
	if c.Revocation != RevocationCRL {
		l.transport = driverbase.Counted{RoundTripper: driver.Transport(c.Proxy), Unzip: true}
	}
	return l
}

// Driver returns the driver.
func (*login) Driver() sqldriver.Driver { return sf.SnowflakeDriver{} }

// Connect opens a session.
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

// driverConfig returns the configuration for the driver, including the secret.
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
		// A proxy that is used for no host: without one, gosnowflake 1.19.1 uses the environment's proxy.
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

// params returns the session's parameters: times in UTC, JSON on one line, and no telemetry.
func (c *Config) params() map[string]string {
	p := map[string]string{
		"ABORT_DETACHED_QUERY": "true", // cancels statements of a lost client after five minutes
		"TIMEZONE":             "UTC", "JSON_INDENT": "0", "CLIENT_TELEMETRY_ENABLED": "false", "QUERY_TAG": "badger",
		"GEOGRAPHY_OUTPUT_FORMAT": "WKT", "GEOMETRY_OUTPUT_FORMAT": "WKT",
		// in MB; small, since a few chunks are in memory at the same time
		"CLIENT_RESULT_CHUNK_SIZE": "48",
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
	p["AUTOCOMMIT"], p["MULTI_STATEMENT_COUNT"] = "true", "1" // the connector relies on these
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

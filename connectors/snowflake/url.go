package snowflake

import (
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Config configures the connection to an account. It contains no secrets, only their locations.
type Config struct {
	Account, User, Database, Schema, Warehouse, Role string

	// The address of the account; empty is its own host, over https. Plain http to other machines requires Insecure.
	Host     string
	Port     int
	Protocol string // https or http; "" is https
	Insecure bool

	Auth   Auth   // "" is derived from the configured secrets
	Secret Secret // location of the secret

	QueryTag         string            // query tag of all statements; "" is badger
	StatementTimeout time.Duration     // after which Snowflake cancels a statement; 0 is the account's
	LoginTimeout     time.Duration     // 0 is one minute
	Retries          int               // maximum number of retries of a request; 0 is 7
	Params           map[string]string // session parameters
	Proxy            *url.URL          // http(s)://HOST:PORT, or nil for no proxy; proxies of the environment are ignored
	Revocation       Revocation        // of certificates; "" is RevocationOff

	getenv func(string) string // nil is os.Getenv, set by check
}

// Revocation is the kind of certificate revocation check for the account's hosts. It contacts other hosts, in plain
// HTTP, and is therefore off by default.
type Revocation string

// The kinds of certificate revocation checks.
const (
	RevocationOff Revocation = "off"
	// RevocationCRL downloads the revocation lists that the certificates name, keeps them in memory, and connects
	// only if they are available and do not list the certificate.
	RevocationCRL Revocation = "crl"
)

// ParseURL reads snowflake://[USER@]ACCOUNT[/DATABASE[/SCHEMA]]?warehouse=W&role=R&…. The options
// are
//
//	warehouse, role, user, database, schema   the initial settings of the session
//	auth                                      keypair, oauth, container, pat or password; the default follows from the configured secrets
//	private_key_file                          PEM, PKCS #8; private_key_passphrase_env or private_key_passphrase_file if it is encrypted
//	token_file, token_env                     an OAuth token, or with auth=pat a programmatic access token
//	password_file, password_env               a password
//	host, port, protocol, insecure            the account's address, for private links and emulators
//	query_tag, statement_timeout              statement_timeout is a duration such as 10m
//	login_timeout, retries                    a duration; a number
//	proxy                                     http(s)://HOST:PORT, for all connections
//	revocation                                off (the default) or crl: whether to check certificates against revocation lists
//	param.NAME                                a session parameter
//
// A URL cannot contain secrets. Files and variables are read at every authentication, so that a rotated secret
// takes effect. Missing parts of the URL are taken from SNOWFLAKE_ACCOUNT, _USER, _DATABASE, _SCHEMA, _WAREHOUSE
// and _ROLE; with the account, or in a container of Snowflake's own, the host is taken from SNOWFLAKE_HOST. The
// secret is taken from SNOWFLAKE_PRIVATE_KEY_FILE (passphrase in SNOWFLAKE_PRIVATE_KEY_PASSPHRASE),
// SNOWFLAKE_TOKEN_FILE_PATH, SNOWFLAKE_TOKEN, SNOWFLAKE_PASSWORD, or in a container of Snowflake's own the token
// file that it provides. Secrets of variables that the URL does not name are sent to Snowflake's own hosts and to
// SNOWFLAKE_HOST only.
func ParseURL(rawURL string) (Config, error) { return parseURL(rawURL, os.Getenv) }

func parseURL(rawURL string, getenv func(string) string) (Config, error) {
	c := Config{getenv: getenv}
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != scheme || u.Opaque != "" {
		return c, invalid("expected a URL such as snowflake://ACCOUNT/DATABASE/SCHEMA?warehouse=W")
	}
	if u.User != nil {
		if _, has := u.User.Password(); has {
			return c, invalid(
				"a URL appears in logs and must not contain a password: use private_key_file, token_file, password_file or password_env")
		}
		c.User = u.User.Username()
	}
	c.Account = u.Hostname()
	if u.Port() != "" {
		return c, invalid("the account %q has no port; expected host=… and port=… as options", c.Account)
	}
	c.Database, c.Schema, _ = strings.Cut(strings.Trim(u.Path, "/"), "/")
	if strings.Contains(c.Schema, "/") {
		return c, invalid("expected at most /DATABASE/SCHEMA after the account")
	}
	if err := c.options().Read("snowflake", u.RawQuery); err != nil {
		return c, err
	}
	c.complete()
	return c, nil
}

// checked returns the configuration of a URL, or an error if something is missing.
func checked(rawURL string) (Config, error) {
	c, err := ParseURL(rawURL)
	if err == nil {
		err = c.check()
	}
	return c, err
}

func (c *Config) options() driverbase.Options {
	return driverbase.Options{
		"user": driverbase.Text(&c.User), "warehouse": driverbase.Text(&c.Warehouse), "role": driverbase.Text(&c.Role),
		"database": driverbase.Text(&c.Database), "schema": driverbase.Text(&c.Schema),
		"auth":                        driverbase.Choice(&c.Auth, KeyPair, OAuth, Container, PAT, Password),
		"private_key_file":            driverbase.Text(&c.Secret.PrivateKeyFile),
		"private_key_passphrase_env":  driverbase.Text(&c.Secret.PassphraseEnv),
		"private_key_passphrase_file": driverbase.Text(&c.Secret.PassphraseFile),
		"token_file":                  driverbase.Text(&c.Secret.TokenFile), "token_env": driverbase.Text(&c.Secret.TokenEnv),
		"password_file": driverbase.Text(&c.Secret.PasswordFile), "password_env": driverbase.Text(&c.Secret.PasswordEnv),
		"host": driverbase.Text(&c.Host), "port": driverbase.Port(&c.Port),
		"protocol": driverbase.Choice(&c.Protocol, "https", "http"), "insecure": driverbase.Bool(&c.Insecure),
		"query_tag": driverbase.Text(&c.QueryTag),
		"statement_timeout": driverbase.Duration(&c.StatementTimeout, time.Second,
			"a duration such as 10m, of a second or more"),
		"login_timeout": driverbase.Duration(&c.LoginTimeout, 1, "a duration such as 30s"),
		"retries":       driverbase.Positive(&c.Retries, "a positive number"),
		"proxy":         driverbase.Proxy(&c.Proxy),
		"revocation":    driverbase.Choice(&c.Revocation, RevocationOff, RevocationCRL),
		"param.":        driverbase.Each(&c.Params),
	}
}

// complete sets what the URL omits from the environment.
func (c *Config) complete() {
	// A named account has its own host, whatever the environment contains. A container's token is only valid at the
	// container's host.
	hostless := c.Account == "" || c.Auth == Container || c.Auth == "" && c.Secret == (Secret{}) && exists(containerToken)
	for _, f := range []struct {
		to   *string
		name string
	}{
		{&c.Account, "SNOWFLAKE_ACCOUNT"}, {&c.User, "SNOWFLAKE_USER"}, {&c.Database, "SNOWFLAKE_DATABASE"},
		{&c.Schema, "SNOWFLAKE_SCHEMA"},
		{&c.Warehouse, "SNOWFLAKE_WAREHOUSE"}, {&c.Role, "SNOWFLAKE_ROLE"},
	} {
		if *f.to == "" {
			*f.to = c.getenv(f.name)
		}
	}
	fromEnv := false
	if c.Host == "" && hostless && c.getenv("SNOWFLAKE_HOST") != "" {
		c.Host, fromEnv = c.getenv("SNOWFLAKE_HOST"), true
	}
	if c.Secret == (Secret{}) && (fromEnv || c.ownHost()) {
		c.Secret = c.secretOfEnvironment()
	}
	if c.Auth == "" {
		c.Auth = c.Secret.auth()
	}
}

// ownHost reports whether requests go to a host of Snowflake's domains.
func (c *Config) ownHost() bool {
	host := strings.ToLower(c.Host)
	return host == "" || strings.HasSuffix(host, ".snowflakecomputing.com") ||
		strings.HasSuffix(host, ".snowflakecomputing.cn")
}

// check sets defaults and returns an error if a required value is missing.
func (c *Config) check() error {
	if c.getenv == nil {
		c.getenv = os.Getenv
	}
	switch {
	case c.Account == "":
		return invalid("no account: expected snowflake://ACCOUNT/…, such as myorg-myaccount, or SNOWFLAKE_ACCOUNT")
	case strings.ContainsAny(c.Account, "/:@ ") || strings.Contains(c.Account, ".snowflakecomputing."):
		return invalid("expected the name of an account, such as myorg-myaccount, not a host or an address")
	}
	if c.Protocol == "http" && !c.Insecure && !driver.Loopback(c.Host) {
		return invalid("plain http is for emulators on this machine; use https, or insecure=true if the network is trusted")
	}
	return c.checkSecret()
}

// endpoint returns the quoted host, or the account if no host is set, for messages.
func (c *Config) endpoint() string {
	if c.Host == "" {
		return strconv.Quote(c.Account)
	}
	if c.Port == 0 {
		return strconv.Quote(c.Host)
	}
	return strconv.Quote(net.JoinHostPort(c.Host, strconv.Itoa(c.Port)))
}

func invalid(format string, args ...any) error {
	return errcode.New(errcode.InvalidArgument, "snowflake: "+format, args...)
}

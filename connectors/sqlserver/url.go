package sqlserver

import (
	"crypto/tls"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// scheme is the scheme of URLs. See [parseURL].
const scheme = "sqlserver"

// The ways to encrypt a connection, as the option tls names them.
const (
	tlsVerify  = "verify"  // encrypted, and the certificate is that of the host
	tlsStrict  = "strict"  // as verify, from the first byte: TDS 8.0, SQL Server 2022 and later
	tlsRequire = "require" // encrypted; the certificate is not checked
	tlsOff     = "off"
)

// address is a parsed URL.
type address struct {
	user, database  string
	host            string // in lower case
	port            int
	tls             string
	authority       string // file with certificates of authorities; "" is those of the system
	password, token driverbase.Password
	tokens          bool // a token is named
}

// parseURL parses sqlserver://USER@HOST:PORT/DATABASE?OPTION=VALUE&…. With a token it names no user.
func parseURL(rawURL string) (*address, error) {
	invalid := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "sqlserver: "+format, args...)
	}
	u, err := url.Parse(rawURL)
	if err != nil || u.Opaque != "" || u.Fragment != "" || strings.Count(u.Path, "/") > 1 {
		return nil, invalid("malformed URL; expected one such as sqlserver://USER@HOST:PORT/DATABASE")
	}
	if _, has := u.User.Password(); has {
		return nil, invalid("a URL appears in logs and must not contain a password: use SQLCMDPASSWORD, password_file, password_env or password_command")
	}
	a := &address{
		user: u.User.Username(), database: strings.TrimPrefix(u.Path, "/"), host: strings.ToLower(u.Hostname()),
		port: 1433, password: driverbase.Password{Connector: "sqlserver"},
		token: driverbase.Password{Connector: "sqlserver", Name: "token"},
	}
	options := driverbase.Options{
		"tls":    driverbase.Choice(&a.tls, tlsVerify, tlsStrict, tlsRequire, tlsOff),
		"tls_ca": driverbase.Text(&a.authority),
	}
	a.password.Options(options)
	a.token.Options(options)
	if err := options.Read("sqlserver", u.RawQuery); err != nil {
		return nil, err
	}
	for _, p := range []*driverbase.Password{&a.password, &a.token} {
		if err := p.Check(); err != nil {
			return nil, err
		}
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if a.port = int(n); err != nil || n == 0 { //nolint:gosec // 16 bits
			return nil, invalid("invalid port; expected a number from 1 to 65535")
		}
	}
	if a.tls == "" {
		a.tls = tlsVerify
		if driver.Loopback(a.host) {
			a.tls = tlsOff
		}
	}
	a.tokens = a.token.Where() != ""
	switch {
	case a.host == "":
		return nil, invalid("the URL names no host; expected sqlserver://USER@HOST:PORT/DATABASE")
	case a.database == "":
		return nil, invalid("the URL names no database; expected sqlserver://USER@HOST:PORT/DATABASE")
	case a.tokens && (a.user != "" || a.password.Where() != ""):
		return nil, invalid("the URL names a token and a user or a password; expected one of them")
	case !a.tokens && a.user == "":
		return nil, invalid("the URL names no user; expected sqlserver://USER@HOST:PORT/DATABASE, or token_file, token_env or token_command")
	case a.tokens && a.tls != tlsVerify && a.tls != tlsStrict && !driver.Loopback(a.host):
		return nil, invalid("a token is only sent to a server that is known; expected tls=verify or tls=strict")
	case a.authority != "" && a.tls != tlsVerify && a.tls != tlsStrict:
		return nil, invalid("option tls_ca: expected tls=verify or tls=strict with it, since nothing else checks a certificate")
	}
	return a, nil
}

// where returns the server and the database, for messages.
func (a *address) where() string {
	return net.JoinHostPort(a.host, strconv.Itoa(a.port)) + "/" + a.database
}

// encryption returns how the connection is encrypted; nil for a plain one.
func (a *address) encryption() (*tls.Config, error) {
	if a.tls == tlsOff {
		return nil, nil //nolint:nilnil // it is not encrypted
	}
	config := &tls.Config{ServerName: a.host, MinVersion: tls.VersionTLS12, DynamicRecordSizingDisabled: true,
		InsecureSkipVerify: a.tls == tlsRequire} //nolint:gosec // the URL asks for it
	if a.authority == "" {
		return config, nil
	}
	var err error
	config.RootCAs, err = driverbase.Authorities("sqlserver", a.authority)
	return config, err
}

package mysql

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

// Schemes of URLs. Both mean the same: the server says which of the two it is.
const (
	scheme        = "mysql"
	schemeMariaDB = "mariadb"
)

// The ways to encrypt a connection, as the option tls names them.
const (
	tlsVerify  = "verify"  // encrypted, and the certificate is that of the host
	tlsRequire = "require" // encrypted; the certificate is not checked
	tlsOff     = "off"
)

// address is a parsed URL.
type address struct {
	user, database string
	host           string // in lower case; "" for a socket
	port           int
	socket         string // path of a Unix socket
	tls            string
	authority      string // file with certificates of authorities; "" is those of the system
	password       driverbase.Password
}

// parseURL parses mysql://USER@HOST:PORT/DATABASE?OPTION=VALUE&….
func parseURL(rawURL string) (*address, error) {
	invalid := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "mysql: "+format, args...)
	}
	u, err := url.Parse(rawURL)
	if err != nil || u.Opaque != "" || u.Fragment != "" || strings.Count(u.Path, "/") > 1 {
		return nil, invalid("malformed URL; expected one such as mysql://USER@HOST:PORT/DATABASE")
	}
	if _, has := u.User.Password(); has {
		return nil, invalid("a URL appears in logs and must not contain a password: use MYSQL_PWD, password_file, password_env or password_command")
	}
	a := &address{user: u.User.Username(), database: strings.TrimPrefix(u.Path, "/"), host: strings.ToLower(u.Hostname()),
		port: 3306, password: driverbase.Password{Connector: "mysql"}}
	options := driverbase.Options{
		"socket": driverbase.Text(&a.socket),
		"tls":    driverbase.Choice(&a.tls, tlsVerify, tlsRequire, tlsOff),
		"tls_ca": driverbase.Text(&a.authority),
	}
	a.password.Options(options)
	if err := options.Read("mysql", u.RawQuery); err != nil {
		return nil, err
	}
	if err := a.password.Check(); err != nil {
		return nil, err
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if a.port = int(n); err != nil || n == 0 { //nolint:gosec // 16 bits
			return nil, invalid("invalid port; expected a number from 1 to 65535")
		}
	}
	switch {
	case a.user == "":
		return nil, invalid("the URL names no user; expected mysql://USER@HOST:PORT/DATABASE")
	case a.host == "" && a.socket == "":
		return nil, invalid("the URL names no host; expected mysql://USER@HOST:PORT/DATABASE, or the option socket=PATH")
	case a.host != "" && a.socket != "":
		return nil, invalid("the URL names a host and a socket; expected one of them")
	case a.tls == "" && (a.socket != "" || driver.Loopback(a.host)):
		a.tls = tlsOff
	case a.tls == "":
		a.tls = tlsVerify
	}
	if a.authority != "" && a.tls != tlsVerify {
		return nil, invalid("option tls_ca: expected tls=verify with it, since nothing else checks a certificate")
	}
	return a, nil
}

// dial returns the network and the address of the server.
func (a *address) dial() (network, address string) {
	if a.socket != "" {
		return "unix", a.socket
	}
	return "tcp", net.JoinHostPort(a.host, strconv.Itoa(a.port))
}

// where returns the server and the database, for messages.
func (a *address) where() string {
	_, server := a.dial()
	return server + "/" + a.database
}

// encryption returns how the connection is encrypted; nil for a plain one.
func (a *address) encryption() (*tls.Config, error) {
	if a.tls == tlsOff {
		return nil, nil //nolint:nilnil // it is not encrypted
	}
	config := &tls.Config{ServerName: a.host, MinVersion: tls.VersionTLS12,
		InsecureSkipVerify: a.tls == tlsRequire} //nolint:gosec // the URL asks for it
	if a.authority == "" {
		return config, nil
	}
	var err error
	config.RootCAs, err = driverbase.Authorities("mysql", a.authority)
	return config, err
}

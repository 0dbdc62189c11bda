package postgres

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

func invalid(format string, args ...any) error {
	return errcode.New(errcode.InvalidArgument, format, args...)
}

// address is a parsed URL.
type address struct {
	config   *pgxpool.Config
	redshift bool
	password driverbase.Password
}

// parseURL parses a URL, see [Open].
func parseURL(rawURL string) (a address, err error) {
	scheme, rest, _ := strings.Cut(rawURL, "://")
	a.redshift = scheme == schemeRedshift
	if rest == "" && !strings.HasSuffix(rawURL, "://") || !a.redshift && scheme != Scheme && scheme != schemeLong {
		return a, invalid("expected a URL such as postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full")
	}
	rest, query, _ := strings.Cut(rest, "?")
	settings, err := url.ParseQuery(query)
	if err != nil {
		return a, invalid("postgres: the options after ? are malformed; expected NAME=VALUE joined by &")
	}
	user, _, signed := strings.Cut(rest[:strings.LastIndexByte(rest, '@')+1], "@")
	if signed && strings.Contains(user, ":") || settings.Has("password") || settings.Has("sslpassword") {
		return a, invalid("postgres: a URL appears in logs and must not contain a password: use PGPASSWORD, a password file (PGPASSFILE, passfile=FILE), a service file, password_file, password_env or password_command")
	}
	if a.password, err = passwordOf(settings); err != nil {
		return a, err
	}
	if a.redshift {
		if !settings.Has("sslmode") {
			settings.Set("sslmode", "require")
		}
		at := strings.LastIndexByte(rest, '@') + 1
		host, path, hasPath := strings.Cut(rest[at:], "/")
		if u := (&url.URL{Host: host}); host != "" && u.Port() == "" && !settings.Has("port") {
			host += ":5439"
		}
		rest = rest[:at] + host
		if hasPath {
			rest += "/" + path
		}
	}
	text := "postgres://" + rest
	if len(settings) > 0 {
		text += "?" + settings.Encode()
	}
	if a.config, err = pgxpool.ParseConfig(text); err != nil { // its message may contain data of files and the environment
		return a, &errcode.Error{Code: errcode.InvalidArgument,
			Msg: "postgres: the URL, the PG* variables or the files they name cannot be read as settings of libpq", Err: err}
	}
	return a, nil
}

// whereOf returns a server and its database, for messages.
func whereOf(c *pgconn.Config) string {
	if strings.HasPrefix(c.Host, "/") {
		return c.Host + "/" + c.Database
	}
	return net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database
}

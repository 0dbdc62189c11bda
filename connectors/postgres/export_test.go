package postgres

import (
	"context"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
)

// OpenAsRedshift opens a PostgreSQL server and treats it as Redshift is treated, which shows of
// that what both have in common.
func OpenAsRedshift(ctx context.Context, url string, o driver.Options) (driver.Conn, error) {
	c, err := open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	c.redshift = true // but for arrays, which Redshift has none of
	return c, nil
}

// ParseURL is parseURL without the driver's types.
func ParseURL(url string) (host string, port uint16, database, user string, tls, redshift bool, err error) {
	a, err := parseURL(url)
	if err != nil {
		return "", 0, "", "", false, false, err
	}
	c := a.config.ConnConfig
	return c.Host, c.Port, c.Database, c.User, c.TLSConfig != nil, a.redshift, nil
}

// Patience sets for how long a session is waited for, and returns what it was.
func Patience(d time.Duration) time.Duration {
	was := patience
	patience = d
	return was
}

// AskFor sets how long a server is asked about a transaction, and returns what it was.
func AskFor(d time.Duration) time.Duration {
	was := askFor
	askFor = d
	return was
}

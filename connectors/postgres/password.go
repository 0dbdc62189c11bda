package postgres

import (
	"context"
	"net/url"

	"github.com/jackc/pgx/v5"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// passwordOf returns the location of a password, in addition to those of libpq, in a URL's settings. It removes it from
// them, so that only libpq's settings remain.
func passwordOf(settings url.Values) (driverbase.Password, error) {
	p := driverbase.Password{Connector: "postgres"}
	options, own := driverbase.Options{}, url.Values{}
	p.Options(options)
	for name := range options {
		if values, named := settings[name]; named {
			own[name] = values
			settings.Del(name)
		}
	}
	if err := options.Read(p.Connector, own.Encode()); err != nil {
		return p, err
	}
	return p, p.Check()
}

// signIn sets the credentials and the other settings for a new session from the URL, the environment and the files that
// these name, as they are now.
func (c *Conn) signIn(ctx context.Context, config *pgx.ConnConfig) error {
	now, err := parseURL(c.url)
	if err != nil {
		return err
	}
	text, ok, err := now.password.Read(ctx)
	if err != nil {
		return err
	}
	parameters := config.RuntimeParams
	*config = *now.config.ConnConfig
	config.RuntimeParams = parameters
	if ok {
		config.Password = text
	}
	return nil
}

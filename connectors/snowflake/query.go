package snowflake

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// Query runs one statement and streams its result.
func (c *Conn) Query(ctx context.Context, query string, args ...any) (array.RecordReader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var res *result
	err := c.session(ctx, func(s *session) (err error) {
		res, err = s.query(ctx, query, args)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.read(ctx, res)
}

// Exec runs one statement and discards its result.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.session(ctx, func(s *session) error { return s.exec(ctx, query, args...) })
}

// QueryText runs a query that returns a single string.
func (c *Conn) QueryText(ctx context.Context, query string, args ...any) (string, error) {
	r, err := c.Query(ctx, query, args...)
	if err != nil {
		return "", err
	}
	return driverbase.OneText("snowflake", r)
}

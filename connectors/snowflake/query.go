package snowflake

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow/array"
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

// Exec runs one statement and drops what it returns.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.session(ctx, func(s *session) error { return s.exec(ctx, query, args...) })
}

// QueryText runs a query and returns its one text.
func (c *Conn) QueryText(ctx context.Context, query string, args ...any) (string, error) {
	r, err := c.Query(ctx, query, args...)
	if err != nil {
		return "", err
	}
	defer r.Release()
	text, rows := "", int64(0)
	for r.Next() {
		rec := r.Record()
		if rec.NumCols() != 1 {
			return "", invalid("%d columns, expected one text", rec.NumCols())
		}
		if rec.NumRows() > 0 && rows == 0 {
			if col := rec.Column(0); col.IsValid(0) {
				text = col.ValueStr(0)
			}
		}
		rows += rec.NumRows()
	}
	if err := r.Err(); err != nil {
		return "", err
	}
	if r.Schema().NumFields() != 1 {
		return "", invalid("%d columns, expected one text", r.Schema().NumFields())
	}
	if rows != 1 {
		return "", invalid("%d rows, expected one text", rows)
	}
	return text, nil
}

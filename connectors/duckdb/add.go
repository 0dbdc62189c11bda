package duckdb

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/driver"
)

// Add adds rows, or merges them where they may have rivals. It counts the rows of the table, which the
// engine knows without reading them, and counts the writer's own only where others have written. No
// other process has the file open, and of this one's writers one writes at a time: nothing comes
// between counting and adding.
func (c *Conn) Add(ctx context.Context, table string, key []string, rows array.RecordReader, again bool, m *driver.Mark) (int64, error) {
	w, err := c.write(table, key, rows)
	if err != nil {
		return 0, err
	}
	defer w.rows.close()
	if c.sparing != nil {
		c.bind(ctx)
	}
	count := "SELECT count(*) FROM " + joined(w.table)
	next := *m
	n, err := c.transaction(ctx, func(s *session) (n int64, err error) {
		if err := s.match(ctx, w); err != nil {
			return 0, err
		}
		if next.Table, err = s.count(ctx, count); err != nil {
			return 0, err
		}
		if next.Table != m.Table {
			if next.Own, err = s.count(ctx, count+" WHERE "+Dialect.Identifiers.Quoted(m.Column)+" = ?", m.Value); err != nil {
				return 0, err
			}
			next.Alone = m.Alone && next.Own == m.Own
		}
		before := next.Table
		if next.Alone && !again {
			n, err = s.append(ctx, w.table, w.plan.Columns, w.rows)
			next.Table += n
		} else if n, err = s.merge(ctx, w); err == nil {
			next.Table, err = s.count(ctx, count)
		}
		next.Own += next.Table - before
		return n, err
	})
	if err == nil {
		*m = next
	}
	return n, w.plan.Failed(err)
}

// count runs a query of one number.
func (s *session) count(ctx context.Context, sql string, args ...any) (int64, error) {
	r, err := s.query(ctx, sql, args, func() {})
	if err != nil {
		return 0, err
	}
	defer r.Release()
	n := int64(0)
	for r.Next() {
		n = r.Record().Column(0).(*array.Int64).Value(0)
	}
	return n, r.Err()
}

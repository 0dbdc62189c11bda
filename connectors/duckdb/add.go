package duckdb

import (
	"context"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/driver"
)

// Add appends rows, or merges them if another client has written rows with the mark's value, or again is set. The
// engine knows a table's row count without reading it; the writer's own rows are counted only if that has changed.
// Nothing is written between counting and adding: no other process has the file open, and writers of this process run
// one at a time.
//
// A merge skips the rows before the writer's first one, so its cost does not grow with the rows of other runs: the
// engine skips parts of a table by row number, but keeps too little of a string to distinguish runs of the same
// day. It numbers rows in their order, and again after deleted rows are removed; a row's number is therefore never
// below the number of rows before it.
func (c *Conn) Add(ctx context.Context, table string, key []string, rows array.RecordReader, again bool,
	m *driver.Mark) (int64, error) {
	w, err := c.write(ctx, table, key, rows)
	if err != nil {
		return 0, err
	}
	defer w.rows.Release()
	if c.limiter != nil {
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
			own := " WHERE " + Dialect.Identifiers.Quoted(m.Column) + " = ?"
			if next.Own, err = s.count(ctx, count+own, m.Value); err != nil {
				return 0, err
			}
			first := "coalesce((SELECT min(rowid) FROM " + joined(w.table) + own + "), " + strconv.FormatInt(math.MaxInt64, 10) +
				")"
			if next.Before, err = s.count(ctx, count+" WHERE rowid < "+first, m.Value); err != nil {
				return 0, err
			}
			next.Alone = m.Alone && next.Own == m.Own
		}
		before := next.Table
		if next.Alone && !again {
			n, err = s.append(ctx, w.table, w.plan.Columns, w.rows)
			next.Table += n
		} else {
			among := ""
			if next.Before > 0 { // otherwise the condition only costs time
				among = "t.rowid >= " + strconv.FormatInt(next.Before, 10)
			}
			if n, err = s.merge(ctx, w, among); err == nil {
				next.Table, err = s.count(ctx, count)
			}
		}
		next.Own += next.Table - before
		return n, err
	})
	if err == nil {
		*m = next
	}
	return n, w.plan.Failed(err)
}

// count runs a query that returns one number.
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

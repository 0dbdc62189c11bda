package duckdb

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb/internal/vector"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// stage is the name of the temporary table into which rows with a key are first written.
const stage = "badger_stage"

// Merge writes rows in one transaction: with a key through a temporary table and one MERGE, without one directly
// into the table. Among rows with the same key the last is used. Columns are cast to the table's types.
func (c *Conn) Merge(ctx context.Context, table string, key []string, rows array.RecordReader) (int64, error) {
	w, err := c.write(ctx, table, key, rows)
	if err != nil {
		return 0, err
	}
	defer w.rows.Release()
	n, err := c.transaction(ctx, func(s *session) (int64, error) {
		if err := s.match(ctx, w); err != nil {
			return 0, err
		}
		if !w.plan.HasKey() {
			return s.append(ctx, w.table, w.plan.Columns, w.rows)
		}
		return s.merge(ctx, w, "")
	})
	return n, w.plan.Failed(err)
}

// write is one operation that writes rows into a table.
type write struct {
	table []string // the parts of its name
	plan  *driverbase.Plan
	rows  *driverbase.Reader
}

// write validates a write operation and prepares its rows. The caller must release its rows.
func (c *Conn) write(ctx context.Context, table string, key []string, rows array.RecordReader) (*write, error) {
	target, err := nameOf(table)
	if err != nil {
		return nil, err
	}
	plan, err := driverbase.NewPlan("duckdb", table, rows.Schema(), key)
	if err != nil {
		return nil, err
	}
	if c.settings["access_mode"] == "READ_ONLY" {
		return nil, plan.Error(errcode.PermissionDenied, "the connection only reads")
	}
	return &write{target, plan, asText(ctx, plan, rows)}, nil
}

// match reads the table's columns and matches the rows' columns to them.
func (s *session) match(ctx context.Context, w *write) error {
	r, err := s.query(ctx, "SELECT * FROM "+joined(w.table)+" LIMIT 0", nil, func() {})
	if err != nil {
		return err
	}
	defer r.Release()
	var names []string
	for _, f := range r.Schema().Fields() {
		names = append(names, f.Name)
	}
	return w.plan.Match(names)
}

// merge writes the rows into a temporary table, with the higher memory limit, and merges that into the table. For among
// see [driverbase.Spelling].
func (s *session) merge(ctx context.Context, w *write, among string) (int64, error) {
	if s.db.limiter != nil {
		if err := s.db.lift(ctx); err != nil {
			return 0, err
		}
		defer s.db.lower()
	}
	spelling := driverbase.Spelling{Quote: Dialect.Identifiers.Quoted, Named: true, Among: among}
	table, columns := joined(w.table), w.plan.Targets(spelling)
	if err := s.exec(ctx,
		fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT %s FROM %s LIMIT 0", stage, driverbase.List(columns), table)); err != nil {
		return 0, err
	}
	n, err := s.append(ctx, []string{"temp", "main", stage}, w.plan.Columns, w.rows)
	if err != nil || n == 0 {
		return n, err
	}
	newest := "(SELECT * FROM temp.main." + stage + " QUALIFY row_number() OVER (PARTITION BY " +
		driverbase.List(w.plan.OfKey(columns)) + " ORDER BY rowid DESC) = 1)"
	if err := s.exec(ctx, w.plan.Merge(spelling, table, newest)); err != nil {
		return 0, err
	}
	return n, s.exec(ctx, "DROP TABLE temp.main."+stage)
}

// Create creates a table with the rows, or replaces the one with that name, in one transaction.
func (c *Conn) Create(ctx context.Context, table string, rows array.RecordReader) (int64, error) {
	target, err := nameOf(table)
	if err != nil {
		return 0, err
	}
	columns := make([]string, rows.Schema().NumFields())
	names := make([]string, len(columns))
	for i, f := range rows.Schema().Fields() {
		t, err := vector.StoredAs(f)
		if err != nil {
			return 0, errcode.New(errcode.Of(err), "duckdb: column %d (%q): %w", i+1, f.Name, err)
		}
		names[i], columns[i] = f.Name, Dialect.Identifiers.Quoted(f.Name)+" "+t.SQL
	}
	return c.transaction(ctx, func(s *session) (int64, error) {
		if err := s.exec(ctx, "CREATE OR REPLACE TABLE "+joined(target)+" ("+strings.Join(columns, ", ")+")"); err != nil {
			return 0, err
		}
		return s.append(ctx, target, names, rows)
	})
}

// transaction runs f in a transaction, which it rolls back if f fails. Transactions of one instance run one at a time.
func (c *Conn) transaction(ctx context.Context, f func(*session) (int64, error)) (n int64, err error) {
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	s, err := c.acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer c.release(s)
	if err := s.exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return 0, err
	}
	if n, err = f(s); err == nil {
		err = s.exec(ctx, "COMMIT")
	}
	if err != nil {
		_ = s.exec(context.WithoutCancel(ctx), "ROLLBACK") // the first error is returned
		return 0, err
	}
	s.reusable = true // the transaction has ended and the temporary table is dropped
	return n, nil
}

// nameOf returns the one to three parts of a table's name.
func nameOf(table string) ([]string, error) {
	parts, err := driver.Ref{Kind: driver.RefTable, Name: table}.Parts()
	if err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "duckdb: expected a table's name, such as schema.table")
	}
	return parts, nil
}

// joined returns the quoted parts of a name, joined by dots.
func joined(parts []string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = Dialect.Identifiers.Quoted(p)
	}
	return strings.Join(quoted, ".")
}

// flushBytes is the number of bytes of strings after which the appender writes its rows to the table.
const flushBytes = 32 << 20

// append appends rows to the named columns of a table and returns their number.
func (s *session) append(ctx context.Context, table, names []string, rows array.RecordReader) (n int64, err error) {
	var a mapping.Appender
	catalog, schema := "", ""
	switch len(table) {
	case 3:
		catalog, schema = table[0], table[1]
	case 2:
		schema = table[0]
	}
	if mapping.AppenderCreateExt(s.conn, catalog, schema, table[len(table)-1], &a) == mapping.StateError {
		err := s.appenderError(a)
		mapping.AppenderDestroy(&a)
		return 0, err
	}
	defer func() {
		if err != nil {
			mapping.AppenderClear(a)
		}
		if mapping.AppenderDestroy(&a) == mapping.StateError && err == nil {
			err = errcode.New(errcode.Internal, "duckdb: the engine did not accept the rows")
		}
	}()
	for _, name := range names {
		if mapping.AppenderAddColumn(a, name) == mapping.StateError {
			return 0, s.appenderError(a)
		}
	}
	w, err := vector.NewWriter(rows.Schema())
	if err != nil {
		return 0, err
	}
	defer w.Close()
	held := 0
	for rows.Next() {
		rec := rows.Record()
		for start := 0; start < int(rec.NumRows()); {
			end, err := w.Fill(rec, start, n)
			if err != nil {
				return 0, err
			}
			err = s.run(ctx, func() error {
				if mapping.AppendDataChunk(a, w.Chunk()) == mapping.StateError {
					return s.appenderError(a)
				}
				if held += w.TextBytes(); held > flushBytes {
					held = 0
					return s.flush(a)
				}
				return nil
			})
			if err != nil {
				return 0, err
			}
			n += int64(end - start)
			start = end
		}
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	return n, s.run(ctx, func() error { return s.flush(a) })
}

func (s *session) flush(a mapping.Appender) error {
	if mapping.AppenderFlush(a) == mapping.StateError {
		return s.appenderError(a)
	}
	return nil
}

func (s *session) appenderError(a mapping.Appender) error {
	data := mapping.AppenderErrorData(a)
	defer mapping.DestroyErrorData(&data)
	return s.db.errorOf(mapping.ErrorDataMessage(data))
}

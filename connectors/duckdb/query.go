package duckdb

import (
	"context"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// Query runs one or more statements and streams the result of the last.
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (array.RecordReader, error) {
	return c.queryThen(ctx, sql, args, func() {})
}

// queryThen is like Query, and calls done when the result is released; not if it returns an error.
func (c *Conn) queryThen(ctx context.Context, sql string, args []any, done func()) (array.RecordReader, error) {
	if c.limiter != nil {
		return c.sparingly(ctx, sql, args, done)
	}
	return c.query(ctx, sql, args, done)
}

// query is like queryThen but does not raise the memory limit. It reopens a database that the engine has invalidated.
func (c *Conn) query(ctx context.Context, sql string, args []any, done func()) (*driverbase.Reader, error) {
	for again := false; ; again = true {
		s, err := c.acquire(ctx)
		if err != nil {
			return nil, err
		}
		if account.ReadingOf(ctx) != nil {
			s.holdLittle()
		}
		r, err := s.query(ctx, sql, args, func() {
			c.release(s)
			done()
		})
		if err == nil {
			return r, nil
		}
		nothing := s.ended == 0
		c.release(s)
		if again || !nothing || !refused(err) {
			return nil, err
		}
	}
}

// QueryText runs a query that returns a single string.
func (c *Conn) QueryText(ctx context.Context, query string, args ...any) (string, error) {
	r, err := c.Query(ctx, query, args...)
	if err != nil {
		return "", err
	}
	return driverbase.OneText("duckdb", r)
}

// ReadSnapshot streams a table or view. Results of queries and old versions of tables are
// unsupported: the engine does not store them.
func (c *Conn) ReadSnapshot(ctx context.Context, ref driver.Ref) (array.RecordReader, error) {
	switch {
	case ref.Kind == driver.RefFile:
		return nil, errcode.New(errcode.Unimplemented, "duckdb: file references are unsupported; use table:NAME")
	case ref.Kind != driver.RefTable:
		return nil, errcode.New(errcode.Unimplemented,
			"duckdb: query references are unsupported; write the result to a table and use table:NAME")
	case ref.At != "":
		return nil, errcode.New(errcode.Unimplemented,
			"duckdb: versions of tables are unsupported; write the old rows to a separate table")
	}
	name, err := c.resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	reading := account.ReadingOf(ctx)
	if reading == nil {
		return c.Query(ctx, "SELECT * FROM "+name)
	}
	size, err := c.chunkBytes(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := reading.Take(ctx, size+streamBytes); err != nil {
		return nil, errcode.New(errcode.Of(err),
			"duckdb: table %s: the engine reads %d rows at once, which may take %d bytes: %w", ref.Name, chunkRows, size, err)
	}
	select {
	case c.counted <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	give := func() { <-c.counted }
	r, err := c.queryThen(ctx, "SELECT * FROM "+name, nil, give)
	if err != nil {
		give()
	}
	return r, err
}

// resolve finds a table or view in the catalog and returns its quoted name. Unresolved names must not reach the engine,
// which reads "x.csv" as a file.
func (c *Conn) resolve(ctx context.Context, ref driver.Ref) (string, error) {
	const query = `SELECT d, s, t FROM (SELECT database_name AS d, schema_name AS s, table_name AS t FROM duckdb_tables() UNION ALL SELECT database_name, schema_name, view_name FROM duckdb_views())
WHERE lower(t) = lower(?) AND lower(s) = lower(coalesce(?, current_schema())) AND lower(d) = lower(coalesce(?, current_database())) LIMIT 1`
	parts, err := ref.Parts()
	if err != nil {
		return "", err
	}
	args := []any{nil, nil, nil} // table, schema, database
	for i := range parts {
		args[i] = parts[len(parts)-1-i]
	}
	r, err := c.Query(ctx, query, args...)
	if err != nil {
		return "", err
	}
	defer r.Release()
	if !r.Next() {
		if err := r.Err(); err != nil {
			return "", err
		}
		return "", errcode.New(errcode.NotFound, "duckdb: database %s: no table or view %s", c.name(), ref.Name)
	}
	var found []string
	for _, col := range r.Record().Columns() {
		found = append(found, col.(*array.String).Value(0))
	}
	return joined(found), nil
}

// Exec runs statements and discards their results.
func (c *Conn) Exec(ctx context.Context, sql string, args ...any) error {
	if c.limiter == nil {
		return c.exec(ctx, sql, args)
	}
	if err := c.lift(ctx); err != nil {
		return err
	}
	defer c.lower()
	return c.exec(ctx, sql, args)
}

func (c *Conn) exec(ctx context.Context, sql string, args []any) error {
	r, err := c.query(ctx, sql, args, func() {})
	if err != nil {
		return err
	}
	return drain(r)
}

func (s *session) exec(ctx context.Context, sql string, args ...any) error {
	r, err := s.query(ctx, sql, args, func() {})
	if err != nil {
		return err
	}
	return drain(r)
}

// drain reads a result to its end and releases it.
func drain(r *driverbase.Reader) error {
	defer r.Release()
	for r.Next() {
	}
	return r.Err()
}

// query runs all statements of sql but the last, and starts the last. done is called when the result of the last is
// released.
func (s *session) query(ctx context.Context, sql string, args []any, done func()) (*driverbase.Reader, error) {
	if strings.IndexByte(sql, 0) >= 0 {
		return nil, errcode.New(errcode.InvalidArgument, "duckdb: a NUL byte in the SQL text; use a parameter")
	}
	t := text{sql: sql, args: args}
	defer mapping.DestroyExtracted(&t.statements)
	if err := checkUnicode(sql); err != nil {
		return nil, err
	}
	s.ended = 0
	err := s.run(ctx, func() error {
		if t.count = mapping.ExtractStatements(s.conn, sql, &t.statements); t.count == 0 {
			if message := mapping.ExtractStatementsError(t.statements); message != "" {
				return s.db.errorOf(message)
			}
			return errcode.New(errcode.InvalidArgument, "duckdb: no statement")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.db.single && t.count > 1 {
		return nil, errcode.New(errcode.PermissionDenied,
			"duckdb: %d statements in one string; expected one on a read-only connection", t.count)
	}
	for i := range t.count {
		result, err := s.statement(ctx, &t, i)
		if err != nil {
			return nil, err
		}
		r := driverbase.NewReader(ctx, result.schema, result)
		if i == t.count-1 {
			result.done = done
			return r, nil
		}
		if err := drain(r); err != nil {
			return nil, err
		}
		s.ended++
	}
	return nil, errcode.New(errcode.Internal, "duckdb: no statement")
}

// text is SQL of one or more statements; args are the parameters of the last.
type text struct {
	sql        string
	statements mapping.ExtractedStatements
	count      mapping.IdxT
	args       []any
}

// statement starts statement i of the text.
func (s *session) statement(ctx context.Context, t *text, i mapping.IdxT) (*stream, error) {
	last := i == t.count-1
	var prepared mapping.PreparedStatement
	var result mapping.Result
	s.begin(ctx)
	err := s.run(ctx, func() error {
		if mapping.PrepareExtractedStatement(s.conn, t.statements, i, &prepared) == mapping.StateError {
			return s.db.errorOf(mapping.PrepareError(prepared))
		}
		if last && i == 0 {
			s.castVariants(t.sql, &prepared)
		}
		if !leavesNothing(mapping.PreparedStatementType(prepared)) {
			s.reusable = false
		}
		if err := bind(prepared, t.args, last); err != nil {
			return err
		}
		var pending mapping.PendingResult
		defer func() { mapping.DestroyPending(&pending) }()
		if bindings.PendingPreparedStreaming(prepared, &pending) == mapping.StateError { //nolint:staticcheck // the only way not to hold a whole result
			return s.db.errorOf(mapping.PendingError(pending))
		}
		if mapping.ExecutePending(pending, &result) == mapping.StateError {
			err := s.db.errorOf(mapping.ResultError(&result))
			mapping.DestroyResult(&result)
			return err
		}
		return nil
	})
	if err != nil {
		mapping.DestroyPrepare(&prepared)
		return nil, err
	}
	out := &stream{session: s, prepared: prepared, result: result, done: func() {}}
	if err := out.init(); err != nil {
		out.Close(ctx)
		return nil, err
	}
	return out, nil
}

// leavesNothing reports whether a statement of this type cannot change the session's state.
func leavesNothing(t mapping.StatementType) bool {
	switch t {
	case mapping.StatementTypeSelect, mapping.StatementTypeInsert, mapping.StatementTypeUpdate,
		mapping.StatementTypeDelete, mapping.StatementTypeExplain, mapping.StatementTypeCopy:
		return true
	}
	return false
}

// bind binds the parameters. Only the last of several statements may have any.
func bind(p mapping.PreparedStatement, args []any, last bool) error {
	want := int(mapping.NParams(p))
	if !last {
		args = nil
	}
	if want != len(args) {
		return errcode.New(errcode.InvalidArgument, "duckdb: %d parameters, the statement has %d", len(args), want)
	}
	for i, arg := range args {
		at := mapping.IdxT(i + 1) //nolint:gosec // few
		var state mapping.State
		switch v := arg.(type) {
		case nil:
			state = mapping.BindNull(p, at)
		case bool:
			state = mapping.BindBoolean(p, at, v)
		case int64:
			state = mapping.BindInt64(p, at, v)
		case int:
			state = mapping.BindInt64(p, at, int64(v))
		case float64:
			state = mapping.BindDouble(p, at, v)
		case string:
			state = mapping.BindVarchar(p, at, v)
		case time.Time:
			state = mapping.BindTimestampTZ(p, at, mapping.NewTimestamp(v.UnixMicro()))
		default:
			return errcode.New(errcode.InvalidArgument, "duckdb: parameter %d: unsupported Go type %T", i+1, arg)
		}
		if state == mapping.StateError {
			return errcode.New(errcode.InvalidArgument, "duckdb: parameter %d is not accepted", i+1)
		}
	}
	return nil
}

package demo

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/badger-eval/badger/internal/errcode"
)

// Snapshot is a query result in badger's inline format: {"columns":[{"name","type"}],"rows":[[…]]}.
//
// A cell is nil, a bool, a string or a json.Number and represents its value exactly. Numbers are integers up to 2^53 in
// absolute value, and floating-point numbers in their shortest form. Strings are used for all DECIMAL values (with all
// decimals of their scale), larger integers, NaN, Infinity and -Infinity, dates and times (YYYY-MM-DD
// hh:mm:ss[.fraction], with +00 if the type has a time zone), UUIDs, and bytes as hexadecimal digits without a prefix.
type Snapshot struct {
	Columns []Column `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// Column is a column of a snapshot. Type is DuckDB's name of its type, such as DECIMAL(18,2) or TIMESTAMP WITH TIME
// ZONE.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Execute runs one SELECT statement in a read-only transaction and returns its whole result. The order of rows is the
// same every time, even without ORDER BY.
//
// Other statements return [errcode.InvalidArgument] without being run. A query that fails returns a *[QueryError]. A
// column of a nested type returns [errcode.Unimplemented].
func Execute(ctx context.Context, db *sql.DB, query string) (Snapshot, error) {
	s, err := openSession(ctx, db)
	if err != nil {
		return Snapshot{}, err
	}
	defer s.close()
	return s.execute(ctx, query)
}

// QueryError is the error of a query that the database rejected or failed to run. Text is the database's message, which
// may quote SQL and values; Error omits it.
type QueryError struct {
	Text string
	err  error
}

func (e *QueryError) Error() string { return e.err.Error() }

// Unwrap returns the underlying error, which has an error code.
func (e *QueryError) Unwrap() error { return e.err }

func (s *session) execute(ctx context.Context, query string) (Snapshot, error) {
	if err := s.checkSelect(query); err != nil {
		return Snapshot{}, err
	}
	if _, err := s.conn.ExecContext(ctx, "BEGIN TRANSACTION READ ONLY"); err != nil {
		return Snapshot{}, failed(err, "starting a read-only transaction")
	}
	defer s.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") //nolint:errcheck // nothing was written
	rows, err := s.conn.QueryContext(ctx, query)
	if err != nil {
		return Snapshot{}, queryError(err)
	}
	defer rows.Close() //nolint:errcheck // reading has ended
	return readAll(rows)
}

// checkSelect returns an error unless query is a single valid SELECT statement. It prepares the statement but does not
// run it.
func (s *session) checkSelect(query string) error {
	return s.conn.Raw(func(c any) error {
		stmt, err := c.(driver.Conn).Prepare(query) //nolint:staticcheck // PrepareContext would run all statements but the last
		if err != nil {
			if own := (*duckdb.Error)(nil); errors.As(err, &own) {
				return queryError(err)
			}
			return errcode.New(errcode.InvalidArgument, "demo: query: expected one SELECT statement")
		}
		defer stmt.Close() //nolint:errcheck // never run
		t, err := stmt.(*duckdb.Stmt).StatementType()
		if err != nil {
			return failed(err, "checking a query")
		}
		if t != duckdb.STATEMENT_TYPE_SELECT {
			return errcode.New(errcode.InvalidArgument, "demo: query: expected a SELECT statement")
		}
		return nil
	})
}

// queryError converts an error of the database to a *QueryError. Other errors, such as of a cancelled context, are only
// wrapped by failed.
func queryError(err error) error {
	own := (*duckdb.Error)(nil)
	coded := failed(err, "running a query")
	if !errors.As(err, &own) || errcode.Of(err) != errcode.Unknown {
		return coded
	}
	return &QueryError{Text: own.Msg, err: errcode.New(errcode.InvalidArgument, "%w", coded)}
}

func readAll(rows *sql.Rows) (Snapshot, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return Snapshot{}, failed(err, "reading the columns of a result")
	}
	snap := Snapshot{Columns: make([]Column, len(types)), Rows: [][]any{}}
	cells, into := make([]any, len(types)), make([]any, len(types))
	for i, t := range types {
		snap.Columns[i] = Column{Name: t.Name(), Type: typeName(t.DatabaseTypeName())}
		into[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return Snapshot{}, failed(err, "reading row %d of a result", len(snap.Rows)+1)
		}
		row := make([]any, len(cells))
		for i, v := range cells {
			cell, ok := cellOf(v, snap.Columns[i].Type)
			if !ok {
				return Snapshot{}, errcode.New(errcode.Unimplemented,
					"demo: column %d of a result has type %s, which a snapshot cannot hold: cast it to VARCHAR", i+1,
					snap.Columns[i].Type)
			}
			row[i] = cell
		}
		snap.Rows = append(snap.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return Snapshot{}, queryError(err)
	}
	return snap, nil
}

//go:build !no_duckdb

package main

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
)

// judgeSQL runs judges of kind sql on embedded engines in memory that reach neither files nor a
// network. Each query has an engine of its own while it runs; engines are kept for the next.
var judgeSQL custom.SQLEngine = &sqlJudges{
	running: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))), idle: make(chan *duckdb.Conn, max(2, runtime.GOMAXPROCS(0))),
}

// judgeSQLTime is how long a query may take. A query that is still running then would run for
// hours: it joins everything with everything.
const judgeSQLTime = time.Minute

type sqlJudges struct {
	running chan struct{} // one for each query that runs
	idle    chan *duckdb.Conn
}

// EvaluateSQL runs a query that sees the tables.
func (e *sqlJudges) EvaluateSQL(ctx context.Context, query string, tables map[string]*scoring.Table) (_ *scoring.Table, err error) {
	select {
	case e.running <- struct{}{}:
		defer func() { <-e.running }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, judgeSQLTime)
	defer cancel()
	c, err := e.open(ctx)
	if err != nil {
		return nil, err
	}
	var made []string
	defer func() {
		for _, name := range made {
			if c.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+name) != nil { //nolint:contextcheck // also after the end
				_ = c.Close()
				return
			}
		}
		select {
		case e.idle <- c:
		default:
			_ = c.Close()
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(tables)) { // names of fields
		t := tables[name]
		if len(t.Columns) == 0 {
			continue
		}
		rows, err := arrowtable.NewReader(memory.DefaultAllocator, t, 10_000)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "table %s: %w", name, err)
		}
		made = append(made, name)
		_, err = c.Create(ctx, name, rows)
		rows.Release()
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "table %s: %w", name, err)
		}
	}
	rows, err := c.Query(ctx, query)
	if err != nil {
		return nil, sqlError(ctx, c, err)
	}
	defer rows.Release()
	t, err := arrowtable.Read(rows, arrowtable.Limits{Rows: 1000, Bytes: 1 << 20})
	if err != nil {
		return nil, sqlError(ctx, c, err)
	}
	return t, nil
}

// sqlError says what kind of failure it was. The engine's own words may hold data.
func sqlError(ctx context.Context, c *duckdb.Conn, err error) error {
	code := errcode.Of(err)
	if code == errcode.Unknown {
		code = c.ErrorCode(err)
	}
	switch {
	case ctx.Err() != nil:
		return errcode.New(errcode.Of(ctx.Err()), "the query was stopped")
	case code == errcode.PermissionDenied:
		return errcode.New(code, "the query wants to leave its tables")
	}
	return errcode.New(code, "the query failed: check the names of tables and columns, and the types")
}

func (e *sqlJudges) open(ctx context.Context) (*duckdb.Conn, error) {
	select {
	case c := <-e.idle:
		return c, nil
	default:
		return duckdb.OpenWith(ctx, "", duckdb.Options{Options: driver.Options{}, Threads: 1, MemoryLimit: "512MB", Confined: true})
	}
}

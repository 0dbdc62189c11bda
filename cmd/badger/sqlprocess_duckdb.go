//go:build !no_duckdb

package main

import (
	"bufio"
	"bytes"
	"context"
	"os"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/counterexample"
)

// init makes this program run as a child process for SQL judges and counterexamples if sqlProcessVar is set. It is
// here, and not in main, so that test binaries can also run as one.
func init() {
	if os.Getenv(sqlProcessVar) != "" {
		limitMemory(judgeSQLBytes)
		serveSQL()
		os.Exit(0)
	}
}

// serveSQL reads questions from standard input and writes the answers to standard output, until the input ends.
func serveSQL() {
	questions := make(chan *sqlQuestion)
	go func() {
		in := bufio.NewReader(os.Stdin)
		for {
			q := new(sqlQuestion)
			if readFrame(in, q) != nil { // the parent has gone, perhaps while a query runs
				os.Exit(0)
			}
			questions <- q
		}
	}()
	ctx := context.Background()
	var c *duckdb.Conn
	pairs := counterexample.Local{Engine: duckdb.NewSmallDatabases(1)}
	for q := range questions {
		var a sqlAnswer
		if q.Pair != nil {
			var err error
			if a.Found, err = pairs.Find(ctx, q.Pair); err != nil {
				a.Code, a.Reason = errcode.Of(err), err.Error()
			}
			if writeFrame(os.Stdout, &a) != nil {
				return
			}
			continue
		}
		t, err := func() (_ *scoring.Table, err error) {
			if c == nil {
				if c, err = duckdb.OpenWith(ctx, "",
					duckdb.Options{Threads: 1, MemoryLimit: judgeSQLEngine, Confined: true}); err != nil {
					return nil, err
				}
			}
			return q.evaluate(ctx, c)
		}()
		if err == nil {
			a.Result, err = arrowStream(t)
		}
		if err != nil {
			a.Code, a.Reason = errcode.Of(err), err.Error()
		}
		for _, name := range q.Names {
			if c != nil && c.Exec(ctx, "DROP TABLE IF EXISTS "+name) != nil {
				_ = c.Close()
				c = nil
			}
		}
		if writeFrame(os.Stdout, &a) != nil {
			return
		}
	}
}

func (q *sqlQuestion) evaluate(ctx context.Context, c *duckdb.Conn) (*scoring.Table, error) {
	for i, name := range q.Names {
		if err := create(ctx, c, name, q.Tables[i]); err != nil {
			return nil, errcode.New(errcode.Of(err), "table %s: %w", name, err)
		}
		q.Tables[i] = nil
	}
	rows, err := c.Query(ctx, q.Query)
	if err != nil {
		return nil, sqlError(c, err)
	}
	defer rows.Release()
	t, err := arrowtable.Read(rows, arrowtable.Limits{Rows: judgeSQLRows, Bytes: judgeSQLResult})
	if err != nil {
		return nil, sqlError(c, err)
	}
	return t, nil
}

func create(ctx context.Context, c *duckdb.Conn, name string, stream []byte) error {
	r, err := ipc.NewReader(bytes.NewReader(stream))
	if err != nil {
		return err
	}
	defer r.Release()
	var rows array.RecordReader = r
	_, err = c.Create(ctx, name, rows)
	return err
}

// sqlError returns an error with the code of err and a fixed message. The engine's message is omitted, because it may
// contain data.
func sqlError(c *duckdb.Conn, err error) error {
	code := errcode.Of(err)
	if code == errcode.Unknown {
		code = c.ErrorCode(err)
	}
	switch code {
	case errcode.PermissionDenied:
		return errcode.New(code, "the query uses a file, a setting or a table other than those of the judge")
	case errcode.ResourceExhausted:
		return errcode.New(code, "the query exceeds the memory limit of judges, or its result is too large")
	}
	return errcode.New(code, "the query failed: check the names of tables and columns, and the types")
}

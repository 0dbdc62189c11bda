package duckdb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/connectors/duckdb/internal/vector"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/counterexample"
)

// SmallDatabases opens in-memory databases of a few rows each, to run queries of other authors. The engine has no
// access to files or the network, a locked configuration, a memory limit, and one thread. Idle engines are reused, as
// opening one takes milliseconds.
type SmallDatabases struct {
	idle chan *Conn
}

var _ counterexample.Engine = (*SmallDatabases)(nil)

// NewSmallDatabases returns a SmallDatabases that keeps up to n idle engines, at least one.
func NewSmallDatabases(n int) *SmallDatabases {
	return &SmallDatabases{idle: make(chan *Conn, max(1, n))}
}

// smallMemory is the memory limit of a small database.
const smallMemory = "128MB"

// smallSetup disables optimizers that use statistics, as a prepared plan is reused after its rows were replaced, and
// those that only pay off for many rows.
var smallSetup = []string{`SET GLOBAL disabled_optimizers = 'statistics_propagation,column_lifetime,compressed_materialization,late_materialization,join_filter_pushdown,build_side_probe_side,sampling_pushdown,extension,sum_rewriter,duplicate_groups,top_n'`}

// Open returns a database in which the statements tables have created its tables.
func (e *SmallDatabases) Open(ctx context.Context, tables []string) (counterexample.Session, error) {
	var c *Conn
	select {
	case c = <-e.idle:
	default:
		var err error
		if c, err = OpenWith(ctx, "",
			Options{Threads: 1, MemoryLimit: smallMemory, Confined: true, setup: smallSetup}); err != nil {
			return nil, err
		}
	}
	session, err := c.acquire(ctx)
	if err != nil {
		c.Close() //nolint:errcheck // the first error counts
		return nil, err
	}
	d := &smallDatabase{engine: e, conn: c, session: session, prepared: map[string]*mapping.PreparedStatement{}}
	// The tables are in a separate schema, so that Close can drop them in one statement.
	if err := d.run(ctx, "CREATE SCHEMA small; USE small; "+strings.Join(tables, "; ")); err != nil {
		d.failed = true
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close closes the idle engines.
func (e *SmallDatabases) Close() {
	for {
		select {
		case c := <-e.idle:
			c.Close() //nolint:errcheck // nothing is kept in it
		default:
			return
		}
	}
}

// smallDatabase is an open small database. Load inserts rows in a transaction, which the next Load rolls back.
type smallDatabase struct {
	engine   *SmallDatabases
	conn     *Conn
	session  *session
	prepared map[string]*mapping.PreparedStatement
	loaded   bool
	failed   bool
}

func (d *smallDatabase) run(ctx context.Context, sql string) error {
	return d.session.run(ctx, func() error {
		var result mapping.Result
		defer mapping.DestroyResult(&result)
		if mapping.Query(d.session.conn, sql, &result) == mapping.StateError {
			return d.errorOf(mapping.ResultError(&result))
		}
		return nil
	})
}

// errorOf returns the error of a message. After an internal error or one for lack of memory, Close closes the engine.
func (d *smallDatabase) errorOf(message string) error {
	err := d.conn.errorOf(message)
	switch class, _ := split(message); {
	case refuses(class):
		d.failed = true
		return fmt.Errorf("%w: %w", counterexample.ErrEngine, err)
	case class == "Out of Memory":
		d.failed = true
		return fmt.Errorf("%w: %w", counterexample.ErrMemory, err)
	}
	return err
}

// Load replaces the content of the database with the rows of the INSERT statements.
func (d *smallDatabase) Load(ctx context.Context, inserts []string) error {
	sql := "BEGIN; " + strings.Join(inserts, "; ")
	if d.loaded {
		sql = "ROLLBACK; " + sql
	}
	d.loaded = true
	return d.run(ctx, sql)
}

// Query runs a query, which is prepared only once, and returns its rows.
func (d *smallDatabase) Query(ctx context.Context, sql string) ([][]counterexample.Value, error) {
	var rows [][]counterexample.Value
	err := d.session.run(ctx, func() error {
		p := d.prepared[sql]
		if p == nil {
			p = new(mapping.PreparedStatement)
			if mapping.Prepare(d.session.conn, sql, p) == mapping.StateError {
				err := d.errorOf(mapping.PrepareError(*p))
				mapping.DestroyPrepare(p)
				return err
			}
			d.prepared[sql] = p
		}
		var result mapping.Result
		defer mapping.DestroyResult(&result)
		if mapping.ExecutePrepared(*p, &result) == mapping.StateError {
			return d.errorOf(mapping.ResultError(&result))
		}
		var err error
		rows, err = readSmall(&result)
		return err
	})
	return rows, err
}

// Close drops the tables and returns the engine to the pool, or closes it if the pool is full or the engine failed.
func (d *smallDatabase) Close() {
	for _, p := range d.prepared {
		mapping.DestroyPrepare(p)
	}
	sql := "USE main; DROP SCHEMA IF EXISTS small CASCADE"
	if d.loaded {
		sql = "ROLLBACK; " + sql
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	clean := d.run(ctx, sql) == nil && !d.failed
	d.conn.release(d.session)
	if clean {
		select {
		case d.engine.idle <- d.conn:
			return
		default:
		}
	}
	d.conn.Close() //nolint:errcheck // nothing is kept in it
}

// readSmall returns all rows of a result. More than [counterexample.MaxRows] are an error.
func readSmall(result *mapping.Result) ([][]counterexample.Value, error) {
	n := int(mapping.ColumnCount(result)) //nolint:gosec // few
	types := make([]mapping.Type, n)
	for i := range types {
		types[i] = mapping.ColumnType(result, mapping.IdxT(i)) //nolint:gosec // few
	}
	rows := [][]counterexample.Value{} // not nil for a result without rows
	for {
		chunk := mapping.FetchChunk(*result)
		if chunk.Ptr == nil {
			return rows, nil
		}
		count := int(mapping.DataChunkGetSize(chunk)) //nolint:gosec // 2048 at most
		if len(rows)+count > counterexample.MaxRows {
			mapping.DestroyDataChunk(&chunk)
			return nil, errcode.New(errcode.ResourceExhausted, "duckdb: a query returns more than %d rows on a small database",
				counterexample.MaxRows)
		}
		first := len(rows)
		for range count {
			rows = append(rows, make([]counterexample.Value, n))
		}
		for i, t := range types {
			if err := readSmallColumn(t, mapping.DataChunkGetVector(chunk, mapping.IdxT(i)), i, rows[first:]); err != nil { //nolint:gosec // few
				mapping.DestroyDataChunk(&chunk)
				return nil, err
			}
		}
		mapping.DestroyDataChunk(&chunk)
	}
}

func readSmallColumn(t mapping.Type, v mapping.Vector, at int, rows [][]counterexample.Value) error {
	switch t {
	case mapping.TypeBoolean:
		setSmall(v, at, rows, func(x uint8) counterexample.Value {
			return counterexample.Value{Kind: counterexample.Bool, Int: int64(x)}
		})
	case mapping.TypeInteger:
		setSmall(v, at, rows, func(x int32) counterexample.Value {
			return counterexample.Value{Kind: counterexample.Int, Int: int64(x)}
		})
	case mapping.TypeBigInt:
		setSmall(v, at, rows,
			func(x int64) counterexample.Value { return counterexample.Value{Kind: counterexample.Int, Int: x} })
	case mapping.TypeDouble:
		setSmall(v, at, rows,
			func(x float64) counterexample.Value { return counterexample.Value{Kind: counterexample.Real, Real: x} })
	case mapping.TypeVarchar:
		setSmall(v, at, rows, func(x vector.Text) counterexample.Value {
			return counterexample.Value{Kind: counterexample.Text, Text: string(x.Bytes())}
		})
	case mapping.TypeDate:
		setSmall(v, at, rows, func(x int32) counterexample.Value {
			return counterexample.Value{Kind: counterexample.Date,
				Text: time.Unix(int64(x)*86400, 0).UTC().Format(time.DateOnly)}
		})
	case mapping.TypeTimestamp:
		setSmall(v, at, rows, func(x int64) counterexample.Value {
			return counterexample.Value{Kind: counterexample.Timestamp, Text: time.UnixMicro(x).UTC().Format(time.DateTime)}
		})
	case mapping.TypeSQLNull:
	default:
		return errcode.New(errcode.Unimplemented,
			"duckdb: a small database returns values of the unsupported type %d", t)
	}
	return nil
}

// setSmall sets column at of the rows to a vector's values. Rows whose value is NULL are unchanged.
func setSmall[T any](v mapping.Vector, at int, rows [][]counterexample.Value, value func(T) counterexample.Value) {
	vector.Each(v, len(rows), func(i int, x T) { rows[i][at] = value(x) })
}

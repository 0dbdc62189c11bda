// Package connectors gives callers one type, [Warehouse], over any database that badger reads results from and writes scores to.
//
// Reading cases and results, installing badger's tables, and writing runs and scores are written once, here, over the small
// contract of connectors/driver. A connector is a folder of its own and is linked by the program that wants it.
package connectors

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Mux opens warehouses by the scheme of their URL.
type Mux struct{ openers map[string]driver.Opener }

// Register adds a scheme. One that is taken is a defect of the program.
func (m *Mux) Register(scheme string, open driver.Opener) {
	if m.openers == nil {
		m.openers = map[string]driver.Opener{}
	}
	if _, dup := m.openers[scheme]; dup {
		panic("the scheme " + scheme + " is registered twice")
	}
	m.openers[scheme] = open
}

// Schemes lists the schemes that can be opened.
func (m *Mux) Schemes() []string {
	out := make([]string, 0, len(m.openers))
	for s := range m.openers {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// Open opens the warehouse that a URL such as duckdb:FILE names.
func (m *Mux) Open(ctx context.Context, url string, o driver.Options) (*Warehouse, error) {
	scheme, _, ok := strings.Cut(url, ":")
	open, known := m.openers[scheme]
	if !ok || !known {
		return nil, errcode.New(errcode.InvalidArgument, "expected a URL that begins with one of %s:", strings.Join(m.Schemes(), ":, "))
	}
	conn, dialect, err := open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return New(conn, dialect), nil
}

// Warehouse is a database that holds results, cases and scores. It may be used from several goroutines at once.
type Warehouse struct {
	conn    driver.Conn
	dialect driver.Dialect

	mu     sync.RWMutex // held for reading by calls, for writing by Close
	closed bool
}

// New makes a warehouse of a connection, which it owns from then on.
func New(conn driver.Conn, dialect driver.Dialect) *Warehouse {
	return &Warehouse{conn: conn, dialect: dialect}
}

// Close ends the connection once the calls under way have ended. It may be called again.
func (w *Warehouse) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	return w.conn.Close()
}

// use runs f unless the warehouse is closed, and classifies its error.
func (w *Warehouse) use(what string, f func() error) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errcode.New(errcode.FailedPrecondition, "%s: the warehouse is closed", what)
	}
	err := f()
	if err == nil {
		return nil
	}
	code := errcode.Of(err)
	if code == errcode.Unknown {
		code = w.conn.ErrorCode(err)
	}
	return errcode.New(code, "%s: %w", what, err)
}

// Dialect is the SQL dialect of the warehouse.
func (w *Warehouse) Dialect() string { return w.dialect.Name }

// Query runs a statement and returns its whole result.
func (w *Warehouse) Query(ctx context.Context, query string, args ...any) (t *scoring.Table, err error) {
	err = w.use("query", func() error {
		r, err := w.conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer r.Release()
		t, err = arrowtable.Read(r, arrowtable.Limits{})
		return err
	})
	return t, err
}

// Exec runs a statement.
func (w *Warehouse) Exec(ctx context.Context, query string, args ...any) error {
	return w.use("statement", func() error { return w.conn.Exec(ctx, query, args...) })
}

// snapshotLimits bound a referenced result.
var snapshotLimits = arrowtable.Limits{Rows: 20_000_000, Bytes: 2 << 30}

// ReadSnapshot resolves a reference table:NAME or query:ID; it makes a warehouse a [scoring.SnapshotReader].
func (w *Warehouse) ReadSnapshot(ctx context.Context, ref string) (t *scoring.Table, err error) {
	r, err := driver.ParseRef(ref)
	if err != nil {
		return nil, err
	}
	err = w.use("reading "+string(r.Kind)+": reference", func() error {
		if s, ok := w.conn.(driver.SnapshotReader); ok {
			rows, err := s.ReadSnapshot(ctx, r)
			if err != nil {
				return err
			}
			defer rows.Release()
			t, err = arrowtable.Read(rows, snapshotLimits)
			return err
		}
		if r.Kind != driver.RefTable {
			return errcode.New(errcode.Unimplemented, "a %s warehouse resolves table: references", w.dialect.Name)
		}
		if r.At != "" {
			return errcode.New(errcode.Unimplemented, "a %s warehouse keeps no versions of tables", w.dialect.Name)
		}
		rows, err := w.conn.Query(ctx, "SELECT * FROM "+r.Name)
		if err != nil {
			return err
		}
		defer rows.Release()
		t, err = arrowtable.Read(rows, snapshotLimits)
		return err
	})
	return t, err
}

// Install makes badger's schema, tables and views where they are missing.
func (w *Warehouse) Install(ctx context.Context) error {
	return w.use("installing badger's tables", func() error {
		for _, s := range statements(w.dialect) {
			if err := w.conn.Exec(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// Package connectors provides one type, [Warehouse], for every database from which badger reads results and to
// which it writes scores.
//
// It runs statements, reads results within limits, and reads snapshots, over the small interface of connectors/driver.
// Package sql/store has badger's tables. Each connector has its own directory, and the program links the ones it needs.
package connectors

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Mux opens warehouses by the scheme of their URL.
type Mux struct {
	Program string // badger's version, which is recorded with the tables that it installs
	openers map[string]driver.Opener
}

// Register adds a scheme. It panics if the scheme is registered already.
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
	conn, dialect, err := m.open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	w := New(conn, dialect)
	w.program = m.Program
	return w, nil
}

// Check validates a URL and its options without connecting.
func (m *Mux) Check(url string, o driver.Options) error {
	o.URLOnly = true
	_, _, err := m.open(context.Background(), url, o)
	return err
}

func (m *Mux) open(ctx context.Context, url string, o driver.Options) (driver.Conn, driver.Dialect, error) {
	scheme, _, ok := strings.Cut(url, ":")
	open, known := m.openers[scheme]
	if !ok || !known {
		return nil, driver.Dialect{}, errcode.New(errcode.InvalidArgument, "expected a URL that begins with one of %s:%s",
			strings.Join(m.Schemes(), ":, "), m.hint(url))
	}
	return open(ctx, url, o)
}

// fileName matches names of files that are printed. Anything else may hold a secret.
var fileName = regexp.MustCompile(`^[\w./\\-]{1,200}\.(duckdb|ddb|sqlite3?|db)$`)

// hint returns the end of an error about a URL that no connector opens: its scheme, and what was probably meant.
func (m *Mux) hint(url string) string {
	if f := fileName.FindStringSubmatch(url); f != nil {
		connector := map[string]string{"duckdb": "duckdb", "ddb": "duckdb", "sqlite": "sqlite", "sqlite3": "sqlite"}[f[1]]
		if connector == "" {
			return fmt.Sprintf("; write duckdb:%s or sqlite:%[1]s", url)
		}
		return fmt.Sprintf("; write %s:%s", connector, url)
	}
	scheme, rest, ok := strings.Cut(url, ":")
	if !ok {
		return "; a file of DuckDB is written duckdb:FILE"
	}
	if !wellFormed(strings.ToLower(scheme)) { // anything else may hold a secret
		return ""
	}
	said, meant := ", found "+scheme+":", strings.ToLower(scheme)
	switch {
	case meant == "jdbc":
		inner, _, _ := strings.Cut(rest, ":")
		if _, known := m.openers[inner]; known {
			return said + "; URLs of JDBC are not read, write " + inner + ":"
		}
		if wellFormed(inner) {
			said += inner + ":"
		}
	case strings.Contains(meant, "+"): // as in postgresql+psycopg2:
		meant, _, _ = strings.Cut(meant, "+")
	}
	if _, known := m.openers[meant]; known {
		return said + "; write " + meant + ":"
	}
	return said + scoring.Suggest(meant, m.Schemes())
}

// wellFormed reports whether scheme is valid as the scheme of a URL (RFC 3986, section 3.1), and short.
func wellFormed(scheme string) bool {
	return len(scheme) <= 32 && regexp.MustCompile("^[a-z][a-z0-9+.-]*$").MatchString(scheme)
}

// Warehouse is a database that holds results, cases and scores. It may be used from several
// goroutines at once.
type Warehouse struct {
	conn    driver.Conn
	dialect driver.Dialect
	program string

	// Only for a warehouse from [Mux.Later]: its name in errors, and the function that opens its connection.
	name string
	open func(context.Context) (driver.Conn, error)

	mu      sync.Mutex
	ended   sync.Cond // signaled when a call or closing has ended
	calls   int       // number of running calls
	closed  bool
	done    bool // closing has ended with err
	err     error
	streams map[*stream]bool // the open ones
}

// New returns a warehouse on a connection, which it owns from then on.
func New(conn driver.Conn, dialect driver.Dialect) *Warehouse {
	w := &Warehouse{conn: conn, dialect: dialect, streams: map[*stream]bool{}}
	w.ended.L = &w.mu
	return w
}

// Close closes the connection after the running calls have ended; open streams, such as Cases, return an error at
// their next step. It may be called several times, also concurrently, and then returns the result of the first
// call.
func (w *Warehouse) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		for !w.done {
			w.ended.Wait()
		}
		return w.err
	}
	w.closed = true
	for w.calls > 0 {
		w.ended.Wait()
	}
	for s := range w.streams {
		s.rows.Release()
		s.rows = nil
	}
	w.streams = nil
	if w.conn != nil {
		w.err = w.conn.Close()
	}
	w.done = true
	w.ended.Broadcast()
	return w.err
}

// Use calls f with the connection, unless the warehouse is closed or not connected yet. Errors begin with what, and
// have the code of f's error, or if that has none, the connector's code for it. Calls may nest: a query may call a
// function that reads a snapshot. f must not keep the connection.
func (w *Warehouse) Use(what string, f func(conn driver.Conn) error) error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return errcode.New(errcode.FailedPrecondition, "%s: the warehouse is closed", what)
	}
	if w.conn == nil {
		w.mu.Unlock()
		return errcode.New(errcode.Unavailable, "%s: %s cannot be reached now; try again later", what, w.name)
	}
	conn := w.conn
	w.calls++
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.calls--
		w.ended.Broadcast()
		w.mu.Unlock()
	}()
	err := recovered(func() error { return f(conn) })
	if err == nil {
		return nil
	}
	code := errcode.Of(err)
	if code == errcode.Unknown {
		code = conn.ErrorCode(err)
	}
	return errcode.New(code, "%s: %w", what, err)
}

// stream is a query's result that is read in batches. The warehouse may be closed between two of them.
type stream struct {
	w    *Warehouse
	what string
	rows array.RecordReader // nil after close
}

func (w *Warehouse) stream(ctx context.Context, what, query string, args ...any) (*stream, error) {
	s := &stream{w: w, what: what}
	return s, w.Use(what, func(conn driver.Conn) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		s.rows = rows
		w.streams[s] = true
		return nil
	})
}

// next returns the next rows, or nil at the end.
func (s *stream) next() (t *scoring.Table, err error) {
	err = s.w.Use(s.what, func(driver.Conn) error {
		if !s.rows.Next() {
			return s.rows.Err()
		}
		t, err = arrowtable.FromRecord(s.rows.Record())
		return err
	})
	return t, err
}

// close releases the result unless closing the warehouse already did.
func (s *stream) close() {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.rows != nil {
		s.rows.Release()
		s.rows = nil
		delete(s.w.streams, s)
	}
}

// Each calls f for every row of a query's result, and stops early if f returns false.
func (w *Warehouse) Each(ctx context.Context, what, query string, args []any,
	f func(t *scoring.Table, row int) bool) error {
	s, err := w.stream(ctx, what, query, args...)
	if err != nil {
		return err
	}
	defer s.close()
	for {
		t, err := s.next()
		if t == nil || err != nil {
			return err
		}
		for i := range t.Rows() {
			if !f(t, i) {
				return nil
			}
		}
	}
}

// Dialect returns the name of the warehouse's SQL dialect.
func (w *Warehouse) Dialect() string { return w.dialect.Name }

// Program returns the version of badger that uses the warehouse; "" if unknown.
func (w *Warehouse) Program() string { return w.program }

// SQL returns the SQL dialect of the warehouse.
func (w *Warehouse) SQL() driver.Dialect { return w.dialect }

// HostsModels reports whether QueryText is supported. Before a lazy warehouse is connected, its dialect decides.
func (w *Warehouse) HostsModels() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return !w.dialect.NoModels
	}
	_, ok := w.conn.(driver.TextQueryer)
	return ok
}

// recovered calls a connector and returns a panic of its driver as an error (Internal).
func recovered(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errcode.Because(fmt.Errorf("%v", p), errcode.Internal,
				"the connector panicked on the warehouse's reply; this is a bug in badger or in the vendor's driver")
		}
	}()
	return call()
}

// Describe returns the connector's facts about the connection and its limits; nil if the connector is not a
// [driver.Describer].
func (w *Warehouse) Describe(ctx context.Context) (facts []driver.Fact, err error) {
	err = w.Use("looking at the connection", func(conn driver.Conn) error {
		if d, ok := conn.(driver.Describer); ok {
			facts, err = d.Describe(ctx)
		}
		return err
	})
	return facts, err
}

// QueryText runs one statement that returns one string, on warehouses that host models (driver.TextQueryer).
func (w *Warehouse) QueryText(ctx context.Context, query string, args ...any) (text string, err error) {
	const what = "asking a model of the warehouse"
	err = w.Use(what, func(conn driver.Conn) error {
		q, ok := conn.(driver.TextQueryer)
		if !ok {
			return errcode.New(errcode.Unimplemented, "%s hosts none", w.dialect.Name)
		}
		text, err = q.QueryText(ctx, query, args...)
		return err
	})
	return text, err
}

// Query runs a statement and returns its whole result, of at most 20 million rows or 2 GiB.
func (w *Warehouse) Query(ctx context.Context, query string, args ...any) (t *scoring.Table, err error) {
	return w.QueryWithin(ctx, limits.Rows, limits.Bytes, query, args...)
}

// QueryWithin is Query for a result of at most rows rows and bytes bytes of memory. A larger one is an error
// (ResourceExhausted), and the rest of it is not fetched.
func (w *Warehouse) QueryWithin(ctx context.Context, rows, bytes int64, query string,
	args ...any) (t *scoring.Table, err error) {
	limits := arrowtable.Limits{Rows: rows, Bytes: bytes}
	err = w.Use("query", func(conn driver.Conn) error {
		r, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer r.Release()
		t, err = arrowtable.Read(r, limits)
		return err
	})
	return t, err
}

// Powers are the permissions of a role beyond reading, such as "is a superuser".
type Powers struct {
	Refused []string // with any of these, queries of other authors must not be run
	Named   []string // the others, which a read-only connection does not use
	Known   bool     // false if the dialect has no query for permissions
}

// Powers returns the permissions of the connection's role beyond reading. Known is false if the dialect has no
// RoleQuery.
func (w *Warehouse) Powers(ctx context.Context) (Powers, error) {
	if w.dialect.RoleQuery == "" {
		return Powers{}, nil
	}
	t, err := w.Query(ctx, w.dialect.RoleQuery)
	if err != nil {
		return Powers{}, err
	}
	p := Powers{Known: true}
	for row := range t.Rows() {
		what := t.Columns[0].Value(row).String()
		if t.Columns[1].Value(row).Bool() {
			p.Refused = append(p.Refused, what)
		} else {
			p.Named = append(p.Named, what)
		}
	}
	return p, nil
}

// Exec runs a statement and discards its result.
func (w *Warehouse) Exec(ctx context.Context, query string, args ...any) error {
	return w.Use("statement", func(conn driver.Conn) error { return conn.Exec(ctx, query, args...) })
}

// limits bound a result that is held in memory as a whole.
var limits = arrowtable.Limits{Rows: 20_000_000, Bytes: 2 << 30}

// ReadSnapshot reads the result that a reference table:NAME or query:ID names. It implements [scoring.SnapshotReader].
func (w *Warehouse) ReadSnapshot(ctx context.Context, ref string) (t *scoring.Table, err error) {
	r, err := driver.ParseRef(ref)
	if err != nil {
		return nil, err
	}
	ctx, _ = account.Begin(ctx) // the connector charges the bytes that it receives to the same account
	err = w.Use("reading "+string(r.Kind)+": reference", func(conn driver.Conn) error {
		if s, ok := conn.(driver.SnapshotReader); ok {
			rows, err := s.ReadSnapshot(ctx, r)
			if err != nil {
				return err
			}
			defer rows.Release()
			t, err = arrowtable.Read(rows, limits.For(ctx))
			return err
		}
		if r.Kind != driver.RefTable {
			return errcode.New(errcode.Unimplemented, "%s: unsupported reference; use table:NAME", w.dialect.Name)
		}
		if r.At != "" {
			return errcode.New(errcode.Unimplemented,
				"%s: versions of tables are unsupported; write the old rows to a separate table", w.dialect.Name)
		}
		names, err := r.Names()
		if err != nil {
			return err
		}
		parts := make([]string, len(names))
		for i, n := range names {
			if parts[i] = n.Text; n.Quoted {
				parts[i] = w.dialect.Identifiers.Quoted(n.Text)
			}
		}
		rows, err := conn.Query(ctx, "SELECT * FROM "+strings.Join(parts, "."))
		if err != nil {
			return err
		}
		defer rows.Release()
		t, err = arrowtable.Read(rows, limits.For(ctx))
		return err
	})
	return t, err
}

// Package sqlite is the connector of SQLite's database files: the data that queries of cases are run on, as the
// benchmarks Spider and BIRD publish them. It only reads. badger's own tables are kept elsewhere.
//
// It is built on the C interface that modernc.org/sqlite/lib, a translation of SQLite to Go, exports: not on the
// driver for database/sql, which converts strings to times if a column is declared as DATE or TIMESTAMP.
// SQLite has no types of columns. Each value has a storage class, and is read by it alone, as Python's sqlite3 does:
// INTEGER, REAL, TEXT and BLOB. A column that mixes them loses nothing: integers next to doubles are doubles if none of
// them changes, and all others are a union in Arrow, in which each value keeps its class. A text that is not UTF-8 is
// bytes.
//
// A database is opened read-only. An authorizer of the engine allows SELECT, functions and the pragmas that describe
// tables, and rejects all other actions, such as ATTACH.
package sqlite

import (
	"context"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// scheme is the scheme of URLs: sqlite:FILE. See [parseURL].
const scheme = "sqlite"

// Dialect is how SQLite spells statements.
var Dialect = driver.Dialect{
	Name: "sqlite", Embedded: true, NoModels: true, NoClaims: true,
	Identifiers: driver.Identifiers{Quote: '"'},
	Definition:  definition,
	Calls:       "SELECT count(*) FROM pragma_function_list WHERE name = ?",
	HostNames: []string{
		"pragma_compile_options",
		"pragma_database_list",
		"sqlite_compileoption_get",
		"sqlite_compileoption_used",
		"sqlite_source_id",
		"sqlite_version",
	},
	// No row: SQLite has no roles.
	RoleQuery: "SELECT '' AS what, 0 AS refused WHERE 0",
}

// Features are the features of the connector.
var Features = driver.Features{ReadOnly: true, NULBytes: true, Source: true}

// definition returns the statement that reads the definition of a table or of a view.
func definition(name ...string) string {
	return "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'view') AND lower(name) = lower(" +
		driver.Dialect{}.Literal(
			name[len(name)-1],
		) + ")"
}

// errWrites is the error of everything that would write.
var errWrites = errcode.New(
	errcode.PermissionDenied,
	"sqlite: unsupported: badger reads SQLite databases and does not write to them; use duckdb:FILE or a warehouse for scores and badger's tables",
)

// Open opens the database that a URL names; it is a [driver.Opener].
func Open(ctx context.Context, rawURL string, o driver.Options) (driver.Conn, driver.Dialect, error) {
	f, err := parseURL(rawURL)
	if err != nil || o.URLOnly && o.ReadOnly {
		return nil, Dialect, err
	}
	if !o.ReadOnly {
		return nil, Dialect, errWrites
	}
	if err := driverbase.Within(scheme, f.path, o.Within); err != nil {
		return nil, Dialect, err
	}
	c := &Conn{file: f, mem: o.Mem}
	if c.mem == nil {
		c.mem = memory.NewGoAllocator()
	}
	s, err := c.acquire(ctx)
	if err != nil {
		return nil, Dialect, err
	}
	c.release(s)
	return c, Dialect, nil
}

// parseURL parses sqlite:FILE?immutable=true. Option immutable says that no process writes to the file, such as on a
// read-only disk: it is then read without locks. Option mode can only be ro.
func parseURL(rawURL string) (f file, err error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(rawURL, scheme+":"), "?")
	mode := "ro"
	err = driverbase.Options{
		"immutable": driverbase.Bool(&f.immutable),
		"mode":      driverbase.Choice(&mode, "ro"),
	}.Read(scheme, query)
	switch {
	case err != nil:
		return file{}, err
	case path == "", path == ":memory:", strings.HasPrefix(path, "//"), strings.Contains(path, "\x00"):
		return file{}, errcode.New(
			errcode.InvalidArgument,
			"sqlite: invalid URL; expected sqlite: and the path of a file, such as sqlite:shop.sqlite or sqlite:/data/shop.sqlite",
		)
	}
	f.path = path
	return f, nil
}

// Conn is an open database. It is a [driver.Conn].
type Conn struct {
	file file
	mem  memory.Allocator

	mu     sync.Mutex
	idle   []*session
	closed bool
}

var _ driver.Conn = (*Conn)(nil)

// maxIdle bounds the sessions that are kept for later.
const maxIdle = 8

// acquire returns an idle session or opens one. A session of a file that was written to since is closed: its pages
// are those of before.
func (c *Conn) acquire(ctx context.Context) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for {
		c.mu.Lock()
		if c.closed {
			c.mu.Unlock()
			return nil, errcode.New(errcode.FailedPrecondition, "sqlite: the database is closed")
		}
		n := len(c.idle)
		if n == 0 {
			c.mu.Unlock()
			return openSession(ctx, c.file)
		}
		s := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		if !c.file.changed(s.state) {
			return s, nil
		}
		s.close()
	}
}

func (c *Conn) release(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.idle) >= maxIdle {
		s.close()
		return
	}
	c.idle = append(c.idle, s)
}

// Query runs one statement that reads and streams its result. The schema has the types of the first row's values;
// those of records follow from their own values.
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (_ array.RecordReader, err error) {
	defer driverbase.Recovered(&err)
	s, err := c.acquire(ctx)
	if err != nil {
		return nil, err
	}
	r, err := newRows(ctx, c, s, sql, args)
	if err != nil {
		c.release(s)
		return nil, err
	}
	return driverbase.NewReader(ctx, r.schema, r), nil
}

// Exec runs one statement that reads, and discards its result.
func (c *Conn) Exec(ctx context.Context, sql string, args ...any) error {
	r, err := c.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() { //nolint:revive // the rows are dropped
	}
	return r.Err()
}

// Merge returns an error: nothing is written.
func (*Conn) Merge(context.Context, string, []string, array.RecordReader) (int64, error) {
	return 0, errWrites
}

// ErrorCode classifies an error of the connection.
func (*Conn) ErrorCode(err error) errcode.Code { return errcode.Of(err) }

// Close closes the connection. A reader that is still open keeps its session until it is released.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, s := range c.idle {
		s.close()
	}
	c.idle = nil
	return nil
}

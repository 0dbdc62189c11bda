// Package sqlite is the connector of SQLite's database files, such as those of the benchmarks Spider and BIRD, on which
// queries of cases run. It only reads. badger's own tables are elsewhere.
//
// It is built on the C interface that modernc.org/sqlite/lib, a translation of SQLite to Go, exports: not on the
// driver for database/sql, which converts strings to times if a column is declared as DATE or TIMESTAMP.
// SQLite columns have no types. Each value has a storage class, which alone determines how it is read, as in Python's
// sqlite3: INTEGER, REAL, TEXT or BLOB. A column with several classes is read without loss: integers among doubles are
// doubles if all of them are exact, and other mixtures are Arrow unions, in which each value keeps its class. Text that
// is invalid UTF-8 is bytes.
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

// Dialect is the SQL dialect of SQLite.
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
	// No rows, as SQLite has no roles.
	RoleQuery: "SELECT '' AS what, 0 AS refused WHERE 0",
}

// Features are the features of the connector.
var Features = driver.Features{ReadOnly: true, NULBytes: true, Source: true}

// definition returns the query for the definition of a table or a view.
func definition(name ...string) string {
	return "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'view') AND lower(name) = lower(" +
		driver.Dialect{}.Literal(name[len(name)-1]) + ")"
}

// errWrites is the error of all operations that write.
var errWrites = driverbase.ReadOnlyError("sqlite", "SQLite databases", "them")

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

// parseURL parses sqlite:FILE?immutable=true, and sqlite:///FILE for an absolute path. The option immutable asserts
// that no process writes to the file, such as on a read-only disk: it is then read without locks. The option mode can
// only be ro.
func parseURL(rawURL string) (f file, err error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(rawURL, scheme+":"), "?")
	mode := "ro"
	err = driverbase.Options{
		"immutable": driverbase.Bool(&f.immutable),
		"mode":      driverbase.Choice(&mode, "ro"),
	}.Read(scheme, query)
	if strings.HasPrefix(path, "///") { // as other programs write an absolute path
		path = "/" + strings.TrimLeft(path, "/")
	}
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

// maxIdle is the maximum number of idle sessions.
const maxIdle = 8

// acquire returns an idle session or opens one. If the file was written to since, idle sessions are closed, as they may
// cache its old pages.
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

// Query runs one statement that reads, and streams its result. The types of the schema are those of the first row's
// values; each record has its own, from its values.
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
	return driverbase.Drain(c.Query(ctx, sql, args...))
}

// Merge returns an error, as writing is unsupported.
func (*Conn) Merge(context.Context, string, []string, array.RecordReader) (int64, error) {
	return 0, errWrites
}

// ErrorCode classifies an error of the connection.
func (*Conn) ErrorCode(err error) errcode.Code { return errcode.Of(err) }

// Close closes the connection. An open reader keeps its session until it is released.
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

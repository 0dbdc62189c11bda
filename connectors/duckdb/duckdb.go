// Package duckdb is the connector of the embedded engine.
//
// It uses github.com/duckdb/duckdb-go/v2, the driver that DuckDB's own project keeps; the engine is linked in, so a fresh machine needs a C
// compiler and nothing else. Extensions are neither installed nor loaded on their own: the engine opens no connection to anywhere.
package duckdb

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"
	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Scheme is the scheme of URLs: duckdb:FILE, or duckdb::memory: for a database that ends with the process.
const Scheme = "duckdb"

// Conn is a database. Every call takes a connection of its own from the engine.
type Conn struct {
	connector *duck.Connector
	db        *sql.DB
}

var _ driver.Conn = (*Conn)(nil)

// Dialect is how DuckDB spells badger's tables.
var Dialect = driver.Dialect{
	Name: "duckdb",
	Types: map[driver.Type]string{
		driver.Text: "VARCHAR", driver.JSON: "JSON", driver.BigInt: "BIGINT", driver.Double: "DOUBLE", driver.Boolean: "BOOLEAN", driver.Timestamp: "TIMESTAMPTZ",
	},
}

// Open opens a database; it is a [driver.Opener]. A file that is missing is made unless it is to be only read.
func Open(ctx context.Context, rawURL string, o driver.Options) (driver.Conn, driver.Dialect, error) {
	c, err := OpenFile(ctx, strings.TrimPrefix(rawURL, Scheme+":"), o)
	if err != nil {
		return nil, Dialect, err
	}
	return c, Dialect, nil
}

// OpenFile opens the database in a file, or one in memory where path is ":memory:" or empty.
func OpenFile(ctx context.Context, path string, o driver.Options) (*Conn, error) {
	if path == ":memory:" {
		path = ""
	}
	options := url.Values{}
	if path != "" {
		if o.ReadOnly {
			options.Set("access_mode", "read_only")
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				return nil, errcode.New(errcode.NotFound, "there is no database file %q", filepath.Base(path))
			}
		}
		if strings.ContainsAny(path, "?") {
			return nil, errcode.New(errcode.InvalidArgument, "a database file's name cannot hold a question mark")
		}
	}
	dsn := path
	if len(options) > 0 {
		dsn += "?" + options.Encode()
	}
	connector, err := duck.NewConnector(dsn, func(e sqldriver.ExecerContext) error {
		for _, s := range []string{"SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false"} {
			if _, err := e.ExecContext(context.Background(), s, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, openError(path, err)
	}
	c := &Conn{connector: connector, db: sql.OpenDB(connector)}
	if err := c.db.PingContext(ctx); err != nil {
		_ = c.db.Close()
		return nil, openError(path, err)
	}
	return c, nil
}

// openError says what is wrong with a file in words for people. The engine's own message may hold the command line of another process.
func openError(path string, err error) error {
	name := filepath.Base(path)
	msg := err.Error()
	switch {
	case strings.Contains(msg, "Could not set lock") || strings.Contains(msg, "being used by another process"):
		return errcode.New(errcode.FailedPrecondition, "the database file %q is locked by another process; close it there, or open it read-only in both", name)
	case strings.Contains(msg, "not a valid DuckDB database file") || strings.Contains(msg, "Corrupt") || strings.Contains(msg, "checksum") || strings.Contains(msg, "not an") && strings.Contains(msg, "database"):
		return errcode.New(errcode.DataLoss, "the file %q is not a DuckDB database, or it is damaged", name)
	case strings.Contains(msg, "Permission denied"):
		return errcode.New(errcode.PermissionDenied, "the database file %q may not be opened", name)
	case strings.Contains(msg, "No such file or directory"):
		return errcode.New(errcode.NotFound, "there is no directory for the database file %q", name)
	}
	return errcode.New(code(err), "the database file %q cannot be opened: %w", name, err)
}

// DB is the database as database/sql sees it, for what only the embedded engine does.
func (c *Conn) DB() *sql.DB { return c.db }

// Exec runs one statement.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) error {
	_, err := c.db.ExecContext(ctx, query, args...)
	return err
}

// Close ends all connections.
func (c *Conn) Close() error {
	err := c.db.Close()
	if e := c.connector.Close(); err == nil {
		err = e
	}
	return err
}

// ErrorCode classifies an error of the engine.
func (*Conn) ErrorCode(err error) errcode.Code { return code(err) }

func code(err error) errcode.Code {
	if c := errcode.Of(err); c != errcode.Unknown {
		return c
	}
	var e *duck.Error
	if !errors.As(err, &e) {
		return errcode.Unknown
	}
	switch e.Type {
	case duck.ErrorTypeCatalog:
		if strings.Contains(e.Msg, "does not exist") {
			return errcode.NotFound
		}
		if strings.Contains(e.Msg, "already exists") {
			return errcode.AlreadyExists
		}
		return errcode.InvalidArgument
	case duck.ErrorTypeInterrupt:
		return errcode.Cancelled
	case duck.ErrorTypeOutOfMemory, duck.ErrorTypeObjectSize:
		return errcode.ResourceExhausted
	case duck.ErrorTypePermission:
		return errcode.PermissionDenied
	case duck.ErrorTypeConstraint:
		return errcode.AlreadyExists
	case duck.ErrorTypeTransaction:
		return errcode.Unavailable
	case duck.ErrorTypeNotImplemented, duck.ErrorTypeMissingExtension, duck.ErrorTypeAutoLoad:
		return errcode.Unimplemented
	case duck.ErrorTypeInternal, duck.ErrorTypeFatal:
		return errcode.Internal
	case duck.ErrorTypeIO:
		switch {
		case strings.Contains(e.Msg, "No space left") || strings.Contains(e.Msg, "File too large") || strings.Contains(e.Msg, "Disk quota"):
			return errcode.ResourceExhausted
		case strings.Contains(e.Msg, "No files found") || strings.Contains(e.Msg, "No such file"):
			return errcode.NotFound
		}
		return errcode.DataLoss
	case duck.ErrorTypeInvalidInput:
		if strings.Contains(e.Msg, "read-only") {
			return errcode.PermissionDenied
		}
	}
	return errcode.InvalidArgument
}

// Query runs one statement and streams its result.
func (c *Conn) Query(ctx context.Context, query string, args ...any) (array.RecordReader, error) {
	return newReader(ctx, c.connector, query, args)
}

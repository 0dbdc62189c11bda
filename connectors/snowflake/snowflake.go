// Package snowflake is the connector of Snowflake.
//
// It is built on github.com/snowflakedb/gosnowflake, the driver of Snowflake's own project, which authenticates by key
// pair, token or container token, renews sessions, retries with one request ID and downloads results in chunks. Results
// are read as the Arrow batches that the driver downloads, not as rows of interface values. The driver's records have
// another version of Arrow, whose buffers are shared; Snowflake's own encodings (numbers as scaled integers, timestamps
// as structs) are converted to Arrow's types here, without floating point. See README.md for what was tested where.
//
// Every call uses a session from a pool. Changes of a statement to its session (USE, SET, ALTER SESSION, temporary
// tables) are lost in the next call. A call contains one statement.
package snowflake

import (
	"context"
	"database/sql"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	_ "github.com/badger-eval/badger/connectors/snowflake/internal/driverinit" // before the driver
	"github.com/badger-eval/badger/internal/errcode"
)

// scheme is the scheme of URLs, snowflake://ACCOUNT/DATABASE/SCHEMA?warehouse=W. See [ParseURL].
const scheme = "snowflake"

// Dialect is the SQL dialect of badger's tables in Snowflake.
var Dialect = driver.Dialect{
	Name: "snowflake",
	Types: map[driver.Type]string{
		driver.Text: "VARCHAR", driver.JSON: "VARIANT", driver.BigInt: "NUMBER(19, 0)", driver.Double: "FLOAT",
		driver.Decimal: "NUMBER(38, 12)", driver.Boolean: "BOOLEAN", driver.Timestamp: "TIMESTAMP_LTZ(9)",
	},
	Identifiers: identifiers,
	Definition:  definition,
	Member:      func(column, member string) string { return "CAST(GET(" + column + ", '" + member + "') AS VARCHAR)" },
	Part:        func(column, member string) string { return "TO_JSON(GET(" + column + ", '" + member + "'))" },
	Day:         func(instant string) string { return "CAST(CONVERT_TIMEZONE('UTC', " + instant + ") AS DATE)" },
	ShownViews:  "SELECT LOWER(table_name) AS name, view_definition AS definition FROM information_schema.views WHERE UPPER(table_schema) = 'BADGER'",
	BaseTables:  "SELECT LOWER(table_name) AS name FROM information_schema.tables WHERE UPPER(table_schema) = 'BADGER' AND table_type = 'BASE TABLE'",
	Grants: "GRANT USAGE ON WAREHOUSE w, USAGE and CREATE SCHEMA ON DATABASE d TO ROLE r; or, once the tables are there, USAGE ON SCHEMA d.badger and SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA d.badger, " +
		"and CREATE TABLE ON SCHEMA d.badger",
}

// Features are the features of the connector.
var Features = driver.Features{ReadOnly: true, Snapshots: true, QueryByID: true, TimeTravel: true, TextQuery: true}

// Conn is a connection to one account. It is a [driver.Conn], a [driver.SnapshotReader] and a
// [driver.TextQueryer].
type Conn struct {
	config   Config
	mem      memory.Allocator
	readOnly bool
	pool     *sql.DB
}

var (
	_ driver.Conn           = (*Conn)(nil)
	_ driver.SnapshotReader = (*Conn)(nil)
	_ driver.TextQueryer    = (*Conn)(nil)
)

// Open opens the account that a URL names; it is a [driver.Opener].
func Open(ctx context.Context, rawURL string, o driver.Options) (driver.Conn, driver.Dialect, error) {
	config, err := checked(rawURL)
	if err != nil || o.URLOnly {
		return nil, Dialect, err
	}
	c, err := openWith(ctx, config, o)
	if err != nil {
		return nil, Dialect, err // not a nil *Conn in an interface
	}
	return c, Dialect, nil
}

// The pool keeps few sessions, and closes idle ones before Snowflake does.
const (
	maxSessions = 8
	maxIdle     = 4
	maxIdleTime = 30 * time.Minute
)

// openWith opens a session, so that configuration errors are reported here. The error has the code InvalidArgument for
// missing configuration, Unauthenticated for credentials that the account rejects, NotFound for a database, schema,
// warehouse or role that does not exist and Unavailable if there is no reply.
func openWith(ctx context.Context, config Config, o driver.Options) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := config.check(); err != nil {
		return nil, err
	}
	c := &Conn{config: config, mem: o.Mem, readOnly: o.ReadOnly}
	if c.mem == nil {
		c.mem = memory.NewGoAllocator()
	}
	c.pool = sql.OpenDB(newLogin(config))
	c.pool.SetMaxOpenConns(maxSessions)
	c.pool.SetMaxIdleConns(maxIdle)
	c.pool.SetConnMaxIdleTime(maxIdleTime)
	if err := c.session(ctx, func(*session) error { return nil }); err != nil {
		c.pool.Close() //nolint:errcheck // the first error counts
		return nil, err
	}
	return c, nil
}

// Close closes the sessions. Open readers return an error or their last batch. It waits a limited time for the account,
// which closes the remaining sessions when they expire.
func (c *Conn) Close() error {
	ended := make(chan error, 1)
	go func() { ended <- c.pool.Close() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(leaving):
		return nil
	}
}

// ErrorCode classifies an error of this connection.
func (*Conn) ErrorCode(err error) errcode.Code { return errcode.Of(err) }

// Package databricks is the connector of Databricks SQL warehouses.
//
// Statements, their parameters and results go through the vendor's driver for Go,
// github.com/databricks/databricks-sql-go. Its results are read as Arrow streams and decoded by this module's Arrow
// version. A guard between the driver and the network ensures that no row is lost and that only the warehouse is
// contacted: see internal/guard. For each new version of the driver, TestDriverAlone shows which parts of the guard are
// still needed.
//
// Results of statements that other clients ran are read through the Statement Execution API, which is REST, without
// running them again. The vendor's SDK, github.com/databricks/databricks-sdk-go, is not used for that, and not for
// authentication. It costs only 0.7 MB and four modules, but v0.182.0 reads NULL as the empty string, sends the
// client secret to whatever host the workspace's discovery document names, and ignores the context of its caller.
// See README.md.
package databricks

import (
	"context"
	"errors"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/databricks/internal/guard"
	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// scheme is the scheme of URLs, databricks://HOST/CATALOG/SCHEMA?http_path=/sql/1.0/warehouses/ID.
// See [ParseURL].
const scheme = "databricks"

// Dialect is the SQL dialect of badger's tables in Databricks. JSON is text: VARIANT rewrites
// numbers and sorts members, and JSON functions read text as well.
var Dialect = driver.Dialect{
	Name: "databricks",
	Types: map[driver.Type]string{
		driver.Text: "STRING", driver.JSON: "STRING", driver.BigInt: "BIGINT", driver.Double: "DOUBLE",
		driver.Decimal: "DECIMAL(38, 12)", driver.Boolean: "BOOLEAN", driver.Timestamp: "TIMESTAMP",
	},
	Identifiers: identifiers,
	Definition:  definition,
	Member:      func(column, member string) string { return "get_json_object(" + column + ", '$." + member + "')" },
	// in the session's time zone, which is UTC unless the URL sets another
	Day:        func(instant string) string { return "CAST(" + instant + " AS DATE)" },
	ShownViews: "SELECT table_name AS name, view_definition AS definition FROM information_schema.views WHERE table_schema = 'badger'",
	BaseTables: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'badger' AND table_type IN ('MANAGED', 'BASE TABLE')",
	Grants:     "GRANT USE CATALOG, CREATE SCHEMA ON CATALOG c TO principal; or, once the tables are there, GRANT USE SCHEMA, CREATE TABLE, SELECT, MODIFY ON SCHEMA c.badger TO principal; and CAN USE on the SQL warehouse",
}

// Features are the features of the connector.
var Features = driver.Features{ReadOnly: true, Snapshots: true, QueryByID: true, TimeTravel: true, TextQuery: true}

// Conn is a connection to one SQL warehouse. It is a [driver.Conn], a [driver.SnapshotReader] and a
// [driver.TextQueryer].
//
// A call holds one statement and, until its reader is closed, one session. Sessions are reused. A statement that
// would change the meaning of later ones (USE, SET, temporary views) runs in a separate session, which is closed
// afterwards.
type Conn struct {
	config    Config
	mem       memory.Allocator
	readOnly  bool
	workspace *workspace.Client
	driver    *guard.Driver
}

var (
	_ driver.Conn           = (*Conn)(nil)
	_ driver.SnapshotReader = (*Conn)(nil)
	_ driver.TextQueryer    = (*Conn)(nil)
)

// Open opens the warehouse that a URL names; it is a [driver.Opener].
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

// openWith opens a session, which starts a stopped warehouse and reports configuration errors. The error's code is
// InvalidArgument for missing configuration, Unauthenticated for rejected credentials, PermissionDenied or NotFound for
// the warehouse, the catalog or the schema, and Unavailable if there is no reply.
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
	c.workspace = workspace.New(&c.config.Config)
	var err error
	if c.driver, err = guard.New(c.workspace,
		guard.Config{Catalog: config.Catalog, Schema: config.Schema, Conf: config.Conf, CloudFetch: config.CloudFetch,
			PageRows: config.PageRows}); err != nil {
		return nil, err
	}
	if err := c.driver.Connect(ctx); err != nil {
		return nil, c.errorOf(err)
	}
	return c, nil
}

// Query runs one statement and streams its result, page by page.
func (c *Conn) Query(ctx context.Context, query string, args ...any) (array.RecordReader, error) {
	s, err := c.query(ctx, query, args)
	if err != nil {
		return nil, c.errorOf(err)
	}
	return driverbase.NewReader(ctx, s.schema, s), nil
}

func (c *Conn) query(ctx context.Context, query string, args []any) (*stream, error) {
	if err := c.check(query); err != nil {
		return nil, err
	}
	params, err := parameters(args)
	if err != nil {
		return nil, err
	}
	op, err := c.run(ctx, guard.Command{SQL: query, Params: params, Reads: true}, reads(query))
	if err != nil {
		return nil, err
	}
	s, err := c.result(ctx, op)
	if err != nil {
		op.Close(ctx)
		return nil, err
	}
	return s, nil
}

// starting is the delay before the next request to a starting warehouse, if its response has no Retry-After.
const starting = 5 * time.Second

// run runs a statement to its end. It repeats a statement that a starting warehouse did not accept, and if repeat is
// set, one whose reply or session was lost, or that conflicted with a concurrent statement.
func (c *Conn) run(ctx context.Context, cmd guard.Command, repeat bool) (op *guard.Statement, err error) {
	cmd.Alone = changesSession(cmd.SQL)
	err = c.workspace.Retry.Do(ctx, func() error {
		op, err = c.driver.Run(ctx, cmd)
		return err
	}, func(err error) (bool, time.Duration) {
		var said *guard.ServerError
		server := errors.As(err, &said)
		if server && said.Starting() { // the statement was not accepted, so it can be repeated
			return true, starting
		}
		return repeat && (workspace.Unanswered(err) || server && (said.Handle || again(said))), 0
	})
	return op, err
}

// Exec runs one statement and discards its result. If its reply is lost, it runs again only if it cannot change
// anything.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) error {
	return c.errorOf(c.exec(ctx, query, args, reads(query)))
}

func (c *Conn) exec(ctx context.Context, query string, args []any, repeat bool) error {
	if err := c.check(query); err != nil {
		return err
	}
	params, err := parameters(args)
	if err != nil {
		return err
	}
	op, err := c.run(ctx, guard.Command{SQL: query, Params: params}, repeat)
	if err != nil {
		return err
	}
	op.Close(ctx)
	return nil
}

// QueryText runs one query that returns one string, such as a call of ai_query.
func (c *Conn) QueryText(ctx context.Context, query string, args ...any) (string, error) {
	r, err := c.Query(ctx, query, args...)
	if err != nil {
		return "", err
	}
	return driverbase.OneText("databricks", r)
}

// ErrorCode classifies an error of this connection.
func (*Conn) ErrorCode(err error) errcode.Code { return errcode.Of(err) }

// Close closes the idle sessions. Open readers may return an error.
func (c *Conn) Close() error {
	c.driver.Close()
	c.workspace.Close()
	return nil
}

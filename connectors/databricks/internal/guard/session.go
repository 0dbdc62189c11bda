package guard

import (
	"context"
	sqldriver "database/sql/driver"
	"io"
	"reflect"
	"sync"
	"time"

	dbsql "github.com/databricks/databricks-sql-go"
	"github.com/databricks/databricks-sql-go/logger"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/internal/errcode"
)

// The driver logs statements that fail with their text.
func init() {
	_ = logger.SetLogLevel("disabled")
	logger.SetLogOutput(io.Discard)
}

// session is a connection of the driver, which is a session at the service. It is for one statement
// at a time.
type session interface {
	sqldriver.Conn
	sqldriver.QueryerContext
	sqldriver.ExecerContext
}

// Config says how sessions are opened.
type Config struct {
	Catalog, Schema string            // of names without one
	Conf            map[string]string // of sessions
	CloudFetch      bool              // large results as files of cloud storage
	PageRows        int64             // of one page of a result
}

// Driver is the vendor's driver for one SQL warehouse, with the sessions that wait for a statement.
type Driver struct {
	connector sqldriver.Connector
	guard     *guard

	mu     sync.Mutex
	idle   []session
	closed bool
}

// idleSessions at most wait for a statement.
const idleSessions = 8

// New returns the driver of the warehouse that a workspace's configuration names, without connecting.
func New(ws *workspace.Client, config Config) (*Driver, error) {
	g, at := &guard{config: config, workspace: ws}, ws.Config()
	connector, err := dbsql.NewConnector(
		dbsql.WithServerHostname(at.Portless()), dbsql.WithPort(at.PortNumber()), dbsql.WithHTTPPath(at.HTTPPath),
		dbsql.WithInitialNamespace(config.Catalog, config.Schema),
		dbsql.WithSessionParams(config.Conf), dbsql.WithMaxRows(int(config.PageRows)),
		dbsql.WithCloudFetch(config.CloudFetch), dbsql.WithMaxDownloadThreads(workspace.Downloads),
		dbsql.WithArrowNativeDecimal(true),
		// the guard tries again
		dbsql.WithUserAgentEntry(workspace.UserAgent), dbsql.WithTransport(g), dbsql.WithRetries(-1, 0, 0),
		tuned,
	)
	if err != nil {
		return nil, errcode.Because(err, errcode.InvalidArgument, "databricks: the driver does not take the configuration")
	}
	return &Driver{connector: connector, guard: g}, nil
}

// Poll is the pause between two questions whether a statement has ended; tests shorten it.
var Poll = 200 * time.Millisecond

// tuned sets what v1.15.1 has no option for. It waits a second between two questions whether a
// statement has ended. Its HTTP client has a time limit of 15 minutes, over attempts of the guard
// too, and leaves a goroutine behind for as long, as the last answer of a session is never closed.
// The type of the configuration is internal and its fields are not, so reflection sets them. A
// version without one of them panics in every test.
func tuned[Config any](c *Config) {
	fields := reflect.ValueOf(c).Elem()
	fields.FieldByName("PollInterval").Set(reflect.ValueOf(Poll))
	fields.FieldByName("ClientTimeout").SetZero()
}

var errClosed = errcode.New(errcode.FailedPrecondition, "databricks: the connection is closed")

// open opens a session.
func (d *Driver) open(ctx context.Context) (session, error) {
	d.mu.Lock()
	closed := d.closed
	d.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	ctx, w := d.guard.witnessed(ctx)
	conn, err := d.connector.Connect(ctx)
	if err != nil {
		return nil, w.failure("opening a session", err)
	}
	out, ok := conn.(session)
	if !ok {
		return nil, errcode.New(errcode.Internal, "databricks: the driver's connections run no statements")
	}
	return out, nil
}

// take takes a session that waits, or opens one.
func (d *Driver) take(ctx context.Context) (session, error) {
	d.mu.Lock()
	if n := len(d.idle); n > 0 {
		defer d.mu.Unlock()
		out := d.idle[n-1]
		d.idle = d.idle[:n-1]
		return out, nil
	}
	d.mu.Unlock()
	return d.open(ctx)
}

// give returns a session.
func (d *Driver) give(x session) {
	d.mu.Lock()
	if !d.closed && len(d.idle) < idleSessions {
		d.idle = append(d.idle, x)
		x = nil
	}
	d.mu.Unlock()
	if x != nil {
		_ = x.Close() // it expires
	}
}

// Connect opens a session, which then waits for a statement, so that configuration errors are reported.
func (d *Driver) Connect(ctx context.Context) error {
	first, err := d.open(ctx)
	if err == nil {
		d.give(first)
	}
	return err
}

// Close closes the waiting sessions. Open statements may return an error.
func (d *Driver) Close() { d.forget(true) }

// forget ends all that wait: the service does not know one of their age any more, or the connection
// is closed for good.
func (d *Driver) forget(closed bool) {
	d.mu.Lock()
	idle := d.idle
	d.idle, d.closed = nil, d.closed || closed
	d.mu.Unlock()
	var wg sync.WaitGroup
	for _, x := range idle {
		wg.Go(func() { _ = x.Close() })
	}
	wg.Wait()
}

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

// The driver would log failing statements with their text.
func init() {
	_ = logger.SetLogLevel("disabled")
	logger.SetLogOutput(io.Discard)
}

// session is a connection of the driver, which is a session at the service. It runs one statement at a time.
type session interface {
	sqldriver.Conn
	sqldriver.QueryerContext
	sqldriver.ExecerContext
}

// Config configures how sessions are opened.
type Config struct {
	Catalog, Schema string            // defaults for names that have none
	Conf            map[string]string // configuration parameters of sessions
	CloudFetch      bool              // large results arrive as files in cloud storage
	PageRows        int64             // number of rows in a page of a result
}

// Driver is the vendor's driver for one SQL warehouse, with its idle sessions.
type Driver struct {
	connector sqldriver.Connector
	guard     *guard

	mu     sync.Mutex
	idle   []session
	closed bool
}

// idleSessions is the maximum number of idle sessions.
const idleSessions = 8

// New returns a driver for the warehouse of a workspace's configuration, without connecting.
func New(ws *workspace.Client, config Config) (*Driver, error) {
	g, at := &guard{config: config, workspace: ws}, ws.Config()
	connector, err := dbsql.NewConnector(
		dbsql.WithServerHostname(at.Portless()), dbsql.WithPort(at.PortNumber()), dbsql.WithHTTPPath(at.HTTPPath),
		dbsql.WithInitialNamespace(config.Catalog, config.Schema),
		dbsql.WithSessionParams(config.Conf), dbsql.WithMaxRows(int(config.PageRows)),
		dbsql.WithCloudFetch(config.CloudFetch), dbsql.WithMaxDownloadThreads(workspace.Downloads),
		dbsql.WithArrowNativeDecimal(true),
		// the guard retries
		dbsql.WithUserAgentEntry(workspace.UserAgent), dbsql.WithTransport(g), dbsql.WithRetries(-1, 0, 0),
		tuned,
	)
	if err != nil {
		return nil, errcode.Because(err, errcode.InvalidArgument, "databricks: the driver rejects the configuration")
	}
	return &Driver{connector: connector, guard: g}, nil
}

// Poll is the delay between two requests for a statement's state; tests shorten it.
var Poll = 200 * time.Millisecond

// tuned sets by reflection what v1.15.1 has no options for: the pause between polls, and no time limit of the HTTP
// client, which would include the guard's retries and leave a goroutine. The configuration's type is internal, but its
// fields are exported. If a version lacks one of them, every test panics.
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
		return nil, errcode.New(errcode.Internal,
			"databricks: the connections of this version of the driver cannot run statements")
	}
	return out, nil
}

// take returns an idle session, or opens one.
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

// give returns a session to the idle ones, or closes it.
func (d *Driver) give(x session) {
	d.mu.Lock()
	if !d.closed && len(d.idle) < idleSessions {
		d.idle = append(d.idle, x)
		x = nil
	}
	d.mu.Unlock()
	if x != nil {
		_ = x.Close() // the service closes an abandoned session anyway
	}
}

// Connect opens a session and keeps it idle, so that configuration errors are reported.
func (d *Driver) Connect(ctx context.Context) error {
	first, err := d.open(ctx)
	if err == nil {
		d.give(first)
	}
	return err
}

// Close closes the idle sessions. Open statements may return an error.
func (d *Driver) Close() { d.forget(true) }

// forget closes all idle sessions. closed reports that the connection is closed; otherwise the service has ended a
// session as old as these.
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

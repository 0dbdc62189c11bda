package databricks

import (
	"context"
	sqldriver "database/sql/driver"
	"io"
	"reflect"
	"sync"
	"time"

	dbsql "github.com/databricks/databricks-sql-go"
	"github.com/databricks/databricks-sql-go/logger"

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

// sessions are those that wait for a statement.
type sessions struct {
	connector sqldriver.Connector
	guard     *guard

	mu     sync.Mutex
	idle   []session
	closed bool
}

// idleSessions at most wait for a statement.
const idleSessions = 8

func newSessions(c *Conn) (*sessions, error) {
	g := &guard{c: c}
	connector, err := dbsql.NewConnector(
		dbsql.WithServerHostname(c.config.portless()), dbsql.WithPort(c.config.port()), dbsql.WithHTTPPath(c.config.HTTPPath), dbsql.WithInitialNamespace(c.config.Catalog, c.config.Schema),
		dbsql.WithSessionParams(c.config.Conf), dbsql.WithMaxRows(int(c.config.PageRows)), dbsql.WithCloudFetch(c.config.CloudFetch), dbsql.WithMaxDownloadThreads(downloads), dbsql.WithArrowNativeDecimal(true),
		dbsql.WithUserAgentEntry(userAgent), dbsql.WithTransport(g), dbsql.WithRetries(-1, 0, 0), // the guard tries again
		tuned,
	)
	if err != nil {
		return nil, errcode.Because(err, errcode.InvalidArgument, "databricks: the driver does not take the configuration")
	}
	return &sessions{connector: connector, guard: g}, nil
}

// poll is the pause between two questions whether a statement has ended.
var poll = 200 * time.Millisecond

// tuned sets what v1.15.1 has no option for. It waits a second between two questions whether a
// statement has ended. Its HTTP client has a time limit of 15 minutes, over attempts of the guard
// too, and leaves a goroutine behind for as long, as the last answer of a session is never closed.
// The type of the configuration is internal and its fields are not, so reflection sets them. A
// version without one of them panics in every test.
func tuned[Config any](c *Config) {
	fields := reflect.ValueOf(c).Elem()
	fields.FieldByName("PollInterval").Set(reflect.ValueOf(poll))
	fields.FieldByName("ClientTimeout").SetZero()
}

var errClosed = errcode.New(errcode.FailedPrecondition, "databricks: the connection is closed")

// open opens a session.
func (s *sessions) open(ctx context.Context) (session, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	ctx, w := s.guard.witnessed(ctx)
	conn, err := s.connector.Connect(ctx)
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
func (s *sessions) take(ctx context.Context) (session, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		defer s.mu.Unlock()
		out := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return out, nil
	}
	s.mu.Unlock()
	return s.open(ctx)
}

// give gives a session back.
func (s *sessions) give(x session) {
	s.mu.Lock()
	if !s.closed && len(s.idle) < idleSessions {
		s.idle = append(s.idle, x)
		x = nil
	}
	s.mu.Unlock()
	if x != nil {
		_ = x.Close() // it expires
	}
}

// forget ends all that wait: the service does not know one of their age any more, or the connection
// is closed for good.
func (s *sessions) forget(closed bool) {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, s.closed || closed
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, x := range idle {
		wg.Go(func() { _ = x.Close() })
	}
	wg.Wait()
}

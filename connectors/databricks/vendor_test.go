package databricks_test

import (
	"bytes"
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	dbsql "github.com/databricks/databricks-sql-go"
	dbsqlerr "github.com/databricks/databricks-sql-go/errors"
	"github.com/databricks/databricks-sql-go/logger"
	"github.com/databricks/databricks-sql-go/rows"

	fakedatabricks "github.com/badger-eval/badger/connectors/fake/databricks"
	"github.com/badger-eval/badger/connectors/internal/thrift"
)

// alone opens the vendor's driver without the guard. Its requests go through see first.
func alone(t *testing.T, s *fakedatabricks.Server, see func(method string, body []byte, r *http.Request) (*http.Response, error), o ...dbsql.ConnOption) sqldriver.Conn {
	t.Helper()
	host, p, _ := net.SplitHostPort(s.Address())
	port, _ := strconv.Atoi(p)
	connector, err := dbsql.NewConnector(append([]dbsql.ConnOption{
		dbsql.WithServerHostname("http://" + host), dbsql.WithPort(port), dbsql.WithHTTPPath(fakedatabricks.HTTPPath), dbsql.WithAccessToken("x"), dbsql.WithCloudFetch(s.Files),
		dbsql.WithRetries(-1, 0, 0), dbsql.WithTransport(seen(see)),
	}, o...)...)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// seen is a transport whose requests are seen. A function that returns neither an answer nor an
// error lets them pass.
type seen func(method string, body []byte, r *http.Request) (*http.Response, error)

func (x seen) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if x != nil {
		m, _ := thrift.Parse(body)
		if resp, err := x(m.Name, body, r); resp != nil || err != nil {
			return resp, err
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}

const twentyThousand = "SELECT i FROM range(20000) AS t(i) ORDER BY i"

func query(ctx context.Context, c sqldriver.Conn, sql string) (sqldriver.Rows, error) {
	return c.(sqldriver.QueryerContext).QueryContext(ctx, sql, nil)
}

// count reads a result as Arrow.
func count(c sqldriver.Conn, each func()) (n int64, err error) {
	r, err := query(ctx, c, twentyThousand)
	if err != nil {
		return 0, err
	}
	defer r.Close() //nolint:errcheck // read as far as it goes
	it, err := r.(rows.Rows).GetArrowIPCStreams(ctx)
	if err != nil {
		return 0, err
	}
	defer it.Close()
	for it.HasNext() {
		body, err := it.Next()
		if err != nil {
			return n, err
		}
		stream, err := ipc.NewReader(body)
		if err != nil {
			return n, err
		}
		for stream.Next() {
			n += stream.Record().NumRows()
		}
		stream.Release()
		each()
	}
	return n, nil
}

// What the driver does by itself, which is why there is a guard. Each test skips itself when a
// version comes that does right: then the part of the guard that it names may go.
func TestDriverAlone(t *testing.T) {
	pages := func(t *testing.T, set func(s *fakedatabricks.Server)) *fakedatabricks.Server {
		s := start(t)
		s.Direct, s.Files, s.LZ4, s.PageRows, s.FileRows = false, false, false, 2048, 2048
		set(s)
		return s
	}
	files := func(s *fakedatabricks.Server) { s.Files, s.PageRows = true, 20_480 }
	nothing := func() {}
	for _, tc := range []struct {
		why, part string
		shared    bool                    // what it is about is the process's
		right     func(t *testing.T) bool // the driver does right
	}{
		{"a result whose page fails ends without an error", "witness.complete", false, func(t *testing.T) bool {
			s := pages(t, func(*fakedatabricks.Server) {})
			s.Script("FetchResults", step{}, step{}, step{Fault: &fakedatabricks.Fault{State: "08000", Message: "the page is gone"}})
			n, err := count(alone(t, s, nil), nothing)
			return n == 20_000 || err != nil
		}},
		{"batches give more rows than announced", "the rows of witness.part", false, func(t *testing.T) bool {
			n, err := count(alone(t, pages(t, func(s *fakedatabricks.Server) { s.Extra = true }), nil), nothing)
			return n == 20_000 || err != nil
		}},
		{"files give more rows than announced", "the rows of witness.part", false, func(t *testing.T) bool {
			n, err := count(alone(t, pages(t, func(s *fakedatabricks.Server) { files(s); s.Extra = true }), nil), nothing)
			return n == 20_000 || err != nil
		}},
		{"files give fewer rows than announced", "the rows of witness.part", false, func(t *testing.T) bool {
			n, err := count(alone(t, pages(t, func(s *fakedatabricks.Server) { files(s); s.Short = true }), nil), nothing)
			return n == 20_000 || err != nil
		}},
		{"a link that has expired is not asked for again", "witness.renew", false, func(t *testing.T) bool {
			s := pages(t, files)
			s.Script("file", step{}, step{Status: 403})
			n, _ := count(alone(t, s, nil), nothing)
			return n == 20_000
		}},
		{"a statement is closed before its files are read", "the answer to CloseOperation in guard.call", false, func(t *testing.T) bool {
			s := pages(t, files)
			open := -1
			_, err := count(alone(t, s, nil), func() {
				if open < 0 {
					open = s.Open()
				}
			})
			return err != nil || open != 0
		}},
		{"downloads of links that came with the first answer know nothing of their statement", "guard.announced", false, func(t *testing.T) bool {
			type key struct{}
			s := pages(t, func(s *fakedatabricks.Server) { files(s); s.Direct = true })
			var mu sync.Mutex
			known := false
			conn := alone(t, s, func(_ string, _ []byte, r *http.Request) (*http.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				known = known || strings.HasPrefix(r.URL.Path, "/files/") && r.Context().Value(key{}) != nil
				return nil, nil //nolint:nilnil // it passes
			})
			r, err := query(context.WithValue(ctx, key{}, true), conn, twentyThousand)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close() //nolint:errcheck // nothing follows
			it, err := r.(rows.Rows).GetArrowIPCStreams(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := it.Next(); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			return known
		}},
		{"reading a result goes on when its caller has cancelled", "witness.bound", false, func(t *testing.T) bool {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			stopped := false
			conn := alone(t, pages(t, func(*fakedatabricks.Server) {}), func(method string, _ []byte, r *http.Request) (*http.Response, error) {
				if method == "FetchResults" {
					cancel()
					stopped = r.Context().Err() != nil
				}
				return nil, nil //nolint:nilnil // it passes
			})
			r, err := query(ctx, conn, twentyThousand)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close() //nolint:errcheck // nothing follows
			it, err := r.(rows.Rows).GetArrowIPCStreams(ctx)
			if err != nil {
				t.Fatal(err)
			}
			it.HasNext()
			return stopped
		}},
		{"a statement runs on that is cancelled before its handle is known", "request.finish", false, func(t *testing.T) bool {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			s := pages(t, func(*fakedatabricks.Server) {})
			conn := alone(t, s, func(method string, _ []byte, r *http.Request) (*http.Response, error) {
				if method != "ExecuteStatement" {
					return nil, nil //nolint:nilnil // it passes
				}
				resp, err := http.DefaultTransport.RoundTrip(r.WithContext(context.WithoutCancel(ctx)))
				cancel()
				return resp, err
			})
			_, err := query(ctx, conn, twentyThousand)
			return err == nil || s.Count("CancelOperation") > 0
		}},
		{"a statement that failed stays open", "witness.end", false, func(t *testing.T) bool {
			s := pages(t, func(*fakedatabricks.Server) {})
			s.Answer(".*", fakedatabricks.Result{Fault: &fakedatabricks.Fault{State: "42000", Message: "[PARSE_SYNTAX_ERROR] no"}})
			_, err := query(ctx, alone(t, s, nil), twentyThousand)
			return err == nil || s.Open() == 0
		}},
		{"an error keeps no SQLSTATE", "witness.failure", false, func(t *testing.T) bool {
			s := pages(t, func(*fakedatabricks.Server) {})
			s.Script("ExecuteStatement", step{Fault: &fakedatabricks.Fault{State: "42501", Message: "no"}})
			_, err := query(ctx, alone(t, s, nil), twentyThousand)
			var known dbsqlerr.DBExecutionError
			return errors.As(err, &known) && known.SqlState() == "42501"
		}},
		{"compressed results are not asked for", "CanDecompressLZ4Result in guard.call", false, func(t *testing.T) bool {
			asked := false
			_, err := count(alone(t, pages(t, func(*fakedatabricks.Server) {}), func(method string, body []byte, _ *http.Request) (*http.Response, error) {
				if m, err := thrift.Parse(body); method == "ExecuteStatement" && err == nil {
					asked = m.Fields.Struct(1).Bool(1284)
				}
				return nil, nil //nolint:nilnil // it passes
			}), nothing)
			return err != nil || asked
		}},
		{"the workspace is asked whether telemetry is wanted", "the first case of guard.RoundTrip", false, func(t *testing.T) bool {
			asked := false
			alone(t, pages(t, func(*fakedatabricks.Server) {}), func(_ string, _ []byte, r *http.Request) (*http.Response, error) {
				if strings.Contains(r.URL.Path, "feature-flags") {
					asked = true
					return nil, errors.New("not now")
				}
				return nil, nil //nolint:nilnil // it passes
			})
			return !asked
		}},
		{"statements that fail are logged with their text", "the init of session.go", true, func(t *testing.T) bool {
			defer quiet(t)()
			var b bytes.Buffer
			logger.SetLogOutput(&b)
			if err := logger.SetLogLevel("warn"); err != nil {
				t.Fatal(err)
			}
			s := pages(t, func(*fakedatabricks.Server) {})
			s.Answer("DROP .*", fakedatabricks.Result{Fault: &fakedatabricks.Fault{State: "42000", Message: "[PARSE_SYNTAX_ERROR] no"}})
			_, err := alone(t, s, nil).(sqldriver.ExecerContext).ExecContext(ctx, "DROP hunter2", nil)
			return err == nil || !strings.Contains(b.String(), "hunter2")
		}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			if !tc.shared {
				t.Parallel() // the driver waits a second for each statement
			}
			if tc.right(t) {
				t.Skipf("version %s of the driver does right: %s may go", dbsql.DriverVersion, tc.part)
			}
		})
	}
}

// quiet makes the driver's log what the connector makes it, when the test has ended.
func quiet(t *testing.T) func() {
	t.Helper()
	return func() {
		logger.SetLogOutput(io.Discard)
		if err := logger.SetLogLevel("disabled"); err != nil {
			t.Error(err)
		}
	}
}

// Of what the driver does nothing reaches the log, and nothing but the warehouse and its files is
// asked for: no telemetry, although the workspace wants it.
func TestDriverIsQuiet(t *testing.T) {
	t.Setenv("BADGER_TEST_TOKEN", secret)
	var b bytes.Buffer
	logger.SetLogOutput(&b)
	defer quiet(t)()
	s := start(t)
	s.Token, s.FileRows = secret, 2048
	c := open(t, s.URL("token_env=BADGER_TEST_TOKEN", "retries=1"), options)
	s.Answer("(DROP|SELECT) hunter2", fakedatabricks.Result{Fault: &fakedatabricks.Fault{State: "42000", Message: "[PARSE_SYNTAX_ERROR] hunter2"}})
	if err := c.Exec(ctx, "DROP hunter2"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v, want an error without the text of the statement", err)
	}
	if _, err := c.Query(ctx, "SELECT hunter2"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v, want an error without the text of the statement", err)
	}
	if err := numbers(c, 20_000); err != nil {
		t.Fatal(err)
	}
	s.Script("file", step{Status: 403}, step{Status: 403}, step{Status: 403}, step{Status: 403}, step{Status: 403}, step{Status: 403}, step{Status: 403}, step{Status: 403}, step{Status: 403}, step{Status: 403})
	if err := numbers(c, 20_000); err == nil || strings.Contains(err.Error(), "/files/") {
		t.Errorf("%v, want an error without the address of a file, which is a permission", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 0 {
		t.Errorf("the driver logs %q", b.String())
	}
	if n := s.Count("other"); n > 0 {
		t.Errorf("%d requests for other things, want none", n)
	}
}

// The driver waits for answers when its caller has left. Statements are ended all the same.
func TestCancellingBeforeTheHandleIsKnown(t *testing.T) {
	s := start(t)
	s.Direct = false
	s.Answer("SELECT hangs", fakedatabricks.Result{Hangs: true})
	c := open(t, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	for range 20 {  // wherever the cancelling meets the statement on its way
		ctx, cancel := context.WithTimeout(ctx, 2*time.Millisecond)
		if _, err := c.Query(ctx, "SELECT hangs"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want that the time was up", err)
		}
		cancel()
	}
	for s.Open() > 0 { // what stays open for good meets the time limit of go test
		time.Sleep(time.Millisecond)
	}
}

//go:build !no_duckdb && !no_postgres

package store_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/sql/store"
)

var server struct {
	sync.Mutex
	*fakepostgres.Server
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if server.Server != nil {
		server.Remove()
	}
	os.Exit(code)
}

// onEngines calls f for DuckDB or PostgreSQL, which the seed draws by the name of the test, and for DuckDB if this machine
// has no PostgreSQL; where tests are thorough, for both. empty makes an empty database.
func onEngines(t *testing.T, f func(t *testing.T, empty func(t *testing.T) *flaky)) {
	t.Helper()
	inPostgres := sample.One(t.Name(), 2) == 1 && startPostgres() == nil
	run := func(name string, drawn bool, f func(t *testing.T)) {
		t.Helper()
		if drawn || sample.Thorough() {
			t.Run(name, f)
		}
	}
	run("duckdb", !inPostgres, func(t *testing.T) {
		f(t, func(t *testing.T) *flaky {
			t.Helper()
			c, err := duckdb.OpenWith(t.Context(), "", duckdb.Options{Threads: threads()})
			if err != nil {
				t.Fatal(err)
			}
			return begin(t, c, duckdb.Dialect)
		})
	})
	run("postgres", inPostgres, func(t *testing.T) {
		f(t, func(t *testing.T) *flaky {
			t.Helper()
			c, d, err := postgres.Open(t.Context(), emptyPostgres(t), driver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return begin(t, c, d)
		})
	})
}

// threads returns the number of DuckDB's threads: one, since for small tables a second one costs more than it saves.
// In thorough tests the engine chooses, which is 0.
func threads() int {
	if sample.Thorough() {
		return 0
	}
	return 1
}

// startPostgres starts the server of the package's tests unless it runs.
func startPostgres() error {
	server.Lock()
	defer server.Unlock()
	if server.Server == nil && server.err == nil {
		server.Server, server.err = fakepostgres.Start(nil)
	}
	return server.err
}

func emptyPostgres(t *testing.T) (url string) {
	t.Helper()
	if err := startPostgres(); err != nil {
		t.Skipf("there is no PostgreSQL server to test with: %v", err)
	}
	return server.URL(server.Database(t), server.Port)
}

// flaky is a connection that fails when it is told to.
type flaky struct {
	*store.Store
	dialect driver.Dialect
	after   int // so many changes, from the next one on; negative: never
	changes int
	failed  func() // is called when it fails; may be nil
}

type flakyConn struct {
	driver.Conn
	of *flaky
}

func begin(t *testing.T, c driver.Conn, d driver.Dialect) *flaky {
	f := &flaky{dialect: d, after: -1}
	f.Store = store.New(connectors.New(flakyConn{c, f}, d))
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func (c flakyConn) change() error {
	if c.of.after == 0 {
		if c.of.failed != nil {
			c.of.failed()
		}
		return errcode.New(errcode.Unavailable, "the connection is lost")
	}
	c.of.after--
	c.of.changes++
	return nil
}

func (c flakyConn) Exec(ctx context.Context, query string, args ...any) error {
	if err := c.change(); err != nil {
		return err
	}
	return c.Conn.Exec(ctx, query, args...)
}

func (c flakyConn) Merge(ctx context.Context, table string, key []string, r array.RecordReader) (int64, error) {
	if err := c.change(); err != nil {
		return 0, err
	}
	return c.Conn.Merge(ctx, table, key, r)
}

func (f *flaky) run(t *testing.T, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if err := f.Store.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
	}
}

// ask shows a query's rows, a line each, with | between the cells.
func (f *flaky) ask(t *testing.T, query string) string {
	t.Helper()
	got, err := f.Store.Query(t.Context(), query)
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	var out strings.Builder
	for row := range got.Rows() {
		for i, c := range got.Columns {
			if i > 0 {
				out.WriteString("|")
			}
			if v := c.Value(row); !v.IsNull() {
				out.WriteString(v.String())
			}
		}
		out.WriteString("\n")
	}
	return out.String()
}

// script are the statements of a file under testdata.
func script(t *testing.T, name string) (out []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for sql := range strings.SplitSeq(string(text), ";\n") {
		if sql = strings.TrimSpace(sql); sql != "" {
			out = append(out, sql)
		}
	}
	return out
}

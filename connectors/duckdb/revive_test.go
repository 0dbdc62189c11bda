package duckdb_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
)

// breaks is a query on which an assertion of the engine's own fails.
const breaks = "SELECT lower(printf('%c', i::INT)) AS v FROM range(255, 256) AS t(i)"

// A database that the engine gave up is opened again as it was: what was written is there, what it may do is
// what it might do, and functions are known.
func TestRevived(t *testing.T) {
	ctx, file := context.Background(), filepath.Join(t.TempDir(), "a.duckdb")
	text := func(c *duckdb.Conn, sql string) string {
		t.Helper()
		got, err := c.QueryText(ctx, sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		return got
	}
	c, err := duckdb.OpenFile(ctx, file, driver.Options{Sparing: true})
	if err != nil {
		t.Fatal(err)
	}
	next := func(_ context.Context, a []columnar.Column, out *columnar.Column) error {
		for i, v := range a[0].Ints {
			out.Ints[i] = v + 1
		}
		return nil
	}
	if err := c.RegisterScalar(ctx, driver.Scalar{Name: "plus_one", Params: []columnar.Type{columnar.BIGINT}, Result: columnar.BIGINT, Eval: next}); err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(ctx, "CREATE TABLE t AS SELECT i AS v FROM range(10) AS t(i)"); err != nil {
		t.Fatal(err)
	}
	const settings = "SELECT current_setting('memory_limit') || current_setting('threads') || current_setting('TimeZone') || current_setting('checkpoint_threshold')"
	before := text(c, settings)
	for range 2 {
		if err := c.Exec(ctx, breaks); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%v, want invalid_argument", err)
		}
		if got := text(c, "SELECT (count(*) + plus_one(1))::VARCHAR FROM t"); got != "12" {
			t.Errorf("%s, want 12", got)
		}
		if got := text(c, settings); got != before {
			t.Errorf("%s, before %s", got, before)
		}
	}
	c.Close() //nolint:errcheck // the next one tells

	only, err := duckdb.OpenWith(ctx, file, duckdb.Options{Options: driver.Options{ReadOnly: true}, Confined: true})
	if err != nil {
		t.Fatal(err)
	}
	defer only.Close() //nolint:errcheck // only read
	if err := only.Exec(ctx, breaks); err == nil {
		t.Fatal("no error")
	}
	for _, sql := range []string{"SET threads = 1", "CREATE TABLE u (v INT)", "SELECT * FROM '" + file + "x.csv'"} {
		if err := only.Exec(ctx, sql); err == nil {
			t.Errorf("%s runs on a confined connection that only reads", sql)
		}
	}
	if got := text(only, "SELECT count(*)::VARCHAR FROM t"); got != "10" {
		t.Errorf("%s, want 10", got)
	}
}

// Connections of one process to a file share the engine's instance: each finds it again, in whatever order
// they call, and so do calls at the same time.
func TestRevivedTogether(t *testing.T) {
	ctx, file := context.Background(), filepath.Join(t.TempDir(), "a.duckdb")
	var conns []*duckdb.Conn
	for range 3 {
		c, err := duckdb.OpenFile(ctx, file, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() //nolint:errcheck // the end
		conns = append(conns, c)
	}
	if err := conns[0].Exec(ctx, "CREATE TABLE t AS SELECT i AS v FROM range(10) AS t(i)"); err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 0, 1}} {
		if err := conns[order[0]].Exec(ctx, breaks); err == nil {
			t.Fatal("no error")
		}
		for range 2 { // the first that come give the instance up, the last one opens another
			for _, i := range order {
				_, _ = conns[i].QueryText(ctx, "SELECT 'a'") //nolint:errcheck // see above
			}
		}
		for _, i := range order {
			if got, err := conns[i].QueryText(ctx, "SELECT count(*)::VARCHAR FROM t"); got != "10" {
				t.Errorf("connection %d: %s, %v", i, got, err)
			}
		}
	}
	for _, c := range conns[1:] {
		c.Close() //nolint:errcheck // one is left
	}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 20 {
				if n == 0 && i%5 == 0 {
					if err := conns[0].Exec(ctx, breaks); err == nil {
						t.Error("no error")
					}
				} else if got, err := conns[0].QueryText(ctx, "SELECT count(*)::VARCHAR FROM t"); got != "10" {
					t.Errorf("%s, %v", got, err)
				}
			}
		})
	}
	all.Wait()
}

// A database in memory would be another one: it stays refused, and its error says so.
func TestNotRevivedInMemory(t *testing.T) {
	w := open(t, ":memory:", driver.Options{})
	if _, err := w.Query(context.Background(), breaks); err == nil {
		t.Fatal("no error")
	}
	if _, err := w.Query(context.Background(), "SELECT 1"); errcode.Of(err) != errcode.Unavailable || !strings.Contains(err.Error(), "invalidated") {
		t.Errorf("%v, want unavailable", err)
	}
}

// What could end the process is not run; what only looks like it is.
func TestTextsThatEndTheProcess(t *testing.T) {
	w := open(t, ":memory:", driver.Options{})
	for sql, refused := range map[string]bool{
		"SELECT strip_accents(printf('%c', 200))":                                       true,
		"SELECT /* x */ STRIP_ACCENTS(x) FROM (SELECT printf('a%3c', 200) AS x)":        true,
		`SELECT "nfc_normalize"(printf($$%c$$, 200))`:                                   true,
		"SELECT 1 ORDER BY printf('%c', 200) COLLATE nocase.noaccent":                   true,
		"SELECT regexp_replace('é', '\\C', '') COLLATE NFC = 'a'":                       true,
		"SELECT strip_accents(printf('%s', 'é'))":                                       false,
		"SELECT strip_accents('é'), '100% complete' AS c":                               false,
		"SELECT printf('%c', 65) AS nfc":                                                false,
		"SELECT printf('%c', 65), 'strip_accents' AS v":                                 false,
		"SELECT 'é' COLLATE NOACCENT = 'e' /* printf('%c', 200) */":                     false,
		"SELECT strip_accents(chr(233)) AS v, regexp_matches('a', '\\w') AS c":          false,
		"SELECT v FROM (SELECT 'é' COLLATE NOACCENT AS v) WHERE v LIKE '%c' OR v = 'e'": false,
	} {
		_, err := w.Query(context.Background(), sql)
		if got := errcode.Of(err) == errcode.InvalidArgument && strings.Contains(err.Error(), "unsupported statement"); got != refused {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

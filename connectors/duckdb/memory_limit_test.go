package duckdb_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/errcode"
)

// A query that the bound is too low for runs all the same, also beside others, and the bound holds
// again afterwards.
func TestSparing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.duckdb")
	c := mustOpen(t, path, duckdb.Options{Options: driver.Options{Sparing: true}})
	limit := func() string {
		text, err := c.QueryText(context.Background(), "SELECT current_setting('memory_limit')")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	bound := limit()
	const large = "SELECT len(list(i)) FROM range(10000000) r(i)" // a list of 80 MB cannot be put on the disk
	bounded := mustOpen(t, filepath.Join(t.TempDir(), "b.duckdb"), duckdb.Options{MemoryLimit: "40MB", TempDir: t.TempDir()})
	if _, err := query(t, bounded, large); errcode.Of(err) != errcode.ResourceExhausted {
		t.Fatalf("the query fits the bound (%v): it shows nothing", err)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			got, err := query(t, c, large)
			if err != nil {
				t.Error(err)
			} else if n := got.Columns[0].Value(0).Int(); n != 10000000 {
				t.Errorf("%d numbers", n)
			}
		})
	}
	all.Wait()
	if got := limit(); got != bound {
		t.Errorf("the limit is %s afterwards, not %s", got, bound)
	}
	if _, err := query(t, c, "SELECT nothing FROM nowhere"); errcode.Of(err) != errcode.NotFound {
		t.Errorf("a query that is wrong: %v", err)
	}
}

// Statements that follow each other run under the higher limit. The low one holds for queries, when the statements have
// ended for a while, and for other connections to the file after the one that raised it has closed.
func TestSparingAfterStatements(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.duckdb")
	c := mustOpen(t, path, duckdb.Options{Options: driver.Options{Sparing: true}})
	other := mustOpen(t, path, duckdb.Options{}) // shares the engine's instance, and does not set the limit
	limit := func(c *duckdb.Conn) string {
		t.Helper()
		text, err := c.QueryText(t.Context(), "SELECT current_setting('memory_limit')")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	low := limit(c)
	exec := func(c *duckdb.Conn, sql string) {
		t.Helper()
		if err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(c, "CREATE TABLE limits AS SELECT current_setting('memory_limit') AS l")
	exec(c, "INSERT INTO limits SELECT current_setting('memory_limit')")
	if got, err := c.QueryText(t.Context(), "SELECT max(l) FROM limits WHERE l <> ?", low); err != nil || got == low {
		t.Errorf("statements ran under the limit %s: %v", got, err)
	}
	if got := limit(c); got != low {
		t.Errorf("a query runs under the limit %s, want %s", got, low)
	}
	exec(c, "INSERT INTO limits VALUES ('x')")
	for deadline := time.Now().Add(time.Minute); limit(other) != low; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a minute after the last statement the limit is %s, want %s", limit(other), low)
		}
	}
	exec(c, "INSERT INTO limits VALUES ('y')")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := limit(other); got != low {
		t.Errorf("after the connection has closed the limit is %s, want %s", got, low)
	}
}

// A limit that the URL names stays.
func TestSparingKeepsAGivenLimit(t *testing.T) {
	c := mustOpen(t, filepath.Join(t.TempDir(), "a.duckdb"), duckdb.Options{Options: driver.Options{Sparing: true}, MemoryLimit: "1GB"})
	if got, err := c.QueryText(context.Background(), "SELECT current_setting('memory_limit')"); err != nil || got != "953.6 MiB" {
		t.Errorf("%s, %v", got, err)
	}
}

package duckdb_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/sample"
)

// The engine has one thread, since for small tables a second one costs more than it saves. In thorough tests it chooses.
func TestConformance(t *testing.T) {
	threads := 1
	if sample.Thorough() {
		threads = 0
	}
	open := func(t *testing.T, path string, o driver.Options) driver.Conn {
		t.Helper()
		c, err := duckdb.OpenWith(context.Background(), path, duckdb.Options{Options: o, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	drivertest.Run(t, drivertest.Harness{
		Name: "duckdb", Dialect: duckdb.Dialect, Features: duckdb.Features,
		Open: func(t *testing.T, mem memory.Allocator) driver.Conn {
			return open(t, filepath.Join(t.TempDir(), "w.duckdb"), driver.Options{Mem: mem})
		},
		OpenReadOnly: func(t *testing.T, mem memory.Allocator) driver.Conn {
			path := filepath.Join(t.TempDir(), "ro.duckdb")
			c := open(t, path, driver.Options{})
			if err := c.Exec(context.Background(), "CREATE TABLE present AS SELECT 1 AS a"); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, path, driver.Options{ReadOnly: true, Mem: mem})
		},
		Slow: "SELECT a.i, sqrt(a.i * b.i) AS r FROM range(1000000000) AS a(i), range(1000000) AS b(i)",
	})
}

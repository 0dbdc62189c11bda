package sqlserver_test

import (
	"os"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fake "github.com/badger-eval/badger/connectors/fake/sqlserver"
	"github.com/badger-eval/badger/connectors/sqlserver"
)

func open(t testing.TB, url string, o driver.Options) driver.Conn {
	t.Helper()
	o.ReadOnly = true
	c, _, err := sqlserver.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const slow = "SELECT a.i AS i, sqrt(a.i * b.i) AS r FROM range(1000000000) AS a(i), range(1000000) AS b(i)"

func TestConformance(t *testing.T) {
	openPresent := func(t *testing.T, mem memory.Allocator) driver.Conn {
		server := fake.Start(t)
		if err := server.Engine.Exec(t.Context(), "CREATE TABLE present AS SELECT 1 AS a"); err != nil {
			t.Fatal(err)
		}
		return open(t, "sqlserver://reader@"+server.Addr+"/shop", driver.Options{Mem: mem})
	}
	drivertest.Run(t, drivertest.Harness{
		Name: "sqlserver", Dialect: sqlserver.Dialect, Features: sqlserver.Features, Types: os.DirFS("testdata/types"),
		Open: openPresent, OpenReadOnly: openPresent, Slow: slow,
	})
}

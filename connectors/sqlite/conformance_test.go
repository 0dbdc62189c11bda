package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/sqlite"
)

// create makes a database of statements and returns its path.
func create(t testing.TB, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.sqlite")
	_, closing, err := sqlite.Create(path, statements...)
	defer closing()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, url string, o driver.Options) driver.Conn {
	t.Helper()
	o.ReadOnly = true
	c, _, err := sqlite.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConformance(t *testing.T) {
	openPresent := func(t *testing.T, mem memory.Allocator) driver.Conn {
		return open(t, "sqlite:"+create(t, "CREATE TABLE present AS SELECT 1 AS a",
			"CREATE TABLE kinds (n INTEGER PRIMARY KEY, k, i, d DATE)",
			`INSERT INTO kinds VALUES
			(1, 'integer', -9223372036854775808, 20240229), (2, 'integer', 9223372036854775807, '1709164800'), (3, 'integer', 9007199254740993, 0), (4, 'integer', NULL, NULL),
			(11, 'text', 'añ😀', '2024-02-29'), (12, 'text', '', '2024-02-29 12:30:00'), (13, 'text', 'a' || char(0) || 'b', 'not a date'), (14, 'text', '007x', '29.2.2024')`), driver.Options{Mem: mem})
	}
	drivertest.Run(t, drivertest.Harness{
		Name: "sqlite", Dialect: sqlite.Dialect, Features: sqlite.Features, Types: os.DirFS("testdata/types"),
		Open: openPresent, OpenReadOnly: openPresent,
		Spelled: map[string]string{
			"true":                        "1", // SQLite has neither booleans nor instants
			"2024-02-29 11:00:00.123456Z": "2024-02-29 11:00:00.123456", "1600-02-29 01:02:03Z": "1600-02-29 01:02:03", "9999-12-31 23:59:59.999999Z": "9999-12-31 23:59:59.999999",
			"SELECT CAST(a AS INTEGER) FROM (SELECT 'hunter2' AS a) AS t": "", // is 0
		},
		Slow: "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000000000) SELECT i, 'row ' || i AS s FROM r",
	})
}

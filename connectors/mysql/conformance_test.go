package mysql_test

import (
	"os"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/fake/mariadb"
	"github.com/badger-eval/badger/connectors/mysql"
)

func open(t testing.TB, url string, o driver.Options) driver.Conn {
	t.Helper()
	o.ReadOnly = true
	c, _, err := mysql.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// slow would run for minutes, and sends its first rows at once.
const slow = "SELECT a.seq AS i, CONCAT('row ', b.seq) AS s FROM seq_1_to_100000 AS a, seq_1_to_100000 AS b"

func TestConformance(t *testing.T) {
	server := mariadb.Start(t)
	server.Exec(t, "CREATE DATABASE shop", "USE shop", "CREATE TABLE present AS SELECT 1 AS a")
	openPresent := func(t *testing.T, mem memory.Allocator) driver.Conn {
		return open(t, server.URL("root", "shop"), driver.Options{Mem: mem})
	}
	drivertest.Run(t, drivertest.Harness{
		Name: "mysql", Dialect: mysql.Dialect, Features: mysql.Features, Types: os.DirFS("testdata/types"),
		Open: openPresent, OpenReadOnly: openPresent,
		Spelled: map[string]string{
			"true":                        "1", // there are neither booleans nor instants
			"2024-02-29 11:00:00.123456Z": "2024-02-29 11:00:00.123456", "1600-02-29 01:02:03Z": "1600-02-29 01:02:03", "9999-12-31 23:59:59.999999Z": "9999-12-31 23:59:59.999999",
			"SELECT CAST(a AS INTEGER) FROM (SELECT 'hunter2' AS a) AS t": "", // is 0, with a warning
		},
		Slow: slow,
	})
}

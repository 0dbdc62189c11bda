package sqlite_test

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/arrowtable"
)

// pythonRead prints how many seconds sqlite3 needs for a query and its rows, the best of five.
const pythonRead = `
import sqlite3, sys, time
c = sqlite3.connect(sys.argv[1])
def once():
    start = time.perf_counter()
    c.execute(sys.argv[2]).fetchall()
    return time.perf_counter() - start
print(min(once() for _ in range(5)))
`

// BenchmarkRead reads 100,000 rows into a table. "of Python" is the time as a part of that which Python's sqlite3 needs
// for the same rows.
func BenchmarkRead(b *testing.B) {
	const rows = 100_000
	path := create(b, "CREATE TABLE t AS "+endless+"SELECT i, i * 0.5 AS r, 'name ' || i AS name, CASE WHEN i % 3 THEN i ELSE i * 0.5 END AS amount, date('2020-01-01', (i % 1000) || ' days') AS day FROM r LIMIT 100000")
	for name, query := range map[string]string{
		"types alike": "SELECT i, r, name, day FROM t", "integers and doubles": "SELECT i, amount FROM t", "grouped": "SELECT day, count(*), sum(r), max(name) FROM t GROUP BY day ORDER BY 3",
	} {
		b.Run(name, func(b *testing.B) {
			python := 0.0
			if out, err := exec.Command("python3", "-c", pythonRead, path, query).Output(); err == nil {
				python, _ = strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
			}
			c := open(b, "sqlite:"+path, driver.Options{})
			defer c.Close()
			b.ReportAllocs()
			for b.Loop() {
				r, err := c.Query(b.Context(), query)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := arrowtable.Read(r, arrowtable.Limits{}); err != nil {
					b.Fatal(err)
				}
				r.Release()
			}
			if python > 0 {
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/python, "of-Python")
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

package postgres_test

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/postgres"
)

const slow = "SELECT a.i, sqrt(a.i::float8 * b.i) AS r FROM generate_series(1, 10000) AS a(i), generate_series(1, 10000) AS b(i), generate_series(1, 10000) AS c(i)"

func TestConformance(t *testing.T) {
	t.Parallel()
	s := running(t)
	drivertest.Run(t, drivertest.Harness{
		Name: "postgres", Dialect: postgres.Dialect, Features: postgres.Features,
		Open: func(t *testing.T, mem memory.Allocator) driver.Conn {
			return s.open(t, s.database(t), driver.Options{Mem: mem})
		},
		OpenReadOnly: func(t *testing.T, mem memory.Allocator) driver.Conn {
			name := s.database(t)
			c := s.open(t, name, driver.Options{})
			mustExec(t, c, "CREATE TABLE present AS SELECT 1 AS a")
			c.Close()
			return s.open(t, name, driver.Options{ReadOnly: true, Mem: mem})
		},
		Slow: slow,
	})
}

package postgres_test

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/postgres"
)

// What is done for Redshift instead, all results as text and writing by INSERT, DELETE and UPDATE,
// is shown on PostgreSQL, which reads these statements too. SUPER and JSON_PARSE are not.
func TestTheWayOfRedshift(t *testing.T) {
	t.Parallel()
	s := running(t)
	open := func(t *testing.T, database string, o driver.Options) driver.Conn {
		c, err := postgres.OpenAsRedshift(context.Background(), s.URL(database, s.Port), o)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	dialect := postgres.Dialect
	dialect.KeyIndex = nil
	drivertest.Run(t, drivertest.Harness{
		Name: "postgres", Dialect: dialect, Features: postgres.Features,
		Open: func(t *testing.T, mem memory.Allocator) driver.Conn {
			return open(t, s.database(t), driver.Options{Mem: mem})
		},
		OpenReadOnly: func(t *testing.T, mem memory.Allocator) driver.Conn {
			name := s.database(t)
			c := s.open(t, name, driver.Options{})
			mustExec(t, c, "CREATE TABLE present AS SELECT 1 AS a")
			c.Close()
			return open(t, name, driver.Options{ReadOnly: true, Mem: mem})
		},
		Slow: slow,
	})
}

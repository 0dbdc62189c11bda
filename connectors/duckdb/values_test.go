package duckdb_test

import (
	"context"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/duckdb"
)

func TestValuesOfDuckDB(t *testing.T) {
	c, err := duckdb.OpenFile(context.Background(), ":memory:", driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // in memory
	drivertest.TestValues(t, "duckdb", c, nil)
}

package duckdb_test

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
)

// A warehouse in memory, opened by its URL as a program does.
func Example() {
	var mux connectors.Mux
	mux.Register(duckdb.Scheme, duckdb.Open)
	ctx := context.Background()
	w, err := mux.Open(ctx, "duckdb:", driver.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close() //nolint:errcheck // an example
	table, err := w.Query(ctx, "SELECT 19.99 AS price, DATE '2026-01-31' AS day")
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range table.Columns {
		c := &table.Columns[i]
		fmt.Println(c.Name, c.Type, c.Value(0))
	}
	// Output:
	// price DECIMAL 19.99
	// day DATE 2026-01-31
}

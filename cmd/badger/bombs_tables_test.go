//go:build !no_duckdb

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/badger-eval/badger/connectors/duckdb"
)

func init() { bombTables = tablesOfDuckDB }

// tablesOfDuckDB are tables whose rows take more than their number or their place on the disk says.
func tablesOfDuckDB(b *bombed) (names []string) {
	if os.Getenv("BADGER_BOMBS") == "" {
		return nil // writing them takes seconds
	}
	path := filepath.Join(b.t.TempDir(), "w.duckdb")
	b.results = fmt.Sprintf(", warehouse: %q, tables: [gold.*]", "duckdb:"+path)
	c, err := duckdb.OpenWith(b.t.Context(), "", duckdb.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	defer c.Close()
	statements := []string{"ATTACH '" + path + "' AS w (STORAGE_VERSION 'v1.2.0')", "CREATE SCHEMA w.gold"}
	for name, query := range map[string]string{
		"long_texts": "SELECT repeat('x', 20000) || i AS a FROM range(20000) r(i)",
		"long_blobs": "SELECT repeat('b', 20000)::BLOB AS a FROM range(20000) r(i)",
		"bits":       "SELECT repeat('1', 20000000)::BIT AS a FROM range(12)",
		"short_bits": "SELECT repeat('10', 15000)::BIT AS a FROM range(20000)",
		"numbers":    "SELECT repeat('9', 3000)::BIGNUM AS a FROM range(5000)",
		"rows":       "SELECT i, (i * 7919) % 3000000 AS j, 'k' || (i % 100) AS s FROM range(3000000) r(i)",
		"lists":      "SELECT list_transform(range(100), lambda x: repeat('l', 5000)) AS a FROM range(1000)",
	} {
		names = append(names, name)
		statements = append(statements, "CREATE TABLE w.gold."+name+" AS "+query)
	}
	for _, sql := range append(statements, "CHECKPOINT w") {
		if err := c.Exec(b.t.Context(), sql); err != nil {
			b.t.Fatal(sql, err)
		}
	}
	slices.Sort(names)
	return names
}

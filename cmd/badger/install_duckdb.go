//go:build !no_duckdb

package main

import (
	"context"

	"github.com/badger-eval/badger/sql/store"
)

// openForMacros opens a database with the scoring functions registered, because DuckDB resolves the functions of a
// macro when the macro is created. The second result closes the database.
func openForMacros(ctx context.Context, p process, path string, judges []string) (*store.Store, func(), error) {
	config := functionsConfig{configuration: configuration{Judges: judges}}
	w, judge, err := openWithFunctions(ctx, p, path, readWrite, config)
	if err != nil {
		return nil, nil, err
	}
	return w, func() { _ = w.Close(); _ = judge.Close() }, nil
}

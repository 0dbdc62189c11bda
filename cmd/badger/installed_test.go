//go:build !no_duckdb

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/sql/store"
)

// installedFile is a database file with badger's tables and nothing in them.
var installedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "installed-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	path := filepath.Join(dir, "w.duckdb")
	w, err := warehouses.Open(context.Background(), duckdb.Scheme+":"+path, driver.Options{})
	if err != nil {
		return nil, err
	}
	tables := store.New(w)
	if err := errors.Join(tables.Install(context.Background()), tables.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// openInstalled is like duckdb.Open, except that a file that is created to have badger's tables, as by run --to, has
// them already: creating them takes longer than most of what tests then do. Commands look for them all the same.
func openInstalled(ctx context.Context, url string, o driver.Options) (driver.Conn, driver.Dialect, error) {
	path, options, err := duckdb.ParseURL(url)
	if err == nil && path != ":memory:" && !options.ReadOnly && !options.MustExist &&
		o.Lasting && o.Sparing && !o.URLOnly && !o.ReadOnly && !o.MustExist { // as openStore opens it, and installed follows
		if err := newInstalled(path); err != nil {
			return nil, duckdb.Dialect, err
		}
	}
	return duckdb.Open(ctx, url, o)
}

// newInstalled makes a file with badger's tables, unless a file of that name exists or cannot be created.
func newInstalled(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) || path == "" || filepath.Base(path) == "badger.duckdb" {
		return nil //nolint:nilerr // the connector reports why
	}
	data, err := installedFile()
	if err == nil {
		if err = os.WriteFile(path, data, 0o600); err != nil {
			return nil //nolint:nilerr // the connector reports why
		}
	}
	return err
}

// Where tests are thorough, and in processes of their own, commands create the tables.
func init() {
	startTests = func() {
		if sample.Thorough() {
			return
		}
		all := linkedConnectors()
		warehouses = connectors.Mux{Program: version()}
		for _, c := range all {
			if c.Name == duckdb.Connector.Name {
				c.Open = openInstalled
			}
			link(c)
		}
	}
}

package main

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/sql/store"
)

// Each connector has a file connector_NAME.go that links it, and connector_NAME_off.go with the opposite
// build tag, which reports that this build lacks it.

// linked holds the connectors of this build, by name.
var linked = map[string]driver.Connector{}

// leftOut maps the URL schemes of connectors that this build lacks to the names of the connectors.
var leftOut = map[string]string{}

// warehouses opens the URLs of the connectors of this build.
var warehouses = connectors.Mux{Program: version()}

// link adds a connector to this build.
func link(c driver.Connector) {
	linked[c.Name] = c
	for _, scheme := range c.Schemes {
		warehouses.Register(scheme, c.Open)
	}
}

// linkedConnectors returns the connectors of this build, sorted by name.
func linkedConnectors() (list []driver.Connector) {
	for _, name := range slices.Sorted(maps.Keys(linked)) {
		list = append(list, linked[name])
	}
	return list
}

// leaveOut records that this build lacks the connector name, which opens the URLs of schemes.
func leaveOut(name string, schemes ...string) { //nolint:unused // only a build that leaves a connector out calls it
	for _, scheme := range schemes {
		leftOut[scheme] = name
	}
}

// dialectOf returns the SQL dialect of a warehouse: Databend's, or that of a connector in this build. known is false if
// there is none.
func dialectOf(warehouse string) (d driver.Dialect, known bool) {
	if warehouse == install.Databend.Name {
		return install.Databend, true
	}
	for _, c := range linkedConnectors() {
		for _, d := range c.Dialects {
			if d.Name == warehouse {
				return d, true
			}
		}
	}
	return driver.Dialect{}, false
}

const (
	readOnly  = true
	readWrite = false
)

// open opens a warehouse. An invalid URL is a usage error.
func open(ctx context.Context, url string, o driver.Options) (*store.Store, error) {
	if err := checkURL(url, o); err != nil {
		return nil, err
	}
	w, err := warehouses.Open(ctx, url, o)
	return store.New(w), aboutURL(err, url)
}

// aboutURL returns an error of opening url with the path of its file; nil if err is nil.
func aboutURL(err error, url string) error {
	if err == nil {
		return nil
	}
	return urlError{errcode.New(errcode.Of(err), "%w%s", err, fullPath(url)), url}
}

// fullPath returns the end of an error about a database in a file: the path of the file, which connectors do not
// repeat, in parentheses. It is "" for other databases.
func fullPath(url string) string {
	scheme, rest, _ := strings.Cut(url, ":")
	if scheme != "duckdb" && scheme != "sqlite" {
		return ""
	}
	path, _, _ := strings.Cut(rest, "?")
	full, err := filepath.Abs(path)
	if err != nil || path == "" || path == ":memory:" {
		return ""
	}
	return " (" + full + ")"
}

func checkURL(url string, o driver.Options) error {
	if err := checkBuilt(url); err != nil {
		return urlError{err, url}
	}
	if err := warehouses.Check(url, o); err != nil {
		return errcode.AsUsage(urlError{err, url})
	}
	return nil
}

// openSparingly opens an existing warehouse for occasional queries. An embedded engine uses few threads and little
// memory.
func openSparingly(ctx context.Context, url string, only bool) (*store.Store, error) {
	return open(ctx, url, driver.Options{ReadOnly: only, MustExist: true, Sparing: true})
}

// openStore opens a warehouse for the scores of a run. An embedded engine leaves most memory and processors to
// scoring. If must is set, a missing database is an error; otherwise it is created.
func openStore(ctx context.Context, url string, must bool) (*store.Store, error) {
	return open(ctx, url, driver.Options{MustExist: must, Lasting: true, Sparing: true})
}

func openWarehouse(ctx context.Context, url string, only bool) (*store.Store, error) {
	return open(ctx, url, driver.Options{ReadOnly: only, Lasting: true})
}

// openExisting opens a warehouse for reading and writing. A missing database is an error and not created, because the
// name may be mistyped.
func openExisting(ctx context.Context, url string) (*store.Store, error) {
	return open(ctx, url, driver.Options{MustExist: true})
}

// openToRead opens a warehouse for reading only.
func openToRead(ctx context.Context, url string) (*store.Store, error) {
	return openWarehouse(ctx, url, readOnly)
}

// installed upgrades the tables of w to the current version. If err, the error of opening w, is not nil, it returns
// err. It closes w if the upgrade fails.
func installed(ctx context.Context, w *store.Store, err error) (*store.Store, error) {
	if err != nil {
		return nil, err
	}
	if err := w.Install(ctx); err != nil {
		_ = w.Close()
		return nil, err
	}
	return w, nil
}

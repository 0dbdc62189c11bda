package main

import (
	"context"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// warehouses are the schemes this build can open. Connectors add themselves in connector_*.go
// files, each of which a build tag leaves out.
var warehouses = connectors.Mux{Program: version()}

// contacts are the hosts of the connectors of this build, by scheme.
var contacts = map[string]driver.Contacts{}

const (
	readOnly  = true
	readWrite = false
)

// open opens a warehouse. What is wrong with the URL itself is a wrong use of the command.
func open(ctx context.Context, url string, o driver.Options) (*connectors.Warehouse, error) {
	if err := checkURL(url, o); err != nil {
		return nil, err
	}
	return warehouses.Open(ctx, url, o)
}

func checkURL(url string, o driver.Options) error {
	if err := checkBuilt(url); err != nil {
		return err
	}
	if err := warehouses.Check(url, o); err != nil {
		return errcode.AsUsage(err)
	}
	return nil
}

// openSparingly opens a warehouse that exists, for somebody who asks now and then.
func openSparingly(ctx context.Context, url string, only bool) (*connectors.Warehouse, error) {
	return open(ctx, url, driver.Options{ReadOnly: only, MustExist: true, Sparing: true})
}

// openStore opens a warehouse for the scores of a run: an engine in this process is to leave memory and
// processors to scoring. must tells that it is not made where it does not exist.
func openStore(ctx context.Context, url string, must bool) (*connectors.Warehouse, error) {
	return open(ctx, url, driver.Options{MustExist: must, Lasting: true, Sparing: true})
}

func openWarehouse(ctx context.Context, url string, only bool) (*connectors.Warehouse, error) {
	return open(ctx, url, driver.Options{ReadOnly: only, Lasting: true})
}

// openExisting opens a warehouse to read and write, which is not made where it does not exist: a
// mistyped name must not become a new database.
func openExisting(ctx context.Context, url string) (*connectors.Warehouse, error) {
	return open(ctx, url, driver.Options{MustExist: true})
}

// openToRead opens a warehouse of which nothing is changed.
func openToRead(ctx context.Context, url string) (*connectors.Warehouse, error) {
	return openWarehouse(ctx, url, readOnly)
}

// installed brings the tables of a warehouse that was opened to the present version; err is that of
// opening it. The warehouse is closed if there is an error.
func installed(ctx context.Context, w *connectors.Warehouse, err error) (*connectors.Warehouse, error) {
	if err != nil {
		return nil, err
	}
	if err := w.Install(ctx); err != nil {
		_ = w.Close()
		return nil, err
	}
	return w, nil
}

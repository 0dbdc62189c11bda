package main

import (
	"context"
	"iter"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/batch"
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

// openSparingly opens a warehouse that is there, for somebody who asks now and then.
func openSparingly(ctx context.Context, url string, only bool) (*connectors.Warehouse, error) {
	if err := checkBuilt(url); err != nil {
		return nil, err
	}
	return warehouses.Open(ctx, url, driver.Options{ReadOnly: only, MustExist: true, Sparing: true})
}

// openStore opens a warehouse for the scores of a run: an engine in this process is to leave memory and
// processors to scoring. must tells that it is not made where it is not there.
func openStore(ctx context.Context, url string, must bool) (*connectors.Warehouse, error) {
	if err := checkBuilt(url); err != nil {
		return nil, err
	}
	return warehouses.Open(ctx, url, driver.Options{MustExist: must, Sparing: true})
}

func openWarehouse(ctx context.Context, url string, only bool) (*connectors.Warehouse, error) {
	if err := checkBuilt(url); err != nil {
		return nil, err
	}
	return warehouses.Open(ctx, url, driver.Options{ReadOnly: only})
}

// openExisting opens a warehouse to read and write, which is not made where it is not there: a
// mistyped name must not become a new database.
func openExisting(ctx context.Context, url string) (*connectors.Warehouse, error) {
	if err := checkBuilt(url); err != nil {
		return nil, err
	}
	return warehouses.Open(ctx, url, driver.Options{MustExist: true})
}

// warehouseLedger keeps the scores of a run in a warehouse's tables.
type warehouseLedger struct {
	w     *connectors.ScoreWriter
	now   func() time.Time
	begin func(ctx context.Context, rows []batch.Row) error // is told of rows before they are stored
}

// Held yields what the run holds.
func (l warehouseLedger) Held(ctx context.Context, _ string) iter.Seq2[batch.Row, error] {
	return func(yield func(batch.Row, error) bool) {
		for r, err := range l.w.Held(ctx) {
			if !yield(batch.Row(r), err) {
				return
			}
		}
	}
}

// Append stores scores in place of those of the same key.
func (l warehouseLedger) Append(ctx context.Context, _ string, rows []batch.Row) error {
	if err := l.begin(ctx, rows); err != nil {
		return err
	}
	out := make([]connectors.ScoreRow, len(rows))
	for i, r := range rows {
		out[i] = connectors.ScoreRow(r)
	}
	return l.w.Write(ctx, l.now(), out)
}

package cases

import (
	"context"
	"io"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Opened is an open source of cases.
type Opened struct {
	batch.Source
	Snapshots Snapshots
	Tables    *Warehouse // nil if the cases are from a file
}

// Close closes the warehouse, if any.
func (o *Opened) Close() {
	if o.Tables != nil {
		_ = o.Tables.Tables.Close()
	}
}

// Warehouses returns the open warehouse, which may also have promoted judges; nil if the cases are from a file.
func (o *Opened) Warehouses() []*store.Store {
	if o.Tables == nil {
		return nil
	}
	return []*store.Store{o.Tables.Tables}
}

// Place is the location of cases: a file or a warehouse.
type Place struct {
	Flag string // the flag that names the file, for messages, such as --cases
	File string // path; "" if the cases are in a warehouse
	URL  string // of the warehouse, if File is ""
}

// Opener opens a warehouse.
type Opener func(ctx context.Context, url string) (*store.Store, error)

// Open opens the cases at a place that match f, see [OpenFile] and [inWarehouse]. It writes notes about missing
// columns.
func Open(ctx context.Context, at Place, f store.Filter, notes io.Writer, open Opener) (*Opened, error) {
	if at.File != "" {
		return OpenFile(at.Flag, at.File, f)
	}
	w, err := open(ctx, at.URL)
	if err != nil {
		return nil, err
	}
	source, err := inWarehouse(ctx, notes, w, f)
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	return &Opened{Source: source, Snapshots: Snapshots{Warehouse: w}, Tables: source}, nil
}

// OpenFile opens the cases of a file that match f. If the file does not exist, the error starts with flag. A version
// of the golden set in f is a usage error, because a file has none.
func OpenFile(flag, path string, f store.Filter) (*Opened, error) {
	if f.SetVersion != "" {
		return nil, errcode.Usage("--set-version: expected --source URL with it; a file holds no versions of the golden set")
	}
	source, snaps, err := file(flag+": ", path, scoring.AnswerID{By: f.By})
	if err != nil {
		return nil, err
	}
	return &Opened{Source: source, Snapshots: snaps}, nil
}

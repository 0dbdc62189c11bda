package cases

import (
	"context"
	"io"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Opened is cases that were opened.
type Opened struct {
	batch.Source
	Snapshots Snapshots
	Tables    *Warehouse // nil: the cases are of a file
}

// Close closes the warehouse, if there is one.
func (o *Opened) Close() {
	if o.Tables != nil {
		_ = o.Tables.Tables.Close()
	}
}

// Warehouses returns the warehouses that may also hold promoted judges; none for a file.
func (o *Opened) Warehouses() []*store.Store {
	if o.Tables == nil {
		return nil
	}
	return []*store.Store{o.Tables.Tables}
}

// Place is where cases are.
type Place struct {
	Flag string // what names the file in messages, such as --cases
	File string // "": they are in a warehouse
	URL  string // of the warehouse
}

// Opener opens a warehouse.
type Opener func(ctx context.Context, url string) (*store.Store, error)

// Open opens the cases of a place that a filter chooses, see [OpenFile] and [inWarehouse].
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

// OpenFile opens the cases of a file that a filter chooses. The error of a file that does not exist
// begins with the flag that names it. A file holds no versions of the golden set: a filter that names
// one is an error in what was asked for.
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

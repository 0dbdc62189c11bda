package store

import (
	"sync"

	"github.com/badger-eval/badger/connectors"
)

// Store is a warehouse with badger's tables, safe for concurrent use. Make one for each warehouse: what it
// remembers of runs, and the turns in which claims are changed, are its own.
type Store struct {
	*connectors.Warehouse

	remembered *cache // of [Pages]

	claiming sync.Mutex // one statement at a time changes claims: an embedded engine does not arbitrate between them
}

// New returns the store of a warehouse, or nil if w is nil: a command may have no warehouse.
func New(w *connectors.Warehouse) *Store {
	if w == nil {
		return nil
	}
	return &Store{Warehouse: w, remembered: newCache(remembered)}
}

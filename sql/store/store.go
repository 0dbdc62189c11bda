package store

import (
	"sync"

	"github.com/badger-eval/badger/connectors"
)

// Store is a warehouse with badger's tables. It is safe for concurrent use. Make one for each warehouse, as its cache
// and its lock for claims are not shared.
type Store struct {
	*connectors.Warehouse

	remembered *cache // cache of [Pages]

	claiming sync.Mutex // serializes changes of claims, since an embedded engine does not arbitrate between them
}

// New returns the store of a warehouse, or nil if w is nil: a command may have no warehouse.
func New(w *connectors.Warehouse) *Store {
	if w == nil {
		return nil
	}
	return &Store{Warehouse: w, remembered: newCache(remembered)}
}

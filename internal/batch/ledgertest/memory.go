package ledgertest

import (
	"context"
	"iter"
	"sync"

	"github.com/badger-eval/badger/internal/batch"
)

// Memory is a ledger in memory. Its zero value is empty.
type Memory struct {
	mu   sync.Mutex
	runs map[string][]batch.Row
}

// Held yields what a run holds.
func (m *Memory) Held(_ context.Context, run string) iter.Seq2[batch.Row, error] {
	return func(yield func(batch.Row, error) bool) {
		for _, r := range m.Rows(run) {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Append stores rows.
func (m *Memory) Append(_ context.Context, run string, rows []batch.Row) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs == nil {
		m.runs = map[string][]batch.Row{}
	}
next:
	for _, r := range rows {
		for i := range m.runs[run] {
			if m.runs[run][i].Key() == r.Key() {
				m.runs[run][i] = r
				continue next
			}
		}
		m.runs[run] = append(m.runs[run], r)
	}
	return nil
}

// Rows lists the rows of a run in the order in which their keys were first stored.
func (m *Memory) Rows(run string) []batch.Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]batch.Row(nil), m.runs[run]...)
}

package ledgertest

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/scoring"
)

// Memory is a ledger in memory. Its zero value is empty.
type Memory struct {
	mu   sync.Mutex
	runs map[string][]scoring.Row
}

// Held yields the stored scores of a run.
func (m *Memory) Held(_ context.Context, run string) iter.Seq2[scoring.Row, error] {
	return func(yield func(scoring.Row, error) bool) {
		for _, r := range m.Rows(run) {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Append stores rows. A row replaces a stored one with the same key.
func (m *Memory) Append(_ context.Context, run string, rows []scoring.Row) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs == nil {
		m.runs = map[string][]scoring.Row{}
	}
next:
	for _, r := range rows {
		for i := range m.runs[run] {
			if batch.KeyOf(&m.runs[run][i]) == batch.KeyOf(&r) {
				m.runs[run][i] = r
				continue next
			}
		}
		m.runs[run] = append(m.runs[run], r)
	}
	return nil
}

// Remove deletes all scores of the answers.
func (m *Memory) Remove(_ context.Context, run string, answers []scoring.AnswerID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs[run] = slices.DeleteFunc(m.runs[run],
		func(r scoring.Row) bool { return slices.Contains(answers, r.AnswerID) })
	return nil
}

// Rows returns the rows of a run in the order in which their keys were first stored.
func (m *Memory) Rows(run string) []scoring.Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]scoring.Row(nil), m.runs[run]...)
}

package cases

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Warehouse is a source of the answers in a warehouse's tables.
type Warehouse struct {
	Tables *store.Store
	Filter store.Filter

	check func(*scoring.Case) error // see [Strict]; nil: no check

	mu    sync.Mutex
	taken map[string]int64 // number of answers by the version of the golden set that has their question
	loose int64            // number of answers whose question is not in the golden set
}

// inWarehouse returns a source of the answers that match f. It writes a note about columns that the tables lack. A
// version of the golden set that does not exist is a usage error.
func inWarehouse(ctx context.Context, notes io.Writer, w *store.Store, f store.Filter) (*Warehouse, error) {
	missing, err := w.Missing(ctx)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		fmt.Fprintf(notes, "note: the tables have no columns %s; they are read as NULL\n", strings.Join(missing, ", "))
	}
	if f.SetVersion != "" {
		sets, err := w.SetVersions(ctx)
		if err != nil {
			return nil, err
		}
		var there []string
		for _, s := range sets {
			there = append(there, s.Version)
		}
		switch {
		case len(there) == 0:
			return nil, errcode.Usage("--set-version: badger.golden_set has no version %.60q, and no questions",
				f.SetVersion)
		case !slices.Contains(there, f.SetVersion):
			return nil, errcode.Usage("--set-version: badger.golden_set has no version %.60q; it has %s", f.SetVersion,
				strings.Join(there, ", "))
		}
	}
	return &Warehouse{Tables: w, Filter: f}, nil
}

// Cases yields the answers; their place is the row's key. If the number of rows differs from that in agent_runs, the
// last element is an error.
func (s *Warehouse) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		before, err := s.Tables.Count(ctx, s.Filter)
		if err != nil {
			yield(batch.Item{}, err)
			return
		}
		s.mu.Lock()
		s.taken, s.loose = map[string]int64{}, 0
		s.mu.Unlock()
		read, last := int64(0), scoring.AnswerID{}
		for a, err := range s.Tables.Cases(ctx, s.Filter) {
			if err != nil {
				yield(batch.Item{}, err)
				return
			}
			if a.Case != nil && s.check != nil {
				if err := s.check(a.Case); err != nil {
					yield(batch.Item{}, errcode.Usage("--strict: %w", err))
					return
				}
			}
			if read++; read == 1 || a.AnswerID != last { // the rows of an answer follow each other
				s.count(&a)
			}
			last = a.AnswerID
			if !yield(itemOf(&a), nil) {
				return
			}
		}
		if err := s.all(ctx, before, read); err != nil {
			yield(batch.Item{}, err)
		}
	}
}

func (s *Warehouse) count(a *store.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.InSet {
		s.taken[a.SetVersion]++
	} else {
		s.loose++
	}
}

// all returns an error unless the number of rows read is between the counts before and after, which may differ
// because of concurrent changes.
func (s *Warehouse) all(ctx context.Context, before, read int64) error {
	after, err := s.Tables.Count(ctx, s.Filter)
	if err != nil {
		return err
	}
	if read >= min(before, after) && read <= max(before, after) {
		return nil
	}
	return errcode.New(errcode.Internal,
		"badger.agent_runs has %d rows to score, and %d were read; this is a bug in badger", after, read)
}

func itemOf(a *store.Answer) batch.Item {
	if a.Case != nil {
		return batch.ItemOf(a.Case, placeOf(a.AnswerID))
	}
	return batch.Item{AnswerID: named(a.AnswerID), Place: placeOf(a.AnswerID), Spent: a.Spent,
		Question: func(context.Context) *scoring.Case { return a.Question },
		Load:     func(context.Context) (*scoring.Case, error) { return nil, a.Err }}
}

func placeOf(a scoring.AnswerID) string {
	return strings.Join([]string{"agent_runs", a.Agent, a.Version, a.Batch, a.CaseID}, " ")
}

// named returns a with a description of its row as CaseID if it has none, so that it can be reported.
func named(a scoring.AnswerID) scoring.AnswerID {
	if a.CaseID == "" {
		a.CaseID = strings.TrimSpace(placeOf(a)) + ": no case_id"
	}
	return a
}

// Copies returns the answers that several rows of agent_runs give.
func (s *Warehouse) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	rows, err := s.Tables.Copies(ctx, s.Filter)
	out := map[scoring.AnswerID]batch.Copies{}
	for a, n := range rows {
		out[named(a)] = batch.Copies{Items: int(n)}
	}
	return out, err
}

// Count returns the number of answers.
func (s *Warehouse) Count(ctx context.Context) (int64, error) {
	return s.Tables.Count(ctx, s.Filter)
}

// Taken returns the number of answers by the version of the golden set that has their question.
func (s *Warehouse) Taken() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.taken)
}

// Versions describes, for messages, how many answers have their question in which version of the golden set, the
// highest version first.
func (s *Warehouse) Versions() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []string
	for _, v := range slices.Backward(slices.SortedFunc(maps.Keys(s.taken), printable.CompareVersions)) {
		parts = append(parts,
			fmt.Sprintf("version %s for %s", cmp.Or(v, "without a name"), printable.Count(int(s.taken[v]), "answer")))
	}
	if s.loose > 0 {
		parts = append(parts, fmt.Sprintf("no question for %s", printable.Count(int(s.loose), "answer")))
	}
	return strings.Join(parts, ", ")
}

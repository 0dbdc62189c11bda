package cases

import (
	"context"
	"iter"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Strict returns a source that ends with an error at the first case that check rejects. A file that can be read
// again is checked completely before any of its cases is yielded to a run. Cases that cannot be read are left to
// the scorer.
func Strict(s batch.Source, check func(*scoring.Case) error) batch.Source {
	if w, ok := s.(*Warehouse); ok {
		w.check = check
		return w
	}
	return strictCases{s, check}
}

type strictCases struct {
	batch.Source
	check func(*scoring.Case) error
}

// Cases yields the cases that were checked.
func (s strictCases) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for item, err := range s.Source.Cases(ctx) {
			if err != nil {
				yield(item, err)
				return
			}
			c, err := item.Load(ctx)
			if err == nil {
				if refused := s.check(c); refused != nil {
					yield(batch.Item{}, errcode.Usage("--strict: %s: %w", item.Place, refused))
					return
				}
			}
			item.Load = func(context.Context) (*scoring.Case, error) { return c, err }
			if !yield(item, nil) {
				return
			}
		}
	}
}

// Copies finds the answers that the source has several times, and checks all cases of a source that is
// read several times.
func (s strictCases) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	all, err := batch.FindCopies(ctx, s.Source)
	if err != nil || all == nil {
		return all, err
	}
	for _, err := range s.Cases(ctx) {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Count counts the cases where the source can.
func (s strictCases) Count(ctx context.Context) (int64, error) {
	if c, ok := s.Source.(batch.Counter); ok {
		return c.Count(ctx)
	}
	return 0, nil
}

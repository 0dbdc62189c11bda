package cases

import (
	"context"
	"iter"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Strict returns a source that ends with a usage error at the first case that check rejects. If the source is a file
// that can be read again, Copies checks all cases before a run. Unreadable cases are not checked.
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

// Cases yields the cases until check rejects one.
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

// Copies returns the duplicate answers of the source. If the source can be read several times, it first checks all
// cases.
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

// Count returns the number of cases, or 0 if the source cannot count them.
func (s strictCases) Count(ctx context.Context) (int64, error) {
	if c, ok := s.Source.(batch.Counter); ok {
		return c.Count(ctx)
	}
	return 0, nil
}

package cases

import (
	"context"
	"maps"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Elsewhere returns a function that finds the named cases of a run in the source s. It omits duplicate and unreadable
// cases.
func Elsewhere(s batch.Source) store.Elsewhere {
	return func(ctx context.Context, run scoring.RunID, ids []string) (map[string]*scoring.Case, error) {
		wanted, out := map[scoring.AnswerID]bool{}, map[string]*scoring.Case{}
		for _, id := range ids {
			wanted[scoring.AnswerID{CaseID: id, By: run.By}] = true
		}
		for item, err := range s.Cases(ctx) {
			if err != nil {
				return nil, err
			}
			if !wanted[item.AnswerID] {
				continue
			}
			_, again := out[item.CaseID]
			if out[item.CaseID] = nil; again {
				continue
			}
			if c, err := item.Load(ctx); err == nil {
				out[item.CaseID] = c
			}
		}
		maps.DeleteFunc(out, func(_ string, c *scoring.Case) bool { return c == nil })
		return out, nil
	}
}

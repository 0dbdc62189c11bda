package evaluation

import (
	"context"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// took records what an answer took after its scores were added.
func (s *Summary) took(rows []scoring.Row) {
	for i := range rows {
		if spent := rows[i].Spent; spent != nil {
			s.report.Took(rows[i].AnswerID, *spent)
		}
	}
}

// addBaseline adds the change of what the answers of batch i of the run took since its baseline, unless s has it. It
// returns s, or a new one for nil.
func (b *ofBaselines) addBaseline(ctx context.Context, s *analysis.Spending, i int,
	primary string) (*analysis.Spending, error) {
	at, _ := analysis.BaselineOf(b.batches, b.accepted, i)
	if at < 0 {
		return s, nil
	}
	to := storedscores.Side{RunID: scoring.RunID{ID: b.run, By: b.batches[i].By}}
	other, err := b.src.Spending(ctx, b.set, storedscores.SpendingOf{From: storedscores.SideOf(b.batches[at]), To: to,
		FromBatch: b.batches[at], ToBatch: b.batches[i], Primary: primary})
	if err != nil || other == nil {
		return s, err
	}
	return s.With(other), nil
}

// CompareSpending adds to figures of a stored run what the answers of the newest batch of each agent took, and the
// change since its baseline.
func CompareSpending(ctx context.Context, w *store.Store, of store.OfRun, s *analysis.Spending,
	primary string) (*analysis.Spending, error) {
	b, err := openBaselines(ctx, w, of, primary)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for k := len(b.of) - 1; k >= 0; k-- {
		i := b.of[k]
		if agent := b.batches[i].Agent; !seen[agent] {
			seen[agent] = true
			if s, err = b.addBaseline(ctx, s, i, primary); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

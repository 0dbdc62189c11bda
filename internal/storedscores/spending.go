package storedscores

import (
	"context"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Spent returns what the answers of a batch in agent_runs took.
func (s *Warehouse) Spent(ctx context.Context, b analysis.Batch) (map[string]scoring.Spent, int, error) {
	return s.w.Spent(ctx, b.By)
}

// Spent returns what the answers of a batch took, as the lines of its scores say.
func (s *Files) Spent(ctx context.Context, b analysis.Batch) (map[string]scoring.Spent, int, error) {
	if err := s.readAll(ctx); err != nil {
		return nil, 0, err
	}
	return s.spent[s.key(b)], 0, nil
}

// took adds a line of a score file to what the answers of its batch took. A question without an answer took nothing.
func (s *Files) took(b analysis.Batch, r *scoring.Row) {
	of := s.spent[b]
	if of == nil {
		of = map[string]scoring.Spent{}
		s.spent[b] = of
	}
	known, is := of[r.CaseID]
	switch {
	case r.Score.Status == scoring.StatusNotApplicable && r.Score.Reason == scoring.NoAnswer:
	case r.Spent != nil:
		of[strings.Clone(r.CaseID)] = *r.Spent
	case !is:
		of[strings.Clone(r.CaseID)] = known
	}
}

// Spending returns what the answers of two sides took, and the change between them; without a first side, what those of
// the second took. It is nil if nothing is known. The result for finished runs is cached, and must not be modified.
func (s *Warehouse) Spending(ctx context.Context, set *analysis.Set, from, to Side, fromBatch, toBatch analysis.Batch,
	primary string) (*analysis.Spending, error) {
	compute := func() (*analysis.Spending, error) {
		var sides []analysis.Spent
		var pairs [][2]int
		for _, of := range []struct {
			side  Side
			batch analysis.Batch
		}{{from, fromBatch}, {to, toBatch}} {
			if of.side.None {
				continue
			}
			scores := set.Answers(of.batch)
			if err := s.each(ctx, of.side.Latest(primary), func(_ scoring.AnswerID, score *analysis.Score) bool {
				scores.Add(score)
				return true
			}); err != nil {
				return nil, err
			}
			one, err := analysis.SpentOf(ctx, s, []analysis.Batch{of.batch}, scores, primary)
			if err != nil {
				return nil, err
			}
			if sides = append(sides, one); len(sides) == 2 {
				pairs = [][2]int{{0, 1}}
			}
		}
		return analysis.NewSpending(primary, sides, pairs), nil
	}
	var runs []scoring.RunID
	for _, side := range []Side{from, to} {
		switch {
		case side.None:
			continue
		case side.ID == "":
			return compute()
		}
		runs = append(runs, side.key())
	}
	return store.RememberOf(ctx, s.w, runs, fmt.Sprintf("spending %#v %#v %q", fromBatch, toBatch, primary),
		func(*analysis.Spending) int { return 4000 }, compute)
}

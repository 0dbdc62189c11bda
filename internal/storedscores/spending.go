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
func (s *Warehouse) Spent(ctx context.Context, b analysis.Batch) (map[string]scoring.Spent,
	scoring.UnreadableSpent, error) {
	return s.w.Spent(ctx, b.By)
}

// Spent returns what the answers of a batch took, as the lines of its scores say.
func (s *Files) Spent(ctx context.Context, b analysis.Batch) (map[string]scoring.Spent,
	scoring.UnreadableSpent, error) {
	if err := s.readAll(ctx); err != nil {
		return nil, scoring.UnreadableSpent{}, err
	}
	return s.spent[s.key(b)], scoring.UnreadableSpent{}, nil
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

// SpendingOf selects two sides whose answers are compared by what they took. From.None means that there is one side.
type SpendingOf struct {
	From, To           Side
	FromBatch, ToBatch analysis.Batch
	Primary            string // the metric that decides which answers are right
}

// Spending returns what the answers of the sides took, and the change between them. It is nil if nothing is known. The
// result for finished runs is cached, and must not be modified.
func (s *Warehouse) Spending(ctx context.Context, set *analysis.Set, of SpendingOf) (*analysis.Spending, error) {
	from, to, primary := of.From, of.To, of.Primary
	compute := func() (*analysis.Spending, error) {
		var sides []analysis.Spent
		var pairs [][2]int
		for _, one := range []struct {
			side  Side
			batch analysis.Batch
		}{{from, of.FromBatch}, {to, of.ToBatch}} {
			if one.side.None {
				continue
			}
			scores := set.Answers(one.batch)
			l := one.side.Latest(primary)
			l.Brief = true
			if err := s.each(ctx, l, func(_ scoring.AnswerID, score *analysis.Score) bool {
				scores.Add(score)
				return true
			}); err != nil {
				return nil, err
			}
			spent, err := analysis.SpentOf(ctx, s, []analysis.Batch{one.batch}, scores, primary)
			if err != nil {
				return nil, err
			}
			if sides = append(sides, spent); len(sides) == 2 {
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
	return store.RememberOf(ctx, s.w, runs, fmt.Sprintf("spending %#v", of),
		func(*analysis.Spending) int { return 4000 }, compute)
}

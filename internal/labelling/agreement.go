package labelling

import (
	"context"

	"github.com/badger-eval/badger/scoring/agreement"
)

// KappaWidth is how wide the interval of kappa is to be at most, for which [Store.Agreement] says how
// many answers it takes.
const KappaWidth = 0.2

// Agreement is how far people agree with each other in a queue.
type Agreement struct {
	Answers int64          // labelled by two people; by three: counted for each pair
	Kappa   agreement.Stat // Cohen's, over all verdicts that the queue offers
	More    agreement.Stat // how many more answers it takes for an interval of kappa that is KappaWidth wide
}

// Agreement tells how far the people who labelled a queue agree. Of three and more people every pair
// counts.
func (s *Store) Agreement(ctx context.Context, q *Queue) (Agreement, error) {
	pairs, err := s.Warehouse.LabelPairs(ctx, q.ID)
	if err != nil {
		return Agreement{}, err
	}
	place := map[string]int{}
	for _, p := range pairs {
		for _, v := range []string{p.First, p.Second} {
			if _, known := place[v]; !known {
				place[v] = len(place)
			}
		}
	}
	table := make([][]int, len(place))
	for i := range table {
		table[i] = make([]int, len(place))
	}
	out := Agreement{}
	for _, p := range pairs {
		table[place[p.First]][place[p.Second]] += int(p.Count)
		out.Answers += p.Count
	}
	out.Kappa, out.More = agreement.Cohen(table), agreement.CohenCases(table, KappaWidth, agreement.DefaultLevel)
	if out.More.Defined {
		out.More.Value = max(0, out.More.Value-float64(out.Answers))
	}
	return out, nil
}

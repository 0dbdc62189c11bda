package labelling

import (
	"context"
	"maps"
	"slices"

	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/sql/store"
)

// KappaWidth is the width of kappa's confidence interval for which [Store.Agreement] computes the required number of
// answers.
const KappaWidth = 0.2

// Agreement is the inter-annotator agreement in a queue.
type Agreement struct {
	People []string       // names of annotators who share a labelled answer with another one, sorted
	Pairs  int64          // pairs of labels of the same answer by different annotators
	Kappa  agreement.Stat // over all verdicts that occur
	// More is the number of further answers, labelled by as many annotators as the present ones, for which the
	// confidence interval of kappa is KappaWidth wide.
	More agreement.Stat
}

// Agreement computes the inter-annotator agreement of a queue. With two annotators, Kappa is Cohen's kappa. With
// more, it is computed from all pairs of labels in both orders; if all annotators labelled all answers, this is
// Fleiss' kappa (Fleiss 1971). The pairs of one answer are then dependent, so that More is computed from the variance
// between answers ([agreement.PairwiseCases]) instead of pairs ([agreement.CohenCases]).
func (s *Store) Agreement(ctx context.Context, q *Queue) (Agreement, error) {
	pairs, err := s.Warehouse.LabelPairs(ctx, q.ID)
	if err != nil {
		return Agreement{}, err
	}
	out, people, place := Agreement{}, map[string]bool{}, map[string]int{}
	for _, p := range pairs {
		people[p.One], people[p.Other] = true, true
		for _, v := range []string{p.Says, p.OtherSays} {
			if _, known := place[v]; !known {
				place[v] = len(place)
			}
		}
		out.Pairs += p.Count
	}
	out.People = slices.Sorted(maps.Keys(people))
	table := make([][]int, len(place))
	for i := range table {
		table[i] = make([]int, len(place))
	}
	for _, p := range pairs {
		table[place[p.Says]][place[p.OtherSays]] += int(p.Count)
		if len(people) > 2 {
			table[place[p.OtherSays]][place[p.Says]] += int(p.Count)
		}
	}
	out.Kappa = agreement.Cohen(table)
	if len(people) > 2 {
		out.More, err = s.morePairwise(ctx, q)
		return out, err
	}
	if out.More = agreement.CohenCases(table, KappaWidth, agreement.DefaultLevel); out.More.Defined {
		out.More.Value = max(0, out.More.Value-float64(out.Pairs))
	}
	return out, nil
}

// morePairwise returns Agreement.More for three or more annotators.
func (s *Store) morePairwise(ctx context.Context, q *Queue) (agreement.Stat, error) {
	labels, err := s.Warehouse.LoggedLabels(ctx, store.LabelFilter{Queue: q.ID, Newest: true}, 0)
	if err != nil {
		return agreement.Stat{}, err
	}
	place, counts := map[string]int{}, map[string][]int{}
	for i := range labels {
		l := &labels[i]
		if l.Decides || !answered(l.Verdict) {
			continue
		}
		k, known := place[l.Verdict]
		if !known {
			k = len(place)
			place[l.Verdict] = k
		}
		of := counts[l.CaseID]
		for len(of) <= k {
			of = append(of, 0)
		}
		of[k]++
		counts[l.CaseID] = of
	}
	var cases [][]int
	for _, id := range slices.Sorted(maps.Keys(counts)) { // a sum depends on its order in the last bits
		of, several := counts[id], 0
		for _, n := range of {
			several += n
		}
		if several > 1 {
			cases = append(cases, of)
		}
	}
	more := agreement.PairwiseCases(cases, KappaWidth, agreement.DefaultLevel)
	if more.Defined {
		more.Value = max(0, more.Value-float64(len(cases)))
	}
	return more, nil
}

package labelling

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
)

// Order is the order of the answers in a queue.
type Order string

// The orders.
const (
	Listed       Order = "listed"       // in the order of the list
	Random       Order = "random"       // at random
	Disagreement Order = "disagreement" // first the answers on which the metrics of the run disagree most
	Unsure       Order = "unsure"       // first the answers about which judges are least sure
	Strata       Order = "strata"       // one of each stratum in turn: by relation, tier, and whether metrics disagree
)

// orders lists all orders.
var orders = []Order{Listed, Random, Disagreement, Unsure, Strata}

// ParseOrder parses the name of an order; "" is Listed.
func ParseOrder(s string) (Order, error) {
	if s == "" {
		return Listed, nil
	}
	if !slices.Contains(orders, Order(s)) {
		names := make([]string, len(orders))
		for i, o := range orders {
			names[i] = string(o)
		}
		return "", errcode.New(errcode.InvalidArgument, "order: unknown order %.40q; expected one of %s", s,
			strings.Join(names, ", "))
	}
	return Order(s), nil
}

// signals holds the disagreement and uncertainty of each case, by id.
type signals map[string]store.CaseSignal

// disagreement returns the share of metrics in the minority, from 0 to 0.5; 0 without verdicts.
func disagreement(s store.CaseSignal) float64 {
	if s.Passes+s.Fails == 0 {
		return 0
	}
	return float64(min(s.Passes, s.Fails)) / float64(s.Passes+s.Fails)
}

// arrange returns the cases in the given order; equal ones keep theirs. Random choices depend only on the seed and the
// set of cases. Strata takes one case of each stratum in turn, so that rare strata are overrepresented: figures from
// such labels describe the labelled cases, not the run.
func arrange(cases []string, o Order, seed int64, known signals) []string {
	out := slices.Clone(cases)
	lot := rand.New(rand.NewPCG(uint64(seed), 0)) //nolint:gosec // a reproducible seed is intended
	shuffle := func(ids []string) {
		slices.Sort(ids)
		lot.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	}
	falling := func(of func(store.CaseSignal) float64) {
		slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(of(known[b]), of(known[a])) })
	}
	switch o {
	case Random:
		shuffle(out)
	case Disagreement:
		falling(disagreement)
	case Unsure:
		falling(func(s store.CaseSignal) float64 { return s.Unsure })
	case Strata:
		type stratum struct {
			relation, tier string
			divided        bool
		}
		parts := map[stratum][]string{}
		var names []stratum
		for _, id := range cases {
			s := known[id]
			name := stratum{s.Relation, s.Tier, disagreement(s) > 0}
			if parts[name] == nil {
				names = append(names, name)
			}
			parts[name] = append(parts[name], id)
		}
		slices.SortFunc(names, func(a, b stratum) int {
			return cmp.Or(strings.Compare(a.relation, b.relation), strings.Compare(a.tier, b.tier),
				compareBools(a.divided, b.divided))
		})
		for _, name := range names {
			shuffle(parts[name])
		}
		out = out[:0]
		for row := 0; len(out) < len(cases); row++ {
			for _, name := range names {
				if row < len(parts[name]) {
					out = append(out, parts[name][row])
				}
			}
		}
	}
	return out
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

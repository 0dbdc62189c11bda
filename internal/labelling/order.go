package labelling

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
)

// Order is how the answers of a queue are put in order.
type Order string

// The orders.
const (
	Listed       Order = "listed"       // as the list shows them
	Random       Order = "random"       // at random
	Disagreement Order = "disagreement" // those first about which the metrics of the run disagree most
	Unsure       Order = "unsure"       // those first about which judges are least sure
	Strata       Order = "strata"       // in turn from each stratum: relation, tier, and whether metrics disagree
)

// orders lists the orders.
var orders = []Order{Listed, Random, Disagreement, Unsure, Strata}

// ParseOrder reads the name of an order; empty is Listed.
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

// signals holds the signals of cases, by case.
type signals map[string]store.CaseSignal

// disagreement is the share of the metrics of the smaller side, 0 to 0.5.
func disagreement(s store.CaseSignal) float64 {
	if s.Passes+s.Fails == 0 {
		return 0
	}
	return float64(min(s.Passes, s.Fails)) / float64(s.Passes+s.Fails)
}

// arrange puts cases in order. Cases that are equal in it stay as they are listed; what is drawn by
// lot depends on the seed and on the set of cases alone, not on their order.
//
// Strata takes one case of each stratum in turn, so that every beginning of the queue holds all
// strata as evenly as it can. Rare ones are then more frequent than in the run: figures over such
// labels are of the labelled cases, not of the run.
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

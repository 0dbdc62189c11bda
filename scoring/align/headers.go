package align

import (
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// refuseNames removes pairs with equal values whose names, or whose stated units, contradict each other, and records
// them in crossed or refused. The gold column is then unpaired, and the predicted one unless another pair uses it.
func (a *aligner) refuseNames() {
	unsure := make([]bool, len(a.pairs)) // before any pair is taken apart
	for i := range a.pairs {
		unsure[i] = a.eitherWay(&a.pairs[i])
	}
	for i := range a.pairs {
		c := &a.pairs[i]
		if c.Pred < 0 || c.Overlap < 1 { // other columns are distinguished by their values
			continue
		}
		g, p := &a.gold[i], &a.pred[c.Pred]
		switch {
		case unsure[i], a.denied(i, c.Pred):
			a.crossed = append(a.crossed, *c)
		case c.Kind == scoring.KindNumber && c.Scale == 0 && a.otherUnits(g, p, &c.Comparison):
			refused := *c
			refused.Fact = a.unitsFact(g, p)
			a.refused = append(a.refused, refused)
		default:
			continue
		}
		if !slices.ContainsFunc(a.pairs, func(o scoring.ColumnPair) bool { return o.Pred == c.Pred && o.Gold != i }) {
			p.taken = false
		}
		g.taken = false
		a.pairs[i] = scoring.ColumnPair{Gold: i, Pred: -1}
	}
}

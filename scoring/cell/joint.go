package cell

import "github.com/badger-eval/badger/scoring"

// JointKeys returns the keys of a gold and a predicted column as a comparison reads them: two cells
// are equal under it exactly when their keys are. Where the comparison allows a difference and the
// values fall into no classes, as those of a dense column under a relative tolerance do, the keys
// are those of outright equality, and exact is false.
func JointKeys(gold, pred *scoring.Column, c scoring.Comparison, floatBits bool) (g, p []uint64, exact bool) {
	x := pair{gold: gold, pred: pred, cmp: c}
	exact = true
	if x.byMagnitude() {
		m := measure(gold, pred, &c)
		if g, p, ok := m.classes(gold, pred, &c); ok {
			return g, p, true
		}
		exact = false
	}
	x.g, x.p = make([]uint64, gold.Len()), make([]uint64, pred.Len())
	gv, pv := x.views(floatBits)
	fill(gold, gv, x.g)
	fill(pred, pv, x.p)
	return x.g, x.p, exact
}

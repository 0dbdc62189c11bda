package cell

import "github.com/badger-eval/badger/scoring"

// MixKeys mixes the keys of a column into keys of rows, without keeping them.
func MixKeys(rows []uint64, c *scoring.Column, v View) {
	c.Halt().Check()
	Spread(len(rows), func(lo, hi int) {
		var buf [chunk]uint64
		for ; lo < hi; lo += chunk {
			keys := buf[:min(chunk, hi-lo)]
			Keys(c, v, lo, keys)
			for i, key := range keys {
				rows[lo+i] = Mix(rows[lo+i], key)
			}
		}
	})
}

// JointKeys returns the keys of a gold and a predicted column as a comparison reads them: two cells
// are equal under it exactly when their keys are. If the comparison allows a difference and the
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

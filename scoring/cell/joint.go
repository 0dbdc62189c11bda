package cell

import "github.com/badger-eval/badger/scoring"

// MixKeys mixes the key of each cell of a column into the key of its row, without storing the column's keys.
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

// JointKeys returns keys of a gold and a predicted column that are equal exactly if the cells are equal under the
// comparison. If near values do not form classes, as in a dense column with a relative tolerance, exact is false and
// the keys are those of exact equality.
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

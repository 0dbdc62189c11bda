package cell

import (
	"cmp"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// OrderKept tells whether the predicted rows come in the order of the gold rows, under an alignment by which both hold the same rows. Rows that tie may
// change places: the order is kept where all columns by which the gold rows are sorted, ascending or descending, run alike on both sides, and, where no column
// shows by what they are sorted, where every row stands where its equal does.
func OrderKept(gold, pred *scoring.Table, a *scoring.Alignment) bool {
	if gold.Rows() != pred.Rows() {
		return false
	}
	compared, index := columns(gold, pred, a, Options{})
	all := append(index, compared...)
	bits := FloatBits(gold, pred)
	alike, sorted, sortedAlike := true, false, true
	for i := range all {
		c := &all[i]
		c.load(gold.Rows(), pred.Rows(), bits)
		same := true
		for r := range gold.Rows() {
			if !c.equal(r, r) {
				same = false
				break
			}
		}
		alike = alike && same
		if !same && isSorted(c.gold) {
			sortedAlike = false
		}
		sorted = sorted || isSorted(c.gold)
	}
	return alike || sorted && sortedAlike
}

// isSorted tells whether a column's values ascend or descend and are not all the same.
func isSorted(c *scoring.Column) bool {
	if c == nil || c.Len() < 2 {
		return false
	}
	up, down := false, false
	for i := 1; i < c.Len(); i++ {
		switch Order(c.Value(i-1), c.Value(i)) {
		case -1:
			up = true
		case 1:
			down = true
		}
	}
	return up != down
}

// Order compares two values of one column for sorting, to -1, 0 or 1; NULL stands apart and is skipped.
func Order(a, b scoring.Value) int {
	if a.IsNull() || b.IsNull() {
		return 0
	}
	if a.Type.Numeric() && b.Type.Numeric() {
		return cmp.Compare(magnitude(a), magnitude(b))
	}
	if a.Type.Temporal() && a.Type == b.Type {
		return cmp.Or(cmp.Compare(a.Int(), b.Int()), cmp.Compare(a.Nanos(), b.Nanos()))
	}
	return slices.Compare([]byte(a.Text()), []byte(b.Text()))
}

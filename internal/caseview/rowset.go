package caseview

import (
	"iter"
	"math/bits"
)

// RowSet is a set of row indexes, as a bit set.
type RowSet []uint64

func newRowSet(rows int) RowSet { return make(RowSet, (rows+63)/64) }

// Has reports whether a row is in the set.
func (s RowSet) Has(i int) bool { return i>>6 < len(s) && s[i>>6]&(1<<(i&63)) != 0 }

func (s RowSet) add(i int) { s[i>>6] |= 1 << (i & 63) }

// Len returns the number of rows in the set.
func (s RowSet) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s RowSet) union(t RowSet) RowSet {
	out := make(RowSet, max(len(s), len(t)))
	copy(out, s)
	for i, w := range t {
		out[i] |= w
	}
	return out
}

// All yields the rows in order.
func (s RowSet) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

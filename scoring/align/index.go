package align

import (
	"cmp"
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// index returns the pairs that together are a unique key on both sides: one of strings, times or truth values, one of
// integers whose name marks a key, or all of these together; nil if there is none. Among several, those named as a key
// come first. At least one other column must exist.
func (a *aligner) index(pairs []scoring.ColumnPair) []int {
	if a.goldT.Rows() < 2 || a.predT.Rows() < 2 || len(a.gold) < 2 {
		return nil
	}
	var keys []int
	for k := range pairs {
		if a.identifies(&pairs[k]) {
			keys = append(keys, k)
		}
	}
	for _, k := range a.byIdentity(pairs, keys) {
		if a.unique(pairs, []int{k}) {
			return []int{k}
		}
	}
	if len(keys) > 1 && len(keys) < len(a.gold) && a.unique(pairs, keys) {
		return keys
	}
	return nil
}

// byIdentity returns keys sorted: pairs named as a key first, then by the share of values that are on both sides.
func (a *aligner) byIdentity(pairs []scoring.ColumnPair, keys []int) []int {
	if len(keys) < 2 {
		return keys
	}
	worth := func(k int) float64 {
		if a.namedAsKey(&pairs[k]) {
			return 1 + pairs[k].Overlap
		}
		return pairs[k].Overlap
	}
	sorted := slices.Clone(keys)
	slices.SortStableFunc(sorted, func(x, y int) int { return cmp.Compare(worth(y), worth(x)) })
	return sorted
}

// minKnownKeys is the minimum share of the keys of the shorter side that the other side must have. If fewer are equal,
// the keys may be written differently, and joining by them would hide what else agrees.
const minKnownKeys = 0.8

var identifying = []string{"id", "code", "year", "month", "quarter", "week", "day", "date", "hour", "zip", "postcode",
	"isbn", "sku", "uuid", "rank", "position"}

func (a *aligner) identifies(c *scoring.ColumnPair) bool {
	if !c.Exact() || c.Scale != 0 || !a.known(c) {
		return false
	}
	switch c.Kind {
	case scoring.KindText, scoring.KindTime:
		return true
	case scoring.KindNumber:
		g, p := &a.gold[c.Gold], &a.pred[c.Pred]
		if g.col.Type != scoring.Int64 || p.col.Type != scoring.Int64 {
			return false
		}
		return a.namedAsKey(c)
	case scoring.KindBool:
		return true // never alone, but part of a key
	}
	return false
}

// namedAsKey reports whether the name of a gold column contains a word for a key.
func (a *aligner) namedAsKey(c *scoring.ColumnPair) bool {
	return slices.ContainsFunc(a.gold[c.Gold].nameWords(), func(w string) bool { return slices.Contains(identifying, w) })
}

// known reports whether at least minKnownKeys of the shorter side's values in the pair are on the other side.
func (a *aligner) known(c *scoring.ColumnPair) bool {
	golds, preds := float64(a.goldT.Rows()), float64(a.predT.Rows())
	return c.Overlap*max(golds, preds)/min(golds, preds) >= minKnownKeys
}

// unique reports whether no two rows of either side agree in all columns of the pairs at the positions which.
func (a *aligner) unique(pairs []scoring.ColumnPair, which []int) bool {
	for _, goldSide := range []bool{true, false} {
		rows := a.predT.Rows()
		if goldSide {
			rows = a.goldT.Rows()
		}
		var b buffers
		if rows <= fewRows {
			b = buffers{make([]uint64, fewRows), make([]uint64, fewRows), keySet{make([]uint64, 2*fewRows)}}
		} else {
			b = buffers{make([]uint64, 512), make([]uint64, 512), newKeySet(rows)}
		}
		if !a.uniqueSide(pairs, which, goldSide, rows, b) {
			return false
		}
	}
	return true
}

// fewRows is the maximum number of rows for which buffers of a fixed size are used.
const fewRows = 32

// buffers are reused memory: keys of rows, keys of a column, and the set of row keys already seen.
type buffers struct {
	row, keys []uint64
	seen      keySet
}

// uniqueSide is unique for one side, which has the given number of rows.
func (a *aligner) uniqueSide(pairs []scoring.ColumnPair, which []int, goldSide bool, rows int, b buffers) bool {
	row, keys, seen := b.row, b.keys, b.seen
	for from := 0; from < rows; from += len(row) {
		n := min(len(row), rows-from)
		clear(row[:n])
		for _, k := range which {
			c := &pairs[k]
			gv, v := cell.Views(&c.Comparison, false)
			col := a.pred[c.Pred].col
			if goldSide {
				col, v = a.gold[c.Gold].col, gv
			}
			cell.Keys(col, v, from, keys[:n])
			for r, key := range keys[:n] {
				row[r] = cell.Mix(row[r], key)
			}
		}
		for _, key := range row[:n] {
			if !seen.add(key) {
				return false
			}
		}
	}
	return true
}

// keySet is a set of keys, none of them 0.
type keySet struct{ slots []uint64 }

func newKeySet(n int) keySet {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return keySet{make([]uint64, size)}
}

// add adds a key and reports whether it was not yet in the set.
func (s *keySet) add(key uint64) bool {
	mask := uint64(len(s.slots) - 1)
	for i := (key >> 17) & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = key
			return true
		case key:
			return false
		}
	}
}

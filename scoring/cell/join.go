package cell

// chains finds rows by key, in ascending order.
type chains struct {
	keys  []uint64
	roots []int32 // hash table of the first row of each key; -1: free
	next  []int32 // for each row, the next one with the same key, or -1
	rest  []int32 // for each first row, the first row of its key that was not taken, or -1
	mask  uint64
}

// newChains indexes the rows 0 … len(keys)-1 by their keys. It retains keys.
func newChains(keys []uint64) *chains {
	size := 4
	for size < 2*len(keys) {
		size *= 2
	}
	t := &chains{keys: keys, roots: make([]int32, size), next: make([]int32, len(keys)), rest: make([]int32, len(keys)),
		mask: uint64(size - 1)}
	for i := range t.roots {
		t.roots[i] = -1
	}
	for i := len(keys) - 1; i >= 0; i-- { // from the last, so that chains ascend
		s := t.slot(keys[i])
		t.next[i], t.rest[i] = *s, int32(i) //nolint:gosec // rows are bounded far below
		*s = int32(i)                       //nolint:gosec // as above
	}
	return t
}

func (t *chains) slot(key uint64) *int32 {
	for i := Mix(key, k2) & t.mask; ; i = (i + 1) & t.mask {
		if s := &t.roots[i]; *s < 0 || t.keys[*s] == key {
			return s
		}
	}
}

// root returns the first row with a key, or -1.
func (t *chains) root(key uint64) int32 { return *t.slot(key) }

// take returns the first row with a key that was not taken yet, or -1.
func (t *chains) take(key uint64) int32 {
	root := t.root(key)
	if root < 0 {
		return -1
	}
	j := t.rest[root]
	if j >= 0 {
		t.rest[root] = t.next[j]
	}
	return j
}

// rows returns all rows with the key of a first row.
func (t *chains) rows(root int32) []int32 {
	var rows []int32
	for r := root; r >= 0; r = t.next[r] {
		rows = append(rows, r)
	}
	return rows
}

// keysOf returns one key for each row over the given columns. The caller must not change the keys.
func keysOf(cols []pair, rows int, goldSide bool) []uint64 {
	if len(cols) == 1 {
		return cols[0].keys(goldSide)
	}
	keys := make([]uint64, rows)
	for i := range cols {
		if d := cols[i].coded; d != nil {
			side := d.side(goldSide)
			Spread(rows, func(lo, hi int) {
				for r, code := range side[lo:hi] {
					keys[lo+r] = Mix(keys[lo+r], d.keys[code])
				}
			})
			continue
		}
		side := cols[i].keys(goldSide)
		Spread(rows, func(lo, hi int) {
			for r, k := range side[lo:hi] {
				keys[lo+r] = Mix(keys[lo+r], k)
			}
		})
	}
	return keys
}

// join returns the predicted row of each gold row with the same index key, or -1. Rows that share a key are matched by
// content among themselves, so that a key that is not unique does not multiply rows; with unique keys this is the
// paper's join.
func join(index, compared []pair, goldRows, predRows int, bits, shown bool) []int32 {
	gk, pk := keysOf(index, goldRows, true), keysOf(index, predRows, false)
	golds, preds := newChains(gk), newChains(pk)
	pairs := make([]int32, goldRows)
	for i := range pairs {
		pairs[i] = -1
	}
	var m *matcher // made when first needed
	for i := range pairs {
		p := preds.root(gk[i])
		switch {
		case int(golds.root(gk[i])) != i || p < 0:
			continue // met with the first gold row of this key, or no partner
		case golds.next[i] < 0 && preds.next[p] < 0:
			pairs[i] = p
			continue
		}
		if m == nil {
			for k := range compared {
				compared[k].resolve(goldRows, predRows, bits)
			}
			m = newMatcher(compared, goldRows, predRows, shown)
		}
		rows := golds.rows(int32(i)) //nolint:gosec // rows are bounded far below
		m.match(rows, preds.rows(p))
		for _, r := range rows {
			pairs[r] = m.pairs[r]
		}
	}
	return pairs
}

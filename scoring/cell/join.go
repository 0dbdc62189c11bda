package cell

// chains finds rows by key: every key leads to its rows in ascending order.
type chains struct {
	slots []slot
	next  []int32 // of every row, the next one with the same key, or -1
	mask  uint64
}

type slot struct {
	key   uint64
	head  int32 // -1: free
	count int32
}

// newChains indexes rows 0 … len(keys)-1.
func newChains(keys []uint64) *chains {
	size := 4
	for size < 2*len(keys) {
		size *= 2
	}
	t := &chains{slots: make([]slot, size), next: make([]int32, len(keys)), mask: uint64(size - 1)}
	for i := range t.slots {
		t.slots[i].head = -1
	}
	for i := len(keys) - 1; i >= 0; i-- { // from the last, so that chains ascend
		s := t.slot(keys[i])
		t.next[i] = s.head
		s.key, s.head = keys[i], int32(i) //nolint:gosec // rows are bounded far below
		s.count++
	}
	return t
}

func (t *chains) slot(key uint64) *slot {
	for i := Mix(key, k2) & t.mask; ; i = (i + 1) & t.mask {
		if s := &t.slots[i]; s.head == -1 && s.count == 0 || s.key == key {
			return s
		}
	}
}

// first returns the first row of a key that is not used, or -1. Used rows are dropped for good.
func (t *chains) first(key uint64, used []bool) int32 {
	s := t.slot(key)
	for s.head >= 0 && used[s.head] {
		s.head = t.next[s.head]
		s.count--
		if s.head < 0 {
			s.count = 1 // stays a taken slot, so that other keys behind it are still found
			break
		}
	}
	return s.head
}

// keysOf combines the keys of columns into one key a row.
func keysOf(cols []pair, rows int, goldSide bool) []uint64 {
	keys := make([]uint64, rows)
	for i := range cols {
		side := cols[i].p
		if goldSide {
			side = cols[i].g
		}
		for r, k := range side {
			keys[r] = Mix(keys[r], k)
		}
	}
	return keys
}

// join pairs rows with equal index keys. Rows that share a key are matched greedily among themselves, so that a key which is not unique
// multiplies no rows; with unique keys this is the paper's join.
func join(index, compared []pair, goldRows, predRows int) []int32 {
	gk, pk := keysOf(index, goldRows, true), keysOf(index, predRows, false)
	golds, preds := newChains(gk), newChains(pk)
	pairs := make([]int32, goldRows)
	for i := range pairs {
		pairs[i] = -1
	}
	for i := range pairs {
		gs, ps := golds.slot(gk[i]), preds.slot(gk[i])
		switch {
		case int(gs.head) != i || ps.head < 0:
			continue // met with the first gold row of this key, or no partner
		case golds.next[i] < 0 && preds.next[ps.head] < 0:
			pairs[i] = ps.head
			continue
		}
		var gRows, pRows []int32
		for r := gs.head; r >= 0; r = golds.next[r] {
			gRows = append(gRows, r)
		}
		for r := ps.head; r >= 0; r = preds.next[r] {
			pRows = append(pRows, r)
		}
		for k, j := range greedy(subset(compared, gRows, pRows), len(gRows), len(pRows)) {
			if j >= 0 {
				pairs[gRows[k]] = pRows[j]
			}
		}
	}
	return pairs
}

// subset is the compared columns cut to some rows.
func subset(cols []pair, gRows, pRows []int32) []pair {
	out := make([]pair, len(cols))
	for i := range cols {
		c := &cols[i]
		out[i] = pair{g: make([]uint64, len(gRows)), p: make([]uint64, len(pRows))}
		for k, r := range gRows {
			out[i].g[k] = c.g[r]
		}
		for k, r := range pRows {
			out[i].p[k] = c.p[r]
		}
		if c.ranges != nil {
			out[i].ranges = c.ranges.subset(gRows, pRows)
		}
	}
	return out
}

package cell

// chains finds rows by key: every key leads to its rows in ascending order.
type chains struct {
	keys  []uint64
	roots []int32 // hash table: the first row of a key, or -1
	next  []int32 // of every row, the next one with the same key, or -1
	rest  []int32 // of every root, the first row of its key that was not used when last looked at, or -1
	mask  uint64
}

// newChains indexes rows 0 … len(keys)-1. It keeps keys.
func newChains(keys []uint64) *chains {
	size := 4
	for size < 2*len(keys) {
		size *= 2
	}
	t := &chains{keys: keys, roots: make([]int32, size), next: make([]int32, len(keys)), rest: make([]int32, len(keys)), mask: uint64(size - 1)}
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

// root is the first row of a key, or -1.
func (t *chains) root(key uint64) int32 { return *t.slot(key) }

// first is the first row of a root's key that is not used, or -1. Used rows are passed over for good.
func (t *chains) first(root int32, used []bool) int32 {
	j := t.rest[root]
	if j >= 0 && used[j] {
		for j >= 0 && used[j] {
			j = t.next[j]
		}
		t.rest[root] = j
	}
	return j
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
		p := preds.root(gk[i])
		switch {
		case int(golds.root(gk[i])) != i || p < 0:
			continue // met with the first gold row of this key, or no partner
		case golds.next[i] < 0 && preds.next[p] < 0:
			pairs[i] = p
			continue
		}
		gRows, pRows := golds.rows(int32(i)), preds.rows(p) //nolint:gosec // rows are bounded far below
		for k, j := range greedy(subset(compared, gRows, pRows), len(gRows), len(pRows)) {
			if j >= 0 {
				pairs[gRows[k]] = pRows[j]
			}
		}
	}
	return pairs
}

// rows lists the rows of a root's key.
func (t *chains) rows(root int32) []int32 {
	var rows []int32
	for r := root; r >= 0; r = t.next[r] {
		rows = append(rows, r)
	}
	return rows
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

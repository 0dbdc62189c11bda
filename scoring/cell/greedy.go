package cell

import (
	"cmp"
	"math/bits"
	"slices"
)

// naiveWork is the number of cell comparisons up to which the plain loop is quicker than any index.
const naiveWork = 1 << 14

// greedy matches rows as the paper's Algorithm 2 does without an index (lines 22-28): every gold row, in order, takes the predicted
// row that is left and agrees with it in the most columns, the first of equals. It returns the predicted row of every gold row, -1 once
// none is left, and exactly what the plain double loop returns, without looking at every pair of rows.
func greedy(cols []pair, goldRows, predRows int) []int32 {
	if goldRows*predRows*max(1, len(cols)) <= naiveWork {
		return greedyNaive(cols, goldRows, predRows)
	}
	m := newMatcher(cols, predRows)
	pairs := make([]int32, goldRows)
	for i := range pairs {
		pairs[i] = -1
		if i < predRows {
			j := m.best(i)
			m.used[j] = true
			pairs[i] = j
		}
	}
	return pairs
}

func greedyNaive(cols []pair, goldRows, predRows int) []int32 {
	pairs := make([]int32, goldRows)
	used := make([]bool, predRows)
	for i := range pairs {
		best, most := -1, -1
		for j := 0; j < predRows && most < len(cols); j++ {
			if used[j] {
				continue
			}
			n := 0
			for k := range cols {
				if cols[k].equal(i, j) {
					n++
				}
			}
			if n > most {
				best, most = j, n
			}
		}
		pairs[i] = int32(best) //nolint:gosec // rows are bounded far below
		if best >= 0 {
			used[best] = true
		}
	}
	return pairs
}

// matcher finds the best row that is left in one of two ways. Rows that agree in a given set of columns are found at once through an
// index on that set; so the sets are tried from the largest down. Where that would be more work, the rows that share a value with the gold
// row are counted through lists.
type matcher struct {
	cols  []pair
	rows  int
	used  []bool
	from  int32              // the first row that may be unused
	sets  map[uint64]*chains // rows by the keys of a set of columns, a bit each
	order []uint64           // all sets of columns with keys, larger ones first, where there are few columns
	lists []*chains          // rows by the key of one column
	count []int32            // scratch: columns in which each row agrees
	seen  []int32
}

const (
	maxSetColumns = 10      // up to 1,023 sets
	maxSetRows    = 1 << 24 // rows in all indexes of sets together; each takes about 28 bytes
)

func newMatcher(cols []pair, rows int) *matcher {
	m := &matcher{cols: cols, rows: rows, used: make([]bool, rows), sets: map[uint64]*chains{}, lists: make([]*chains, len(cols)), count: make([]int32, rows)}
	ranged := false
	for k := range cols {
		ranged = ranged || cols[k].ranges != nil
		m.lists[k] = newChains(cols[k].p)
	}
	if !ranged && len(cols) <= maxSetColumns {
		for s := uint64(1); s < 1<<len(cols); s++ {
			m.order = append(m.order, s)
		}
		slices.SortStableFunc(m.order, func(a, b uint64) int { return cmp.Compare(bits.OnesCount64(b), bits.OnesCount64(a)) })
	}
	return m
}

// best returns the row that greedyNaive would take for gold row i. At least one row must be left.
func (m *matcher) best(i int) int32 {
	shared, work := uint64(0), 0 // columns in which any row left agrees, and how long their lists are
	for k := range m.cols {
		c := &m.cols[k]
		n := 0
		if m.lists[k].first(c.g[i], m.used) >= 0 {
			n = int(m.lists[k].slot(c.g[i]).count)
		}
		if c.ranges != nil {
			n += int(c.ranges.hi[i] - c.ranges.lo[i])
		}
		if n > 0 {
			shared |= 1 << (k & 63)
			work += n
		}
	}
	if shared == 0 {
		return m.firstLeft()
	}
	if m.order != nil {
		if j, ok := m.bySets(i, shared, work); ok {
			return j
		}
	}
	return m.byLists(i)
}

func (m *matcher) firstLeft() int32 {
	for m.used[m.from] {
		m.from++
	}
	return m.from
}

// bySets looks for rows that agree in ever smaller sets of the shared columns. It gives up, with ok false, once it has done the work
// that counting would be.
func (m *matcher) bySets(i int, shared uint64, work int) (best int32, ok bool) {
	best = -1
	size := 0
	for _, set := range m.order {
		if set&^shared != 0 {
			continue
		}
		if n := bits.OnesCount64(set); n != size {
			if best >= 0 {
				return best, true
			}
			size = n
		}
		if work -= 4; work < 0 {
			return 0, false
		}
		t := m.set(set)
		if t == nil {
			return 0, false
		}
		if j := t.first(m.goldKey(i, set), m.used); j >= 0 && (best < 0 || j < best) {
			best = j
		}
	}
	return best, best >= 0
}

func (m *matcher) goldKey(i int, set uint64) uint64 {
	key := uint64(0)
	for s := set; s != 0; s &= s - 1 {
		key = Mix(key, m.cols[bits.TrailingZeros64(s)].g[i])
	}
	return key
}

// set is the index on a set of columns, made when it is first asked for; nil where the indexes would take too much memory.
func (m *matcher) set(set uint64) *chains {
	if t, ok := m.sets[set]; ok {
		return t
	}
	if (len(m.sets)+1)*m.rows > maxSetRows {
		return nil
	}
	keys := make([]uint64, m.rows)
	for s := set; s != 0; s &= s - 1 {
		for j, k := range m.cols[bits.TrailingZeros64(s)].p {
			keys[j] = Mix(keys[j], k)
		}
	}
	t := newChains(keys)
	m.sets[set] = t
	return t
}

// byLists counts, for every row that shares a value with gold row i, in how many columns they agree.
func (m *matcher) byLists(i int) int32 {
	m.seen = m.seen[:0]
	hit := func(j int32) {
		if !m.used[j] {
			if m.count[j] == 0 {
				m.seen = append(m.seen, j)
			}
			m.count[j]++
		}
	}
	for k := range m.cols {
		c := &m.cols[k]
		if r := c.ranges; r != nil && r.lo[i] < r.hi[i] {
			for _, j := range r.order[r.lo[i]:r.hi[i]] {
				hit(j)
			}
			for j := m.lists[k].first(c.g[i], m.used); j >= 0; j = m.lists[k].next[j] {
				if r.rank[j] < 0 {
					hit(j)
				}
			}
			continue
		}
		for j := m.lists[k].first(c.g[i], m.used); j >= 0; j = m.lists[k].next[j] {
			hit(j)
		}
	}
	best, most := int32(-1), int32(0)
	for _, j := range m.seen {
		if n := m.count[j]; n > most || n == most && j < best {
			best, most = j, n
		}
		m.count[j] = 0
	}
	if best < 0 {
		return m.firstLeft()
	}
	return best
}

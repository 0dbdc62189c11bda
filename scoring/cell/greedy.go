package cell

import "math/bits"

// naiveWork is the number of cell comparisons up to which the plain loop is quicker than any index.
const naiveWork = 1 << 14

// greedy matches rows as the paper's Algorithm 2 does without an index (lines 22-28): every gold row, in order, takes the predicted
// row that is left and agrees with it in the most columns, the first of equals. It returns the predicted row of every gold row, -1 once
// none is left, and exactly what the plain double loop returns, without looking at every pair of rows one by one.
func greedy(cols []pair, goldRows, predRows int) []int32 {
	if goldRows*predRows*max(1, len(cols)) <= naiveWork {
		return greedyNaive(cols, goldRows, predRows)
	}
	return greedyIndexed(cols, goldRows, predRows, limits{renumber: 1 << 10, bitmaps: 1 << 25, setRows: 1 << 23, setSteps: 16})
}

// limits of a matcher.
type limits struct {
	renumber int // predicted rows from which those that are left are numbered anew once half of them are used
	bitmaps  int // words of all bitmaps together, 256 MiB
	setRows  int // rows in all indexes on sets of columns together; each takes at most 32 bytes
	setSteps int // what looking into such an index takes, in rows counted one by one
}

func greedyIndexed(cols []pair, goldRows, predRows int, most limits) []int32 {
	pairs := make([]int32, goldRows)
	for i := range pairs {
		pairs[i] = -1
	}
	matched := min(goldRows, predRows)
	m, first := newMatcher(cols, predRows, most), 0
	var number []int32 // of a matcher's row, what it was at the beginning; nil: the same
	for i := range matched {
		if m.rows >= most.renumber && 2*(m.rows-(i-first)) <= m.rows {
			golds, preds := make([]int32, matched-i), m.leftRows()
			for k := range golds {
				golds[k] = int32(i - first + k) //nolint:gosec // rows are bounded far below
			}
			cols = subset(cols, golds, preds)
			if number != nil {
				for k, j := range preds {
					preds[k] = number[j]
				}
			}
			m, first, number = newMatcher(cols, len(preds), most), i, preds
		}
		j := m.best(i - first)
		m.use(j)
		if pairs[i] = j; number != nil {
			pairs[i] = number[j]
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

// matcher finds the best row that is left. Rows that agree in all columns in which any row can agree, or in all but one or two, are found at once
// through indexes on sets of columns. Where there is none, the rows of rare values are counted one by one, and those of frequent values 64 at a
// time: every frequent value has a bitmap of its rows, and the bitmaps of a gold row's values are added up bit by bit. So even two
// unrelated results of n rows and k columns take no more than about n²k/64 steps.
type matcher struct {
	cols   []pair
	rows   int
	used   []bool
	left   []uint64 // bitmap of the rows that are not used
	from   int32    // the first row that may be unused
	lists  []*chains
	sizes  [][]int32 // of every list's root, how many rows it leads to
	sets   map[uint64]*chains
	credit int          // in 1/setReturn: how many more indexes may be made
	bits   []columnBits // of every column
	limits              // of bitmaps: what is left
	count  []int32      // scratch: columns with rare values in which each row agrees
	seen   []int32      // scratch: rows with a count
	dense  [][]uint64   // scratch: bitmaps of the gold row's frequent values
	sparse []int        // scratch: columns of its rare ones
	shared uint64       // scratch: columns in which any row may agree, where there are at most 64
	work   int          // scratch: steps that counting will take
}

const (
	setReturn   = 32  // finds that pay for one more index on a set of columns
	maxSets     = 16  // indexes that are made on credit
	minFrequent = 256 // a value is frequent from 1/256 of the rows: about where adding a bitmap is quicker than going through a list
)

func newMatcher(cols []pair, rows int, most limits) *matcher {
	m := &matcher{
		cols: cols, rows: rows, used: make([]bool, rows), left: make([]uint64, (rows+63)/64), lists: make([]*chains, len(cols)), sizes: make([][]int32, len(cols)),
		sets: map[uint64]*chains{}, credit: maxSets * setReturn, bits: make([]columnBits, len(cols)), limits: most, count: make([]int32, rows),
	}
	for j := range rows {
		m.left[j>>6] |= 1 << (j & 63)
	}
	for k := range cols {
		t := newChains(cols[k].p)
		m.lists[k], m.sizes[k] = t, make([]int32, rows)
		for _, r := range t.roots {
			for j := r; j >= 0; j = t.next[j] {
				m.sizes[k][r]++
			}
		}
	}
	return m
}

func (m *matcher) use(j int32) {
	m.used[j] = true
	m.left[j>>6] &^= 1 << (j & 63)
}

// leftRows lists the rows that are not used.
func (m *matcher) leftRows() []int32 {
	var rows []int32
	for w, left := range m.left {
		for ; left != 0; left &= left - 1 {
			rows = append(rows, int32(w<<6+bits.TrailingZeros64(left))) //nolint:gosec // rows are bounded far below
		}
	}
	return rows
}

func (m *matcher) firstLeft() int32 {
	for m.used[m.from] {
		m.from++
	}
	return m.from
}

// best returns the row that greedyNaive would take for gold row i. At least one row must be left.
func (m *matcher) best(i int) int32 {
	m.survey(i)
	if j, ok := m.bySets(i); ok {
		return j
	}
	best, most := m.bySparse(i)
	if most <= len(m.dense) {
		best = m.byDense(best, most)
	}
	if best < 0 {
		return m.firstLeft()
	}
	return best
}

// survey sorts the columns into those where rows that agree with gold row i are many, few and none.
func (m *matcher) survey(i int) {
	m.dense, m.sparse, m.shared, m.work = m.dense[:0], m.sparse[:0], 0, 0
	keyed := len(m.cols) <= 64
	for k := range m.cols {
		n := m.agreeing(k, i)
		if n == 0 {
			continue
		}
		keyed = keyed && m.cols[k].ranges == nil
		m.shared |= 1 << (k & 63)
		if n*minFrequent > m.rows {
			if b := m.bitmap(k, i); b != nil {
				m.dense = append(m.dense, b)
				m.work += len(b) / 2
				continue
			}
		}
		m.sparse = append(m.sparse, k)
		m.work += n
	}
	if !keyed {
		m.shared = 0
	}
}

// agreeing is how many rows, used ones included, agree with gold row i in column k; 0 once none is left that is known by its key.
func (m *matcher) agreeing(k, i int) int {
	c := &m.cols[k]
	if r := c.ranges; r != nil && r.lo[i] >= 0 {
		return int(r.hi[i] - r.lo[i])
	}
	root := m.lists[k].root(c.g[i])
	if root < 0 || m.lists[k].first(root, m.used) < 0 {
		return 0
	}
	return int(m.sizes[k][root])
}

// bySets looks for rows that agree in all shared columns, then in all but one, then in all but two. ok is false where there are none, or where
// looking would take longer than counting.
func (m *matcher) bySets(i int) (best int32, ok bool) {
	n := bits.OnesCount64(m.shared)
	for less, sets := 0, 1; less <= 2 && less < n; less++ {
		if sets*m.setSteps > m.work/2 {
			return -1, false
		}
		best = -1
		ok = m.eachSet(less, func(set uint64) bool {
			t := m.set(set)
			if t == nil {
				return false
			}
			if root := t.root(m.goldKey(i, set)); root >= 0 {
				if j := t.first(root, m.used); j >= 0 && (best < 0 || j < best) {
					best = j
				}
			}
			return true
		})
		if !ok || best >= 0 {
			break
		}
		sets = sets * (n - less) / (less + 1)
	}
	if ok = ok && best >= 0; ok {
		m.credit = min(m.credit+1, maxSets*setReturn)
	}
	return best, ok
}

// eachSet calls f with every set of the shared columns but less of them, until it returns false.
func (m *matcher) eachSet(less int, f func(set uint64) bool) bool {
	if less == 0 {
		return f(m.shared)
	}
	for a := m.shared; a != 0; a &= a - 1 {
		set := m.shared &^ (a & -a)
		if less == 1 {
			if !f(set) {
				return false
			}
			continue
		}
		for b := a & (a - 1); b != 0; b &= b - 1 {
			if !f(set &^ (b & -b)) {
				return false
			}
		}
	}
	return true
}

func (m *matcher) goldKey(i int, set uint64) uint64 {
	key := uint64(0)
	for s := set; s != 0; s &= s - 1 {
		key = Mix(key, m.cols[bits.TrailingZeros64(s)].g[i])
	}
	return key
}

// set is the index on a set of columns, made when it is first asked for; nil where indexes have not paid or would take too much memory.
func (m *matcher) set(set uint64) *chains {
	if t, ok := m.sets[set]; ok {
		return t
	}
	if m.credit < setReturn || (len(m.sets)+1)*m.rows > m.setRows {
		return nil
	}
	m.credit -= setReturn
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

// bySparse returns the best of the rows that share a rare value with gold row i, and in how many columns it agrees; -1 and 0 where there is none.
func (m *matcher) bySparse(i int) (best int32, most int) {
	m.seen = m.seen[:0]
	hit := func(j int32) {
		if m.used[j] {
			return
		}
		if m.count[j] == 0 {
			m.seen = append(m.seen, j)
		}
		m.count[j]++
	}
	for _, k := range m.sparse {
		c := &m.cols[k]
		if r := c.ranges; r != nil && r.lo[i] >= 0 {
			for _, j := range r.order[r.lo[i]:r.hi[i]] {
				hit(j)
			}
			continue
		}
		t := m.lists[k]
		for j := t.first(t.root(c.g[i]), m.used); j >= 0; j = t.next[j] {
			hit(j)
		}
	}
	best = -1
	for _, j := range m.seen {
		n := int(m.count[j])
		m.count[j] = 0
		if n+len(m.dense) < most {
			continue
		}
		for _, b := range m.dense {
			n += int(b[j>>6] >> (j & 63) & 1)
		}
		if n > most || n == most && j < best {
			best, most = j, n
		}
	}
	return best, most
}

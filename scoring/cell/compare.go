package cell

import (
	"slices"
	"sync"

	"github.com/badger-eval/badger/scoring"
)

// Options are the options of [Compare].
type Options struct {
	// count each extra predicted column that is not trivial as a column of unequal cells, as the paper's padding does
	PenalizeExtra bool
	Pairs         bool // also return the matched rows
	EqualPairs    bool // with Pairs: also if all rows are equal, which takes longer
}

// The ways in which rows were matched.
const (
	MethodTrivial = "trivial"         // at least one side has no rows
	MethodRows    = "equal_rows"      // all rows of both sides pair up as equals
	MethodIndex   = "index_matched"   // joined by the index columns
	MethodContent = "index_unmatched" // matched so that as many cells as possible are equal
)

// Result holds the score and the counts of a comparison.
type Result struct {
	// 0 to 1: share of equal cells among all cells compared; the cells of a row without a partner are unequal
	Score      float64 `json:"score"`
	Method     string  `json:"method"`
	GoldRows   int     `json:"gold_rows"`
	PredRows   int     `json:"pred_rows"`
	Matched    int     `json:"matched_rows"`   // number of pairs of rows
	Equal      int     `json:"equal_rows"`     // number of pairs equal in every compared column
	Unmatched  int     `json:"unmatched_rows"` // number of rows that count as unequal because they have no partner
	Compared   int     `json:"compared_columns"`
	NullFilled int     `json:"null_filled_columns,omitempty"` // number of columns that one side lacks, compared as NULL

	// ColumnEqual is the number of equal cells of each gold column among matched rows. For an index column it is the
	// number of matched rows.
	ColumnEqual []int `json:"column_equal,omitempty"`
	// PaperScore is the value of Algorithm 2 as printed (see [Paper]), if it was requested. PaperOmitted is the reason
	// if it could not be computed.
	PaperScore   *float64 `json:"paper_score,omitempty"`
	PaperOmitted string   `json:"paper_score_omitted,omitempty"`
	// Pairs[i] is the predicted row matched with gold row i, or -1. It is nil unless Options.Pairs is set and, if all
	// rows are equal, Options.EqualPairs.
	Pairs []int32 `json:"-"`
}

// pair is a compared column. If its comparison allows differences, cells are compared by magnitude until resolve
// replaces this by keys or ranges.
type pair struct {
	gold, pred *scoring.Column // nil if the side lacks the column, which is then compared as NULL
	cmp        scoring.Comparison
	g, p       []uint64
	coded      *coded // replaces g and p if there are few distinct keys
	measured   *measured
	ranges     *ranges
	classed    bool // the keys are those of classes of near values, see measured.classes
}

// equal reports whether the cells of gold row i and predicted row j are equal.
func (c *pair) equal(i, j int) bool {
	switch {
	case c.ranges != nil:
		lo, rank := c.ranges.lo[i], c.ranges.rank[j]
		if lo < 0 || rank < 0 { // NULL or text on at least one side
			return lo < 0 && rank < 0 && c.g[i] == c.p[j]
		}
		return rank >= lo && rank < c.ranges.hi[i]
	case c.coded != nil:
		return c.coded.g[i] == c.coded.p[j]
	case c.g == nil:
		return c.near(i, j)
	}
	return c.g[i] == c.p[j]
}

// near is equal for a pair that is compared by magnitude.
func (c *pair) near(i, j int) bool {
	g, p := c.measured.g[i], c.measured.p[j]
	if g == g && p == p {
		return Near(g, p, &c.cmp)
	}
	if g == g || p == p {
		return false
	}
	gv, pv := c.views(false)
	return valueKey(Read(c.gold, gv, i)) == valueKey(Read(c.pred, pv, j)) // NULL, or text that is compared as text
}

// Compare returns the score and the counts of pred against gold under an alignment of these two tables.
func Compare(gold, pred *scoring.Table, a *scoring.Alignment, o Options) Result {
	r := Result{GoldRows: gold.Rows(), PredRows: pred.Rows()}
	all, indexed := columns(gold, pred, a, o)
	index, compared := all[:indexed], all[indexed:]
	r.Compared = len(compared)
	for _, c := range compared {
		if c.gold == nil || c.pred == nil {
			r.NullFilled++
		}
	}
	if r.GoldRows == 0 || r.PredRows == 0 {
		r.Method = MethodTrivial
		if r.GoldRows == r.PredRows {
			r.Score = 1
		}
		r.Unmatched = max(r.GoldRows, r.PredRows)
		return r
	}
	bits := FloatBits(gold, pred)
	// sooner than classes or ranges do
	joinTells := len(index) > 0 && slices.ContainsFunc(all, func(c pair) bool { return c.byMagnitude() })
	same := r.GoldRows == r.PredRows && !joinTells && !valuesDiffer(a) && sameRows(all, r.GoldRows, bits)
	if same && !(o.Pairs && o.EqualPairs) {
		r.allEqual(len(gold.Columns))
		return r
	}
	if r.GoldRows+r.PredRows >= parallelRows {
		each(len(all), true, func(i int) { all[i].load(r.GoldRows, r.PredRows, bits) })
	}
	for i := range all { // each once
		all[i].load(r.GoldRows, r.PredRows, bits)
	}
	for i := range index {
		index[i].resolve(r.GoldRows, r.PredRows, bits)
	}
	var pairs []int32
	if len(index) > 0 {
		r.Method = MethodIndex
		pairs = join(index, compared, r.GoldRows, r.PredRows, bits, o.Pairs)
	} else {
		r.Method = MethodContent
		each(len(compared), r.GoldRows+r.PredRows >= parallelRows,
			func(i int) { compared[i].resolve(r.GoldRows, r.PredRows, bits) })
		m := newMatcher(compared, r.GoldRows, r.PredRows, o.Pairs)
		m.match(allRows(r.GoldRows), allRows(r.PredRows))
		pairs = m.pairs
	}
	r.count(gold, index, compared, pairs)
	same = same || joinTells && r.Equal == r.GoldRows && r.Equal == r.PredRows
	if same {
		r.allEqual(len(gold.Columns))
	}
	if o.Pairs && (!same || o.EqualPairs) {
		r.Pairs = pairs
	}
	return r
}

// allEqual sets the counts and the score for results whose rows are all equal.
func (r *Result) allEqual(goldColumns int) {
	r.Method, r.Score, r.Matched, r.Equal = MethodRows, 1, r.GoldRows, r.GoldRows
	r.ColumnEqual = make([]int, goldColumns)
	for i := range r.ColumnEqual {
		r.ColumnEqual[i] = r.GoldRows
	}
}

// allRows returns the rows 0 to n-1.
func allRows(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i) //nolint:gosec // rows are bounded far below
	}
	return rows
}

// columns returns the columns of a comparison: first the given number of index columns, then those to compare.
func columns(gold, pred *scoring.Table, a *scoring.Alignment, o Options) (all []pair, indexed int) {
	all = make([]pair, 0, len(gold.Columns))
	of := func(k int) pair {
		cp := &a.Columns[k]
		return pair{gold: &gold.Columns[cp.Gold], pred: &pred.Columns[cp.Pred], cmp: cp.Comparison}
	}
	for k := range a.Columns {
		if slices.Contains(a.Index, k) {
			c := of(k)
			c.cmp.Within, c.cmp.Tolerance = 0, 0 // a key is equal or is not
			all = append(all, c)
		}
	}
	indexed = len(all)
	for k := range a.Columns {
		if !slices.Contains(a.Index, k) {
			all = append(all, of(k))
		}
	}
	for _, i := range a.Missing {
		all = append(all, pair{gold: &gold.Columns[i]})
	}
	if o.PenalizeExtra {
		for _, j := range a.Extra {
			if !slices.Contains(a.Trivial, j) {
				all = append(all, pair{pred: &pred.Columns[j]})
			}
		}
	}
	return all, indexed
}

// views returns the views of the two sides of a pair.
func (c *pair) views(bits bool) (g, p View) { return Views(&c.cmp, bits) }

// load computes the keys of both sides, or their magnitudes if they are compared by magnitude.
func (c *pair) load(goldRows, predRows int, bits bool) {
	switch {
	case c.keyed() || c.measured != nil:
	case c.byMagnitude():
		c.measured = measure(c.gold, c.pred, &c.cmp)
	default:
		gv, pv := c.views(bits)
		if c.coded = newCoded(c.gold, c.pred, gv, pv); c.coded == nil {
			c.fill(goldRows, predRows, bits)
		}
	}
}

// resolve replaces magnitudes by keys of classes or, if that is not possible, by ranges, so that rows can be found by
// them.
func (c *pair) resolve(goldRows, predRows int, bits bool) {
	if c.keyed() {
		return
	}
	if g, p, ok := c.measured.classes(c.gold, c.pred, &c.cmp); ok {
		c.g, c.p, c.classed = g, p, true
		return
	}
	c.ranges = c.measured.ranges(&c.cmp)
	c.fill(goldRows, predRows, bits)
}

// keyed reports whether the keys of both sides are available.
func (c *pair) keyed() bool { return c.g != nil || c.coded != nil }

// keys returns the keys of one side. The caller must not change them.
func (c *pair) keys(goldSide bool) []uint64 {
	switch {
	case c.coded != nil:
		keys := make([]uint64, len(c.coded.side(goldSide)))
		c.coded.into(keys, goldSide, 0)
		return keys
	case goldSide:
		return c.g
	}
	return c.p
}

// fill computes the keys of both sides.
func (c *pair) fill(goldRows, predRows int, bits bool) {
	c.g, c.p = make([]uint64, goldRows), make([]uint64, predRows)
	gv, pv := c.views(bits)
	fill(c.gold, gv, c.g)
	fill(c.pred, pv, c.p)
}

func (c *pair) byMagnitude() bool {
	return c.gold != nil && c.pred != nil && c.cmp.Kind == scoring.KindNumber && (!c.cmp.Exact() || c.cmp.Scale != 0)
}

func fill(c *scoring.Column, v View, keys []uint64) {
	if c == nil {
		return // NULL throughout
	}
	Spread(len(keys), func(lo, hi int) { Keys(c, v, lo, keys[lo:hi]) })
}

// sameRows reports whether both sides hold the same multiset of rows, by a hash. It is also false if a column needs
// ranges, which do not allow this test.
func sameRows(cols []pair, rows int, bits bool) bool {
	for i := range cols {
		c := &cols[i]
		if c.byMagnitude() {
			c.load(rows, rows, bits)
			if c.resolve(rows, rows, bits); c.ranges != nil {
				return false
			}
		}
	}
	return rowSum(cols, rows, bits, true) == rowSum(cols, rows, bits, false)
}

// valuesDiffer reports whether the alignment shows that the rows differ, without comparing them, see ValuesDiffer.
func valuesDiffer(a *scoring.Alignment) bool {
	return slices.ContainsFunc(a.Columns, func(c scoring.ColumnPair) bool { return ValuesDiffer(a, &c) })
}

// ValuesDiffer reports whether the alignment shows that the columns of a pair hold different multisets of values: it
// was found from values, compares them exactly, and some have no equal.
func ValuesDiffer(a *scoring.Alignment, c *scoring.ColumnPair) bool {
	return a.Source == "evidence" && c.Overlap < 1 && c.Exact() && c.Scale == 0
}

// Sum is a hash of a multiset of keys; it does not depend on their order.
type Sum struct{ a, b uint64 }

// Add adds a key to the multiset.
func (s *Sum) Add(k uint64) {
	s.a += Mix(k, k2)
	s.b += Mix(k^k2, k3)
}

// Plus returns the hash of the union of two multisets.
func (s Sum) Plus(t Sum) Sum { return Sum{s.a + t.a, s.b + t.b} }

const (
	chunk   = 512 // number of rows whose keys are computed at a time, so that they stay in the cache
	fewRows = 32  // results with at most this many rows use smaller buffers, which are faster to clear
)

func rowSum(cols []pair, rows int, bits, goldSide bool) Sum {
	if rows < parallelRows {
		return rowSumRange(cols, bits, goldSide, 0, rows)
	}
	var mu sync.Mutex
	var total Sum
	Spread(rows, func(lo, hi int) {
		s := rowSumRange(cols, bits, goldSide, lo, hi)
		mu.Lock()
		total = total.Plus(s) // the order of adding does not matter
		mu.Unlock()
	})
	return total
}

func rowSumRange(cols []pair, bits, goldSide bool, lo, hi int) Sum {
	if hi-lo <= fewRows {
		var row, keys [fewRows]uint64
		return rowSumInto(row[:], keys[:], cols, bits, goldSide, lo, hi)
	}
	var row, keys [chunk]uint64
	return rowSumInto(row[:], keys[:], cols, bits, goldSide, lo, hi)
}

func rowSumInto(row, keys []uint64, cols []pair, bits, goldSide bool, lo, hi int) (s Sum) {
	for ; lo < hi; lo += len(keys) {
		n := min(len(keys), hi-lo)
		clear(row[:n])
		for i := range cols {
			for r, k := range cols[i].chunkKeys(goldSide, bits, lo, keys[:n]) {
				row[r] = Mix(row[r], k)
			}
		}
		for _, k := range row[:n] {
			s.Add(k)
		}
	}
	return s
}

func (c *pair) chunkKeys(goldSide, bits bool, from int, buf []uint64) []uint64 {
	col, ready := c.pred, c.p
	gv, v := c.views(bits)
	if goldSide {
		col, ready, v = c.gold, c.g, gv
	}
	switch {
	case ready != nil:
		return ready[from : from+len(buf)]
	case c.coded != nil:
		c.coded.into(buf, goldSide, from)
	case col == nil:
		clear(buf)
	default:
		Keys(col, v, from, buf)
	}
	return buf
}

// count sets the counts and the score from the pairs of rows.
func (r *Result) count(gold *scoring.Table, index, compared []pair, pairs []int32) {
	r.ColumnEqual = make([]int, len(gold.Columns))
	position := func(c *scoring.Column) int {
		for i := range gold.Columns {
			if &gold.Columns[i] == c {
				return i
			}
		}
		return -1
	}
	equalCells := 0
	whole := make([]int32, len(pairs)) // equal cells of each gold row
	for k := range compared {
		c, n := &compared[k], 0
		switch {
		case c.coded != nil:
			n = countEqual(c.coded.g, c.coded.p, pairs, whole)
		case c.ranges == nil && c.g != nil:
			n = countEqual(c.g, c.p, pairs, whole)
		default:
			for i, j := range pairs {
				if j >= 0 && c.equal(i, int(j)) {
					n++
					whole[i]++
				}
			}
		}
		equalCells += n
		if c.gold != nil {
			r.ColumnEqual[position(c.gold)] = n
		}
	}
	for i, j := range pairs {
		if j < 0 {
			continue
		}
		r.Matched++
		if int(whole[i]) == len(compared) {
			r.Equal++
		}
	}
	for k := range index {
		r.ColumnEqual[position(index[k].gold)] = r.Matched
	}
	rows := max(r.GoldRows, r.PredRows)
	if r.Method == MethodIndex {
		rows = r.GoldRows + r.PredRows - r.Matched // the outer join
	}
	r.Unmatched = rows - r.Matched
	width := len(compared)
	if width == 0 { // nothing but the key: a row with a partner is right
		width, equalCells = 1, r.Matched
	}
	r.Score = float64(equalCells) / float64(width*rows)
}

// countEqual returns the number of pairs of rows with equal cells, and adds 1 to whole for the gold row of each.
func countEqual[K uint16 | uint64](g, p []K, pairs, whole []int32) (n int) {
	for i, j := range pairs {
		if j >= 0 && g[i] == p[j] {
			n++
			whole[i]++
		}
	}
	return n
}

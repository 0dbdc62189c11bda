package cell

import (
	"cmp"
	"slices"
	"sync"

	"github.com/badger-eval/badger/internal/halt"
)

// minCommon and commonPerCell bound the size up to which rows are matched optimally: at most minCommon pairs of equal
// cells among the distinct rows that remain after equal rows are matched, or one for every commonPerCell cells of both
// sides if that is more. For rows that share an index key, the limit is minCommon times their share of all rows, or
// commonInGroup for each of their cells, so that many groups together do not cost more.
const (
	minCommon     = 1 << 18
	commonPerCell = 2
	commonInGroup = 4
)

// maxRounds is the maximum number of times that the search for similar rows is repeated for the rows that remain.
const maxRounds = 4

// matcher pairs rows so that as many of their cells as possible are equal. The result depends on the content of the
// rows and on the content and names of the columns, never on their positions.
//
// Without a tolerance, equal rows are paired first. This loses nothing, since equality of cells is an equivalence: let
// g and p be equal, and let some matching have g with p' and g' with p. In each column g' equals p' if g equals p' and
// g' equals p. So the pairs g with p and g' with p' have together at least as many equal cells as the two pairs that
// they replace. The remaining distinct rows are matched by an optimal assignment (assignment) or, if they have too many
// equal cells for that, with the most similar of a few candidates (neighbors). With a tolerance, equality is not an
// equivalence. The optimal assignment is then tried on all rows, and equal rows are paired first only if that is too
// much work.
//
// The work is bounded by the number of cells, times the logarithm of the number of rows, plus the edges of the
// assignment (pairs of rows with equal cells; see minCommon for their number), each of which costs at most maxSteps
// steps.
type matcher struct {
	cols       []pair   // sorted by content
	gold, pred []uint64 // for each row, a key over all its cells
	ranged     bool     // some column has ranges
	goldShown  []uint64 // for each row, a key that also distinguishes nearly equal values
	predShown  []uint64
	pairs      []int32 // by gold row: its predicted row, or -1
	used       []bool  // by predicted row: whether it has a partner
	sorters    [2]sorter
	halt       *halt.Signal // stops the search
}

// newMatcher returns a matcher for columns that are resolved. If shown is set and a comparison allows differences, the
// exact values decide which of several rows that count as equal are paired.
func newMatcher(cols []pair, golds, preds int, shown bool) *matcher {
	m := &matcher{cols: byContent(cols), pairs: make([]int32, golds), used: make([]bool, preds)}
	for i := range m.pairs {
		m.pairs[i] = -1
	}
	m.gold, m.pred = keysOf(m.cols, golds, true), keysOf(m.cols, preds, false)
	m.goldShown, m.predShown = m.gold, m.pred
	if shown && slices.ContainsFunc(cols, func(c pair) bool { return c.classed }) {
		m.goldShown, m.predShown = m.shown(golds, true), m.shown(preds, false)
	}
	m.ranged = slices.ContainsFunc(cols, func(c pair) bool { return c.ranges != nil })
	for i := range cols {
		if m.halt = cmp.Or(cols[i].gold.Halt(), cols[i].pred.Halt()); m.halt != nil {
			break
		}
	}
	return m
}

// match pairs the given rows, as many as the shorter list has.
func (m *matcher) match(gold, pred []int32) {
	rows, of := len(gold)+len(pred), len(m.gold)+len(m.pred)
	most := max(minCommon, rows*len(m.cols)/commonPerCell)
	if rows < of {
		most = max(int(minCommon*float64(rows)/float64(of)), rows*len(m.cols)*commonInGroup)
	}
	equalRows := func() { gold, pred = m.equalRows(gold, pred) }
	tried := !m.ranged
	if tried {
		equalRows()
	}
	var p *problem
	for round := 0; len(gold) > 0 && len(pred) > 0 && round < maxRounds; round++ {
		m.halt.Check()
		if p == nil || !p.of(gold, pred) {
			p = newProblem(m, gold, pred)
		}
		common := p.common(most)
		if common == 0 {
			break
		}
		if common <= most {
			complete := p.assign(common)
			gold, pred = p.left()
			if complete {
				break
			}
			most = 0 // what is left goes to neighbors
			continue
		}
		if !tried {
			tried = true
			equalRows()
			continue
		}
		if !p.matchNeighbors() {
			break
		}
		gold, pred = p.left()
	}
	m.rest(gold, pred)
}

// shown returns keys of rows in which values that count as equal only under a tolerance have different keys.
func (m *matcher) shown(rows int, goldSide bool) []uint64 {
	out := make([]uint64, rows)
	keys := make([]uint64, rows)
	for k := range m.cols {
		c := &m.cols[k]
		col, v := c.pred, View{Kind: c.cmp.Kind, Format: c.cmp.PredFormat}
		if goldSide {
			col, v = c.gold, View{Kind: c.cmp.Kind, Format: c.cmp.GoldFormat}
		}
		clear(keys)
		fill(col, v, keys)
		for r, key := range keys {
			out[r] = Mix(out[r], key)
		}
	}
	return out
}

// equalRows pairs equal rows of the two lists and returns the others.
func (m *matcher) equalRows(gold, pred []int32) (goldLeft, predLeft []int32) {
	if &m.goldShown[0] != &m.gold[0] {
		gold, pred = rowsOf(inKeyOrder(gold, m.goldShown)), rowsOf(inKeyOrder(pred, m.predShown))
	}
	// Few rows of most wrong answers have an equal: a filter of either side keeps the others out of a
	// table that outgrows the caches.
	golds, preds := newFilter(len(gold)), newFilter(len(pred))
	for _, i := range gold {
		golds.add(m.gold[i])
	}
	var keys []uint64
	var rows []int32
	for _, j := range pred {
		if key := m.pred[j]; golds.has(key) {
			keys, rows = append(keys, key), append(rows, j)
			preds.add(key)
		}
	}
	t := newChains(keys)
	goldLeft = make([]int32, 0, len(gold))
	for _, i := range gold {
		k := int32(-1)
		if key := m.gold[i]; preds.has(key) {
			k = t.take(key)
		}
		if k < 0 || m.ranged && !m.equal(int(i), int(rows[k])) {
			goldLeft = append(goldLeft, i)
			continue
		}
		m.pair(i, rows[k])
	}
	return goldLeft, m.unused(pred)
}

// pair makes two rows partners.
func (m *matcher) pair(gold, pred int32) { m.pairs[gold], m.used[pred] = pred, true }

// unused returns the predicted rows of a list that have no partner.
func (m *matcher) unused(pred []int32) (left []int32) {
	for _, j := range pred {
		if !m.used[j] {
			left = append(left, j)
		}
	}
	return left
}

// equal reports whether a gold row i and a predicted row j are equal in all columns.
func (m *matcher) equal(i, j int) bool {
	for k := range m.cols {
		if !m.cols[k].equal(i, j) {
			return false
		}
	}
	return true
}

// rest pairs the given rows in the order of their keys, without regard to similarity.
func (m *matcher) rest(gold, pred []int32) {
	if len(gold) == 0 || len(pred) == 0 {
		return
	}
	g, p := inKeyOrder(gold, m.goldShown), inKeyOrder(pred, m.predShown)
	for k := range min(len(g), len(p)) {
		m.pair(g[k].row, p[k].row)
	}
}

func inKeyOrder(rows []int32, keys []uint64) []keyed {
	out := make([]keyed, len(rows))
	for k, r := range rows {
		out[k] = keyed{keys[r], r}
	}
	sortKeyed(out)
	return out
}

func rowsOf(list []keyed) []int32 {
	rows := make([]int32, len(list))
	for k, e := range list {
		rows[k] = e.row
	}
	return rows
}

// byContent returns the columns sorted by the multisets of their values, then by names, then by the distribution of
// their values over the rows.
func byContent(cols []pair) []pair {
	if len(cols) < 2 {
		return cols
	}
	type identity struct {
		col        int
		gold, pred Sum
	}
	ids := make([]identity, len(cols))
	for k := range cols {
		ids[k] = identity{k, cols[k].sum(true), cols[k].sum(false)}
	}
	name := func(k int) (gold, pred string) {
		if c := &cols[k]; c.gold != nil {
			gold = c.gold.Name
		}
		if c := &cols[k]; c.pred != nil {
			pred = c.pred.Name
		}
		return gold, pred
	}
	tied := false
	order := func(a, b identity) int {
		n := cmp.Or(a.gold.Compare(b.gold), a.pred.Compare(b.pred))
		if n != 0 {
			return n
		}
		ga, pa := name(a.col)
		gb, pb := name(b.col)
		n = cmp.Or(cmp.Compare(ga, gb), cmp.Compare(pa, pb))
		tied = tied || n == 0
		return n
	}
	slices.SortFunc(ids, order)
	if tied {
		g, p := rowColors(cols, true), rowColors(cols, false)
		fall := make([]identity, len(cols)) // by column
		for k := range cols {
			fall[k] = identity{k, signature(g, cols[k].keys(true)), signature(p, cols[k].keys(false))}
		}
		slices.SortFunc(ids, func(a, b identity) int {
			return cmp.Or(order(a, b), fall[a.col].gold.Compare(fall[b.col].gold), fall[a.col].pred.Compare(fall[b.col].pred))
		})
	}
	out := make([]pair, len(cols))
	for k, id := range ids {
		out[k] = cols[id.col]
	}
	return out
}

// Compare orders sums and returns -1, 0 or 1. The order has no meaning.
func (s Sum) Compare(t Sum) int { return cmp.Or(cmp.Compare(s.a, t.a), cmp.Compare(s.b, t.b)) }

// sum returns the multiset hash of one side of a column.
func (c *pair) sum(goldSide bool) Sum {
	if c.coded != nil {
		return c.coded.sum(goldSide)
	}
	return sumOfKeys(c.keys(goldSide))
}

func sumOfKeys(keys []uint64) Sum { return signature(nil, keys) }

// signature returns the multiset hash of keys, each combined with the color of its row if colors is not nil.
func signature(colors, keys []uint64) (total Sum) {
	var mu sync.Mutex
	Spread(len(keys), func(lo, hi int) {
		var s Sum
		if colors == nil {
			for _, k := range keys[lo:hi] {
				s.Add(k)
			}
		} else {
			for r, k := range keys[lo:hi] {
				s.Add(Mix(colors[lo+r], k))
			}
		}
		mu.Lock()
		total = total.Plus(s)
		mu.Unlock()
	})
	return total
}

// rowColors returns a key for each row that does not depend on the order of the columns.
func rowColors(cols []pair, goldSide bool) []uint64 {
	var out []uint64
	for k := range cols {
		keys := cols[k].keys(goldSide)
		s := sumOfKeys(keys)
		if out == nil {
			out = make([]uint64, len(keys))
		}
		for r, key := range keys {
			out[r] += Mix(key, s.a)
		}
	}
	return out
}

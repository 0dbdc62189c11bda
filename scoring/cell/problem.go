package cell

import (
	"slices"
	"sync"
)

// problem is rows that are left to match, reduced to what decides: cells without an equal on the
// other side are dead, columns of dead cells are left out, and rows with the same live cells are
// one kind of row.
type problem struct {
	*matcher
	goldRows, predRows []int32
	codes              []codes // of the columns that have live cells
	gold, pred         kinds
	common             int     // pairs of equal cells between kinds of rows
	packed             *packed // for the search for similar rows, where it can be
}

// kinds are the kinds of rows of one side that have live cells, in an order made of their content.
type kinds struct {
	order []int32 // positions in the list of rows, by kind, and within a kind by content
	start []int32 // kind k is order[start[k]:start[k+1]]
	cells []int32 // of each kind, its codes
	ends  []int32 // of gold, likewise, where there are ranges
	taken []int32 // of each kind, how many rows have got a partner
}

func (k *kinds) len() int { return len(k.taken) }

// rows are how many rows each kind has.
func (k *kinds) rows() []int32 {
	rows := make([]int32, k.len())
	for kind := range rows {
		rows[kind] = k.start[kind+1] - k.start[kind] - k.taken[kind]
	}
	return rows
}

// dead is the code of a cell without an equal on the other side.
const dead = -1

// codes are the cells of a column as small numbers: a gold cell equals the predicted cells whose
// codes are from its own up to, but not including, its end.
type codes struct {
	col        *pair
	gold, pred []int32  // nil where the column is coded: …
	to         []int32  // … then by its codes
	end        []int32  // nil: gold+1
	n          int      // codes are less than n
	live       int      // distinct codes of live predicted cells
	keys       []uint64 // of each code, its key, where there are few
	start      []int32  // of each code, the first of its places in rows …
	kinds      []int32  // … where the predicted kinds that have it stand, ascending
	places     []uint64 // of each code, see [problem.place] …
	bits       int      // … and of how many bits these are
}

func newProblem(m *matcher, gold, pred []int32) *problem {
	p := &problem{matcher: m, goldRows: gold, predRows: pred}
	all := make([]codes, len(m.cols))
	each(len(all), len(gold)+len(pred) >= parallelRows, func(k int) { all[k] = m.cols[k].codes(gold, pred) })
	for k := range all {
		if all[k].live > 0 {
			p.codes = append(p.codes, all[k])
		}
	}
	if len(p.codes) == 0 {
		return p
	}
	each(2, len(gold)+len(pred) >= parallelRows, func(side int) {
		if side == 0 {
			p.gold = p.kindsOf(gold, m.goldShown, true)
		} else {
			p.pred = p.kindsOf(pred, m.predShown, false)
		}
	})
	for k := range p.codes {
		c := &p.codes[k]
		c.start = make([]int32, c.n+1)
	}
	for t := range p.pred.len() {
		for k, code := range p.pred.cells[t*len(p.codes):][:len(p.codes)] {
			if code != dead {
				p.codes[k].start[code+1]++
			}
		}
	}
	for k := range p.codes {
		c := &p.codes[k]
		for i := range c.n {
			c.start[i+1] += c.start[i]
		}
	}
	for t := range p.gold.len() {
		for k := range p.codes {
			if from, to := p.span(t, k); from != dead {
				p.common += int(p.codes[k].start[to] - p.codes[k].start[from])
			}
		}
	}
	return p
}

// span is the codes that equal the cell of a gold kind in a live column.
func (p *problem) span(kind, col int) (from, to int32) {
	at := kind*len(p.codes) + col
	from = p.gold.cells[at]
	if p.gold.ends != nil {
		return from, p.gold.ends[at]
	}
	return from, from + 1
}

// each calls f with 0 … n-1, on several processors if parallel.
func each(n int, parallel bool, f func(k int)) {
	if !parallel {
		for k := range n {
			f(k)
		}
		return
	}
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(n, maxWorkers()) {
		wg.Go(func() {
			for k := range next {
				f(k)
			}
		})
	}
	for k := range n {
		next <- k
	}
	close(next)
	wg.Wait()
}

// codes numbers the cells of a column in some rows.
func (c *pair) codes(gold, pred []int32) codes {
	if c.coded != nil {
		return c.coded.codes(c, gold, pred)
	}
	out := codes{col: c, gold: make([]int32, len(gold)), pred: make([]int32, len(pred))}
	if c.ranges == nil && out.few(gold, pred) {
		return out
	}
	base := int32(0)
	if c.ranges != nil {
		base = c.ranges.n
		out.end = make([]int32, len(gold))
	}
	t := c.numbers(gold, pred, base, out.pred)
	out.n = int(base) + t.n
	had := make([]bool, out.n) // keys that gold has
	var counts, cover []int32  // of ranks: predicted rows below it, and gold ranges that begin less those that end
	if c.ranges != nil {
		counts, cover = make([]int32, base+1), make([]int32, base+1)
		for _, code := range out.pred {
			if code >= 0 && code < base {
				counts[code+1]++
			}
		}
		for i := range base {
			counts[i+1] += counts[i]
		}
	}
	for k, i := range gold {
		if r := c.ranges; r != nil {
			if lo, hi := r.lo[i], r.hi[i]; lo >= 0 {
				out.gold[k], out.end[k] = lo, hi
				if counts[lo] == counts[hi] {
					out.gold[k] = dead
				} else {
					cover[lo]++
					cover[hi]--
				}
				continue
			}
		}
		code := t.find(c.g[i])
		if code >= 0 {
			code += base
			had[code] = true
			if out.end != nil {
				out.end[k] = code + 1
			}
		}
		out.gold[k] = code
	}
	for i, n := int32(0), int32(0); i < base; i++ {
		n += cover[i]
		had[i] = n > 0
	}
	counted := make([]bool, out.n)
	for k, code := range out.pred {
		switch {
		case code == dead:
		case !had[code]:
			out.pred[k] = dead
		case !counted[code]:
			counted[code] = true
			out.live++
		}
	}
	return out
}

// maxFew is how many distinct values of a column count as few.
const maxFew = 1 << 9

// few numbers the cells of a column without ranges where the predicted ones have few distinct
// values. It tells whether that is so.
func (c *codes) few(gold, pred []int32) bool {
	t := newNumbers()
	for k, j := range pred {
		c.pred[k] = t.add(c.col.p[j])
		if t.n > maxFew {
			return false
		}
	}
	had := make([]bool, t.n) // keys that gold has
	for k, i := range gold {
		code := t.find(c.col.g[i])
		if c.gold[k] = code; code != dead {
			had[code] = true
		}
	}
	keys := t.keys()
	if slices.Contains(had, false) {
		to := make([]int32, t.n)
		live := keys[:0]
		for code, key := range keys {
			if to[code] = dead; had[code] {
				to[code] = int32(len(live)) //nolint:gosec // few
				live = append(live, key)
			}
		}
		for k, code := range c.pred {
			c.pred[k] = to[code]
		}
		for k, code := range c.gold {
			if code != dead {
				c.gold[k] = to[code]
			}
		}
		keys = live
	}
	c.keys, c.n, c.live = keys, len(keys), len(keys)
	return true
}

// numbers numbers the predicted cells of a column that gold may have: a filter spares most others a
// place in the table.
func (c *pair) numbers(gold, pred []int32, base int32, out []int32) *numbers {
	met := newFilter(len(gold))
	for _, i := range gold {
		met.add(c.g[i])
	}
	t := newNumbers()
	for k, j := range pred {
		switch {
		case c.ranges != nil && c.ranges.rank[j] >= 0:
			out[k] = c.ranges.rank[j]
		case met.has(c.p[j]):
			out[k] = base + t.add(c.p[j])
		default:
			out[k] = dead
		}
	}
	return t
}

// symbol identifies a live cell, whatever numbers the codes are.
func (c *pair) symbol(goldSide bool, row int32) uint64 {
	if r := c.ranges; r != nil {
		if goldSide && r.lo[row] >= 0 {
			return Mix(uint64(r.lo[row]), uint64(r.hi[row])) //nolint:gosec // not negative
		}
		if !goldSide && r.rank[row] >= 0 {
			return Mix(uint64(r.rank[row]), tagClass) //nolint:gosec // not negative
		}
	}
	if goldSide {
		return c.g[row]
	}
	return c.p[row]
}

// mixInto mixes the live cells of a column, which has a place among others, into keys of rows.
func (c *codes) mixInto(keys []uint64, rows []int32, place uint64, goldSide bool) {
	side, cells := c.pred, c.col.p
	if goldSide {
		side, cells = c.gold, c.col.g
	}
	switch {
	case c.to != nil:
		codes := c.col.coded.side(goldSide)
		if len(c.keys) == len(c.to) { // none is dead, and they are numbered alike
			for at, row := range rows {
				keys[at] = Mix(keys[at]^place, c.keys[codes[row]])
			}
			return
		}
		for at, row := range rows {
			if code := c.to[codes[row]]; code != dead {
				keys[at] = Mix(keys[at]^place, c.keys[code])
			}
		}
	case c.keys != nil:
		for at, code := range side {
			if code != dead {
				keys[at] = Mix(keys[at]^place, c.keys[code])
			}
		}
	case c.col.ranges == nil:
		for at, code := range side {
			if code != dead {
				keys[at] = Mix(keys[at]^place, cells[rows[at]])
			}
		}
	default:
		for at, code := range side {
			if code != dead {
				keys[at] = Mix(keys[at]^place, c.col.symbol(goldSide, rows[at]))
			}
		}
	}
}

// kindsOf sorts rows into kinds.
func (p *problem) kindsOf(rows []int32, content []uint64, goldSide bool) (out kinds) {
	const none = 0 // no key of a row
	keys := make([]uint64, len(rows))
	for k := range p.codes {
		p.codes[k].mixInto(keys, rows, uint64(k+1), goldSide) //nolint:gosec // small
	}
	entries := make([]keyed, 0, len(rows))
	for at, key := range keys {
		if key != none {
			entries = append(entries, keyed{key, int32(at)}) //nolint:gosec // rows are bounded far below
		}
	}
	sortKeyed(entries)
	eachRun(entries, 0, func(run []keyed) {
		key := run[0].key
		for i := range run {
			run[i].key = content[rows[run[i].row]]
		}
		sortKeyed(run)
		for i := range run {
			run[i].key = key
		}
	})
	out.order = make([]int32, len(entries))
	for i, e := range entries {
		out.order[i] = e.row
		if i == 0 || e.key != entries[i-1].key {
			out.start = append(out.start, int32(i)) //nolint:gosec // as above
		}
	}
	out.taken = make([]int32, len(out.start))
	out.start = append(out.start, int32(len(entries))) //nolint:gosec // as above
	width := len(p.codes)
	out.cells = make([]int32, out.len()*width)
	ranged := goldSide && slices.ContainsFunc(p.codes, func(c codes) bool { return c.end != nil })
	if ranged {
		out.ends = make([]int32, len(out.cells))
	}
	kindAt := make([]int32, len(rows)) // of the first row of each kind, from 1
	for t, at := range out.start[:out.len()] {
		kindAt[out.order[at]] = int32(t + 1) //nolint:gosec // as above
	}
	// Cells are brought together by row, some rows and columns at a time, before they go to their
	// kinds: one column after the other would wait for memory again and again.
	const block, near = 16, 256 // columns and rows
	var byRow [near * block]int32
	spread := func(into []int32, after int32, of func(c *codes) []int32) {
		for from := 0; from < width; from += block {
			n := min(block, width-from)
			var sides [block][]int32
			for k := range n {
				sides[k] = of(&p.codes[from+k])
			}
			for lo := 0; lo < len(rows); lo += near {
				kinds := kindAt[lo:min(lo+near, len(rows))]
				for k, side := range sides[:n] {
					if side == nil {
						c := &p.codes[from+k]
						codes := c.col.coded.side(goldSide)
						for r, row := range rows[lo:][:len(kinds)] {
							byRow[r*block+k] = c.to[codes[row]] + after
						}
						continue
					}
					for r, code := range side[lo:][:len(kinds)] {
						byRow[r*block+k] = code
					}
				}
				for r, t := range kinds {
					if t > 0 {
						copy(into[int(t-1)*width+from:][:n], byRow[r*block:])
					}
				}
			}
		}
	}
	if !goldSide {
		spread(out.cells, 0, func(c *codes) []int32 { return c.pred })
		return out
	}
	spread(out.cells, 0, func(c *codes) []int32 { return c.gold })
	if ranged {
		spread(out.ends, 1, func(c *codes) []int32 {
			if c.end != nil || c.gold == nil {
				return c.end
			}
			ends := make([]int32, len(c.gold))
			for at, code := range c.gold {
				ends[at] = code + 1
			}
			return ends
		})
	}
	return out
}

// pair gives n rows of a gold kind partners of a predicted kind.
func (p *problem) pair(gold, pred int, n int32) {
	g, q := p.gold.start[gold]+p.gold.taken[gold], p.pred.start[pred]+p.pred.taken[pred]
	for k := range n {
		p.pairs[p.goldRows[p.gold.order[g+k]]] = p.predRows[p.pred.order[q+k]]
	}
	p.gold.taken[gold] += n
	p.pred.taken[pred] += n
}

// left are the rows without a partner.
func (p *problem) left() (gold, pred []int32) {
	used := make([]bool, len(p.predRows))
	for t := range p.pred.len() {
		for _, at := range p.pred.order[p.pred.start[t]:][:p.pred.taken[t]] {
			used[at] = true
		}
	}
	for at, j := range p.predRows {
		if !used[at] {
			pred = append(pred, j)
		}
	}
	for _, i := range p.goldRows {
		if p.pairs[i] < 0 {
			gold = append(gold, i)
		}
	}
	return gold, pred
}

// filter is a set of keys that may also hold others: about one of eight keys that were not added.
type filter struct {
	bits []uint64
	mask uint64
}

func newFilter(keys int) *filter {
	size := 64
	for size < 8*keys {
		size *= 2
	}
	return &filter{bits: make([]uint64, size/64), mask: uint64(size - 1)} //nolint:gosec // not negative
}

func (f *filter) add(key uint64) {
	at := Mix(key, k2) & f.mask
	f.bits[at/64] |= 1 << (at % 64)
}

func (f *filter) has(key uint64) bool {
	at := Mix(key, k2) & f.mask
	return f.bits[at/64]>>(at%64)&1 != 0
}

// numbers gives each key a number, from 0, as it is met.
type numbers struct {
	slots []number
	mask  uint64
	n     int
}

type number struct {
	key uint64
	n   int32 // from 1; 0: no key
}

func newNumbers() *numbers {
	const size = 256
	return &numbers{slots: make([]number, size), mask: size - 1}
}

func (t *numbers) slot(key uint64) *number {
	for i := Mix(key, k2) & t.mask; ; i = (i + 1) & t.mask {
		if s := &t.slots[i]; s.n == 0 || s.key == key {
			return s
		}
	}
}

// keys are the keys by number.
func (t *numbers) keys() []uint64 {
	keys := make([]uint64, t.n)
	for _, s := range t.slots {
		if s.n > 0 {
			keys[s.n-1] = s.key
		}
	}
	return keys
}

// find is the number of a key, or -1.
func (t *numbers) find(key uint64) int32 { return t.slot(key).n - 1 }

// add is the number of a key, a new one if it has none.
func (t *numbers) add(key uint64) int32 {
	s := t.slot(key)
	if s.n == 0 {
		if 2*t.n >= len(t.slots) {
			t.grow()
			s = t.slot(key)
		}
		t.n++
		s.key, s.n = key, int32(t.n) //nolint:gosec // rows are bounded far below
	}
	return s.n - 1
}

func (t *numbers) grow() {
	old := t.slots
	t.slots, t.mask = make([]number, 8*len(old)), t.mask<<3|7
	for _, s := range old {
		if s.n > 0 {
			*t.slot(s.key) = s
		}
	}
}

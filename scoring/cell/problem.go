package cell

import (
	"slices"
	"sync/atomic"

	"github.com/badger-eval/badger/internal/halt"
)

// problem holds rows that are not matched yet, reduced to live cells: cells without an equal on the other side are
// dead, columns with only dead cells are omitted, and rows with the same live cells are one kind.
type problem struct {
	*matcher
	goldRows, predRows []int32
	codes              []codes // of the columns with live cells
	packed             packed  // layout of the cells of codes in words
	gold, pred         kinds
}

// kinds holds the kinds of rows of one side that have live cells, sorted by content.
type kinds struct {
	rows  []int32  // rows sorted by kind, and within a kind by content
	start []int32  // kind k is rows[start[k]:start[k+1]]
	cells []uint64 // for each kind, its packed codes
	last  []uint64 // for gold and if there are ranges, the packed last codes that equal it
	dead  bool     // some cell of a kind is dead
	taken []int32  // for each kind, the number of rows with a partner
}

func (k *kinds) len() int { return len(k.taken) }

// left returns the number of rows without a partner for each kind.
func (k *kinds) left() []int32 {
	left := make([]int32, k.len())
	for kind := range left {
		left[kind] = k.start[kind+1] - k.start[kind] - k.taken[kind]
	}
	return left
}

// dead is the code of a cell without an equal on the other side.
const dead = -1

// codes holds the cells of a column as small numbers: a gold cell equals the predicted cells whose codes are from its
// own code up to, but not including, its end in the field end.
type codes struct {
	col        *pair
	gold, pred []int32  // nil if the column is coded: …
	to         []int32  // … then by number in coded; dead for keys that only one side has
	end        []int32  // for each gold cell, its code + 1, or more if it equals several codes; nil if none does
	n          int      // codes are less than n
	live       int      // number of distinct codes of live predicted cells
	keys       []uint64 // for each code, its key; nil if there are many
	start      []int32  // for each code, the index in kinds of its first kind …
	kinds      []int32  // … the predicted kinds that have the code, ascending
	places     []uint64 // for each code, see [problem.place] …
	bits       int      // … and their number of bits
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
	p.packed = newPacked(p.codes)
	each(2, len(gold)+len(pred) >= parallelRows, func(side int) {
		if side == 0 {
			p.gold = p.kindsOf(gold, m.goldShown, true)
		} else {
			p.pred = p.kindsOf(pred, m.predShown, false)
		}
	})
	return p
}

// of reports whether the problem was made for these rows, in the same order.
func (p *problem) of(gold, pred []int32) bool {
	return slices.Equal(p.goldRows, gold) && slices.Equal(p.predRows, pred)
}

// common returns the number of pairs of equal cells between kinds of rows. It stops counting beyond most, usually after
// a part of the kinds.
func (p *problem) common(most int) int {
	const some = 1 << 14
	switch {
	case len(p.codes) == 0:
		return 0
	case most == 0:
		return 1 // a live cell has an equal
	}
	for k := range p.codes {
		p.codes[k].start = make([]int32, p.codes[k].n+1)
	}
	preds := p.pred.len()
	for done, to := 0, some; ; to *= 8 {
		if to >= preds || p.packed.ranged {
			to = preds
		}
		for k := range p.codes {
			c := &p.codes[k]
			for t := done; t < to; t++ {
				if code := p.packed.code(p.pred.cells, t, k); code < uint64(c.n) { //nolint:gosec // not negative
					c.start[code+1]++
				}
			}
		}
		if to == preds {
			for k := range p.codes {
				c := &p.codes[k]
				for i := range c.n {
					c.start[i+1] += c.start[i]
				}
			}
		}
		golds := p.gold.len()
		if to < preds {
			golds = min(golds, to)
		}
		n := 0
		for t := 0; t < golds && n <= most; t++ {
			for k := range p.codes {
				switch from, end := p.span(t, k); {
				case from == dead:
				case to == preds:
					n += int(p.codes[k].start[end] - p.codes[k].start[from])
				default: // not summed up yet
					n += int(p.codes[k].start[end])
				}
			}
		}
		if n > most || to == preds {
			return n
		}
		done = to
	}
}

// span returns the range of codes, without to, that equal the cell of a gold kind in a column; dead if the cell is
// dead.
func (p *problem) span(kind, col int) (from, to int32) {
	first := p.packed.code(p.gold.cells, kind, col)
	if first >= uint64(p.codes[col].n) { //nolint:gosec // not negative
		return dead, dead
	}
	last := first
	if p.packed.ranged {
		last = p.packed.code(p.gold.last, kind, col)
	}
	return int32(first), int32(last + 1) //nolint:gosec // rows are bounded far below
}

// each calls f with 0 … n-1, concurrently on several processors if parallel is set.
func each(n int, parallel bool, f func(k int)) {
	if !parallel {
		for k := range n {
			f(k)
		}
		return
	}
	var all halt.Group
	var next atomic.Int64
	for range min(n, maxWorkers()) {
		all.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				f(k)
			}
		})
	}
	all.Wait()
}

// codes returns the codes of a column over the given rows.
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
	var counts, cover []int32  // of ranks: predicted rows below it, and gold ranges that start minus those that end
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

// maxFew is the maximum number of distinct values for which few numbers the cells.
const maxFew = 1 << 9

// few sets the codes of a column without ranges if the predicted cells have at most maxFew distinct values, and reports
// whether they do.
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

// numbers sets out to the codes of the predicted cells, dead for those that are certainly not in gold, and returns the
// numbers of their keys. Codes from base on are keys, those below are ranks of magnitudes.
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

// symbol returns a key of a live cell that does not depend on its code.
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

// cells returns the codes of a column for rows, which are at position at in the list of all rows. It may use buf for
// the result.
func (c *codes) cells(rows []int32, at int, goldSide bool, buf []int32) []int32 {
	switch {
	case c.to == nil && goldSide:
		return c.gold[at:][:len(rows)]
	case c.to == nil:
		return c.pred[at:][:len(rows)]
	}
	codes := c.col.coded.side(goldSide)
	for r, row := range rows {
		buf[r] = c.to[codes[row]]
	}
	return buf[:len(rows)]
}

// mixInto mixes the live cells of a column into the keys of rows. place is the number of the column, from 1.
func (c *codes) mixInto(keys []uint64, cells, rows []int32, place uint64, goldSide bool) {
	keys, rows = keys[:len(cells)], rows[:len(cells)]
	of := c.col.p
	if goldSide {
		of = c.col.g
	}
	switch {
	case c.keys != nil:
		for r, code := range cells { // without a jump for what is dead, which would be guessed wrong
			key := keys[r]
			if next := Mix(key^place, c.keys[code&^(code>>31)]); code != dead {
				key = next
			}
			keys[r] = key
		}
	case c.col.ranges == nil:
		for r, code := range cells {
			if code != dead {
				keys[r] = Mix(keys[r]^place, of[rows[r]])
			}
		}
	default:
		for r, code := range cells {
			if code != dead {
				keys[r] = Mix(keys[r]^place, c.col.symbol(goldSide, rows[r]))
			}
		}
	}
}

// kindsOf groups the rows of one side by their live cells. content is a key of each row by which the rows of a kind are
// sorted.
func (p *problem) kindsOf(rows []int32, content []uint64, goldSide bool) (out kinds) {
	const (
		none  = 0   // no key of a row
		block = 256 // rows that are packed at a time, so that they stay in the cache
	)
	s := &p.sorters[0]
	if !goldSide {
		s = &p.sorters[1]
	}
	words := p.packed.words
	keys, cells := s.room(len(rows)), make([]uint64, len(rows)*words)
	clear(keys)
	var dead []bool // rows that have a dead cell; made when first needed
	var last []uint64
	if goldSide && p.packed.ranged {
		last = make([]uint64, len(cells))
	}
	var buf, ends [block]int32
	for lo := 0; lo < len(rows); lo += block {
		part := rows[lo:min(lo+block, len(rows))]
		for k := range p.codes {
			c := &p.codes[k]
			codes := c.cells(part, lo, goldSide, buf[:])
			c.mixInto(keys[lo:], codes, part, uint64(k+1), goldSide) //nolint:gosec // small
			if p.packed.add(cells[lo*words:], k, codes, goldSide) {
				if dead == nil {
					dead = make([]bool, len(rows))
				}
				for r, code := range codes {
					dead[lo+r] = dead[lo+r] || code < 0
				}
			}
			if last == nil {
				continue
			}
			for r, code := range codes {
				if ends[r] = code; code >= 0 && c.end != nil {
					ends[r] = c.end[lo+r] - 1
				}
			}
			p.packed.add(last[lo*words:], k, ends[:len(part)], goldSide)
		}
	}
	entries := s.sort(64)
	for len(entries) > 0 && entries[0].key == none {
		entries = entries[1:]
	}
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
	kinds := 0
	for i := range entries {
		if i == 0 || entries[i].key != entries[i-1].key {
			kinds++
		}
	}
	out.rows, out.start, out.taken = make([]int32, len(entries)), make([]int32, 0, kinds+1), make([]int32, kinds)
	out.cells = make([]uint64, kinds*words)
	if last != nil {
		out.last = make([]uint64, len(out.cells))
	}
	for i, e := range entries {
		out.rows[i] = rows[e.row]
		out.dead = out.dead || dead != nil && dead[e.row]
		if i > 0 && e.key == entries[i-1].key {
			continue
		}
		to, from := len(out.start)*words, int(e.row)*words
		for w := range words {
			out.cells[to+w] = cells[from+w]
		}
		if last != nil {
			copy(out.last[to:][:words], last[from:])
		}
		out.start = append(out.start, int32(i)) //nolint:gosec // rows are bounded far below
	}
	out.start = append(out.start, int32(len(entries))) //nolint:gosec // as above
	return out
}

// pair assigns n rows of a predicted kind to n rows of a gold kind as partners.
func (p *problem) pair(gold, pred int, n int32) {
	g, q := p.gold.start[gold]+p.gold.taken[gold], p.pred.start[pred]+p.pred.taken[pred]
	for k := range n {
		p.matcher.pair(p.gold.rows[g+k], p.pred.rows[q+k])
	}
	p.gold.taken[gold] += n
	p.pred.taken[pred] += n
}

// left returns the rows without a partner.
func (p *problem) left() (gold, pred []int32) {
	for _, i := range p.goldRows {
		if p.pairs[i] < 0 {
			gold = append(gold, i)
		}
	}
	return gold, p.unused(p.predRows)
}

// filter is a Bloom filter of keys. It reports about one of eight keys that were not added as present.
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

// numbers assigns numbers to keys, from 0, in the order of their first occurrence.
type numbers struct {
	slots []number
	mask  uint64
	n     int
}

type number struct {
	key uint64
	n   int32 // number plus 1; 0: the slot is free
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

// keys returns the keys by number.
func (t *numbers) keys() []uint64 {
	keys := make([]uint64, t.n)
	for _, s := range t.slots {
		if s.n > 0 {
			keys[s.n-1] = s.key
		}
	}
	return keys
}

// find returns the number of a key, or -1.
func (t *numbers) find(key uint64) int32 { return t.slot(key).n - 1 }

// add returns the number of a key, a new one if it has none.
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

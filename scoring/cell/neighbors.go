package cell

import (
	"cmp"
	"math/bits"
	"slices"
)

// The search for similar rows sorts them in up to passes orders, compares each kind of gold rows with window predicted
// kinds in each, and keeps the candidates with the most equal cells.
const (
	passes     = 4
	window     = 8
	candidates = 4
)

// matchNeighbors pairs kinds of rows with the most similar of a few candidates: it sorts both sides together by their
// live cells several times, each time with another column first, and compares adjacent kinds (the sorted neighborhood
// method of Hernández and Stolfo). It pairs those with the most equal cells first and reports whether it paired any.
func (p *problem) matchNeighbors() bool {
	best := make([]nearest, p.gold.len())
	order := p.bySelectivity()
	each(len(p.codes), len(p.predRows) >= parallelRows, func(k int) { p.place(&p.codes[k]) })
	aligned := !p.packed.ranged && !p.gold.dead && !p.pred.dead
	lists := &p.sorters // of both sides, with what passes share
	var at []int
	var side []uint64 // cells of the predicted kinds, in order
	for pass := range min(passes, len(order)) {
		p.halt.Check()
		var gold, pred []keyed
		if aligned {
			parts, used := p.keyParts(order)
			gold, pred = p.packed.sorted(&lists[0], parts, used, p.gold.cells),
				p.packed.sorted(&lists[1], parts, used, p.pred.cells)
		} else {
			gold, pred = p.sorted(&lists[0], order, true), p.sorted(&lists[1], order, false)
		}
		at = meet(at, gold, pred)
		side = p.packed.inOrder(side, p.pred.cells, pred)
		Spread(len(gold), func(lo, hi int) {
			words := p.packed.words
			var beats [ahead]int32
			first, last := make([]uint64, ahead*words), make([]uint64, ahead*words)
			var weights [window]int32
			for ; lo < hi; lo += ahead {
				// Scattered memory is read together, so that the cache misses overlap.
				list := gold[lo:min(lo+ahead, hi)]
				for n, e := range list {
					beats[n] = best[e.row][candidates-1].weight()
				}
				p.packed.inOrder(first, p.gold.cells, list)
				if p.packed.ranged {
					p.packed.inOrder(last, p.gold.last, list)
				}
				for n, e := range list {
					from, to := max(0, at[lo+n]-window/2), min(len(pred), at[lo+n]+window/2)
					p.packed.equal(first[n*words:][:words], last[n*words:][:words], side[from*words:to*words], &weights)
					beat := beats[n]
					for k, w := range weights[:to-from] {
						if w > beat {
							beat = best[e.row].offer(newNear(pred[from+k].row, w, pass*window+k))
						}
					}
				}
			}
		})
		order = append(order[1:], order[0])
	}
	return p.takeBest(best)
}

// ahead is the number of kinds whose cells are read together.
const ahead = 32

// takeBest pairs kinds of rows with their nearest kinds, those with the most equal cells first. It reports whether it
// paired any.
func (p *problem) takeBest(best []nearest) bool {
	type flow struct{ gold, pred, rows int32 } // from places in the rows of both sides on
	var flows [64]flow                         // brought about together, as above
	n, found := 0, false
	flush := func() {
		for _, f := range flows[:n] {
			for k := range f.rows {
				p.matcher.pair(p.gold.rows[f.gold+k], p.pred.rows[f.pred+k])
			}
		}
		n = 0
	}
	goldLeft := p.gold.left()
	var predLeft []int32 // nil: each kind is one row
	if len(p.pred.rows) > p.pred.len() {
		predLeft = p.pred.left()
	}
	none := make([]uint64, (p.pred.len()+63)/64) // predicted kinds with none left: few bits, which stay in the cache
	for _, e := range byWeight(best, len(p.codes)) {
		left := goldLeft[e.gold]
		if left == 0 || none[e.pred/64]>>(e.pred%64)&1 != 0 {
			continue
		}
		f := flow{p.gold.start[e.gold+1] - left, e.pred, 1}
		if predLeft != nil {
			there := predLeft[e.pred]
			f.pred, f.rows = p.pred.start[e.pred+1]-there, min(left, there)
			predLeft[e.pred] -= f.rows
		}
		if goldLeft[e.gold] -= f.rows; predLeft == nil || predLeft[e.pred] == 0 {
			none[e.pred/64] |= 1 << (e.pred % 64)
		}
		if n == len(flows) {
			flush()
		}
		flows[n], found = f, true
		n++
	}
	flush()
	return found
}

// near is a predicted kind and the number of its cells that equal those of a gold kind, in one word: from the highest
// bits the weight, the offer (the first is the largest), and the kind plus 1. A larger word is better; 0 is unset.
type near uint64

func newNear(pred, weight int32, offer int) near {
	return near(weight)<<40 | near(passes*window-offer)<<32 | near(pred+1) //nolint:gosec // none is negative
}

func (n near) weight() int32 { return int32(n >> 40) }       //nolint:gosec // columns are far fewer
func (n near) pred() int32   { return int32(uint32(n)) - 1 } //nolint:gosec // a kind

// nearest holds the nearest predicted kinds of a gold kind, the best first.
type nearest [candidates]near

// offer inserts n if it is better than the last candidate and its kind is not present yet. It returns the weight that
// the next candidate must exceed. It sorts without branches, which the processor would mispredict.
func (b *nearest) offer(n near) (beat int32) {
	b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
	if p := uint32(n); uint32(b0) == p || uint32(b1) == p || uint32(b2) == p || uint32(b3) == p { //nolint:gosec // the kind
		return b3.weight()
	}
	b0, n = max(b0, n), min(b0, n)
	b1, n = max(b1, n), min(b1, n)
	b2, n = max(b2, n), min(b2, n)
	b3 = max(b3, n)
	*b = nearest{b0, b1, b2, b3}
	return b3.weight()
}

// likeness is a gold kind and a predicted kind near it.
type likeness struct{ gold, pred int32 }

// byWeight returns the pairs of each gold kind and its nearest kinds, sorted by weight from most down, without those of
// weight 0.
func byWeight(best []nearest, most int) []likeness {
	at := make([]int, most+2) // of each weight, where the next one of it goes
	for i := range best {
		for _, b := range best[i] {
			at[b.weight()]++
		}
	}
	n := 0
	for w := most; w > 0; w-- {
		n, at[w] = n+at[w], n
	}
	out := make([]likeness, n)
	for i := range best {
		for _, b := range best[i] {
			if w := b.weight(); w > 0 {
				out[at[w]] = likeness{int32(i), b.pred()} //nolint:gosec // rows are bounded far below
				at[w]++
			}
		}
	}
	return out
}

// packed is the layout of the cells of a row in words. Each cell has as few bits as its column needs, so that several
// columns are compared in one operation. The two codes after those of a column mark dead cells, one for each side.
type packed struct {
	words  int      // number of words of a row
	lanes  []lane   // positions of the columns
	tops   []uint64 // for each word, the highest bits of its lanes
	ranged bool     // a gold cell equals a range of codes, stored as a first and a last one
}

// lane is the position of a column's cells in the words of a row.
type lane struct {
	word  int
	shift uint
	bits  int
	dead  [2]uint64 // the code of a dead cell of gold, and of the answer
}

// newPacked returns the layout for columns. If any has ranges, the highest bit of each lane stays free.
func newPacked(cols []codes) packed {
	out := packed{lanes: make([]lane, len(cols)), tops: make([]uint64, 1),
		ranged: slices.ContainsFunc(cols, func(c codes) bool { return c.end != nil })}
	room := 64
	for k := range cols {
		codes := uint64(cols[k].n) //nolint:gosec // not negative
		n := bits.Len64(codes + 1)
		dead := [2]uint64{codes, codes + 1}
		if out.ranged {
			n++
			dead = [2]uint64{codes + 1, codes} // no range reaches it
		}
		if n > room {
			out.tops, room = append(out.tops, 0), 64
		}
		l := lane{len(out.tops) - 1, uint(64 - room), n, dead} //nolint:gosec // not negative
		out.lanes[k], room = l, room-n
		out.tops[l.word] |= 1 << (l.shift + uint(n) - 1) //nolint:gosec // as above
	}
	out.words = len(out.tops)
	return out
}

// add stores the codes of a column in the words of rows, and reports whether any cell is dead.
func (c *packed) add(words []uint64, col int, codes []int32, goldSide bool) (dead bool) {
	l := &c.lanes[col]
	none := l.dead[1]
	if goldSide {
		none = l.dead[0]
	}
	any := int32(0)
	for r, at := 0, l.word; r < len(codes); r, at = r+1, at+c.words {
		any |= codes[r]
		is := uint64(int64(codes[r] >> 31))                             //nolint:gosec // all bits where the cell is dead
		words[at] |= (uint64(codes[r])&^is | none&is) << (l.shift & 63) //nolint:gosec // as above
	}
	return any < 0
}

// code returns the code of a cell. For a dead cell it is larger than the codes of the column.
func (c *packed) code(cells []uint64, kind, col int) uint64 {
	l := &c.lanes[col]
	return cells[kind*c.words+l.word] >> (l.shift & 63) & (1<<(uint(l.bits)&63) - 1) //nolint:gosec // small
}

// inOrder returns the cells of kinds in the order of list, so that kinds that are compared are adjacent. It reuses into
// if it is not nil.
func (c *packed) inOrder(into, cells []uint64, list []keyed) []uint64 {
	if into == nil {
		into = make([]uint64, len(cells))
	}
	if c.words == 1 {
		for k, e := range list {
			into[k] = cells[e.row]
		}
		return into
	}
	if c.words <= 4 { // a call for each would keep the waits for memory from overlapping
		for k, e := range list {
			to, from := k*c.words, int(e.row)*c.words
			for w := range c.words {
				into[to+w] = cells[from+w]
			}
		}
		return into
	}
	for k, e := range list {
		copy(into[k*c.words:][:c.words], cells[int(e.row)*c.words:])
	}
	return into
}

// equal sets out to the number of cells of a gold kind that equal those of each of up to window predicted kinds. first
// and last are the packed first and last codes of the gold kind.
func (c *packed) equal(first, last, pred []uint64, out *[window]int32) {
	if c.words == 1 && !c.ranged {
		g, top := first[0], c.tops[0]
		for k, q := range pred {
			out[k&(window-1)] = equalIn(g, q, top)
		}
		return
	}
	if c.words == 2 && !c.ranged {
		g0, g1, top0, top1 := first[0], first[1], c.tops[0], c.tops[1]
		for k := 0; k < window && 2*k+1 < len(pred); k++ {
			out[k] = equalIn(g0, pred[2*k], top0) + equalIn(g1, pred[2*k+1], top1)
		}
		return
	}
	clear(out[:])
	for w, top := range c.tops {
		g := first[w]
		if c.ranged {
			l := last[w] | top
			for k, at := 0, w; at < len(pred) && k < window; k, at = k+1, at+c.words {
				out[k] += within(g, l, pred[at], top)
			}
			continue
		}
		for k, at := 0, w; at < len(pred) && k < window; k, at = k+1, at+c.words {
			out[k] += equalIn(g, pred[at], top)
		}
	}
}

// equalIn returns the number of equal lanes of two words. top has the highest bit of each lane. An addition to a lane
// without its highest bit carries into that bit, unless the lane is 0.
func equalIn(a, b, top uint64) int32 {
	x := a ^ b
	return int32(bits.OnesCount64(top &^ ((x&^top + ^top) | x))) //nolint:gosec // at most 64
}

// within returns the number of lanes of word that are from first to last. last must have the highest bits of its lanes
// set, the others not, so that a subtraction clears the bit only if the result would be negative.
func within(first, last, word, top uint64) int32 {
	return int32(bits.OnesCount64(top & ((word | top) - first) & (last - word))) //nolint:gosec // at most 64
}

// bySelectivity returns the positions of the columns, those with the most distinct values first.
func (p *problem) bySelectivity() []int {
	order := make([]int, len(p.codes))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.codes[b].live, p.codes[a].live) })
	return order
}

// sorted returns the kinds of one side sorted by their live cells, with the columns in the given order.
func (p *problem) sorted(s *sorter, order []int, goldSide bool) []keyed {
	side := &p.pred
	if goldSide {
		side = &p.gold
	}
	type column struct {
		lane
		n     uint64
		keyed int      // bits in keys
		parts []uint64 // of keys, from the highest bit, by code
		ranks uint64   // codes below it have ranges
	}
	columns := make([]column, len(order))
	for i, k := range order {
		c := &p.codes[k]
		columns[i] = column{lane: p.packed.lanes[k], n: uint64(c.n), keyed: c.bits, parts: make([]uint64, c.n+2)} //nolint:gosec // not negative
		for code, place := range c.places {
			columns[i].parts[code] = place << (64 - c.bits)
		}
		if r := c.col.ranges; r != nil && goldSide {
			columns[i].ranks = uint64(r.n) //nolint:gosec // as above
		}
	}
	words := p.packed.words
	keys := s.room(side.len())
	Spread(len(keys), func(lo, hi int) {
		for t := lo; t < hi; t++ {
			key, used, cells := uint64(0), 0, side.cells[t*words:][:words]
			for i := range columns {
				c := &columns[i]
				mask := uint64(1)<<(c.bits&63) - 1
				code := cells[c.word] >> (c.shift & 63) & mask
				part := c.parts[code] // without a jump for what is dead, which would be guessed wrong
				if code < c.ranks {   // the middle of its range
					part = (code + side.last[t*words+c.word]>>(c.shift&63)&mask) / 2 << (64 - c.keyed)
				}
				key |= part >> (used & 63)
				if used += c.keyed & int(int64(code-c.n)>>63); used >= 64 { //nolint:gosec // all bits where the cell is live
					break
				}
			}
			keys[t] = key
		}
	})
	return s.sort(64)
}

// sorted returns the kinds of one side sorted by keys composed of parts, which have used bits together.
func (c *packed) sorted(s *sorter, parts []keyPart, used int, words []uint64) []keyed {
	spans := c.spans(parts)
	keys := s.room(len(words) / c.words)
	Spread(len(keys), func(lo, hi int) {
		for t := lo; t < hi; t++ {
			key, kind := uint64(0), words[t*c.words:][:c.words]
			for i := range spans {
				b := &spans[i]
				key |= b.of[kind[b.word]>>b.shift&b.mask]
			}
			keys[t] = key
		}
	})
	return s.sort(used)
}

// keySpan is the part of sort keys that is computed from adjacent bits of packed cells, which belong to one or several
// columns.
type keySpan struct {
	word  int
	shift uint
	mask  uint64
	of    []uint64
}

// spans returns spans for parts of keys. Adjacent columns share one if they have at most spanBits bits together.
func (c *packed) spans(parts []keyPart) []keySpan {
	const spanBits = 8
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b keyPart) int { return cmp.Compare(a.col, b.col) }) // in the order of the columns
	var out []keySpan
	for from := 0; from < len(parts); {
		l := c.lanes[parts[from].col]
		to, size := from+1, l.bits
		for to < len(parts) {
			next := c.lanes[parts[to].col]
			n := int(next.shift) + next.bits - int(l.shift) //nolint:gosec // small
			if next.word != l.word || n > spanBits {
				break
			}
			to, size = to+1, n
		}
		span := keySpan{l.word, l.shift, 1<<size - 1, parts[from].of}
		if to-from > 1 {
			span.of = make([]uint64, 1<<size)
			for v := range span.of {
				for _, part := range parts[from:to] {
					own := c.lanes[part.col]
					if code := v >> (own.shift - l.shift) & (1<<own.bits - 1); code < len(part.of) {
						span.of[v] |= part.of[code]
					}
				}
			}
		}
		out = append(out, span)
		from = to
	}
	return out
}

// keyPart is the part of the sort keys that is computed from the cells of a column.
type keyPart struct {
	col int
	of  []uint64 // by code
}

// keyParts returns the parts of sort keys, and the number of bits used, if no cell is dead or has a range. They sort
// like the places, but are ranks of these if there are few, which needs fewer bits.
func (p *problem) keyParts(order []int) (parts []keyPart, used int) {
	const few = 1 << 16 // places
	room := 64
	var present [few / 64]uint64
	for _, k := range order {
		c := &p.codes[k]
		n := min(c.bits, room)
		part := keyPart{col: k, of: make([]uint64, c.n)}
		for code, place := range c.places {
			part.of[code] = place >> (c.bits - n)
		}
		width := n
		if words := (1<<n + 63) / 64; words <= len(present) {
			clear(present[:words])
			for _, place := range part.of {
				present[place/64] |= 1 << (place % 64)
			}
			var below [few / 64]uint16 // of each word, how many places are present in those before it
			ranks := 0
			for w, word := range present[:words] {
				below[w] = uint16(ranks) //nolint:gosec // at most few - 64
				ranks += bits.OnesCount64(word)
			}
			for code, place := range part.of {
				part.of[code] = uint64(below[place/64]) + uint64(bits.OnesCount64(present[place/64]&(1<<(place%64)-1))) //nolint:gosec // not negative
			}
			width = bits.Len(uint(max(ranks, 1) - 1)) //nolint:gosec // not negative
		}
		for code := range part.of {
			part.of[code] <<= 64 - used - width
		}
		parts, used = append(parts, part), used+width
		if room -= n; room == 0 {
			break
		}
	}
	for _, part := range parts {
		for code := range part.of {
			part.of[code] >>= 64 - used
		}
	}
	return parts, used
}

// place computes, for each code of a column, a number of c.bits bits by which its live cells are sorted: the rank of
// the magnitude if there are ranges, else bits of the key. It uses a few more bits than needed, so that most numbers
// are distinct.
func (p *problem) place(c *codes) {
	c.places = make([]uint64, c.n)
	if r := c.col.ranges; r != nil {
		c.bits = bits.Len(uint(r.n)) //nolint:gosec // not negative
		for code := range c.places {
			if c.places[code] = 1<<c.bits - 1; int32(code) < r.n { //nolint:gosec // rows are bounded far below
				c.places[code] = uint64(code)
			}
		}
		return
	}
	c.bits = min(32, bits.Len(uint(c.live))+4) //nolint:gosec // not negative
	if c.keys != nil {
		for code, key := range c.keys {
			c.places[code] = key >> (64 - c.bits)
		}
		return
	}
	for at, code := range c.pred { // a code that is live is one of both sides
		if code != dead {
			c.places[code] = c.col.p[p.predRows[at]] >> (64 - c.bits)
		}
	}
}

// meet returns for each gold kind the position of its key in the sorted predicted kinds. Gold kinds with the same key
// are spread evenly over the predicted ones with it. It reuses at if it is large enough.
func meet(at []int, gold, pred []keyed) []int {
	at = slices.Grow(at[:0], len(gold))[:len(gold)]
	for a, lo := 0, 0; a < len(gold); {
		b := a
		for b < len(gold) && gold[b].key == gold[a].key {
			b++
		}
		for lo < len(pred) && pred[lo].key < gold[a].key {
			lo++
		}
		hi := lo
		for hi < len(pred) && pred[hi].key == gold[a].key {
			hi++
		}
		if at[a] = lo; b-a > 1 {
			for x := a; x < b; x++ {
				at[x] = lo + (x-a)*(hi-lo)/(b-a)
			}
		}
		a = b
	}
	return at
}

package cell

import (
	"cmp"
	"math/bits"
	"slices"
)

// The search for similar rows compares each kind of gold rows with window predicted ones in each of
// up to passes orders, and keeps the best candidates.
const (
	passes     = 4
	window     = 8
	candidates = 4
)

// matchNeighbors matches kinds of rows with the most similar of a few: both sides are sorted
// together by their live cells several times, each time by another column first, and what comes to
// stand next to each other is compared (the sorted neighborhood method of Hernández and Stolfo). Of
// the pairs found, those with the most equal cells are matched first. It tells whether there were
// any.
func (p *problem) matchNeighbors() bool {
	best := make([]near, p.gold.len()*candidates) // of each gold kind, descending by weight
	order := p.bySelectivity()
	p.packed = p.pack()
	each(len(p.codes), len(p.predRows) >= parallelRows, func(k int) { p.place(&p.codes[k]) })
	aligned := p.packed != nil && !slices.Contains(p.gold.cells, dead) && !slices.Contains(p.pred.cells, dead)
	var lists [2]sorter // of both sides, with what passes share
	var at []int
	var side *packed
	for range min(passes, len(order)) {
		var gold, pred []keyed
		if aligned {
			parts, used := p.keyParts(order)
			gold, pred = p.packed.sorted(&lists[0], parts, used, true), p.packed.sorted(&lists[1], parts, used, false)
		} else {
			gold, pred = p.sorted(order, true), p.sorted(order, false)
		}
		at = meet(at, gold, pred)
		side = p.packed.inOrder(side, gold, pred)
		Spread(len(gold), func(lo, hi int) {
			var least [32]int32 // weights to beat, read together so that the waits for memory overlap
			for x := lo; x < hi; x++ {
				ahead := (x - lo) % len(least)
				if ahead == 0 {
					for n := range min(len(least), hi-x) {
						least[n] = best[int(gold[x+n].row)*candidates+candidates-1].weight
					}
				}
				i, beat := int(gold[x].row), least[ahead]
				from, to := max(0, at[x]-window/2), min(len(pred), at[x]+window/2)
				var weights [window]int32
				if side != nil {
					side.equal(x, from, to, &weights)
				} else {
					for y := from; y < to; y++ {
						weights[y-from] = p.weight(i, int(pred[y].row))
					}
				}
				for k, w := range weights[:to-from] {
					if w > beat {
						found := best[i*candidates:][:candidates]
						offer(found, near{pred[from+k].row, w})
						beat = found[candidates-1].weight
					}
				}
			}
		})
		order = append(order[1:], order[0])
	}
	found := false
	for _, k := range byWeight(best, len(p.codes)) {
		gold, pred := int(k/candidates), int(best[k].pred)
		if n := min(p.gold.left(gold), p.pred.left(pred)); n > 0 {
			p.pair(gold, pred, n)
			found = true
		}
	}
	return found
}

// near is a predicted kind and how many of its cells equal those of a gold kind.
type near struct{ pred, weight int32 }

// byWeight lists the places of what is near each gold kind by weight, at most most, the heaviest
// first, and leaves out those of none.
func byWeight(best []near, most int) []int32 {
	at := make([]int, most+2) // of each weight, where the next place of it goes
	for _, b := range best {
		at[b.weight]++
	}
	n := 0
	for w := most; w > 0; w-- {
		n, at[w] = n+at[w], n
	}
	out := make([]int32, n)
	for k, b := range best {
		if b.weight > 0 {
			out[at[b.weight]] = int32(k) //nolint:gosec // rows are bounded far below
			at[b.weight]++
		}
	}
	return out
}

// offer keeps e, which is better than the last that is there, unless it is there. Among equals the
// first stays.
func offer(best []near, e near) {
	at := len(best) - 1
	for at > 0 && best[at-1].weight < e.weight {
		at--
	}
	for k := range best[:at] {
		if best[k].pred == e.pred {
			return
		}
	}
	for k := len(best) - 1; k > at; k-- {
		best[k] = best[k-1]
	}
	best[at] = e
}

// weight is the number of equal cells of two kinds.
func (p *problem) weight(gold, pred int) (n int32) {
	width := len(p.codes)
	g, q := p.gold.cells[gold*width:][:width], p.pred.cells[pred*width:][:width]
	if p.gold.ends == nil {
		for k, code := range g {
			if code == q[k] && code != dead {
				n++
			}
		}
		return n
	}
	ends := p.gold.ends[gold*width:][:width]
	for k, code := range g {
		if code != dead && q[k] >= code && q[k] < ends[k] {
			n++
		}
	}
	return n
}

// packed are the cells of all kinds, each in a few bits of a word, so that many columns are
// compared at a time.
type packed struct {
	bits       int // of a cell: 4 or 8
	words      int // of a kind
	gold, pred []uint64
}

// pack packs the cells where all columns have few distinct values and no ranges.
func (p *problem) pack() *packed {
	if p.gold.ends != nil {
		return nil
	}
	codes := 0
	for k := range p.codes {
		codes = max(codes, p.codes[k].n)
	}
	out := &packed{}
	switch { // two numbers are those of dead cells
	case codes <= 1<<4-2:
		out.bits = 4
	case codes <= 1<<8-2:
		out.bits = 8
	default:
		return nil
	}
	out.words = (len(p.codes)*out.bits + 63) / 64
	most := uint64(1)<<out.bits - 1
	out.gold, out.pred = out.pack(&p.gold, len(p.codes), most), out.pack(&p.pred, len(p.codes), most-1)
	return out
}

// pack packs the cells of some kinds. What is dead, and what is left of the last word, is none.
func (c *packed) pack(kinds *kinds, width int, none uint64) []uint64 {
	words := make([]uint64, kinds.len()*c.words)
	perWord := 64 / c.bits
	rest := ^uint64(0) / (1<<c.bits - 1) * none
	for t := range kinds.len() {
		cells := kinds.cells[t*width:][:width]
		for w := range c.words {
			word := uint64(0)
			part := cells[w*perWord : min((w+1)*perWord, width)]
			for b, code := range part {
				v := none
				if code != dead {
					v = uint64(code) //nolint:gosec // not negative
				}
				word |= v << (b * c.bits)
			}
			words[t*c.words+w] = word | rest<<(len(part)*c.bits)
		}
	}
	return words
}

// inOrder is a copy in the order of two lists of kinds, so that what is compared lies together. It
// takes the place of an earlier one, if there is one.
func (c *packed) inOrder(out *packed, gold, pred []keyed) *packed {
	if c == nil {
		return nil
	}
	if out == nil {
		out = &packed{bits: c.bits, words: c.words, gold: make([]uint64, len(c.gold)), pred: make([]uint64, len(c.pred))}
	}
	arrange := func(into, words []uint64, list []keyed) {
		if c.words == 1 {
			for k, e := range list {
				into[k] = words[e.row]
			}
			return
		}
		for k, e := range list {
			copy(into[k*c.words:][:c.words], words[int(e.row)*c.words:])
		}
	}
	arrange(out.gold, c.gold, gold)
	arrange(out.pred, c.pred, pred)
	return out
}

// equal counts the cells of a gold kind that equal those of each of some predicted ones.
func (c *packed) equal(gold, from, to int, out *[window]int32) {
	if c.words == 1 && c.bits == 4 {
		g := c.gold[gold]
		for k, q := range c.pred[from:to] {
			out[k] = equalIn4(g, q)
		}
		return
	}
	g := c.gold[gold*c.words:][:c.words]
	for y := from; y < to; y++ {
		n, q := int32(0), c.pred[y*c.words:][:len(g)]
		if c.bits == 4 {
			for k := range g {
				n += equalIn4(g[k], q[k])
			}
		} else {
			for k := range g {
				n += equalIn8(g[k], q[k])
			}
		}
		out[y-from] = n
	}
}

// equalIn4 counts the stretches of 4 bits that are equal.
func equalIn4(a, b uint64) int32 {
	x := a ^ b
	x |= x >> 1
	x |= x >> 2
	return 16 - int32(bits.OnesCount64(x&0x1111111111111111)) //nolint:gosec // at most 16
}

// equalIn8 counts the bytes that are equal.
func equalIn8(a, b uint64) int32 {
	const low = 0x7f7f7f7f7f7f7f7f
	x := a ^ b
	return int32(bits.OnesCount64(^((x&low + low) | x | low))) //nolint:gosec // at most 8
}

// bySelectivity are the columns, those with the most distinct values first.
func (p *problem) bySelectivity() []int {
	order := make([]int, len(p.codes))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.codes[b].live, p.codes[a].live) })
	return order
}

// sorted lists the kinds of one side by their live cells, taken in an order of the columns.
func (p *problem) sorted(order []int, goldSide bool) []keyed {
	side := &p.pred
	if goldSide {
		side = &p.gold
	}
	width := len(p.codes)
	out := make([]keyed, side.len())
	Spread(len(out), func(lo, hi int) {
		for t := lo; t < hi; t++ {
			key, room := uint64(0), 64
			for _, k := range order {
				at := t*width + k
				code := side.cells[at]
				if code == dead {
					continue
				}
				c := &p.codes[k]
				cell, n := c.places[code], c.bits
				if r := c.col.ranges; r != nil && goldSide && code < r.n { // the middle of its range
					cell = uint64(code+side.ends[at]-1) / 2 //nolint:gosec // a live range holds something
				}
				if n > room {
					cell, n = cell>>(n-room), room
				}
				key |= cell << (room - n)
				if room -= n; room == 0 {
					break
				}
			}
			out[t] = keyed{key, int32(t)} //nolint:gosec // rows are bounded far below
		}
	})
	sortKeyed(out)
	return out
}

// sorted lists the kinds of one side by parts of keys, which have so many bits together.
func (c *packed) sorted(s *sorter, parts []keyPart, used int, goldSide bool) []keyed {
	words := c.pred
	if goldSide {
		words = c.gold
	}
	bytes := c.byBytes(parts)
	keys := s.room(len(words) / c.words)
	Spread(len(keys), func(lo, hi int) {
		for t := lo; t < hi; t++ {
			key, kind := uint64(0), words[t*c.words:][:c.words]
			for i := range bytes {
				b := &bytes[i]
				key |= b.of[uint8(kind[b.word]>>b.shift)] //nolint:gosec // a byte of it
			}
			keys[t] = key
		}
	})
	return s.sort(used)
}

// keyByte is what a byte of packed cells adds to keys.
type keyByte struct {
	word  int
	shift uint
	of    [256]uint64
}

// byBytes are the parts of keys by the bytes of packed cells.
func (c *packed) byBytes(parts []keyPart) []keyByte {
	var out []keyByte
	for _, part := range parts {
		bit := part.col * c.bits
		word, shift := bit/64, uint(bit%64/8*8) //nolint:gosec // not negative
		k := slices.IndexFunc(out, func(b keyByte) bool { return b.word == word && b.shift == shift })
		if k < 0 {
			k = len(out)
			out = append(out, keyByte{word: word, shift: shift})
		}
		for v := range out[k].of {
			if code := v >> (bit % 8) & (1<<c.bits - 1); code < len(part.of) {
				out[k].of[v] |= part.of[code]
			}
		}
	}
	return out
}

// keyPart is what the cells of a column add to the keys that kinds are sorted by.
type keyPart struct {
	col int
	of  []uint64 // by code
}

// keyParts are the parts of the keys that kinds are sorted by where all cells of both sides are
// live and none has a range, so that each column has the same place in all keys. They sort as the
// places do, but are ranks of these, in fewer bits, so that fewer digits are left to sort by: the
// used ones, from the least.
func (p *problem) keyParts(order []int) (parts []keyPart, used int) {
	room := 64
	for _, k := range order {
		c := &p.codes[k]
		n := min(c.bits, room)
		part := keyPart{col: k, of: make([]uint64, c.n)}
		for code, place := range c.places {
			part.of[code] = place >> (c.bits - n)
		}
		ranks := slices.Clone(part.of)
		slices.Sort(ranks)
		ranks = slices.Compact(ranks)
		width := bits.Len(uint(len(ranks) - 1)) //nolint:gosec // not negative
		for code, place := range part.of {
			rank, _ := slices.BinarySearch(ranks, place)
			part.of[code] = uint64(rank) << (64 - used - width) //nolint:gosec // not negative
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

// place says where cells stand among the live ones of their column, as numbers of so many bits: by
// magnitude where there are ranges, else by their keys, of which a few bits more than there are
// values keep most of them apart.
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

// meet is for each gold kind where in the order of the predicted ones it would stand. Kinds with
// the same key are spread over one another. It uses the list at if it is large enough.
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

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
	for range min(passes, len(order)) {
		var parts []keyPart
		if aligned {
			parts = p.keyParts(order)
		}
		gold, pred := p.sorted(order, parts, true), p.sorted(order, parts, false)
		at := meet(gold, pred)
		side := p.packed.inOrder(gold, pred)
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
				for y := max(0, at[x]-window/2); y < min(len(pred), at[x]+window/2); y++ {
					var w int32
					if side != nil {
						w = side.equal(x, y)
					} else {
						w = p.weight(i, int(pred[y].row))
					}
					if w > beat {
						found := best[i*candidates:][:candidates]
						offer(found, near{pred[y].row, w})
						beat = found[candidates-1].weight
					}
				}
			}
		})
		order = append(order[1:], order[0])
	}
	found := false
	for _, e := range byWeight(best, len(p.codes)) {
		if n := min(p.gold.left(int(e.gold)), p.pred.left(int(e.pred))); n > 0 {
			p.pair(int(e.gold), int(e.pred), n)
			found = true
		}
	}
	return found
}

// near is a predicted kind and how many of its cells equal those of a gold kind.
type near struct{ pred, weight int32 }

// byWeight lists the edges to what is near each gold kind by weight, at most most, the heaviest
// first, and leaves out those of none.
func byWeight(best []near, most int) []edge {
	at := make([]int, most+2) // of each weight, where the next edge of it goes
	for _, b := range best {
		at[b.weight]++
	}
	n := 0
	for w := most; w > 0; w-- {
		n, at[w] = n+at[w], n
	}
	out := make([]edge, n)
	for k, b := range best {
		if b.weight > 0 {
			out[at[b.weight]] = edge{int32(k / candidates), b.pred, b.weight} //nolint:gosec // rows are bounded far below
			at[b.weight]++
		}
	}
	return out
}

// offer keeps e, which is better than the last that is there. Among equals the first stays.
func offer(best []near, e near) {
	at := len(best) - 1
	for k, b := range best {
		if b.weight > 0 && b.pred == e.pred {
			return
		}
		if b.weight < e.weight {
			at = min(at, k)
		}
	}
	copy(best[at+1:], best[at:])
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

// packed are the cells of all kinds, one in each byte of a word, so that eight columns are compared
// at a time.
type packed struct {
	words      int // of a kind
	gold, pred []uint64
}

// pack packs the cells where all columns have few distinct values and no ranges.
func (p *problem) pack() *packed {
	const most = 254 // codes; then those of dead cells of either side
	if p.gold.ends != nil || slices.ContainsFunc(p.codes, func(c codes) bool { return c.n > most }) {
		return nil
	}
	width := len(p.codes)
	out := &packed{words: (width + 7) / 8}
	for _, side := range []struct {
		kinds *kinds
		none  uint64
		into  *[]uint64
	}{{&p.gold, most, &out.gold}, {&p.pred, most + 1, &out.pred}} {
		words := make([]uint64, side.kinds.len()*out.words)
		for t := range side.kinds.len() {
			cells := side.kinds.cells[t*width:][:width]
			for w := range out.words {
				word := uint64(0)
				for b := range 8 {
					v := side.none
					if k := 8*w + b; k < width && cells[k] != dead {
						v = uint64(cells[k]) //nolint:gosec // not negative
					}
					word |= v << (8 * b)
				}
				words[t*out.words+w] = word
			}
		}
		*side.into = words
	}
	return out
}

// inOrder is a copy in the order of two lists of kinds, so that what is compared lies together.
func (c *packed) inOrder(gold, pred []keyed) *packed {
	if c == nil {
		return nil
	}
	arrange := func(words []uint64, list []keyed) []uint64 {
		out := make([]uint64, 0, len(words))
		for _, e := range list {
			for at := int(e.row) * c.words; at < (int(e.row)+1)*c.words; at++ {
				out = append(out, words[at])
			}
		}
		return out
	}
	return &packed{words: c.words, gold: arrange(c.gold, gold), pred: arrange(c.pred, pred)}
}

// equal counts the bytes that are equal.
func (c *packed) equal(gold, pred int) (n int32) {
	const low = 0x7f7f7f7f7f7f7f7f
	q := c.pred[pred*c.words:][:c.words]
	for k, g := range c.gold[gold*c.words:][:c.words] {
		x := g ^ q[k]
		n += int32(bits.OnesCount64(^((x&low + low) | x | low))) //nolint:gosec // at most 8
	}
	return n
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

// sorted lists the kinds of one side by their live cells, taken in an order of the columns. Parts
// are those of the keys, where there are such.
func (p *problem) sorted(order []int, parts []keyPart, goldSide bool) []keyed {
	side := &p.pred
	if goldSide {
		side = &p.gold
	}
	width := len(p.codes)
	out := make([]keyed, side.len())
	if parts != nil {
		Spread(len(out), func(lo, hi int) {
			for t := lo; t < hi; t++ {
				key, cells := uint64(0), side.cells[t*width:][:width]
				for _, part := range parts {
					key |= part.of[cells[part.col]]
				}
				out[t] = keyed{key, int32(t)} //nolint:gosec // rows are bounded far below
			}
		})
		sortKeyed(out)
		return out
	}
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

// keyPart is what the cells of a column add to the keys that kinds are sorted by.
type keyPart struct {
	col int
	of  []uint64 // by code
}

// keyParts are the parts of the keys that kinds are sorted by where all cells of both sides are
// live and none has a range, so that each column has the same place in all keys. They sort as the
// places do, but are ranks of these, in fewer bits, so that fewer digits are left to sort by.
func (p *problem) keyParts(order []int) (parts []keyPart) {
	room, used := 64, 0
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
	return parts
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
	for at, code := range c.pred {             // a code that is live is one of both sides
		if code != dead {
			c.places[code] = c.col.p[p.predRows[at]] >> (64 - c.bits)
		}
	}
}

// meet is for each gold kind where in the order of the predicted ones it would stand. Kinds with
// the same key are spread over one another.
func meet(gold, pred []keyed) []int {
	at := make([]int, len(gold))
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
		for x := a; x < b; x++ {
			at[x] = lo + (x-a)*(hi-lo)/(b-a)
		}
		a = b
	}
	return at
}

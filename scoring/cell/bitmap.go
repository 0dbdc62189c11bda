package cell

import "math/bits"

// byDense betters best, which agrees in most columns, by the rows that agree in more of the columns with frequent values, or in as many
// and come first. It adds up the bitmaps of 64 rows at a time: bit l of every row's sum is in plane l, of which the first four are variables.
func (m *matcher) byDense(best int32, most int) int32 {
	if len(m.dense) == 0 {
		return best
	}
	var room [20]uint64 // enough for a million columns
	high := room[:max(0, bits.Len(uint(len(m.dense)))-4)]
	for w, left := range m.left {
		if left == 0 {
			continue
		}
		ties := uint64(0) // rows that are better if they agree in as many columns as the best, since they come before it
		switch {
		case int(best)>>6 > w:
			ties = left
		case int(best)>>6 == w:
			ties = left & (1<<(best&63) - 1)
		case most == len(m.dense):
			return best // no row can agree in more
		}
		var p0, p1, p2, p3 uint64
		clear(high)
		for d := m.dense; len(d) > 0; {
			x, y := d[0][w], uint64(0)
			if d = d[1:]; len(d) > 0 {
				y, d = d[0][w], d[1:]
			}
			sum := x ^ y
			carry := x&y | p0&sum
			p0 ^= sum
			p1, carry = p1^carry, p1&carry
			p2, carry = p2^carry, p2&carry
			p3, carry = p3^carry, p3&carry
			for l := 0; carry != 0; l++ {
				high[l], carry = high[l]^carry, high[l]&carry
			}
		}
		planes := [4]uint64{p0, p1, p2, p3}
		if at := atLeast(ties, most, &planes, high); at != 0 {
			best = int32(w<<6 + bits.TrailingZeros64(at)) //nolint:gosec // rows are bounded far below
		}
		for most < len(m.dense) {
			at := atLeast(left, most+1, &planes, high)
			if at == 0 {
				break
			}
			best = int32(w<<6 + bits.TrailingZeros64(at)) //nolint:gosec // as above
			most++
		}
	}
	return best
}

// atLeast is the set of those of 64 rows whose sum, of which plane l holds bit l, is n or more.
func atLeast(rows uint64, n int, low *[4]uint64, high []uint64) (more uint64) {
	for l := len(high) - 1; l >= 0; l-- {
		if p := high[l]; n>>(l+4)&1 != 0 {
			rows &= p
		} else {
			more |= rows & p
			rows &^= p
		}
	}
	for l := 3; l >= 0; l-- {
		if p := low[l]; n>>l&1 != 0 {
			rows &= p
		} else {
			more |= rows & p
			rows &^= p
		}
	}
	return more | rows
}

// columnBits are the bitmaps of a column's frequent values, made when they are first asked for.
type columnBits struct {
	byRoot map[int32][]uint64 // of a value, by the first row that has it
	below  [][]uint64         // of a column with ranges: the rows of rank below b × step
	step   int
	buf    []uint64
}

// bitmap is the bitmap of the rows that agree with gold row i in column k, valid until it is asked for again; nil where bitmaps would take too much memory.
func (m *matcher) bitmap(k, i int) []uint64 {
	c, b := &m.cols[k], &m.bits[k]
	if r := c.ranges; r != nil && r.lo[i] >= 0 {
		return m.stretch(r, b, int(r.lo[i]), int(r.hi[i]))
	}
	root := m.lists[k].root(c.g[i])
	if bm, ok := b.byRoot[root]; ok {
		return bm
	}
	bm := m.newBitmap(1)
	if bm == nil {
		return nil
	}
	for j := root; j >= 0; j = m.lists[k].next[j] {
		bm[j>>6] |= 1 << (j & 63)
	}
	if b.byRoot == nil {
		b.byRoot = map[int32][]uint64{}
	}
	b.byRoot[root] = bm
	return bm
}

func (m *matcher) newBitmap(n int) []uint64 {
	if n *= len(m.left); n > m.bitmaps {
		return nil
	}
	m.bitmaps -= n
	return make([]uint64, n)
}

// stretch is the bitmap of the rows whose rank is in [lo, hi).
func (m *matcher) stretch(r *ranges, b *columnBits, lo, hi int) []uint64 {
	words := len(m.left)
	if b.below == nil {
		b.step = len(r.order)/minFrequent + 1
		steps := len(r.order)/b.step + 1
		all := m.newBitmap(steps + 1)
		if all == nil {
			return nil
		}
		b.buf = all[:words]
		for s := range steps {
			b.below = append(b.below, all[(s+1)*words:(s+2)*words])
			if s == 0 {
				continue
			}
			copy(b.below[s], b.below[s-1])
			for _, j := range r.order[(s-1)*b.step : s*b.step] {
				b.below[s][j>>6] |= 1 << (j & 63)
			}
		}
	}
	from, to := (lo+b.step-1)/b.step, hi/b.step
	edges := [][]int32{r.order[lo:hi]}
	if from <= to {
		edges = [][]int32{r.order[lo : from*b.step], r.order[to*b.step : hi]}
		for w := range b.buf {
			b.buf[w] = b.below[to][w] &^ b.below[from][w]
		}
	} else {
		clear(b.buf)
	}
	for _, rows := range edges {
		for _, j := range rows {
			b.buf[j>>6] |= 1 << (j & 63)
		}
	}
	return b.buf
}

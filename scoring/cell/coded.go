package cell

import "github.com/badger-eval/badger/scoring"

// coded holds the numbers of the keys of both sides of a column with few distinct keys. It takes a quarter of the
// memory of keys, and computations on all cells are done once for each distinct key.
type coded struct {
	keys []uint64 // the keys by number
	g, p []uint16
}

// maxCoded is the maximum number of distinct keys in a coded column. There must also be at least countShare rows for
// each.
const maxCoded = 1 << 13

// newCoded returns the numbered keys of both sides, or nil if there are too many distinct ones, too few rows, or a side
// is nil.
func newCoded(gold, pred *scoring.Column, gv, pv View) *coded {
	if gold == nil || pred == nil || gold.Len() < MinCounted || pred.Len() < MinCounted {
		return nil
	}
	most := min(maxCoded, (gold.Len()+pred.Len())/countShare)
	t, out := newNumbers(), coded{}
	if out.g = t.column(gold, gv, most); out.g == nil {
		return nil
	}
	if out.p = t.column(pred, pv, most); out.p == nil {
		return nil
	}
	out.keys = t.keys()
	return &out
}

// column returns the number of the key of each cell, or nil if there are more than most distinct keys.
func (t *numbers) column(c *scoring.Column, v View, most int) []uint16 {
	out := make([]uint16, c.Len())
	done := 0
	if (c.Type == scoring.Int64 || c.Type == scoring.Bool || c.Type == scoring.Date) && v.AsIs() && !c.HasNulls() {
		done = t.close(c, v, out)
	}
	var buf [chunk]uint64
	for ; done < len(out) && t.n <= most; done += chunk {
		keys := buf[:min(chunk, len(out)-done)]
		Keys(c, v, done, keys)
		for i, key := range keys {
			out[done+i] = uint16(t.add(key)) //nolint:gosec // used while there are few
		}
	}
	if t.n > most {
		return nil
	}
	return out
}

// close numbers the keys of integers until one is outside a range of countWindow around the first, and returns how many
// it numbered.
func (t *numbers) close(c *scoring.Column, v View, out []uint16) int {
	var codes [countWindow]uint16 // from 1
	ints := c.Ints()
	base := ints[0] - countWindow/2
	for i, n := range ints {
		at := uint64(n - base) //nolint:gosec // bits: what is below base is beyond the window
		if at >= countWindow {
			return i
		}
		code := codes[at]
		if code == 0 {
			code = uint16(t.add(keyOfBits(c, v, uint64(n)))) + 1 //nolint:gosec // at most the window on either side
			codes[at] = code
		}
		out[i] = code - 1
	}
	return len(ints)
}

func (d *coded) side(goldSide bool) []uint16 {
	if goldSide {
		return d.g
	}
	return d.p
}

// sum returns the multiset hash of the keys of one side.
func (d *coded) sum(goldSide bool) (s Sum) {
	times := make([]uint64, len(d.keys))
	for _, code := range d.side(goldSide) {
		times[code]++
	}
	for code, n := range times {
		var one Sum
		one.Add(d.keys[code])
		s = s.Plus(Sum{n * one.a, n * one.b})
	}
	return s
}

// into sets keys to those of the cells of one side, starting with row from.
func (d *coded) into(keys []uint64, goldSide bool, from int) {
	for i, code := range d.side(goldSide)[from : from+len(keys)] {
		keys[i] = d.keys[code]
	}
}

// codes returns the codes of a column over the given rows: distinct keys that both sides have there are numbered,
// others are dead.
func (d *coded) codes(c *pair, gold, pred []int32) codes {
	had := make([]uint8, len(d.keys)) // 1: by gold, 2: by the answer
	note := func(side []uint16, rows []int32, bit uint8) {
		left := len(had)
		for _, row := range rows {
			if code := side[row]; had[code]&bit == 0 {
				had[code] |= bit
				if left--; left == 0 {
					return
				}
			}
		}
	}
	note(d.g, gold, 1)
	note(d.p, pred, 2)
	out := codes{col: c, to: make([]int32, len(d.keys))}
	for code, sides := range had {
		if out.to[code] = dead; sides == 3 {
			out.to[code] = int32(out.live) //nolint:gosec // few
			out.keys = append(out.keys, d.keys[code])
			out.live++
		}
	}
	out.n = out.live
	return out
}

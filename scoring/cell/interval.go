package cell

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/badger-eval/badger/scoring"
)

// Near tells whether two magnitudes, of gold and of pred brought to gold's unit, count as equal under a comparison that allows a difference.
// The bounds are inclusive, with slack for the last bits of the doubles.
func Near(g, p float64, c *scoring.Comparison) bool {
	if g == p {
		return true
	}
	diff := math.Abs(g - p)
	if math.IsInf(diff, 1) {
		return false // infinity is near nothing but itself
	}
	largest := math.Max(math.Abs(g), math.Abs(p))
	if c.Within > 0 && diff <= c.Within*(1+1e-9)+4e-16*largest {
		return true
	}
	return diff <= c.Tolerance*math.Max(largest, 1e-10)*(1+1e-12)
}

// measured is a pair of columns compared by magnitude.
type measured struct {
	g, p []float64 // in gold's unit; NaN where the cell is NULL or no number
}

func measure(gold, pred *scoring.Column, c *scoring.Comparison) measured {
	m := measured{g: make([]float64, gold.Len()), p: make([]float64, pred.Len())}
	Magnitudes(gold, View{Kind: c.Kind, Format: c.GoldFormat}, m.g)
	Magnitudes(pred, View{Kind: c.Kind, Format: c.PredFormat}, m.p)
	if c.Scale != 0 {
		k := Pow10(c.Scale)
		for i := range m.p {
			m.p[i] *= k
		}
	}
	return m
}

// classes turns a pair of columns compared by magnitude into keys, which can be done where nearness falls into classes: where
// all values that hang together by steps of near neighbours are near each other. ok is false where they do not, as when a tolerance of
// 1 % meets values that lie closer than that.
func (m measured) classes(gold, pred *scoring.Column, c *scoring.Comparison) (g, p []uint64, ok bool) {
	sorted := make([]float64, 0, len(m.g)+len(m.p))
	for _, side := range [][]float64{m.g, m.p} {
		for _, f := range side {
			if f == f {
				sorted = append(sorted, f)
			}
		}
	}
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	starts := make([]float64, 0, 64) // first value of every class
	for i, f := range sorted {
		if i == 0 || !Near(sorted[i-1], f, c) {
			starts = append(starts, f)
		} else if !Near(starts[len(starts)-1], f, c) {
			return nil, nil, false
		}
	}
	return classKeys(m.g, gold, View{Kind: c.Kind, Format: c.GoldFormat}, starts),
		classKeys(m.p, pred, View{Kind: c.Kind, Format: c.PredFormat}, starts), true
}

func classKeys(values []float64, c *scoring.Column, v View, starts []float64) []uint64 {
	keys := make([]uint64, len(values))
	Spread(len(values), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if f := values[i]; f == f {
				class := sort.Search(len(starts), func(k int) bool { return starts[k] > f })
				keys[i] = Mix(uint64(class), tagClass) //nolint:gosec // an index
			} else {
				keys[i] = valueKey(Read(c, v, i)) // NULL, or text that is compared as text
			}
		}
	})
	return keys
}

// ranges is the form of a pair of columns whose nearness falls into no classes: the predicted rows by magnitude, and for every gold row
// the stretch of them that is near.
type ranges struct {
	order  []int32 // predicted rows with a magnitude, ascending by it
	rank   []int32 // of every predicted row in order, or -1
	lo, hi []int32 // for every gold row, the stretch of order; lo is -1 where the row has no magnitude
}

func (m measured) ranges(c *scoring.Comparison) *ranges {
	r := &ranges{rank: make([]int32, len(m.p)), lo: make([]int32, len(m.g)), hi: make([]int32, len(m.g))}
	for j, f := range m.p {
		r.rank[j] = -1
		if f == f {
			r.order = append(r.order, int32(j)) //nolint:gosec // rows are bounded far below
		}
	}
	slices.SortFunc(r.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.p[a], m.p[b]), cmp.Compare(a, b))
	})
	for k, j := range r.order {
		r.rank[j] = int32(k) //nolint:gosec // as above
	}
	for i, g := range m.g {
		if g != g {
			r.lo[i] = -1
			continue
		}
		// Nearness is one stretch around g: the distance grows on both sides, faster than the tolerance does.
		at := sort.Search(len(r.order), func(k int) bool { return m.p[r.order[k]] >= g })
		lo := sort.Search(at, func(k int) bool { return Near(g, m.p[r.order[k]], c) })
		hi := at + sort.Search(len(r.order)-at, func(k int) bool { return !Near(g, m.p[r.order[at+k]], c) })
		r.lo[i], r.hi[i] = int32(lo), int32(hi) //nolint:gosec // as above
	}
	return r
}

// subset cuts the ranges to some rows.
func (r *ranges) subset(gRows, pRows []int32) *ranges {
	out := &ranges{rank: make([]int32, len(pRows)), lo: make([]int32, len(gRows)), hi: make([]int32, len(gRows))}
	for k := range pRows {
		out.rank[k] = -1
		if r.rank[pRows[k]] >= 0 {
			out.order = append(out.order, int32(k)) //nolint:gosec // rows are bounded far below
		}
	}
	slices.SortFunc(out.order, func(a, b int32) int { return cmp.Compare(r.rank[pRows[a]], r.rank[pRows[b]]) })
	for at, k := range out.order {
		out.rank[k] = int32(at) //nolint:gosec // as above
	}
	find := func(rank int32) int32 {
		return int32(sort.Search(len(out.order), func(k int) bool { return r.rank[pRows[out.order[k]]] >= rank })) //nolint:gosec // as above
	}
	for k, i := range gRows {
		if out.lo[k] = -1; r.lo[i] >= 0 {
			out.lo[k], out.hi[k] = find(r.lo[i]), find(r.hi[i])
		}
	}
	return out
}

package cell

import (
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
	if diff <= c.Within*(1+1e-9) {
		return true
	}
	return diff <= c.Tolerance*math.Max(math.Max(math.Abs(g), math.Abs(p)), 1e-10)*(1+1e-12)
}

// measured is a pair of columns compared by magnitude.
type measured struct {
	g, p []float64 // in gold's unit; NaN where the cell is NULL or no number
}

func measure(gold, pred *scoring.Column, c *scoring.Comparison) *measured {
	m := &measured{g: make([]float64, gold.Len()), p: make([]float64, pred.Len())}
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
func (m *measured) classes(gold, pred *scoring.Column, c *scoring.Comparison) (g, p []uint64, ok bool) {
	sorted := make([]float64, 0, len(m.g)+len(m.p))
	for _, side := range [][]float64{m.g, m.p} {
		for _, f := range side {
			if f == f {
				sorted = append(sorted, f)
			}
		}
	}
	SortNumbers(sorted)
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

// ranges is the form of a pair of columns whose nearness falls into no classes: the predicted magnitudes in order, and for each gold
// row the stretch of them that is near.
type ranges struct {
	n      int32   // distinct magnitudes of predicted rows
	rank   []int32 // of each predicted row, that of its magnitude, or -1 where it has none
	lo, hi []int32 // of each gold row, the ranks that are near: from lo up to but not including hi; lo is -1 where the row has no magnitude
}

func (m *measured) ranges(c *scoring.Comparison) *ranges {
	values := slices.DeleteFunc(slices.Clone(m.p), func(f float64) bool { return f != f })
	SortNumbers(values)
	values = slices.Compact(values)
	r := &ranges{n: int32(len(values)), rank: make([]int32, len(m.p)), lo: make([]int32, len(m.g)), hi: make([]int32, len(m.g))} //nolint:gosec // rows are bounded far below
	Spread(len(m.p), func(from, to int) {
		for j := from; j < to; j++ {
			r.rank[j] = -1
			if f := m.p[j]; f == f {
				r.rank[j] = int32(sort.SearchFloat64s(values, f)) //nolint:gosec // as above
			}
		}
	})
	Spread(len(m.g), func(from, to int) {
		for i := from; i < to; i++ {
			g := m.g[i]
			if g != g {
				r.lo[i] = -1
				continue
			}
			// Nearness is one stretch around g: the distance grows on both sides, faster than the tolerance does.
			at := sort.SearchFloat64s(values, g)
			lo := sort.Search(at, func(k int) bool { return Near(g, values[k], c) })
			hi := at + sort.Search(len(values)-at, func(k int) bool { return !Near(g, values[at+k], c) })
			r.lo[i], r.hi[i] = int32(lo), int32(hi) //nolint:gosec // as above
		}
	})
	return r
}

package cell

import (
	"math"
	"slices"
	"sort"

	"github.com/badger-eval/badger/scoring"
)

// Near reports whether the numbers g of gold and p of pred, converted to gold's unit, are equal within the tolerance of
// a comparison. The bounds are inclusive, with slack for the last bits of doubles.
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
	larger := math.Abs(g)
	if a := math.Abs(p); a > larger {
		larger = a
	}
	if larger < 1e-10 {
		larger = 1e-10
	}
	return diff <= c.Tolerance*larger*(1+1e-12)
}

// measured holds the magnitudes of a pair of columns.
type measured struct {
	g, p   []float64 // in gold's unit; NaN for NULL and values that are not numbers
	gs, ps []keyed   // rows sorted by magnitude, without NaN; made when first needed
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

// classes returns keys of a pair of columns that is compared by magnitude: values get the same key if they are near
// each other. ok is false if nearness is not an equivalence of these values, as with a tolerance of 1 % and values
// closer than that.
func (m *measured) classes(gold, pred *scoring.Column, c *scoring.Comparison) (g, p []uint64, ok bool) {
	m.sort()
	sorted := make([]float64, 0, len(m.gs)+len(m.ps))
	for i, j := 0, 0; i < len(m.gs) || j < len(m.ps); {
		if j == len(m.ps) || i < len(m.gs) && m.gs[i].key <= m.ps[j].key {
			sorted = append(sorted, m.g[m.gs[i].row])
			i++
		} else {
			sorted = append(sorted, m.p[m.ps[j].row])
			j++
		}
	}
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

// ranges holds for each gold row the range of predicted magnitudes that are near. It is used if classes is not
// possible.
type ranges struct {
	n    int32   // number of distinct magnitudes of predicted rows
	rank []int32 // for each predicted row, the rank of its magnitude, or -1 if it has none
	// for each gold row, the near ranks: from lo up to but not including hi; lo is -1 if the row has no magnitude
	lo, hi []int32
}

func (m *measured) ranges(c *scoring.Comparison) *ranges {
	m.sort()
	r := &ranges{rank: make([]int32, len(m.p)), lo: make([]int32, len(m.g)), hi: make([]int32, len(m.g))}
	for j := range r.rank {
		r.rank[j] = -1
	}
	for i := range r.lo {
		r.lo[i] = -1
	}
	values := make([]float64, 0, len(m.ps))
	for _, e := range m.ps {
		if f := m.p[e.row]; len(values) == 0 || f != values[len(values)-1] {
			values = append(values, f)
		}
		r.rank[e.row] = int32(len(values) - 1) //nolint:gosec // rows are bounded far below
	}
	r.n = int32(len(values)) //nolint:gosec // as above
	// Nearness is one stretch around a number: the distance grows on both sides, faster than the
	// tolerance does. For a larger number neither end is lower.
	lo, hi := 0, 0
	for _, e := range m.gs {
		g := m.g[e.row]
		for lo < len(values) && values[lo] < g && !Near(g, values[lo], c) {
			lo++
		}
		for hi = max(lo, hi); hi < len(values) && (values[hi] <= g || Near(g, values[hi], c)); hi++ {
		}
		r.lo[e.row], r.hi[e.row] = int32(lo), int32(hi) //nolint:gosec // as above
	}
	return r
}

// sort computes the sorted rows of both sides, without those that have no magnitude.
func (m *measured) sort() {
	if m.gs == nil {
		m.gs, m.ps = sortedNumbers(m.g), sortedNumbers(m.p)
	}
}

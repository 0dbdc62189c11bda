package align

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// reading is a column read in one way: its values with their numbers, and its numbers in order.
type reading struct {
	col  *scoring.Column
	view cell.View

	counts []keyCount // distinct keys, ascending by their mixed form, NULL left out; a sample where there are very many
	limit  uint64     // the sample holds every key whose mixed form is at most this
	values int        // values that are not NULL

	sorted []float64 // magnitudes, ascending
	digits int       // digits behind the point, up to maxDigits; -1: not yet counted
}

type keyCount struct {
	order uint64 // the key, mixed, so that the least keys are a random sample
	n     int
}

// sampleKeys is how many distinct values stand for a column of more.
const sampleKeys = 4096

func (a *aligner) reading(c *column, v cell.View) *reading {
	if r, ok := c.reading[v]; ok {
		return r
	}
	r := &reading{col: c.col, view: v, digits: -1}
	if c.reading == nil {
		c.reading = map[cell.View]*reading{}
	}
	c.reading[v] = r
	return r
}

// load counts the values. Where there are more distinct ones than the sample holds, it keeps those whose mixed keys are least: the same
// values in every column, so that samples can be compared.
func (r *reading) load() {
	if r.counts != nil {
		return
	}
	r.limit = math.MaxUint64
	seen := make(map[uint64]int, 64)
	var keys [512]uint64
	for from := 0; from < r.col.Len(); from += len(keys) {
		k := keys[:min(len(keys), r.col.Len()-from)]
		cell.Keys(r.col, r.view, from, k)
		for _, key := range k {
			if key == cell.NullKey {
				continue
			}
			r.values++
			if order := cell.Mix(key, 1); order <= r.limit {
				seen[order]++
			}
		}
		for len(seen) > 2*sampleKeys { // half of them, again and again, leave every value the same chance
			r.limit /= 2
			maps.DeleteFunc(seen, func(order uint64, _ int) bool { return order > r.limit })
		}
	}
	r.counts = make([]keyCount, 0, len(seen))
	for order, n := range seen {
		r.counts = append(r.counts, keyCount{order, n})
	}
	slices.SortFunc(r.counts, func(a, b keyCount) int { return cmp.Compare(a.order, b.order) })
}

// distinct is the number of distinct values that are not NULL, up to the size of the sample.
func (r *reading) distinct() int {
	r.load()
	return len(r.counts)
}

// distinct is the number of distinct values of a gold column as a comparison reads it, up to the size of the sample.
func (a *aligner) distinct(g *column, c *scoring.Comparison) int {
	v, _ := cell.Views(c, false)
	if plain := a.plain(g); plain.Kind == v.Kind && v.Format == "" {
		v = plain // it is at hand
	}
	return a.reading(g, v).distinct()
}

// mayReadAlike tells whether any text of one column may be what a number of the other is written as.
func mayReadAlike(g, p *column) bool {
	if g.kind != scoring.KindText {
		g, p = p, g
	}
	return g.kind != scoring.KindText || g.col.Type != scoring.String || p.kind != scoring.KindNumber || g.likeNumbers()
}

// likeNumbers tells whether any text of a column begins as a number does that is written out.
func (c *column) likeNumbers() bool {
	if c.numberLike == nil {
		like := false
		for i := 0; i < c.col.Len() && !like; i++ {
			s := strings.TrimLeft(strings.TrimSpace(c.col.Text(i)), `"+-`)
			like = s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '.') || len(s) >= 3 && (strings.EqualFold(s[:3], "nan") || strings.EqualFold(s[:3], "inf"))
		}
		c.numberLike = &like
	}
	return *c.numberLike
}

// overlap is the share of the values of both columns that have an equal on the other side, counting repetitions; estimated from
// the least keys of both where there are very many.
func overlap(g, p *reading) float64 {
	g.load()
	p.load()
	if g.values == 0 && p.values == 0 {
		return 1
	}
	limit := min(g.limit, p.limit)
	common, inG, inP := 0, 0, 0
	i, j := 0, 0
	for {
		hasG, hasP := i < len(g.counts) && g.counts[i].order <= limit, j < len(p.counts) && p.counts[j].order <= limit
		switch {
		case !hasG && !hasP:
			return float64(common) / float64(max(inG, inP, 1))
		case !hasP || hasG && g.counts[i].order < p.counts[j].order:
			inG += g.counts[i].n
			i++
		case !hasG || p.counts[j].order < g.counts[i].order:
			inP += p.counts[j].n
			j++
		default:
			common += min(g.counts[i].n, p.counts[j].n)
			inG += g.counts[i].n
			inP += p.counts[j].n
			i, j = i+1, j+1
		}
	}
}

// numbers are the magnitudes of the column, ascending.
func (r *reading) numbers() []float64 {
	if r.sorted == nil {
		all := make([]float64, r.col.Len())
		cell.Magnitudes(r.col, r.view, all)
		r.sorted = slices.DeleteFunc(all, func(f float64) bool { return f != f })
		cell.SortNumbers(r.sorted)
	}
	return r.sorted
}

// maxDigits is where counting the digits behind the point ends.
const maxDigits = 13

// decimals is the number of digits behind the point that the column's numbers need, at most maxDigits. Negative: all are
// multiples of 10, 100, … to the power of its absolute value, and not all zero.
func (r *reading) decimals() int {
	if r.digits != -1 {
		return r.digits
	}
	d := 0
	for _, f := range r.numbers() {
		for d < maxDigits && !whole(f*cell.Pow10(d)) {
			d++
		}
		if d == maxDigits {
			break
		}
	}
	if d == 0 {
		zeros := 18
		for _, f := range r.numbers() {
			for zeros > 0 && f != 0 && math.Mod(f, cell.Pow10(zeros)) != 0 {
				zeros--
			}
		}
		if zeros > 1 && zeros < 18 {
			d = -zeros
		}
	}
	r.digits = d
	return d
}

func whole(f float64) bool {
	return math.Abs(f-math.Round(f)) <= 1e-9+4e-16*math.Abs(f)
}

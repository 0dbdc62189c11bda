package align

import (
	"math"
	"slices"
	"sort"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// numeric caches facts about the numbers of a column. Each is computed when first needed, since most pairs of columns
// need only the digits and the range, and sorting costs more.
type numeric struct {
	tally  *tallied    // the distinct numbers, if there are few
	all    []float64   // unsorted; may share memory with the column
	sorted []float64   // the numbers, ascending
	runs   *cell.Runs  // partly sorted numbers
	probed int         // number of lookups in runs
	sample []float64   // the numbers that are searched for on the other side
	extent *[2]float64 // the least and the largest number
	double *bool       // see [reading.exact]
}

// tallied holds the distinct numbers of a column, ascending, with their counts. It is empty if there are too many to
// count.
type tallied struct {
	numbers []float64
	ends    []int // for each, how many numbers of the column are at most as large
}

// tallied returns the distinct numbers of the column; nil if there are too many, or few rows. Facts derived from them
// cost much less than from all numbers.
func (r *reading) tallied() *tallied {
	if r.tally == nil {
		if r.col.Len() < cell.MinCounted {
			return nil
		}
		r.tally = &tallied{}
		if r.view.Format == "" {
			counts := r.of.counts().Numbers()
			r.tally.numbers, r.tally.ends = make([]float64, len(counts)), make([]int, len(counts))
			n := 0
			for i, c := range counts {
				n += c.N
				r.tally.numbers[i], r.tally.ends[i] = c.Number, n
			}
		}
	}
	if len(r.tally.numbers) == 0 {
		return nil
	}
	return r.tally
}

// at returns the number at a position of the sorted column, from 0.
func (t *tallied) at(rank int) float64 { return t.numbers[sort.SearchInts(t.ends, rank+1)] }

// distinctMagnitudes returns the numbers of the column, without repetitions if tallied has them. The caller must not
// change them.
func (r *reading) distinctMagnitudes() []float64 {
	if t := r.tallied(); t != nil {
		return t.numbers
	}
	return r.magnitudes()
}

// integers reports whether the column is of type Int64 and read without conversion.
func (r *reading) integers() bool {
	return r.view.Format == "" && r.col.Type == scoring.Int64
}

// magnitudes returns the numbers of the column, without NULL and NaN, unsorted. The caller must not change them.
func (r *reading) magnitudes() []float64 {
	if r.all != nil {
		return r.all
	}
	isNaN := func(f float64) bool { return f != f }
	if r.view.Format == "" && r.col.Type == scoring.Float64 && !r.col.HasNulls() &&
		!slices.ContainsFunc(r.col.Floats(), isNaN) {
		r.all = r.col.Floats()
		return r.all
	}
	all := make([]float64, r.col.Len())
	cell.Magnitudes(r.col, r.view, all)
	r.all = slices.DeleteFunc(all, isNaN)
	return r.all
}

// count returns the number of numbers, without NULL and NaN.
func (r *reading) count() int {
	if r.integers() && !r.col.HasNulls() {
		return r.col.Len()
	}
	if t := r.tallied(); t != nil {
		return t.ends[len(t.ends)-1]
	}
	return len(r.magnitudes())
}

// bounds returns the least and the largest number. The column must have at least one.
func (r *reading) bounds() (least, most float64) {
	if r.extent != nil {
		return r.extent[0], r.extent[1]
	}
	if t := r.tallied(); t != nil {
		least, most = t.numbers[0], t.numbers[len(t.numbers)-1]
	} else if r.integers() && !r.col.HasNulls() {
		lo, hi := r.col.Ints()[0], r.col.Ints()[0]
		for _, n := range r.col.Ints() {
			lo, hi = min(lo, n), max(hi, n)
		}
		least, most = float64(lo), float64(hi)
	} else {
		least, most = r.magnitudes()[0], r.magnitudes()[0]
		for _, f := range r.magnitudes() {
			if f < least {
				least = f
			}
			if f > most {
				most = f
			}
		}
	}
	r.extent = &[2]float64{least, most}
	return least, most
}

// numbers returns the numbers of the column, ascending, without NULL and NaN.
func (r *reading) numbers() []float64 {
	if r.sorted != nil {
		return r.sorted
	}
	if t := r.tallied(); t != nil {
		r.sorted = make([]float64, t.ends[len(t.ends)-1])
		from := 0
		for i, to := range t.ends {
			for ; from < to; from++ {
				r.sorted[from] = t.numbers[i]
			}
		}
		return r.sorted
	}
	r.sorted = slices.Clone(r.magnitudes())
	cell.SortNumbers(r.sorted)
	r.runs = nil
	return r.sorted
}

// maxDigits is the maximum number of decimals that are counted.
const maxDigits = 13

// decimals returns the number of decimals that the column's numbers need, at most maxDigits. A negative result -n, with
// n at least 2, means that all are multiples of 10^n and not all are 0.
func (r *reading) decimals() int {
	if r.digits == -1 {
		r.digits = r.countDecimals()
	}
	return r.digits
}

func (r *reading) countDecimals() int {
	d := 0
	if !r.integers() {
		if d = r.needed(); d > 0 {
			return d
		}
	}
	zeros := 18
	note := func(f float64) bool {
		for zeros > 0 && f != 0 && math.Mod(f, cell.Pow10(zeros)) != 0 {
			zeros--
		}
		return zeros > 1
	}
	if r.integers() && !r.col.HasNulls() {
		for _, n := range r.col.Ints() {
			if !note(float64(n)) {
				break
			}
		}
	} else {
		for _, f := range r.distinctMagnitudes() {
			if !note(f) {
				break
			}
		}
	}
	if zeros > 1 && zeros < 18 {
		return -zeros
	}
	return 0
}

// needed returns the number of decimals that the numbers need, at most maxDigits.
func (r *reading) needed() int {
	d := 0
	lacks := func(f float64) bool { return !whole(f * cell.Pow10(d)) }
	for _, f := range r.distinctMagnitudes() {
		if !lacks(f) {
			continue
		}
		own := 0
		for own < maxDigits && !whole(f*cell.Pow10(own)) {
			own++
		}
		if d = max(d, own); d == maxDigits {
			return d
		}
	}
	if !slices.ContainsFunc(r.distinctMagnitudes(), lacks) {
		return d
	}
	d = 0
	numbers := r.numbers
	if t := r.tallied(); t != nil {
		numbers = func() []float64 { return t.numbers }
	}
	for _, f := range numbers() { // some are whole but for the last bits, so the order counts
		for d < maxDigits && lacks(f) {
			d++
		}
	}
	return d
}

func whole(f float64) bool {
	return math.Abs(f-math.Round(f)) <= 1e-9+4e-16*math.Abs(f)
}

// exact reports whether each double is the nearest to its value rounded to the decimals of the column. It is false for
// 588.3599999999999 among cents, which is computed and not rounded.
func (r *reading) exact() bool {
	if r.double == nil {
		k := cell.Pow10(max(r.decimals(), 0))
		exact := r.col.Type != scoring.Float64 ||
			!slices.ContainsFunc(r.distinctMagnitudes(),
				func(n float64) bool { return math.Abs(n*k) < 1<<53 && math.Round(n*k)/k != n })
		r.double = &exact
	}
	return *r.double
}

// probes is the number of values of a large column that are searched for on the other side before all are compared.
const probes = 128

// probe returns the sample of numbers that are searched for on the other side.
func (r *reading) probe() []float64 {
	if r.sample == nil {
		r.sample = make([]float64, probes)
		at := func(i int) float64 { return r.sorted[i] }
		if t := r.tallied(); t != nil {
			at = t.at
		} else if r.sorted == nil {
			at = r.inRuns().At
		}
		for n := range r.sample {
			r.sample[n] = at(int(cell.Mix(uint64(n), 1) % uint64(r.count()))) //nolint:gosec // small
		}
	}
	return r.sample
}

func (r *reading) inRuns() *cell.Runs {
	if r.runs == nil {
		r.runs = cell.NewRuns(r.magnitudes())
	}
	return r.runs
}

// around returns the smallest number p with p*k >= f as above, and the largest with p*k < f as below; NaN if there is
// none. After many lookups it sorts all numbers.
func (r *reading) around(f, k float64) (below, above float64) {
	const lookup = 32 // numbers that are sorted in the time that it takes to look one up
	var ps []float64
	if t := r.tallied(); t != nil {
		ps = t.numbers
	} else if r.probed++; r.sorted == nil && r.probed*lookup < r.count() {
		return r.inRuns().Around(func(p float64) bool { return p*k >= f })
	} else {
		ps = r.numbers()
	}
	below, above = math.NaN(), math.NaN()
	at := sort.Search(len(ps), func(i int) bool { return ps[i]*k >= f })
	if at < len(ps) {
		above = ps[at]
	}
	if at > 0 {
		below = ps[at-1]
	}
	return below, above
}

// mayAgree reports whether some numbers of g and p may pair up under a comparison. If both have many, it is false only
// if no number of a sample of gold's has a partner.
func mayAgree(g, p *reading, c *scoring.Comparison) bool {
	if min(g.count(), p.count()) <= 16*probes {
		return true
	}
	k := cell.Pow10(c.Scale)
	for _, f := range g.probe() {
		below, above := p.around(f, k)
		if above == above && cell.Near(f, above*k, c) || below == below && cell.Near(f, below*k, c) {
			return true
		}
	}
	return false
}

// agreement returns the share of the numbers of both columns that pair up under the comparison. It is 0 if there are
// many numbers and none of a sample has a partner; if 10 % agree, that happens in fewer than one of 500,000 columns.
func agreement(g, p *reading, c *scoring.Comparison) float64 {
	if !mayAgree(g, p, c) {
		return 0
	}
	k := cell.Pow10(c.Scale)
	if gt, pt := g.tallied(), p.tallied(); gt != nil && pt != nil {
		return float64(gt.common(pt, k, c)) / float64(max(g.count(), p.count()))
	}
	gs, ps := g.numbers(), p.numbers()
	common := 0
	for i, j := 0, 0; i < len(gs) && j < len(ps); {
		p := ps[j] * k
		switch {
		case cell.Near(gs[i], p, c):
			common++
			i, j = i+1, j+1
		case gs[i] < p:
			i++
		default:
			j++
		}
	}
	return float64(common) / float64(max(len(gs), len(ps)))
}

// common returns the number of pairs of numbers of t and p that are equal under a comparison, matched in ascending
// order, with those of p multiplied by k.
func (t *tallied) common(p *tallied, k float64, c *scoring.Comparison) (n int) {
	left := func(t *tallied, i int) int {
		if i == len(t.ends) {
			return 0
		}
		if i == 0 {
			return t.ends[0]
		}
		return t.ends[i] - t.ends[i-1]
	}
	gs, ps := left(t, 0), left(p, 0) // repetitions without a partner
	for i, j := 0, 0; i < len(t.numbers) && j < len(p.numbers); {
		switch f := p.numbers[j] * k; {
		case cell.Near(t.numbers[i], f, c):
			pairs := min(gs, ps)
			n, gs, ps = n+pairs, gs-pairs, ps-pairs
		case t.numbers[i] < f:
			gs = 0
		default:
			ps = 0
		}
		if gs == 0 {
			i++
			gs = left(t, i)
		}
		if ps == 0 {
			j++
			ps = left(p, j)
		}
	}
	return n
}

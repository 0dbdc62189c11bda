package align

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"
)

// sketch holds the distinct keys of a column with the smallest hashes, which are the same values in every column. It is
// much faster to compute than load, and shows that two columns have no value in common.
type sketch struct {
	keys   []keyCount // ascending
	limit  uint64     // keys holds every hash that is at most this
	values int        // number of values of the column that are not NULL
}

// sketchKeys is the expected number of keys in the sketch of a column with distinct values.
const sketchKeys = 512

// sketch returns the sketch of a column. It may be empty if the column has few distinct values.
func (r *reading) sketch() *sketch {
	if r.few != nil {
		return r.few
	}
	rows := r.col.Len()
	s := &sketch{limit: math.MaxUint64}
	if rows > sketchKeys {
		s.limit = math.MaxUint64 / uint64(rows) * sketchKeys //nolint:gosec // a size
	}
	if counts, ok := r.of.counted(r.view); ok {
		s.keys, s.values = mixed(counts, s.limit)
	} else {
		counts := tally{slots: make([]keyCount, 16)}
		r.eachKeys(func(keys []uint64) { s.values += counts.count(keys, s.limit) })
		s.keys = inOrderOf(counts.list(), s.limit)
	}
	r.few = s
	return s
}

// list returns the hashes with their counts, unsorted.
func (t *tally) list() []keyCount {
	out := make([]keyCount, 0, t.distinct)
	for _, k := range t.slots {
		if k.n > 0 {
			out = append(out, k)
		}
	}
	return out
}

// inOrderOf returns keys sorted, which must not exceed limit. Hashes are evenly distributed, so it sorts by their
// leading digits first.
func inOrderOf(keys []keyCount, limit uint64) []keyCount {
	byOrder := func(a, b keyCount) int { return cmp.Compare(a.order, b.order) }
	if len(keys) < 64 {
		slices.SortFunc(keys, byOrder)
		return keys
	}
	digits := bits.Len(uint(len(keys)))
	shift := max(0, bits.Len64(limit)-digits)
	start := make([]int32, 1<<digits+1)
	for _, k := range keys {
		start[k.order>>shift+1]++
	}
	for d := range 1 << digits {
		start[d+1] += start[d]
	}
	out := make([]keyCount, len(keys))
	for _, k := range keys {
		d := k.order >> shift
		out[start[d]] = k
		start[d]++ // becomes the end
	}
	from := int32(0)
	for _, to := range start[:1<<digits] {
		switch part := out[from:to]; {
		case len(part) > 16:
			slices.SortFunc(part, byOrder)
		default:
			for i := 1; i < len(part); i++ {
				for k := i; k > 0 && part[k].order < part[k-1].order; k-- {
					part[k], part[k-1] = part[k-1], part[k]
				}
			}
		}
		from = to
	}
	return out
}

// summedUp merges equal keys of a sorted list and adds up their counts.
func summedUp(keys []keyCount) []keyCount {
	out := keys[:0]
	for _, k := range keys {
		if n := len(out); n > 0 && out[n-1].order == k.order {
			out[n-1].n += k.n
		} else {
			out = append(out, k)
		}
	}
	return out
}

// upTo returns how many of the keys, which are ascending, are at most limit.
func upTo(keys []keyCount, limit uint64) int {
	if n := len(keys); n == 0 || keys[n-1].order <= limit {
		return n
	}
	return sort.Search(len(keys), func(i int) bool { return keys[i].order > limit })
}

// disjoint reports whether both columns have many rows and distinct values, and their sketches have no value in common.
// If 10 % of the values are in both, it is true in fewer than one of 500,000 cases.
func (r *reading) disjoint(p *reading) bool {
	if min(r.col.Len(), p.col.Len()) <= 16*probes {
		return false
	}
	gs, ps := r.sketch(), p.sketch()
	limit := min(gs.limit, ps.limit)
	distinct := func(keys []keyCount) int { // below the limit
		return sort.Search(len(keys), func(i int) bool { return keys[i].order >= limit })
	}
	return min(distinct(gs.keys), distinct(ps.keys)) >= probes && share(gs.keys, ps.keys, limit) == 0
}

// leastKeys returns the keys with the smallest hashes, at most n, ascending. keys holds every hash of the column that
// is at most limit.
func (r *reading) leastKeys(n int) (keys []keyCount, limit uint64) {
	if s := r.sketch(); len(s.keys) > n {
		return s.keys[:n], s.keys[n-1].order
	} else if s.limit == math.MaxUint64 {
		return s.keys, s.limit
	}
	r.load()
	if len(r.keys) <= n {
		return r.keys, r.limit
	}
	return r.keys[:n], r.keys[n-1].order
}

// share returns the share of the values with hashes up to limit that are equal to one of the other side, counting
// repetitions.
func share(gs, ps []keyCount, limit uint64) float64 {
	gs, ps = gs[:upTo(gs, limit)], ps[:upTo(ps, limit)]
	common := 0
	for i, j := 0, 0; i < len(gs) && j < len(ps); {
		g, p := gs[i].order, ps[j].order
		if g == p {
			common += min(gs[i].n, ps[j].n)
		}
		if g <= p {
			i++
		}
		if p <= g {
			j++
		}
	}
	return shareOf(common, valuesOf(gs), valuesOf(ps))
}

func shareOf(common, inG, inP int) float64 { return float64(common) / float64(max(inG, inP, 1)) }

func valuesOf(keys []keyCount) (n int) {
	for i := range keys {
		n += keys[i].n
	}
	return n
}

// rough holds the keys with the smallest hashes of several predicted columns, to estimate the shares of equal values
// with a gold column in one pass.
type rough struct {
	n      int // maximum number of keys of each column
	preds  []leastOf
	heads  map[uint64]int32 // index of the first entry of each key in keys
	keys   []roughEntry
	common []int // number of common values of each predicted column with the gold column
}

// roughEntry records that a predicted column has a key n times. next is the index of the key's entry for another
// column, or -1.
type roughEntry struct {
	pred, next int32
	n          int
}

// leastOf holds the keys of a column with the smallest hashes. values[i] is the number of values with the first i keys.
type leastOf struct {
	keys   []keyCount
	limit  uint64
	values []int
	empty  bool
}

func (r *reading) leastOf(n int) leastOf {
	l := leastOf{empty: r.sketch().values == 0}
	l.keys, l.limit = r.leastKeys(n)
	l.values = make([]int, len(l.keys)+1)
	for i := range l.keys {
		l.values[i+1] = l.values[i] + l.keys[i].n
	}
	return l
}

func newRough(preds []*reading, n int) *rough {
	r := &rough{n: n, preds: make([]leastOf, len(preds)), heads: map[uint64]int32{}, common: make([]int, len(preds))}
	for at, p := range preds {
		r.preds[at] = p.leastOf(n)
		for _, k := range r.preds[at].keys {
			next, ok := r.heads[k.order]
			if !ok {
				next = -1
			}
			r.heads[k.order] = int32(len(r.keys))                     //nolint:gosec // maxRough bounds them
			r.keys = append(r.keys, roughEntry{int32(at), next, k.n}) //nolint:gosec // a column
		}
	}
	return r
}

// shares sets out to the estimated shares of equal values of a gold column and each predicted column.
func (r *rough) shares(gold *reading, out []float64) {
	g := gold.leastOf(r.n)
	clear(r.common)
	for _, k := range g.keys {
		e, ok := r.heads[k.order]
		if !ok {
			continue
		}
		for ; e >= 0; e = r.keys[e].next {
			r.common[r.keys[e].pred] += min(k.n, r.keys[e].n)
		}
	}
	for at := range r.preds {
		p := &r.preds[at]
		limit := min(g.limit, p.limit)
		if out[at] = 1; !g.empty || !p.empty {
			out[at] = shareOf(r.common[at], g.values[upTo(g.keys, limit)], p.values[upTo(p.keys, limit)])
		}
	}
}

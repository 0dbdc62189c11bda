package align

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"
)

// sketch is a few of the distinct keys of a column, those that are least in their mixed form: the
// same values in every column. It takes one pass and next to no memory, where counting thousands of
// keys takes several times as long, and shows that two columns have nothing in common.
type sketch struct {
	keys   []keyCount // ascending
	limit  uint64     // they are all the keys up to this
	values int        // of the column that are not NULL
}

// sketchKeys is the expected number of keys in a sketch of distinct values.
const sketchKeys = 512

// sketch returns the sketch of a column with many rows. It may be empty if there are few distinct values.
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

// list lists the keys.
func (t *tally) list() []keyCount {
	out := make([]keyCount, 0, t.distinct)
	for _, k := range t.slots {
		if k.n > 0 {
			out = append(out, k)
		}
	}
	return out
}

// inOrderOf sorts keys, none of them above a limit. Mixed keys are spread evenly, so nearly all
// come to their place by their leading digits.
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

// summedUp adds up the counts of equal keys in a sorted list.
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

// upTo returns the number of keys, in ascending order, that are at most a limit.
func upTo(keys []keyCount, limit uint64) int {
	if n := len(keys); n == 0 || keys[n-1].order <= limit {
		return n
	}
	return sort.Search(len(keys), func(i int) bool { return keys[i].order > limit })
}

// disjoint reports whether both columns hold many distinct values and no value in a sketch has an equal on the
// other side. For columns with 10 % of their values in common, it is true in fewer than one of 500,000 cases.
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

// leastKeys are the keys that are least in their mixed form, at most n, ascending, and up to which
// they are all.
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

// share is the share of the values whose keys are up to a limit that have an equal on the other
// side, counting repetitions.
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

// rough holds the smallest keys of several predicted columns. They give an estimate of the share of equal values of
// a gold column with each of them in one pass.
type rough struct {
	n      int // keys of each column
	preds  []leastOf
	heads  map[uint64]int32 // of each key, the first of its entries
	keys   []roughEntry
	common []int // with a gold column, of each predicted one
}

// roughEntry records that a predicted column has a key, n times. next is the entry of another column that has it,
// or -1.
type roughEntry struct {
	pred, next int32
	n          int
}

// leastOf are the least keys of a column, and how many values have one of the first so many.
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

// shares fills in what share is, of the least keys, for a gold column and each predicted one.
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

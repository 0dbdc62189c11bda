package align

import (
	"cmp"
	"math"
	"slices"

	"github.com/badger-eval/badger/scoring/cell"
)

// sketch is a few of the distinct keys of a column, those that are least in their mixed form: the
// same values in every column. It takes one pass and next to no memory, where counting thousands of
// keys takes several times as long, and shows that two columns have nothing in common.
type sketch struct {
	keys   []keyCount // ascending
	limit  uint64     // they are all the keys up to this
	values int        // of the column that are not NULL
}

// sketchKeys is how many keys a sketch is expected to have where all values are distinct.
const sketchKeys = 512

// sketch makes the sketch of a column with many rows; that of few distinct values may be empty.
func (r *reading) sketch() *sketch {
	if r.few != nil {
		return r.few
	}
	rows := r.col.Len()
	s := &sketch{limit: math.MaxUint64}
	if rows > sketchKeys {
		s.limit = math.MaxUint64 / uint64(rows) * sketchKeys //nolint:gosec // a size
	}
	counts := tally{slots: make([]keyCount, 16)}
	var keys [512]uint64
	for from := 0; from < rows; from += len(keys) {
		k := keys[:min(len(keys), rows-from)]
		cell.Keys(r.col, r.view, from, k)
		for _, key := range k {
			if key == cell.NullKey {
				continue
			}
			s.values++
			if order := cell.Mix(key, 1); order <= s.limit {
				counts.add(order, 1)
			}
		}
	}
	s.keys = inKeyOrder(counts.slots)
	r.few = s
	return s
}

func inKeyOrder(slots []keyCount) []keyCount {
	keys := slices.DeleteFunc(slices.Clone(slots), func(k keyCount) bool { return k.n == 0 })
	slices.SortFunc(keys, func(a, b keyCount) int { return cmp.Compare(a.order, b.order) })
	return keys
}

// disjoint tells whether both columns hold many distinct values and none of those in the sketches
// has an equal on the other side. Of columns that have 10 % of their values in common, it is true
// for fewer than one of 500,000.
func (r *reading) disjoint(p *reading) bool {
	if min(r.col.Len(), p.col.Len()) <= 16*probes {
		return false
	}
	gs, ps := r.sketch(), p.sketch()
	limit := min(gs.limit, ps.limit)
	distinct := func(keys []keyCount) int {
		n, _ := slices.BinarySearchFunc(keys, limit, func(k keyCount, limit uint64) int { return cmp.Compare(k.order, limit) })
		return n
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
	if r.least == nil {
		r.least = inKeyOrder(r.counts.slots)
	}
	if len(r.least) <= n {
		return r.least, r.limit
	}
	return r.least[:n], r.least[n-1].order
}

// roughOverlap is overlap, estimated from the n least keys of both.
func roughOverlap(g, p *reading, n int) float64 {
	gs, gl := g.leastKeys(n)
	ps, pl := p.leastKeys(n)
	if g.sketch().values == 0 && p.sketch().values == 0 {
		return 1
	}
	return share(gs, ps, min(gl, pl))
}

// share is the share of the values whose keys are up to a limit that have an equal on the other
// side, counting repetitions.
func share(gs, ps []keyCount, limit uint64) float64 {
	common, inG, inP := 0, 0, 0
	j := 0
	for _, k := range gs {
		if k.order > limit {
			break
		}
		inG += k.n
		for j < len(ps) && ps[j].order < k.order {
			inP += ps[j].n
			j++
		}
		if j < len(ps) && ps[j].order == k.order {
			common += min(k.n, ps[j].n)
		}
	}
	for ; j < len(ps) && ps[j].order <= limit; j++ {
		inP += ps[j].n
	}
	return float64(common) / float64(max(inG, inP, 1))
}

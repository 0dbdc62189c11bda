package align

import (
	"math"
	"math/bits"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// reading is a column read in one way: its values with their numbers, and its numbers in order.
type reading struct {
	of   *column
	col  *scoring.Column
	view cell.View

	keys   []keyCount // distinct keys in their mixed form, ascending, NULL left out; a sample if there are very many
	limit  uint64     // the sample holds every key whose mixed form is at most this
	values int        // values that are not NULL
	loaded bool
	few    *sketch // made when first needed

	numeric
	digits int // digits after the point, up to maxDigits; -1: not yet counted
}

type keyCount struct {
	order uint64 // the key, mixed, so that the least keys are a random sample
	n     int    // 0: no key
}

// tally is a hash table that counts keys.
type tally struct {
	slots    []keyCount
	distinct int
}

func (t *tally) slot(order uint64) *keyCount {
	mask := uint64(len(t.slots) - 1)
	for i := order & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.n == 0 || s.order == order {
			return s
		}
	}
}

func (t *tally) add(order uint64, n int) {
	s := t.slot(order)
	if s.n == 0 {
		if 2*t.distinct >= len(t.slots) {
			t.rebuild(4*len(t.slots), math.MaxUint64)
			s = t.slot(order)
		}
		s.order = order
		t.distinct++
	}
	s.n += n
}

// count counts keys other than NULL up to a limit in their mixed form, and returns how many values are not NULL.
func (t *tally) count(keys []uint64, limit uint64) (values int) {
	for _, key := range keys {
		if key == cell.NullKey {
			continue
		}
		values++
		if order := cell.Mix(key, 1); order <= limit {
			t.add(order, 1)
		}
	}
	return values
}

// rebuild makes a table of another size with the keys up to a limit.
func (t *tally) rebuild(size int, limit uint64) {
	old := t.slots
	t.slots, t.distinct = make([]keyCount, size), 0
	for _, s := range old {
		if s.n > 0 && s.order <= limit {
			*t.slot(s.order) = s
			t.distinct++
		}
	}
}

// sampleKeys is the number of distinct values that represent a column with more.
const sampleKeys = 4096

func (a *aligner) reading(c *column, v cell.View) *reading {
	if r, ok := c.reading[v]; ok {
		return r
	}
	r := &reading{of: c, col: c.col, view: v, digits: -1}
	if c.reading == nil {
		c.reading = map[cell.View]*reading{}
	}
	c.reading[v] = r
	return r
}

// load counts the values. If there are more distinct ones than the sample holds, it keeps those
// whose mixed keys are least: the same values in every column, so that samples can be compared.
func (r *reading) load() {
	if r.loaded {
		return
	}
	r.loaded, r.limit = true, math.MaxUint64
	if counts, ok := r.of.counted(r.view); ok {
		r.keys, r.values = mixed(counts, r.limit)
		return
	}
	if r.many() && r.loadMany() {
		return
	}
	size := 16
	if r.few != nil {
		for most := min(len(r.few.keys)*r.col.Len()/sketchKeys, 2*sampleKeys); size < 2*most+most/4; size *= 2 {
		}
	}
	counts := tally{slots: make([]keyCount, size)}
	r.eachKeys(func(keys []uint64) {
		r.values += counts.count(keys, r.limit)
		for counts.distinct > 2*sampleKeys { // half of them, again and again, leave every value the same chance
			r.limit /= 2
			counts.rebuild(len(counts.slots), r.limit)
		}
	})
	r.keys = inOrderOf(counts.list(), r.limit)
}

// eachKeys calls f with the keys of the column, some at a time.
func (r *reading) eachKeys(f func(keys []uint64)) {
	var keys [512]uint64
	for from := 0; from < r.col.Len(); from += len(keys) {
		k := keys[:min(len(keys), r.col.Len()-from)]
		cell.Keys(r.col, r.view, from, k)
		f(k)
	}
}

// many reports whether, according to the sketch, there are more distinct values than a sample holds.
func (r *reading) many() bool {
	return r.few != nil && r.few.limit < math.MaxUint64 && len(r.few.keys)*(r.col.Len()/sketchKeys) > 2*sampleKeys
}

// loadMany is load for very many distinct values. Counting them all to keep a part takes several
// times as long as finding first, from marks in a small table, how far the limit goes down at
// least. It reports whether that could be found.
func (r *reading) loadMany() bool {
	const marks = 1 << 18
	halvings := 0 // of the limit: those that leave enough values to find the others
	for r.col.Len()>>halvings > marks/4 {
		halvings++
	}
	var marked [marks / 64]uint64
	var distinct [65]int // at least so many keys have exactly so many leading zeros
	orders := make([]uint64, 0, min(r.col.Len(), marks/2))
	values := 0
	limit := uint64(math.MaxUint64) >> halvings
	r.eachKeys(func(keys []uint64) {
		for _, key := range keys {
			if key == cell.NullKey {
				continue
			}
			values++
			order := cell.Mix(key, 1)
			if order > limit {
				continue
			}
			orders = append(orders, order)
			if at := order % marks; marked[at/64]>>(at%64)&1 == 0 {
				marked[at/64] |= 1 << (at % 64)
				distinct[bits.LeadingZeros64(order)]++
			}
		}
	})
	least, sum := 0, 0 // halvings that it takes at least
	for zeros := len(distinct) - 1; zeros >= halvings && least == 0; zeros-- {
		if sum += distinct[zeros]; sum > 2*sampleKeys {
			least = zeros + 1
		}
	}
	if least == 0 && halvings > 0 {
		return false
	}
	r.values, r.limit = values, math.MaxUint64>>least
	list := make([]keyCount, 0, len(orders)>>(least-min(least, halvings))+len(orders)/8)
	for _, order := range orders {
		if order <= r.limit {
			list = append(list, keyCount{order, 1})
		}
	}
	r.keys = summedUp(inOrderOf(list, r.limit))
	for len(r.keys) > 2*sampleKeys {
		r.limit /= 2
		r.keys = r.keys[:upTo(r.keys, r.limit)]
	}
	return true
}

// mixed are counted keys in their mixed form, those up to a limit, ascending, and how many values
// are not NULL.
func mixed(counts []cell.KeyCount, limit uint64) (keys []keyCount, values int) {
	keys = make([]keyCount, 0, len(counts))
	for _, k := range counts {
		if k.Key == cell.NullKey {
			continue
		}
		values += k.N
		if order := cell.Mix(k.Key, 1); order <= limit {
			keys = append(keys, keyCount{order, k.N})
		}
	}
	return inOrderOf(keys, limit), values
}

// distinct is the number of distinct values that are not NULL, up to the size of the sample.
func (r *reading) distinct() int {
	r.load()
	return len(r.keys)
}

// distinct is the number of distinct values of a gold column as a comparison reads it, up to the
// size of the sample.
func (a *aligner) distinct(g *column, c *scoring.Comparison) int {
	v, _ := cell.Views(c, false)
	if plain := a.plain(g); plain.Kind == v.Kind && v.Format == "" {
		v = plain // it is already parsed
	}
	return a.reading(g, v).distinct()
}

// mayReadAlike reports whether any text of one column may be what a number of the other is written
// as.
func mayReadAlike(g, p *column) bool {
	if g.kind != scoring.KindText {
		g, p = p, g
	}
	return g.kind != scoring.KindText || g.col.Type != scoring.String || p.kind != scoring.KindNumber || g.likeNumbers()
}

// likeNumbers reports whether any string of a column starts like a number in digits.
func (c *column) likeNumbers() bool {
	if c.numberLike == nil {
		like := false
		for i := 0; i < c.col.Len() && !like; i++ {
			s := strings.TrimLeft(strings.TrimSpace(c.col.Text(i)), `"+-`)
			like = s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '.') ||
				len(s) >= 3 && (strings.EqualFold(s[:3], "nan") || strings.EqualFold(s[:3], "inf"))
		}
		c.numberLike = &like
	}
	return *c.numberLike
}

// overlap is the share of the values of both columns that have an equal on the other side, counting
// repetitions; estimated from the least keys of both if there are very many. It is 0 if there
// are many and none of a sketch has an equal.
func overlap(g, p *reading) float64 {
	if g.disjoint(p) {
		return 0
	}
	g.load()
	p.load()
	if g.values == 0 && p.values == 0 {
		return 1
	}
	return share(g.keys, p.keys, min(g.limit, p.limit))
}

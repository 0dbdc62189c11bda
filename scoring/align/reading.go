package align

import (
	"math"
	"math/bits"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// reading is a column under a view: its distinct keys with their counts, and facts about its numbers.
type reading struct {
	of   *column
	col  *scoring.Column
	view cell.View

	keys   []keyCount // hashes of the distinct keys without NULL, ascending; a sample if there are very many
	limit  uint64     // keys holds every hash that is at most this
	values int        // number of values that are not NULL
	loaded bool
	few    *sketch // made when first needed

	numeric
	digits int // decimals that the numbers need, see decimals; -1: not yet counted
}

type keyCount struct {
	order uint64 // hash of the key, so that the smallest are a random sample
	n     int    // 0: the slot is free
}

// tally is a hash table that counts keys, by their hashes.
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

// count adds the keys, without NULL, whose hashes are at most limit, and returns how many of keys are not NULL.
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

// rebuild replaces the table by one of another size with only the hashes that are at most limit.
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

// sampleKeys is the number of distinct values that a sample of a column with more has at least.
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

// load counts the distinct values. If there are more than 2*sampleKeys, it keeps those with the smallest hashes, so
// that the samples of different columns contain the same values.
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

// eachKeys calls f with the keys of the column, up to 512 per call. f must not retain them.
func (r *reading) eachKeys(f func(keys []uint64)) {
	var keys [512]uint64
	for from := 0; from < r.col.Len(); from += len(keys) {
		k := keys[:min(len(keys), r.col.Len()-from)]
		cell.Keys(r.col, r.view, from, k)
		f(k)
	}
}

// many reports whether the sketch of the column, if it exists, indicates more distinct values than a sample holds.
func (r *reading) many() bool {
	return r.few != nil && r.few.limit < math.MaxUint64 && len(r.few.keys)*(r.col.Len()/sketchKeys) > 2*sampleKeys
}

// loadMany is load for very many distinct values. It first estimates the limit with a small bitmap, which is several
// times faster than counting all values. It reports whether it loaded them.
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

// mixed returns the hashes of counted keys that are at most limit, ascending, without NULL, and the number of values
// that are not NULL.
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

// distinct returns the number of distinct values that are not NULL; for a sampled column, the size of the sample.
func (r *reading) distinct() int {
	r.load()
	return len(r.keys)
}

// distinct returns the number of distinct values of a gold column under a comparison; for a sampled column, the size of
// the sample.
func (a *aligner) distinct(g *column, c *scoring.Comparison) int {
	v, _ := cell.Views(c, false)
	if plain := a.plain(g); plain.Kind == v.Kind && v.Format == "" {
		v = plain // it is already parsed
	}
	return a.reading(g, v).distinct()
}

// mayReadAlike reports whether a string of one column may equal the text of a number in the other. It is false only if
// one holds numbers and the other strings that do not start like numbers.
func mayReadAlike(g, p *column) bool {
	if g.kind != scoring.KindText {
		g, p = p, g
	}
	return g.kind != scoring.KindText || g.col.Type != scoring.String || p.kind != scoring.KindNumber || g.likeNumbers()
}

// likeNumbers reports whether any string of a column starts like a number in digits, or with nan or inf.
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

// overlap returns the share of the values of both columns that are equal to one of the other side, counting
// repetitions; 1 if neither has values. For very many values it is an estimate from samples.
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

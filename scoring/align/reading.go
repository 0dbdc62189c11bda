package align

import (
	"math"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// reading is a column read in one way: its values with their numbers, and its numbers in order.
type reading struct {
	col  *scoring.Column
	view cell.View

	counts tally  // distinct keys in their mixed form, NULL left out; a sample where there are very many
	limit  uint64 // the sample holds every key whose mixed form is at most this
	values int    // values that are not NULL
	loaded bool
	few    *sketch    // made when first needed
	least  []keyCount // the least keys of the sample, ascending, as many as were asked for

	numeric
	digits int // digits behind the point, up to maxDigits; -1: not yet counted
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

// of is how often a key was counted.
func (t *tally) of(order uint64) int { return t.slot(order).n }

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

// load counts the values. Where there are more distinct ones than the sample holds, it keeps those
// whose mixed keys are least: the same values in every column, so that samples can be compared.
func (r *reading) load() {
	if r.loaded {
		return
	}
	r.loaded, r.limit = true, math.MaxUint64
	size := 16
	if r.few != nil { // about how many distinct keys there are is known
		for most := min(len(r.few.keys)*r.col.Len()/sketchKeys, 2*sampleKeys); size < 2*most+most/4; size *= 2 {
		}
	}
	r.counts.slots = make([]keyCount, size)
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
				r.counts.add(order, 1)
			}
		}
		for r.counts.distinct > 2*sampleKeys { // half of them, again and again, leave every value the same chance
			r.limit /= 2
			r.counts.rebuild(len(r.counts.slots), r.limit)
		}
	}
}

// distinct is the number of distinct values that are not NULL, up to the size of the sample.
func (r *reading) distinct() int {
	r.load()
	return r.counts.distinct
}

// distinct is the number of distinct values of a gold column as a comparison reads it, up to the
// size of the sample.
func (a *aligner) distinct(g *column, c *scoring.Comparison) int {
	v, _ := cell.Views(c, false)
	if plain := a.plain(g); plain.Kind == v.Kind && v.Format == "" {
		v = plain // it is at hand
	}
	return a.reading(g, v).distinct()
}

// mayReadAlike tells whether any text of one column may be what a number of the other is written
// as.
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

// overlap is the share of the values of both columns that have an equal on the other side, counting
// repetitions; estimated from the least keys of both where there are very many. It is 0 where there
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
	limit := min(g.limit, p.limit)
	common, inG, inP := 0, g.sampled(limit), p.sampled(limit)
	if inG > 0 && inP > 0 {
		few, many := &g.counts, &p.counts
		if len(few.slots) > len(many.slots) {
			few, many = many, few
		}
		for _, s := range few.slots {
			if s.n > 0 && s.order <= limit {
				common += min(s.n, many.of(s.order))
			}
		}
	}
	return float64(common) / float64(max(inG, inP, 1))
}

// sampled is how many values the sample holds up to a limit.
func (r *reading) sampled(limit uint64) (n int) {
	if r.limit == math.MaxUint64 && limit == r.limit {
		return r.values
	}
	for _, s := range r.counts.slots {
		if s.order <= limit {
			n += s.n
		}
	}
	return n
}

package align

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// readingOf reads a column as numbers.
func readingOf(c *scoring.Column) *reading {
	return &reading{of: &column{col: c}, col: c, view: cell.View{Kind: scoring.KindNumber}, digits: -1}
}

// manyWays are columns of whole numbers that are counted, sampled and sketched in different ways.
func manyWays(r *rand.Rand) map[string]*scoring.Column {
	out := map[string]*scoring.Column{}
	for _, rows := range []int{0, 1, 700, 5_000, 8_193, 9_000, 70_000} {
		for _, distinct := range []int64{10, 3_000, 8_300, 20_000, 1 << 40} {
			for _, nulls := range []bool{false, true} {
				if nulls && rows > 10_000 {
					continue
				}
				b := scoring.NewBuilder("c", scoring.Int64, rows)
				apart := 1 + r.Int64N(1000)*r.Int64N(2)
				for range rows {
					if nulls && r.IntN(4) == 0 {
						b.AppendNull()
					} else {
						b.AppendInt(apart * (r.Int64N(distinct) - distinct/2))
					}
				}
				c := b.Column()
				out[strconv.Itoa(rows)+" rows of "+strconv.FormatInt(distinct, 10)+" values, NULL "+strconv.FormatBool(nulls)] = &c
			}
		}
	}
	return out
}

// naiveKeys counts the mixed keys of a column one by one.
func naiveKeys(c *scoring.Column) (keys []keyCount, values int) {
	counts := map[uint64]int{}
	for _, key := range cell.AllKeys(c, cell.View{Kind: scoring.KindNumber}) {
		if key != cell.NullKey {
			counts[cell.Mix(key, 1)]++
			values++
		}
	}
	for order, n := range counts {
		keys = append(keys, keyCount{order, n})
	}
	slices.SortFunc(keys, func(a, b keyCount) int { return cmp.Compare(a.order, b.order) })
	return keys, values
}

// A sample is all distinct keys up to the largest limit, of those that halving gives, that leaves
// no more than it may hold, however it is made.
func TestSample(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for why, c := range manyWays(r) {
		want, values := naiveKeys(c)
		limit := uint64(math.MaxUint64)
		for upTo(want, limit) > 2*sampleKeys {
			limit /= 2
		}
		for _, sketched := range []bool{false, true} {
			rd := readingOf(c)
			if sketched {
				s := rd.sketch()
				if s.values != values || !slices.Equal(s.keys, want[:upTo(want, s.limit)]) {
					t.Errorf("%s: a sketch of %d keys and %d values, want %d and %d", why, len(s.keys), s.values, upTo(want, s.limit), values)
				}
			}
			rd.load()
			if rd.values != values || rd.limit != limit || !slices.Equal(rd.keys, want[:upTo(want, limit)]) {
				t.Errorf("%s, sketched %v: %d keys up to %x of %d values, want %d up to %x of %d", why, sketched, len(rd.keys), rd.limit, rd.values, upTo(want, limit), limit, values)
			}
		}
	}
}

// The estimate for many columns in one call equals that for each pair separately.
func TestRough(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	var columns []*scoring.Column
	for range 12 {
		rows, distinct := 1+r.IntN(6_000), 1+r.Int64N(4_000)
		b := scoring.NewBuilder("c", scoring.Int64, rows)
		for range rows {
			b.AppendInt(3_000 * r.Int64N(distinct))
		}
		c := b.Column()
		columns = append(columns, &c)
	}
	nothing := scoring.NewBuilder("c", scoring.Int64, 3)
	nothing.AppendNulls(3)
	empty := nothing.Column()
	columns = append(columns, &empty)
	for _, n := range []int{64, 500} {
		preds := make([]*reading, len(columns))
		for i, c := range columns {
			preds[i] = readingOf(c)
		}
		index, got := newRough(preds, n), make([]float64, len(preds))
		some := false
		for i, c := range columns {
			g := readingOf(c)
			index.shares(g, got)
			for j := range preds {
				gs, gl := g.leastKeys(n)
				ps, pl := preds[j].leastKeys(n)
				want := share(gs, ps, min(gl, pl))
				if c == &empty && columns[j] == &empty {
					want = 1
				}
				if some = some || want > 0 && want < 1; got[j] != want {
					t.Errorf("%d keys, columns %d and %d: %v, want %v", n, i, j, got[j], want)
				}
			}
		}
		if !some {
			t.Error("no two columns have a part of their values in common")
		}
	}
}

package cell

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// Counted by their values, whole numbers have the keys, and add up to the sum, of the cells one by
// one.
func TestKeyCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	column := func(typ scoring.Type, nulls bool, value func() int64) *scoring.Column {
		b := scoring.NewBuilder("c", typ, 2*MinCounted)
		for i := range 2 * MinCounted {
			v := value()
			switch {
			case nulls && (i < 3 || r.IntN(5) == 0):
				b.AppendNull()
			case typ == scoring.Date:
				b.Append(scoring.DateValue(v))
			case typ == scoring.Bool:
				b.Append(scoring.BoolValue(v%2 == 0))
			default:
				b.AppendInt(v)
			}
		}
		c := b.Column()
		return &c
	}
	few := func() int64 { return r.Int64N(10) }
	ends := func() int64 { return math.MaxInt64 - r.Int64N(2)*(math.MaxInt64-7) }
	nulls := scoring.NewBuilder("c", scoring.Int64, MinCounted)
	nulls.AppendInt(1)
	nulls.AppendNulls(MinCounted)
	nothing := nulls.Column()
	first := true
	for _, tc := range []struct {
		why   string
		c     *scoring.Column
		v     View
		wants bool
	}{
		{"few values", column(scoring.Int64, false, few), View{Kind: scoring.KindNumber}, true},
		{"few values and NULL", column(scoring.Int64, true, few), View{Kind: scoring.KindNumber, FloatBits: true}, true},
		{"NULL but for one", &nothing, View{Kind: scoring.KindNumber}, true},
		{"negative", column(scoring.Int64, false, func() int64 { return r.Int64N(2000) - 1000 }), View{Kind: scoring.KindNumber}, true},
		{"the largest numbers", column(scoring.Int64, false, func() int64 { return math.MaxInt64 - r.Int64N(100) }), View{Kind: scoring.KindNumber}, true},
		{"the smallest numbers", column(scoring.Int64, true, func() int64 { return math.MinInt64 + r.Int64N(100) }), View{Kind: scoring.KindNumber}, true},
		{"truth", column(scoring.Bool, true, few), View{Kind: scoring.KindBool}, true},
		{"dates", column(scoring.Date, true, func() int64 { return 19_000 + r.Int64N(365) }), View{Kind: scoring.KindTime}, true},
		{"far apart", column(scoring.Int64, false, func() int64 { return 1000 * r.Int64N(10) }), View{Kind: scoring.KindNumber}, false},
		{"both ends", column(scoring.Int64, false, ends), View{Kind: scoring.KindNumber}, false},
		{"one beyond the window", column(scoring.Int64, false, func() int64 {
			if first {
				first = false
				return 0
			}
			return countWindow / 2
		}), View{Kind: scoring.KindNumber}, false},
		{"as text", column(scoring.Int64, false, few), View{Kind: scoring.KindText}, false},
		{"in a format", column(scoring.Int64, false, few), View{Kind: scoring.KindTime, Format: FormatCompact}, false},
	} {
		counts, ok := KeyCounts(tc.c, tc.v)
		if ok != tc.wants {
			t.Errorf("%s: counted %v, want %v", tc.why, ok, tc.wants)
		}
		if !ok {
			continue
		}
		want := map[uint64]int{}
		for _, key := range AllKeys(tc.c, tc.v) {
			want[key]++
		}
		for _, k := range counts {
			if want[k.Key] != k.N {
				t.Errorf("%s: key %x %d times, want %d", tc.why, k.Key, k.N, want[k.Key])
			}
			delete(want, k.Key)
		}
		if len(want) > 0 {
			t.Errorf("%s: %d keys are left out", tc.why, len(want))
		}
		if SumOfCounts(counts) != SumOf(tc.c, tc.v) {
			t.Errorf("%s: another sum", tc.why)
		}
	}
}

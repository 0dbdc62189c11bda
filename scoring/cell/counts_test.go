package cell

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// Counted by their values, numbers have the keys, and add up to the sum, of the cells one by
// one.
func TestCounts(t *testing.T) {
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
			case typ == scoring.Float64:
				b.Append(scoring.FloatValue(float64(v) / 8))
			case typ == scoring.Decimal:
				b.Append(scoring.DecimalValue(v, 2))
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
	oddities := scoring.NewBuilder("c", scoring.Float64, MinCounted)
	for i := range MinCounted {
		oddities.Append(scoring.FloatValue([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 3}[i%7]))
	}
	odd := oddities.Column()
	close := func(distinct int) *scoring.Column {
		b := scoring.NewBuilder("c", scoring.Int64, 2*distinct)
		for i := range 2 * distinct {
			b.AppendInt(int64(i % distinct))
		}
		c := b.Column()
		return &c
	}
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
		{"far apart", column(scoring.Int64, false, func() int64 { return countWindow * r.Int64N(10) }), View{Kind: scoring.KindNumber}, true},
		{"more than a sample holds", close(maxClose + 1), View{Kind: scoring.KindNumber}, false},
		{"as many as a sample holds", close(maxClose), View{Kind: scoring.KindNumber}, true},
		{"both ends", column(scoring.Int64, false, ends), View{Kind: scoring.KindNumber}, true},
		{"many far apart", column(scoring.Int64, false, func() int64 { return r.Int64N(1 << 40) }), View{Kind: scoring.KindNumber}, false},
		{"dates far apart", column(scoring.Date, true, func() int64 { return 10_000 * r.Int64N(5) }), View{Kind: scoring.KindTime}, true},
		{"few fractions", column(scoring.Float64, false, few), View{Kind: scoring.KindNumber}, true},
		{"few fractions, by bits", column(scoring.Float64, true, few), View{Kind: scoring.KindNumber, FloatBits: true}, true},
		{"many fractions", column(scoring.Float64, true, func() int64 { return r.Int64N(1 << 40) }), View{Kind: scoring.KindNumber, FloatBits: true}, false},
		{"zeros and what is none", &odd, View{Kind: scoring.KindNumber, FloatBits: true}, true},
		{"decimals", column(scoring.Decimal, true, func() int64 { return 10 * r.Int64N(20) }), View{Kind: scoring.KindNumber}, true},
		{"one beyond the window", column(scoring.Int64, false, func() int64 {
			if first {
				first = false
				return 0
			}
			return countWindow / 2
		}), View{Kind: scoring.KindNumber}, true},
		{"as text", column(scoring.Int64, false, few), View{Kind: scoring.KindText}, false},
		{"in a format", column(scoring.Int64, false, few), View{Kind: scoring.KindTime, Format: formatCompact}, false},
	} {
		values := CountValues(tc.c)
		if ok := values != nil && tc.v.AsIs(); ok != tc.wants {
			t.Errorf("%s: counted %v, want %v", tc.why, ok, tc.wants)
		}
		if !tc.wants || values == nil {
			continue
		}
		counts := values.Keys(tc.v)
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

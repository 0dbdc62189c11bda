package report

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A series gives back what was put, however many different scores it holds, in whatever order they come.
func TestSeries(t *testing.T) {
	odd := []float64{0, math.Copysign(0, -1), 1, math.NaN(), math.Inf(1), 1.0 / 3}
	for _, different := range []int{1, 3, 254, 255, 256, 257, maxKnown - 2, maxKnown - 1, maxKnown, 3 * maxKnown} {
		r := rand.New(rand.NewPCG(uint64(different), 1))
		var x series
		want := map[int32]found{}
		const cases = 4 * maxKnown
		put := func(n int32, i int) {
			f := found{mark: mark(1 + i%5), word: uint16(i % 7), value: float64(i)}
			if i < len(odd) {
				f.value = odd[i]
			}
			x.put(int(n), f)
			want[n] = f
		}
		for i := range different {
			put(r.Int32N(cases), i)
		}
		for range cases {
			put(r.Int32N(cases), r.IntN(different))
		}
		if plain := different >= maxKnown; x.plain != plain || x.wide != (different >= 256) {
			t.Errorf("%d different scores: plain %v, wide %v", different, x.plain, x.wide)
		}
		for n := int32(-1); n < cases+2; n++ {
			got, is := x.at(n), want[n]
			same := got.value == is.value && math.Signbit(got.value) == math.Signbit(is.value) || math.IsNaN(got.value) && math.IsNaN(is.value)
			if !same || got.mark != is.mark || got.word != is.word {
				t.Fatalf("%d different scores, case %d: %v, want %v", different, n, got, is)
			}
		}
	}
}

package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// Cases and lists of tags have a number each, the same when they come again.
func TestNumbers(t *testing.T) {
	var cases caseNumbers
	var lists tagLists
	for range 2 {
		for i := range int32(3000) {
			if n := cases.of(caseKey{fmt.Sprint("case ", i/3), fmt.Sprint("batch ", i%3)}); n != i {
				t.Fatalf("case %d has the number %d", i, n)
			}
			list := []uint16{uint16(i), uint16(i >> 8), 1}[:1+i%3]
			if got := lists.list(lists.of(list)); !slices.Equal(got, list) {
				t.Fatalf("the list %v is %v", list, got)
			}
		}
		if n := len(lists.lists); n != 3000 {
			t.Errorf("%d lists, want 3000", n)
		}
	}
	if lists.list(0) != nil {
		t.Error("there is a list 0")
	}
}

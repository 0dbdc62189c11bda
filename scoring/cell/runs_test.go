package cell

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRuns looks numbers up as in a list that is sorted in full.
func TestRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 100, 5000} {
		fs := make([]float64, n)
		for i := range fs {
			fs[i] = []float64{rng.NormFloat64(), 1e9 + rng.Float64(), float64(rng.IntN(9)), math.Inf(1 - 2*rng.IntN(2))}[rng.IntN(4)]
		}
		r := NewRuns(fs)
		sorted := slices.Sorted(slices.Values(fs))
		for range 300 {
			f := fs[rng.IntN(n)] + float64(rng.IntN(2))
			at, _ := slices.BinarySearch(sorted, f)
			below, above := r.Around(func(x float64) bool { return x >= f })
			if at < n && above != sorted[at] || at == n && above == above || at > 0 && below != sorted[at-1] || at == 0 && below == below {
				t.Fatalf("%d numbers: around %v are %v and %v", n, f, below, above)
			}
			if i := rng.IntN(n); r.At(i) != sorted[i] {
				t.Fatalf("%d numbers: number %d is %v, want %v", n, i, r.At(i), sorted[i])
			}
		}
	}
}

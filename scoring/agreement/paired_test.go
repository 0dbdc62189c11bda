package agreement

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

// Exact binomial sums, worked out by hand: 2·(C(n,0)+…+C(n,k))/2^n.
func TestMcNemar(t *testing.T) {
	for _, tc := range []struct {
		b, c int
		want float64
	}{
		{0, 0, 1}, {1, 0, 1}, {3, 3, 1}, {2, 3, 1},
		{5, 0, 2.0 / 32}, {0, 6, 2.0 / 64}, {1, 8, 2.0 * 10 / 512}, {4, 1, 2.0 * 6 / 32}, {10, 2, 2.0 * (1 + 12 + 66) / 4096},
	} {
		if got := McNemar(tc.b, tc.c); !near(got, tc.want, 1e-12) {
			t.Errorf("%d against %d: p = %v, want %v", tc.b, tc.c, got, tc.want)
		}
	}
	if p := McNemar(5200, 4800); !near(p, 6.6e-5, 0.5e-5) { // normal approximation with continuity correction: z = 399/100
		t.Errorf("large counts: p = %v", p)
	}
}

// Darwin's maize: Fisher (1935, section 21) counts 863 of the 2^15 ways to give the fifteen
// differences signs whose sum is at least as large as the observed one, 2.634 % on each side.
func TestSignFlip(t *testing.T) {
	maize := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	if p := SignFlip(maize, 1); !near(p, 2*863.0/32768, 0.006) {
		t.Errorf("Darwin's maize: p = %v, want about %.4f", p, 2*863.0/32768)
	}
	for _, tc := range []struct {
		name  string
		diffs []float64
		want  float64
	}{
		{"no pairs", nil, 1},
		{"no differences", []float64{0, 0, 0}, 1},
		{"one", []float64{0.5}, 1},
		{"all one way", []float64{1, 2, 3, 4, 5}, 2.0 / 32},
		{"zeros do not count", []float64{0, 1, 2, 3, 4, 5, 0}, 2.0 / 32},
		{"sums of 0.1 have rounding errors", []float64{0.1, 0.2, -0.3}, 1},
		{"6 of 8 sums are at least 2 from 0", []float64{3, 1, -2}, 6.0 / 8},
	} {
		if got := SignFlip(tc.diffs, 1); !near(got, tc.want, 1e-12) {
			t.Errorf("%s: p = %v, want %v", tc.name, got, tc.want)
		}
	}
}

// Under no difference p falls below 0.05 in about 5 % of samples, however it is computed; a clear
// difference is found.
func TestSignFlipKeepsItsLevel(t *testing.T) {
	for _, n := range []int{10, 40, manyPairs + 10} {
		trials := 200
		low, found := 0, 0
		for seed := range uint64(trials) {
			r := rand.New(rand.NewPCG(seed, 3))
			none, clear := make([]float64, n), make([]float64, n)
			for i := range none {
				none[i] = r.NormFloat64()
				clear[i] = 1.5 + r.NormFloat64()
			}
			if SignFlip(none, seed) < 0.05 {
				low++
			}
			if SignFlip(clear, seed) < 0.05 {
				found++
			}
			if n > manyPairs || n == 40 {
				trials = 60
				if seed >= 60 {
					break
				}
			}
		}
		if low > trials/8 {
			t.Errorf("%d pairs: %d of %d samples without a difference are significant", n, low, trials)
		}
		if found < trials*9/10 {
			t.Errorf("%d pairs: %d of %d clear differences are found", n, found, trials)
		}
	}
}

func TestMeanInterval(t *testing.T) {
	if low, high := MeanInterval([]float64{0.5, 0.5, 0.5}, 1); low != 0.5 || high != 0.5 {
		t.Errorf("equal differences: %v to %v", low, high)
	}
	// The 95 % interval of differences of mean 0.1 holds 0.1 in about 95 % of samples, in both ways
	// of computing it.
	for _, n := range []int{60, manyPairs + 1} {
		held, trials := 0, 300
		for seed := range uint64(trials) {
			r := rand.New(rand.NewPCG(seed, 9))
			diffs := make([]float64, n)
			for i := range diffs {
				diffs[i] = 0.1 + r.NormFloat64()/5
			}
			if low, high := MeanInterval(diffs, 1); low <= 0.1 && 0.1 <= high {
				held++
			}
		}
		if share := float64(held) / float64(trials); share < 0.90 || share > 0.99 {
			t.Errorf("%d pairs: the interval held the mean in %.0f %% of samples", n, 100*share)
		}
	}
}

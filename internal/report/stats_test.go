package report

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

// Newcombe 1998 (Statistics in Medicine 17, 857), Table I, method 3.
func TestWilsonInterval(t *testing.T) {
	for _, tc := range []struct {
		k, n      int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
		{20, 20, 0.8389, 1}, // the mirror image of 0 of 20
		{0, 0, 0, 1},        // nothing is known
	} {
		low, high := wilson(tc.k, tc.n)
		if !near(low, tc.low, 5e-5) || !near(high, tc.high, 5e-5) {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", tc.k, tc.n, low, high, tc.low, tc.high)
		}
	}
}

// Exact binomial sums, worked out by hand: 2·(C(n,0)+…+C(n,k))/2^n.
func TestMcNemar(t *testing.T) {
	for _, tc := range []struct {
		b, c int
		want float64
	}{
		{0, 0, 1}, {1, 0, 1}, {3, 3, 1}, {2, 3, 1},
		{5, 0, 2.0 / 32}, {0, 6, 2.0 / 64}, {1, 8, 2.0 * 10 / 512}, {4, 1, 2.0 * 6 / 32}, {10, 2, 2.0 * (1 + 12 + 66) / 4096},
	} {
		if got := mcnemar(tc.b, tc.c); !near(got, tc.want, 1e-12) {
			t.Errorf("%d against %d: p = %v, want %v", tc.b, tc.c, got, tc.want)
		}
	}
	if p := mcnemar(5200, 4800); !near(p, 6.6e-5, 0.5e-5) { // normal approximation with continuity correction: z = 399/100
		t.Errorf("large counts: p = %v", p)
	}
}

func TestMeanInterval(t *testing.T) {
	if low, high := meanInterval([]float64{0.5, 0.5, 0.5}, 1); low != 0.5 || high != 0.5 {
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
			if low, high := meanInterval(diffs, 1); low <= 0.1 && 0.1 <= high {
				held++
			}
		}
		if share := float64(held) / float64(trials); share < 0.90 || share > 0.99 {
			t.Errorf("%d pairs: the interval held the mean in %.0f %% of samples", n, 100*share)
		}
	}
}

func TestMeanDoesNotDependOnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 1000)
	for i := range values {
		values[i] = r.NormFloat64() * math.Pow10(r.IntN(20)-10)
	}
	want := mean(append([]float64(nil), values...))
	for range 50 {
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		if got := mean(append([]float64(nil), values...)); got != want {
			t.Fatalf("%v and %v of the same values", got, want)
		}
	}
}

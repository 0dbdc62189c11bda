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

// Ten identical answers to each of 56 questions are worth 56: the interval is that of one night.
func TestEffectiveAnswers(t *testing.T) {
	var same, once []tally
	for i := range 56 {
		passed := 0
		if i < 25 {
			passed = 1
		}
		once, same = append(once, tally{passed, 1}), append(same, tally{10 * passed, 10})
	}
	if a, b := effective(once), effective(same); math.Abs(a-56) > 1e-9 || math.Abs(b-56) > 1e-9 {
		t.Errorf("%v and %v, want 56", a, b)
	}
	night, ten := shareOver(once), shareOver(same)
	if ten.Of != 560 || ten.Questions != 56 || math.Abs(night.Low-ten.Low)+math.Abs(night.High-ten.High) > 1e-9 {
		t.Errorf("%+v and %+v", night, ten)
	}
	// Of two questions one passed 3 of 4 times, the other 1 of 4: p is 0.5, and 0.5 x 0.5 x 64 / (1 + 1) is 8, all answers.
	if n := effective([]tally{{3, 4}, {1, 4}}); math.Abs(n-8) > 1e-9 {
		t.Errorf("%v, want 8", n)
	}
	if n := effective([]tally{{4, 4}, {4, 4}, {2, 2}}); n != 3 {
		t.Errorf("all passed: %v, want 3", n)
	}
	if n := effective(nil); n != 0 {
		t.Errorf("no question: %v", n)
	}
}

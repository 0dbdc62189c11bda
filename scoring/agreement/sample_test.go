package agreement_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/badger-eval/badger/scoring/agreement"
)

// Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, 3rd edition, section 18.1:
// two raters, 100 subjects, three diagnoses; kappa 0.68 with a standard error of 0.087. A 95 %
// interval of the width 2 x 1.96 x 0.087 = 0.341 to 0.345 (0.0870 to 0.0880) therefore takes about 100
// cases, and one of half the width four times as many.
func TestCohenCasesOfFleiss(t *testing.T) {
	table := [][]int{{75, 1, 4}, {5, 4, 1}, {0, 0, 10}}
	near(t, "kappa", agreement.Cohen(table), 0.68, 2)
	if n := agreement.CohenCases(table, 0.3438, 0.95); !n.Defined || n.Value != 100 {
		t.Errorf("%+v, want 100", n)
	}
	if n := agreement.CohenCases(table, 0.1719, 0.95); math.Abs(n.Value-400) > 1 {
		t.Errorf("half as wide: %+v, want 400", n)
	}
	tenfold := [][]int{{750, 10, 40}, {50, 40, 10}, {0, 0, 100}}
	if n := agreement.CohenCases(tenfold, 0.3438, 0.95); n.Value != 100 {
		t.Errorf("shares alone count: %+v", n)
	}
}

// By hand: both raters say yes to half of the cases and agree on three of four: o = 3/4, e = 1/2,
// kappa 1/2. A = 2 x 3/8 x (1/2 - 1/4)² = 3/64, B = 1/16 x 2 x 1/8 x 1 = 1/64, C = (3/8 - 1 + 3/4)² =
// 1/64, s² = (3/64 + 1/64 - 1/64) x 16 = 3/4. At the width 0.2: n = 4 x 1.959964² x 0.75 / 0.04 = 288.1.
func TestCohenCasesByHand(t *testing.T) {
	if n := agreement.CohenCases([][]int{{3, 1}, {1, 3}}, 0.2, 0.95); n.Value != 289 {
		t.Errorf("%+v, want 289", n)
	}
}

// Samples of the size that is asked for have kappas that scatter as wide as was asked for.
func TestCohenCasesBySimulation(t *testing.T) {
	lot := rand.New(rand.NewPCG(1, 2))
	for _, shares := range [][][]int{{{40, 9}, {6, 45}}, {{80, 5}, {5, 10}}, {{30, 5, 5}, {5, 20, 5}, {2, 8, 20}}} {
		const width = 0.2
		n := agreement.CohenCases(shares, width, 0.95)
		var sum, squares float64
		const samples = 4000
		for range samples {
			table := make([][]int, len(shares))
			for i := range table {
				table[i] = make([]int, len(shares))
			}
			for range int(n.Value) {
				at := lot.IntN(100)
				for i, row := range shares {
					for j, share := range row {
						if at >= 0 && at < share {
							table[i][j]++
						}
						at -= share
					}
				}
			}
			k := agreement.Cohen(table).Value
			sum, squares = sum+k, squares+k*k
		}
		mean := sum / samples
		got := 2 * 1.959964 * math.Sqrt(squares/samples-mean*mean)
		// The spread of 4000 samples is known to 1 / sqrt(8000), 1.1 %; the rest is for what large samples neglect.
		if math.Abs(got-width) > 0.05*width {
			t.Errorf("%v: samples of %v spread over %.4f, want %v", shares, n.Value, got, width)
		}
	}
}

func TestCohenCasesUndefined(t *testing.T) {
	for _, table := range [][][]int{nil, {{0, 0}, {0, 0}}, {{5, 0}, {0, 0}}, {{5, 0}, {0, 5}}} {
		if n := agreement.CohenCases(table, 0.2, 0.95); n.Defined || n.Why == "" {
			t.Errorf("%v: %+v", table, n)
		}
	}
}

// By hand: three raters, four cases, two categories. o = 20/24, p = (2/3, 1/3), e = 5/9, kappa = 0.625. With
// Gwet's kappa of a case less twice (1 - kappa) times its chance beyond e, over 1 - e: 0.8125, 0.8125, 1.375
// and -0.5, so that s² = (2 x 0.1875² + 0.75² + 1.125²) / 3 = 0.6328. At the width 0.2:
// n = 4 x 1.959964² x 0.6328 / 0.04 = 243.1.
func TestPairwiseCasesByHand(t *testing.T) {
	cases := [][]int{{3}, {3, 0}, {0, 3}, {2, 1}} // categories without ratings may be omitted
	if n := agreement.PairwiseCases(cases, 0.2, 0.95); n.Value != 244 {
		t.Errorf("%+v, want 244", n)
	}
	with := append([][]int{{1, 0}, {0, 0}}, cases...)
	if n := agreement.PairwiseCases(with, 0.2, 0.95); n.Value != 244 {
		t.Errorf("with cases that one rater or none saw: %+v", n)
	}
	for why, none := range map[string][][]int{"no cases": nil, "one case": {{2, 1}}, "no disagreement": {{3, 0}, {0, 3}, {3, 0}}, "one category": {{3, 0}, {3, 0}}} {
		if n := agreement.PairwiseCases(none, 0.2, 0.95); n.Defined || n.Why == "" {
			t.Errorf("%s: %+v", why, n)
		}
	}
}

// Kappas of samples of the size that is asked for scatter as wide as was asked for, with three raters of
// every case and with two to five.
func TestPairwiseCasesBySimulation(t *testing.T) {
	lot := rand.New(rand.NewPCG(3, 4))
	for _, most := range []int{3, 5} {
		draw := func() []int {
			raters := 3
			if most > 3 {
				raters = 2 + lot.IntN(4)
			}
			truth, counts := lot.IntN(3), make([]int, 3)
			for range raters {
				if says := truth; lot.Float64() < 0.7 {
					counts[says]++
				} else {
					counts[lot.IntN(3)]++
				}
			}
			return counts
		}
		kappa := func(cases [][]int) float64 {
			table := [][]int{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}
			for _, c := range cases {
				for i := range c {
					for j := range c {
						if table[i][j] += c[i] * c[j]; i == j {
							table[i][j] -= c[i]
						}
					}
				}
			}
			return agreement.Cohen(table).Value
		}
		sample := func(n int) (out [][]int) {
			for range n {
				out = append(out, draw())
			}
			return out
		}
		const width = 0.2
		n := agreement.PairwiseCases(sample(20_000), width, 0.95)
		var sum, squares float64
		const samples = 2000
		for range samples {
			k := kappa(sample(int(n.Value)))
			sum, squares = sum+k, squares+k*k
		}
		sd := math.Sqrt(squares/samples - sum*sum/samples/samples)
		if got := 2 * 1.96 * sd; !n.Defined || math.Abs(got/width-1) > 0.06 {
			t.Errorf("up to %d raters: intervals of %v cases are %.4f wide, want %v", most, n.Value, got, width)
		}
	}
}

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

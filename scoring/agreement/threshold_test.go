package agreement_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring/agreement"
)

func graded(pairs ...float64) (out []agreement.Graded) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, agreement.Graded{Value: pairs[i], Label: pairs[i+1] == 1})
	}
	return out
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		why       string
		scale     agreement.Scale
		cases     []agreement.Graded
		threshold float64
		kappa     float64
	}{
		{"the middle of the gap, as a round number", agreement.Scale{}, graded(0.1, 0, 0.4, 0, 0.7, 1, 0.9, 1), 0.6, 1},
		{"lower is better", agreement.Scale{LowerIsBetter: true}, graded(10, 1, 20, 1, 300, 0), 160, 1},
		{"equal values stay together", agreement.Scale{}, graded(0.5, 0, 0.5, 1, 0.5, 1, 1, 1), 0.8, 0.2},
		{"of equally good gaps the widest", agreement.Scale{}, graded(0, 0, 0.1, 1, 0.2, 0, 0.9, 1), 0.6, 0.5},
		{"values that hold nothing", agreement.Scale{}, graded(0.5, 0, 0.5, 1), 0.5, 0},
	} {
		got, best := c.scale.Choose(c.cases, confusion.Kappa)
		if !best.Defined || math.Abs(best.Value-c.kappa) > 1e-9 || math.Abs(got-c.threshold) > 1e-9 {
			t.Errorf("%s: threshold %v with kappa %+v, want %v with %v", c.why, got, best, c.threshold, c.kappa)
		}
		if at := c.scale.At(got, c.cases).Kappa(); at.Value != best.Value {
			t.Errorf("%s: kappa is said to be %v, and is %v", c.why, best.Value, at.Value)
		}
	}
	for _, cases := range [][]agreement.Graded{nil, graded(0.5, 1, 0.7, 1)} {
		if _, best := (agreement.Scale{}).Choose(cases, confusion.Kappa); best.Defined || best.Why == "" {
			t.Errorf("%v: %+v, want none, and why", cases, best)
		}
	}
}

// No other threshold with different verdicts is better than the chosen one.
func TestChooseIsBest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var cases []agreement.Graded
		for range 2 + r.IntN(30) {
			cases = append(cases, agreement.Graded{Value: float64(r.IntN(12)) / 7, Label: r.IntN(2) == 0})
		}
		s := agreement.Scale{LowerIsBetter: r.IntN(2) == 0}
		for name, of := range statistics {
			_, best := s.Choose(cases, of)
			for _, g := range cases {
				for _, at := range []float64{g.Value, g.Value + 1e-9, g.Value - 1e-9} {
					if v := of(s.At(at, cases)); best.Defined && v.Defined && v.Value > best.Value+1e-12 {
						t.Fatalf("%s at %v is %v, chosen was %v", name, at, v.Value, best.Value)
					}
				}
			}
		}
	}
}

func TestFolds(t *testing.T) {
	var cases []agreement.Graded
	for i := range 103 {
		cases = append(cases, agreement.Graded{Label: i%4 == 0})
	}
	folds := agreement.StratifiedFolds(cases, 5, 1)
	if !slices.Equal(folds, agreement.StratifiedFolds(cases, 5, 1)) || slices.Equal(folds, agreement.StratifiedFolds(cases, 5, 2)) {
		t.Error("folds do not follow from the seed")
	}
	size, passes := make([]int, 5), make([]int, 5)
	for i, f := range folds {
		size[f]++
		if cases[i].Label {
			passes[f]++
		}
	}
	for f := range 5 {
		if size[f] < 20 || size[f] > 21 || passes[f] < 5 || passes[f] > 6 {
			t.Errorf("fold %d has %d cases and %d passes, want about 20.6 and 5.2", f, size[f], passes[f])
		}
	}
	if got := agreement.GroupFolds([]string{"b", "a", "b", "c"}); !slices.Equal(got, []int{1, 0, 1, 2}) {
		t.Errorf("groups: %v", got)
	}
}

func TestCrossValidate(t *testing.T) {
	// In group x passes are above 0.5, in group y above 0.1: a threshold of one fails on the other.
	cases := append(graded(0.2, 0, 0.4, 0, 0.6, 1, 0.8, 1), graded(0.02, 0, 0.06, 0, 0.14, 1, 0.18, 1)...)
	groups := []string{"x", "x", "x", "x", "y", "y", "y", "y"}
	cv := agreement.CrossValidate(cases, agreement.GroupFolds(groups), agreement.Scale{}, confusion.Kappa)
	// x is judged with y's 0.1: all four pass. y is judged with x's 0.5: none does.
	if want := (confusion{TP: 2, FP: 2, TN: 2, FN: 2}); cv.Held != want || cv.Skipped != 0 || !slices.Equal(cv.Thresholds, []float64{0.1, 0.5}) {
		t.Errorf("held out: %+v, want %+v", cv, want)
	}
	if k := cv.Fitted.Kappa().Value; k <= cv.Held.Kappa().Value {
		t.Errorf("on the cases it was chosen on kappa is %v, no better than %v", k, cv.Held.Kappa().Value)
	}
	labels := make([]agreement.Vote, len(cases))
	for i := range cases {
		labels[i] = agreement.VoteOf(&cases[i].Label)
	}
	if got := agreement.Tally(labels, cv.Verdicts); got != cv.Held {
		t.Errorf("the verdicts count to %+v, held out is %+v", got, cv.Held)
	}

	oneClass := agreement.CrossValidate(graded(0.2, 1, 0.4, 1), []int{0, 1}, agreement.Scale{}, confusion.Kappa)
	if oneClass.Why == "" || oneClass.Skipped != 2 || oneClass.Held.N() != 0 {
		t.Errorf("labels of one class: %+v", oneClass)
	}
	// All passes are in one group: without it there is nothing to choose by.
	part := agreement.CrossValidate(graded(0.2, 0, 0.9, 1, 0.3, 0), []int{0, 1, 2}, agreement.Scale{}, confusion.Kappa)
	if part.Skipped != 1 || part.Held.N() != 2 || part.Verdicts[1] != agreement.Missing || part.Why == "" {
		t.Errorf("a fold that cannot be judged: %+v", part)
	}
}

// A metric that knows nothing looks better than chance on the cases its threshold was chosen on,
// and does not on others.
func TestCrossValidationTellsOverfitting(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var fitted, held float64
	const trials = 100
	for range trials {
		var cases []agreement.Graded
		for range 60 {
			cases = append(cases, agreement.Graded{Value: r.Float64(), Label: r.IntN(2) == 0})
		}
		cv := agreement.CrossValidate(cases, agreement.StratifiedFolds(cases, 5, 1), agreement.Scale{}, confusion.Kappa)
		fitted += cv.Fitted.Kappa().Value / trials
		held += cv.Held.Kappa().Value / trials
	}
	if fitted < 0.1 || math.Abs(held) > 0.06 {
		t.Errorf("kappa of noise: %.3f where the threshold was chosen, %.3f elsewhere; want clearly above 0, and about 0", fitted, held)
	}
}

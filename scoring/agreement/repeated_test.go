package agreement_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/badger-eval/badger/scoring/agreement"
)

// The wider bounds are of Tango's statistic, from scipy: its root, whose constrained likelihood is maximised numerically
// instead of by the closed form. The bounds next to 0 are of Clopper and Pearson's interval of the changed cases, from
// sums of binomial probabilities: .0950 = 27/44 (2 x .5774 - 1), as binom.test(21, 27) in R has it.
func TestPairedShares(t *testing.T) {
	for _, c := range []struct {
		fixed, broken, cases int
		low, high            float64
	}{
		{6, 21, 44, -.5298, -.0950}, {0, 5, 20, -.4687, .0109}, {3, 3, 50, -.1142, .1142}, {12, 2, 40, .0503, .4194},
		{0, 0, 30, -.1135, .1135},
	} {
		in := agreement.PairedShares(c.fixed, c.broken, c.cases, .95)
		if math.Abs(in.Lo-c.low) > 6e-5 || math.Abs(in.Hi-c.high) > 6e-5 || !in.Defined {
			t.Errorf("%+v: %+v", c, in)
		}
	}
	// With all of 5 changed cases broken, the bound is 5/n (1 - 2 (level/2)^(1/5)).
	if in := agreement.PairedShares(0, 5, 5, .95); in.Lo != -1 || math.Abs(in.Hi-(1-2*math.Pow(.025, .2))) > 1e-9 {
		t.Errorf("all broke: %+v", in)
	}
	if in := agreement.PairedShares(0, 0, 0, .95); in.Defined || in.Why == "" {
		t.Errorf("no cases: %+v", in)
	}
}

// The interval and McNemar's test never disagree about 0, at any level.
func TestPairedSharesAgreesWithMcNemar(t *testing.T) {
	for _, level := range []float64{.9, .95, .99} {
		for changed := range 61 {
			for fixed := range changed + 1 {
				for _, same := range []int{0, 3, 200} {
					in := agreement.PairedShares(fixed, changed-fixed, changed+same, level)
					if changed+same == 0 {
						continue
					}
					p := agreement.McNemar(fixed, changed-fixed)
					if holds := in.Lo <= 0 && in.Hi >= 0; holds != (p >= 1-level) || in.Lo < -1 || in.Hi > 1 || in.Lo >= in.Hi {
						t.Fatalf("%d fixed, %d broken, %d the same: %v to %v, p %v", fixed, changed-fixed, same, in.Lo, in.Hi, p)
					}
				}
			}
		}
	}
	for _, n := range []int{1001, 40000} { // many changed cases: the sums stay exact
		b := n/2 + int(1.2*math.Sqrt(float64(n)))
		in, p := agreement.PairedShares(b, n-b, 2*n, .95), agreement.McNemar(b, n-b)
		if (in.Lo > 0) != (p < .05) || p > .05 {
			t.Errorf("%d of %d: %v to %v, p %v", b, n, in.Lo, in.Hi, p)
		}
	}
}

func repeated(rows ...string) *agreement.Repeated {
	r := agreement.NewRepeated(len(rows[0]))
	for _, row := range rows {
		right := make([]bool, len(row))
		for i := range row {
			right[i] = row[i] == '1'
		}
		r.Add(right)
	}
	return r
}

// By hand: scores -1.5, -0.5, 0.5, 1.5 of the nights; T is -2-1.5-0.5+0 = -4, and each of the first three rows has the
// variance k (4-k) / 3 x 1.25, which sum up to 25/6. So z = -4 / sqrt(25/6).
func TestRepeatedTrend(t *testing.T) {
	s := repeated("1100", "1110", "0100", "1111").Trend()
	if math.Abs(s.Z+1.9595918) > 1e-6 || math.Abs(s.P-.0500435) > 1e-6 || math.Abs(s.PerOccasion+.2) > 1e-12 {
		t.Errorf("%+v", s)
	}
	for _, level := range []*agreement.Repeated{repeated("1111", "0000"), repeated("10", "10"), repeated("1001", "0110")} {
		if s := level.Trend(); s.P != 1 {
			t.Errorf("%v: %+v", level, s)
		}
	}
}

// Of the 6 x 6 x 6 x 4 = 864 orders of the outcomes 4 have a split as large as the observed one, found by trying all.
func TestChangePoint(t *testing.T) {
	s := repeated("1100", "1100", "1100", "1110").ChangePoint(1)
	if s.At != 2 || s.Before != 1 || s.After != .125 || math.Abs(s.P-4.0/864) > .005 {
		t.Errorf("%+v", s)
	}
	if s := repeated("1111", "0000").ChangePoint(1); s.P != 1 || s.At != 0 {
		t.Errorf("nothing changed: %+v", s)
	}
	var many, steady []string
	for i := range 3000 { // beyond the limit of drawn outcomes
		many = append(many, []string{"11110000", "11011000", "10110100"}[i%3])
		steady = append(steady, []string{"10101010", "01010101", "11001001", "00110110"}[i%4])
	}
	if s := repeated(many...).ChangePoint(1); s.At != 4 || s.P > .001 {
		t.Errorf("a large step: %+v", s)
	}
	if s := repeated(steady...).ChangePoint(1); s.P < .9 {
		t.Errorf("the same on each occasion: %+v", s)
	}
}

// The false alarms of both tests are as many as their level says, on answers without a trend.
func TestRepeatedFalseAlarms(t *testing.T) {
	random, trends, steps := rand.New(rand.NewPCG(7, 7)), 0, 0
	const rounds = 200
	for range rounds {
		var rows []string
		for range 20 {
			p, row := random.Float64(), make([]byte, 10)
			for i := range row {
				if row[i] = '0'; random.Float64() < p {
					row[i] = '1'
				}
			}
			rows = append(rows, string(row))
		}
		r := repeated(rows...)
		if r.Trend().P < .05 {
			trends++
		}
		if r.ChangePoint(1).P < .05 {
			steps++
		}
	}
	if most := 22; trends > most || steps > most { // P(more than 22 of 200 at 0.05) is below 0.001
		t.Errorf("false alarms in %d rounds: trend %d, step %d", rounds, trends, steps)
	}
}

// The mean is 5.5 and each step 1: the range is 5.5 -+ 2.66.
func TestUsualRange(t *testing.T) {
	if in := agreement.UsualRange([]float64{5, 6, 5, 6, 5, 6, 5, 6}); math.Abs(in.Lo-2.84) > 1e-9 ||
		math.Abs(in.Hi-8.16) > 1e-9 || !in.Defined {
		t.Errorf("%+v", in)
	}
	if in := agreement.UsualRange([]float64{5, 6, 5, 6, 5, 6, 5}); in.Defined || in.Why == "" {
		t.Errorf("seven values: %+v", in)
	}
}

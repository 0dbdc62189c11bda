package agreement

import (
	"math/rand/v2"
	"testing"
)

// one returns a case with one earlier verdict and one of now.
func one(earlier, now int) Replicated { return Replicated{1, earlier, 1, now} }

// With one verdict on each side the test is that of McNemar, whatever the cases that did not change.
func TestShiftTest_OneVerdictEachIsMcNemar(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ fixed, broken, pass, fail int }{
		{0, 0, 5, 5}, {1, 0, 3, 0}, {5, 0, 0, 9}, {2, 7, 4, 4}, {10, 2, 1, 0}, {3, 3, 0, 0},
	} {
		var cases []Replicated
		for n, c := range map[Replicated]int{
			one(0, 1): tc.fixed, one(1, 0): tc.broken, one(1, 1): tc.pass, one(0, 0): tc.fail,
		} {
			for range c {
				cases = append(cases, n)
			}
		}
		if got, want := ShiftTest(cases), McNemar(tc.fixed, tc.broken); !near(got, want, 1e-12) {
			t.Errorf("%+v: p = %v, McNemar %v", tc, got, want)
		}
		if u := UnsteadyTest(cases); u.P < 1-1e-12 || u.Differ != float64(tc.fixed+tc.broken) {
			t.Errorf("%+v: %+v; one verdict on each side shows no noise, want p = 1", tc, u)
		}
	}
}

// Worked out by hand. A case that passed 9 times and fails now: the failure is the last of ten in 1 of 10 orders. Of
// three such cases all fail now in 1 of 1000.
func TestReplicatedByHand(t *testing.T) {
	t.Parallel()
	steady, broke := Replicated{9, 9, 1, 1}, Replicated{9, 9, 1, 0}
	cases := []Replicated{steady, steady, broke, broke, broke, {0, 0, 1, 1}, {3, 1, 0, 0}}
	if p := ShiftTest(cases); !near(p, 2*0.001, 1e-12) {
		t.Errorf("three steady cases that broke: p = %v, want 0.002", p)
	}
	if u := UnsteadyTest(cases); !near(u.P, 0.001, 1e-12) || u.Differ != 3 || u.Verdicts != 5 || !near(u.Expected, 0.3, 1e-12) {
		t.Errorf("three steady cases that broke: %+v, want 3 of 5 where 0.3 are expected, p = 0.001", u)
	}
	// One up and one down is no shift, but it is unsteady: 1 of 100.
	both := []Replicated{broke, {9, 0, 1, 1}}
	if p, u := ShiftTest(both), UnsteadyTest(both); p != 1 || !near(u.P, 0.01, 1e-12) {
		t.Errorf("one up, one down: p = %v and %+v, want 1 and 0.01", p, u)
	}
	// A case that always was undecided: 5 of 10 passed. It fails now: in 6 of 11 orders.
	undecided := []Replicated{{10, 5, 1, 0}}
	if u := UnsteadyTest(undecided); u.Differ != 0.5 || u.P < 0.5 {
		t.Errorf("an undecided case: %+v, want half a difference and a large p", u)
	}
	if p := ShiftTest(nil); p != 1 {
		t.Errorf("no cases: p = %v, want 1", p)
	}
}

// A judge that is noisy, each case in its own way, is not called changed. One whose verdicts move is.
func TestReplicatedKeepsItsLevel(t *testing.T) {
	t.Parallel()
	const trials, cases, earlier = 1000, 40, 6
	alarms := func(move float64) (shift, unsteady int) {
		r := rand.New(rand.NewPCG(7, uint64(move*100)))
		for range trials {
			var of []Replicated
			for range cases {
				chance := r.Float64()
				c := Replicated{Earlier: earlier, Now: 1}
				for range earlier {
					if r.Float64() < chance {
						c.EarlierPassed++
					}
				}
				if r.Float64() < chance-move {
					c.NowPassed++
				}
				of = append(of, c)
			}
			if ShiftTest(of) < 0.05 {
				shift++
			}
			if UnsteadyTest(of).P < 0.05 {
				unsteady++
			}
		}
		return shift, unsteady
	}
	shift, unsteady := alarms(0)
	// An exact test of discrete counts stays below its level. 5 % of 1000, and three standard deviations.
	if shift > 70 || unsteady > 70 {
		t.Errorf("without a change %d and %d of %d are below 0.05", shift, unsteady, trials)
	}
	if shift, _ = alarms(0.4); shift < trials*9/10 {
		t.Errorf("a drop of 40 points is found in %d of %d", shift, trials)
	}
}

func TestShiftInterval(t *testing.T) {
	t.Parallel()
	singles := []Replicated{one(0, 1), one(0, 1), one(1, 1), one(0, 0), {0, 0, 1, 1}}
	if got, want := ShiftInterval(singles, 0.95, 1), PairedShares(2, 0, 4, 0.95); got != want {
		t.Errorf("one verdict each: %+v, want %+v", got, want)
	}
	still := make([]Replicated, 30)
	for i := range still {
		still[i] = Replicated{4, 4, 1, 1}
	}
	if got, want := ShiftInterval(still, 0.95, 1), PairedShares(0, 0, 30, 0.95); got != want {
		t.Errorf("no change: %+v, want %+v", got, want)
	}
	for i := range 15 {
		still[i].NowPassed = 0
	}
	if got := ShiftInterval(still, 0.95, 1); got.Lo > -0.5 || got.Hi < -0.5 || got.Hi >= 0 || got.Lo < -0.8 {
		t.Errorf("half of the cases broke: %+v, want an interval around -0.5 below 0", got)
	}
	if got := ShiftInterval(nil, 0.95, 1); got.Defined {
		t.Errorf("no cases: %+v", got)
	}
}

// The adjusted levels of all looks sum to the level: sum of 1/(k(k+1)) is 1 - 1/(n+1).
func TestAfterLooks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		p    float64
		look int
		want float64
	}{{0.01, 1, 0.02}, {0.01, 2, 0.06}, {0.001, 9, 0.09}, {0.01, 100, 1}, {0, 5, 0}} {
		if got := AfterLooks(tc.p, tc.look); !near(got, tc.want, 1e-12) {
			t.Errorf("p %v at look %d: %v, want %v", tc.p, tc.look, got, tc.want)
		}
	}
	sum := 0.0
	for k := 1; k <= 1000; k++ {
		sum += 0.05 / (float64(k) * float64(k+1))
	}
	if !near(sum, 0.05*(1-1.0/1001), 1e-9) {
		t.Errorf("the levels sum to %v", sum)
	}
}

package store

import (
	"math"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// TestMetricFigures holds that figures of groups come together as those of all values at once: of 1,
// 2 | 6, 7, 9 | 5 the sum is 30, the mean 5, and the squares about it are 16+9+1+4+16+0 = 46.
func TestMetricFigures(t *testing.T) {
	var f MetricFigures
	f.add(&group{status: scoring.StatusOK, verdict: "1", n: 2, sum: 3, deviation: math.Sqrt(0.5)})
	f.add(&group{status: scoring.StatusNotApplicable, n: 4})
	f.add(&group{status: scoring.StatusOK, verdict: "0", n: 3, sum: 22, deviation: math.Sqrt(7.0 / 3)})
	f.add(&group{status: scoring.StatusOK, n: 1, sum: 5})
	f.add(&group{status: scoring.StatusAbstained, n: 2})
	f.add(&group{status: scoring.StatusFailed, n: 1})
	if d := f.Deviation - math.Sqrt(46.0/5); math.Abs(d) > 1e-12 {
		t.Errorf("deviation %v", f.Deviation)
	}
	f.Deviation = 0
	if want := (MetricFigures{Figures: Figures{Scores: 13, OK: 6, Abstained: 2, NotApplicable: 4, Failed: 1, Judged: 5, Passed: 2, Sum: 30}}); f != want {
		t.Errorf("%+v, want %+v", f, want)
	}
}

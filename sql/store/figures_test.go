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
	f.add(scoring.StatusOK, "1", 2, 3, math.Sqrt(0.5))
	f.add(scoring.StatusNotApplicable, "", 4, 0, 0)
	f.add(scoring.StatusOK, "0", 3, 22, math.Sqrt(7.0/3))
	f.add(scoring.StatusOK, "", 1, 5, 0)
	f.add(scoring.StatusAbstained, "", 2, 0, 0)
	f.add(scoring.StatusFailed, "", 1, 0, 0)
	if d := f.Deviation - math.Sqrt(46.0/5); math.Abs(d) > 1e-12 {
		t.Errorf("deviation %v", f.Deviation)
	}
	f.Deviation = 0
	if want := (MetricFigures{Figures: Figures{Scores: 13, OK: 6, Abstained: 2, NotApplicable: 4, Failed: 1, Judged: 5, Passed: 2, Sum: 30}}); f != want {
		t.Errorf("%+v, want %+v", f, want)
	}
}

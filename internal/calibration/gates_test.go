package calibration_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/scoring/agreement"
)

// Kappa counts if there are verdicts on enough of the cases, and none that is not defined does.
func TestCheckGates(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	r := &calibration.Report{Metrics: []calibration.Result{
		{Key: "good", Of: 8, Confusion: agreement.Confusion{TP: 4, TN: 3, FP: 1}, Kappa: agreement.Stat{Value: 0.75, Defined: true}, Coverage: agreement.Stat{Value: 1, Defined: true}},
		{Key: "half", Of: 8, Confusion: agreement.Confusion{TP: 2, TN: 2}, Kappa: agreement.Stat{Value: 1, Defined: true}, Coverage: agreement.Stat{Value: 0.5, Defined: true}},
		{Key: "none", Of: 8, Kappa: agreement.Stat{Why: "no verdicts"}, Coverage: agreement.Stat{Value: 1, Defined: true}},
	}}
	for _, tc := range []struct {
		why     string
		gate    gate.Gate
		reached bool
		said    string
	}{
		{"equal", gate.Gate{Metric: "good", Least: at(0.75)}, true, "gate passed: kappa of good is 0.7500 over 8 of 8 labelled cases, expected at least 0.75"},
		{"below", gate.Gate{Metric: "good", Least: at(0.76)}, false, "gate failed: kappa of good is 0.7500 over 8 of 8 labelled cases, expected at least 0.76"},
		{"on too few", gate.Gate{Metric: "half", Least: at(0.5)}, false,
			"gate failed: kappa of half is 1.0000 over 4 of 8 labelled cases, expected at least 0.5; 50.0% of the cases it applies to have a verdict, expected at least 80% (--min-coverage)"},
		{"on as many as are asked for", gate.Gate{Metric: "half", Least: at(0.5), Coverage: at(0.5)}, true, "gate passed: kappa of half is 1.0000 over 4 of 8 labelled cases, expected at least 0.5"},
		{"not defined", gate.Gate{Metric: "none", Least: at(-1)}, false, "gate failed: kappa of none is not defined (no verdicts), expected at least -1"},
		{"only the coverage", gate.Gate{Metric: "none", Coverage: at(1)}, true, "gate passed: kappa of none is not defined (no verdicts)"},
	} {
		said, reached := r.Check([]gate.Gate{tc.gate})
		if d := cmp.Diff([]string{tc.said}, said); d != "" || reached != tc.reached {
			t.Errorf("%s: reached %v, want %v; %s", tc.why, reached, tc.reached, d)
		}
	}
}

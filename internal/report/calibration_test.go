package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// agreementOf is a report on 30 passes and 20 fails, each labelled by two people, and three
// metrics.
func agreementOf(t *testing.T, o calibration.Options) *calibration.Report {
	t.Helper()
	s := &calibration.Study{Metrics: []calibration.Metric{
		{Key: "exact", Threshold: scoring.At(1), Calls: true}, {Key: "judged@\x1b[31mred", Threshold: scoring.At(1), Recorded: true}, {Key: "graded", Calls: true},
	}}
	for i := range 50 {
		label := agreement.Fail
		if i < 30 {
			label = agreement.Pass
		}
		s.Cases = append(s.Cases, calibration.Case{Label: label, Votes: []agreement.Vote{label, label}, Groups: map[string]string{"dataset": []string{"north", "south"}[i%2]}})
		for m := range s.Metrics {
			v := label
			if m < 2 && i%(10-5*m) == 0 { // exact errs on one in ten of either label: kappa is (0.9 - 0.516) / 0.484
				v = agreement.Pass + agreement.Fail - label
			}
			score := calibration.Score{Status: scoring.StatusOK, Verdict: v, Value: float64(v-agreement.Fail) + float64(i)/1000}
			if m == 2 {
				score.Verdict = agreement.Missing
			}
			s.Metrics[m].Scores = append(s.Metrics[m].Scores, score)
		}
	}
	r, err := s.Report(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCalibrationForATerminal(t *testing.T) {
	all := calibration.Options{By: []string{"dataset"}, Compare: []string{"exact", "judged@\x1b[31mred", "graded"}, Folds: 5}
	for _, c := range []struct {
		why  string
		o    calibration.Options
		t    Options
		want []string
	}{
		{"the figures", calibration.Options{}, Options{Width: 160, Unicode: true}, []string{
			"50 labelled cases · 30 pass, 20 fail", "2 annotators: 50 of 50 unanimous", "exact", "0.793", "substantial", "90.0%", "━●━",
			"* verdicts as they were recorded", "graded: it gives no verdict; cross-validation chooses a threshold",
		}},
		{"everything", all, Options{Width: 160, Unicode: true}, []string{"By dataset", "15 of 25", "Chosen thresholds", "5 folds", "Comparisons", "p (Holm)"}},
		{"a narrow terminal without Unicode", all, Options{Width: 60}, []string{"exact", "0.793", "By dataset", "+0."}},
	} {
		var b bytes.Buffer
		if err := RenderCalibration(&b, agreementOf(t, c.o), c.t); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is missing in\n%s", c.why, want, out)
			}
		}
		for line := range strings.Lines(out) {
			if n := printable.Width(strings.TrimSuffix(line, "\n")); n > c.t.Width {
				t.Errorf("%s: a line of %d columns: %q", c.why, n, line)
			}
			for _, r := range strings.TrimSuffix(line, "\n") {
				if r < ' ' || !c.t.Unicode && r > '~' {
					t.Errorf("%s: %q holds %q", c.why, line, r)
					break
				}
			}
		}
	}
}

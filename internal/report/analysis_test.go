package report

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/analysis"
)

// The caption names the metric whose p-value stands alone.
func TestComparisonNamesThePrimaryMetric(t *testing.T) {
	x := 0.5
	row := analysis.Change{Metric: "ex", Before: &x, After: &x, Mean: &x, Low: &x, High: &x, P: &x, PAdjusted: &x, Outcome: analysis.Chance}
	c := &analysis.Comparison{Primary: "ex", Changes: []analysis.Change{row, row, {Metric: "ex", Tier: "hard", Outcome: analysis.NotCompared}}}
	var b strings.Builder
	if err := RenderComparison(&b, c, nil, false, Options{Width: 400}); err != nil || !strings.Contains(b.String(), "that of ex is not adjusted") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// Judges that differ in a part of their names stay different where a table is narrow.
func TestJudgesStayDifferent(t *testing.T) {
	for _, judges := range [][]string{
		{"scores-of-the-nightly-run-o3-2025-04-16", "scores-of-the-nightly-run-o3-2025-12-16"},
		{"scores-of-the-nightly-run-by-o3-2504", "scores-of-the-nightly-run-by-gpt-2504"},
		{"o3-2025-04-16-scores-of-the-nightly-run", "o4-2025-04-16-scores-of-the-nightly-run"},
	} {
		a := &analysis.Audit{EX: "ex_bird", Labelled: 100, Accepted: 50}
		half := 0.5
		for _, by := range judges {
			a.Reasons = append(a.Reasons, analysis.Measured{Reason: "gold_x", By: by, Labelled: 100, Accepted: 50, Precision: &half, Low: &half, High: &half, Recall: &half})
			for _, on := range []string{"gold_x", "amb_q", "either", "all"} {
				a.Discordance = append(a.Discordance, analysis.Discordance{Metric: "verdict", By: by, On: on, N: 100, Differ: 50, Share: &half})
			}
		}
		var b strings.Builder
		if err := RenderAudit(&b, a, 0, Options{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		of := map[string]int{}
		for line := range strings.Lines(b.String()) {
			if f := strings.Fields(line); len(f) > 4 && (f[0] == "gold_x" || f[0] == "verdict") {
				of[f[0]+" "+f[1]]++
			}
		}
		if len(of) != 4 {
			t.Errorf("%q: rows %v\n%s", judges, of, b.String())
		}
	}
}

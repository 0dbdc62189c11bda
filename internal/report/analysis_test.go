package report

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/analysis"
)

// The caption counts the rows whose p-values are adjusted together, not those that are not compared.
func TestComparisonSaysHowManyRowsAreAdjusted(t *testing.T) {
	x := 0.5
	row := analysis.Change{Metric: "ex", Before: &x, After: &x, Mean: &x, Low: &x, High: &x, P: &x, PAdjusted: &x, Outcome: analysis.NotShown}
	c := &analysis.Comparison{Changes: []analysis.Change{row, row, {Metric: "ex", Tier: "hard", Outcome: analysis.NotCompared}}}
	var b strings.Builder
	if err := RenderComparison(&b, c, nil, false, Options{Width: 400}); err != nil || !strings.Contains(b.String(), "p adjusted for 2 rows") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

//go:build !no_duckdb

package site

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/site/sitetest"
)

// A metric that applies to no case shows dashes and the reason, also where answers are missing; one
// that applies and has no value shows 0 %.
func TestWhatDoesNotApply(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	for _, set := range []string{
		`UPDATE badger.scores SET status = 'not_applicable', value = NULL, passed = NULL, reason = CASE WHEN case_id = 'bank-01' THEN 'no SQL of the agent given' ELSE 'no <gold> is given' END WHERE eval_run_id = 'night-2.0' AND metric = 'ex_bird'`,
		`UPDATE badger.scores SET status = 'failed', value = NULL, passed = NULL, reason = 'down' WHERE eval_run_id = 'night-2.0' AND metric = 'soft_f1_bird'`,
	} {
		if err := w.Exec(t.Context(), set); err != nil {
			t.Fatal(err)
		}
	}
	page := see(t, siteOver(t, w), runAddress(night2))
	rows := map[string][]shownCell{}
	for name, row := range tableBelow(t, page, "<h2>Metrics</h2>") {
		words := strings.Fields(name) // the display name, then the metric
		rows[words[len(words)-1]] = row
	}
	for metric, want := range map[string][2]string{"ex_bird": {"–", "–"}, "soft_f1_bird": {"0", "0%"}} {
		if row := rows[metric]; row == nil || row[cellOK].text != want[0] || row[cellCoverage].text != want[1] || row[cellMean].text != "–" {
			t.Errorf("%s: %v, want %v", metric, row, want)
		}
	}
	if !strings.Contains(page, "does not apply: no &lt;gold&gt; is given") {
		t.Error("the reason is not shown as text")
	}
}

//go:build !no_duckdb

package site

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// TestReasonsByVersion checks that the column of the version before is of the baseline, and that every column has all
// wrong answers of its batch.
func TestReasonsByVersion(t *testing.T) {
	t.Parallel()
	w := emptyStore(t)
	now := runOfDay(3)
	now.Version = "2"
	write(t, w, 1, runOfDay(1), "hybrid_ex", tenOf("none", "wrong", "wrong"))
	write(t, w, 2, runOfDay(2), "hybrid_ex", tenOf("wrong"))
	write(t, w, 3, now, "hybrid_ex", tenOf("wrong", "wrong"))
	s := siteOver(t, w)
	doc := shows(t, s, failuresAddress(now.RunID))
	var rows []string
	for _, tr := range doc.Find(`table.heat caption:contains("version")`).Parent().Find("tr").EachIter() {
		cells := tr.Find("th, td").Map(func(_ int, cell *goquery.Selection) string { return cell.Text() })
		rows = append(rows, strings.Join(cells, "|"))
	}
	const want = "reason|1, Wed 1 Jan|2, Fri 3 Jan;No reason recorded (relation not run, or the agent declined)|2 of 10|2 of 10;No answer|1 of 10|·;" +
		"All wrong|3 of 10|2 of 10"
	if got := strings.Join(rows, ";"); got != want {
		t.Errorf("by version: %q, want %q", got, want)
	}
}

// TestTrendComparesWithTheOneBefore checks that what changed in a row of the trend is since the batch of its step.
func TestTrendComparesWithTheOneBefore(t *testing.T) {
	t.Parallel()
	w := emptyStore(t)
	for day := 1; day <= 3; day++ {
		write(t, w, day, runOfDay(day), "hybrid_ex", tenOf())
	}
	doc := shows(t, siteOver(t, w), "/trend")
	to := doc.Find(`td a:contains("what changed")`).First().AttrOr("href", "")
	if !strings.Contains(to, "of-d2") || !strings.Contains(to, "of-d3") {
		t.Errorf("the changes of the third batch are at %q", to)
	}
}

//go:build !no_duckdb

package site

import (
	"strconv"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/caselist"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/site/sitetest"
)

var judgedRun = caselist.Run{ID: "judged", Agent: "atlas", Version: "2.0", Batch: sitetest.Rerun}

// The page counts every finding of the run's scores once, under its kind.
func TestFailures(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	s := opened(t, w)
	for _, run := range []caselist.Run{night2, judgedRun} {
		want := map[string]int{}
		for _, score := range scoresOf(t, w, run) {
			for _, f := range score.Findings {
				want[f]++
			}
		}
		got := 0
		shows(t, s, failuresAddress(run)).Find("section").Each(func(_ int, section *goquery.Selection) {
			title := section.Find("h2").Text()
			section.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
				cells := texts(row)
				for _, kind := range []string{analysis.KindIssue, analysis.KindError, analysis.KindDifference, analysis.KindExecution, analysis.KindRelation, analysis.KindFilters, analysis.KindDiagnosis} {
					if report.KindTitle(kind) != title {
						continue
					}
					if n, err := strconv.Atoi(cells[1]); err != nil || n != want[kind+":"+cells[0]] {
						t.Errorf("%s: %s %s: %s, want %d", run.ID, kind, cells[0], cells[1], want[kind+":"+cells[0]])
					}
					got++
				}
			})
		})
		if got != len(want) || got < 3 {
			t.Errorf("%s: %d labels, want %d: %v", run.ID, got, len(want), want)
		}
	}
}

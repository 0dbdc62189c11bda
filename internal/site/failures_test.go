//go:build !no_duckdb

package site

import (
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
)

var judgedRun = scoring.RunID{ID: "judged", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: sitetest.Rerun}}

// The page counts every finding of the run's scores once, under its kind.
func TestFailures(t *testing.T) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	for _, run := range []scoring.RunID{night2, judgedRun} {
		want := map[string]int{}
		for _, score := range scoresOf(t, w, run) {
			for _, f := range score.Findings {
				want[f]++
			}
		}
		got := 0
		shows(t, s, labelsAddress(run)).Find("section").Each(func(_ int, section *goquery.Selection) {
			title := section.Find("h2").Text()
			section.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
				cells := texts(row)
				for _, kind := range []string{analysis.KindIssue, analysis.KindError, analysis.KindDifference, analysis.KindExecution, analysis.KindRelation, analysis.KindFilters, analysis.KindDiagnosis, analysis.KindRefusal, analysis.KindSafety} {
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

// Labels are cut by the complexity of the questions: the parts add up to the whole, and lead to their
// cases.
func TestFailuresByTier(t *testing.T) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	tiers := map[string]string{}
	want := map[string]int{} // by finding and tier
	for _, score := range scoresOf(t, w, night2) {
		if score.Metric == "sql_complexity" {
			tiers[score.CaseID] = strings.ReplaceAll(score.Label, "_", " ")
		}
	}
	for _, score := range scoresOf(t, w, night2) {
		for _, f := range score.Findings {
			_, label, _ := strings.Cut(f, ":")
			want[label+" in "+tiers[score.CaseID]]++
		}
	}
	section := shows(t, s, labelsAddress(night2)).Find("section").First()
	var heads []string
	section.Find("thead th").Each(func(_ int, th *goquery.Selection) { heads = append(heads, th.Text()) })
	if len(heads) < 6 || heads[3] != "easy" {
		t.Fatalf("columns %v, want the tiers after the share", heads)
	}
	followed := 0
	section.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
		cells, sum := texts(row), 0
		row.Find("td").Slice(2, len(heads)-1).Each(func(i int, td *goquery.Selection) {
			text, _, _ := strings.Cut(td.Text(), " ")
			n := number(t, text)
			if sum += n; n != want[cells[0]+" in "+heads[3+i]] {
				t.Errorf("%s in %s: %d, want %d", cells[0], heads[3+i], n, want[cells[0]+" in "+heads[3+i]])
			}
			if href, ok := td.Find("a").Attr("href"); ok && followed < 6 {
				followed++
				if got := listed(t, see(t, s, href)); got != text {
					t.Errorf("%s in %s leads to %s cases, want %s", cells[0], heads[3+i], got, text)
				}
			}
		})
		if sum != number(t, cells[1]) {
			t.Errorf("%s: the tiers add up to %d of %s", cells[0], sum, cells[1])
		}
	})
	if followed == 0 {
		t.Error("no part leads to cases")
	}
}

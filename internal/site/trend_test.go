//go:build !no_duckdb

package site

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// The page has the digits of the trend that the terminal prints, of the metrics that are asked for and
// of the default ones, of which it shows the first; a picture has a point for every row with a value.
func TestTrend(t *testing.T) {
	for name, metrics := range map[string][]string{"named": {"hybrid_ex", "rose", "verdict"}, "others": {"ex_bird", "verdict"}} {
		t.Run(name, func(t *testing.T) { trendIsThatOfTheTerminal(t, metrics) })
	}
}

func trendIsThatOfTheTerminal(t *testing.T, metrics []string) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	doc := shows(t, s, trendAddress(trendState{Metrics: metrics, Last: lastBatches}))
	want, err := analysis.NewTrend(t.Context(), storedscores.In(w), analysis.NewSet(metric.All()), analysis.TrendOptions{CompareOptions: analysis.CompareOptions{Metrics: metrics}})
	if err != nil {
		t.Fatal(err)
	}
	if n := doc.Find("section").Length(); n != len(want.Metrics) {
		t.Fatalf("%d sections for %d metrics", n, len(want.Metrics))
	}
	if said := "p of " + want.Primary + " is not adjusted"; !strings.Contains(doc.Find("section caption").First().Text(), said) {
		t.Errorf("the caption does not say %q", said)
	}
	at, tested := 0, 0
	for _, m := range want.Metrics {
		section := doc.Find("section").Eq(at)
		at++
		if got := section.Find("h2").Text(); got != m {
			t.Fatalf("section of %s, want %s", got, m)
		}
		var rows [][]string
		section.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
			if cells := texts(row); len(cells) > 2 {
				rows = append(rows, cells)
			}
		})
		i := 0
		for _, p := range want.Points {
			if p.Metric != m {
				continue
			}
			if i >= len(rows) {
				t.Fatalf("%s: %d rows are too few", m, len(rows))
			}
			b, row := want.Batches[p.Batch], rows[i]
			i++
			expected := []string{strings.TrimSpace(b.Agent + " " + b.Version), b.Batch, strconv.Itoa(p.Now.Asked), covered(p.Now.Coverage), figure(p.Now.Mean), figure(p.Now.P90), share(p.Now.PassRate), dash, dash}
			if p.Change != nil && p.Change.Mean != nil {
				expected[7], expected[8] = report.Changed(p.Change), analysis.PValue(*p.Change.PAdjusted)
				tested++
			}
			for k, e := range expected {
				if row[k+1] != e {
					t.Errorf("%s, %s: column %d is %q, want %q", m, b.Name(), k+1, row[k+1], e)
				}
			}
		}
		if i != len(rows) || i == 0 {
			t.Errorf("%s: %d rows, want %d", m, len(rows), i)
		}
		if n := section.Find("svg circle").Length(); n != len(rows) {
			t.Errorf("%s: %d points in the picture, %d rows", m, n, len(rows))
		}
	}
	if tested == 0 {
		t.Error("no point has a change")
	}
	if n := doc.Find("svg [style], svg [onload]").Length(); n > 0 {
		t.Errorf("%d elements of pictures have a style of their own", n)
	}
}

// The pages of an agent with more batches than are tested have the findings of badger trend.
func TestFindingsAreThoseOfTheTerminal(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	// 40 nights, in which the answers of 1.0 replace those of 2.0 case by case
	const picked = `(hash(case_id) % 80 < i) = (eval_run_id = 'night-1.0')`
	for _, insert := range []string{
		`INSERT INTO badger.scores SELECT s.* REPLACE ('n' || i AS eval_run_id, '3.0' AS agent_version, 'n' || i AS batch_id)
			FROM badger.scores s, range(40) t(i) WHERE metric = 'hybrid_ex' AND eval_run_id IN ('night-1.0', 'night-2.0') AND ` + picked,
		`INSERT INTO badger.agent_runs SELECT a.* REPLACE ('3.0' AS agent_version, 'n' || i AS batch_id, TIMESTAMPTZ '2026-01-01 00:00:00Z' + to_days(i::INTEGER) AS ran_at)
			FROM badger.agent_runs a, range(40) t(i) WHERE batch_id = 'atlas-2.0'`,
		`INSERT INTO badger.eval_runs SELECT e.* REPLACE ('n' || i AS eval_run_id, '3.0' AS agent_version, 'n' || i AS batch_id, TIMESTAMPTZ '2026-01-01 00:00:00Z' + to_days(i::INTEGER) AS eval_run_date)
			FROM badger.eval_runs e, range(40) t(i) WHERE eval_run_id = 'night-2.0'`,
	} {
		if err := w.Exec(t.Context(), insert); err != nil {
			t.Fatal(err)
		}
	}
	set, o := analysis.NewSet(metric.All()), analysis.TrendOptions{CompareOptions: analysis.CompareOptions{Metrics: []string{"hybrid_ex"}}}
	trend, err := analysis.NewTrend(t.Context(), storedscores.In(w), set, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := trend.Conclude(t.Context(), storedscores.In(w), set, o); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, f := range trend.Latest[0].Course.Findings {
		want = append(want, asSentence(f.Text))
	}
	if len(want) == 0 {
		t.Fatal("badger trend finds nothing")
	}
	s := siteOver(t, w)
	newest := store.RunValues(scoring.RunID{ID: "n39", By: scoring.By{Agent: "atlas", Version: "3.0", Batch: "n39"}})
	for _, at := range []string{address("/trend", newest), address("/run", newest)} {
		var got []string
		shows(t, s, at).Find("ul.alerts").First().Find("li").Each(func(_ int, li *goquery.Selection) {
			li.Find("b").Remove()
			got = append(got, li.Text())
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: findings %q, want %q", at, got, want)
		}
	}
}

// Points are joined only where the two may be compared, unless that is asked for.
func TestTrendJoinsWhatMayBeCompared(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	if err := w.Exec(t.Context(), "UPDATE badger.scores SET metric_version = 99 WHERE batch_id = '"+sitetest.Rerun+"' AND metric = 'hybrid_ex'"); err != nil {
		t.Fatal(err)
	}
	s := siteOver(t, w)
	state := trendState{Metrics: []string{"hybrid_ex"}, Last: lastBatches}
	points := func(state trendState) (joined int, marks, said string) {
		doc := shows(t, s, trendAddress(state))
		line, _ := doc.Find("svg polyline.one").Attr("points")
		return len(strings.Fields(line)), doc.Find("svg text.small").FilterFunction(func(_ int, e *goquery.Selection) bool { return e.Text() == "M" || e.Text() == "G M" }).Text(), doc.Find("section td.quiet").Text()
	}
	joined, marks, said := points(state)
	if joined != 2 || !strings.Contains(marks, "M") || !strings.Contains(said, "metric version") {
		t.Errorf("%d points are joined, want 2 of 3; marks %q, %q", joined, marks, said)
	}
	state.Across = true
	if joined, _, _ = points(state); joined != 3 {
		t.Errorf("%d points are joined where that is asked for, want 3", joined)
	}
}

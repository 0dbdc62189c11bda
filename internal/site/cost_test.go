//go:build !no_duckdb

package site

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// The page adds up what the scores of the run say that they took.
func TestCost(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	if err := w.Exec(t.Context(), "UPDATE badger.assessments SET payer = 'run:"+judgedRun.ID+"'"); err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Warehouse: w, Version: "test", Metrics: metric.All(), Budget: Budget{Tokens: 10_000_000, Prices: judgebackend.PriceTable{"judge-1": {In: "2", Out: "8"}}}})
	if err != nil {
		t.Fatal(err)
	}
	type sums struct{ asked, calls, repaired, in, out, failed, evident int }
	want := map[string]*sums{}
	for r, err := range w.Scores(t.Context(), judgedRun.ID) {
		if err != nil {
			t.Fatal(err)
		}
		m := want[r.Score.Metric]
		if m == nil {
			m = &sums{}
			want[r.Score.Metric] = m
		}
		if u := r.Score.Usage; u != nil && u.Calls > 0 {
			m.asked, m.calls, m.repaired, m.in, m.out = m.asked+1, m.calls+u.Calls, m.repaired+u.Repaired, m.in+int(u.TokensIn), m.out+int(u.TokensOut)
			if r.Score.Status == scoring.StatusFailed {
				m.failed++
			}
		}
	}
	for l, err := range w.LatestScores(t.Context(), store.Latest{RunID: judgedRun}) {
		if err != nil {
			t.Fatal(err)
		}
		if l.Score.Status == scoring.StatusOK && !l.Asked {
			want[l.Score.Metric].evident++
		}
	}
	doc := shows(t, s, costAddress(judgedRun))
	seen, calls, repairs := 0, 0, 0
	doc.Find(`[aria-label="Metrics"] tbody tr`).Each(func(_ int, row *goquery.Selection) {
		cells := texts(row)
		m := want[cells[0]]
		got := sums{number(t, cells[2]), number(t, cells[3]), number(t, cells[5]), number(t, cells[6]), number(t, cells[7]), number(t, cells[8]), number(t, cells[10])}
		if m == nil || got != *m {
			t.Errorf("%s: %+v, want %+v", cells[0], got, m)
		}
		seen++
		calls, repairs = calls+got.calls, repairs+got.repaired
	})
	for name, m := range want {
		if m.asked > 0 && !strings.Contains(doc.Find(`[aria-label="Metrics"]`).Text(), name) {
			t.Errorf("%s asked a judge and is missing", name)
		}
	}
	if seen < 5 || calls < 50 || repairs < 5 {
		t.Errorf("%d metrics with %d calls, %d of them repairs, are too few to show much", seen, calls, repairs)
	}
	models := doc.Find(`[aria-label="Models"] tbody tr`)
	if models.Length() < 3 {
		t.Fatalf("%d models and prompts", models.Length())
	}
	models.Each(func(_ int, row *goquery.Selection) {
		cells := texts(row)
		in, out := number(t, cells[5]), number(t, cells[6])
		// a million tokens cost 2 in and 8 out: 2 and 8 millionths each
		if want := judgebackend.Money(in*2_000_000 + out*8_000_000).String(); cells[11] != want || cells[10] != "configuration" {
			t.Errorf("%q, want a cost of %s by the configuration", cells, want)
		}
	})
	if tiles := doc.Find(".tiles").Text(); !strings.Contains(tiles, "left of a budget of 10,000,000 tokens") {
		t.Errorf("the page does not say what is left: %s", tiles)
	}
}

// A run that asked nobody says so, and a cost that is not recorded is a dash.
func TestCostOfNothing(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	if text := shows(t, s, costAddress(night2)).Find(".notice").Text(); !strings.Contains(text, "called a judge") {
		t.Errorf("the page says %q", text)
	}
	running := night2
	running.ID, running.Batch = "under-way", sitetest.Rerun
	if text := strings.Join(strings.Fields(shows(t, s, costAddress(running)).Find(".tile").First().Text()), " "); !strings.HasPrefix(text, "–calls") {
		t.Errorf("a run without a record of its calls shows %q", text)
	}
}

// Of scores that were made before repairs were counted it is not known how many there were.
func TestRepairsThatAreNotKnown(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	if err := w.Exec(t.Context(), `UPDATE badger.scores SET usage = json_merge_patch(usage, '{"repaired": null}') WHERE usage IS NOT NULL`); err != nil {
		t.Fatal(err)
	}
	unknown, none := 0, 0
	shows(t, siteOver(t, w), costAddress(judgedRun)).Find(`[aria-label="Metrics"] tbody tr`).Each(func(_ int, row *goquery.Selection) {
		switch cells := texts(row); {
		case cells[4] == "0" && cells[5] == "0":
			none++ // nobody asked twice
		case cells[4] != "0" && cells[5] == dash:
			unknown++
		default:
			t.Errorf("%s: %s further calls, %s repairs", cells[0], cells[4], cells[5])
		}
	})
	if unknown == 0 {
		t.Error("no metric has further calls")
	}
}

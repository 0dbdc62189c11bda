//go:build !no_duckdb

package site

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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
	"github.com/badger-eval/badger/udf/identity"
)

// shows asks for a page, which must be there, and reads it.
func shows(t *testing.T, s *Site, address string) *goquery.Document {
	t.Helper()
	res, body := ask(t, s, "GET", address, nil, identity.Read)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d\n%s", address, res.StatusCode, body)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// texts are the texts of the cells of a table's row.
func texts(row *goquery.Selection) (out []string) {
	row.Children().Each(func(_ int, c *goquery.Selection) { out = append(out, strings.Join(strings.Fields(c.Text()), " ")) })
	return out
}

var (
	night1 = scoring.RunID{ID: "night-1.0", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "atlas-1.0"}}
	night2 = scoring.RunID{ID: "night-2.0", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "atlas-2.0"}}
)

// number reads a count as pages show it.
func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		t.Fatalf("%q is no count", text)
	}
	return n
}

// The page has the digits of the comparison that the terminal prints as JSON, and every count leads
// to a list of so many cases.
func TestCompare(t *testing.T) {
	w := sitetest.Shared(t)
	s := siteOver(t, w)
	doc := shows(t, s, compareAddress(sides{From: night1, To: []scoring.RunID{night2}, Metrics: []string{"all"}, Metric: "hybrid_ex"}))

	set := analysis.NewSet(metric.All())
	src := storedscores.In(w)
	metrics, err := src.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answers := func(run scoring.RunID) *analysis.Answers {
		a := set.Answers(analysis.Batch{By: run.By})
		for _, score := range scoresOf(t, w, run) {
			a.Add(&score)
		}
		return a
	}
	text, err := json.Marshal(analysis.Compare(answers(night1), answers(night2), analysis.CompareOptions{Metrics: metrics}))
	if err != nil {
		t.Fatal(err)
	}
	var want analysis.Comparison
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	doc.Find("table").First().Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
		if cells := texts(row); cells[0] != "" {
			rows[cells[0]] = cells
		}
	})
	if len(rows) != len(want.Changes) || len(rows) < 40 {
		t.Fatalf("%d metrics, want %d", len(rows), len(want.Changes))
	}
	for i := range want.Changes {
		c := &want.Changes[i]
		cells := rows[c.Metric]
		expected := []string{c.Metric, fmt.Sprintf("%d/%d", c.Compared, c.Shared), figure(c.Before), figure(c.After)}
		switch {
		case c.Rate != nil:
			before, after := c.Shares()
			expected = append(expected[:2], report.Percent(before), report.Percent(after), report.Points(*c.Rate), report.Points(*c.RateLow)+" to "+report.Points(*c.RateHigh))
		case c.Mean != nil:
			expected = append(expected, report.Signed(*c.Mean), report.Signed(*c.Low)+" to "+report.Signed(*c.High))
		}
		for k, e := range expected {
			if cells[k] != e {
				t.Errorf("%s: column %d is %s, want %s", c.Metric, k, cells[k], e)
			}
		}
		if c.Rate != nil && (cells[6] != report.Points(*c.Rate) || number(t, cells[7]) != len(c.Fixed) || number(t, cells[8]) != len(c.Broken)) {
			t.Errorf("%s: %v, want %v, %d and %d", c.Metric, cells[6:9], *c.Rate, len(c.Fixed), len(c.Broken))
		}
		if c.P != nil && (cells[9] != analysis.PValue(*c.P) || cells[10] != analysis.PValue(*c.PAdjusted)) {
			t.Errorf("%s: p %v, want %v and %v", c.Metric, cells[9:11], *c.P, *c.PAdjusted)
		}
	}
	if said := doc.Find("section p").First().Text(); !strings.HasPrefix(said, fmt.Sprintf("%d cases of both", want.Shared)) {
		t.Errorf("%q, want %d shared cases", said, want.Shared)
	}

	counts := 0
	doc.Find("section a").Each(func(_ int, a *goquery.Selection) {
		href, _ := a.Attr("href")
		u, err := url.Parse(href)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(a.Text())
		if a.Closest(".tile").Length() > 0 {
			n, err = strconv.Atoi(a.Closest(".tile").Find("b").Text())
		}
		if err != nil || u.Path != "/compare/cases" {
			return
		}
		counts++
		if left(counts, 1<<20) {
			return
		}
		list := shows(t, s, href)
		if got := list.Find("tbody tr").Length(); got != min(n, pairsPerPage) {
			t.Errorf("%s leads to %d cases, the count is %d", href, got, n)
		}
	})
	if counts < 10 {
		t.Errorf("only %d counts lead to cases", counts)
	}
}

// scoresOf are the scores of a run, one by one.
func scoresOf(t testing.TB, w *store.Store, run scoring.RunID) (out []analysis.Score) {
	t.Helper()
	for r, err := range w.LatestScores(t.Context(), store.Latest{RunID: run, Details: analysis.Evident}) {
		if err != nil {
			t.Fatal(err)
		}
		s := storedscores.Score(&r.Row, r.Detail)
		s.CaseID, s.Metric, s.Reason, s.Label, s.Gold = strings.Clone(s.CaseID), strings.Clone(s.Metric), strings.Clone(s.Reason), strings.Clone(s.Label), strings.Clone(s.Gold)
		out = append(out, s)
	}
	return out
}

// Two runs are chosen in the list of runs, with the controls of a form alone.
func TestRunsAreChosenToCompare(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	doc := shows(t, s, runsAddress())
	form := doc.Find("form#pick")
	if form.AttrOr("method", "") != "get" || form.AttrOr("action", "") != "/compare" || form.Find("button").Length() != 1 {
		t.Fatalf("no form to compare runs: %s", doc.Find("main").Text())
	}
	chosen := url.Values{}
	for run, name := range map[scoring.RunID]string{night1: "from", night2: "to"} {
		doc.Find(`tbody tr`).Each(func(_ int, tr *goquery.Selection) {
			if tr.Find("th").Text() != run.ID {
				return
			}
			in := tr.Find(`input[form="pick"][name="` + name + `"]`)
			if in.Length() != 1 || !strings.Contains(in.AttrOr("aria-label", ""), run.ID) {
				t.Errorf("%s cannot be chosen, or nothing says what it is: %q", run.ID, in.AttrOr("aria-label", ""))
			}
			chosen.Add(name, in.AttrOr("value", ""))
		})
	}
	if n := doc.Find(`input[type="radio"][name="from"]`).Length(); n != doc.Find("tbody tr").Length() {
		t.Errorf("%d baselines to choose from", n)
	}
	if got := shows(t, s, "/compare?"+chosen.Encode()).Find("p.kick").Text(); !strings.Contains(got, ". Compared with "+night1.Batch) {
		t.Errorf("the page compares %q", got)
	}
}

// A run is not compared with itself, and whoever asks for it is told so.
func TestARunIsNotComparedWithItself(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	one, two := store.RunValues(nightOne).Encode(), store.RunValues(nightTwo).Encode()
	for _, tc := range []struct {
		to       []string
		said     string
		compared int
	}{
		{[]string{one}, "a run cannot be compared with itself", 0},
		{[]string{one, one}, "a run cannot be compared with itself", 0},
		{[]string{one, two}, "The baseline is among the runs that you chose", 1},
		{[]string{two}, "", 1},
	} {
		doc := shows(t, s, address("/compare", url.Values{"from": {one}, "to": tc.to}))
		said := doc.Find(".notice").Text()
		if !strings.Contains(said, tc.said) || tc.said == "" && strings.Contains(said, "itself") || doc.Find(`[aria-label="Metrics"], [data-rows]`).Length() != tc.compared {
			t.Errorf("%q is compared with %d runs and says %q", tc.to, doc.Find(`[aria-label="Metrics"]`).Length(), said)
		}
	}
}

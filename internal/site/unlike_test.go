//go:build !no_duckdb

package site

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// answered is a question with its score: right, wrong, or none without an answer.
type answered struct {
	id, gold string
	is       string
}

// tenOf returns ten answers, of which the first ones have the given outcomes and the others are right.
func tenOf(outcomes ...string) (out []answered) {
	for i := range 10 {
		a := answered{id: fmt.Sprintf("q%d", i), gold: "g", is: "right"}
		if i < len(outcomes) {
			a.is = outcomes[i]
		}
		out = append(out, a)
	}
	return out
}

// write stores a run of a metric on day of January.
func write(t *testing.T, w *store.Store, day int, run store.Run, metric string, of []answered) {
	t.Helper()
	at := time.Date(2025, 1, day, 3, 0, 0, 0, time.UTC)
	run.Started, run.Status, run.Versions = at, "done", `{"metrics": {"`+metric+`": 1}}`
	var rows []scoring.Row
	for _, a := range of {
		s := scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusOK, Value: 1}
		right := a.is == "right"
		switch {
		case a.is == "none":
			s = scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusNotApplicable, Reason: scoring.NoPredSQL}
		case a.is == "unasked":
			s = scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusNotApplicable, Reason: "a refusal is expected"}
		case metric == "refusal":
			right = strings.HasPrefix(a.is, "correct") || a.is == "answered"
			s.Passed, s.Label, s.Reason = &right, a.is, "a refusal was expected, the agent gave a result"
			if !right {
				s.Value = 0
			}
		case metric == "component_f1":
		case metric == "relation":
			s.Label = a.is
		case metric == "sql_safety":
			s.Passed, s.Label, s.Reason = &right, a.is, "statement 1, line 1: DELETE"
		case right:
			s.Passed = &right
		default:
			s.Passed, s.Value = &right, 0
		}
		rows = append(rows, scoring.Row{AnswerID: scoring.AnswerID{CaseID: a.id, By: run.By}, Score: s, GoldHash: a.gold})
	}
	if err := w.WriteRuns(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteScores(t.Context(), run.ID, "hash of "+run.Config, at, rows); err != nil {
		t.Fatal(err)
	}
}

// emptyStore opens a store without rows.
var emptyStore = sitetest.Made(nil)

func runOfDay(day int) store.Run {
	batch := fmt.Sprintf("d%d", day)
	return store.Run{RunID: scoring.RunID{ID: "of-" + batch, By: scoring.By{Agent: "a", Version: "1", Batch: batch}},
		Config: "{}"}
}

// TestPagesCompareWhatIsComparable checks that the pages count as broke only what the comparison counts, and say why
// other questions are not compared.
func TestPagesCompareWhatIsComparable(t *testing.T) {
	t.Parallel()
	changed := tenOf("wrong", "wrong", "wrong", "wrong", "wrong")
	for i := range changed[:3] {
		changed[i].gold = "h"
	}
	more := append(tenOf("wrong", "wrong"), answered{"new1", "g", "right"}, answered{"new2", "g", "wrong"})
	for _, c := range []struct {
		name     string
		now      []answered
		config   string
		headline string
		parts    string // of the bar
		says     string
	}{
		// 7 questions are comparable; McNemar's p of 2 to 0 is 0.5.
		{"golds changed", changed, "{}", "71 % of 7 answers are right; 100 % in d1.", "2 broke, 5 still right, 3 not compared",
			"Not compared: 3 cases: the question or its accepted answer changed."},
		{"configuration changed", tenOf("wrong", "wrong"), `{"thresholds": {"hybrid_ex": 0.9}}`,
			"80 % of the answers are right; they cannot be compared with d1.", "10 not compared",
			"Not compared: 10 cases: the configuration of the metric changed."},
		// p of 10 to 0 is 2/1024.
		{"no answers", tenOf("none", "none", "none", "none", "none", "none", "none", "none", "none", "none"), "{}",
			"0 % of the answers are right, down from 100 % in d1.", "10 broke", "10 questions have no answer and count as wrong."},
		{"new questions", more, "{}", "80 % of 10 answers are right; 100 % in d1.",
			"2 broke, 8 still right, 2 new questions", "On the 10 questions that both have: 8 right, 10 before."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := emptyStore(t)
			write(t, w, 1, runOfDay(1), "hybrid_ex", tenOf())
			to := runOfDay(2)
			to.Config = c.config
			write(t, w, 2, to, "hybrid_ex", c.now)
			s := siteOver(t, w)
			doc := shows(t, s, runAddress(to.RunID))
			if got := doc.Find("h1").Text(); got != c.headline {
				t.Errorf("the headline is %q, want %q", got, c.headline)
			}
			var parts []string
			doc.Find(".flow > *").Each(func(_ int, part *goquery.Selection) {
				parts = append(parts, part.Find("b").Text()+" "+part.Find("span").Text())
			})
			if got := strings.Join(parts, ", "); got != c.parts {
				t.Errorf("the bar has %q, want %q", got, c.parts)
			}
			if got := doc.Find("p.lead").First().Text(); !strings.Contains(got, c.says) {
				t.Errorf("the lead %q lacks %q", got, c.says)
			}
			broke := "0"
			if strings.Contains(c.parts, "broke") {
				broke, _, _ = strings.Cut(c.parts, " ")
			}
			list := shows(t, s, address("/compare", store.RunValues(to.RunID)))
			if got := list.Find("nav.filters a").First().Text(); got != "Broke "+broke {
				t.Errorf("the list is %q, want %q that broke", got, broke)
			}
			if c.parts != "10 not compared" {
				return
			}
			if got := list.Find("h1").Text(); got != "Nothing can be compared with d1." {
				t.Errorf("the page of changes says %q", got)
			}
			grid := shows(t, s, address("/questions", store.RunValues(to.RunID)))
			if got := grid.Find("h1").Text(); got != "No question can be compared with d1." {
				t.Errorf("the grid says %q", got)
			}
			if got := shows(t, s, failuresAddress(to.RunID)).Find("nav.filters").Text(); strings.Contains(got, "New") {
				t.Errorf("the page of reasons offers %q", got)
			}
		})
	}
}

// TestNightWithoutAnswers checks that the page of reasons counts missing answers as wrong, under a reason of their own.
func TestNightWithoutAnswers(t *testing.T) {
	t.Parallel()
	w := emptyStore(t)
	write(t, w, 1, runOfDay(1), "hybrid_ex", tenOf())
	write(t, w, 2, runOfDay(2), "hybrid_ex", tenOf("none", "none", "none", "wrong"))
	s := siteOver(t, w)
	doc := shows(t, s, failuresAddress(runOfDay(2).RunID))
	if got := doc.Find("h1").Text(); !strings.HasPrefix(got, "4 of 10 answers are wrong. No answer: 3") {
		t.Errorf("the headline is %q", got)
	}
	if got := strings.Join(doc.Find("nav.filters a").Map(func(_ int, a *goquery.Selection) string { return a.Text() }), ", "); got != "All wrong 4, New since d1 4" {
		t.Errorf("the tabs are %q", got)
	}
}

// TestLaterRunOfOtherMetrics checks that a run that adds other metrics to a batch does not hide the verdicts of the
// run before.
func TestLaterRunOfOtherMetrics(t *testing.T) {
	t.Parallel()
	w := emptyStore(t)
	write(t, w, 1, runOfDay(1), "hybrid_ex", tenOf())
	write(t, w, 2, runOfDay(2), "hybrid_ex", tenOf("none", "wrong"))
	later := runOfDay(2)
	later.ID = "later"
	write(t, w, 3, later, "component_f1", tenOf("none", "wrong"))
	s := siteOver(t, w)
	doc := shows(t, s, "/trend")
	if got := doc.Find("h1").Text(); got != "80 % of the answers are right in d2." {
		t.Errorf("the headline of the trend is %q", got)
	}
	doc = shows(t, s, runAddress(later.RunID))
	if got := doc.Find(".empty").Text(); strings.Contains(got, "Nothing is wrong") {
		t.Errorf("a run without verdicts says %q", got)
	}
}

// TestAlertOfUnsafeQueries checks that a query that cannot be read, and a missing one, are not said to change data.
func TestAlertOfUnsafeQueries(t *testing.T) {
	t.Parallel()
	w := emptyStore(t)
	run := runOfDay(1)
	write(t, w, 1, run, "hybrid_ex", tenOf())
	write(t, w, 1, run, "sql_safety", tenOf("unknown", "none", "writes", "unknown"))
	doc := shows(t, siteOver(t, w), runAddress(run.RunID))
	if got := doc.Find(".alerts b").Text(); got != "1 query may change data" {
		t.Errorf("the alerts are %q", got)
	}
}

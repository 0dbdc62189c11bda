package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

// answered returns a summary of answers to q1 to q4: those of a batch that pass are the first ones, a missing answer is -1.
func answered(batches map[scoring.By]int) *report.Summary {
	s := report.NewSummary(report.SummaryOptions{Metrics: []scoring.Metric{{Name: "ex", Threshold: scoring.At(1)}}, Primary: "ex"})
	for by, right := range batches {
		for i := range 4 {
			passed := i < right
			score := scoring.OK(0, "")
			if passed {
				score = scoring.OK(1, "")
			}
			if score.Passed = &passed; right < 0 {
				score = scoring.NotApplicable(scoring.NoAnswer)
			}
			score.Metric = "ex"
			s.Add(score, report.Case{AnswerID: scoring.AnswerID{CaseID: fmt.Sprint("q", i+1), By: by}})
		}
	}
	return s
}

// A version is newer than another if its latest batch is; of several batches the latest is compared. Names decide only
// without dates.
func TestDatesDecideWhatIsNewer(t *testing.T) {
	night := func(n int) time.Time { return time.Date(2026, 5, n, 0, 0, 0, 0, time.UTC) }
	x, y, z := scoring.By{Agent: "a", Version: "1.10", Batch: "x"}, scoring.By{Agent: "a", Version: "1.9", Batch: "y"}, scoring.By{Agent: "a", Version: "1.9", Batch: "z"}
	for _, tc := range []struct {
		why   string
		dates map[scoring.By]time.Time
		want  string // from, to, and the cases that passed in each
	}{
		{"no dates", nil, "1.9 1.10 1 4"},
		{"the lower version is newer", map[scoring.By]time.Time{x: night(1), y: night(2), z: night(3)}, "1.10 1.9 4 1"},
		{"and its latest batch has the lower name", map[scoring.By]time.Time{x: night(1), y: night(3), z: night(2)}, "1.10 1.9 4 2"},
		{"the higher version is newer", map[scoring.By]time.Time{x: night(4), y: night(2), z: night(3)}, "1.9 1.10 1 4"},
		{"one batch has no date: it is first", map[scoring.By]time.Time{x: night(1), y: night(2)}, "1.10 1.9 4 2"},
	} {
		s := answered(map[scoring.By]int{x: 4, y: 2, z: 1})
		s.Dated(tc.dates)
		f := s.Figures()
		c := f.Changes[0]
		v := c.Metrics[0].Verdicts
		if got := fmt.Sprint(c.From.Version, " ", c.To.Version, " ", v.Before, " ", v.After); got != tc.want || len(f.Changes) != 1 {
			t.Errorf("%s: %s, want %s", tc.why, got, tc.want)
		}
	}
}

// A change says which answers it is of: all, the latest of several, or those to shared cases.
func TestWhichAnswersAChangeIsOf(t *testing.T) {
	one, two, again := scoring.By{Agent: "a", Version: "1", Batch: "b1"}, scoring.By{Agent: "a", Version: "2", Batch: "b1"}, scoring.By{Agent: "a", Version: "2", Batch: "b2"}
	for _, tc := range []struct {
		why     string
		answers map[scoring.By]int
		extra   bool // version 1 has a case that version 2 lacks
		want    string
	}{
		{"all", map[scoring.By]int{one: 3, two: 2}, false, ""},
		{"repeats", map[scoring.By]int{one: 3, two: 2, again: 1}, false, "the latest answer to each of the 4 cases: 75.0% to 25.0%"},
		{"another case", map[scoring.By]int{one: 3, two: 2}, true, "the 4 cases that both have: 75.0% to 50.0%"},
		{"both", map[scoring.By]int{one: 3, two: 2, again: 1}, true, "the latest answer to each of the 4 cases that both have: 75.0% to 25.0%"},
	} {
		s := answered(tc.answers)
		if tc.extra {
			passed := true
			score := scoring.OK(1, "")
			score.Metric, score.Passed = "ex", &passed
			s.Add(score, report.Case{AnswerID: scoring.AnswerID{CaseID: "q9", By: one}})
		}
		f := s.Figures()
		if got := f.On(&f.Changes[0], &f.Changes[0].Metrics[0]); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}

// A batch without any answer passes on none of its cases, and its answers are counted as missing.
func TestReportOfMissingAnswers(t *testing.T) {
	for _, tc := range []struct {
		answers      map[scoring.By]int
		passed, of   int
		given, lacks int
		counts       string
	}{
		{map[scoring.By]int{{Batch: "b1"}: -1}, 0, 4, 0, 4, "4 questions 0 answers 4 missing 4 scores"},
		{map[scoring.By]int{{Batch: "b1"}: -1, {Batch: "b2"}: 3}, 3, 8, 4, 4, "4 questions 4 answers 4 missing 8 scores"},
		{map[scoring.By]int{{Batch: "b2"}: 3}, 3, 4, 4, 0, "4 questions 4 answers 4 scores"},
	} {
		f := answered(tc.answers).Figures()
		p := f.Metrics[0].Rates[0].Passed
		if p == nil || p.Passed != tc.passed || p.Of != tc.of || f.Answers != tc.given || f.Missing != tc.lacks || strings.Join(f.Counts(), " ") != tc.counts {
			t.Errorf("%+v: %+v, %d answers, %d missing, %q", tc, p, f.Answers, f.Missing, f.Counts())
		}
		if leading := f.Leading(1); len(leading) != 1 {
			t.Errorf("%+v: the metric is not shown", tc)
		}
	}
	s := report.NewSummary(report.SummaryOptions{Metrics: []scoring.Metric{{Name: "latency"}}, Primary: "latency"})
	score := scoring.NotApplicable(scoring.NoAnswer)
	score.Metric = "latency"
	s.Add(score, report.Case{AnswerID: scoring.AnswerID{CaseID: "q"}})
	if r := s.Figures().Metrics[0].Rates[0]; r.Passed != nil {
		t.Errorf("a metric without verdicts has the pass rate %+v", r.Passed)
	}
}

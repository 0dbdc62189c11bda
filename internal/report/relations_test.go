package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/relation"
)

// A diff says why the results differ, by the first relations and in their order, and says nothing
// where they are the same.
func TestDiffSaysWhy(t *testing.T) {
	d := report.Diff{Gold: scoring.EmptyTable(0), Pred: scoring.EmptyTable(0), Relations: []relation.Relation{
		{Name: "zero_filled", Text: "One more row has 0."}, {Name: "superset", Text: "One more row."}, {Name: "overlap", Text: "Some rows."}, {Name: "disjoint", Text: "The fourth is not told."},
	}}
	var out bytes.Buffer
	if err := d.Render(&out, report.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	first, second := strings.Index(text, "why they differ (zero_filled): One more row has 0."), strings.Index(text, "also (superset): One more row.")
	if first < 0 || second < first || strings.Contains(text, "fourth") {
		t.Errorf("printed:\n%s", text)
	}
	d.Relations = []relation.Relation{{Name: "same", Text: "The same."}}
	out.Reset()
	if err := d.Render(&out, report.Options{Width: 100}); err != nil || strings.Contains(out.String(), "differ") {
		t.Errorf("%v, printed:\n%s", err, out.String())
	}
}

// The worst answers are shown with why their results differ, whichever of the two metrics comes
// first.
func TestSummarySaysWhy(t *testing.T) {
	fail := false
	scores := []scoring.Score{
		{Metric: "hybrid_ex", Status: scoring.StatusOK, Value: 0.5, Passed: &fail, Reason: "half of it"},
		{Metric: "relation", Status: scoring.StatusOK, Value: 0.5, Label: "zero_filled", Reason: "One more row has 0."},
	}
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		s := report.NewSummary(report.SummaryOptions{Primary: "hybrid_ex"})
		for _, i := range order {
			s.Add(scores[i], report.Case{AnswerID: scoring.AnswerID{CaseID: "c"}, Question: "How many?"})
		}
		if worst := s.Figures().Worst; len(worst) != 1 || worst[0].Why != "One more row has 0." || worst[0].Reason != "half of it" {
			t.Errorf("worst answers: %+v", worst)
		}
		var out bytes.Buffer
		if err := s.Render(&out, report.Options{Width: 100}); err != nil || !strings.Contains(out.String(), "why they differ: One more row has 0.") {
			t.Errorf("%v, printed:\n%s", err, out.String())
		}
	}
}

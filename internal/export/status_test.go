package export_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

// A run that is not done says so in the forms that can carry it; one that is done succeeds.
func TestTheStatusOfTheRun(t *testing.T) {
	for status, done := range map[string]bool{"done": true, "running": false, "stopped": false, "failed": false} {
		now := "" // the status is known only when the answers are written
		o := export.Options{Metric: "m", Status: func() string { return now }}
		var junit, sarif bytes.Buffer
		j, err := export.NewJUnit(&junit, o)
		if err != nil {
			t.Fatal(err)
		}
		s := export.NewSARIF(&sarif, o)
		score := scoring.OK(1, "")
		score.Metric = "m"
		a := &export.Answer{RunID: "r", AnswerID: scoring.AnswerID{CaseID: "q"}, Scores: []scoring.Score{score}}
		if err := errors.Join(j.Add(a), s.Add(a)); err != nil {
			t.Fatal(err)
		}
		now = status
		if err := errors.Join(j.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		if want := `<property name="run_status" value="` + status + `"/>`; !strings.Contains(junit.String(), want) {
			t.Errorf("JUnit lacks %s:\n%s", want, junit.String())
		}
		var doc struct {
			Runs []struct {
				Invocations []struct {
					ExecutionSuccessful        bool
					ToolExecutionNotifications []struct {
						Level   string
						Message struct{ Text string }
					}
				}
			}
		}
		if err := json.Unmarshal(sarif.Bytes(), &doc); err != nil || len(doc.Runs) != 1 || len(doc.Runs[0].Invocations) != 1 {
			t.Fatalf("%v\n%s", err, sarif.String())
		}
		i := doc.Runs[0].Invocations[0]
		if i.ExecutionSuccessful != done || (len(i.ToolExecutionNotifications) == 1) == done {
			t.Errorf("%s: %+v", status, i)
		}
		summary := report.NewSummary(report.SummaryOptions{})
		summary.Add(score, report.Case{AnswerID: scoring.AnswerID{CaseID: "q"}})
		f := summary.Figures()
		f.RunStatus = status
		var text bytes.Buffer
		if err := export.Markdown(&text, f, export.MarkdownOptions{}); err != nil {
			t.Fatal(err)
		}
		if said := strings.HasPrefix(text.String(), "## badger\n\n**The run is not done ("); said == done {
			t.Errorf("%s: %s", status, text.String())
		}
		if out, err := f.JSON(); err != nil || !strings.Contains(string(out), `"run_status": "`+status+`"`) && !strings.Contains(string(out), `"run_status":"`+status+`"`) {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// A run in which everything failed says so, without a table that has no rows.
func TestNothingHasAValue(t *testing.T) {
	s := report.NewSummary(report.SummaryOptions{})
	for _, id := range []string{"q1", "q2"} {
		for _, metric := range []string{"hybrid_ex", "rose.score", "m"} {
			score := scoring.Fail(errors.New("away"))
			score.Metric = metric
			s.Add(score, report.Case{AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Agent: "a", Version: "1"}}})
		}
	}
	var text, terminal bytes.Buffer
	if err := export.Markdown(&text, s.Figures(), export.MarkdownOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); !strings.Contains(got, "`a 1` has no value of `hybrid_ex`: of 2 asked, 2 failed") || strings.Contains(got, "|") {
		t.Errorf("%s", got)
	}
	if err := s.Render(&terminal, report.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if got := terminal.String(); strings.Contains(got, "Parts") || !strings.Contains(got, "2 failed") {
		t.Errorf("%s", got)
	}
}

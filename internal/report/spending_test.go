package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

// The summary counts what the newest batch of each version took. Questions without an answer took nothing, and an answer
// whose scores were not added is not counted.
func TestSummarySpending(t *testing.T) {
	t.Parallel()
	s := report.NewSummary(report.SummaryOptions{Metrics: []scoring.Metric{{Name: "hybrid_ex"}}})
	add := func(version, batch, id string, right bool, cost string) {
		of := scoring.AnswerID{CaseID: id, By: scoring.By{Agent: "nova", Version: version, Batch: batch}}
		score := scoring.OK(1, "")
		score.Metric, score.Version, score.Passed = "hybrid_ex", 1, &right
		s.Add(score, report.Case{AnswerID: of})
		var spent scoring.Spent
		if cost != "" {
			usd, err := scoring.ParseCost(cost)
			if err != nil {
				t.Fatal(err)
			}
			took := 2300 * time.Millisecond
			spent = scoring.Spent{CostUSD: &usd, Latency: &took}
		}
		s.Took(of, spent)
	}
	add("1", "mon", "a", true, "100") // an earlier batch
	add("1", "tue", "a", true, "0.02")
	add("1", "tue", "b", false, "0.04")
	add("2", "tue", "a", true, "0.05")
	add("2", "tue", "b", true, "0.07")
	add("2", "tue", "c", true, "")
	s.Took(scoring.AnswerID{CaseID: "z", By: scoring.By{Agent: "nova", Version: "2", Batch: "tue"}}, scoring.Spent{})
	f := s.Figures()
	var rows []string
	for _, r := range report.SpendingRows(f.Spending) {
		rows = append(rows, strings.Join([]string{r.Quantity, r.Of, r.Total, r.Median, r.Known, r.Before, r.After, r.Change, r.P}, "|"))
	}
	want := []string{"cost|1|$0.06|$0.03|2/2||||", "|2|$0.12|$0.06|2/3|$0.03|$0.06|+100%|1.000",
		"latency|1|4.6 s|2.3 s|2/2||||", "|2|4.6 s|2.3 s|2/3|2.3 s|2.3 s|+0.0%|1.000"}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	each := strings.Join(report.PerRight(f.Spending), "\n")
	if each != "1: $0.06 for each of 1 right answer\n2: $0.06 for each of 2 right answers; 2 of 3 answers have a known cost" {
		t.Errorf("a right answer: %s", each)
	}
}

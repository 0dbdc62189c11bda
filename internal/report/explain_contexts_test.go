package report_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/report"
)

// The statements of a response are listed if a metric of passages is explained, or with --full.
func TestExplainStatements(t *testing.T) {
	for _, x := range []struct {
		metric string
		full   bool
		want   bool
	}{{"context_faithfulness", false, true}, {"citation_recall", false, true}, {"hybrid_ex", false, false}, {"hybrid_ex", true, true}} {
		v := &caseview.View{CaseID: "1", Asked: &caseview.Score{Metric: x.metric}, Statements: []caseview.Statement{
			{Text: "Trains leave early.", Verdict: "supported", Why: "quoted", Passage: "d1", Judge: "supported", Quote: "departure is at \x1b[31mdawn"},
		}}
		var b strings.Builder
		if err := report.RenderCase(&b, v, report.ExplainOptions{Options: report.Options{Width: 80, Unicode: true}, Full: x.full}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "the judge, who quotes passage d1"); got != x.want || strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s, full %v:\n%s", x.metric, x.full, b.String())
		}
	}
}

package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// explainOf returns what badger explain prints of a case, scored by hybrid_ex and relation.
func explainOf(t *testing.T, c *scoring.Case, full bool) string {
	t.Helper()
	e, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := e.Score(t.Context(), c, "hybrid_ex", "relation")
	if err != nil {
		t.Fatal(err)
	}
	v, err := caseview.Build(t.Context(), caseview.Input{Case: c, Scores: scores}, caseview.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.RenderCase(&b, v, report.ExplainOptions{Options: report.Options{Width: 80, Unicode: true}, Full: full}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func oneCase(t *testing.T, column string, golds, preds []string) *scoring.Case {
	t.Helper()
	side := func(values []string) scoring.Query {
		return scoring.Query{Ran: true, Result: scoring.Result{Table: table(t, fmt.Sprintf(`{"columns":[{"name":"%s","type":"STRING"}],"rows":[["%s"]]}`,
			strings.ReplaceAll(column, "\x1b", `\u001b`), strings.Join(values, `"],["`)))}}
	}
	return &scoring.Case{ID: "c", Question: "Which?", Golds: []scoring.Query{side(golds)}, Pred: side(preds)}
}

// A text of any size is cut, with its size, and --full prints all of it.
func TestExplainCutsLongTexts(t *testing.T) {
	t.Parallel()
	var columns []string
	for i := range 1000 {
		columns = append(columns, fmt.Sprintf("column_%d + %d AS c%d", i, i, i))
	}
	c := oneCase(t, "a", []string{"x", "y"}, []string{"x", "z"})
	c.Golds[0].SQL, c.Pred.SQL = "SELECT a FROM t", "SELECT "+strings.Join(columns, ", ")+" FROM t"
	c.Agent.Response = strings.Repeat("many words. ", 1000) + "the last word"
	short, full := explainOf(t, c, false), explainOf(t, c, true)
	if n := strings.Count(short, "\n"); n > 160 {
		t.Errorf("%d lines", n)
	}
	for _, want := range []string{"c10", "more lines of", "bytes: --full"} {
		if !strings.Contains(short, want) {
			t.Errorf("no %q in\n%s", want, short)
		}
	}
	if n := strings.Count(short, "more lines of"); n != 2 {
		t.Errorf("%d texts are cut, want the response and the query:\n%s", n, short)
	}
	for _, want := range []string{"c999", "the last word"} {
		if strings.Contains(short, want) || !strings.Contains(full, want) {
			t.Errorf("%q is to be printed with --full only", want)
		}
	}
	if strings.Contains(full, "--full") {
		t.Error("nothing is cut with --full")
	}
}

// A control character in a name has one escape, in sentences as in tables.
func TestExplainEscapesOnce(t *testing.T) {
	t.Parallel()
	out := explainOf(t, oneCase(t, "n\x1b[5m", []string{"x"}, []string{"y"}), false)
	if strings.Contains(out, "\x1b[5m") || strings.Contains(out, `\\x1b`) || strings.Count(out, `"n\x1b[5m"`) < 2 {
		t.Errorf("%s", out)
	}
}

// How many values agree is one figure: that of the rows that are matched.
func TestExplainHasOneFigureForAColumn(t *testing.T) {
	t.Parallel()
	out := strings.Join(strings.Fields(explainOf(t, oneCase(t, "a", []string{"u", "v", "w", "x", "y"}, []string{"u", "u", "w", "x", "z"}), false)), " ")
	if !strings.Contains(out, "2 of 5 differ") || strings.Contains(out, "% of its") || !strings.Contains(out, `"a" agrees in part`) {
		t.Errorf("%s", out)
	}
}

package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// explained is a case with something of everything: two accepted answers, a mapping, rows of all
// kinds, two queries, relations and a judge.
func explained(t *testing.T) caseview.Input {
	t.Helper()
	inline := func(text string) scoring.Result { return scoring.Result{Table: table(t, text)} }
	took, gold := 57*time.Millisecond, 41500*time.Microsecond
	c := &scoring.Case{
		ID: "sales-07", Question: "How much did each region sell in 2024?", Evidence: "Returned orders do not count.", Dialect: "duckdb",
		Agent: scoring.Agent{Name: "atlas", Version: "2.0", BatchID: "b1", Interpretation: "Revenue by region.", Response: "North sold most.", ToolCalls: []scoring.ToolCall{{Name: "run_sql", Arguments: json.RawMessage(`{"limit": 100}`)}}},
		Golds: []scoring.Query{
			{SQL: "SELECT region, SUM(amount) AS revenue, AVG(share) AS share FROM orders WHERE NOT returned AND placed >= DATE '2024-01-01' AND placed < DATE '2025-01-01' GROUP BY region", Ran: true, Latency: &gold,
				Result: inline(`{"columns":[{"name":"region","type":"STRING"},{"name":"revenue","type":"DECIMAL"},{"name":"share","type":"FLOAT64"}],"rows":[["north","1234.50",0.125],["south","99.10",0.25],["west","500.00",0.5],["centre","81.25",0.0625]]}`)},
			{SQL: "SELECT SUM(amount) FROM orders", Ran: true, Result: inline(`{"columns":["n"],"rows":[[1]]}`)},
		},
		Pred: scoring.Query{SQL: "select region, sum(amount) as rev, avg(share) * 100 as pct, count(*) as n from orders where year(placed) = 2024 group by region", Ran: true, Latency: &took,
			Result: inline(`{"columns":[{"name":"Region","type":"STRING"},{"name":"rev","type":"DECIMAL"},{"name":"pct","type":"FLOAT64"},{"name":"n","type":"INT64"}],"rows":[["North","1234.50",12.5,5],["south","101.10",25,2],["west","500.00",50,3],["islands","7.00",3,1]]}`)},
	}
	e, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := e.Score(t.Context(), c, "hybrid_ex", "relation", "verdict", "ex_bird", "component_f1", "component_f1_where", "llm_ex")
	if err != nil {
		t.Fatal(err)
	}
	scores[2].AssessmentIDs = []string{"9c1d"}
	return caseview.Input{
		Case: c, Scores: scores, RunID: "r7",
		Assessments: []judgebackend.Assessment{{
			ID: "9c1d", Kind: "rose/prover", Backend: "openai", Model: "o3", PromptVersion: "rose-1", RequestHash: "51e0", TokensIn: 812, TokensOut: 45, LatencyMS: 2300, CreatedAt: time.Date(2025, 1, 14, 6, 0, 2, 0, time.UTC), Payer: "run:r7",
			Reply: `{"reason": "The query keeps returned orders, which the question leaves out.", "verdict": false}`, Request: &judgebackend.Request{Messages: []judgebackend.Message{{Role: judgebackend.System, Content: "You judge SQL."}, {Role: judgebackend.User, Content: "Does the query answer the question?\nQuestion: How much?"}}},
		}},
	}
}

func TestExplainOnTerminals(t *testing.T) {
	in := explained(t)
	for suffix, o := range map[string]report.ExplainOptions{
		"-80": {Options: report.Options{Width: 80, Unicode: true}}, "-120": {Options: report.Options{Width: 120, Unicode: true}}, "-80-ascii": {Options: report.Options{Width: 80}}, "-100-full": {Options: report.Options{Width: 100, Unicode: true}, Full: true},
	} {
		v, err := caseview.Build(t.Context(), in, caseview.Options{Cells: caseview.CellOptions{Each: 20}})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := report.RenderCase(&b, v, o); err != nil {
			t.Fatal(err)
		}
		checkLines(t, b.String(), o.Width)
		golden(t, "explain"+suffix+".txt", b.String())
	}
	v, err := caseview.Build(t.Context(), in, caseview.Options{Cells: caseview.CellOptions{Layout: caseview.List}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.RenderCase(&b, v, report.ExplainOptions{Options: report.Options{Width: 80, Unicode: true}}); err != nil {
		t.Fatal(err)
	}
	golden(t, "explain-cells.txt", b.String())
}

// Whatever the data and the terminal: no line is wider than it, and nothing of the data reaches the
// terminal but as text. With colours, what is only in one query has one.
func TestExplainFitsEveryTerminal(t *testing.T) {
	const hostile = "\x1b[31mred\u202e\r\n\x00 '; -- \t"
	for seed := range uint64(60) {
		gold, pred := randomPair(seed)
		c := &scoring.Case{
			ID: hostile, Question: strings.Repeat(hostile, 3), Evidence: hostile, Agent: scoring.Agent{Name: hostile, Response: hostile, ToolCalls: []scoring.ToolCall{{Name: hostile}}},
			Golds: []scoring.Query{{SQL: "select '" + strings.Repeat("long", 100) + hostile + " from t", Ran: true, Result: scoring.Result{Table: gold}}},
			Pred:  scoring.Query{SQL: "select " + strings.Repeat("日本語", 50) + hostile, Ran: true, Result: scoring.Result{Table: pred}},
		}
		in := caseview.Input{Case: c, Scores: []scoring.Score{{Metric: hostile, Status: scoring.StatusOK, Reason: hostile, Warnings: []string{hostile}, AssessmentIDs: []string{"a"}}}, Assessments: []judgebackend.Assessment{{ID: "a", Kind: hostile, Reply: `{"` + strings.Repeat("x", 90) + `": "` + strings.Repeat("y ", 300) + `"}`}}}
		o := caseview.CellOptions{Show: caseview.All, Each: 5}
		if seed%3 == 0 {
			o.Layout = caseview.List
		}
		v, err := caseview.Build(t.Context(), in, caseview.Options{Cells: o})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		width := 40 + int(seed)*2
		if err := report.RenderCase(&b, v, report.ExplainOptions{Options: report.Options{Width: width, Unicode: seed%2 == 0, Color: seed%5 == 0}, Full: seed%4 == 0}); err != nil {
			t.Fatal(err)
		}
		checkLines(t, b.String(), width)
	}
}

// A missing answer is called that, since the metric applies and the answer does not pass; other scores keep their status.
func TestExplainNamesTheFormOfToolCalls(t *testing.T) {
	c := &scoring.Case{ID: "a", Agent: scoring.Agent{ToolCalls: []scoring.ToolCall{{Name: "run"}, {Name: "sql", ReadAs: "mcp"}, {Name: "sql", ReadAs: "mcp"}}}}
	v, err := caseview.Build(t.Context(), caseview.Input{Case: c}, caseview.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report.RenderCase(&b, v, report.ExplainOptions{Options: report.Options{Width: 80}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "run; sql; sql (read as MCP requests)") {
		t.Errorf("got %s", b.String())
	}
}

func TestExplainNamesMissingAnswers(t *testing.T) {
	for reason, want := range map[string]string{
		scoring.NoAnswer: "verdict no answer", scoring.NoPredSQL: "verdict no answer", "the question calls for a refusal": "verdict not_applicable",
	} {
		v := &caseview.View{Asked: &caseview.Score{Metric: "verdict", Status: scoring.StatusNotApplicable, Reason: reason}}
		var b strings.Builder
		if err := report.RenderCase(&b, v, report.ExplainOptions{Options: report.Options{Width: 80}}); err != nil || !strings.Contains(b.String(), want+"\n") {
			t.Errorf("%s: %v, no %q in\n%s", reason, err, want, b.String())
		}
	}
}

package caseview_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/policy"
	"github.com/badger-eval/badger/scoring/relation"
)

func scored(t testing.TB, c *scoring.Case, names ...string) []scoring.Score {
	t.Helper()
	e, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := e.Score(t.Context(), c, names...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range scores { // as a table of scores holds them
		scores[i].Gold = 0
		if scores[i].Detail != nil {
			raw, err := json.Marshal(scores[i].Detail)
			if err != nil {
				t.Fatal(err)
			}
			scores[i].Detail = json.RawMessage(raw)
		}
	}
	return scores
}

// TestSeveralGolds holds that the accepted answer that counted is found again although tables of
// scores do not say which it was, that the others are compared too, and that another one can be
// chosen.
func TestSeveralGolds(t *testing.T) {
	one, two, three := table(t, `{"columns":["n"],"rows":[[1]]}`), table(t, `{"columns":["n","m"],"rows":[[1,2],[3,4]]}`), table(t, `{"columns":["n","m"],"rows":[[1,2],[3,5]]}`)
	c := pairOf(one, two)
	c.Golds = append(c.Golds, scoring.Query{SQL: "select 3", Result: scoring.Result{Table: three}}, scoring.Query{SQL: "select 2", Result: scoring.Result{Table: two}}, scoring.Query{SQL: "none"})
	in := caseview.Input{Case: c, Scores: scored(t, c, "hybrid_ex", "relation")}
	v := build(t, in, caseview.Options{})
	if v.Gold != 3 || !v.Stored || len(v.Golds) != 4 || *v.Score != 1 {
		t.Fatalf("number %d is compared, stored %t: %+v", v.Gold, v.Stored, v.Golds)
	}
	// By hand: of the rows (1,2), (3,4) three of four cells equal (1,2), (3,5); of one row and column
	// one cell of two rows.
	for i, want := range []float64{0.5, 0.75, 1} {
		if g := v.Golds[i]; g.Value == nil || *g.Value != want || g.Counted != (i == 2) {
			t.Errorf("number %d: %+v, want %v", i+1, g, want)
		}
	}
	if g := v.Golds[3]; g.Value != nil || g.Counted || g.Reason == "" {
		t.Errorf("number 4: %+v", g)
	}
	if v.Relations == nil || !v.Relations.Stored || v.Relations.Holds[0].Name != "same" {
		t.Errorf("relations of the one that counted: %+v", v.Relations)
	}
	if r := build(t, in, caseview.Options{Gold: 2}).Relations; r == nil || r.Stored || r.Holds[0].Class == relation.Equivalent {
		t.Errorf("relations of another one: %+v", r)
	}
	v = build(t, in, caseview.Options{Gold: 2, Cells: caseview.CellOptions{Show: caseview.All}})
	if v.Gold != 2 || v.Stored || *v.Score != 0.75 || v.Queries.RawGold != "select 3" || !strings.Contains(strings.Join(v.Notes, " "), "by accepted answer 3") {
		t.Errorf("number 2: %d %t %v %q", v.Gold, v.Stored, *v.Score, v.Notes)
	}
	checkCells(t, "another gold", v.Cells)
	for _, bad := range []int{-1, 5} {
		if _, err := caseview.Build(t.Context(), in, caseview.Options{Gold: bad}); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("number %d: %v", bad, err)
		}
	}
}

// What cannot be compared is said, and the rest is shown.
func TestWithoutComparison(t *testing.T) {
	n := table(t, `{"columns":["n"],"rows":[[1]]}`)
	for name, c := range map[string]struct {
		change func(*scoring.Case)
		note   string
	}{
		"the query failed": {func(c *scoring.Case) { c.Pred.Result, c.Pred.Error = scoring.Result{}, "no such table" }, "The agent's query failed"},
		"no result":        {func(c *scoring.Case) { c.Pred.Result = scoring.Result{} }, "The agent's result is not given"},
		"cannot be read": {func(c *scoring.Case) {
			c.Golds[0].Result = scoring.Result{Err: errcode.New(errcode.DataLoss, "it is cut")}
		}, "The accepted result cannot be read: it is cut"},
		"a reference":        {func(c *scoring.Case) { c.Golds[0].Result = scoring.Result{Ref: "table:x"} }, "references are not resolved here"},
		"no accepted answer": {func(c *scoring.Case) { c.Golds = nil }, "No gold answer is given"},
		"gold failed":        {func(c *scoring.Case) { c.Golds[0].Result, c.Golds[0].Error = scoring.Result{}, "x" }, "The accepted query failed"},
	} {
		pair := pairOf(n, n)
		pair.Golds[0].SQL, pair.Pred.SQL = "select 1", "select 2"
		c.change(pair)
		v := build(t, caseview.Input{Case: pair, Scores: scored(t, pair, "hybrid_ex", "verdict")}, caseview.Options{})
		if v.Cells != nil || v.Mapping != nil || v.Score != nil || !strings.Contains(strings.Join(v.Notes, "; "), c.note) {
			t.Errorf("%s: %q", name, v.Notes)
		}
		if len(v.Scores) != 2 || v.Queries.RawAgent != "select 2" {
			t.Errorf("%s: %+v", name, v.Scores)
		}
	}
}

// reader resolves one reference.
type reader map[string]*scoring.Table

func (r reader) ReadSnapshot(_ context.Context, ref string) (*scoring.Table, error) {
	return r[ref], nil
}

func TestReferences(t *testing.T) {
	n := table(t, `{"columns":["n"],"rows":[[1]]}`)
	c := pairOf(nil, n)
	c.Golds[0].Result = scoring.Result{Ref: "table:gold"}
	v := build(t, caseview.Input{Case: c, Snapshots: reader{"table:gold": n}}, caseview.Options{})
	if v.Cells == nil || *v.Score != 1 || c.Golds[0].Result.Table != nil {
		t.Errorf("%q, and the case was changed: %t", v.Notes, c.Golds[0].Result.Table != nil)
	}
	if v = build(t, caseview.Input{Case: c, Snapshots: reader{}}, caseview.Options{}); v.Cells != nil || !strings.Contains(strings.Join(v.Notes, ""), "led to no result") {
		t.Errorf("%q", v.Notes)
	}
}

func TestWhichScore(t *testing.T) {
	n := table(t, `{"columns":["n"],"rows":[[1]]}`)
	c := pairOf(n, n)
	ok, abstained := scoring.OK(1, "fine"), scoring.Abstain("open")
	named := func(s scoring.Score, metric string) scoring.Score { s.Metric = metric; return s }
	for _, x := range []struct {
		scores []scoring.Score
		asked  string
		want   string
	}{
		{[]scoring.Score{named(ok, "ex_bird"), named(ok, "verdict")}, "", "verdict"},
		{[]scoring.Score{named(ok, "hybrid_ex"), named(abstained, "verdict")}, "", "hybrid_ex"},
		{[]scoring.Score{named(abstained, "verdict")}, "", "verdict"},
		{[]scoring.Score{named(ok, "own")}, "", "own"},
		{[]scoring.Score{named(ok, "verdict"), named(ok, "own")}, "own", "own"},
		{nil, "", ""},
	} {
		v := build(t, caseview.Input{Case: c, Scores: x.scores}, caseview.Options{Metric: x.asked})
		got := ""
		if v.Asked != nil {
			got = v.Asked.Metric
		}
		if got != x.want {
			t.Errorf("%+v: %s, want %s", x.scores, got, x.want)
		}
	}
	_, err := caseview.Build(t.Context(), caseview.Input{Case: c, Scores: []scoring.Score{named(ok, "verdict")}}, caseview.Options{Metric: "verdct"})
	if errcode.Of(err) != errcode.NotFound || !strings.Contains(err.Error(), "verdict") {
		t.Errorf("%v", err)
	}
}

// What is said of a relation comes from the table of labels, and relations that were searched for are
// those of results that differ, or of results that hold the same data.
func TestRelations(t *testing.T) {
	gold, agent := table(t, `{"columns":["agency","clients"],"rows":[["1",2],["3",1]]}`), table(t, `{"columns":["agency","clients"],"rows":[["1",2],["2",0],["3",1]]}`)
	c := pairOf(gold, agent)
	for _, stored := range []bool{true, false} {
		in := caseview.Input{Case: c}
		if stored {
			in.Scores = scored(t, c, "relation", "hybrid_ex")
		}
		r := build(t, in, caseview.Options{}).Relations
		if r == nil || r.Stored != stored || r.Holds[0].Name != "zero_filled" || r.Holds[0].Text == "" || r.Holds[0].Meaning == "" {
			t.Fatalf("%+v", r)
		}
		row := policy.Default().Row(policy.Answer, relation.Relation{Name: "zero_filled"})
		if got := r.Holds[0].People; got.Cases != row.Cases || got.Accepted != row.Accepted || got.Groups != row.Groups || got.Chance != row.Chance || got.Passes != row.Passes || !got.Passes {
			t.Errorf("%+v, want %+v", got, row)
		}
		names := map[string]int{}
		for _, h := range r.Holds {
			names[h.Name]++
		}
		for _, x := range r.Tried {
			names[x.Name]++
			if x.Family == "same data" {
				t.Errorf("%s was not looked for: the data differ", x.Name)
			}
		}
		for name, n := range names {
			if n > 1 {
				t.Errorf("%s holds and does not", name)
			}
		}
	}
	in := caseview.Input{Case: c, Config: scoring.Config{Options: map[string]json.RawMessage{"verdict": json.RawMessage(`{"policy": "logic"}`)}}}
	if r := build(t, in, caseview.Options{}).Relations; r.Policy != policy.Logic || r.Holds[0].People.Passes {
		t.Errorf("policy logic: %+v", r.Holds[0])
	}
}

func TestJudge(t *testing.T) {
	n := table(t, `{"columns":["n"],"rows":[[1]]}`)
	c := pairOf(n, n)
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	in := caseview.Input{
		Case: c, RunID: "r1",
		Scores: []scoring.Score{
			{Metric: "rose", Status: scoring.StatusOK, AssessmentIDs: []string{"a", "b"}}, {Metric: "verdict", Status: scoring.StatusOK, AssessmentIDs: []string{"a", "gone"}},
		},
		Assessments: []judgebackend.Assessment{
			{ID: "b", Kind: "rose/refuter", Backend: "openai", Model: "m", Reply: "I will not say", RequestHash: "hb", TokensIn: judgebackend.TokensUnknown, TokensOut: judgebackend.TokensUnknown, CreatedAt: at, Payer: "run:r0"},
			{
				ID: "a", Kind: "rose/prover", Backend: "openai", Model: "m", PromptVersion: "rose-1", Reply: `Sure: {"reason": "it <b>fits", "verdict": true, "n": 1.50, "none": null}`, RequestHash: "ha", TokensIn: 12, TokensOut: judgebackend.TokensUnknown, LatencyMS: 7, CreatedAt: at, Payer: "run:r1",
				FinishReason: judgebackend.FinishStop, ServedModel: "m-2", Request: &judgebackend.Request{Messages: []judgebackend.Message{{Role: judgebackend.System, Content: "You judge."}, {Role: judgebackend.User, Content: "Is it right?"}}},
			},
		},
	}
	j := build(t, in, caseview.Options{}).Judge
	yes, no := true, false
	want := &caseview.Judgement{
		Unknown: []string{"gone"},
		Asked: []caseview.Vote{
			{
				ID: "a", Kind: "rose/prover", Metrics: []string{"rose", "verdict"}, Backend: "openai", Model: "m", ServedModel: "m-2", PromptVersion: "rose-1", RequestHash: "ha",
				Question: []caseview.Message{{Role: "system", Text: "You judge."}, {Role: "user", Text: "Is it right?"}}, Reply: in.Assessments[1].Reply,
				Decoded: []caseview.Field{{Name: "reason", Text: "it <b>fits"}, {Name: "verdict", Text: "true"}, {Name: "n", Text: "1.50"}, {Name: "none", Text: "null"}}, TokensIn: 12, TokensOut: judgebackend.TokensUnknown, LatencyMS: 7, At: at, Fresh: &yes, Ended: "stop",
			},
			{ID: "b", Kind: "rose/refuter", Metrics: []string{"rose"}, Backend: "openai", Model: "m", RequestHash: "hb", Reply: "I will not say", TokensIn: judgebackend.TokensUnknown, TokensOut: judgebackend.TokensUnknown, At: at, Fresh: &no},
		},
	}
	if diff := cmp.Diff(want, j); diff != "" {
		t.Error(diff)
	}
	if j := build(t, caseview.Input{Case: c}, caseview.Options{}).Judge; j != nil {
		t.Errorf("nobody was asked: %+v", j)
	}
}

// What the tables did not bear out of a judge's mapping is told.
func TestMappingOfTheJudge(t *testing.T) {
	gold, agent := table(t, salesGold), table(t, salesAgent)
	s := aligned(gold, agent, salesAlignment)
	h := *s.Detail.(*metric.Hybrid) //nolint:forcetypeassert // it is
	low := 0.1
	h.Stage1 = &metric.Stage1{Doubts: []string{"a gold column has no counterpart"}, Asked: true, EvidenceScore: h.Counts.Score, JudgeScore: &low, Rejected: []align.Rejection{{Part: "index", Why: "it is not unique"}}}
	s.Detail = &h
	v := build(t, caseview.Input{Case: pairOf(gold, agent), Scores: []scoring.Score{s}}, caseview.Options{})
	if m := v.Mapping.Judge; m == nil || !m.Asked || m.Used || *m.JudgeScore != low || len(m.Rejected) != 1 {
		t.Errorf("%+v", m)
	}
	if diff := cmp.Diff([]string{"The judge's mapping of columns was not used: no more cells are equal under it.", "index: it is not unique"}, v.Judge.Overruled); diff != "" {
		t.Error(diff)
	}
}

// One sentence names the verdict and the comparison of results where they do not agree.
func TestHeadline(t *testing.T) {
	for _, tc := range []struct{ name, agent, goldSQL, agentSQL, want string }{
		{"both right", `{"columns":["town"],"rows":[["Genoa"],["Split"]]}`, "select distinct town from p", "select town from p group by town", ""},
		{"accepted by rule", `{"columns":["town"],"rows":[["Genoa"],["Split"],["Split"]]}`, "select distinct town from p", "select town from p",
			"Right by verdict (by rule), wrong by hybrid_ex (0.667)."},
		{"undecided", `{"columns":["town"],"rows":[["Genoa"],["Bergen"]]}`, "select town from p where size > 3", "select town from p where size < 9",
			"Undecided by verdict (the evidence leaves it open, and no judge is configured), wrong by hybrid_ex (0.500)."},
	} {
		c := pairOf(table(t, `{"columns":["town"],"rows":[["Genoa"],["Split"]]}`), table(t, tc.agent))
		c.Golds[0].SQL, c.Pred.SQL = tc.goldSQL, tc.agentSQL
		scores := scored(t, c, "verdict", "hybrid_ex")
		if got := build(t, caseview.Input{Case: c, Scores: scores}, caseview.Options{}).Headline; got != tc.want {
			t.Errorf("%s: %q, expected %q", tc.name, got, tc.want)
		}
		if got := build(t, caseview.Input{Case: c, Scores: scores[1:]}, caseview.Options{}).Headline; got != "" {
			t.Errorf("%s, without a verdict: %q", tc.name, got)
		}
	}
}

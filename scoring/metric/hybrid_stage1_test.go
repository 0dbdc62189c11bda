package metric

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/prompt"
)

// thousands is a case whose unit only a judge sees.
const thousands = `{"case_id": "1", "question": "Q-text", "evidence": "E-text", "schema_ddl": "S-text", "dialect": "duckdb",
	"gold": {"sql": "SELECT gold", "result": {"columns": [{"name": "region"}, {"name": "revenue"}], "rows": [["north", 1234500], ["south", 880250]]}},
	"agent": {"sql": "SELECT pred", "result": {"columns": [{"name": "region"}, {"name": "value"}], "rows": [["north", 1234.5], ["south", 880.25]]}}}`

const inThousands = `{"column_mapping": [{"gold": "region", "pred": "region"}, {"gold": "revenue", "pred": "value", "scale": 3}]`

func decodeCase(t *testing.T, text string) *scoring.Case {
	t.Helper()
	c, err := scoring.DecodeCase([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Metrics that rest on the alignment share one call: it is counted once, and both rest on its
// assessment.
func TestStage1IsAskedOnce(t *testing.T) {
	judge := &asked{replies: map[string]string{"align": inThousands}}
	stack, err := judgebackend.NewStack(judge, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: stack, Config: asksForStage1})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := e.Score(t.Context(), decodeCase(t, thousands), "result_match_category", "hybrid_ex")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		if s.Value != 1 || len(s.AssessmentIDs) != 1 || len(s.Warnings) > 0 {
			t.Errorf("%s: %v, assessments %v, warnings %v", s.Metric, s.Value, s.AssessmentIDs, s.Warnings)
		}
	}
	if len(judge.got) != 1 || scores[0].Usage == nil || scores[0].Usage.Calls != 1 || scores[1].Usage != nil {
		t.Errorf("%d calls, usage %+v and %+v", len(judge.got), scores[0].Usage, scores[1].Usage)
	}
	if !slices.Equal(scores[0].AssessmentIDs, scores[1].AssessmentIDs) {
		t.Errorf("they rest on %v and %v", scores[0].AssessmentIDs, scores[1].AssessmentIDs)
	}
	r := judge.got[0]
	text := r.Messages[len(r.Messages)-1].Content
	for _, part := range []string{"Q-text", "E-text", "SELECT gold", "SELECT pred", "2. revenue (INT64)", "2. value (FLOAT64)", "| north | 1234.5 |", "Reference column 2 goes with the agent's column 2: 0 %"} {
		if !strings.Contains(text, part) {
			t.Errorf("the judge is not shown %q", part)
		}
	}
	if r.Temperature != scoring.JudgeTemperature {
		t.Errorf("temperature %v", r.Temperature)
	}
}

// If the configuration makes hybrid_ex ask a judge, the metric reports this, so that many cases are scored
// concurrently.
func TestStage1IsKnownToAsk(t *testing.T) {
	for _, tc := range []struct {
		why    string
		judge  judgebackend.Backend
		config scoring.Config
		want   bool
	}{
		{"configured", fooled(silent), asksForStage1, true},
		{"no judge", nil, asksForStage1, false},
		{"by default", fooled(silent), scoring.Config{}, false},
		{"other options", fooled(silent), scoring.Config{Options: map[string]json.RawMessage{"hybrid_ex": json.RawMessage(`{"tolerance": 0}`)}}, false},
	} {
		e, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: tc.judge, Config: tc.config})
		if err != nil {
			t.Fatal(err)
		}
		m, err := e.Metric("hybrid_ex")
		if err != nil {
			t.Fatal(err)
		}
		if got := e.AsksJudge(m); got != tc.want {
			t.Errorf("%s: %t", tc.why, got)
		}
	}
}

// What the judge says is data, and its absence is the evidence's word; what the backend fails in is
// a failure, so that the row is scored again.
func TestStage1WithoutAnAnswer(t *testing.T) {
	fails := func(kind judgebackend.Kind, r judgebackend.FinishReason) judgebackend.Backend {
		return judgebackend.Func(func(context.Context, judgebackend.Request) (judgebackend.Response, error) {
			return judgebackend.Response{FinishReason: r}, &judgebackend.Error{Kind: kind}
		})
	}
	for _, tc := range []struct {
		why      string
		judge    judgebackend.Backend
		status   scoring.Status
		code     errcode.Code
		warnings string
	}{
		{"no backend", nil, scoring.StatusOK, 0, "no judge is configured"},
		{"the backend none", fails(judgebackend.KindNoJudge, ""), scoring.StatusOK, 0, "no judge is configured"},
		{"no JSON", fooled(silent), scoring.StatusOK, 0, "could not be read"},
		{"the model declined", fails(judgebackend.KindRefused, judgebackend.FinishRefusal), scoring.StatusOK, 0, "could not be read"},
		{"the reply was cut", fails(judgebackend.KindLength, judgebackend.FinishLength), scoring.StatusOK, 0, "could not be read"},
		{"the endpoint is down", fails(judgebackend.KindServer, ""), scoring.StatusFailed, errcode.Unavailable, ""},
		{"the budget is spent", fails(judgebackend.KindBudget, ""), scoring.StatusFailed, errcode.ResourceExhausted, ""},
		{"nothing recorded", fails(judgebackend.KindReplayMiss, ""), scoring.StatusFailed, errcode.NotFound, ""},
	} {
		s := scoreWith(t, tc.judge, decodeCase(t, thousands), "hybrid_ex")
		if s.Status != tc.status || s.Code != tc.code || s.Value != 0 || !strings.Contains(strings.Join(s.Warnings, "\n"), tc.warnings) {
			t.Errorf("%s: %s %s %v, warnings %q", tc.why, s.Status, s.Code, s.Value, s.Warnings)
		}
		if h, ok := s.Detail.(*Hybrid); ok && h.Alignment.Source != "evidence" {
			t.Errorf("%s: the alignment is the %s's", tc.why, h.Alignment.Source)
		}
	}
}

// Without the option no judge is asked, whatever the alignment.
func TestStage1IsEvidenceByDefault(t *testing.T) {
	judge := fooled(func(judgebackend.Request) string {
		t.Error("asked")
		return ""
	})
	e, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: judge})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := e.Score(t.Context(), decodeCase(t, thousands), "hybrid_ex", "result_match_category")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		if s.Status != scoring.StatusOK || s.Value != 0 || s.Usage != nil {
			t.Errorf("%s: %s %v %+v", s.Metric, s.Status, s.Value, s.Usage)
		}
	}
	if b, _ := json.Marshal(scoring.Row{Score: scores[0]}); strings.Contains(string(b), "stage1") {
		t.Errorf("a judge is spoken of: %s", b)
	}
}

func TestStage1Options(t *testing.T) {
	for options, ok := range map[string]bool{
		`{"stage1": "judge"}`: true, `{"stage1": "evidence", "max_tolerance": 0.2}`: true, `{"max_tolerance": 0}`: true,
		`{"stage1": "model"}`: false, `{"max_tolerance": 1}`: false, `{"max_tolerance": -0.1}`: false, `{"stage1": true}`: false,
	} {
		if err := hybridDeclared.Check(json.RawMessage(options)); (err == nil) != ok {
			t.Errorf("%s: %v", options, err)
		}
	}
}

// Replies of any bytes are proposals or errors; what is accepted of them fits the tables, keeps
// within the tolerance and finds no more than all.
func FuzzProposal(f *testing.F) {
	for _, seed := range []string{
		`{"column_mapping": [{"gold": 1, "pred": 2, "kind": "numeric", "scale": 3}], "index_columns": [1], "missing_columns": ["x"], "extra_columns": [3], "recommended_tolerance": 0.01}`,
		`{"column_mapping": [{"gold": "region", "pred": "value", "scale": -2}, {"gold": 1e99, "pred": -1}], "recommended_tolerance": null}`,
		`{"column_mapping": [], "index_columns": ["region", "revenue", 1, 2, 2]}`,
		`text {"column_mapping": [{"gold": 2, "pred": 1, "kind": "date"}]} text`,
		`{"column_mapping": {}}`, `[]`, ``, "\x00",
	} {
		f.Add(seed)
	}
	parse := func(text string) *scoring.Table {
		t, err := scoring.ParseResult([]byte(text))
		if err != nil {
			f.Fatal(err)
		}
		return t
	}
	gold := parse(`{"columns": [{"name": "region"}, {"name": "revenue"}, {"name": "day", "type": "DATE"}], "rows": [["north", 1234500, "2024-01-02"], ["south", 880250, null], ["west", 4, "2024-03-04"]]}`)
	pred := parse(`{"columns": [{"name": "value"}, {"name": "Region"}, {"name": "value"}, {"name": "when"}], "rows": [[1234.5, "north", "$1,234,500", "2 Jan 2024"], [880.25, "south", "(3)", ""], [null, "west", "4", "4 Mar 2024"]]}`)
	evidence := align.Align(gold, pred, align.Options{Tolerance: align.PaperTolerance})
	f.Fuzz(func(t *testing.T, reply string) {
		var p align.Proposal
		if err := judgebackend.Decode(reply, prompt.Align.Schema, &p); err != nil {
			return
		}
		a, rejected := align.Accept(gold, pred, &evidence, &p, align.Options{Tolerance: align.PaperTolerance}, align.PaperTolerance)
		if len(rejected) > 32 {
			t.Errorf("%d rejections", len(rejected))
		}
		if len(a.Columns)+len(a.Missing) != len(gold.Columns) {
			t.Errorf("%d gold columns have a place", len(a.Columns)+len(a.Missing))
		}
		used := map[int]bool{}
		for _, c := range a.Columns {
			if used[c.Pred] || c.Tolerance > align.PaperTolerance {
				t.Errorf("%+v", c)
			}
			used[c.Pred] = true
		}
		if s := cell.Compare(gold, pred, &a, cell.Options{}).Score; !(s >= 0 && s <= 1) {
			t.Errorf("score %v", s)
		}
		again, err := json.Marshal(p) // in the form of the score's detail
		if err != nil {
			t.Fatal(err)
		}
		var q align.Proposal
		if err := json.Unmarshal(again, &q); err != nil {
			t.Errorf("%s cannot be read again: %v", again, err)
		}
	})
}

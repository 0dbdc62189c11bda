package metric

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func TestCompositeOptions(t *testing.T) {
	for _, tt := range []struct{ why, options, want string }{
		{"weights", `{"weights": {"hybrid_ex": 0.6, "component_f1": 0.4}}`, ""},
		{"a metric with categories within 0 and 1", `{"weights": {"result_match_category": 1}}`, ""},
		{"a name that is like none may be a custom metric's", `{"weights": {"brand_voice_q7": 1}}`, ""},
		{"a misspelt metric", `{"weights": {"hybrid_x": 1}}`, "did you mean hybrid_ex"},
		{"a weight of 0", `{"weights": {"hybrid_ex": 0}}`, "weights.hybrid_ex is 0"},
		{"a negative weight", `{"weights": {"hybrid_ex": -1}}`, "weights.hybrid_ex is -1"},
		{"a metric in percent", `{"weights": {"latency_overhead": 1}}`, "expected a metric from 0 to 1"},
		{"a metric of tiers", `{"weights": {"sql_complexity": 1}}`, "expected a metric from 0 to 1"},
		{"a metric that may exceed 1", `{"weights": {"r_ves": 1}}`, "expected a metric from 0 to 1"},
		{"itself", `{"weights": {"composite": 1}}`, "part of itself"},
		{"an unknown word", `{"weights": {"hybrid_ex": 1}, "missing": "drop"}`, "option missing"},
	} {
		err := compositeDeclared.Check(json.RawMessage(tt.options))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.why, err, tt.want)
		}
	}
}

func TestComposite(t *testing.T) {
	// clause_recall is 1/2, exact_match_text 0, tool_recall not applicable, tool_order failed for
	// its specification.
	c := &scoring.Case{ID: "c", Golds: []scoring.Query{{SQL: "SELECT a FROM t WHERE x = 1 ORDER BY a"}}, Pred: scoring.Query{SQL: "SELECT a FROM t"}}
	for _, tt := range []struct {
		why, options string
		value        float64 // negative: not applicable
		warning      string
	}{
		{"a weighted mean", `{"weights": {"clause_recall": 3, "exact_match_text": 1}}`, 0.375, ""},
		{"weights need not add up to 1", `{"weights": {"clause_recall": 0.3, "exact_match_text": 0.1}}`, 0.375, ""},
		{"a metric that is not applicable is left out and named", `{"weights": {"clause_recall": 0.4, "hybrid_ex": 0.6}}`, 0.5, "hybrid_ex (not_applicable)"},
		{"even where missing counts as 0", `{"weights": {"clause_recall": 0.4, "hybrid_ex": 0.6}, "missing": "zero"}`, 0.5, "hybrid_ex (not_applicable)"},
		{"none has a score", `{"weights": {"hybrid_ex": 0.6}}`, -1, ""},
		{"no weights", `{}`, -1, ""},
	} {
		c.Options = map[string]json.RawMessage{"composite": json.RawMessage(tt.options)}
		s := scoreCase(t, "composite", c)
		if tt.value < 0 {
			if s.Status != scoring.StatusNotApplicable {
				t.Errorf("%s: %s %v", tt.why, s.Status, s.Value)
			}
			continue
		}
		if s.Status != scoring.StatusOK || math.Abs(s.Value-tt.value) > 1e-12 || !strings.Contains(strings.Join(s.Warnings, ";"), tt.warning) || tt.warning == "" && len(s.Warnings) > 0 {
			t.Errorf("%s: %s %v %v (%s), want %v", tt.why, s.Status, s.Value, s.Warnings, s.Reason, tt.value)
		}
	}
	c.Expected.Tools = json.RawMessage(`[3]`) // tool_recall fails
	for options, want := range map[string]float64{
		`{"weights": {"clause_recall": 1, "tool_recall": 1}}`:                    0.5,
		`{"weights": {"clause_recall": 1, "tool_recall": 1}, "missing": "zero"}`: 0.25,
	} {
		c.Options = map[string]json.RawMessage{"composite": json.RawMessage(options)}
		if s := scoreCase(t, "composite", c); s.Status != scoring.StatusOK || s.Value != want || !strings.Contains(s.Warnings[0], "tool_recall (failed") {
			t.Errorf("%s: %s %v %v, want %v", options, s.Status, s.Value, s.Warnings, want)
		}
	}
	c.Options = map[string]json.RawMessage{"composite": json.RawMessage(`{"weights": {"brand_voice_q7": 1}}`)}
	if s := scoreCase(t, "composite", c); s.Status != scoring.StatusFailed || !strings.Contains(s.Reason, "brand_voice_q7") {
		t.Errorf("a metric that is nowhere: %s %s", s.Status, s.Reason)
	}
}

// A deployment's threshold gives the verdict.
func TestCompositeVerdict(t *testing.T) {
	engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Config: scoring.Config{
		Options:    map[string]json.RawMessage{"composite": json.RawMessage(`{"weights": {"clause_recall": 1}}`)},
		Thresholds: map[string]float64{"composite": 0.6},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]bool{"SELECT a FROM t": false, "SELECT a FROM t ORDER BY a": true} {
		scores, err := engine.Score(t.Context(), &scoring.Case{ID: "c", Golds: []scoring.Query{{SQL: "SELECT a FROM t WHERE x = 1 ORDER BY a"}}, Pred: scoring.Query{SQL: sql}}, "composite")
		if err != nil {
			t.Fatal(err)
		}
		if s := scores[0]; s.Passed == nil || *s.Passed != want {
			t.Errorf("%s: passed %v at %v, want %v", sql, s.Passed, s.Value, want)
		}
	}
}

// A custom metric where lower is better is turned round by its range, and refused without one.
func TestCompositeTurnsLowerIsBetterRound(t *testing.T) {
	penalty := func(name, unit string, threshold float64) scoring.Metric {
		return scoring.Metric{
			Name: name, Version: 1, Group: "test", Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsIgnored("test"), Range: unit,
			Threshold: scoring.At(threshold), LowerIsBetter: true,
			Score: func(context.Context, *scoring.Input) (scoring.Score, error) { return scoring.OK(0.2, "a penalty"), nil },
		}
	}
	engine, err := scoring.NewEngine(append(All(), penalty("penalty_one", "0 to 1", 0.5), penalty("penalty_half", "0 to 0.5", 0.1), penalty("penalty_open", "0 or more", 0.5)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		metric, says string
		value        float64
	}{
		{"penalty_one", "", 0.8},
		{"penalty_half", "", 0.3},
		{"penalty_open", "weights.penalty_open: lower values of it are better and its range is \"0 or more\"", 0},
	} {
		c := &scoring.Case{ID: "c", Options: map[string]json.RawMessage{"composite": json.RawMessage(`{"weights": {"` + tt.metric + `": 2}}`)}}
		scores, err := engine.Score(t.Context(), c, "composite")
		if err != nil {
			t.Fatal(err)
		}
		switch s := scores[0]; {
		case tt.says != "":
			if s.Status != scoring.StatusFailed || !strings.Contains(s.Reason, tt.says) {
				t.Errorf("%s: %s %v %s, want failed: %s", tt.metric, s.Status, s.Value, s.Reason, tt.says)
			}
		case s.Status != scoring.StatusOK || math.Abs(s.Value-tt.value) > 1e-12:
			t.Errorf("%s: %s %v %s, want %v", tt.metric, s.Status, s.Value, s.Reason, tt.value)
		}
	}
}

// What the agent withheld counts as 0 if missing scores do; what the case lacks does not.
func TestCompositeCountsWhatWasWithheld(t *testing.T) {
	gold, err := scoring.ParseResult([]byte(`{"columns": [{"name": "n"}], "rows": [[1]]}`))
	if err != nil {
		t.Fatal(err)
	}
	base := func() *scoring.Case {
		return &scoring.Case{
			ID: "c", Question: "How many?", Golds: []scoring.Query{{SQL: "SELECT 1", Result: scoring.Result{Table: gold}}},
			Pred:  scoring.Query{SQL: "SELECT 1", Result: scoring.Result{Table: gold}},
			Agent: scoring.Agent{Response: "There is 1.", Interpretation: "Count them."},
		}
	}
	for _, tt := range []struct {
		why, weights string
		change       func(c *scoring.Case)
		value        float64
	}{
		{"an empty response", `"exact_match_text": 1, "geval_coherence": 3`, func(c *scoring.Case) { c.Agent.Response = "" }, 0.25},
		{"a response of blanks", `"exact_match_text": 1, "geval_coherence": 3`, func(c *scoring.Case) { c.Agent.Response = " \n\t" }, 0.25},
		{"no SQL and no result", `"refusal": 1, "hybrid_ex": 3`, func(c *scoring.Case) { c.Pred = scoring.Query{} }, 0},
		{"no SQL", `"row_f1": 1, "clause_recall": 3`, func(c *scoring.Case) { c.Pred.SQL = "" }, 0.25},
		{"no SQL where the question calls for a refusal", `"refusal": 1, "hybrid_ex": 3`, func(c *scoring.Case) { c.Pred = scoring.Query{}; c.Expected.Behaviour = scoring.BehaviourRefuse }, 1},
		{"no gold result", `"exact_match_text": 1, "hybrid_ex": 3`, func(c *scoring.Case) { c.Golds[0].Result = scoring.Result{} }, 1},
		{"a result that was not kept", `"exact_match_text": 1, "hybrid_ex": 3`, func(c *scoring.Case) { c.Pred.Result = scoring.Result{} }, 1},
	} {
		c := base()
		tt.change(c)
		c.Options = map[string]json.RawMessage{"composite": json.RawMessage(`{"weights": {` + tt.weights + `}, "missing": "zero"}`)}
		if s := scoreCase(t, "composite", c); s.Status != scoring.StatusOK || math.Abs(s.Value-tt.value) > 1e-12 {
			t.Errorf("%s: %s %v (%s, %v), want %v", tt.why, s.Status, s.Value, s.Reason, s.Warnings, tt.value)
		}
	}
}

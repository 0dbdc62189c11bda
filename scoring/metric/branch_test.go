package metric

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// Every metric of Table 2 of the BADGER paper is of the branch that the table gives it.
func TestBranchesFollowTable2(t *testing.T) {
	table := map[scoring.Branch][]string{
		scoring.BranchSQL: {
			"syntactic_accuracy", "component_recall_", "component_exact_", "component_recall", "component_f1", "sql_judge_similarity", "sql_judge_equivalent", "sql_judge_issues",
			"llm_ex", "hybrid_ex", "result_match_category", "sql_complexity", "latency_overhead", "intent_similarity",
		},
		scoring.BranchAgentic: {
			"tool_recall", "tool_order", "tool_excess", "faithfulness", "faithfulness_verdict", "geval_coherence", "geval_consistency", "geval_fluency", "geval_relevance",
			"intent_resolution", "intent_resolution_category",
		},
	}
	for branch, names := range table {
		for _, name := range names {
			found := false
			for _, m := range All() {
				if m.Name == name || strings.HasSuffix(name, "_") && strings.HasPrefix(m.Name, name) {
					found = true
					if m.Branch != branch {
						t.Errorf("%s is of the branch %s, Table 2 has it under %s", m.Name, m.Branch, branch)
					}
				}
			}
			if !found {
				t.Errorf("no metric %s*", name)
			}
		}
	}
	for _, name := range []string{"flex", "rose", "stef", "stef_enrichment", "llm_sql_solver", "verdict", "ex_bird", "tree_match"} {
		if registered[name].Branch != scoring.BranchSQL {
			t.Errorf("%s judges a query or its result, and is of the branch %q", name, registered[name].Branch)
		}
	}
}

// A failed query ends the text-to-SQL branch: even the accepted query, verbatim, passes no metric that judges it,
// and no judge is asked.
func TestFailedQueryEndsTheSQLBranch(t *testing.T) {
	notApplicable := []string{"latency_overhead", "sql_judge_issues", "stef_enrichment"}
	asEver := map[string]float64{"sql_safety": 1, "sql_complexity": 2, "intent_similarity": 1} // medium; the interpretation is the question
	asked := judgebackend.Func(func(context.Context, judgebackend.Request) (judgebackend.Response, error) {
		t.Error("a judge is asked about a query that failed")
		return judgebackend.Response{}, context.Canceled
	})
	engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: asked})
	if err != nil {
		t.Fatal(err)
	}
	c := decodeCase(t, `{"case_id": "c", "question": "which are there", "schema_ddl": "CREATE TABLE t (a int)",
		"gold": {"sql": "SELECT a FROM t ORDER BY a", "result": {"columns": ["a"], "rows": [[1], [2]]}, "latency_ms": 1},
		"agent": {"sql": "SELECT a FROM t ORDER BY a", "error": "timeout", "interpretation": "which are there",
			"latency_ms": 1}}`)
	for _, m := range All() {
		if m.Branch&scoring.BranchSQL == 0 || m.Name == "composite" {
			continue
		}
		scores, err := engine.Score(t.Context(), c, m.Name)
		if err != nil {
			t.Fatal(err)
		}
		s, value, declared := scores[0], 0.0, scoring.StatusOK
		switch as, ok := asEver[m.Name]; {
		case slices.Contains(notApplicable, m.Name):
			declared = scoring.StatusNotApplicable
			if s.Status != scoring.StatusNotApplicable || !strings.Contains(s.Reason, "failed when it ran") {
				t.Errorf("%s: %s %v (%s), want not_applicable since the query failed", m.Name, s.Status, s.Value, s.Reason)
			}
		case ok:
			value, declared = as, ""
			if s.Status != scoring.StatusOK || s.Value != value {
				t.Errorf("%s: %s %v (%s), want %v as of any query", m.Name, s.Status, s.Value, s.Reason, value)
			}
		default:
			if s.Status != scoring.StatusOK || s.Value != 0 || s.Passed != nil && *s.Passed || !strings.Contains(s.Reason, "failed when it ran") {
				t.Errorf("%s: %s %v (%s), want 0 since the query failed", m.Name, s.Status, s.Value, s.Reason)
			}
		}
		if m.FailedQuery.Status != declared {
			t.Errorf("%s declares %q, which is not what it does", m.Name, m.FailedQuery.String())
		}
	}
}

// A failed query is not an answer, and not a refusal if one is called for.
func TestRefusalOfAFailedQuery(t *testing.T) {
	for expected, want := range map[string]scoring.Score{
		"":        {Status: scoring.StatusNotApplicable},
		"answer":  {Status: scoring.StatusNotApplicable},
		"refuse":  {Status: scoring.StatusOK, Label: missedRefusal},
		"clarify": {Status: scoring.StatusOK, Label: missedClarification},
	} {
		c := decodeCase(t, `{"case_id": "c", "agent": {"sql": "SELECT 1 FROM t", "error": "no such table"}}`)
		c.Expected.Behaviour = expected
		engine, err := scoring.NewEngine(All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := engine.Score(t.Context(), c, "refusal")
		if err != nil || scores[0].Status != want.Status || scores[0].Label != want.Label || scores[0].Value != 0 {
			t.Errorf("expected %q: %+v (%v), want %s %s", expected, scores[0], err, want.Status, want.Label)
		}
	}
}

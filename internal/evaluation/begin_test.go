package evaluation_test

import (
	"slices"
	"testing"

	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// Each mode evaluates the metrics of its branches, those that ask a judge too, and both evaluate
// everything.
func TestModesChooseByBranch(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	chosen := func(mode string) []string {
		names, err := evaluation.ChooseMetrics(engine, nil, mode, func(*scoring.Metric) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	sql, agentic, both := chosen("text2sql_only"), chosen("agentic_only"), chosen("both")
	for _, name := range []string{"llm_ex", "verdict", "sql_judge_similarity", "sql_judge_equivalent", "sql_judge_issues", "intent_similarity", "flex", "rose", "stef", "stef_enrichment", "llm_sql_solver", "composite"} {
		if !slices.Contains(sql, name) {
			t.Errorf("text2sql_only leaves out %s", name)
		}
	}
	for _, name := range []string{"tool_recall", "faithfulness", "geval_fluency", "intent_resolution", "refusal", "composite"} {
		if !slices.Contains(agentic, name) {
			t.Errorf("agentic_only leaves out %s", name)
		}
	}
	for _, name := range sql {
		if name != "composite" && slices.Contains(agentic, name) {
			t.Errorf("%s is of both branches", name)
		}
	}
	onRequest := 0
	for _, m := range metric.All() {
		if m.OnRequest {
			onRequest++
		}
		if m.OnRequest == slices.Contains(both, m.Name) {
			t.Errorf("without --metrics, %s is computed: %v", m.Name, !m.OnRequest)
		}
	}
	if len(both)+onRequest != len(metric.All()) || len(sql)+len(agentic) != len(both)+1 {
		t.Errorf("the modes evaluate %d, %d and %d metrics of %d", len(sql), len(agentic), len(both), len(metric.All()))
	}
	if all, err := evaluation.ChooseMetrics(engine, []string{"all"}, "both", func(*scoring.Metric) bool { return true }); err != nil || len(all) != len(metric.All()) {
		t.Errorf("all are %d metrics of %d, %v", len(all), len(metric.All()), err)
	}
}

//go:build !no_duckdb

package sitetest_test

import (
	"testing"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/sql/store"
)

func number(tb testing.TB, w *store.Store, query string) int64 {
	tb.Helper()
	t, err := w.Query(tb.Context(), query)
	if err != nil {
		tb.Fatal(err)
	}
	return t.Columns[0].Value(0).Int()
}

func TestLargeHasItsSize(t *testing.T) {
	w := sitetest.Large(t, sitetest.Size{Cases: 1000, Metrics: 5, Runs: 3})
	for what, tc := range map[string]struct {
		query string
		want  int64
	}{
		"questions":                   {"SELECT count(DISTINCT case_id) FROM badger.golden_set", 1000},
		"answers":                     {"SELECT count(*) FROM badger.agent_runs", 3000},
		"runs":                        {"SELECT count(*) FROM badger.eval_runs", 3},
		"keys of scores":              {"SELECT count(*) FROM (SELECT DISTINCT eval_run_id, agent_name, agent_version, batch_id, case_id, metric FROM badger.scores)", 15000},
		"scores":                      {"SELECT count(*) FROM badger.scores", 15000},
		"labelled answers":            {"SELECT count(*) FROM (SELECT DISTINCT case_id, agent_version, batch_id FROM badger.human_labels)", 300},
		"relations are among the few": {"SELECT count(DISTINCT metric) FROM badger.scores WHERE metric IN ('hybrid_ex', 'verdict', 'relation')", 3},
		"scores without an answer":    {"SELECT count(*) FROM badger.scores s ANTI JOIN badger.agent_runs r USING (agent_name, agent_version, batch_id, case_id)", 0},
		"scores without a run":        {"SELECT count(*) FROM badger.scores s ANTI JOIN badger.eval_runs r USING (eval_run_id, agent_name, agent_version, batch_id)", 0},
		"values out of status":        {"SELECT count(*) FROM badger.scores WHERE (value IS NULL) = (status = 'ok')", 0},
		"the last case":               {"SELECT count(*) FROM badger.agent_runs WHERE case_id = '" + sitetest.CaseID(999) + "' AND batch_id = '" + sitetest.BatchID(2) + "' AND agent_version = '" + sitetest.AgentVersion(2) + "'", 1},
	} {
		if got := number(t, w, tc.query); got != tc.want {
			t.Errorf("%s: %d, want %d", what, got, tc.want)
		}
	}
}

func BenchmarkFill(b *testing.B) {
	for b.Loop() {
		sitetest.Large(b, sitetest.Size{Cases: 100_000, Metrics: 60, Runs: 1})
	}
}

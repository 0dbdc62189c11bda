//go:build !no_duckdb

package sitetest_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/internal/site/sitetest"
)

// The pages have something to show only where the small store has it.
func TestSmallHasSomethingOfEverything(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	for _, tc := range []struct{ what, query string }{
		{"runs that are done", "FROM badger.eval_runs WHERE status = 'done'"},
		{"a run under way", "FROM badger.eval_runs WHERE status = 'running'"},
		{"batches", "FROM (SELECT batch_id FROM badger.eval_runs GROUP BY 1 HAVING count(*) > 1)"},
		{"values", "FROM badger.scores WHERE status = 'ok' AND value BETWEEN 0.1 AND 0.9"},
		{"failed", "FROM badger.scores WHERE status = 'failed' AND code IS NOT NULL"},
		{"failed by the judge", "FROM badger.scores WHERE status = 'failed' AND usage IS NOT NULL"},
		{"abstained", "FROM badger.scores WHERE status = 'abstained'"},
		{"not applicable", "FROM badger.scores WHERE status = 'not_applicable'"},
		{"scores that rest on assessments", "FROM badger.scores WHERE assessment_ids IS NOT NULL"},
		{"assessments with their questions", "FROM badger.assessments WHERE detail LIKE '%\"messages\"%'"},
		{"tokens of a run", "FROM badger.eval_runs WHERE (tokens->>'in')::BIGINT > 1000"},
		{"cases where people differ", "FROM (SELECT case_id, agent_version, batch_id FROM badger.human_labels GROUP BY ALL HAVING count(DISTINCT verdict) > 1)"},
		{"unsure people", "FROM badger.human_labels WHERE verdict = 'unsure'"},
		{"a run without an answer to one question", "FROM badger.golden_set ANTI JOIN (FROM badger.scores WHERE eval_run_id = 'judged') USING (case_id)"},
		{"several accepted answers", "FROM badger.golden_set WHERE alternatives IS NOT NULL"},
		{"long results", "FROM badger.agent_runs WHERE length(result) > 20000"},
		{"relations", "FROM (SELECT label FROM badger.scores WHERE metric = 'relation' AND label <> 'same' GROUP BY 1 HAVING count(*) > 1)"},
	} {
		if number(t, w, "SELECT count(*) "+tc.query) == 0 {
			t.Errorf("the small store has no %s", tc.what)
		}
	}
}

func TestHostileStoreHasEveryTextInItsPlaces(t *testing.T) {
	w := sitetest.Open(t, sitetest.HostileStore(t))
	n, own := int64(len(sitetest.Hostile())), int64(0)
	for i := range sitetest.Hostile() {
		if sitetest.HasOwnRun(i) {
			own++
		}
	}
	for _, tc := range []struct {
		what, query string
		want        int64
	}{
		{"questions", "golden_set", n},
		{"answers in the plain run", "agent_runs WHERE agent_name = 'atlas'", n},
		{"answers in runs of their own", "agent_runs WHERE agent_name <> 'atlas'", own},
		{"runs of their own", "eval_runs WHERE eval_run_id = agent_name", own},
		{"cases with scores", "(SELECT DISTINCT case_id FROM badger.scores WHERE eval_run_id = 'plain')", n},
	} {
		if got := number(t, w, "SELECT count(*) FROM "+strings.Replace("badger."+tc.query, "badger.(", "(", 1)); got != tc.want {
			t.Errorf("%d %s, want %d", got, tc.what, tc.want)
		}
	}
	for _, column := range sample.Of([]string{"golden_set.question", "golden_set.gold_sql", "golden_set.gold_result", "golden_set.tags", "agent_runs.sql", "agent_runs.result", "agent_runs.response", "agent_runs.agent_name", "human_labels.note", "human_labels.annotator", "scores.case_id"}, 4) {
		table, name, _ := strings.Cut(column, ".")
		want := n
		if name == "agent_name" {
			want = own
		}
		if got := number(t, w, "SELECT count(DISTINCT mark) FROM (SELECT unnest(regexp_extract_all("+name+"::VARCHAR, 'mark...x')) AS mark FROM badger."+table+")"); got != want {
			t.Errorf("%s holds %d texts, want %d", column, got, want)
		}
	}
	if said := number(t, w, "SELECT count(*) FROM badger.assessments WHERE regexp_matches(reply, 'mark...x')"); said < 100 {
		t.Errorf("the judge said %d hostile texts, want 100 and more", said)
	}
}

//go:build !no_duckdb

package site

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Every finding that is counted leads to a list of the cases that have it, and no others.
func TestFindingsLeadToTheirCases(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	// details of judges that the store lacks
	for _, set := range []string{
		`UPDATE badger.scores SET metric = 'sql_judge_issues', detail = '{"by": "judge", "issues": [{"label": "filters_missing", "why": "\"label\": \"other\""}, {"label":"wrong_join"}]}' WHERE eval_run_id = 'judged' AND metric = 'geval_relevance' AND case_id LIKE 'bank%'`,
		`UPDATE badger.scores SET metric = 'sql_judge_issues', detail = '{"by": "execution", "issues": []}' WHERE eval_run_id = 'judged' AND metric = 'geval_relevance'`,
		`UPDATE badger.scores SET metric = 'stef', detail = '{"filters_applied_status": "not_applied"}' WHERE eval_run_id = 'judged' AND metric = 'intent_resolution'`,
	} {
		if err := w.Exec(t.Context(), set); err != nil {
			t.Fatal(err)
		}
	}
	pages, err := w.Pages(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, run := range []scoring.RunID{night2, judgedRun, judged1} {
		want := map[string]map[string]bool{}
		scores := scoresOf(t, w, run)
		for i := range scores {
			for _, f := range scores[i].Findings {
				if want[f] == nil {
					want[f] = map[string]bool{}
				}
				want[f][scores[i].CaseID] = true
			}
		}
		for f, cases := range want {
			for op, expected := range map[store.Op]bool{store.Equal: true, store.NotEqual: false} {
				list, err := pages.List(t.Context(), store.State{RunID: run, Mode: store.All, Page: 1, Size: 500, Filters: []store.ListFilter{{Column: "finding", Op: op, Value: f}}})
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for id, err := range list.IDs(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					if n++; cases[id] != expected {
						t.Errorf("%s: %s is listed under finding%s%s", run.ID, id, op, f)
					}
				}
				if expected && n != len(cases) {
					t.Errorf("%s: %d cases have %s, want %d", run.ID, n, f, len(cases))
				}
			}
			kind, _, _ := strings.Cut(f, ":")
			kinds[kind] = true
		}
	}
	for _, kind := range []string{analysis.KindIssue, analysis.KindError, analysis.KindDifference, analysis.KindExecution, analysis.KindRelation, analysis.KindFilters, analysis.KindDiagnosis} {
		if !kinds[kind] {
			t.Errorf("no finding of the kind %s occurs", kind)
		}
	}
	for _, wrong := range []string{"x:y", "relation:", "diagnosis:other", "relation"} {
		list, err := pages.List(t.Context(), store.State{RunID: night2, Mode: store.All, Page: 1, Size: 50, Filters: []store.ListFilter{{Column: "finding", Op: store.Equal, Value: wrong}}})
		if err == nil {
			for _, err = range list.IDs(t.Context()) {
				break
			}
		}
		if err == nil {
			t.Errorf("finding=%s is no error", wrong)
		}
	}
}

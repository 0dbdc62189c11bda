package drivertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// tables checks that the statements for badger's own tables run on every warehouse, with the same results.
func (h Harness) tables(t *testing.T) {
	ctx := context.Background()
	w := store.New(connectors.New(h.open(t), h.Dialect))
	for range 2 { // the second time everything exists
		if err := w.Install(ctx); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(id, version, batch string) *scoring.Case {
		return &scoring.Case{ID: id, Agent: scoring.Agent{Name: "atlas", Version: version, BatchID: batch},
			Pred: scoring.Query{SQL: "SELECT " + version}}
	}
	question := func(id, text string) *scoring.Case { return &scoring.Case{ID: id, Question: text} }
	write := func(set string, cases ...*scoring.Case) {
		t.Helper()
		if err := w.WriteCases(ctx, set, cases); err != nil {
			t.Fatal(err)
		}
	}
	for _, set := range []string{"v10", "v9", "v2"} {
		write(set, question("a", "a of "+set), question("b", "b of "+set))
	}
	write("v9", question("c", "c of v9"))
	write("v2", answer("a", "1", "mon"), answer("a", "1", "tue"), answer("a", "2", "mon"), answer("b", "1", "mon"),
		answer("c", "1", "mon"))
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	labels := []store.Label{
		{AnswerID: scoring.AnswerID{CaseID: "a", By: scoring.By{Agent: "atlas", Version: "1", Batch: "mon"}},
			Annotator: "kim", Verdict: "pass", At: at},
		{AnswerID: scoring.AnswerID{CaseID: "a", By: scoring.By{Agent: "atlas", Version: "2", Batch: "mon"}},
			Annotator: "kim", Verdict: "fail", At: at},
		// the batch's only version
		{AnswerID: scoring.AnswerID{CaseID: "b", By: scoring.By{Agent: "atlas", Batch: "mon"}}, Annotator: "kim",
			Verdict: "fail", At: at},
	}
	for range 2 {
		if err := w.WriteLabels(ctx, labels...); err != nil {
			t.Fatal(err)
		}
	}

	read := func(f store.Filter) string {
		t.Helper()
		var out []string
		for a, err := range w.Cases(ctx, f) {
			if err != nil {
				t.Fatal(err)
			}
			if a.Err != nil {
				t.Fatal(a.Err)
			}
			human := "-"
			if a.Case.Human != nil {
				human = fmt.Sprint(*a.Case.Human)
			}
			out = append(out, strings.Join([]string{a.Version, a.Batch, a.CaseID, a.Case.Question, human}, " "))
		}
		n, err := w.Count(ctx, f)
		if err != nil || n != int64(len(out)) {
			t.Errorf("%+v: counted %d (%v), read %d", f, n, err, len(out))
		}
		return strings.Join(out, "\n")
	}
	for _, tc := range []struct {
		f    store.Filter
		want string
	}{
		{store.Filter{},
			"1 mon a a of v10 true\n1 mon b b of v10 false\n1 mon c c of v9 -\n1 tue a a of v10 -\n2 mon a a of v10 false"},
		{store.Filter{SetVersion: "v9", By: scoring.By{Version: "1"}},
			"1 mon a a of v9 true\n1 mon b b of v9 false\n1 mon c c of v9 -\n1 tue a a of v9 -"},
		{store.Filter{By: scoring.By{Agent: "atlas", Batch: "tue"}}, "1 tue a a of v10 -"},
	} {
		if got := read(tc.f); got != tc.want {
			t.Errorf("%+v:\n%s\nwant\n%s", tc.f, got, tc.want)
		}
	}
	votes, err := w.Votes(ctx)
	if err != nil || len(votes) != 3 ||
		votes[2].AnswerID != (scoring.AnswerID{CaseID: "b", By: scoring.By{Agent: "atlas", Version: "1", Batch: "mon"}}) ||
		votes[2].Says != -1 || !votes[2].Known {
		t.Errorf("votes: %+v, %v", votes, err)
	}

	passed := true
	score := func(id, version, metric string) scoring.Row {
		return scoring.Row{
			AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Agent: "atlas", Version: version, Batch: "mon"}},
			Score: scoring.Score{Metric: metric, Version: 2, Status: scoring.StatusOK, Value: 0.5, Label: "easy",
				Passed: &passed, Usage: &scoring.Usage{Calls: 1, TokensIn: 7, TokensOut: 9}},
		}
	}
	for i, run := range []struct {
		id, status string
		rows       []scoring.Row
	}{
		{"whole", "done",
			[]scoring.Row{score("a", "1", "m"), score("b", "1", "m"), score("a", "1", "sql_complexity"), score("a", "2", "m")}},
		{"part", "stopped", []scoring.Row{score("b", "1", "m")}},
	} {
		for _, version := range []string{"1", "2"} {
			if err := w.WriteRuns(ctx,
				store.Run{RunID: scoring.RunID{ID: run.id, By: scoring.By{Agent: "atlas", Version: version, Batch: "mon"}},
					Started: at.Add(time.Duration(i) * time.Hour), Status: run.status}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.WriteScores(ctx, run.id, "h", at.Add(time.Duration(i)*time.Hour), run.rows); err != nil {
			t.Fatal(err)
		}
	}
	var held []string
	for r, err := range w.Scores(ctx, "whole") {
		if err != nil {
			t.Fatal(err)
		}
		if r.Score.Usage == nil || *r.Score.Usage != (scoring.Usage{Calls: 1, TokensIn: 7, TokensOut: 9}) ||
			r.Score.Value != 0.5 || r.Score.Passed == nil || !*r.Score.Passed || r.Score.Version != 2 {
			t.Errorf("held: %+v", r)
		}
		held = append(held, r.Version+r.CaseID+" "+r.Score.Metric)
	}
	if got := strings.Join(held, ", "); got != "1a m, 1a sql_complexity, 1b m, 2a m" {
		t.Errorf("held: %s", got)
	}
	runs, err := w.Runs(ctx, "part")
	if err != nil || len(runs) != 2 || runs[1].Version != "2" || runs[1].Status != "stopped" ||
		!runs[1].Started.Equal(at.Add(time.Hour)) {
		t.Errorf("runs: %+v, %v", runs, err)
	}
	if latest, err := w.LatestRuns(ctx, 5); err != nil || strings.Join(latest, " ") != "part whole" {
		t.Errorf("latest runs: %v, %v", latest, err)
	}
	for query, want := range map[string]string{
		"SELECT agent_version, case_id, metric, eval_run_id, run_status FROM badger.latest_scores ORDER BY agent_version, case_id, metric": "1 a m whole done, 1 a sql_complexity whole done, 1 b m part stopped, 2 a m whole done",
		"SELECT case_id, agent_version, passes FROM badger.consensus ORDER BY case_id, agent_version":                                      "a 1 1, a 2 0, b 1 0",
		"SELECT case_id, tier FROM badger.complexity":                                                                                      "a easy",
		"SELECT agent_version, tier, scored, unfinished FROM badger.versions_by_metric WHERE metric = 'm' ORDER BY agent_version, tier":    "1 easy 1 0, 1 unknown 1 1, 2 easy 1 0",
		"SELECT labelled, true_pass, false_pass, true_fail, false_fail FROM badger.agreement WHERE metric = 'm'":                           "3 1 2 0 0",
	} {
		got, err := w.Query(ctx, query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		var rows []string
		for row := range got.Rows() {
			var cells []string
			for i := range got.Columns {
				cells = append(cells, got.Columns[i].Value(row).String())
			}
			rows = append(rows, strings.Join(cells, " "))
		}
		if have := strings.Join(rows, ", "); have != want {
			t.Errorf("%s:\n%s\nwant\n%s", query, have, want)
		}
	}
}

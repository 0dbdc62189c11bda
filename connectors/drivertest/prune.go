package drivertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// pruning checks that rows are deleted by age and by case on every warehouse, and what is kept.
func (h Harness) pruning(t *testing.T) {
	ctx := context.Background()
	w := store.New(connectors.New(h.open(t), h.Dialect))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.Install(ctx))
	now := time.Date(2025, 6, 30, 12, 0, 0, 0, time.UTC)
	cutoff := now.Add(-90 * 24 * time.Hour)
	instant := time.Microsecond
	by := scoring.By{Agent: "atlas", Version: "1", Batch: "mon"}

	// The answer of a was given at the cutoff itself, b's just before, in another time zone; c's has no time, and was
	// scored long ago; d's has none and was scored lately.
	for _, id := range []string{"a", "b", "c", "d"} {
		must(w.WriteCases(ctx, "v1", []*scoring.Case{{ID: id, Question: id + "?",
			Golds: []scoring.Query{{SQL: "SELECT '" + id + "'"}},
			Agent: scoring.Agent{Name: "atlas", Version: "1", BatchID: "mon"},
			Pred:  scoring.Query{SQL: "select " + id}}}))
	}
	set := func(id string, at time.Time) {
		t.Helper()
		must(w.Exec(ctx, "UPDATE badger.agent_runs SET ran_at = "+h.Dialect.Param(1)+" WHERE case_id = "+h.Dialect.Param(2),
			at, id))
	}
	set("a", cutoff)
	set("b", cutoff.Add(-instant).In(time.FixedZone("+05:30", 19800)))
	score := func(id string, ids ...string) scoring.Row {
		return scoring.Row{AnswerID: scoring.AnswerID{CaseID: id, By: by},
			Score: scoring.Score{Metric: "m", Version: 1, Status: scoring.StatusOK, Value: 0.1, AssessmentIDs: ids}}
	}
	run := func(id, status string, started time.Time) {
		t.Helper()
		must(w.WriteRuns(ctx, store.Run{RunID: scoring.RunID{ID: id, By: by}, Started: started, Status: status,
			Counts: `{"ok": 2}`}))
	}
	judged := map[string]string{}
	for id, at := range map[string]time.Time{"old": cutoff.Add(-instant), "new": cutoff} {
		a := judgebackend.Assessment{Kind: "rose", Backend: "openai", Model: "m", RequestHash: id, Reply: "of " + id,
			CreatedAt: at}
		a.ID = a.ContentHash()
		judged[id] = a.ID
		must(w.WriteAssessments(ctx, a))
	}
	// early ended before the cutoff, late has its last score at it, and still writes, though it started before.
	run("early", "done", cutoff.Add(-time.Hour))
	must(w.WriteScores(ctx, "early", "h", cutoff.Add(-instant), []scoring.Row{score("b", judged["old"]), score("c")}))
	run("late", "done", cutoff.Add(-time.Hour))
	must(w.WriteScores(ctx, "late", "h", cutoff.Add(-instant), []scoring.Row{score("b", judged["old"], judged["new"])}))
	must(w.WriteScores(ctx, "late", "h", cutoff, []scoring.Row{score("a"), score("d")}))
	must(w.WriteCalls(ctx,
		store.Call{ID: "x", ContentHash: "h", Function: "f", Request: "[]", Expires: cutoff.Add(-time.Millisecond)},
		store.Call{ID: "y", ContentHash: "h", Function: "f", Request: "[]", Expires: cutoff}))
	sentinel := func(id string, at time.Time) store.Sentinel {
		return store.Sentinel{Asking: "s", Metric: "rose", AnswerID: scoring.AnswerID{CaseID: id, By: by}, Repetition: 1,
			Status: scoring.StatusOK, At: at}
	}
	must(w.WriteSentinels(ctx, sentinel("a", cutoff.Add(-instant)), sentinel("b", cutoff)))
	label := store.Label{AnswerID: scoring.AnswerID{CaseID: "b", By: by}, Annotator: "kim", Verdict: "pass",
		At: cutoff.Add(-instant)}
	must(w.WriteLabels(ctx, label))

	left := func() string {
		t.Helper()
		var out []string
		for _, c := range [][2]string{{"agent_runs", "case_id"}, {"scores", "case_id"}, {"assessments", "request_hash"},
			{"calls", "call_id"}, {"sentinels", "case_id"},
			{"human_labels", "case_id"}, {"golden_set", "case_id"}, {"eval_runs", "eval_run_id"}} {
			got, err := w.Query(ctx, "SELECT "+c[1]+" FROM badger."+c[0]+" ORDER BY "+c[1])
			must(err)
			line := c[0] + ":"
			for row := range got.Rows() {
				line += " " + got.Columns[0].Value(row).String()
			}
			out = append(out, line)
		}
		return strings.Join(out, "; ")
	}
	is := func(want string) {
		t.Helper()
		if got := left(); got != want {
			t.Errorf("left:\n%s\nwant\n%s", got, want)
		}
	}
	said := func(list []store.Expired) string {
		var out []string
		for _, x := range list {
			text := fmt.Sprint(x.Table, " ", x.Rows)
			if x.Runs > 0 {
				text += fmt.Sprint(" of ", x.Runs)
			}
			if x.Kept != "" {
				text += " kept"
			}
			out = append(out, text)
		}
		return strings.Join(out, ", ")
	}
	prune := func(e store.Expiry, want string) {
		t.Helper()
		before := left()
		would, err := w.Expired(ctx, &e, now)
		must(err)
		if got := said(would); got != want {
			t.Errorf("would delete %s, want %s", got, want)
		}
		is(before)
		done, err := w.Prune(ctx, &e, "kim", now)
		must(err)
		if got := said(done); got != want {
			t.Errorf("deleted %s, want %s", got, want)
		}
		if done, err = w.Prune(ctx, &e, "kim", now); err != nil || said(done) != "" {
			t.Errorf("the second time: %s, %v", said(done), err)
		}
	}
	digest, err := w.Digest(ctx, "early")
	must(err)
	prune(store.Expiry{Before: cutoff}, "assessments 1, calls 1, agent_runs 2, scores 2 of 1, sentinels 1")
	is("agent_runs: a d; scores: a b d; assessments: new; calls: y; sentinels: b; human_labels: b; golden_set: a b c d; eval_runs: early late")
	prune(store.Expiry{Before: cutoff, Labels: true}, "human_labels 1")
	must(w.WriteLabels(ctx, label))
	prune(store.Expiry{Case: "b"}, "assessments 1, scores 1, sentinels 1")
	is("agent_runs: a d; scores: a d; assessments:; calls: y; sentinels:; human_labels: b; golden_set: a b c d; eval_runs: early late")
	prune(store.Expiry{Case: "b", Labels: true, Golds: true}, "human_labels 1, golden_set 1")
	is("agent_runs: a d; scores: a d; assessments:; calls: y; sentinels:; human_labels:; golden_set: a c d; eval_runs: early late")

	got, err := w.Query(ctx, "SELECT table_name, eval_run_id, case_id, row_count, status, deleted_by, CASE WHEN digest IS NULL THEN 'none' WHEN digest = "+
		h.Dialect.Param(1)+" THEN 'same' ELSE 'another' END AS d FROM badger.deletions ORDER BY table_name, row_count, case_id", digest)
	must(err)
	var rows []string
	for row := range got.Rows() {
		var cells []string
		for i := range got.Columns {
			cells = append(cells, got.Columns[i].Value(row).String())
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	for _, want := range []string{"scores|early|NULL|2|done|kim|same", "agent_runs||NULL|2|done|kim|none",
		"scores||b|1|done|kim|none", "golden_set||b|1|done|kim|none"} {
		if !strings.Contains(strings.Join(rows, "\n")+"\n", want) {
			t.Errorf("recorded:\n%s\nwant %s", strings.Join(rows, "\n"), want)
		}
	}
	traces, err := w.Traces(ctx, "a")
	must(err)
	if fmt.Sprint(traces.Queries, len(traces.Assessments)) != "[select a SELECT 'a'] 0" {
		t.Errorf("traces: %+v", traces)
	}
}

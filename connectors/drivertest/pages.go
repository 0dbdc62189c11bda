package drivertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// pages checks that the queries of pages about runs run on every warehouse, with the same results.
func (h Harness) pages(t *testing.T) {
	ctx := context.Background()
	w := store.New(connectors.New(h.open(t), h.Dialect))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.Install(ctx))
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	yes, no := true, false
	ms := func(n int) *time.Duration { d := time.Duration(n) * time.Millisecond; return &d }
	question := func(id, text, dialect string, tags ...string) *scoring.Case {
		return &scoring.Case{ID: id, Question: text, Dialect: dialect, Database: "shop", Tags: tags,
			Golds: []scoring.Query{{SQL: "SELECT gold " + id}}}
	}
	answer := func(id, version string, latency int) *scoring.Case {
		return &scoring.Case{ID: id, Agent: scoring.Agent{Name: "atlas", Version: version, BatchID: "mon"},
			Pred: scoring.Query{SQL: "select " + id + " of " + version, Latency: ms(latency)}}
	}
	must(w.WriteCases(ctx, "v9",
		[]*scoring.Case{question("a", "an older text", "duckdb"), question("b", "How many 100% orders?", "duckdb", "sales")}))
	must(w.WriteCases(ctx, "v10", []*scoring.Case{question("a", "How many Orders?", "postgres", "sales", "t\"x")}))
	must(w.WriteCases(ctx, "v2",
		[]*scoring.Case{answer("a", "2", 10), answer("b", "2", 20), answer("c", "2", 30), answer("a", "1", 5)}))
	run, before := scoring.RunID{ID: "r1", By: scoring.By{Agent: "atlas", Version: "2", Batch: "mon"}},
		scoring.RunID{ID: "r0", By: scoring.By{Agent: "atlas", Version: "1", Batch: "mon"}}
	for i, r := range []scoring.RunID{before, run} {
		must(w.WriteRuns(ctx,
			store.Run{RunID: r, Started: at.Add(time.Duration(i) * time.Hour), Judge: "none", Counts: `{"ok": 3}`,
				Versions: `{"metrics": {"hybrid_ex": 2, "relation": 1}}`, Status: "done"}))
	}
	score := func(version, id, metric string, value float64, passed *bool, label, reason string) scoring.Row {
		s := scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusOK, Value: value, Passed: passed, Label: label,
			Reason: reason}
		return scoring.Row{
			AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Agent: "atlas", Version: version, Batch: "mon"}}, Score: s}
	}
	without := func(id, metric string, status scoring.Status, reason string) scoring.Row {
		r := score("2", id, metric, 0, nil, "", reason)
		r.Score.Status = status
		return r
	}
	must(w.WriteScores(ctx, "r1", "h", at, []scoring.Row{
		score("2", "a", "hybrid_ex", 1, &yes, "", "all agree"), score("2", "b", "hybrid_ex", 0.25, &no, "", "1 of 4"),
		score("2", "c", "hybrid_ex", 0.5, &no, "", "1 of 2"), without("d", "hybrid_ex", scoring.StatusAbstained, "unsure"),
		score("2", "a", "relation", 1, nil, "same", ""), score("2", "b", "relation", 0, nil, "rounded", ""),
		without("c", "relation", scoring.StatusFailed, "broke"),
		without("d", "relation", scoring.StatusNotApplicable, scoring.NoPredSQL),
		score("2", "a", "sql_complexity", 1, nil, "easy", ""),
	}))
	must(w.WriteScores(ctx, "r0", "h", at,
		[]scoring.Row{score("1", "a", "hybrid_ex", 0, &no, "", ""), score("1", "b", "hybrid_ex", 0.5, &no, "", "")}))
	must(w.WriteLabels(ctx,
		store.Label{AnswerID: scoring.AnswerID{CaseID: "a", By: scoring.By{Agent: "atlas", Version: "2", Batch: "mon"}},
			Annotator: "kim", Verdict: "fail", Note: "no", At: at},
		// the batch's only version
		store.Label{AnswerID: scoring.AnswerID{CaseID: "c", By: scoring.By{Agent: "atlas", Batch: "mon"}}, Annotator: "kim",
			Verdict: "fail", At: at}))

	p, err := w.Pages(ctx, nil)
	must(err)
	p = p.Grouping([]store.LabelGroup{{Label: "rounded", Group: "Shown otherwise"}, {Label: "same", Group: "Same data"}})
	runs, of, err := p.Runs(ctx, store.RunFilter{Text: "ATLAS", Status: "done", Limit: 1})
	must(err)
	if of != 2 || len(runs) != 1 || runs[0].ID != "r1" || strings.Join(runs[0].Metrics(), " ") != "hybrid_ex relation" {
		t.Errorf("runs: %d of %d, %+v", len(runs), of, runs)
	}
	if agents, err := p.AgentsOfRuns(ctx); err != nil || fmt.Sprint(agents) != "[{atlas 1} {atlas 2}]" {
		t.Errorf("agents: %v, %v", agents, err)
	}
	sums, err := p.FiguresOf(ctx, runs, func(*store.Run) string { return "hybrid_ex" })
	must(err)
	if f := sums[store.RunMetric{RunID: run, Metric: "hybrid_ex"}]; f.Scores != 4 || f.OK != 3 || f.Judged != 3 ||
		f.Passed != 1 || f.Abstained != 1 || f.Sum != 1.75 || !f.Last.Equal(at) {
		t.Errorf("figures of runs: %+v", f)
	}
	scored, err := p.Run(ctx, run)
	must(err)
	figures, err := p.Figures(ctx, scored)
	must(err)
	want := store.Figures{Scores: 4, OK: 2, Failed: 1, Unanswered: 1, Sum: 1}
	if f := figures["relation"]; f.Figures != want || f.Deviation < 0.7 || f.Deviation > 0.71 { // of 0 and 1: sqrt(1/2)
		t.Errorf("figures of relation: %+v", f)
	}
	if values, err := p.Values(ctx, scored, "hybrid_ex"); err != nil || !slices.Equal(values, []float64{0.25, 0.5, 1}) {
		t.Errorf("values: %v, %v", values, err)
	}

	filter := func(f ...store.ListFilter) store.State { return store.State{Filters: f} }
	sorted := func(column string, down bool) store.State {
		return store.State{Sort: store.Sort{Column: column, Descending: down}}
	}
	for _, c := range sample.Of([]struct {
		name  string
		state store.State
		want  string
	}{
		{"all", store.State{}, "a b c d"},
		{"failed", store.State{Mode: store.Failed}, "b c"},
		{"passed", store.State{Mode: store.Passed}, "a"},
		{"errors", store.State{Mode: store.Errors}, "c"},
		{"abstained", store.State{Mode: store.Abstained}, "d"},
		{"changed", store.State{Mode: store.Changed, Baseline: before}, "a"},
		{"fixed", store.State{Mode: store.Fixed, Baseline: before}, "a"},
		{"broke", store.State{Mode: store.Broke, Baseline: before}, ""},
		{"broke the other way", store.State{RunID: before, Mode: store.Broke, Baseline: run}, "a"},
		{"still wrong", store.State{Mode: store.StillWrong, Baseline: before}, "b"},
		{"unasked", store.State{Metric: "relation", Mode: store.Unasked}, ""},
		{"group", filter(store.ListFilter{Column: "group", Op: store.Equal, Value: "Shown otherwise"}), "b"},
		{"no group", filter(store.ListFilter{Column: "group", Op: store.Equal}), "c d"},
		{"by group", sorted("group", false), "b a c d"},
		{"disagrees", store.State{Mode: store.Disagrees}, "a"},
		{"unlabelled", store.State{Mode: store.Unlabelled}, "b d"},
		{"value", filter(store.ListFilter{Column: "hybrid_ex", Op: store.Less, Value: "0.5"}), "b"},
		{"at least", filter(store.ListFilter{Column: "hybrid_ex", Op: store.AtLeast, Value: "0.5"}), "a c"},
		{"at most", filter(store.ListFilter{Column: "hybrid_ex", Op: store.AtMost, Value: "0.5"}), "b c"},
		{"not a value", filter(store.ListFilter{Column: "hybrid_ex", Op: store.NotEqual, Value: "0.5"}), "a b d"},
		{"label", filter(store.ListFilter{Column: "relation", Op: store.Equal, Value: "rounded"}), "b"},
		{"tier", filter(store.ListFilter{Column: "tier", Op: store.NotEqual, Value: "easy"}), "b c d"},
		{"tag", filter(store.ListFilter{Column: "tag", Op: store.Equal, Value: "t\"x"}), "a"},
		{"no tag", filter(store.ListFilter{Column: "tag", Op: store.Equal}), "c d"},
		{"dialect", filter(store.ListFilter{Column: "dialect", Op: store.Contains, Value: "POST"}), "a"},
		{"question of the highest version",
			filter(store.ListFilter{Column: "question", Op: store.Equal, Value: "How many Orders?"}), "a"},
		{"latency", filter(store.ListFilter{Column: "latency", Op: store.Greater, Value: "10"}), "b c"},
		{"people", filter(store.ListFilter{Column: "people", Op: store.Equal, Value: "fail"}), "a c"},
		{"unanswered",
			store.State{Metric: "relation",
				Filters: []store.ListFilter{{Column: "status", Op: store.Equal, Value: "unanswered"}}}, "d"},
		{"two", filter(store.ListFilter{Column: "hybrid_ex", Op: store.Greater, Value: "0.3"},
			store.ListFilter{Column: "sql", Op: store.Contains, Value: "of 2"}), "a c"},
		{"search", store.State{Search: "100%"}, "b"},
		{"search in the query", store.State{Search: "SELECT C"}, "c"},
		{"expression", store.State{Search: `^How many .*[Oo]rders\?$`, Regexp: true}, "a b"},
		{"by value, missing last", sorted("hybrid_ex", true), "a c b d"},
		{"by label", sorted("relation", false), "b a c d"},
		{"by case, down", sorted("case", true), "d c b a"},
	}, 3) {
		s := c.state
		if s.RunID == (scoring.RunID{}) {
			s.RunID = run
		}
		if s.Mode == "" {
			s.Mode = store.All
		}
		l, err := p.List(ctx, s)
		must(err)
		var ids []string
		for id, err := range l.IDs(ctx) {
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			ids = append(ids, id)
		}
		counts, err := l.Counts(ctx)
		must(err)
		rows, err := l.Page(ctx, []string{"hybrid_ex"})
		must(err)
		if got := strings.Join(ids, " "); got != c.want || counts[s.Mode] != int64(len(ids)) || len(rows) != len(ids) ||
			len(ids) > 0 && rows[0].ID != ids[0] {
			t.Errorf("%s: %s, counted %d, %d on the page; want %s", c.name, got, counts[s.Mode], len(rows), c.want)
		}
	}

	l, err := p.List(ctx, store.State{RunID: run, Mode: store.All, Page: 1})
	must(err)
	if n, err := l.Neighbours(ctx, "b"); err != nil || n != (store.Neighbours{Before: "a", After: "c", Place: 2, Of: 4}) {
		t.Errorf("neighbours: %+v, %v", n, err)
	}
	for column, want := range map[string]string{"tag": "(none) 2, sales 2, t\"x 1",
		"dialect": "(none) 2, duckdb 1, postgres 1", "relation": "(none) 2, rounded 1, same 1",
		"reason": "1 of 2 1, 1 of 4 1, all agree 1, 1 more"} {
		parts, more, err := l.Slices(ctx, column, 3)
		must(err)
		var got []string
		for _, p := range parts {
			name := p.Part
			if name == "" {
				name = "(none)"
			}
			got = append(got, fmt.Sprintf("%s %d", name, p.Scores))
		}
		if more > 0 {
			got = append(got, fmt.Sprintf("%d more", more))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("slices by %s: %s, want %s", column, text, want)
		}
	}
	if written, err := w.Written(ctx, []string{"r0", "r1", "none"}); err != nil || written.Scores != 11 ||
		!written.Last.Equal(at) {
		t.Errorf("what runs have written: %+v, %v; want 11 scores at %v", written, err, at)
	}
	var verdicts []string
	for v, err := range w.Verdicts(ctx, []scoring.RunID{before, run}, "hybrid_ex", []string{"a", "b", "d"}) {
		must(err)
		verdicts = append(verdicts, v.ID+" "+v.Version+" "+v.CaseID+" "+v.Stands)
	}
	slices.Sort(verdicts)
	if got, want := strings.Join(verdicts, ", "),
		"r0 1 a failed, r0 1 b failed, r1 2 a passed, r1 2 b failed, r1 2 d abstained"; got != want {
		t.Errorf("verdicts: %s, want %s", got, want)
	}
	if ids, err := w.Unsteady(ctx, []scoring.RunID{before, run}, "hybrid_ex", 5); err != nil ||
		!slices.Equal(ids, []string{"a"}) {
		t.Errorf("unsteady questions: %q, %v; want a", ids, err)
	}
	detail, err := p.Case(ctx, run, "a")
	must(err)
	if c := detail.Answer.Case; c == nil || c.Question != "How many Orders?" || c.Pred.SQL != "select a of 2" ||
		!detail.Answered || len(detail.Scores) != 3 || len(detail.Labels) != 1 || detail.Labels[0].Note != "no" ||
		!detail.Labels[0].At.Equal(at) {
		t.Errorf("case a: %+v", detail)
	}
	if detail, err = p.Case(ctx, run, "d"); err != nil || detail.Answer.Case != nil || detail.Answered ||
		len(detail.Scores) != 2 {
		t.Errorf("case d, which is in neither agent_runs nor golden_set: got %+v, %v; want two scores and no answer", detail,
			err)
	}
}

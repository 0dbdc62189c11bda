package duckdb_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// installed is a warehouse with badger's tables, and its connection.
func installed(t testing.TB) (*store.Store, *duckdb.Conn) {
	t.Helper()
	c := mustOpen(t, filepath.Join(t.TempDir(), "w.duckdb"), duckdb.Options{})
	w := store.New(connectors.New(c, duckdb.Dialect))
	if err := w.Install(context.Background()); err != nil {
		t.Fatal(err)
	}
	return w, c
}

func yes(v bool) *bool                             { return &v }
func after(d time.Duration) *time.Duration         { return &d }
func inline(t testing.TB, s string) scoring.Result { return scoring.ParseResultText([]byte(s)) }

// full is a case with every member set.
func full(t testing.TB, id string) *scoring.Case {
	return &scoring.Case{
		ID: id, Question: "How many? 😀", Evidence: "a hint", Schema: "CREATE TABLE t (a INT)", Database: "shop", Dialect: "duckdb", Tags: []string{"x", "y"},
		Golds: []scoring.Query{
			{SQL: "SELECT 1", Ran: true, Latency: after(1500 * time.Microsecond), Result: inline(t, `{"columns":[{"name":"n","type":"DECIMAL"}],"rows":[["12345678901234567890.12"]]}`)},
			{SQL: "SELECT 2", Ran: true, Latency: after(time.Second), Result: scoring.Result{Ref: "table:gold_2"}},
			{SQL: "SELECT 3", Ran: true, Error: "it failed"},
		},
		Pred: scoring.Query{SQL: "SELECT 'a'", Ran: true, Latency: after(2 * time.Millisecond), Result: scoring.Result{Ref: "file:r.csv"}},
		Agent: scoring.Agent{
			Name: "atlas", Version: "2.0", BatchID: "b1", Interpretation: "count them", Response: "There are 3.", ConversationID: "c9", Turn: 4,
			ToolCalls: []scoring.ToolCall{{Name: "run_sql", Arguments: json.RawMessage(`{"q":"SELECT 1"}`)}, {Name: "chart", ReadAs: "openai"}},
		},
		Expected: scoring.Expected{Behaviour: "answer", Tools: json.RawMessage(`["run_sql"]`), Clarifications: []string{"which year?"}},
		Options:  map[string]json.RawMessage{"hybrid_ex": json.RawMessage(`{"tolerance":0.1}`)},
	}
}

func cases(t testing.TB, w *store.Store, f store.Filter) (got []*scoring.Case, failed []string) {
	t.Helper()
	for a, err := range w.Cases(context.Background(), f) {
		switch {
		case err != nil:
			t.Fatal(err)
		case a.Err != nil:
			failed = append(failed, a.Err.Error())
		default:
			got = append(got, a.Case)
		}
	}
	return got, failed
}

// same compares cases, results by their inline form.
func same(t *testing.T, got, want *scoring.Case) {
	t.Helper()
	g, w := *got, *want
	flat := func(qs []scoring.Query) (out []string) {
		for _, q := range qs {
			text := q.Result.Ref
			if q.Result.Table != nil {
				text = string(q.Result.Table.AppendJSON(nil))
			}
			out = append(out, fmt.Sprint(q.SQL, "|", text, "|", q.Error, "|", q.Ran, "|", q.Latency == nil || *q.Latency != 0, "|", latency(q)))
		}
		return out
	}
	if a, b := flat(append(g.Golds, g.Pred)), flat(append(w.Golds, w.Pred)); !reflect.DeepEqual(a, b) {
		t.Errorf("queries\ngot  %q\nwant %q", a, b)
	}
	g.Golds, w.Golds, g.Pred, w.Pred = nil, nil, scoring.Query{}, scoring.Query{}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("got  %+v\nwant %+v", g, w)
	}
}

func latency(q scoring.Query) string {
	if q.Latency == nil {
		return "none"
	}
	return q.Latency.String()
}

func TestCasesComeBackAsTheyWereWritten(t *testing.T) {
	w, _ := installed(t)
	ctx := context.Background()
	want := full(t, "full")
	bare := &scoring.Case{ID: "bare", Agent: scoring.Agent{Name: "atlas", Version: "1.0", BatchID: "b1"}}
	silent := &scoring.Case{ID: "calls", Agent: scoring.Agent{Name: "atlas", Version: "1.0", BatchID: "b1", ToolCalls: []scoring.ToolCall{}}}
	for range 2 { // writing again changes nothing
		if err := w.WriteCases(ctx, "2024-06", []*scoring.Case{want, bare, silent, {ID: "gold only", Question: "?"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.WriteLabels(ctx, store.Label{AnswerID: scoring.AnswerID{CaseID: "full", By: scoring.By{Agent: "atlas", Batch: "b1"}}, Annotator: "kim", Verdict: "pass", At: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	got, failed := cases(t, w, store.Filter{})
	if len(got) != 3 || len(failed) != 0 {
		t.Fatalf("%d cases, %v, want 3", len(got), failed)
	}
	want.Human = yes(true)
	same(t, got[0], bare)
	same(t, got[1], silent)
	same(t, got[2], want)
	if n, err := w.Count(ctx, store.Filter{}); err != nil || n != 3 {
		t.Errorf("%d, %v, want 3", n, err)
	}
}

func TestFilters(t *testing.T) {
	w, c := installed(t)
	ctx := context.Background()
	var all []*scoring.Case
	for _, v := range []string{"1.0", "2.0"} {
		for i := range 3 {
			a := full(t, fmt.Sprintf("case %d", i))
			a.Agent.Version, a.Agent.BatchID = v, "b"+v
			all = append(all, a)
		}
	}
	other := full(t, "case 0")
	other.Agent.Name = "other"
	if err := w.WriteCases(ctx, "1", append(all, other)); err != nil {
		t.Fatal(err)
	}
	newer := full(t, "case 1")
	newer.Question, newer.Agent, newer.Pred = "the newer question", scoring.Agent{}, scoring.Query{}
	if err := w.WriteCases(ctx, "2", []*scoring.Case{newer}); err != nil {
		t.Fatal(err)
	}
	mustExec(t, c, "INSERT INTO badger.agent_runs (agent_name, case_id) VALUES ('loose', 'nowhere')")
	for _, tc := range []struct {
		why  string
		f    store.Filter
		want int
	}{
		{"everything", store.Filter{}, 8}, {"an agent", store.Filter{By: scoring.By{Agent: "atlas"}}, 6}, {"a version", store.Filter{By: scoring.By{Agent: "atlas", Version: "2.0"}}, 3},
		{"a batch", store.Filter{By: scoring.By{Batch: "b1.0"}}, 3}, {"nobody", store.Filter{By: scoring.By{Agent: "nobody"}}, 0}, {"a version of the set", store.Filter{SetVersion: "2"}, 2},
		{"an answer to no known question", store.Filter{By: scoring.By{Agent: "loose"}}, 1},
	} {
		got, failed := cases(t, w, tc.f)
		n, err := w.Count(ctx, tc.f)
		if len(got) != tc.want || len(failed) != 0 || err != nil || n != int64(tc.want) {
			t.Errorf("%s: %d cases, %v, count %d, %v, want %d", tc.why, len(got), failed, n, err, tc.want)
		}
	}
	got, _ := cases(t, w, store.Filter{By: scoring.By{Agent: "atlas", Version: "1.0"}})
	if got[1].Question != "the newer question" || got[0].Question != "How many? 😀" {
		t.Errorf("of two versions of a question, %q was taken", got[1].Question)
	}
}

// Answers are read in ranges of keys: none may be lost or come twice, whatever the keys are.
func TestManyCases(t *testing.T) {
	w, c := installed(t)
	mustExec(t, c, `INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, sql)
SELECT CASE WHEN i % 7 > 0 THEN 'a' END, CASE WHEN i % 97 > 0 THEN 'v' WHEN i % 2 = 0 THEN '' END, 'b', CASE i % 11 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'c' || (i // 4) END, i::VARCHAR FROM range(14000) t(i)`)
	mustExec(t, c, "INSERT INTO badger.golden_set (case_id, question, set_version) SELECT DISTINCT case_id, 'question of ' || case_id, '1' FROM badger.agent_runs")
	seen := map[string]int{}
	read, unread, last := 0, 0, ""
	for a, err := range w.Cases(context.Background(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if a.Err != nil {
			if !strings.Contains(a.Err.Error(), "case_id is missing") {
				t.Fatal(a.Err)
			}
			unread++
			continue
		}
		read++
		seen[a.Case.Pred.SQL]++
		if a.Case.Question != "question of "+a.CaseID {
			t.Fatalf("case %s has the question %q", a.CaseID, a.Case.Question)
		}
		if a.Agent != "" && a.Version != "" {
			if key := a.Agent + "|" + a.Version + "|" + a.Batch + "|" + a.CaseID; key < last {
				t.Fatalf("%s came after %s", key, last)
			} else {
				last = key
			}
		}
	}
	want := 0
	for i := range 14000 {
		if i%11 > 1 {
			want++
			if seen[fmt.Sprint(i)] != 1 {
				t.Fatalf("answer %d came %d times", i, seen[fmt.Sprint(i)])
			}
		}
	}
	if read != want || unread != 14000-want {
		t.Errorf("%d read and %d not, want %d and %d", read, unread, want, 14000-want)
	}
}

func TestRowsThatCannotBeRead(t *testing.T) {
	w, c := installed(t)
	ctx := context.Background()
	if err := w.WriteCases(ctx, "1", []*scoring.Case{full(t, "good"), full(t, "zgood")}); err != nil {
		t.Fatal(err)
	}
	mustExec(t, c, `INSERT INTO badger.agent_runs (agent_name, case_id, tool_calls) VALUES ('atlas', 'bad tools', '{"hunter2": 1}');
INSERT INTO badger.agent_runs (agent_name, case_id) VALUES ('atlas', 'bad behaviour');
INSERT INTO badger.golden_set (case_id, set_version, expected_behaviour) VALUES ('bad behaviour', '1', 'hunter2');
INSERT INTO badger.agent_runs (agent_name, case_id, result) VALUES ('atlas', 'bad result', '{"columns": hunter2')`)
	got, failed := cases(t, w, store.Filter{By: scoring.By{Agent: "atlas"}})
	if len(got) != 3 || len(failed) != 2 {
		t.Fatalf("%d cases, %q, want 3 cases and 2 reasons", len(got), failed)
	}
	for i, want := range []string{`case "bad behaviour"`, `case "bad tools"`} {
		if !strings.Contains(failed[i], want) || strings.Contains(failed[i], "hunter2") {
			t.Errorf("%q, want it to name %s and no value", failed[i], want)
		}
	}
	for _, c := range got {
		if c.ID == "bad result" && (c.Pred.Result.Err == nil || !c.Pred.Ran) {
			t.Errorf("a result that cannot be read must stay on its query as the reason: %+v", c.Pred)
		}
	}
	// Leaving early gives the session back.
	for range 20 {
		for range w.Cases(ctx, store.Filter{}) {
			break
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNotWritten(t *testing.T) {
	w, _ := installed(t)
	ctx := context.Background()
	bad := full(t, "x")
	bad.Pred.Result = scoring.Result{Err: errcode.New(errcode.InvalidArgument, "unreadable")}
	tools := full(t, "y")
	tools.Expected.Tools = json.RawMessage(`{`)
	for why, c := range map[string]*scoring.Case{"no id": {Question: "?"}, "an unreadable result": bad, "tools that are no JSON": tools} {
		if err := w.WriteCases(ctx, "1", []*scoring.Case{full(t, "good"), c}); errcode.Of(err) != errcode.InvalidArgument || c.ID != "" && !strings.Contains(err.Error(), `"`+c.ID+`"`) {
			t.Errorf("%s: %v, want invalid_argument that names the case", why, err)
		}
	}
	if n, _ := w.Count(ctx, store.Filter{}); n != 0 {
		t.Errorf("%d answers were written", n)
	}
	if err := w.WriteLabels(ctx, store.Label{AnswerID: scoring.AnswerID{CaseID: "x"}, Verdict: "perhaps"}); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("a verdict nobody knows: %v", err)
	}
	if err := w.WriteAssessments(ctx, judgebackend.Assessment{}); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("an assessment without an id: %v", err)
	}
	if err := w.WriteScores(ctx, "r", "", time.Unix(0, 0), []scoring.Row{{Score: scoring.Score{Metric: "m", Detail: math.NaN()}}}); err == nil {
		t.Error("a detail that is no JSON was written")
	}
	if err := w.WriteScores(ctx, "r", "", time.Unix(0, 0), nil); err != nil {
		t.Errorf("no scores: %v", err)
	}
}

func TestScores(t *testing.T) {
	w, c := installed(t)
	ctx := context.Background()
	at := time.Date(2024, 2, 29, 1, 2, 3, 456789000, time.UTC)
	rows := []scoring.Row{
		{AnswerID: scoring.AnswerID{CaseID: "c1", By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}, Score: scoring.Score{Metric: "hybrid_ex", Version: 3, Status: scoring.StatusOK, Value: 0.1, Label: "near", Passed: yes(false), Reason: "why \"so\"", Detail: map[string]any{"n": 1}, AssessmentIDs: []string{"s1", "s2"}, Usage: &scoring.Usage{Calls: 3, TokensIn: 70, TokensOut: -1}}},
		{AnswerID: scoring.AnswerID{CaseID: "c1", By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}, Score: scoring.Score{Metric: "flex", Status: scoring.StatusFailed, Code: errcode.ResourceExhausted, Reason: "no budget"}},
		{AnswerID: scoring.AnswerID{CaseID: "c1", By: scoring.By{Agent: "a", Version: "2", Batch: "b"}}, Score: scoring.Score{Metric: "hybrid_ex", Status: scoring.StatusNotApplicable}},
	}
	for range 3 { // a batch may be delivered again
		if err := w.WriteScores(ctx, "run-1", "h", at, rows); err != nil {
			t.Fatal(err)
		}
	}
	rows[0].Score.Value = 0.9
	if err := w.WriteScores(ctx, "run-1", "h", at, rows[:1]); err != nil {
		t.Fatal(err)
	}
	got, err := w.Query(ctx, "SELECT agent_version, metric, status, value, label, passed, reason, detail, assessment_ids, config_hash, scored_at, code, metric_version FROM badger.scores ORDER BY ALL")
	if err != nil {
		t.Fatal(err)
	}
	want := `"agent_version" STRING: "1"|"1"|"2"
"metric" STRING: "flex"|"hybrid_ex"|"hybrid_ex"
"status" STRING: "failed"|"ok"|"not_applicable"
"value" FLOAT64: NULL|0.9|NULL
"label" STRING: NULL|"near"|NULL
"passed" BOOL: NULL|false|NULL
"reason" STRING: "no budget"|"why \"so\""|""
"detail" JSON: NULL|"{\"n\":1}"|NULL
"assessment_ids" JSON: NULL|"[\"s1\",\"s2\"]"|NULL
"config_hash" STRING: "h"|"h"|"h"
"scored_at" TIMESTAMPTZ: 2024-02-29 01:02:03.456789Z|2024-02-29 01:02:03.456789Z|2024-02-29 01:02:03.456789Z
"code" STRING: "resource_exhausted"|NULL|NULL
"metric_version" INT64: 0|3|0
`
	if s := drivertest.Show(got); s != want {
		t.Errorf("got\n%swant\n%s", s, want)
	}
	held := map[string]scoring.Row{}
	for r, err := range w.Scores(ctx, "run-1") {
		if err != nil {
			t.Fatal(err)
		}
		held[r.Version+" "+r.Score.Metric] = r
	}
	want1 := rows[0]
	want1.Score.Detail, want1.Score.AssessmentIDs = nil, nil
	if r := held["1 hybrid_ex"]; len(held) != 3 || !reflect.DeepEqual(r, want1) {
		t.Errorf("held: %+v, want %+v", r, want1)
	}
	if r := held["1 flex"]; r.Score.Code != errcode.ResourceExhausted || r.Score.Reason != "no budget" {
		t.Errorf("held: %+v", r)
	}
	for _, err := range w.Scores(ctx, "another run") {
		t.Errorf("another run has scores: %v", err)
	}
	if got := one(t, c, "SELECT detail->>'n' FROM badger.scores WHERE detail IS NOT NULL"); got != "1" {
		t.Errorf("inside the detail: %s", got)
	}
}

func TestRuns(t *testing.T) {
	w, c := installed(t)
	ctx := context.Background()
	run := store.Run{RunID: scoring.RunID{ID: "r1", By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}, Started: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), Mode: "both", Config: `{"x": 1}`, Status: "running"}
	if err := w.WriteRuns(ctx, run); err != nil {
		t.Fatal(err)
	}
	run.Status, run.Counts = "done", `{"ok": 3}`
	if err := w.WriteRuns(ctx, run); err != nil {
		t.Fatal(err)
	}
	if got := one(t, c, "SELECT string_agg(eval_run_id || status || (counts->>'ok') || eval_run_date) FROM badger.eval_runs"); got != "r1done32024-01-02 03:04:05+00" {
		t.Errorf("got %s", got)
	}
}

// Others may have written NULL for names that are empty.
func TestFillKeys(t *testing.T) {
	w, c := installed(t)
	ctx := context.Background()
	for _, sql := range []string{
		"INSERT INTO badger.eval_runs (eval_run_id, agent_name, status) VALUES ('r1', NULL, 'done'), ('r2', NULL, 'done')",
		"INSERT INTO badger.scores (eval_run_id, case_id, agent_name, batch_id, metric, status) VALUES ('r1', 'c1', NULL, 'b', 'flex', 'failed'), ('r1', 'c2', 'a', NULL, 'flex', 'ok'), ('r2', 'c1', NULL, NULL, 'flex', 'ok')",
	} {
		if err := c.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.FillKeys(ctx, "r1"); err != nil {
		t.Fatal(err)
	}
	s := w.ScoreWriter("r1", "h")
	held := 0
	for _, err := range s.Held(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		held++
	}
	err := s.Write(ctx, time.Unix(0, 0), []scoring.Row{{AnswerID: scoring.AnswerID{CaseID: "c1", By: scoring.By{Batch: "b"}}, Score: scoring.Score{Metric: "flex", Status: scoring.StatusOK}}})
	if err == nil {
		err = w.WriteRuns(ctx, store.Run{RunID: scoring.RunID{ID: "r1"}, Status: "running"})
	}
	if err != nil || held != 2 {
		t.Fatalf("%d scores held: %v", held, err)
	}
	got, err := w.Query(ctx, `SELECT eval_run_id, case_id, agent_name, agent_version, batch_id, status FROM badger.scores
UNION ALL SELECT eval_run_id, '-', agent_name, agent_version, batch_id, status FROM badger.eval_runs ORDER BY ALL`)
	if err != nil {
		t.Fatal(err)
	}
	want := `"eval_run_id" STRING: "r1"|"r1"|"r1"|"r2"|"r2"
"case_id" STRING: "-"|"c1"|"c2"|"-"|"c1"
"agent_name" STRING: ""|""|"a"|NULL|NULL
"agent_version" STRING: ""|""|""|NULL|NULL
"batch_id" STRING: ""|"b"|""|NULL|NULL
"status" STRING: "running"|"ok"|"ok"|"done"|"ok"
`
	if s := drivertest.Show(got); s != want {
		t.Errorf("got\n%swant\n%s", s, want)
	}
}

func TestAssessments(t *testing.T) {
	w, _ := installed(t)
	ctx := context.Background()
	all := []judgebackend.Assessment{
		{ID: "1", Kind: "align", Backend: "openai", Model: "gpt", PromptVersion: "p", RequestHash: "h", Reply: "{\"a\": \"\u0000 😀\"}", TokensIn: math.MaxInt64, TokensOut: judgebackend.TokensUnknown, LatencyMS: 12, CreatedAt: time.Date(2024, 1, 2, 3, 4, 5, 6000, time.UTC), Payer: "run:r", Put: time.Date(2024, 1, 2, 3, 4, 5, 6789, time.UTC), FinishReason: judgebackend.FinishLength, MaxTokens: 9, Request: &judgebackend.Request{Purpose: "align", Schema: json.RawMessage(`{"a":1}`)}},
		{ID: "2", Kind: "rose", RequestHash: "h2", CreatedAt: time.Date(2024, 1, 2, 3, 4, 6, 0, time.UTC)},
	}
	for range 2 {
		if err := w.WriteAssessments(ctx, all...); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		f    store.AssessmentFilter
		want []judgebackend.Assessment
	}{
		{store.AssessmentFilter{}, all}, {store.AssessmentFilter{RequestHashes: []string{"h", "none"}}, all[:1]}, {store.AssessmentFilter{Kind: "rose"}, all[1:]},
		{store.AssessmentFilter{ID: "1", Backend: "openai"}, all[:1]}, {store.AssessmentFilter{ID: "3"}, nil},
	} {
		var got []judgebackend.Assessment
		for a, err := range w.Assessments(ctx, tc.f) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, a)
		}
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%+v:\ngot  %+v\nwant %+v", tc.f, got, tc.want)
		}
	}
}

// Rows are in the form that earlier releases wrote, or in none that was ever written.
func TestAssessmentsDetail(t *testing.T) {
	w, c := installed(t)
	ctx := context.Background()
	const written = `{"put":1777863722123456789,"finish_reason":"length","max_tokens":400,"served_model":"model-1-exact","logprobs":[{"token":"4","logprob":-0.25,"top":[{"token":"5","logprob":-1.5}]}],` +
		`"request":{"purpose":"align","prompt_version":"v3","messages":[{"role":"user","content":"a \u003c b?"}],"schema":{"type":"object"},"temperature":0.1,"max_tokens":400}}`
	whole := judgebackend.Assessment{
		Put: time.Date(2026, 5, 4, 3, 2, 2, 123456789, time.UTC), FinishReason: judgebackend.FinishLength, MaxTokens: 400, ServedModel: "model-1-exact",
		LogProbs: []judgebackend.TokenLogProb{{Token: "4", LogProb: -0.25, Top: []judgebackend.TokenLogProb{{Token: "5", LogProb: -1.5}}}},
		Request: &judgebackend.Request{
			Purpose: "align", PromptVersion: "v3", Messages: []judgebackend.Message{{Role: judgebackend.User, Content: "a < b?"}}, Schema: json.RawMessage(`{"type":"object"}`), Temperature: 0.1, MaxTokens: 400,
		},
	}
	for why, tc := range map[string]struct {
		detail any
		want   judgebackend.Assessment
	}{
		"all members":         {written, whole},
		"an unknown member":   {`{"put":1,"more":2}`, judgebackend.Assessment{Put: time.Unix(0, 1).UTC()}},
		"none":                {nil, judgebackend.Assessment{}},
		"a wrong type":        {`{"max_tokens":7,"put":"today"}`, judgebackend.Assessment{}},
		"no object":           {`[1]`, judgebackend.Assessment{}},
		"a time nobody knows": {`{"put":0,"max_tokens":7}`, judgebackend.Assessment{MaxTokens: 7}},
	} {
		if err := w.Exec(ctx, "DELETE FROM badger.assessments"); err != nil {
			t.Fatal(err)
		}
		if err := w.Exec(ctx, "INSERT INTO badger.assessments (assessment_id, kind, backend, model, request_hash, reply, latency_ms, created_at, detail) VALUES ('1', 'align', 'openai', 'm', 'h', 'r', 5, TIMESTAMPTZ '2026-05-04 03:02:01Z', ?)", tc.detail); err != nil {
			t.Fatal(err)
		}
		want := tc.want
		want.ID, want.Kind, want.Backend, want.Model, want.RequestHash, want.Reply, want.LatencyMS = "1", "align", "openai", "m", "h", "r", 5
		want.CreatedAt, want.TokensIn, want.TokensOut = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), judgebackend.TokensUnknown, judgebackend.TokensUnknown
		var got judgebackend.Assessment
		for a, err := range w.Assessments(ctx, store.AssessmentFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = a
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %#v %+v\nwant %#v", why, got, got.Request, want)
		}
		if why != "all members" {
			continue
		}
		if err := w.WriteAssessments(ctx, got); err != nil {
			t.Fatal(err)
		}
		if s := one(t, c, "SELECT detail FROM badger.assessments"); s != written {
			t.Errorf("written again:\ngot  %s\nwant %s", s, written)
		}
	}
}

// The views' figures are worked out by hand from these few rows.
func TestViews(t *testing.T) {
	w, c := installed(t)
	ctx := context.Background()
	for i, run := range []string{"old", "new"} {
		if err := w.WriteRuns(ctx, store.Run{RunID: scoring.RunID{ID: run, By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}, Started: time.Unix(int64(i), 0)}); err != nil {
			t.Fatal(err)
		}
		var rows []scoring.Row
		for n, passed := range []bool{true, true, false, false, true, run == "old"} {
			rows = append(rows, scoring.Row{AnswerID: scoring.AnswerID{CaseID: fmt.Sprint("c", n), By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}, Score: scoring.Score{Metric: "m", Status: scoring.StatusOK, Value: float64(n), Passed: yes(passed)}})
		}
		rows = append(rows, scoring.Row{AnswerID: scoring.AnswerID{CaseID: "c0", By: scoring.By{Agent: "a", Version: "1", Batch: "b"}}, Score: scoring.Score{Metric: "sql_complexity", Status: scoring.StatusOK, Label: "easy"}})
		if err := w.WriteScores(ctx, run, "", time.Unix(9, 0), rows); err != nil {
			t.Fatal(err)
		}
	}
	for n, verdict := range []string{"pass", "fail", "fail", "pass", "pass"} {
		for _, who := range []string{"kim", "lee"} {
			if err := w.WriteLabels(ctx, store.Label{AnswerID: scoring.AnswerID{CaseID: fmt.Sprint("c", n), By: scoring.By{Agent: "a", Batch: "b"}}, Annotator: who, Verdict: verdict}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for who, verdict := range map[string]string{"kim": "pass", "lee": "fail", "max": "unsure"} { // people divided: no label
		if err := w.WriteLabels(ctx, store.Label{AnswerID: scoring.AnswerID{CaseID: "c5", By: scoring.By{Agent: "a", Batch: "b"}}, Annotator: who, Verdict: verdict}); err != nil {
			t.Fatal(err)
		}
	}
	// Metric: pass pass fail fail pass; people: pass fail fail pass pass. So 2, 1, 1, 1 of 5;
	// chance = (3*3 + 2*2)/25 = 0.52; kappa = (0.6 - 0.52)/0.48.
	want := "\"metric\" STRING: \"m\"\n\"labelled\" INT64: 5\n\"true_pass\" DECIMAL: 2\n\"false_pass\" DECIMAL: 1\n\"true_fail\" DECIMAL: 1\n\"false_fail\" DECIMAL: 1\n\"accuracy\" FLOAT64: 0.6\n\"kappa\" DECIMAL: 0.1667\n"
	got, err := w.Query(ctx, "SELECT * REPLACE (round(kappa, 4)::DECIMAL(9,4) AS kappa) FROM badger.agreement")
	if err != nil || drivertest.Show(got) != want {
		t.Errorf("%v\n%swant\n%s", err, drivertest.Show(got), want)
	}
	if got := one(t, c, "SELECT string_agg(DISTINCT eval_run_id) || count(*) FROM badger.latest_scores"); got != "new7" {
		t.Errorf("the latest scores: %s", got)
	}
	got, err = w.Query(ctx, "SELECT tier, scored, mean_value, pass_rate FROM badger.versions_by_metric WHERE metric = 'm' ORDER BY tier")
	if want := "\"tier\" STRING: \"easy\"|\"unknown\"\n\"scored\" INT64: 1|5\n\"mean_value\" FLOAT64: 0|3\n\"pass_rate\" FLOAT64: 1|0.4\n"; err != nil || drivertest.Show(got) != want {
		t.Errorf("%v\n%swant\n%s", err, drivertest.Show(got), want)
	}
}

// Tables of an earlier version get the columns they lack, and keep their rows.
func TestInstallingOverAnOlderVersion(t *testing.T) {
	c := mustOpen(t, "", duckdb.Options{})
	mustExec(t, c, "CREATE SCHEMA badger; CREATE TABLE badger.golden_set (case_id VARCHAR, question VARCHAR); INSERT INTO badger.golden_set VALUES ('old', 'old question')")
	w := store.New(connectors.New(c, duckdb.Dialect))
	ctx := context.Background()
	for range 2 {
		if err := w.Install(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.WriteCases(ctx, "1", []*scoring.Case{full(t, "new")}); err != nil {
		t.Fatal(err)
	}
	if got := one(t, c, "SELECT string_agg(case_id || ':' || question, ',' ORDER BY case_id) FROM badger.golden_set"); got != "new:How many? 😀,old:old question" {
		t.Errorf("got %s", got)
	}
}

func TestReadingOnlyNeedsNoInstalling(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ro.duckdb")
	w := store.New(connectors.New(mustOpen(t, path, duckdb.Options{}), duckdb.Dialect))
	ctx := context.Background()
	if err := w.Install(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteCases(ctx, "1", []*scoring.Case{full(t, "c")}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ro := store.New(connectors.New(mustOpen(t, path, duckdb.Options{Options: driver.Options{ReadOnly: true}}), duckdb.Dialect))
	if got, _ := cases(t, ro, store.Filter{}); len(got) != 1 {
		t.Errorf("%d cases", len(got))
	}
	if err := ro.WriteRuns(ctx, store.Run{RunID: scoring.RunID{ID: "r"}}); errcode.Of(err) != errcode.PermissionDenied {
		t.Errorf("writing: %v (%v), want permission_denied", err, errcode.Of(err))
	}
	if err := ro.Install(ctx); errcode.Of(err) != errcode.PermissionDenied {
		t.Errorf("installing: %v (%v), want permission_denied", err, errcode.Of(err))
	}
}

// A reference to a table of too many rows ends before the memory does.
func TestBillionRows(t *testing.T) {
	c := mustOpen(t, "", duckdb.Options{})
	mustExec(t, c, "CREATE VIEW huge AS SELECT range AS i FROM range(1000000000)")
	w := store.New(connectors.New(c, duckdb.Dialect))
	if _, err := w.ReadSnapshot(context.Background(), "table:huge"); errcode.Of(err) != errcode.ResourceExhausted || !strings.Contains(err.Error(), "20000000 rows") {
		t.Errorf("%v (%v), want resource_exhausted", err, errcode.Of(err))
	}
}

func BenchmarkWarehouse(b *testing.B) {
	w, _ := installed(b)
	ctx := context.Background()
	const n = 20_000
	var all []*scoring.Case
	var rows []scoring.Row
	for i := range n {
		c := full(b, fmt.Sprintf("case %06d", i))
		c.Golds = c.Golds[:1]
		all = append(all, c)
		rows = append(rows, scoring.Row{AnswerID: scoring.AnswerID{CaseID: c.ID, By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "b1"}}, Score: scoring.Score{Metric: "hybrid_ex", Status: scoring.StatusOK, Value: 0.5, Passed: yes(true), Reason: "all rows agree", Detail: map[string]any{"rows": 10, "columns": []string{"a", "b"}}}})
	}
	b.Run("WriteCases", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := w.WriteCases(ctx, "1", all); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "cases/s")
	})
	b.Run("Cases", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			read := 0
			for _, err := range w.Cases(ctx, store.Filter{}) {
				if err != nil {
					b.Fatal(err)
				}
				read++
			}
			if read != n {
				b.Fatalf("%d cases", read)
			}
		}
		b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "cases/s")
	})
	b.Run("WriteScores by 500", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for at := 0; at < n; at += 500 {
				if err := w.WriteScores(ctx, "run", "h", time.Unix(0, 0), rows[at:at+500]); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "scores/s")
	})
}

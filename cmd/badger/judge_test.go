//go:build !no_duckdb

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// correct is a judge's answer to the question of flex: yes, with the word that shows that the
// answer is its own.
func correct(c backendtest.Call) backendtest.Answer {
	_, word, _ := strings.Cut(c.Prompt, "Set the field nonce of your answer to ")
	word, _, _ = strings.Cut(word, ";")
	word, _, _ = strings.Cut(strings.TrimRight(word, "."), " ")
	return backendtest.Answer{Reply: fmt.Sprintf(`{"analysis": "fine", "correct": true, "nonce": %q}`, strings.TrimRight(word, ".,;")), TokensIn: 400, TokensOut: 20}
}

// writeCases writes n cases over some different questions, and returns the file's path.
func writeCases(t testing.TB, dir string, n, different int) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i := range n {
		k := i % different
		if err := e.Encode(map[string]any{
			"case_id": fmt.Sprintf("c%04d", i), "question": fmt.Sprintf("How many boats has harbour %d?", k),
			"gold":  map[string]any{"sql": fmt.Sprintf("SELECT count(*) FROM boats WHERE harbour = %d", k), "result": map[string]any{"columns": []string{"n"}, "rows": [][]any{{k}}}},
			"agent": map[string]any{"name": "a", "version": "1", "sql": fmt.Sprintf("SELECT sum(1) FROM boats WHERE harbour = %d", k), "result": map[string]any{"columns": []string{"n"}, "rows": [][]any{{k}}}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "cases.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// badger runs the command in this process.
func badger(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, log bytes.Buffer
	code = run(context.Background(), args, process{getenv: testEnv, stdin: strings.NewReader(""), stdout: &out, stderr: &log, now: time.Now})
	return code, out.String(), log.String()
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A judge is asked over the wire, its answers are kept next to the scores, and nobody is asked what
// was answered before.
func TestRunAsksAJudge(t *testing.T) {
	dir := t.TempDir()
	e := backendtest.NewEndpoint(t, correct)
	cases, db := writeCases(t, dir, 6, 4), "duckdb:"+filepath.Join(dir, "w.duckdb")
	first, second, third := filepath.Join(dir, "1.jsonl"), filepath.Join(dir, "2.jsonl"), filepath.Join(dir, "3.jsonl")
	common := []string{"run", "--cases", cases, "--metrics", "flex", "--to", db, "--quiet", "--judge", "openai:gpt-4o"}
	asking := append(common, "--judge-url", e.URL(), "--judge-key-env", "JUDGE_KEY", "--audit", filepath.Join(dir, "audit.jsonl")) //nolint:gocritic // a longer one

	code, out, log := badger(t, append(asking, "--run-id", "r1", "--scores", first)...)
	if code != exitDone || len(e.Calls()) != 4 {
		t.Fatalf("exit %d after %d calls, want 0 after 4: six cases ask four different questions\n%s%s", code, len(e.Calls()), out, log)
	}
	if !strings.Contains(log, "judge openai:gpt-4o: 6 questions, 2 of them answered by the ledger; 4 calls, 1600 tokens in, 80 out, 0.0048 USD") {
		t.Errorf("what the judge took is not told: %s", log)
	}
	if code, _, log := badger(t, append(asking, "--run-id", "r2", "--scores", second)...); code != exitDone || len(e.Calls()) != 4 {
		t.Errorf("exit %d after %d calls: a second run asks nothing that was answered\n%s", code, len(e.Calls()), log)
	}
	if code, _, log := badger(t, append(common, "--run-id", "r3", "--scores", third, "--offline")...); code != exitDone || len(e.Calls()) != 4 {
		t.Errorf("exit %d after %d calls: offline, the ledger answers\n%s", code, len(e.Calls()), log)
	}
	if a, b, c := readFile(t, first), readFile(t, second), readFile(t, third); a != b || a != c || strings.Count(a, `"value":1`) != 6 {
		t.Errorf("scores from recorded answers are not the same bytes:\n%s\n%s\n%s", a, b, c)
	}
	audit := readFile(t, filepath.Join(dir, "audit.jsonl"))
	if strings.Count(audit, "\n") != 4 || strings.Contains(audit, "boats") || strings.Contains(audit, testKey) {
		t.Errorf("the audit has a line for each call and no content:\n%s", audit)
	}

	w, err := openWarehouse(t.Context(), db, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	table, err := w.Query(t.Context(), `SELECT (SELECT count(*) FROM badger.assessments), (SELECT string_agg(DISTINCT backend || ':' || model || ' ' || kind || ' ' || prompt_version) FROM badger.assessments),
		(SELECT count(*) FROM badger.scores s, unnest(from_json(s.assessment_ids, '["VARCHAR"]')) u(id) JOIN badger.assessments a ON a.assessment_id = u.id),
		(SELECT string_agg(judge || ' ' || tokens::VARCHAR || ' ' || cost::VARCHAR, '; ' ORDER BY eval_run_id) FROM badger.eval_runs)`)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(table.Columns))
	for i := range table.Columns {
		got[i] = table.Columns[i].Value(0).String()
	}
	const asked = `{"calls":6,"in":2400,"out":120}`
	want := []string{
		"4", "openai:gpt-4o flex flex_same/1", "18",
		`openai:gpt-4o ` + asked + ` {"calls":4,"tokens_in":1600,"tokens_out":80,"money":"0.0048"}; openai:gpt-4o ` + asked +
			` {"calls":0,"tokens_in":0,"tokens_out":0}; openai:gpt-4o ` + asked + ` {"calls":0,"tokens_in":0,"tokens_out":0}`,
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("column %d of the check: got %s, want %s", i, got[i], want[i])
		}
	}
}

// A server asks a judge too, and keeps the answers in its warehouse, where the next server finds
// them.
func TestServeAsksAJudge(t *testing.T) {
	dir := t.TempDir()
	e := backendtest.NewEndpoint(t, correct)
	config := filepath.Join(dir, "badger.yaml")
	text := "results: {warehouse: 'duckdb:" + filepath.Join(dir, "w.duckdb") + "'}\njudge: {backend: 'openai:gpt-4o', base_url: '" + e.URL() + "', key_env: JUDGE_KEY}\nmetrics: {options: {flex: {categories: false}}}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"data":[[0,"How many?","SELECT 1","SELECT count(*) FROM t"],[1,"How many?","SELECT 1","SELECT count(*) FROM t"],[2,"How many?",null,"SELECT 2"]]}`)
	for range 2 {
		addrs, stop := serving(t, "--config", config)
		got := post(t, "http://"+addrs[1]+"/v1/snowflake/flex", body)
		if got != `{"data":[[0,1],[1,1],[2,null]]}` {
			t.Errorf("got %s", got)
		}
		http.DefaultClient.CloseIdleConnections()
		if code := stop(); code != exitDone {
			t.Errorf("exit code %d", code)
		}
	}
	if n := len(e.Calls()); n != 1 {
		t.Errorf("%d calls for one question in two rows and two servers", n)
	}
}

// SQL on the embedded engine asks a judge too; where the database can be written, the answers are
// in it, also while the query that asks is still running.
func TestSQLAsksAJudge(t *testing.T) {
	e := backendtest.NewEndpoint(t, correct)
	db := filepath.Join(t.TempDir(), "w.duckdb")
	query := "SELECT sum(flex('How many?', 'SELECT ' || (i % 50), 'SELECT count(*) FROM t', NULL, NULL, NULL, NULL, NULL, '{\"categories\": false}'))::INT AS n FROM range(200) r(i)"
	for round := range 2 {
		code, out, log := badger(t, "sql", "--db", db, "--write", "--json", "--judge", "openai:gpt-4o", "--judge-url", e.URL(), "--judge-key-env", "JUDGE_KEY", query)
		if code != exitDone || !strings.Contains(out, "[[200]]") || len(e.Calls()) != 50 {
			t.Fatalf("round %d: exit %d after %d calls: %s%s", round, code, len(e.Calls()), out, log)
		}
	}
}

func TestJudgeOnTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	cases := writeCases(t, dir, 40, 40)
	unauthorized := backendtest.NewEndpoint(t, func(backendtest.Call) backendtest.Answer { return backendtest.Answer{Fault: backendtest.Unauthorized} })
	good := backendtest.NewEndpoint(t, correct)
	for _, tc := range []struct {
		why   string
		args  []string
		code  int
		log   []string // what is said
		calls func() int
		most  int // calls
	}{
		{"a vendor's own host is not contacted unless it is named", []string{"--judge", "openai:gpt-4o", "--judge-key-env", "JUDGE_KEY"}, exitUsage, []string{"api.openai.com:443 is not on the allow list"}, nil, 0},
		{"an unknown backend", []string{"--judge", "oracle:delphi"}, exitUsage, []string{"expected one of aiquery, anthropic"}, nil, 0},
		{"a judge in a warehouse that hosts none", []string{"--judge", "cortex:llama", "--to", "duckdb:" + filepath.Join(dir, "c.duckdb")}, exitFail, []string{"judge cortex: no such model or address"}, nil, 0},
		{"offline without a ledger", []string{"--judge", "openai:gpt-4o", "--offline", "--ledger", "none"}, exitUsage, []string{"there is no ledger to answer from"}, nil, 0},
		{"offline with an empty ledger: each score says that nobody answered", []string{"--judge", "openai:gpt-4o", "--offline"}, exitFail, []string{"none of the 40 answers could be scored"}, nil, 0},
		{"a budget that is no number", []string{"--judge", "openai:gpt-4o", "--budget", "lots"}, exitUsage, []string{"--budget: expected a number of tokens"}, nil, 0},
		{"--backend without assessments", []string{"--backend", "o3"}, exitUsage, []string{"--backend has no effect without --assessments"}, nil, 0},
		{
			"a budget ends the calls, not the run", []string{"--judge", "openai:gpt-4o", "--judge-url", good.URL(), "--judge-key-env", "JUDGE_KEY", "--budget", "12k"},
			exitDone, []string{"not made, for the budget did not allow it"}, func() int { return len(good.Calls()) }, 39,
		},
		{
			"a key that is refused is tried once and said once", []string{"--judge", "openai:gpt-4o", "--judge-url", unauthorized.URL(), "--judge-key-env", "JUDGE_KEY", "--concurrency", "1"},
			exitFail, []string{"--resume ID --retry-failed"}, func() int { return len(unauthorized.Calls()) }, 1,
		},
	} {
		args := append([]string{"run", "--cases", cases, "--metrics", "flex", "--quiet"}, tc.args...)
		if !strings.Contains(strings.Join(args, " "), "--to") {
			args = append(args, "--no-to")
		}
		code, out, log := badger(t, args...)
		if code != tc.code {
			t.Errorf("%s: exit %d, want %d\n%s%s", tc.why, code, tc.code, out, log)
		}
		for _, want := range tc.log {
			if strings.Count(log, want) != 1 {
				t.Errorf("%s: %q is not said once in: %s", tc.why, want, log)
			}
		}
		if strings.Contains(out+log, testKey) {
			t.Errorf("%s: the key is shown", tc.why)
		}
		if tc.calls != nil && (tc.calls() > tc.most || tc.calls() == 0) {
			t.Errorf("%s: %d calls, want 1 to %d", tc.why, tc.calls(), tc.most)
		}
	}
}

// A thousand cases with four hundred different questions, of whose calls 30 % fail in every way
// there is: every case ends with a score, or with the reason why it has none; nothing is bought
// twice; and the budget holds. A second run over the same ledger buys only what is left.
func TestRunWithFaultyJudge(t *testing.T) {
	f := backendtest.NewFaulty(t, correct)
	open, err := providers.Open(t.Context(), "openai:gpt-4o", &judgebackend.OpenOptions{
		BaseURL: f.Endpoint.URL(), AllowHosts: []string{f.Endpoint.Host()}, KeyEnv: "K", Getenv: func(string) string { return testKey },
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	answers := sample.Count(1000, 2)
	cases := writeCases(t, dir, answers, answers*2/5)
	w, err := openWarehouse(t.Context(), "duckdb:"+filepath.Join(dir, "w.duckdb"), readWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	limit, _ := judgebackend.ParseMoney("3.00")
	for _, id := range []string{"first", "second"} {
		budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Money: limit})
		if err != nil {
			t.Fatal(err)
		}
		clock := &backendtest.Clock{}
		stack, err := judgebackend.NewStack(f.Wrap(open), &judgebackend.StackOptions{
			Store: judging.NewLedger(w, time.Now, nil), Budget: budget, Clock: clock, AttemptTimeout: time.Hour,
		})
		if err != nil {
			t.Fatal(err)
		}
		config := scoring.Config{Options: map[string]json.RawMessage{"flex": json.RawMessage(`{"categories": false}`)}}
		engine, err := scoring.NewEngine(metric.All(), &scoring.EngineOptions{Judge: stack, Config: config})
		if err != nil {
			t.Fatal(err)
		}
		before := len(f.Endpoint.Calls())
		e := evaluation.Run{
			ID: id, Mode: "both", Now: time.Now, Notes: &bytes.Buffer{},
			Engine: engine, Metrics: []string{"hybrid_ex", "flex"}, Source: batch.FileSource{Path: cases}, Warehouse: w, Judge: judging.One(stack, budget),
		}
		outcome, err := e.Evaluate(t.Context())
		if err != nil || !outcome.Complete || outcome.Done != int64(answers) {
			t.Fatalf("%s: %+v %v", id, outcome, err)
		}
		checkEnds(t, w, id, int64(answers))
		for content, n := range f.Endpoint.Billed() {
			if n > 1 {
				t.Errorf("%s: a question of %d bytes was bought %d times", id, len(content), n)
			}
		}
		if spent := budget.Spent(); spent.Money > limit {
			t.Errorf("%s: %s spent of %s", id, spent.Money, limit)
		}
		faults, share := f.Injected()
		t.Logf("%s: %d calls, faults %v (%.0f %%), stats %+v, spent %+v", id, len(f.Endpoint.Calls())-before, faults, 100*share, stack.Stats(), budget.Spent())
		if id == "first" && (len(faults) < 12 || share < 0.25) {
			t.Errorf("too few faults to show anything: %v", faults)
		}
	}
}

// checkEnds looks at the scores of a run: the deterministic ones are all there, and so are those by
// judge, or a reason for each that is not.
func checkEnds(t *testing.T, w *store.Store, id string, answers int64) {
	t.Helper()
	table, err := w.Query(t.Context(), `SELECT metric, status, count(*), count(nullif(reason, '')), count(CASE WHEN status = 'ok' AND value = 1 THEN 1 END), count(code), string_agg(DISTINCT code, ' ')
		FROM badger.scores WHERE eval_run_id = ? GROUP BY ALL ORDER BY ALL`, id)
	if err != nil {
		t.Fatal(err)
	}
	total := map[string]int64{}
	for i := range table.Rows() {
		cell := func(c int) scoring.Value { return table.Columns[c].Value(i) }
		name, status, n := cell(0).String(), cell(1).String(), cell(2).Int()
		total[name] += n
		switch {
		case cell(3).Int() != n:
			t.Errorf("%s: %s %s: a score without a reason", id, name, status)
		case status == "ok" && cell(4).Int() != n:
			t.Errorf("%s: %s: a value that nobody gave", id, name)
		case status == "failed" && (name != "flex" || cell(5).Int() != n || strings.Contains(cell(6).String(), "internal")):
			t.Errorf("%s: %d scores of %s failed with codes %s", id, n, name, cell(6))
		}
		t.Logf("%s: %s %s %d %s", id, name, status, n, cell(6))
	}
	if total["flex"] != answers || total["hybrid_ex"] != answers {
		t.Errorf("%s: scores %v, want %d of each metric", id, total, answers)
	}
}

// The whole run, cases from a file and scores into a database, with a judge that takes 300 ms, 64
// calls at a time: how near it comes to calls x latency / concurrency.
func BenchmarkRunWithSlowJudge(b *testing.B) {
	const latency, concurrency, n = 300 * time.Millisecond, 64, 64 * 40
	e := backendtest.NewEndpoint(b, func(c backendtest.Call) backendtest.Answer {
		time.Sleep(latency)
		return correct(c)
	})
	dir := b.TempDir()
	cases := writeCases(b, dir, n, n)
	for b.Loop() {
		db := filepath.Join(dir, "w.duckdb")
		if err := os.Remove(db); err != nil && !errors.Is(err, os.ErrNotExist) {
			b.Fatal(err)
		}
		before := time.Now()
		code, _, log := badger(b, "run", "--cases", cases, "--metrics", "flex,hybrid_ex", "--to", "duckdb:"+db, "--quiet",
			"--judge", "openai:gpt-4o", "--judge-url", e.URL(), "--judge-key-env", "JUDGE_KEY")
		if code != exitDone {
			b.Fatal(log)
		}
		ideal := latency * n / concurrency
		b.ReportMetric(100*ideal.Seconds()/time.Since(before).Seconds(), "%ideal")
	}
}

// must runs a command that has to end well.
func must(t testing.TB, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := badger(t, args...)
	if code != exitDone {
		t.Fatalf("badger %s: exit %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout, stderr
}

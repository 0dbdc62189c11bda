//go:build !no_duckdb

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// wordOf is the one-time word that a question wants back.
func wordOf(prompt string) string {
	_, word, _ := strings.Cut(prompt, "Set the field nonce of your answer to ")
	word, _, _ = strings.Cut(word, ".")
	return word
}

// upholding answers ROSE's Refuter, and FLEX.
func upholding(c backendtest.Call) backendtest.Answer {
	if strings.Contains(c.Prompt, "Reference query") && strings.Contains(c.Prompt, "overturned") {
		return backendtest.Answer{Reply: fmt.Sprintf(`{"judgement": "fine", "verdict": false, "ambiguity": "na", "gold_correct": true, "nonce": %q}`, wordOf(c.Prompt)), TokensIn: 400, TokensOut: 20}
	}
	return correct(c)
}

// Two judges with one model are told apart by their hosts, and an assumed usage is not told as a fact.
func TestUsageOfJudges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	silent := func(c backendtest.Call) backendtest.Answer {
		a := upholding(c)
		a.TokensIn = 1 << 30 // more than a model reads: the usage is unknown
		return a
	}
	common, own := backendtest.NewEndpoint(t, upholding), backendtest.NewEndpoint(t, silent)
	config := filepath.Join(dir, "badger.yaml")
	text := fmt.Sprintf(`judge: {backend: "openai:gpt-4o", base_url: %q, key_env: JUDGE_KEY,
  metrics: {rose: {backend: "openai:gpt-4o", base_url: %q, key_env: JUDGE_KEY}}}
`, common.URL(), own.URL())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, log := badger(t, "run", "--cases", writeCases(t, dir, 2, 2), "--metrics", "flex,rose", "--no-to", "--quiet",
		"--config", config)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, log)
	}
	for _, want := range []string{
		"judge openai:gpt-4o at " + common.Host() + ": 2 questions; 2 calls\n",
		"judge openai:gpt-4o at " + own.Host() + ": 2 questions; 2 calls\n",
		"; the usage of 2 calls is unknown and counted at its maximum\n",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is not told: %s", want, log)
		}
	}
}

// Each metric asks its own judge, at its own endpoint; one budget holds over all of them, and the
// ledger keeps the answers apart.
func TestJudgesOfMetrics(t *testing.T) {
	dir := t.TempDir()
	common, own := backendtest.NewEndpoint(t, upholding), backendtest.NewEndpoint(t, upholding)
	cases, db := writeCases(t, dir, 6, 4), "duckdb:"+filepath.Join(dir, "w.duckdb")
	config := filepath.Join(dir, "badger.yaml")
	text := fmt.Sprintf(`judge:
  backend: openai:gpt-4o
  base_url: %s
  key_env: JUDGE_KEY
  metrics:
    rose: {backend: "openai:o3-2025-04-16", base_url: %q, key_env: JUDGE_KEY, temperature: 1}
`, common.URL(), own.URL())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "--cases", cases, "--metrics", "flex,rose", "--to", db, "--quiet", "--config", config}
	code, out, log := badger(t, append(args, "--run-id", "r1")...)
	if code != exitDone || len(common.Calls()) != 4 || len(own.Calls()) != 4 {
		t.Fatalf("exit %d after %d and %d calls, want 4 each\n%s%s", code, len(common.Calls()), len(own.Calls()), out, log)
	}
	for _, c := range own.Calls() {
		if !strings.Contains(c.Prompt, "overturned") {
			t.Error("the judge of rose was asked another metric's question")
		}
	}
	for _, want := range []string{"judge openai:gpt-4o: 6 questions", "judge openai:o3-2025-04-16: 6 questions", "all judges: 8 calls, 3200 tokens in, 160 out"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is not told: %s", want, log)
		}
	}
	if !strings.Contains(out, "judged by rose_o3-2504 (rose)") {
		t.Errorf("the summary has no tag: %s", out)
	}
	if strings.Contains(log, "do not name the version") {
		t.Errorf("the judge of rose names its version: %s", log)
	}
	if code, _, log := badger(t, append(args, "--run-id", "r2")...); code != exitDone || len(common.Calls())+len(own.Calls()) != 8 {
		t.Errorf("exit %d after %d calls: the ledger answers a second run\n%s", code, len(common.Calls())+len(own.Calls()), log)
	}
	w, err := openWarehouse(t.Context(), db, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	table, err := w.Query(t.Context(), `SELECT string_agg(DISTINCT model || ' ' || kind, '; ' ORDER BY model || ' ' || kind), count(DISTINCT request_hash), (SELECT min(judge) FROM badger.eval_runs) FROM badger.assessments`)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"gpt-4o flex; o3-2025-04-16 rose/refuter", "8", "openai:gpt-4o, rose=openai:o3-2025-04-16 (temperature 1)"} {
		if got := table.Columns[i].Value(0).String(); got != want {
			t.Errorf("column %d: %s, want %s", i, got, want)
		}
	}

	// A budget is not passed, whichever judge spends it. The judge of rose, here by a
	// flag, does not say its version, which is said once.
	fresh := []string{"run", "--cases", cases, "--metrics", "flex,rose", "--no-to", "--quiet", "--judge-url", common.URL(), "--judge-key-env", "JUDGE_KEY", "--judge", "openai:gpt-4o", "--judge-for", "rose=openai:o3"}
	before := len(common.Calls())
	code, _, log = badger(t, fresh...)
	if code != exitDone || len(common.Calls())-before != 8 || strings.Count(log, "rose_o3: the replies do not name the version") != 1 {
		t.Errorf("exit %d after %d calls: %s", code, len(common.Calls())-before, log)
	}
	before = len(common.Calls())
	_, _, log = badger(t, append(fresh, "--budget", "12k", "--concurrency", "1")...)
	if n := len(common.Calls()) - before; n == 0 || n >= 8 || !strings.Contains(log, "for the budget did not allow it") {
		t.Errorf("%d calls within a budget for fewer than 8: %s", n, log)
	}
	code, out, log = badger(t, "doctor", "--source", db, "--read-only", "--config", config)
	if code != exitDone || !strings.Contains(out, "judge openai:gpt-4o") || !strings.Contains(out, "judge openai:o3-2025-04-16") || !strings.Contains(out, "a million tokens cost 2.00 USD in, 8.00 out") {
		t.Errorf("doctor: exit %d\n%s%s", code, out, log)
	}
}

// What is wrong in the judges of metrics is said before anybody is asked.
func TestJudgesOfMetricsAreChecked(t *testing.T) {
	dir := t.TempDir()
	cases := writeCases(t, dir, 1, 1)
	for _, tc := range []struct{ why, yaml, wrong string }{
		{"an unknown metric", `judge: {backend: "openai:m", base_url: "http://127.0.0.1:1", metrics: {rosee: {backend: "openai:o3"}}}`, `unknown metric "rosee"; did you mean rose?`},
		{"a metric that asks nobody", `judge: {backend: "openai:m", base_url: "http://127.0.0.1:1", metrics: {ex_bird: {backend: "openai:o3"}}}`, `metric "ex_bird" asks no judge`},
		{"an unknown backend", `judge: {metrics: {rose: {backend: "oracle:delphi"}}}`, "judge.metrics.rose: judge backend: expected one of aiquery"},
		{"no backend anywhere", `judge: {metrics: {rose: {temperature: 1}}}`, "judge.metrics.rose: expected a backend, since judge.backend names none"},
		{"nothing", `judge: {backend: "openai:m", metrics: {rose: {}}}`, "judge.metrics.rose: expected a backend, a temperature or other settings"},
		{"a way without a backend", `judge: {backend: "openai:m", metrics: {rose: {base_url: "http://127.0.0.1:1"}}}`, "judge.metrics.rose: expected a backend with the other settings"},
		{"none", `judge: {backend: "openai:m", metrics: {rose: {backend: none}}}`, "expected a backend other than none"},
		{"a temperature beyond", `judge: {backend: "openai:m", base_url: "http://127.0.0.1:1", key_env: JUDGE_KEY, metrics: {rose: {temperature: 3}}}`, "line 1: judge.metrics.rose.temperature: expected a number of at most 2"},
		{"a setting that the provider does not take", `judge: {backend: "anthropic:m", base_url: "http://127.0.0.1:1", seed: 7}`, "seed: unsupported by anthropic; body sets other members"},
		{"a body with a member of badger", `judge: {backend: "openai:m", base_url: "http://127.0.0.1:1", body: {max_tokens: 7}}`, "body: badger sets max_tokens itself"},
		{"a share above 1", `judge: {backend: "openai:m", base_url: "http://127.0.0.1:1", top_p: 2}`, "line 1: judge.top_p: expected a number of at most 1"},
		{"a header of the key", `judge: {backend: "openai:m", base_url: "http://127.0.0.1:1", headers: {Authorization: "env:K"}}`, "Authorization is set by badger"},
		{"a secret in the configuration", `judge: {backend: "openai:m", base_url: "http://127.0.0.1:1", headers: {Ocp-Apim-Subscription-Key: abc}}`, "Ocp-Apim-Subscription-Key: expected env:NAME or file:PATH"},
		{"a tag without a judge", `judge: {by_tag: [{tag: "group:finance"}]}`, "judge.by_tag[0]: expected a backend, a temperature or other settings"},
		{"a rule without a tag", `judge: {by_tag: [{backend: "openai:m"}]}`, "judge.by_tag[0]: expected a tag"},
		{"two rules of one tag", `judge: {by_tag: [{tag: a, backend: "openai:m"}, {tag: a, backend: "openai:n"}]}`, `judge.by_tag[1]: duplicate tag "a"`},
		{"an unknown backend of a tag", `judge: {by_tag: [{tag: a, backend: "oracle:delphi"}]}`, "judge.by_tag[0]: judge backend: expected one of aiquery"},
		{"an unknown setting", `judge: {metrics: {rose: {backend: "openai:m", temprature: 3}}}`, "judge.metrics.rose: unknown key \"temprature\"; did you mean temperature?"},
		{"an unknown criterion", `metrics: {options: {rose: {criteria: {nul: allowed}}}}`, "unknown criterion \"nul\""},
		{"weights that do not sum", `metrics: {options: {stef: {verdict_points: [6, 3, 2, 0]}}}`, "which sum to 11; expected 10"},
		{"tiers out of order", `metrics: {options: {stef: {tiers: [75, 90, 50]}}}`, "which is more than the 75 before it"},
	} {
		config := filepath.Join(dir, "badger.yaml")
		if err := os.WriteFile(config, []byte(tc.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range [][]string{{"run", "--cases", cases, "--no-to", "--quiet"}, {"serve", "--check"}} {
			code, _, log := badger(t, append(command, "--config", config)...)
			if code != exitUsage || !strings.Contains(log, tc.wrong) {
				t.Errorf("%s: %s: exit %d, %s; want %q", tc.why, command[0], code, log, tc.wrong)
			}
		}
	}
	config := filepath.Join(dir, "badger.yaml")
	if err := os.WriteFile(config, []byte(`judge: {metrics: {flex: {backend: "openai:m", base_url: "http://127.0.0.1:1", key_env: JUDGE_KEY}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, log := badger(t, "run", "--cases", cases, "--no-to", "--quiet", "--config", config, "--judge", "none"); code != exitDone || strings.Contains(out, "flex") {
		t.Errorf("--judge none: exit %d: %s%s", code, out, log)
	}
	if code, _, log := badger(t, "run", "--cases", cases, "--no-to", "--quiet", "--metrics", "rose", "--judge-for", "rose=openai:o3", "--judge-url", "http://127.0.0.1:1/v1"); code != exitFail || !strings.Contains(log, "judge openai:o3: 1 question; ") || strings.Contains(log, "allow list") {
		t.Errorf("--judge-url without --judge: exit %d: %s", code, log)
	}
	if code, _, log := badger(t, "run", "--cases", cases, "--no-to", "--judge-for", "rose"); code != exitUsage || !strings.Contains(log, "expected METRIC=BACKEND:MODEL") {
		t.Errorf("exit %d: %s", code, log)
	}
}

// A run says which recorded lines it used, which are of no case or metric of the run, and which
// replies were missing; a backend that is not in the file is answered with those that are.
func TestRecordedLinesAreAccountedFor(t *testing.T) {
	dir := t.TempDir()
	cases, file := writeCases(t, dir, 3, 3), filepath.Join(dir, "assessments.jsonl")
	text := ""
	for _, id := range []string{"c0000", "c0001", "stranger"} {
		text += fmt.Sprintf(`{"case_id": %q, "backend": "o3", "method": "flex", "reply_text": "{\"analysis\": \"\", \"correct\": true}"}`+"\n", id)
	}
	text += `{"case_id": "c0000", "backend": "o3", "method": "flex_v0", "reply_text": "{\"correct\": true}"}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := []string{"run", "--cases", cases, "--metrics", "flex", "--no-to", "--quiet", "--assessments", file}
	code, _, log := badger(t, run...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, log)
	}
	for _, want := range []string{
		`assessments of o3, method flex: 2 of 3 lines used; 1 are of no case of this run, such as "stranger"`, "not used of o3, since no metric of this run has the name of the method: flex_v0",
		`!! 1 case has no reply in the file, such as "c0002": flex`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is not told: %s", want, log)
		}
	}
	if code, _, log := badger(t, append(run, "--backend", "o4")...); code != exitUsage || !strings.Contains(log, `no assessments of backend "o4"; it has those of o3`) {
		t.Errorf("exit %d: %s", code, log)
	}
}

// The first rule whose tag a case has chooses its judge, before the judge of the metric; settings of the model are in
// its requests. The score, the run and the warnings say so.
func TestJudgesByTag(t *testing.T) {
	dir := t.TempDir()
	var cases strings.Builder
	for i, tags := range []string{`["group:finance","hard"]`, `["hard"]`, `["group:hr"]`, `[]`} {
		fmt.Fprintf(&cases, `{"case_id":"c%d","question":"How many %d?","tags":%s,"gold":{"sql":"SELECT %d","result":{"columns":["n"],"rows":[[%d]]}},"agent":{"name":"a","version":"1","sql":"SELECT count(*) FROM t%d","result":{"columns":["n"],"rows":[[99]]}}}`+"\n", i, i, tags, i, i, i)
	}
	file := writeFile(t, "cases.jsonl", cases.String())
	common, finance, own := backendtest.NewEndpoint(t, upholding), backendtest.NewEndpoint(t, upholding), backendtest.NewEndpoint(t, upholding)
	config := writeFile(t, "badger.yaml", fmt.Sprintf(`judge:
  backend: openai:gpt-4o
  base_url: %s
  key_env: JUDGE_KEY
  max_tokens: 9000
  seed: 7
  body: {top_k: 5}
  headers: {X-Team: data}
  metrics:
    flex: {backend: "openai:flexible", base_url: %q}
  by_tag:
    - {tag: "group:finance", backend: "openai:llama", base_url: %q, reasoning_effort: low, temperature: 0.5}
    - {tag: hard, top_p: 0.5}
    - {tag: "group:hr", backend: none}
    - {tag: "group:legal", backend: none}
`, common.URL(), own.URL(), finance.URL()))
	scores, db := filepath.Join(dir, "scores.jsonl"), "duckdb:"+filepath.Join(dir, "w.duckdb")
	code, out, log := badger(t, "run", "--cases", file, "--metrics", "flex", "--to", db, "--scores", scores, "--quiet", "--config", config)
	made := len(common.Calls())
	if code != exitDone || made == 0 || len(finance.Calls()) != made || len(own.Calls()) != made {
		t.Fatalf("exit %d after %d, %d and %d calls, want equally many for each case\n%s%s", code, len(finance.Calls()), len(common.Calls()), len(own.Calls()), out, log)
	}
	for of, want := range map[*backendtest.Endpoint]string{
		finance: `"temperature":0.5,"reasoning_effort":"low"`, common: `"temperature":0,"top_p":0.5,"top_k":5,"seed":7,"max_tokens":9000`, own: `"temperature":0`,
	} {
		var body map[string]any
		if err := json.Unmarshal(of.Calls()[0].Body, &body); err != nil {
			t.Fatal(err)
		}
		var expected map[string]any
		if err := json.Unmarshal([]byte("{"+want+"}"), &expected); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"temperature", "top_p", "top_k", "seed", "reasoning_effort"} {
			if body[name] != expected[name] {
				t.Errorf("%s: %v, want %v", name, body[name], expected[name])
			}
		}
		if n := expected["max_tokens"]; n != nil && body["max_tokens"] != n {
			t.Errorf("max_tokens: %v", body["max_tokens"])
		}
		if team := of.Calls()[0].Header.Get("X-Team"); (team == "data") != (of == common) {
			t.Errorf("header %q: it goes to the address of its judge only", team)
		}
	}
	if !strings.Contains(log, "no case of this run has the tag group:legal") || strings.Contains(log, "the tag hard") || strings.Contains(log, "the tag group:hr") {
		t.Errorf("warnings: %s", log)
	}
	for id, want := range map[string]string{"c0": `"judge":"openai:llama"`, "c1": `"judge":"openai:gpt-4o"`, "c2": `"status":"not_applicable"`, "c3": `"status":"ok"`} {
		line := ""
		for l := range strings.SplitSeq(readFile(t, scores), "\n") {
			if strings.Contains(l, `"case_id":"`+id+`"`) {
				line = l
			}
		}
		if !strings.Contains(line, want) || id == "c3" && strings.Contains(line, `"judge":"`) {
			t.Errorf("%s: %s; want %s", id, line, want)
		}
	}
	if code, _, log := badger(t, "run", "--cases", file, "--metrics", "flex", "--to", db, "--quiet", "--config", config); code != exitDone || len(finance.Calls())+len(common.Calls())+len(own.Calls()) != 3*made {
		t.Errorf("exit %d: the ledger answers the same questions with the same settings\n%s", code, log)
	}
	w, err := openWarehouse(t.Context(), db, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	table, err := w.Query(t.Context(), `SELECT min(judge) FROM badger.eval_runs`)
	if err != nil {
		t.Fatal(err)
	}
	want := "openai:gpt-4o (seed 7, body "
	if got := table.Columns[0].Value(0).String(); !strings.HasPrefix(got, want) || !strings.Contains(got, "flex=openai:flexible") || !strings.Contains(got, "tag group:finance=openai:llama (reasoning_effort low) (temperature 0.5)") || !strings.Contains(got, "tag group:hr=none") {
		t.Errorf("judge %q", got)
	}
}

// The endpoint's own message is in the score's reason and on standard error, without the key.
func TestRunShowsTheEndpointsMessage(t *testing.T) {
	e := backendtest.NewEndpoint(t, func(c backendtest.Call) backendtest.Answer {
		return backendtest.Answer{Raw: &backendtest.Raw{Status: 401, Body: `{"error":{"message":"Project p-1 is suspended. ` + c.Header.Get("Authorization") + `"}}`}}
	})
	scores := filepath.Join(t.TempDir(), "scores.jsonl")
	_, out, log := badger(t, "run", "--cases", writeCases(t, t.TempDir(), 1, 1), "--metrics", "flex", "--no-to", "--quiet", "--judge", "openai:m", "--judge-url", e.URL(), "--judge-key-env", "JUDGE_KEY", "--scores", scores)
	key := strings.TrimPrefix(e.Calls()[0].Header.Get("Authorization"), "Bearer ")
	for where, text := range map[string]string{"standard error": log, "the score": readFile(t, scores)} {
		if !strings.Contains(text, "the endpoint says: Project p-1 is suspended. Bearer [secret]") || len(key) < 4 || strings.Contains(text, key) {
			t.Errorf("%s: %s%s", where, text, out)
		}
	}
}

// The hosts of judges of metrics and tags are among those that a server contacts.
func TestHostsOfJudges(t *testing.T) {
	config := writeFile(t, "badger.yaml", `auth: {mode: local}
judge:
  backend: openai:m
  base_url: http://127.0.0.1:8001/v1
  metrics: {rose: {backend: "openai:o3", base_url: "http://127.0.0.1:8002/v1"}}
  by_tag: [{tag: "group:finance", backend: "openai:llama", base_url: "http://127.0.0.1:8003/v1"}, {tag: hard, seed: 7}]
`)
	code, out, log := badger(t, "serve", "--check", "--config", config)
	for _, want := range []string{"127.0.0.1:8001", "127.0.0.1:8002", "127.0.0.1:8003"} {
		if !strings.Contains(out+log, "contacts "+want) {
			t.Errorf("exit %d: %s is missing\n%s%s", code, want, out, log)
		}
	}
}

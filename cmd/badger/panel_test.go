//go:build !no_duckdb

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// flexible is a fake judge of flex that accepts every answer or none.
func flexible(accepts bool) func(backendtest.Call) backendtest.Answer {
	return func(c backendtest.Call) backendtest.Answer {
		a := correct(c)
		a.Reply = strings.Replace(a.Reply, `"correct": true`, fmt.Sprintf(`"correct": %t`, accepts), 1)
		return a
	}
}

// A panel is a judge: it scores a run, its calls share the ledger and the budget, and its scores are the same bytes
// from the recorded replies.
func TestRunAsksAPanel(t *testing.T) {
	dir := t.TempDir()
	yes, no := backendtest.NewEndpoint(t, flexible(true)), backendtest.NewEndpoint(t, flexible(false))
	down := backendtest.NewEndpoint(t, func(backendtest.Call) backendtest.Answer {
		return backendtest.Answer{Raw: &backendtest.Raw{Status: 401, Body: `{"error": {"message": "no such key"}}`}}
	})
	config := writeFile(t, "badger.yaml", fmt.Sprintf(`judge:
  backend: panel:trio
  key_env: JUDGE_KEY
  base_url: %[1]s
  panels:
    trio:
      rule: majority
      members:
        - {backend: "openai:a"}
        - {backend: "openai:b"}
        - {name: strict, backend: "openai:c", base_url: %[2]q, key_env: JUDGE_KEY, temperature: 0.3}
    pair:
      rule: majority
      members: [{backend: "openai:a"}, {name: strict, backend: "openai:c", base_url: %[2]q, key_env: JUDGE_KEY}]
    absent:
      rule: majority
      members: [{backend: "openai:a"}, {backend: "openai:b"}, {name: down, backend: "openai:d", base_url: %[3]q, key_env: JUDGE_KEY}]
  by_tag:
    - {tag: secret, backend: none}
    - {tag: even, backend: "panel:pair"}
metrics: {options: {flex: {categories: false}}}
`, yes.URL(), no.URL(), down.URL()))
	cases, db := writeCases(t, dir, 3, 3), "duckdb:"+filepath.Join(dir, "w.duckdb")
	text := readFile(t, cases)
	text = strings.Replace(text, `"case_id":"c0001"`, `"tags":["even"],"case_id":"c0001"`, 1)
	text = strings.Replace(text, `"case_id":"c0002"`, `"tags":["secret"],"case_id":"c0002"`, 1)
	if err := os.WriteFile(cases, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	live, again := filepath.Join(dir, "1.jsonl"), filepath.Join(dir, "2.jsonl")
	run := []string{"run", "--cases", cases, "--metrics", "flex", "--to", db, "--quiet", "--config", config}
	code, out, log := badger(t, append(run, "--run-id", "r1", "--scores", live)...)
	if code != exitDone || len(yes.Calls()) != 3 || len(no.Calls()) != 2 {
		t.Fatalf("exit %d after %d and %d calls, want 3 and 2\n%s%s", code, len(yes.Calls()), len(no.Calls()), out, log)
	}
	for _, want := range []string{"judge openai:a: 2 questions; 2 calls", "judge openai:c: ", "all judges: 5 calls"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is missing: %s", want, log)
		}
	}
	lines := strings.Split(readFile(t, live), "\n")
	for i, want := range []string{
		`"panel":{"name":"trio","rule":"majority","outcome":"majority","votes":[{"judge":"openai:a","status":"ok","value":1,"passed":true,`,
		`"panel":{"name":"pair","rule":"majority","outcome":"tie"`,
		`"reason":"no judge is configured"`,
	} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("case %d: %s; want %s", i, lines[i], want)
		}
	}
	if !strings.Contains(lines[0], `"judge":"strict","status":"ok","value":0,"passed":false`) || !strings.Contains(lines[1], `"status":"abstained"`) || !strings.Contains(lines[1], `"judge":"panel:pair"`) {
		t.Errorf("scores: %s\n%s", lines[0], lines[1])
	}
	if code, _, log = badger(t, append(run, "--run-id", "r2", "--scores", again, "--offline")...); code != exitDone || readFile(t, live) != readFile(t, again) {
		t.Errorf("exit %d: scores from the ledger differ: %s\n%s", code, log, readFile(t, again))
	}

	// A judge that is not reached costs nothing, cannot turn a majority, and leaves the same bytes offline.
	code, _, log = badger(t, append(run, "--run-id", "r3", "--scores", live, "--judge", "panel:absent", "--ledger", filepath.Join(dir, "l.jsonl"))...)
	if code != exitDone || !strings.Contains(log, "a judge of a panel gave no reply") || !strings.Contains(log, "judge=down") {
		t.Errorf("exit %d: %s", code, log)
	}
	if first := strings.Split(readFile(t, live), "\n")[0]; !strings.Contains(first, `"judge":"down","status":"no_reply","calls":0`) || !strings.Contains(first, `"calls":2,"tokens_in":800`) || !strings.Contains(first, `"value":1`) {
		t.Errorf("score: %s", first)
	}
	if code, _, log = badger(t, append(run, "--run-id", "r4", "--scores", again, "--judge", "panel:absent", "--ledger", filepath.Join(dir, "l.jsonl"), "--offline")...); code != exitDone || readFile(t, live) != readFile(t, again) {
		t.Errorf("exit %d: scores from the ledger differ: %s\n%s\n%s", code, log, readFile(t, live), readFile(t, again))
	}

	// The record is shown, and the run names the panel.
	out, _ = must(t, "explain", "--db", db, "--cases", cases, "--run", "r1", "--metric", "flex", "--case", "c0000")
	for _, want := range []string{"panel trio", "more than half of the judges agree", "strict"} {
		if !strings.Contains(out, want) {
			t.Errorf("explain lacks %q:\n%s", want, out)
		}
	}
	out, _ = must(t, "explain", "--db", db, "--cases", cases, "--run", "r1", "--metric", "flex", "--case", "c0000", "--json")
	if !strings.Contains(out, `"outcome": "majority"`) {
		t.Errorf("explain --json lacks the panel:\n%s", out)
	}
	out, _ = must(t, "sql", "--db", strings.TrimPrefix(db, "duckdb:"), "--json", "SELECT judge FROM badger.eval_runs WHERE eval_run_id = 'r1'")
	if want := "panel:trio (majority of openai:a, openai:b, strict), tag secret=none, tag even=panel:pair (majority of openai:a, strict)"; !strings.Contains(out, want) {
		t.Errorf("judge of the run: %s, want %s", out, want)
	}

	// The page of a case shows it, if its answer is in the tables.
	must(t, "sql", "--db", strings.TrimPrefix(db, "duckdb:"), "--write", `INSERT INTO badger.golden_set (case_id, question, gold_sql, gold_result) VALUES ('c0000', 'How many boats?', 'SELECT 0 AS n', '{"columns":["n"],"rows":[[0]]}')`)
	must(t, "sql", "--db", strings.TrimPrefix(db, "duckdb:"), "--write", `INSERT INTO badger.agent_runs (case_id, agent_name, agent_version, batch_id, sql, result) VALUES ('c0000', 'a', '1', '', 'SELECT 1 AS n', '{"columns":["n"],"rows":[[1]]}')`)
	must(t, "run", "--source", db, "--metrics", "flex", "--quiet", "--config", config, "--run-id", "r5")
	pages := filepath.Join(dir, "pages")
	must(t, "report", "--db", db, "--run", "r5", "--cases", "all", "--html", pages)
	found := false
	_ = filepath.WalkDir(pages, func(path string, _ os.DirEntry, _ error) error {
		if strings.HasSuffix(path, ".html") {
			text := readFile(t, path)
			found = found || strings.Contains(text, "Panel <bdi>trio</bdi>") && strings.Contains(text, "more than half of the judges agree") && strings.Contains(text, "<bdi>strict</bdi>") &&
				strings.Count(text, "the hash is the same") == 2 // all but strict, which has another temperature
		}
		return nil
	})
	if !found {
		t.Error("the page of the case lacks the panel")
	}
}

// What is wrong in panels is reported before a judge is called.
func TestPanelsAreChecked(t *testing.T) {
	dir := t.TempDir()
	cases := writeCases(t, dir, 1, 1)
	const two = `members: [{backend: "openai:a"}, {backend: "openai:b"}]`
	for _, tc := range []struct{ why, yaml, wrong string }{
		{"an unknown panel", `judge: {backend: "panel:tri", panels: {trio: {rule: majority, ` + two + `}}}`, "panel:tri: unknown panel; did you mean trio?"},
		{"an unknown rule", `judge: {panels: {trio: {rule: most, ` + two + `}}}`, `panel "trio": rule "most"; expected majority, unanimity or escalation`},
		{"one judge", `judge: {panels: {trio: {rule: majority, members: [{backend: "openai:a"}]}}}`, `panel "trio": 1 judges; expected 2 to 16`},
		{"no arbiter", `judge: {panels: {trio: {rule: escalation, ` + two + `}}}`, "expected an arbiter"},
		{"a member without a backend", `judge: {panels: {trio: {rule: majority, members: [{backend: "openai:a"}, {name: b}]}}}`, "judge.panels.trio.members[1]: expected the backend of a model"},
		{"a panel in a panel", `judge: {panels: {trio: {rule: majority, members: [{backend: "openai:a"}, {backend: "panel:trio"}]}}}`, "judge.panels.trio.members[1]: expected the backend of a model"},
		{"settings of a panel", `judge: {backend: "openai:m", base_url: "http://127.0.0.1:1", metrics: {rose: {backend: "panel:trio", temperature: 1}}, panels: {trio: {rule: majority, ` + two + `}}}`, "judge.metrics.rose: a panel has no settings of a model"},
		{"other settings of the common panel", `judge: {backend: "panel:trio", base_url: "http://127.0.0.1:1", by_tag: [{tag: hard, seed: 7}], panels: {trio: {rule: majority, ` + two + `}}}`, "judge.by_tag[0]: a panel has no settings of a model"},
		{"a key for two vendors", `judge: {backend: "panel:trio", key_env: JUDGE_KEY, panels: {trio: {rule: majority, members: [{backend: "openai:a"}, {backend: "anthropic:b"}]}}}`, "backends of several kinds"},
		{"twice the same", `judge: {backend: "panel:trio", base_url: "http://127.0.0.1:1", panels: {trio: {rule: majority, members: [{backend: "openai:a"}, {backend: "openai:a"}]}}}`, `duplicate judge "openai:a"`},
		{"half a range", `judge: {panels: {trio: {rule: escalation, unsure: [0.5], ` + two + `, arbiter: {backend: "openai:c"}}}}`, "judge.panels.trio.unsure: expected two numbers"},
		{"a host that is not allowed", `judge: {backend: "panel:trio", panels: {trio: {rule: majority, ` + two + `}}}`, "api.openai.com"},
	} {
		config := writeFile(t, "badger.yaml", tc.yaml)
		for _, command := range [][]string{{"run", "--cases", cases, "--no-to", "--quiet"}, {"serve", "--check"}} {
			code, _, log := badger(t, append(command, "--config", config)...)
			if code != exitUsage || !strings.Contains(log, tc.wrong) {
				t.Errorf("%s: %s: exit %d, %s; want %q", tc.why, command[0], code, log, tc.wrong)
			}
		}
	}
	for _, tc := range []struct{ flag, wrong string }{
		{"trio", "--judge-panel: expected NAME=RULE:JUDGE,JUDGE"}, {"trio=majority", "--judge-panel: expected NAME=RULE"},
		{"trio=most:openai:a,openai:b", `rule "most"`}, {"trio=escalation:openai:a", "expected an arbiter"},
	} {
		if code, _, log := badger(t, "run", "--cases", cases, "--no-to", "--judge-panel", tc.flag, "--judge-url", "http://127.0.0.1:1"); code != exitUsage || !strings.Contains(log, tc.wrong) {
			t.Errorf("%s: exit %d, %s; want %q", tc.flag, code, log, tc.wrong)
		}
	}
	code, _, log := badger(t, "run", "--cases", cases, "--no-to", "--judge-panel", "t=majority:openai:a,openai:b",
		"--judge-panel", "t=unanimity:openai:c,openai:d", "--judge-url", "http://127.0.0.1:1")
	if code != exitUsage || !strings.Contains(log, `--judge-panel: duplicate panel "t"`) {
		t.Errorf("two panels of one name: exit %d, %s", code, log)
	}
	config := writeFile(t, "hosts.yaml", `auth: {mode: local}
judge:
  backend: panel:trio
  panels:
    trio: {rule: majority, members: [{backend: "openai:a", base_url: "http://127.0.0.1:8001/v1"}, {backend: "openai:b", base_url: "http://127.0.0.1:8002/v1"}]}
    idle: {rule: majority, members: [{backend: "openai:a", base_url: "http://127.0.0.1:8003/v1"}, {backend: "openai:b", base_url: "http://127.0.0.1:8004/v1"}]}
`)
	code, out, log := badger(t, "serve", "--check", "--config", config)
	for host, want := range map[string]bool{"127.0.0.1:8001": true, "127.0.0.1:8002": true, "127.0.0.1:8003": false, "127.0.0.1:8004": false} {
		if strings.Contains(out+log, "contacts "+host) != want {
			t.Errorf("exit %d: %s is listed: %v\n%s%s", code, host, !want, out, log)
		}
	}
}

// Panels of the judges whose replies ROSE published. The kappas of the judges and of their majority were computed from
// the published verdicts alone; two cheaper judges with the dearest as arbiter decide as the majority, with fewer
// calls, because it votes only where they differ.
func TestPanelOfPublishedJudges(t *testing.T) {
	folder := referenceFile(t, "rosevec")
	out, _ := must(t, "calibrate", "--cases", filepath.Join(folder, "cases.jsonl"), "--assessments", filepath.Join(folder, "assessments.jsonl"),
		"--backend", "o3,gemini-2.5-pro,deepseek-r1", "--judge-panel", "trio=majority:o3,gemini-2.5-pro,deepseek-r1",
		"--judge-panel", "step=escalation:gemini-2.5-pro,deepseek-r1,o3", "--judge-panel", "all=unanimity:o3,gemini-2.5-pro,deepseek-r1",
		"--metrics", "rose", "--resamples", "2", "--quiet", "--json")
	var r struct {
		Metrics map[string]struct {
			N     int      `json:"n"`
			Kappa *float64 `json:"kappa"`
			Calls *float64 `json:"judge_calls_per_case"`
		} `json:"metrics"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"rose@o3": 0.812, "rose@gemini-2.5-pro": 0.675, "rose@deepseek-r1": 0.634, "rose@trio": 0.791, "rose@step": 0.791}
	calls := map[string]float64{}
	for name, m := range r.Metrics {
		if k, ok := want[name]; ok && (m.N != 397 || m.Kappa == nil || math.Abs(*m.Kappa-k) > 0.0005) {
			t.Errorf("%s: %d cases, kappa %v, want 397 and %v", name, m.N, m.Kappa, k)
		}
		if name == "rose@all" && (m.N != 300 || m.Kappa == nil || *m.Kappa < 0.85) {
			t.Errorf("%s: %d cases, kappa %v: 97 are left to a person", name, m.N, m.Kappa)
		}
		calls[name] = *m.Calls
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	if calls["rose@step"] > 0.8*calls["rose@trio"] {
		t.Errorf("%.2f calls for a case by escalation, %.2f by majority", calls["rose@step"], calls["rose@trio"])
	}
}

//go:build !no_duckdb

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

var harbour = regexp.MustCompile(`harbour = (\d+)`)

// moody is a judge whose verdict on FLEX's question about harbour n is that of the function, and which reports the model
// and fingerprint.
type moody struct {
	correct     atomic.Pointer[func(n int) bool]
	fingerprint atomic.Value
}

func (m *moody) set(correct func(n int) bool, fingerprint string) {
	m.correct.Store(&correct)
	m.fingerprint.Store(fingerprint)
}

func (m *moody) answer(c backendtest.Call) backendtest.Answer {
	n, _ := strconv.Atoi(harbour.FindStringSubmatch(c.Prompt)[1])
	a := correct(c)
	if !(*m.correct.Load())(n) {
		a.Reply = strings.Replace(a.Reply, "true", "false", 1)
	}
	body, _ := json.Marshal(map[string]any{"model": "m-2025-01-01", "system_fingerprint": m.fingerprint.Load(),
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"content": a.Reply}}},
		"usage":   map[string]any{"prompt_tokens": 400, "completion_tokens": 20}})
	return backendtest.Answer{Raw: &backendtest.Raw{Type: "application/json", Body: string(body)}}
}

// sentinelTest is a judge with a configuration and cases for tests.
func sentinelTest(t *testing.T, cases int) (m *moody, e *backendtest.Endpoint, dir string, judge []string) {
	t.Helper()
	dir, m = t.TempDir(), &moody{}
	e = backendtest.NewEndpoint(t, m.answer)
	config := filepath.Join(dir, "badger.yaml")
	if err := os.WriteFile(config, []byte("metrics: {options: {flex: {categories: false}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeCases(t, dir, cases, cases)
	return m, e, dir, []string{"--quiet", "--config", config, "--judge", "openai:m", "--judge-url", e.URL(),
		"--judge-key-env", "JUDGE_KEY"}
}

// badgerAt runs the command at a time.
func badgerAt(t *testing.T, at time.Time, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, log bytes.Buffer
	code = run(t.Context(), args, process{getenv: testEnv, stdin: strings.NewReader(""), stdout: &out, stderr: &log,
		now: func() time.Time { return at }})
	return code, out.String(), log.String()
}

// Sentinel cases are asked anew each time, with the same prompts, and their replies answer no other question. A judge
// that changed is found, and the exit code says so.
func TestJudgeSentinel(t *testing.T) {
	t.Parallel()
	m, e, dir, judge := sentinelTest(t, 16)
	db := "duckdb:" + filepath.Join(dir, "w.duckdb")
	args := append([]string{"judge", "sentinel", "--cases", filepath.Join(dir, "cases.jsonl"), "--metrics", "flex", "--to", db,
		"--fail-on-drift"}, judge...)
	day := func(n int) time.Time { return time.Date(2025, 1, n, 2, 0, 0, 0, time.UTC) }

	// Nothing is asked without a budget, or for an estimate.
	m.set(func(n int) bool { return n%2 == 0 }, "fp_1")
	code, _, log := badgerAt(t, day(1), args...)
	if code != exitUsage || !strings.Contains(log, "expected --budget LIMIT, or --yes") {
		t.Errorf("without a budget: exit %d, %s", code, log)
	}
	code, out, log := badgerAt(t, day(1), append(args, "--estimate", "--repeat", "2")...)
	if code != exitDone || out != "" || !strings.Contains(log, "sentinels: 16 cases, 1 metric, 2 replies each: 32 judge calls or more") {
		t.Errorf("estimate: exit %d, %s%s", code, out, log)
	}
	if n := len(e.Calls()); n != 0 {
		t.Fatalf("%d calls were made", n)
	}

	args = append(args, "--budget", "1M")
	for n := 1; n <= 3; n++ {
		if code, out, log = badgerAt(t, day(n), args...); code != exitDone || len(e.Calls()) != 16*n {
			t.Fatalf("day %d: exit %d after %d calls\n%s%s", n, code, len(e.Calls()), out, log)
		}
	}
	if !strings.Contains(out, "no change shown") || !strings.Contains(log, "gate passed: no judge changed") {
		t.Errorf("a steady judge:\n%s%s", out, log)
	}
	asked := map[string]int{}
	for _, c := range e.Calls() {
		asked[c.Content]++
	}
	for content, n := range asked {
		if n != 3 {
			t.Errorf("a prompt was sent %d times, want 3 times byte for byte: %.200s", n, content)
		}
	}

	// Six of eight verdicts break.
	m.set(func(n int) bool { return n == 0 || n == 2 }, "fp_1")
	code, out, log = badgerAt(t, day(4), append(args, "--json")...)
	var d analysis.Drift
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitGate || len(d.Judges) != 1 {
		t.Fatalf("exit %d, %v\n%s%s", code, err, out, log)
	}
	j := d.Judges[0]
	// Each of the six is the odd one of four in 1 of 4 orders: 4^-6, doubled, times 2 tests, times 3*4 of the third look.
	if j.Judge != "openai:m" || j.Metric != "flex" || j.Outcome != analysis.Changed || len(j.ToFail) != 6 || j.Look != 3 ||
		fmt.Sprintf("%.6f", j.PassRate.P) != fmt.Sprintf("%.6f", 2.0/4096) || !strings.Contains(j.Findings[0], "stricter") {
		t.Errorf("%+v", j)
	}
	if !strings.Contains(log, "gate failed: judge openai:m of flex changed: It is stricter") {
		t.Errorf("the gate is not named: %s", log)
	}

	// The stored verdicts are compared without a call; a change that was accepted is the new reference.
	calls := len(e.Calls())
	drift := []string{"judge", "drift", "--db", db, "--fail-on-drift"}
	if code, out, _ = badgerAt(t, day(4), drift...); code != exitGate || !strings.Contains(out, "1 of 1 judge changed") ||
		!strings.Contains(out, "now fail: ") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, out, log = badgerAt(t, day(4), "doctor", "--source", db, "--read-only"); code != exitDone ||
		!strings.Contains(out, "flex by openai:m: changed on 2025-01-04. It is stricter") {
		t.Errorf("exit %d\n%s%s", code, out, log)
	}
	code, out, log = badgerAt(t, day(5), append(drift, "--since", "2025-01-04")...)
	if code != exitDone || !strings.Contains(out, analysis.FirstAsking) {
		t.Errorf("exit %d\n%s%s", code, out, log)
	}
	if code, _, log = badgerAt(t, day(5), append(drift, "--since", "yesterday")...); code != exitUsage {
		t.Errorf("exit %d: %s", code, log)
	}
	if n := len(e.Calls()); n != calls {
		t.Errorf("%d calls were made to compare", n-calls)
	}

	// Another fingerprint of the same model is a finding.
	m.set(func(n int) bool { return n == 0 || n == 2 }, "fp_2")
	code, out, _ = badgerAt(t, day(5), append(args, "--since", "2025-01-04")...)
	if code != exitGate || !strings.Contains(out, "another model: m-2025-01-01 (fp_2)") {
		t.Errorf("exit %d\n%s", code, out)
	}

	// A run asks its own questions, and they are answered by its own replies.
	calls = len(e.Calls())
	scores := []string{"run", "--cases", filepath.Join(dir, "cases.jsonl"), "--metrics", "flex", "--to", db}
	for range 2 {
		if code, out, log = badgerAt(t, day(6), append(append(scores, judge...), "--run-id", fmt.Sprint(len(scores)))...); code != exitDone {
			t.Fatalf("exit %d\n%s%s", code, out, log)
		}
		scores = append(scores, "--agent", "a")
	}
	if n := len(e.Calls()) - calls; n != 16 {
		t.Errorf("two runs made %d calls, want 16", n)
	}
}

// A gate fails if nothing was measured: the first reason is printed, and no judge is called unchanged.
func TestSentinelGateWithoutVerdicts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := writeCases(t, dir, 6, 6)
	e := backendtest.NewEndpoint(t, func(backendtest.Call) backendtest.Answer { return backendtest.Answer{Reply: "garbage"} })
	judge := []string{"--cases", file, "--metrics", "flex", "--quiet", "--judge", "openai:m", "--judge-url", e.URL(),
		"--judge-key-env", "JUDGE_KEY", "--yes"}
	db := "duckdb:" + filepath.Join(dir, "w.duckdb")
	at := time.Date(2025, 1, 3, 2, 0, 0, 0, time.UTC)
	check := func(want int, text string, args ...string) {
		t.Helper()
		code, out, log := badgerAt(t, at, args...)
		if all := out + log; code != want || !strings.Contains(all, text) || strings.Contains(all, "no judge changed") ||
			strings.Contains(all, "no bias") {
			t.Errorf("%v: exit %d, want %d with %q\n%s%s", args[:2], code, want, text, out, log)
		}
	}
	check(exitGate, "gate failed: judge openai:m of flex gave no verdict on any case",
		append([]string{"judge", "sentinel", "--to", db, "--fail-on-drift"}, judge...)...)
	check(exitGate, "gate failed: flex is not measured for repeat: 0 pairs",
		append([]string{"judge", "bias", "--fail-on-bias"}, judge...)...)
	drift := []string{"judge", "drift", "--db", db, "--fail-on-drift"}
	check(exitGate, "excludes all askings (1)", append(drift, "--since", "2025-01-04")...)
	check(exitUsage, `unknown metric "nope"`, append(drift, "--metrics", "nope")...)
	check(exitGate, "no judge was asked", append(drift, "--metrics", "rose")...)

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(file, []byte(string(text)+first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	calls := len(e.Calls())
	check(3, "cases.jsonl:1, cases.jsonl:7", append([]string{"judge", "sentinel", "--to", db}, judge...)...)
	if len(e.Calls()) != calls {
		t.Error("calls were made about a set with a duplicate")
	}
}

// A run asks its judges about sentinel cases, within its budget, and fails if one changed.
func TestRunSentinels(t *testing.T) {
	t.Parallel()
	m, e, dir, judge := sentinelTest(t, 16)
	cases := filepath.Join(dir, "cases.jsonl")
	db := "duckdb:" + filepath.Join(dir, "w.duckdb")
	args := append([]string{"run", "--cases", cases, "--metrics", "flex,hybrid_ex", "--to", db, "--sentinels", cases, "--fail-on-drift"}, judge...)
	even := func(n int) bool { return n%2 == 0 }
	m.set(even, "fp_1")
	at := time.Date(2025, 1, 1, 2, 0, 0, 0, time.UTC)
	for n := 1; n <= 3; n++ {
		code, out, log := badgerAt(t, at.AddDate(0, 0, n), append(args, "--run-id", fmt.Sprint("r", n))...)
		// the first run asks its own questions, each run those of the sentinels
		if code != exitDone || len(e.Calls()) != 16+16*n || !strings.Contains(log, "sentinels: 16 cases, 1 metric") {
			t.Fatalf("run %d: exit %d after %d calls\n%s%s", n, code, len(e.Calls()), out, log)
		}
	}
	m.set(func(n int) bool { return !even(n) }, "fp_1")
	code, out, log := badgerAt(t, at.AddDate(0, 0, 4), append(args, "--run-id", "r4", "--json")...)
	var doc struct {
		Sentinels *analysis.Drift `json:"sentinels"`
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != exitGate || doc.Sentinels == nil ||
		len(doc.Sentinels.Changed()) != 1 || doc.Sentinels.Judges[0].Self.Differ != 16 {
		t.Errorf("exit %d, %v\n%s", code, err, log)
	}
	// The budget of the run is that of the sentinels: verdicts that it does not allow are missing and do not count as changes.
	code, out, log = badgerAt(t, at.AddDate(0, 0, 5), append(args, "--run-id", "r5", "--budget", "10k")...)
	if !strings.Contains(out, "without a verdict") || !strings.Contains(log, "the budget did not allow it") {
		t.Errorf("exit %d\n%s%s", code, out, log)
	}
	for _, wrong := range [][]string{{"--no-to"}, {"--offline"}, {"--judge", "none"}} {
		if code, _, log := badgerAt(t, at, append(slices.Clone(args), wrong...)...); code != exitUsage {
			t.Errorf("%v: exit %d: %s", wrong, code, log)
		}
	}
}

// A panel is a judge: its verdict is compared, under its name, whichever member replies.
func TestJudgeSentinelPanel(t *testing.T) {
	t.Parallel()
	m, e, dir, _ := sentinelTest(t, 16)
	config := filepath.Join(dir, "panel.yaml")
	text := fmt.Sprintf(`metrics: {options: {flex: {categories: false}}}
judge:
  backend: panel:duo
  base_url: %s
  key_env: JUDGE_KEY
  panels: {duo: {rule: unanimity, members: [{backend: "openai:a"}, {backend: "openai:b"}]}}
`, e.URL())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"judge", "sentinel", "--cases", filepath.Join(dir, "cases.jsonl"), "--metrics", "flex", "--quiet",
		"--to", "duckdb:" + filepath.Join(dir, "w.duckdb"), "--config", config, "--fail-on-drift", "--yes", "--json"}
	at := time.Date(2025, 1, 1, 2, 0, 0, 0, time.UTC)
	for n := range 3 {
		m.set(func(of int) bool { return (of%2 == 0) == (n < 2) }, "fp_1")
		code, out, log := badgerAt(t, at.AddDate(0, 0, n), args...)
		var d analysis.Drift
		if err := json.Unmarshal([]byte(out), &d); err != nil || len(d.Judges) != 1 || len(e.Calls()) != 32*(n+1) {
			t.Fatalf("exit %d after %d calls, %v\n%s%s", code, len(e.Calls()), err, out, log)
		}
		want := []string{analysis.FirstAsking, analysis.NoChangeShown, analysis.Changed}[n]
		if j := d.Judges[0]; j.Judge != "panel:duo" || j.Outcome != want || (code == exitGate) != (n == 2) {
			t.Errorf("asking %d: exit %d, %s by %s, want %s\n%s", n+1, code, j.Outcome, j.Judge, want, log)
		}
	}
}

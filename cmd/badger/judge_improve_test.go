//go:build !no_duckdb

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

const unitJudge = `kind: prompt
name: has_unit
version: 1
summary: Whether the answer names the unit of its amounts.
needs: [question, response]
range: [0, 1]
threshold: 1
prompt: |
  {{question}}
  {{response}}
  Is the answer complete?
schema: {type: object, properties: {complete: {type: boolean}}, required: [complete]}
result:
  value: 1 if reply.complete else 0
`

// writeUnitCases writes n labelled answers to as many questions. Those without a unit are labelled fail.
func writeUnitCases(t *testing.T, dir string, n int) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for i := range n {
		unit := []string{" tonnes", ""}[i%2]
		if err := e.Encode(map[string]any{"case_id": fmt.Sprintf("c%03d", i), "question": fmt.Sprintf("How much was loaded at berth %d?", i),
			"agent": map[string]any{"name": "atlas", "version": "1", "response": fmt.Sprintf("Berth %d loaded %d%s", i, 3*i, unit)},
			"human": map[string]any{"label": i%2 == 0, "note": fmt.Sprintf("the unit of berth %d", i)}}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "labelled.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// unitEndpoint is a model that passes every answer, and if it helps fails those without a unit once its prompt has examples
// or a criterion.
func unitEndpoint(t *testing.T, helps bool) *backendtest.Endpoint {
	return backendtest.NewEndpoint(t, func(c backendtest.Call) backendtest.Answer {
		_, word, _ := strings.Cut(c.Prompt, "Set the field nonce of your answer to ")
		word = strings.TrimRight(strings.FieldsFunc(word, func(r rune) bool { return r == ';' || r == ' ' })[0], ".")
		if strings.Contains(c.Prompt, "Disagreement 1") {
			return backendtest.Answer{TokensIn: 900, TokensOut: 90, Reply: fmt.Sprintf(
				`{"why": "units", "prompt": "{{question}}\n{{response}}\nPass it only if each amount has a unit.\n", "nonce": %q}`, word)}
		}
		judged := c.Prompt[max(0, strings.LastIndex(c.Prompt, "Answer of the agent")):]
		changed := strings.Contains(c.Prompt, "Example 1\n") || strings.Contains(c.Prompt, "has a unit")
		return backendtest.Answer{TokensIn: 400, TokensOut: 20, Reply: fmt.Sprintf(`{"complete": %t, "nonce": %q}`,
			!helps || !changed || strings.Contains(judged, "tonnes"), word)}
	})
}

// improveTest writes a judge with labelled answers, and returns the arguments that improve it.
func improveTest(t *testing.T, n int, e *backendtest.Endpoint) (dir string, args []string) {
	t.Helper()
	dir = t.TempDir()
	file := filepath.Join(dir, "has_unit.yaml")
	if err := os.WriteFile(file, []byte(unitJudge), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, []string{"judge", "improve", file, "--cases", writeUnitCases(t, dir, n), "--quiet", "--judge", "openai:gpt-4o",
		"--judge-url", e.URL(), "--judge-key-env", "JUDGE_KEY", "--ledger", filepath.Join(dir, "ledger.jsonl")}
}

// A better judge is found and written next to the old one, with its provenance. It works as any other. The ledger gives the
// same report and the same file.
func TestJudgeImprove(t *testing.T) {
	t.Parallel()
	e := unitEndpoint(t, true)
	dir, args := improveTest(t, 40, e)
	code, _, log := badger(t, args...)
	if code != exitUsage || len(e.Calls()) != 0 || !strings.Contains(log, "improve: 40 labelled answers, 2 proposals: at most 101 judge calls") ||
		!strings.Contains(log, "no budget for the judge calls") {
		t.Errorf("without a budget: exit %d after %d calls: %s", code, len(e.Calls()), log)
	}
	code, out, log := badger(t, append(args, "--json", "--budget", "2M")...)
	var r calibration.ImproveReport
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone || len(e.Calls()) != 101 {
		t.Fatalf("exit %d after %d calls, %v\n%s%s", code, len(e.Calls()), err, out, log)
	}
	// 20 answers are held out, 10 without a unit: all are fixed, 2/1024, times two proposals
	p := r.Proposals[0]
	if !r.Shown || r.Written != "has_unit.improved.yaml" || r.HeldOut.Answers != 20 || p.Fixed != 10 || p.Broken != 0 ||
		*p.P < 2.0/1024-1e-12 || *p.P > 2.0/1024+1e-12 || *p.Adjusted != 2**p.P || *p.Figures.Kappa != 1 || *r.Old.Accuracy != 0.5 ||
		p.Figures.Calls != 20 || p.Figures.TokensIn != 8000 || p.Figures.Money == "" || r.Proposals[1].Figures.Calls != 21 {
		t.Errorf("%s", out)
	}
	improved := filepath.Join(dir, "has_unit.improved.yaml")
	text := readFile(t, improved)
	for _, want := range []string{"version: 2", "examples:", "verdict: fail", "reason: the unit of berth", "seed: 1", r.Labels, r.Judge.Hash, "model: gpt-4o", "shown: true"} {
		if !strings.Contains(text, want) {
			t.Errorf("the new file has no %q:\n%s", want, text)
		}
	}
	if readFile(t, filepath.Join(dir, "has_unit.yaml")) != unitJudge {
		t.Error("the old file has changed")
	}

	// Nothing is overwritten; without a network, the ledger gives the same bytes.
	if code, _, log := badger(t, append(args, "--yes")...); code != exitUsage || !strings.Contains(log, "already exists") || len(e.Calls()) != 101 {
		t.Errorf("exit %d: %s", code, log)
	}
	again := filepath.Join(dir, "again.yaml")
	code, out2, log := badger(t, append(args, "--json", "--offline", "--out", again)...)
	if want := strings.Replace(out, r.Written, "again.yaml", 1); code != exitDone || out2 != want || readFile(t, again) != text || len(e.Calls()) != 101 {
		t.Errorf("exit %d after %d calls, expected the same bytes: %s\n%s", code, len(e.Calls()), out2, log)
	}
	if code, out, _ := badger(t, append(args, "--offline", "--out", filepath.Join(dir, "text.yaml"))...); code != exitDone ||
		!strings.Contains(out, "examples is better than the judge on labels held out: 10 fixed, 0 broken, p 0.0039") {
		t.Errorf("exit %d: %s", code, out)
	}

	// The new file is tested, promoted and run like any other.
	judge := args[5+1:]
	w := "duckdb:" + filepath.Join(dir, "w.duckdb")
	cases := filepath.Join(dir, "labelled.jsonl")
	if code, out, log := badger(t, append([]string{"judge", "test", improved, "--cases", cases, "--fail-under", "kappa=1"}, judge...)...); code != exitDone {
		t.Errorf("judge test: exit %d: %s%s", code, out, log)
	}
	if code, out, log := badger(t, append([]string{"judge", "promote", improved, "--to", w, "--cases", cases, "--fail-under", "kappa=1"}, judge...)...); code != exitDone {
		t.Errorf("judge promote: exit %d: %s%s", code, out, log)
	}
	if code, out, log := badger(t, append([]string{"run", "--cases", cases, "--to", w, "--metrics", "has_unit", "--quiet"}, judge...)...); code != exitDone {
		t.Errorf("run: exit %d: %s%s", code, out, log)
	}
}

// A model that decides the same with any prompt gives no improvement, and nothing is written unless it is requested.
func TestJudgeImprove_NotShown(t *testing.T) {
	t.Parallel()
	e := unitEndpoint(t, false)
	dir, args := improveTest(t, 40, e)
	code, out, log := badger(t, append(args, "--yes")...)
	found, _ := filepath.Glob(filepath.Join(dir, "*.improved.yaml"))
	if code != exitDone || len(found) != 0 || !strings.Contains(out, "no improvement is shown") || !strings.Contains(log, "nothing is written; --write-anyway writes examples") {
		t.Errorf("exit %d, %v: %s%s", code, found, out, log)
	}
	code, _, log = badger(t, append(args, "--yes", "--write-anyway")...)
	if text := readFile(t, filepath.Join(dir, "has_unit.improved.yaml")); code != exitDone || !strings.Contains(text, "shown: false") {
		t.Errorf("exit %d: %s\n%s", code, text, log)
	}
}

// The text of answers that proposals are measured on is in no example, and not in the request for another prompt.
func TestJudgeImprove_NoLeakage(t *testing.T) {
	t.Parallel()
	e := unitEndpoint(t, true)
	_, args := improveTest(t, 40, e)
	if code, out, log := badger(t, append(args, "--yes")...); code != exitDone {
		t.Fatalf("exit %d: %s%s", code, out, log)
	}
	berths := func(text string) (found []string) {
		for i := range 40 {
			if strings.Contains(text, fmt.Sprintf("Berth %d loaded", i)) || strings.Contains(text, fmt.Sprintf("berth %d?", i)) {
				found = append(found, fmt.Sprint(i))
			}
		}
		return found
	}
	var proposed, measured []string
	for _, c := range e.Calls() {
		before, after, example := strings.Cut(c.Prompt, "End of the examples.")
		switch {
		case example:
			proposed, measured = append(proposed, berths(before)...), append(measured, berths(after)...)
		case strings.Contains(c.Prompt, "Disagreement 1"):
			proposed = append(proposed, berths(c.Prompt)...)
		}
	}
	if len(proposed) == 0 || len(measured) != 30 {
		t.Fatalf("%d proposed, %d measured", len(proposed), len(measured))
	}
	for _, b := range proposed {
		if slices.Contains(measured, b) {
			t.Errorf("the text of berth %s is in a proposal, and the proposal is measured on it", b)
		}
	}
}

// A model whose rewritten prompt is invalid leaves the examples; a budget that is used up leaves nothing.
func TestJudgeImprove_Failures(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	e := backendtest.NewEndpoint(t, func(backendtest.Call) backendtest.Answer {
		n.Add(1)
		return backendtest.Answer{Reply: "no", TokensIn: 400, TokensOut: 20}
	})
	_, args := improveTest(t, 40, e)
	code, _, log := badger(t, append(args, "--yes", "--examples", "4")...)
	if code == exitDone || !strings.Contains(log, "the judge has no verdict on any labelled answer") || n.Load() > 2*10+1 {
		t.Errorf("exit %d after %d calls: %s", code, n.Load(), log)
	}
}

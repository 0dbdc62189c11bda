//go:build !no_duckdb

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// A judge that passes longer answers more often is found, with the size of its bias; its other probes show none. The calls
// are estimated before any is made.
func TestJudgeBias(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cases := writeCases(t, dir, 40, 40)
	e := backendtest.NewEndpoint(t, func(c backendtest.Call) backendtest.Answer {
		n, _ := strconv.Atoi(harbour.FindStringSubmatch(c.Prompt)[1])
		a := correct(c)
		if n%2 == 1 && !(n%4 == 1 && strings.Contains(c.Prompt, "end of this part of the text")) {
			a.Reply = strings.Replace(a.Reply, "true", "false", 1)
		}
		return a
	})
	config := filepath.Join(dir, "badger.yaml")
	if err := os.WriteFile(config, []byte("metrics: {options: {flex: {categories: false}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"judge", "bias", "--cases", cases, "--metrics", "flex", "--quiet", "--config", config, "--judge", "openai:m",
		"--judge-url", e.URL(), "--judge-key-env", "JUDGE_KEY", "--fail-on-bias"}
	at := time.Date(2025, 1, 1, 2, 0, 0, 0, time.UTC)
	code, _, log := badgerAt(t, at, args...)
	if code != exitUsage || !strings.Contains(log, "bias: 200 cases, 1 metric, 1 reply each: 200 judge calls or more") || len(e.Calls()) != 0 {
		t.Errorf("without a budget: exit %d after %d calls: %s", code, len(e.Calls()), log)
	}
	code, out, log := badgerAt(t, at, append(args, "--json", "--budget", "2M")...)
	var b analysis.Bias
	if err := json.Unmarshal([]byte(out), &b); err != nil || code != exitGate || len(b.Rows) != 4 || len(e.Calls()) != 200 {
		t.Fatalf("exit %d after %d calls, %v\n%s%s", code, len(e.Calls()), err, out, log)
	}
	for _, r := range b.Rows {
		// 10 of 40 flip, all towards pass: 2/1024, times three tests
		want := r.Probe == analysis.ProbeLength
		if r.Pairs != 40 || r.Biased != want || want && (r.ToPass != 10 || r.ToFail != 0 || r.Adjusted != 6.0/1024) {
			t.Errorf("%+v", r)
		}
	}
	if !strings.Contains(log, "gate failed: flex is biased by length: +25.0 pts (p 0.006)") {
		t.Errorf("the gate is not named: %s", log)
	}
	// Against its own noise only, the judge is steady; a preference would have to be reversed.
	code, out, log = badgerAt(t, at.AddDate(0, 0, 1), append(args, "--probes", "repeat,style", "--yes")...)
	if code != exitDone || !strings.Contains(out, "no bias shown") || !strings.Contains(log, "gate passed") {
		t.Errorf("exit %d\n%s%s", code, out, log)
	}
	code, out, _ = badgerAt(t, at.AddDate(0, 0, 2), append(args, "--probes", "position", "--preference", "--json", "--yes")...)
	if err := json.Unmarshal([]byte(out), &b); err != nil || b.Rows[0].Consistent != 0 {
		t.Errorf("exit %d: a verdict that stays when the answers change places shows no preference: %s", code, out)
	}
}

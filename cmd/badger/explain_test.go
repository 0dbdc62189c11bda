//go:build !no_duckdb

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const explainedCase = `{"case_id": "q1", "question": "Who earns most?", "gold": {"sql": "SELECT name, email, pay FROM staff WHERE pay > 10", "result": {"columns": ["name", "email", "pay"], "rows": [["Ada", "ada@example.org", 12.50], ["Bob", "bob@example.org", 11]]}}, "agent": {"name": "atlas", "version": "VERSION", "sql": "SELECT name, email, pay FROM staff", "result": {"columns": ["name", "mail", "pay"], "rows": [["ada", "ada@example.org", 12.75], ["Bob", "bob@example.org", 11]]}}}`

// explained is what --json prints, as far as the tests look at it.
type explained struct {
	CaseID  string `json:"case_id"`
	Version string `json:"agent_version"`
	Run     string `json:"eval_run_id"`
	Stored  bool   `json:"stored"`
	Score   struct {
		Metric string  `json:"metric"`
		Value  float64 `json:"value"`
	} `json:"score"`
	Scores []json.RawMessage `json:"scores"`
	Cells  struct {
		Total int `json:"total"`
		Page  []struct {
			Kind  string `json:"kind"`
			Cells []struct {
				State string                 `json:"state"`
				Gold  *struct{ Text string } `json:"gold"`
			} `json:"cells"`
		} `json:"page"`
	} `json:"cells"`
	Masked bool `json:"masked"`
}

func explain(t *testing.T, args ...string) explained {
	t.Helper()
	out, _ := must(t, append([]string{"explain", "--json"}, args...)...)
	var v explained
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestExplain(t *testing.T) {
	dir := t.TempDir()
	cases, scores, db := filepath.Join(dir, "cases.jsonl"), filepath.Join(dir, "scores.jsonl"), "duckdb:"+filepath.Join(dir, "scores.duckdb")
	one := strings.ReplaceAll(explainedCase, "VERSION", "1") + "\n"
	if err := os.WriteFile(cases, []byte(one+strings.ReplaceAll(explainedCase, "VERSION", "2")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "run", "-q", "--cases", cases, "--metrics", "hybrid_ex,ex_bird,relation", "--to", db, "--run-id", "r1", "--scores", scores)

	// By hand: of the two rows, matched by name and mail, one of six cells differs.
	for name, args := range map[string][]string{
		"computed now": {"--cases", cases}, "from a file of scores": {"--cases", cases, "--scores", scores}, "from a database": {"--cases", cases, "--db", db}, "from a run": {"--cases", cases, "--db", db, "--run", "r1"},
	} {
		v := explain(t, append(args, "--case", "q1", "--agent-version", "2", "--metric", "hybrid_ex", "--show", "all")...)
		if v.CaseID != "q1" || v.Version != "2" || !v.Stored || v.Score.Metric != "hybrid_ex" || v.Cells.Total != 2 || v.Run != map[bool]string{true: "r1"}[slices.Contains(args, "--db")] {
			t.Errorf("%s: %+v", name, v)
			continue
		}
		states := map[string]int{}
		for _, r := range v.Cells.Page {
			for _, c := range r.Cells {
				states[c.State]++
			}
		}
		if states["equal"] != 4 || states["mapped"] != 1 || states["differs"] != 1 {
			t.Errorf("%s: %v", name, states)
		}
	}
	out, _ := must(t, "explain", "--cases", cases, "--case", "q1", "--agent-version", "1", "--width", "80")
	for _, want := range []string{"case q1", "Who earns most?", "pay    ≠  pay", "12.5 ≠ 12.75", "{-WHERE pay > 10-}"} {
		if !strings.Contains(out, want) {
			t.Errorf("the terminal does not show %q:\n%s", want, out)
		}
	}
	if out, _ = must(t, "explain", "--cases", cases, "--case", "q1", "--agent-version", "1", "--layout", "cells", "--width", "80"); !strings.Contains(out, "+0.25") || !strings.Contains(out, "+2.000 %") {
		t.Errorf("the list of cells:\n%s", out)
	}

	// What is masked is in no output, whatever the answer calls it.
	for _, how := range [][]string{{"--json"}, {"--full"}, {"--layout", "cells", "--show", "all"}} {
		args := append([]string{"explain", "--cases", cases, "--db", db, "--case", "q1", "--agent-version", "1", "--mask", "email"}, how...)
		if out, _ := must(t, args...); strings.Contains(out, "example.org") || !strings.Contains(out, "Ada") {
			t.Errorf("%q: %s", how, out)
		}
	}
	config := filepath.Join(dir, "badger.yaml")
	if err := os.WriteFile(config, []byte("report: {masked: [name]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := explain(t, "--cases", cases, "--case", "q1", "--agent-version", "1", "--config", config); !v.Masked {
		t.Error("report.masked of the configuration does not count")
	}

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--case", "q1"}, "expected --db URL, --cases FILE or both"},
		{[]string{"--cases", cases, "--case", "q9"}, "has no case q9"},
		{[]string{"--cases", cases, "--case", "q1"}, "there are 2 answers to the case: agent atlas 1; agent atlas 2; choose one"},
		{[]string{"--db", db, "--cases", cases, "--case", "q1"}, "run r1 scored 2 answers to the case"},
		{[]string{"--db", db, "--case", "q1", "--agent-version", "1"}, "give the file that was scored with --cases"},
		{[]string{"--db", db, "--case", "q1", "--run", "r9"}, "--run: run r9 does not exist; "},
		{[]string{"--db", db, "--case", "q9"}, "no run has scores of the case q9"},
		{[]string{"--cases", cases, "--case", "q1", "--agent-version", "1", "--metric", "hybridex"}, "hybrid_ex"},
		{[]string{"--cases", cases, "--scores", scores, "--case", "q1", "--agent-version", "1", "--metric", "rose"}, `no score of the metric "rose"`},
		{[]string{"--cases", cases, "--case", "q1", "--run", "r1"}, "--run: expected --db"},
		{[]string{"--cases", cases, "--case", "q1", "--show", "wrong"}, "--show: "},
		{[]string{"--cases", cases, "--case", "q1", "--rows", "0"}, "--rows: 0"},
		{[]string{"--cases", cases, "--case", "q1", "--agent-version", "1", "--gold", "2"}, "gold: 2, expected 1 to 1"},
		{[]string{"--cases", cases, "--case", "q1", "--agent-version", "1", "--mask", " "}, "--mask: the value is empty"},
		{[]string{"--cases", cases, "--db", db, "--scores", scores, "--case", "q1"}, "expected one of them"},
	} {
		if code, out, log := badger(t, append([]string{"explain"}, c.args...)...); code != exitUsage || out != "" || !strings.Contains(log, c.want) {
			t.Errorf("%q: exit %d, %s%s\nwant %s", c.args, code, out, log, c.want)
		}
	}
}

// Every case of the demonstration is explained from its database.
func TestExplainDemo(t *testing.T) {
	db := demoDatabase(t)
	for _, id := range []string{"retail-01", "bank-07", "bank-13", "retail-20"} {
		v := explain(t, "--db", db, "--case", id, "--agent-version", "1.0")
		if v.CaseID != id || v.Run != "demo-atlas-1.0" || len(v.Scores) < 50 {
			t.Errorf("%s: %s %s, %d scores", id, v.CaseID, v.Run, len(v.Scores))
		}
	}
}

//go:build !no_duckdb

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/calibration"
)

// The table of policies on databases it was not made from. The bounds are what was reached less
// what a handful of cases may move: a change that falls below them made the relations, or the
// table, worse.
func TestPolicyOnDatabasesLeftOut(t *testing.T) {
	rosevec, flex := referenceFile(t, "rosevec"), referenceFile(t, "flex200")
	for _, tc := range []struct {
		why                       string
		args                      []string
		cases                     int
		precision, guess, verdict float64 // at least
		calls                     float64 // at most, of the judge for a case
		aloneAtMost, aloneAtLeast float64 // of the judge alone, as published
	}{
		{"o3", []string{"--answer", rosevec, "--backend", "o3"}, 183, 0.99, 0.78, 0.83, 0.63, 0.77, 0.75},
		{"deepseek-r1", []string{"--answer", rosevec, "--backend", "deepseek-r1"}, 183, 0.99, 0.78, 0.79, 0.63, 0.63, 0.61},
		{"gemini-2.5-pro", []string{"--answer", rosevec, "--backend", "gemini-2.5-pro"}, 183, 0.99, 0.78, 0.80, 0.68, 0.69, 0.68},
		{"the logic of the query", []string{"--logic", flex, "--judge", "flex", "--backend", "gpt-4o"}, 166, 0.98, 0.65, 0.83, 0.7, 0.84, 0.83},
	} {
		args := append([]string{"policy", "--json"}, tc.args...)
		folder := args[3]
		args[3] = filepath.Join(folder, "cases.jsonl")
		args = append(args, "--assessments", filepath.Join(folder, "assessments.jsonl"))
		code, out, log := badger(t, args...)
		if code != exitDone {
			t.Fatalf("%s: exit %d %s", tc.why, code, log)
		}
		var got struct {
			HeldOut []calibration.PolicyTrial `json:"held_out"`
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.HeldOut) != 1 {
			t.Fatalf("%s: %v %s", tc.why, err, out)
		}
		r := got.HeldOut[0]
		precision := float64(r.ByEvidence-r.WronglySo) / float64(r.ByEvidence)
		if r.Cases != tc.cases || precision < tc.precision || *r.Guess < tc.guess || *r.Verdict < tc.verdict || r.Calls > tc.calls {
			t.Errorf("%s: %d cases, precision %.3f, kappa %.3f by guess and %.3f with the judge at %.2f calls; want %+v", tc.why, r.Cases, precision, *r.Guess, *r.Verdict, r.Calls, tc)
		}
		if *r.JudgeAlone > tc.aloneAtMost || *r.JudgeAlone < tc.aloneAtLeast {
			t.Errorf("%s: kappa of the judge alone is %.3f, want %v to %v", tc.why, *r.JudgeAlone, tc.aloneAtLeast, tc.aloneAtMost)
		}
		t.Logf("%s: by evidence %d, wrongly %d; kappa %.3f by guess, %.3f with the judge at %.2f calls, %.3f of the judge alone at %.2f", tc.why, r.ByEvidence, r.WronglySo, *r.Guess, *r.Verdict, r.Calls, *r.JudgeAlone, r.CallsOfAlone)
	}
}

// The delivered table is what the target policy of the Makefile makes. By tables made from all other
// databases, evidence accepts almost none of the answers that people refused.
func TestDeliveredTableIsMadeFromLabels(t *testing.T) {
	data := filepath.Dir(referenceFile(t, "splash"))
	_, recipe, ok := strings.Cut(readFile(t, filepath.Join("..", "..", "Makefile")), "go run ./cmd/badger policy ")
	if !ok {
		t.Fatal("the Makefile does not say how the table is made")
	}
	recipe, _, _ = strings.Cut(recipe, "\n\n")
	var args []string
	out := filepath.Join(t.TempDir(), "table.tsv")
	page := filepath.Join(t.TempDir(), "labels.md")
	for _, a := range strings.Fields(strings.ReplaceAll(recipe, "\\\n", " ")) {
		switch a = strings.ReplaceAll(a, "$(DATA)", data); {
		case a == "scoring/policy/table.tsv":
			a = out
		case a == "docs/reference/labels.md":
			a = page
		case strings.HasPrefix(a, "scoring/"):
			a = filepath.Join("..", "..", a)
		}
		args = append(args, a)
	}
	code, report, log := badger(t, append([]string{"policy", "--json"}, args...)...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, log)
	}
	if readFile(t, out) != readFile(t, filepath.Join("..", "..", "scoring", "policy", "table.tsv")) {
		t.Error("scoring/policy/table.tsv is not what make policy writes")
	}
	if readFile(t, page) != readFile(t, filepath.Join("..", "..", "docs", "reference", "labels.md")) {
		t.Error("docs/reference/labels.md is not what make policy writes")
	}
	var got struct {
		HeldOut []calibration.PolicyTrial `json:"held_out"`
	}
	if err := json.Unmarshal([]byte(report), &got); err != nil {
		t.Fatal(err)
	}
	wrongAtMost := map[string]int{"maple/cases.jsonl": 1, "splash/cases.jsonl": 1}
	for _, r := range got.HeldOut {
		t.Logf("%s %s: by evidence %d of %d, wrongly %d", r.Policy, r.Source, r.ByEvidence, r.Cases, r.WronglySo)
		if r.Policy == "answer" && r.WronglySo > wrongAtMost[r.Source] {
			t.Errorf("%s: evidence accepts %d answers that people refused, want at most %d", r.Source, r.WronglySo, wrongAtMost[r.Source])
		}
	}
	if len(got.HeldOut) < 6 {
		t.Errorf("%d sources of labels", len(got.HeldOut))
	}
}

// A judge that agrees less with people than the table's guess is better not asked, which is said; a
// judge without a reply is not given a figure. Everything fits 80 columns.
func TestPolicySaysWhomNotToAsk(t *testing.T) {
	folder := referenceFile(t, "rosevec")
	for _, tc := range []struct {
		backend, judge string
		says           string // nothing: it is worth asking
	}{
		{"o3", "rose", ""},
		{"deepseek-r1-distill-qwen-32b", "rose", "!! asking rose@deepseek-r1-distill-qwen-32b agrees less with people than"},
		{"qwen3-235b", "rose", ""},
		{"o3", "flex", "!! there is no reply of flex@o3 to any of these cases"},
	} {
		code, out, log := badger(t, "policy", "--answer", filepath.Join(folder, "cases.jsonl"), "--assessments", filepath.Join(folder, "assessments.jsonl"), "--backend", tc.backend, "--judge", tc.judge)
		if code != exitDone || tc.says == "" && strings.Contains(out, "!!") || !strings.Contains(out, tc.says) {
			t.Errorf("%s: exit %d, want %q: %s%s", tc.backend, code, tc.says, out, log)
		}
		if strings.Contains(tc.says, "no reply") && strings.Contains(out, "alone") {
			t.Errorf("%s: a judge without a reply has a figure: %s", tc.backend, out)
		}
		for line := range strings.Lines(out) {
			if len(line) > 81 {
				t.Errorf("%d columns: %s", len(line)-1, line)
			}
		}
	}
}

// What is not labelled anew stays as delivered, and a table that was written is what the verdict
// goes by.
func TestPolicyTableIsUsed(t *testing.T) {
	dir := t.TempDir()
	cases := filepath.Join(dir, "cases.jsonl")
	line := `{"case_id": "a", "database": "d", "question": "q", "gold": {"sql": "SELECT a FROM t", "result": {"columns": ["a"], "rows": [[1], [2]]}}, "agent": {"name": "x", "version": "1", "sql": "SELECT b FROM t", "result": {"columns": ["b"], "rows": [[2], [1]]}}, "human": {"label": false}}` + "\n"
	if err := os.WriteFile(cases, []byte(strings.Repeat(line, 12)), 0o600); err != nil {
		t.Fatal(err)
	}
	table, config := filepath.Join(dir, "verdict.tsv"), filepath.Join(dir, "badger.yaml")
	if code, out, log := badger(t, "policy", "--answer", cases, "--out", table); code != exitDone || !regexp.MustCompile(`\n  same +0 of +12 `).MatchString(out) {
		t.Fatalf("exit %d: %s%s", code, out, log)
	}
	text := readFile(t, table)
	for line := range strings.Lines(readFile(t, filepath.Join("..", "..", "scoring", "policy", "table.tsv"))) {
		if strings.HasPrefix(line, "logic\t") && !strings.Contains(text, line) {
			t.Errorf("the rows of the other policy are not those delivered: %q is missing", line)
		}
	}
	if err := os.WriteFile(config, []byte("metrics: {verdict_table: '"+table+"'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	one := filepath.Join(dir, "one.jsonl")
	if err := os.WriteFile(one, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{{nil, `"status":"ok","value":1`}, {[]string{"--config", config}, `"status":"abstained"`}} {
		scores := filepath.Join(dir, "scores.jsonl")
		code, _, log := badger(t, append([]string{"run", "--cases", one, "--metrics", "verdict", "--no-to", "--quiet", "--scores", scores}, tc.args...)...)
		if got := readFile(t, scores); code != exitDone && code != exitFail || !strings.Contains(got, tc.want) {
			t.Errorf("%v: exit %d %s %s, want %s", tc.args, code, log, got, tc.want)
		}
	}
	empty, unknown := filepath.Join(dir, "empty.tsv"), filepath.Join(dir, "unknown.tsv")
	for path, text := range map[string]string{
		empty: "\n", unknown: "policy\trelation\tclass\tcases\taccepted\tgroups\tchance\tpasses\nanswer\tsame_columns_moved\tequivalent\t9\t9\t3\t0.95\tyes\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ why, table, says string }{
		{"no such file", filepath.Join(dir, "none.tsv"), "metrics.verdict_table"},
		{"no table", one, `metrics.verdict_table: file "one.jsonl": line 1: expected the header`},
		{"nothing in it", empty, `metrics.verdict_table: file "empty.tsv": the table has no rows`},
		{"an unknown relation", unknown, "line 2: column relation is \"same_columns_moved\", expected the name of a relation"},
	} {
		if err := os.WriteFile(config, []byte("metrics: {verdict_table: '"+tc.table+"'}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, log := badger(t, "run", "--cases", one, "--no-to", "--config", config); code != exitUsage || !strings.Contains(log, tc.says) {
			t.Errorf("%s: exit %d %s", tc.why, code, log)
		}
	}
}

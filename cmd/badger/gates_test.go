//go:build !no_duckdb

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/badger-eval/badger/internal/errcode"
)

// No gate passes over input without cases or scores: each flag that sets the exit code is tried on an empty file, and on
// a database without scores.
func TestGatesOnNothing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"required", "argument"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := "duckdb:" + filepath.Join(dir, "required.duckdb")
	if code, _, log := badger(t, "run", "--cases", "required", "--to", db); code != exitFail || !strings.Contains(log, "no cases") {
		t.Fatalf("exit %d: %s", code, log)
	}
	values := map[string]string{"M=V": "ex_bird=0.5", "M=N": "ex_bird=1", "F=V": "accuracy=0.5", "[M=]C": "ex_bird=0.5",
		"CURRENT,CANDIDATE": "rose@a,rose@b", "": ""}
	tried := map[string]int{}
	for n, flags := range leaves(t) {
		for _, f := range flags {
			if _, file := useOf(n.Path(), f.Value); file || !regexp.MustCompile(`\bExit with 1\b`).MatchString(f.Help) {
				continue // install --diff compares a warehouse
			}
			gate := "--" + f.Name
			if value, ok := values[f.PlaceHolder]; !ok && !f.IsBool() {
				t.Errorf("%s %s: no value for %s", n.Path(), gate, f.PlaceHolder)
			} else if value != "" {
				gate += "=" + value
			}
			for _, input := range [][]string{{"--scores", "required"}, {"--cases", "required"}, {"--db", db}, {"--source", db}} {
				of := slices.IndexFunc(flags, func(o *kong.Flag) bool { return "--"+o.Name == input[0] && o.PlaceHolder != "" })
				if of < 0 || n.Path() == "run" && input[0] == "--scores" {
					continue
				}
				args := given(n, flags, dir, append(input, gate)...)
				if code, out, log := badger(t, args...); code == exitDone {
					t.Errorf("%q: exit %d\n%s%s", args, code, out, log)
				}
				tried[f.Name]++
			}
		}
	}
	for _, name := range strings.Fields("fail-under min-coverage fail-on-drop max-broken fail-on-decline fail-on-drift fail-on-bias backbone") {
		if tried[name] == 0 {
			t.Errorf("--%s is not tried", name)
		}
	}
}

// Sentinel cases of the configuration about which no judge can be asked fail the gate on judges, as those of the flag do.
func TestDriftGateWithoutAJudge(t *testing.T) {
	dir := t.TempDir()
	cases, config := filepath.Join(dir, "cases.jsonl"), filepath.Join(dir, "badger.yaml")
	for path, text := range map[string]string{
		cases:  `{"case_id": "a", "gold": {"sql": "SELECT 1"}, "agent": {"sql": "SELECT 1"}}` + "\n",
		config: "sentinels: {cases: '" + cases + "'}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"run", "--quiet", "--cases", cases, "--metrics", "tree_match", "--to", "duckdb:" + filepath.Join(dir, "s.duckdb"), "--config", config}
	if code, _, log := badger(t, args...); code != exitDone {
		t.Errorf("without a gate: exit %d: %s", code, log)
	}
	if code, _, log := badger(t, append(args, "--fail-on-drift")...); code != exitUsage || !strings.Contains(log, "no judge is configured") {
		t.Errorf("exit %d: %s", code, log)
	}
}

// A share drops by at most 1; a mean may drop by more.
func TestDropOfAShare(t *testing.T) {
	for spec, usage := range map[string]bool{"hybrid_ex=5": true, "hybrid_ex=1": false, "latency_overhead=5": false, "x=5": false} {
		if _, err := (&changeGateFlags{FailOnDrop: []string{spec}}).changeGates(); errcode.IsUsage(err) != usage {
			t.Errorf("%s: %v, want a usage error: %v", spec, err, usage)
		}
	}
}

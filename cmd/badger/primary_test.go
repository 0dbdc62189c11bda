//go:build !no_duckdb

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
)

// One declared metric is the primary one of every command, and an unknown name is refused with the known ones.
func TestPrimaryIsDeclaredOnce(t *testing.T) {
	dir := t.TempDir()
	db := "duckdb:" + filepath.Join(dir, "scores.duckdb")
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	declared, unknown, elsewhere := file("declared.yaml", "metrics: {primary: ex_bird}\n"), file("unknown.yaml", "metrics: {primary: ex_brid}\n"),
		file("elsewhere.yaml", "metrics: {primary: refusal}\n")
	metrics := "hybrid_ex,ex_bird,row_f1"
	for batch, right := range map[string]int{"mon": 10, "tue": 3} {
		args := []string{"run", "-q", "--cases", nights(t, dir, batch, right, 1), "--metrics", metrics, "--to", db, "--run-id", batch, "--json"}
		if primary := primaryOf(t, append(args, "--config", declared)...); primary != "ex_bird" {
			t.Errorf("run: %q", primary)
		}
	}
	for _, command := range sample.Of([][]string{{"report", "--run", "tue"}, {"compare", "--from-batch", "mon", "--to-batch", "tue"}, {"compare", "--from-batch", "mon", "--to-batch", "tue", "--metrics", "row_f1"}, {"trend"}, {"failures"}}, 3) {
		args := append([]string{command[0], "--db", db, "--json"}, command[1:]...)
		for _, tc := range []struct {
			flags []string
			want  string
		}{
			{nil, "hybrid_ex"}, {[]string{"--config", declared}, "ex_bird"}, {[]string{"--primary", "row_f1"}, "row_f1"},
			{[]string{"--config", declared, "--primary", "hybrid_ex"}, "hybrid_ex"}, {[]string{"--config", elsewhere}, "hybrid_ex"}, // no scores of it
		} {
			if got := primaryOf(t, append(args, tc.flags...)...); got != tc.want {
				t.Errorf("%s %s: primary %q, want %q", command[0], tc.flags, got, tc.want)
			}
		}
		for want, flags := range map[string][]string{
			`--primary: metric "refusal" has no scores; these have: ex_bird, hybrid_ex, row_f1`:        {"--primary", "refusal"},
			`metrics.primary: unknown metric "ex_brid"; did you mean ex_bird? known are chart_match, `: {"--config", unknown},
		} {
			if code, _, log := badger(t, append(args, flags...)...); code != exitUsage || !strings.Contains(log, want) {
				t.Errorf("%s %s: exit %d, %s", command[0], flags, code, log)
			}
		}
	}
	for want, flags := range map[string][]string{`--primary: metric "refusal" has no scores`: {"--primary", "refusal"}, "metrics.primary: unknown metric": {"--config", unknown}} {
		if code, _, log := badger(t, append([]string{"run", "--cases", filepath.Join(dir, "mon.jsonl"), "--metrics", metrics, "--no-to"}, flags...)...); code != exitUsage || !strings.Contains(log, want) {
			t.Errorf("run: exit %d, %s", code, log)
		}
		if code, _, log := badger(t, append([]string{"view", "--db", db}, flags...)...); code != exitUsage || !strings.Contains(log, want) {
			t.Errorf("view: exit %d, %s", code, log)
		}
	}
}

// primaryOf returns the member primary of the JSON document that a command prints.
func primaryOf(t *testing.T, args ...string) string {
	t.Helper()
	code, out, log := badger(t, args...)
	var d struct {
		Primary string `json:"primary"`
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitDone {
		t.Errorf("%s: exit %d, %v, %s", strings.Join(args, " "), code, err, log)
	}
	return d.Primary
}

//go:build !no_duckdb

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/site/sitetest"
)

// TestQueueCommand makes queues, and takes labels through a file into them and out again.
func TestQueueCommand(t *testing.T) {
	db := "duckdb:" + sitetest.Small(t)
	of := func(command ...string) []string {
		return append([]string{"queue", command[0], "--db", db}, command[1:]...)
	}
	run := []string{"--run", "judged", "--agent-version", "2.0"}
	done := func(command ...string) string {
		t.Helper()
		code, out, log := badger(t, of(command...)...)
		if code != exitDone {
			t.Fatalf("%q: %d\n%s%s", command, code, out, log)
		}
		return out
	}
	if out := done("list"); !strings.Contains(out, "There are no queues") {
		t.Errorf("%s", out)
	}
	guideline := filepath.Join(t.TempDir(), "guideline.txt")
	if err := os.WriteFile(guideline, []byte("Be fair.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var q, all labelling.Overview
	if err := json.Unmarshal([]byte(done(append([]string{"new", "--filter", "hybrid_ex<1", "--blind", "--annotators", "2", "--order", "random", "--seed", "7", "--guideline", guideline, "--json"}, run...)...)), &q); err != nil {
		t.Fatal(err)
	}
	if q.Run != "judged" || q.Version != "2.0" || q.Annotators != 2 || !q.Blind || !q.Open || q.Order != "random" || q.Seed != 7 || q.Cases < 2 {
		t.Errorf("%+v", q)
	}
	if err := json.Unmarshal([]byte(done(append([]string{"new", "--json"}, run...)...)), &all); err != nil || all.Cases <= q.Cases {
		t.Errorf("all of %d cases, hybrid_ex below 1 of %d: %v", all.Cases, q.Cases, err)
	}
	var listed labelling.Overview
	if err := json.Unmarshal([]byte(done(append([]string{"new", "--list", "mode=failed&page=3", "--cases", "1", "--json"}, run...)...)), &listed); err != nil || listed.Cases != 1 {
		t.Errorf("%+v, %v", listed, err)
	}

	file := filepath.Join(t.TempDir(), "labels.jsonl")
	lines := `{"case_id": "bank-01", "agent": {"name": "atlas", "version": "2.0", "batch_id": "` + sitetest.Rerun + `"}, "human": {"votes": {"kim": "pass", "lee": "fail"}}}` + "\n"
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := done("import", file, "--queue", all.ID); out != "2 labels in 1 line, 2 new\n" {
		t.Errorf("import: %s", out)
	}
	exported := done("export", "--queue", all.ID)
	if err := os.WriteFile(file, []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := done("import", file); out != "2 labels in 1 line, 0 new\n" || done("export", "--queue", all.ID) != exported || !strings.Contains(exported, `"kim":"pass"`) {
		t.Errorf("import of what was exported: %s\n%s", out, exported)
	}
	if whole := done("export"); strings.Count(whole, "\n") <= 1 { // the store has rows in human_labels
		t.Errorf("all labels: %s", whole)
	}
	unknown := fileOf(t, strings.ReplaceAll(lines, "bank-01", "bank-99"))
	if code, _, log := badger(t, of("import", unknown)...); code == exitDone || !strings.Contains(log, "1 of 1 lines name answers that the database does not have, the first in line 1") || !strings.Contains(log, "--unknown") {
		t.Errorf("unknown answers: %d\n%s", code, log)
	}
	if out := done("import", unknown, "--unknown"); out != "2 labels in 1 line, 2 new\n" {
		t.Errorf("unknown answers that are meant: %s", out)
	}
	done("close", q.ID)
	var queues []labelling.Overview
	if err := json.Unmarshal([]byte(done("list", "--json")), &queues); err != nil || len(queues) != 3 {
		t.Fatalf("%+v, %v", queues, err)
	}
	for _, is := range queues {
		if is.Open != (is.ID != q.ID) || is.Progress == nil || is.ID == all.ID && (is.Progress.Conflicting != 1 || is.Progress.Left != all.Cases-1) {
			t.Errorf("%+v %+v", is, is.Progress)
		}
	}

	for want, command := range map[string][]string{
		"choose one with --agent":    {"new", "--run", "judged-1.0", "--agent", "nobody"},
		"there is no run":            {"new", "--run", "x"},
		"--list includes":            append([]string{"new", "--list", "mode=all", "--mode", "failed"}, run...),
		`mode: "best" is not a mode`: append([]string{"new", "--mode", "best"}, run...),
		`filter: "hybrid_ex"`:        append([]string{"new", "--filter", "hybrid_ex"}, run...),
		"--annotators: expected a whole number of at least 1, found 0": append([]string{"new", "--annotators", "0"}, run...),
		"options: expected 2 to 9":                                     append([]string{"new", "--options", "pass"}, run...),
		"--guideline":                                                  append([]string{"new", "--guideline", file + ".not"}, run...),
		"there is no queue":                                            {"close", "x"},
		"queue: there is no queue":                                     {"export", "--queue", "x"},
		`"kim" says "banana"`:                                          {"import", fileOf(t, strings.ReplaceAll(lines, `"kim": "pass"`, `"kim": "banana"`))},
		"nowhere.jsonl":                                                {"import", "nowhere.jsonl"},
		"line 1: case: case_id is missing":                             {"import", fileOf(t, `{}`)},
	} {
		if code, _, log := badger(t, of(command...)...); code != exitUsage || !strings.Contains(log, want) {
			t.Errorf("%q: %d, want %s\n%s", command, code, want, log)
		}
	}
}

// TestQueueOfAnswersThatAreGone holds that no queue is made of answers of which the database holds only
// the scores, as a run over a file leaves them, and that it is said how many are left out.
func TestQueueOfAnswersThatAreGone(t *testing.T) {
	store := sitetest.Small(t)
	make := func(t *testing.T, gone string) (int, string, string) {
		t.Helper()
		w := sitetest.Open(t, store)
		if err := w.Exec(t.Context(), "DELETE FROM badger.agent_runs"+gone); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return badger(t, "queue", "new", "--db", "duckdb:"+store, "--run", "judged", "--agent-version", "2.0")
	}
	if code, out, log := make(t, " WHERE case_id IN ('bank-01', 'bank-02')"); code != exitDone || !strings.Contains(log, "2 of ") || !strings.Contains(log, "left out") || !strings.Contains(out, "queue ") {
		t.Errorf("%d %s %s", code, out, log)
	}
	if code, out, log := make(t, ""); code == exitDone || !strings.Contains(log, "has no row of any of the answers of the ") || out != "" {
		t.Errorf("%d %s %s", code, out, log)
	}
}

func fileOf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

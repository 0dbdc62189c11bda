package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestImportTraces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := `{"metadata": {"case": "q1"}, "messages": [{"role": "user", "content": "How many?"}, {"role": "assistant", "content": "9"}]}` + "\n"
	bad := file("bad.jsonl", good+strings.Repeat(`{"verb": 1}`+"\n", 30))
	golden := file("golden.jsonl", "\xef\xbb\xbf"+`  {"case_id": "q1", "question": "How many?", "gold": {"sql": "SELECT 1"}}`+"\n")
	for name, x := range map[string]struct {
		args   []string
		code   int
		stdout string
		stderr string
		listed int
	}{
		"all read":         {[]string{file("good.jsonl", good), "--out", "-", "--golden", golden}, exitDone, `{"case_id":"q1","question":"How many?","gold":{"sql":"SELECT 1"},"agent":{"response":"9","tool_calls":[]`, "1 answer written", 0},
		"unreadable":       {[]string{bad, "--out", "-"}, exitGate, `"response":"9"`, "!! and 10 more; list them with --check", 20},
		"check lists all":  {[]string{bad, "--check"}, exitGate, "      30  unreadable", "bad.jsonl:31: unknown record", 30},
		"a golden set":     {[]string{file("bird.jsonl", `{"question_id": 1, "db_id": "a", "question": "Q?", "SQL": "SELECT 1"}`), "--check"}, exitFail, "no answer in the files\n       1  unreadable", "bird.jsonl:1: no trace, but in the form of BIRD, which badger import bird reads", 0},
		"no key":           {[]string{file("keyless.jsonl", strings.Replace(good, "case", "cse", 1)), "--out", "-", "--case-id", "case"}, exitDone, "", "       1  without the key of --case-id; the case is found by the question", 0},
		"one page":         {[]string{file("page.json", `{"data": [`+strings.TrimSpace(good)+`], "meta": {"totalItems": 3}}`), "--check"}, exitDone, "       2  missing records; see the note", "", 0},
		"nothing is read":  {[]string{file("none.jsonl", `{"verb": 1}`), "--out", filepath.Join(dir, "none.out")}, exitFail, "", "no answer found", 1},
		"empty":            {[]string{file("empty.jsonl", ""), "--check"}, exitFail, "", "no answer found", 0},
		"golden not valid": {[]string{file("good.jsonl", good), "--out", "-", "--golden", file("golden.csv", "case_id,question\n")}, exitUsage, "", "--golden: golden.csv: expected one JSON object a line", 0},
	} {
		var stdout, stderr strings.Builder
		code := run(t.Context(), append([]string{"import", "traces"}, x.args...),
			process{getenv: func(string) string { return "" }, stdout: &stdout, stderr: &stderr})
		if code != x.code || !strings.Contains(stdout.String(), x.stdout) || !strings.Contains(stderr.String(), x.stderr) ||
			strings.Count(stderr.String(), "unknown record") != x.listed {
			t.Errorf("%s: exit code %d\n%s\n%s", name, code, stdout.String(), stderr.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none.out")); err == nil {
		t.Error("a file without answers was written")
	}
}

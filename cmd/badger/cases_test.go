//go:build !no_duckdb

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pipeOf is the name of a pipe that gives a text once, as standard input does.
func pipeOf(t *testing.T, text string) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	name := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip("this system has no names for open files")
	}
	if _, err := w.WriteString(text); err != nil { // less than a pipe holds
		t.Fatal(err)
	}
	_ = w.Close()
	return name
}

// Run, policy, judge test and calibrate open cases alike, from a file, a pipe and a warehouse: they find the
// same cases there, and refuse a place with the same words and exit code. A file's error names the flag.
func TestCommandsOpenCasesAlike(t *testing.T) {
	const one, two = `{"columns":[{"name":"n","type":"integer"}],"rows":[[1]]}`, `{"columns":[{"name":"n","type":"integer"}],"rows":[[2]]}`
	const line = `{"case_id":"%s","question":"how many?","gold":{"sql":"SELECT 1","result":%s},"agent":{"name":"nova","version":"%s","batch_id":"mon","sql":"SELECT 1","result":%s},"human":{"label":%t}}` + "\n"
	cases := fmt.Sprintf(line, "a", one, "1", one, true) + fmt.Sprintf(line, "b", one, "1", two, false) + fmt.Sprintf(line, "c", one, "2", one, true)
	dir := t.TempDir()
	file, bare := filepath.Join(dir, "c.jsonl"), "duckdb:"+filepath.Join(dir, "bare.duckdb")
	if err := os.WriteFile(file, []byte(cases), 0o600); err != nil {
		t.Fatal(err)
	}
	url := "duckdb:" + filepath.Join(dir, "w.duckdb")
	withTables(t, url)
	execute(t, bare, "CREATE TABLE other (n INTEGER)")
	execute(t, url, "INSERT INTO badger.golden_set (case_id, question, gold_sql, gold_result, set_version) SELECT unnest(['a', 'b', 'c']), 'how many?', 'SELECT 1', '"+one+"', '7'",
		"INSERT INTO badger.agent_runs (case_id, agent_name, agent_version, batch_id, sql, result) VALUES ('a', 'nova', '1', 'mon', 'SELECT 1', '"+one+"'), ('b', 'nova', '1', 'mon', 'SELECT 1', '"+two+"'), ('c', 'nova', '2', 'mon', 'SELECT 1', '"+one+"')",
		"INSERT INTO badger.human_labels (case_id, agent_name, agent_version, batch_id, annotator, verdict) VALUES ('a', 'nova', '1', 'mon', 'kim', 'pass'), ('b', 'nova', '1', 'mon', 'kim', 'fail'), ('c', 'nova', '2', 'mon', 'kim', 'pass')")
	if code, _, log := badger(t, "judge", "new", "short", "--dir", dir); code != exitDone {
		t.Fatalf("exit %d: %s", code, log)
	}

	commands := []struct {
		name            string
		args            []string
		file, warehouse string // the flags
		found           string // what the output says of two cases, and of three
	}{
		{"run", []string{"run", "--no-to", "--quiet", "--metrics", "ex_bird"}, "--cases", "--source", "nova 1 passes ex_bird on 1 of 2 cases|nova 2 passes ex_bird on 1 of 1 case"},
		{"judge test", []string{"judge", "test", filepath.Join(dir, "short.star")}, "--cases", "--source", "2 cases, 2 not applicable|3 cases, 3 not applicable"},
		{"calibrate", []string{"calibrate", "--quiet", "--metrics", "ex_bird", "--resamples", "10"}, "--cases", "--source", "2 labelled cases|3 labelled cases"},
		{"policy --answer", []string{"policy"}, "--answer", "--answer", "on 2 labelled cases|on 3 labelled cases"},
		{"policy --logic", []string{"policy"}, "--logic", "--logic", "on 2 labelled cases|on 3 labelled cases"},
		{"policy --chosen", []string{"policy"}, "--chosen", "", "on 2 labelled cases|on 3 labelled cases"},
	}
	for _, tc := range []struct {
		why       string
		place     func() string
		warehouse bool
		args      []string // which policy does not have
		found     int      // cases
		code      int
		says      string // in place of cases; FLAG is the flag of a file
	}{
		{why: "a file", place: func() string { return file }, found: 3},
		{why: "a pipe", place: func() string { return pipeOf(t, cases) }, found: 3},
		{why: "a warehouse", place: func() string { return url }, warehouse: true, found: 3},
		{why: "a version in a file", place: func() string { return file }, args: []string{"--agent-version", "1"}, found: 2},
		{why: "a version in a pipe", place: func() string { return pipeOf(t, cases) }, args: []string{"--agent-version", "1"}, found: 2},
		{why: "a version in a warehouse", place: func() string { return url }, warehouse: true, args: []string{"--agent-version", "1"}, found: 2},
		{why: "a version of the golden set", place: func() string { return url }, warehouse: true, args: []string{"--set-version", "7"}, found: 3},
		{why: "no such file", place: func() string { return filepath.Join(dir, "none.jsonl") }, code: exitUsage, says: `FLAG: file "` + filepath.Join(dir, "none.jsonl") + `" does not exist`},
		{why: "a dash, which is a name", place: func() string { return "-" }, code: exitUsage, says: `FLAG: file "-" does not exist; cases are read twice, so write standard input to a file first`},
		{why: "a version of the golden set of a file", place: func() string { return file }, args: []string{"--set-version", "7"}, code: exitUsage, says: "--set-version: expected --source URL with it; a file holds no versions of the golden set"},
		{why: "an empty version of the golden set", place: func() string { return file }, args: []string{"--set-version", ""}, code: exitUsage, says: "--set-version: the value is empty"},
		{why: "no such warehouse", place: func() string { return "duckdb:" + filepath.Join(dir, "none.duckdb") }, warehouse: true, code: exitFail, says: `duckdb: database "none.duckdb" does not exist`},
		{why: "a warehouse without tables", place: func() string { return bare }, warehouse: true, code: exitFail, says: "reading cases: there is no table or view badger.agent_runs"},
		{why: "no such version of the golden set", place: func() string { return url }, warehouse: true, args: []string{"--set-version", "8"}, code: exitUsage, says: `--set-version: badger.golden_set has no version "8"; it has 7`},
	} {
		for _, c := range commands {
			flag := c.file
			if tc.warehouse {
				flag = c.warehouse
			}
			if flag == "" || c.args[0] == "policy" && len(tc.args) > 0 {
				continue
			}
			code, out, log := badger(t, slices.Concat(c.args, tc.args, []string{flag, tc.place()})...)
			ofTwo, ofThree, _ := strings.Cut(c.found, "|")
			want, in := ofTwo, out
			if tc.found == 3 {
				want = ofThree
			}
			if tc.warehouse && c.name == "run" { // its golden set has three questions, and a missing answer is wrong
				want = strings.NewReplacer("of 2 cases", "of 3 cases", "of 1 case", "of 3 cases").Replace(want)
			}
			if tc.code != exitDone {
				want, in = strings.ReplaceAll(tc.says, "FLAG", flag), log
			}
			if code != tc.code || !strings.Contains(in, want) {
				t.Errorf("%s: %s: exit %d, want %d and %q:\n%s%s", c.name, tc.why, code, tc.code, want, out, log)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none.duckdb")); err == nil {
		t.Error("a warehouse that was only to be read was made")
	}
}

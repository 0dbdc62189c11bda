//go:build !no_sqlite && !no_duckdb

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// spiderLike makes databases as Spider has them: DIR/NAME/NAME.sqlite.
const spiderLike = `
import os, sqlite3, sys
def make(name, script):
    os.makedirs(name)
    c = sqlite3.connect("%s/%s.sqlite" % (name, name))
    c.executescript(script)
    c.close()
make("concert", """CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INT, joined DATE);
INSERT INTO singer VALUES (1, 'Ana', 'Spain', 30, '2020-01-02'), (2, 'Bob', 'France', 41, '2019-05-06'), (3, 'Chloé', 'France', 25, NULL);
CREATE TABLE price (id INTEGER, amount DECIMAL(10, 2)); INSERT INTO price VALUES (1, 10), (2, 10.5), (3, 7);""")
school = "PRAGMA journal_mode = WAL; CREATE TABLE pupil (id INTEGER PRIMARY KEY, grade TEXT); INSERT INTO pupil VALUES (1, 'A'), (2, 'B'), (3, 'B');"
make("school", school)
make("linked", school)
os.makedirs("../elsewhere")
os.rename("linked", "../elsewhere/linked")
os.symlink("../elsewhere/linked", "linked")
`

func TestRunExecutesOnSQLite(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 not found")
	}
	dir := t.TempDir()
	databases := filepath.Join(dir, "databases")
	if err := os.Mkdir(databases, 0o700); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "-c", spiderLike)
	c.Dir = databases
	if out, err := c.CombinedOutput(); err != nil {
		t.Skipf("python3 with sqlite3 failed: %v, %s", err, out)
	}
	text, want := "", map[string]string{}
	for _, tc := range []struct{ id, database, gold, agent, want string }{
		{"right, with a string in double quotes", "concert", `SELECT name FROM singer WHERE country = "France"`, "SELECT name FROM singer WHERE country = 'France'", "1 1"},
		{"wrong", "concert", "SELECT count(*) FROM singer", "SELECT count(*) FROM singer WHERE age > 26", "0 1"},
		{"a date is a text", "concert", "SELECT joined FROM singer", "SELECT date(joined) FROM singer", "1 1"},
		{"integers next to doubles", "concert", "SELECT amount FROM price", "SELECT amount * 1.0 FROM price", "1 1"},
		{"another database, in WAL mode", "school", "SELECT grade, count(*) FROM pupil GROUP BY grade", "SELECT grade, count(id) FROM pupil GROUP BY 1", "1 1"},
		{"no such table", "concert", "SELECT amount FROM price", "SELECT amount FROM prices", "0 0"},
		{"no such function", "concert", "SELECT amount FROM price", "SELECT to_char(amount) FROM price", "0 0"},
		{"a syntax error", "concert", "SELECT amount FROM price", "SELEC amount FROM price", "0 0"},
		{"writes", "concert", "SELECT amount FROM price", "DELETE FROM price", "0 0"},
		{"tells of the host", "concert", "SELECT 1", "SELECT file FROM pragma_database_list", "0 0"},
		{"endless", "concert", "SELECT 1", "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r", "0 0"},
		{"a database elsewhere", "../elsewhere/linked", "SELECT 1", "SELECT 1", "failed not_applicable"},
		{"a link out of the directory", "linked", "SELECT count(*) FROM pupil", "SELECT 3", "failed not_applicable"},
		{"no such database", "none", "SELECT 1", "SELECT 1", "failed not_applicable"},
	} {
		line, err := json.Marshal(map[string]any{"case_id": tc.id, "database": tc.database, "question": "?", "gold": map[string]any{"sql": tc.gold}, "agent": map[string]any{"sql": tc.agent}})
		if err != nil {
			t.Fatal(err)
		}
		text += string(line) + "\n"
		want[tc.id] = tc.want
	}
	cases, scores := filepath.Join(dir, "cases.jsonl"), filepath.Join(dir, "scores.jsonl")
	if err := os.WriteFile(cases, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(more ...string) (int, string) {
		code, _, log := badger(t, append([]string{"run", "--cases", cases, "--metrics", "ex_bird,syntactic_accuracy", "--quiet", "--snapshots", "none", "--execute-timeout", "1s"}, more...)...)
		return code, log
	}
	if code, log := run("--no-to", "--scores", scores, "--execute", "sqlite:"+databases+"/{database}/{database}.sqlite"); code != exitDone {
		t.Fatalf("exit %d: %s", code, log)
	}
	scored(t, scores, want)
	if code, log := run("--to", "sqlite:"+dir+"/scores.sqlite"); code == exitDone || !strings.Contains(log, "badger reads SQLite databases and does not write to them") {
		t.Errorf("--to: exit %d, %s", code, log)
	}
	files, err := filepath.Glob(databases + "/*/*")
	if err != nil || len(files) != 3 { // concert, school, and the one by the link
		t.Errorf("files next to the databases: %v", files)
	}
}

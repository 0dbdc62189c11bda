package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/imports/golden"
)

// pageFile matches a file on docs/eval/import.md: its name in a line, and its text in a block.
var pageFile = regexp.MustCompile("(?ms)^`([^`\n]+)`:\n\n```[a-z]*\n(.*?)^```\n")

// invoked runs a command in a build with any connectors.
func invoked(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, log strings.Builder
	code = run(t.Context(), args, process{getenv: func(string) string { return "" }, stdout: &out, stderr: &log, now: time.Now})
	return code, out.String(), log.String()
}

// The commands of docs/eval/import.md run on the files of the page, one after the other, without a problem.
func TestImportPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "eval", "import.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, f := range pageFile.FindAllStringSubmatch(string(page), -1) {
		if err := os.MkdirAll(filepath.Dir(f[1]), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f[1], []byte(f[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	databases := exec.Command("python3", "-c", `
import os, sqlite3
os.makedirs("dev_databases/shop")
c = sqlite3.connect("dev_databases/shop/shop.sqlite")
c.executescript("CREATE TABLE customers (id INT, name TEXT, country TEXT); INSERT INTO customers VALUES (1, 'Ana', 'Spain'), (2, 'Bob', 'France')")
c.close()`).Run() == nil && leftOut["sqlite"] == ""
	commands := shownCommands(t, "docs/eval/import.md", string(page))
	if len(commands) < 20 {
		t.Fatalf("%d commands on the page", len(commands))
	}
	for _, c := range commands {
		line, args := c.line, c.args
		if (strings.Contains(line, "sqlite:") || strings.Contains(line, "duckdb:")) && !databases {
			continue
		}
		code, stdout, log := invoked(t, args...)
		if code != exitDone {
			t.Errorf("%s: exit code %d\n%s\n%s", line, code, stdout, log)
		}
		if args[0] == "import" && !strings.Contains(stdout, "next: ") && !strings.Contains(line, "--check") {
			t.Errorf("%s names no next command:\n%s", line, stdout)
		}
	}
	if before, err := os.ReadFile("cases.jsonl"); err != nil || strings.Count(string(before), "\n") != 2 {
		t.Errorf("cases.jsonl: %s, %v", before, err)
	}
	if databases {
		_, out, _ := invoked(t, "run", "--cases", "cases.jsonl", "--execute", "sqlite:dev_databases/{database}/{database}.sqlite", "--no-to", "--metrics", "ex_bird", "--fail-under", "ex_bird=0.9")
		if !strings.Contains(out, "50.0%") {
			t.Errorf("one of two answers is right:\n%s", out)
		}
	}
}

// The exit codes of an import are those of docs/eval/import.md.
func TestImportGolden(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := `{"question_id": 1, "db_id": "a b", "question": "How many?", "SQL": "SELECT 1"}` + "\n"
	bad := file("bad.jsonl", good+strings.Repeat(`{"question_id": 2}`+"\n", 25))
	set := file("good.jsonl", good)
	for name, x := range map[string]struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		"good":               {[]string{"bird", set, "--out", "-"}, exitDone, `{"case_id":"1","question":"How many?","database":"a b","dialect":"sqlite","gold":{"sql":"SELECT 1"}}` + "\n", "1 case written to -"},
		"some are bad":       {[]string{"bird", bad, "--out", filepath.Join(dir, "out.jsonl")}, exitGate, "1 case written to ", "!! bad.jsonl:2: question is missing: expected a question\n"},
		"20 are listed":      {[]string{"bird", bad, "--out", filepath.Join(dir, "out2.jsonl")}, exitGate, "", "!! and 5 more; list them with --check"},
		"all are listed":     {[]string{"bird", bad, "--check"}, exitGate, "checked; nothing was written", "bad.jsonl:26: question is missing"},
		"none is good":       {[]string{"bird", file("none.jsonl", `{"a": 1}`), "--out", filepath.Join(dir, "none.out")}, exitFail, "", "no case found; expected BIRD as docs/eval/import.md describes it"},
		"no target":          {[]string{"bird", set}, exitUsage, "", "expected --out FILE or --check"},
		"no file":            {[]string{"bird", filepath.Join(dir, "missing"), "--check"}, exitUsage, "", "does not exist"},
		"a wrong map":        {[]string{"mlflow", set, "--check", "--map", "questoin=a"}, exitUsage, "", "--map: expected KEY=MEMBER"},
		"a wrong dialect":    {[]string{"bird", set, "--check", "--dialect", "mysq"}, exitUsage, "", "--dialect: expected one of bigquery"},
		"a wrong delimiter":  {[]string{"csv", set, "--check", "--delimiter", "::"}, exitUsage, "", "--delimiter: expected one character"},
		"an unknown form":    {[]string{"export", "--cases", set, "--to", "excel", "--out", "-"}, exitUsage, "", "--to: expected one of bird, cortex-analyst"},
		"not a case file":    {[]string{"export", "--cases", set, "--to", "bird", "--out", filepath.Join(dir, "x")}, exitFail, "", "case_id is missing"},
		"results without ID": {[]string{"csv", file("noid.csv", "question,gold_sql\nA?,SELECT 1\n"), "--check", "--gold-results", dir}, exitUsage, "", "expected an ID in each record"},
	} {
		args := x.args
		if args[0] != "export" {
			args = append([]string{"import"}, args...)
		}
		code, stdout, log := invoked(t, args...)
		if code != x.code || !strings.Contains(stdout, x.stdout) || !strings.Contains(log, x.stderr) {
			t.Errorf("%s: exit code %d, want %d\n%s\n%s", name, code, x.code, stdout, log)
		}
	}
	for _, name := range []string{"none.out", "x"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// A file that is read is never replaced, under any of its names; others are.
func TestOutIsNotAnInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	texts := map[string]string{
		"set.csv": "id,question,gold_sql\n1,Q?,SELECT 1\n", "pred.csv": "id,sql\n1,SELECT 1\n", "want/1.csv": "n\n1\n",
		"want/notes.md": "x", "cases.jsonl": `{"case_id": "1", "question": "Q?", "gold": {"sql": "SELECT 1"}}` + "\n",
		"traces.jsonl": `{"messages": [{"role": "user", "content": "Q?"}, {"role": "assistant", "content": "1"}]}` + "\n",
		"old.jsonl":    "old\n",
	}
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("set.csv", filepath.Join(dir, "link.csv")), os.Link(filepath.Join(dir, "cases.jsonl"), filepath.Join(dir, "hard.jsonl"))); err != nil {
		t.Fatal(err)
	}
	csv := "import csv set.csv --predictions pred.csv --gold-results want --out "
	for _, x := range []struct {
		command string
		code    int
		says    string
	}{
		{csv + "set.csv", exitUsage, "is read by this command"}, {csv + "want/../set.csv", exitUsage, "is read by this command"},
		{csv + "link.csv", exitUsage, "is read by this command"}, {csv + "pred.csv", exitUsage, "is read by this command"},
		{csv + "want/1.csv", exitUsage, "is read by this command"}, {csv + "want", exitUsage, "is a folder"},
		{csv + "old.jsonl", exitDone, ""}, {csv + "want/notes.md", exitDone, ""}, {csv + "new.jsonl", exitDone, ""},
		{"import traces traces.jsonl --golden cases.jsonl --out cases.jsonl", exitUsage, "is read by this command"},
		{"import traces traces.jsonl --golden cases.jsonl --out hard.jsonl", exitUsage, "is read by this command"},
		{"import traces traces.jsonl --golden cases.jsonl --out traces.jsonl", exitUsage, "is read by this command"},
		{"import traces traces.jsonl --golden cases.jsonl --out answers.jsonl", exitDone, ""},
		{"export --cases cases.jsonl --to bird --out hard.jsonl", exitUsage, "is read by this command"},
		{"export --cases cases.jsonl --to bird --out bird.json", exitDone, ""},
	} {
		args := strings.Fields(x.command)
		for i, word := range args {
			if strings.Contains(word, ".") || word == "want" {
				args[i] = filepath.Join(dir, filepath.FromSlash(word))
				if strings.Contains(word, "..") {
					args[i] = dir + "/" + word
				}
			}
		}
		if code, stdout, log := invoked(t, args...); code != x.code || !strings.Contains(log, x.says) {
			t.Errorf("%s: exit code %d, want %d\n%s\n%s", x.command, code, x.code, stdout, log)
		}
	}
	for name, text := range texts {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if replaced := name == "old.jsonl" || name == "want/notes.md"; err != nil || (string(got) != text) != replaced {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
}

// --check --run says which gold queries fail, cannot be run, or give nothing, with the lines of their records.
func TestCheckRunsGolds(t *testing.T) {
	t.Parallel()
	if leftOut["sqlite"] != "" {
		t.Skip(leftOut["sqlite"])
	}
	dir := t.TempDir()
	if err := exec.Command("python3", "-c", `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1] + "/shop.sqlite")
c.executescript("CREATE TABLE customers (id INT, country TEXT); INSERT INTO customers VALUES (1, 'Spain')")
c.close()`, dir).Run(); err != nil {
		t.Skip("no Python with SQLite")
	}
	record := func(id int, database, sql string) string {
		return fmt.Sprintf(`{"question_id": %d, "db_id": %q, "question": "Q%d?", "SQL": %q}`+"\n", id, database, id, sql)
	}
	set := filepath.Join(dir, "dev.jsonl")
	good := record(1, "shop", "SELECT COUNT(*) FROM customers")
	write := func(text string) {
		if err := os.WriteFile(set, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	url := "sqlite:" + dir + "/{database}.sqlite"
	write(good + record(2, "shop", "SELECT id FROM customers WHERE country = 'Peru'") + record(3, "shop", "SELECT nope FROM customers") +
		record(4, "shop", "DROP TABLE customers") + record(5, "bank", "SELECT 1"))
	code, stdout, log := invoked(t, "import", "bird", set, "--check", "--run", url)
	for _, want := range []string{"5 gold queries of the set were run\n", "       2  ran\n", "       2  failed; each is listed\n", "       1  did not run; each is listed\n",
		"       1  ran, and their results are empty\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	for _, want := range []string{"!  dev.jsonl:2: gold ran, and its result is empty\n", "!! dev.jsonl:3: gold failed: ", "nope", "!! dev.jsonl:4: gold failed: ", "!! dev.jsonl:5: gold did not run: "} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is not in\n%s", want, log)
		}
	}
	if code != exitGate {
		t.Errorf("exit code %d, want %d", code, exitGate)
	}
	write(good)
	if code, stdout, log := invoked(t, "import", "bird", set, "--check", "--run", url, "--json"); code != exitDone ||
		!strings.Contains(strings.Join(strings.Fields(stdout), ""), `"gold_queries":{"ran":1,"failed":0,"not_run":0,"empty":0}`) {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, log)
	}
	if code, _, log := invoked(t, "import", "bird", set, "--out", filepath.Join(dir, "x"), "--run", url); code != exitUsage || !strings.Contains(log, "--run: expected --check") {
		t.Errorf("without --check: exit code %d, %s", code, log)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("files were written: %v, %v", files, err)
	}
}

// The next command runs what has no result, on an engine of the dialect, and asks for answers if there are none.
func TestNextCommand(t *testing.T) {
	t.Parallel()
	for want, x := range map[string]struct {
		file string
		n    golden.Counts
	}{
		"badger import traces EXPORT --golden cases.jsonl --out answers.jsonl":                          {"cases.jsonl", golden.Counts{Executable: true}},
		"badger run --cases cases.jsonl --no-to":                                                        {"-", golden.Counts{Answers: 1}},
		"badger run --cases 'my set.jsonl' --execute 'sqlite:DIR/{database}/{database}.sqlite' --no-to": {"my set.jsonl", golden.Counts{Answers: 1, Executable: true, Engine: "sqlite", Databases: true}},
		"badger run --cases a.jsonl --execute 'sqlite:DIR/DATABASE.sqlite' --no-to":                     {"a.jsonl", golden.Counts{Answers: 1, Executable: true, Engine: "sqlite"}},
		"badger run --cases a.jsonl --execute URL --no-to":                                              {"a.jsonl", golden.Counts{Answers: 1, Executable: true, Engine: "oracle"}},
		"badger run --cases a.jsonl --execute 'mysql://USER@HOST/DATABASE' --no-to":                     {"a.jsonl", golden.Counts{Answers: 1, Executable: true, Engine: "mysql"}},
		"badger run --cases a.jsonl --execute 'snowflake://USER@ACCOUNT/DATABASE?warehouse=W' --no-to":  {"a.jsonl", golden.Counts{Answers: 1, Executable: true, Engine: "snowflake", Databases: true}},
	} {
		if got := nextCommand(x.file, &x.n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

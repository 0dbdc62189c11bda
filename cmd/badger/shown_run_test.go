//go:build !no_duckdb

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/sample"
)

// casesOnPages is the file that pages call cases.jsonl, for pages without one of their own: the case of README.md, another
// answer that is right, and what pages ask of it: labels, two tiers and a database.
const casesOnPages = `{"case_id": "q1", "database": "shop", "tier": "easy", "question": "How many orders are open?", "gold": {"sql": "SELECT count(*) FROM orders WHERE open", "result": {"columns": ["n"], "rows": [[5]]}}, "agent": {"name": "atlas", "version": "1.0", "sql": "SELECT count(*) FROM orders", "result": {"columns": ["n"], "rows": [[9]]}}, "human": {"label": "fail"}}
{"case_id": "q2", "database": "shop", "tier": "hard", "question": "How many orders are there?", "gold": {"sql": "SELECT count(*) FROM orders", "result": {"columns": ["n"], "rows": [[9]]}}, "agent": {"name": "atlas", "version": "1.0", "sql": "SELECT count(id) FROM orders", "result": {"columns": ["n"], "rows": [[9]]}}, "human": {"label": "pass"}}
`

// onlyAccepted are commands that the tests accept but do not run, by a part of the line, with the reason.
var onlyAccepted = []struct{ part, reason string }{
	{"o3.jsonl", "the scores of published answers"},
	{"maple", "the scores of published answers"},
	{"assessments", "replies that are published with data sets"},
	{"a.jsonl --backend", "replies that are published with data sets"},
	{"answers.jsonl", "recorded replies"},
	{"--judge-panel", "a judge"},
	{"panel:trio", "a judge"},
	{"sqlite:", "databases of SQLite, which the connector only reads"},
	{"export.jsonl", "an export of another product"},
	{"--metrics tool_recall", "an export of another product"},
	{"sentinels.jsonl", "sentinels"},
	{"--case open", "the test of pytest that the page shows before"},
}

// servers are commands that do not end by themselves, or need one that does not.
var servers = []string{"serve", "view", "mcp", "call", "pipe"}

// placeholder matches a word for which a reader puts in another.
var placeholder = regexp.MustCompile(`^(?:[a-z]+:)?[A-Z][A-Z0-9]*$|…`)

// whyNot returns the reason why a command is not run; "" if it is.
func (c *shown) whyNot() string {
	for i, word := range c.args {
		offline := slices.Contains(c.args, "--estimate") || i > 0 && c.args[i-1] == "--set"
		switch {
		case i == 0 && slices.Contains(servers, word):
			return "a server"
		case word == "--deployment":
			return "the place of a server"
		case strings.Contains(word, "://") && !offline:
			return "another machine"
		case placeholder.MatchString(word):
			return "a placeholder"
		}
	}
	for _, o := range onlyAccepted {
		if strings.Contains(c.line, o.part) {
			return o.reason
		}
	}
	if c.piped {
		return "another program"
	}
	return ""
}

// casesOnPage matches the cases that a page shows, and caseFile the file of cases that its commands read.
var (
	casesOnPage = regexp.MustCompile("(?s)```jsonl?\n(\\{\"case_id\": .*?\n)```")
	caseFile    = regexp.MustCompile(`--cases (\w+\.jsonl)`)
	deployment  = regexp.MustCompile(`^deploy [a-z]`)
)

// place makes what the commands of a page name in the current folder: copies of the demonstration, cases, a database.
func place(t *testing.T, text string) {
	t.Helper()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"badger-demo/demo.duckdb", "warehouse.duckdb", "scores.duckdb"} {
		if strings.Contains(text, name) {
			write(name, readFile(t, demoFile(t)))
		}
	}
	write("cases.jsonl", casesOnPages)
	if cases, file := casesOnPage.FindStringSubmatch(text), caseFile.FindStringSubmatch(text); cases != nil && file != nil && file[1] != "cases.jsonl" {
		write(file[1], cases[1])
	}
	if strings.Contains(text, "--scores scores.jsonl") {
		must(t, "run", "--cases", "cases.jsonl", "--scores", "scores.jsonl", "--no-to")
	}
	if two := regexp.MustCompile(`(?m)^\$ cat gold\.csv( +)\$ cat answer\.csv\n((?:[\w,.]+ .+\n)+)`).FindStringSubmatch(text); two != nil {
		width := len("$ cat gold.csv") + len(two[1])
		var gold, answer strings.Builder
		for line := range strings.Lines(two[2]) {
			gold.WriteString(strings.TrimRight(line[:width], " ") + "\n")
			answer.WriteString(line[width:])
		}
		write("gold.csv", gold.String())
		write("answer.csv", answer.String())
	}
	for _, name := range []string{"shop.duckdb", "databases/shop.duckdb"} {
		if strings.Contains(text, "duckdb:"+strings.ReplaceAll(name, "/shop", "/{database}")) {
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			execute(t, "duckdb:"+name, "CREATE TABLE orders (id INTEGER, open BOOLEAN)",
				"INSERT INTO orders SELECT i, i < 5 FROM range(9) t(i)")
		}
	}
	if strings.Contains(text, "answers.duckdb") {
		execute(t, "duckdb:answers.duckdb", "CREATE TABLE answers (gold_sql TEXT, agent_sql TEXT)",
			"INSERT INTO answers VALUES ('SELECT count(*) FROM orders', 'SELECT count(id) FROM orders')")
	}
}

// changes matches the size of a file, which two runs of a command print differently.
var changes = regexp.MustCompile(`\(\d+(\.\d+)? MB\)`)

// shows returns the first line of the page that is not what a command prints, "" if all are. "…" alone replaces any lines.
func shows(page []string, printed string) string {
	plain := func(line string) string { return changes.ReplaceAllString(strings.TrimRight(line, " "), "~") }
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	at, skip := 0, false
	for len(page) > 0 && strings.TrimSpace(page[len(page)-1]) == "" {
		page = page[:len(page)-1]
	}
	for _, want := range page {
		if strings.TrimSpace(want) == "…" {
			skip = true
			continue
		}
		found := at
		for skip && found < len(lines) && plain(lines[found]) != plain(want) {
			found++
		}
		if found >= len(lines) || plain(lines[found]) != plain(want) {
			return want
		}
		at, skip = found+1, false
	}
	if !skip && at < len(lines) {
		return "the end, not " + lines[at]
	}
	return ""
}

func TestShows(t *testing.T) {
	const printed = "a\nb 1.2 MB\nc\n\nd\n"
	for page, want := range map[string]string{
		"a\nb 1.2 MB\nc\n\nd": "", "…\nc\n…": "", "a\n…\nd\n": "", "a\nb 1.2 MB\nc\n\nd\n…": "",
		"a\nc\n…": "c", "b 1.2 MB\n…": "b 1.2 MB", "…\nc": "the end, not ", "…\ne\n…": "e", "…\nc\nd\n…": "d",
	} {
		if got := shows(strings.Split(page, "\n"), printed); got != want {
			t.Errorf("%q: %q, want %q", page, got, want)
		}
	}
}

// ownTest are pages whose commands another test runs.
var ownTest = []string{"docs/eval/import.md", "docs/operate/mcp.md"}

// TestShownCommandsRun runs the commands of pages that need nothing outside, each page in a folder with copies of the
// demonstration, and compares what they print with what the page shows.
func TestShownCommandsRun(t *testing.T) {
	names, texts := pagesWithCommands(t)
	var pages []string
	for _, page := range names {
		if commands := shownCommands(t, page, texts[page]); !slices.Contains(ownTest, page) &&
			slices.ContainsFunc(commands, func(c shown) bool { return c.whyNot() == "" }) {
			pages = append(pages, page)
		}
	}
	if len(pages) < 15 {
		t.Errorf("%d pages have commands to run: %q", len(pages), pages)
	}
	ran, compared := 0, 0
	for _, page := range sample.Of(pages, 8) {
		t.Run(page, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			place(t, texts[page])
			for _, c := range shownCommands(t, page, texts[page]) {
				if why := c.whyNot(); why != "" {
					t.Logf("not run, it needs %s: %s", why, c.line)
					continue
				}
				ran++
				if c.output != nil {
					compared++
				}
				c.run(t)
			}
		})
	}
	t.Logf("%d commands ran, the output of %d was compared", ran, compared)
}

// run runs a command as the page says, and compares its output.
func (c *shown) run(t *testing.T) {
	t.Helper()
	if c.before != "" {
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", c.before).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c.before, err, out)
		}
	}
	var stdout, stderr strings.Builder
	p := process{getenv: testEnv, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, now: time.Now}
	if i := slices.Index(c.args, "--values"); i >= 0 { // an example of its values
		example := []string{"install", "--warehouse", "postgres", "--example"}
		if deployment.MatchString(strings.Join(c.args, " ")) {
			example = []string{"deploy", c.args[1], "--example"}
		}
		out, _ := must(t, example...)
		if err := os.WriteFile(c.args[i+1], []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if to := slices.Index(c.args, "--to"); to >= 0 && strings.HasPrefix(c.args[1], "terraform-") { // another choice of the page
		if err := os.RemoveAll(c.args[to+1]); err != nil {
			t.Fatal(err)
		}
	}
	code := run(context.Background(), c.args, p)
	if c.into != "" {
		if err := os.WriteFile(c.into, []byte(stdout.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gated := strings.Contains(c.line, " --fail-") || strings.Contains(c.line, " --max-broken") || strings.Contains(c.line, " --check")
	if code != exitDone && (code != exitGate || !gated) {
		t.Errorf("%s: exit code %d\n%s\n%s", c.line, code, &stdout, &stderr)
		return
	}
	if c.output == nil {
		return
	}
	if other := shows(c.output, stdout.String()); other != "" && shows(c.output, stderr.String()) != "" {
		t.Errorf("%s does not print as the page shows, at %q:\n%s\n%s", c.line, other, &stdout, &stderr)
	}
}

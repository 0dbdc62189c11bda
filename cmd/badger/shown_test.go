package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/shlex"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// A shown command is a command line of badger in a block of a page.
type shown struct {
	page, line string
	before     string   // a loop of the shell before it
	env        []string // NAME=VALUE before the command
	args       []string // without badger
	into       string   // file that the line redirects standard output to; "" if none
	piped      bool     // the line has other commands, too
	output     []string // the lines that the page shows as output; nil if none
}

// pagesWithCommands returns the pages for users by their path in the repository.
func pagesWithCommands(t *testing.T) (names []string, texts map[string]string) {
	t.Helper()
	texts = map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "connectors/*/README.md", "examples/*/*.md", "clients/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name := filepath.ToSlash(strings.TrimPrefix(path, filepath.Join("..", "..")+string(filepath.Separator)))
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			names, texts[name] = append(names, name), string(text)
		}
	}
	return names, texts
}

// fencedBlock matches a block of a page: what is between it and the block before, its language, and its text.
var fencedBlock = regexp.MustCompile("(?ms)(.*?)^( *)```(\\w*)\n(.*?)^ *```$")

// commandLine matches a line with a command of badger, or with the go command of README.md that is the same.
var commandLine = regexp.MustCompile(`^(?:\$ )?((?:[A-Z_]+=\S+ )*)(?:badger|go run \./cmd/badger) (.*)$`)

// shownCommands returns the commands of badger in the blocks of a page, with the lines that a backslash joins. The
// output of a command is the rest of a block that begins with "$ badger", or the next block without a language if the
// block of the shell is one command.
func shownCommands(t *testing.T, page, text string) (commands []shown) {
	t.Helper()
	var alone *shown    // the command of the block before, if it is the only one
	var others []string // lines of other commands before
	for _, b := range fencedBlock.FindAllStringSubmatch(text, -1) {
		between, language := b[1], b[3]
		plain := language == "" || language == "text"
		if plain && alone != nil && !regexp.MustCompile("(?m)^#|^`[^`\n]+`:$").MatchString(between) {
			alone.output = strings.Split(strings.TrimSpace(b[4]), "\n")
		}
		alone = nil
		if !plain && language != "sh" && language != "bash" && language != "console" {
			continue
		}
		first := len(commands)
		if loop := strings.Join(others, "\n"); !strings.HasPrefix(loop, "for ") {
			others = nil
		}
		for _, line := range strings.Split(strings.ReplaceAll(b[4], "\\\n", " "), "\n") {
			trimmed := strings.TrimSpace(line)
			if c := commandOf(t, trimmed); c != nil {
				c.page, c.before = page, strings.Join(others, "\n")
				if others = nil; !strings.HasPrefix(c.before, "for ") {
					c.before = ""
				}
				if plain && strings.HasPrefix(trimmed, "$ ") {
					c.output = []string{}
				}
				commands = append(commands, *c)
				continue
			}
			others = append(others, line)
			if n := len(commands) - 1; plain && n >= first && commands[n].output != nil {
				commands[n].output = append(commands[n].output, strings.TrimRight(line, " "))
			}
		}
		if !plain && len(commands) == first+1 && strings.Join(others, "") == "" {
			alone = &commands[first]
		}
	}
	return commands
}

// commandOf returns the command of badger in a line of a shell; nil if it has none.
func commandOf(t *testing.T, line string) *shown {
	t.Helper()
	c := &shown{line: line}
	if left, right, ok := strings.Cut(line, " | badger "); ok && !strings.Contains(left, "badger ") {
		c.piped, line = true, "badger "+right
	}
	m := commandLine.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	words, err := shlex.Split(m[2])
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	c.env = strings.Fields(m[1])
	for i, word := range words {
		switch word {
		case ">":
			c.into = words[i+1]
			return c
		case "|", "&&", ";":
			c.piped = true
			return c
		}
		c.args = append(c.args, word)
	}
	return c
}

func TestShownCommands(t *testing.T) {
	const page = "# Page\n\n```sh\nbadger run --cases 'a b.jsonl' \\\n  --no-to   # all\nKEY=k badger deploy X --example > v.yaml\n" +
		"echo '1' | badger call f && ls\n```\n\n```sh\ngo run ./cmd/badger demo\n```\n\nIt prints:\n\n```\none\n```\n\n" +
		"```\n$ badger score --gold g.csv\nscore 1\n…\n```\n\n```yaml\nrun: badger run\n```\n"
	want := []shown{
		{args: []string{"run", "--cases", "a b.jsonl", "--no-to"}},
		{args: []string{"deploy", "X", "--example"}, into: "v.yaml", env: []string{"KEY=k"}},
		{args: []string{"call", "f"}, piped: true},
		{args: []string{"demo"}, output: []string{"one"}},
		{args: []string{"score", "--gold", "g.csv"}, output: []string{"score 1", "…", ""}},
	}
	got := shownCommands(t, "p", page)
	if len(got) != len(want) {
		t.Fatalf("%d commands, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		if g := got[i]; !slices.Equal(g.args, w.args) || g.into != w.into || g.piped != w.piped || !slices.Equal(g.env, w.env) ||
			!slices.Equal(g.output, w.output) || (g.output == nil) != (w.output == nil) {
			t.Errorf("%d: %+v, want %+v", i, g, w)
		}
	}
}

// quiet is a process without an environment, whose output is lost.
var quiet = process{getenv: func(string) string { return "" }, stdout: io.Discard, stderr: io.Discard}

// namesMetrics are flags whose value is metrics, in a list or before a sign.
var namesMetrics = []string{"metrics", "metric", "primary", "ex", "compare", "fail-under", "fail-on-drop", "max-broken", "judge-for"}

// checkCommand returns an error if the program does not accept a command line: a command, flag, argument or value of an
// enumeration that does not exist, or a metric that is none.
func checkCommand(t *testing.T, args []string) error {
	t.Helper()
	chosen, err := parse(t.Context(), args, quiet)
	if err != nil || chosen == nil {
		return err
	}
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		return err
	}
	for _, part := range chosen.Path {
		if part.Flag == nil || !slices.Contains(namesMetrics, part.Flag.Name) {
			continue
		}
		for _, value := range textsOf(part.Flag.Target) {
			name, _, _ := strings.Cut(value, "=")
			name, _, _ = strings.Cut(name, "@")
			if !strings.ContainsFunc(name, unicode.IsLower) || part.Flag.Name == "fail-under" && strings.Contains(value, "@") {
				continue // a placeholder
			}
			if _, err := engine.Choose([]string{name}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestCommandsOnPages checks that the program accepts every command line that a page shows.
func TestCommandsOnPages(t *testing.T) {
	names, texts := pagesWithCommands(t)
	t.Chdir(t.TempDir())
	count := 0
	for _, page := range names {
		for _, c := range shownCommands(t, page, texts[page]) {
			count++
			if err := checkCommand(t, c.args); err != nil {
				t.Errorf("%s: %s: %v", page, c.line, err)
			}
		}
	}
	if count < 180 {
		t.Errorf("%d commands found on the pages, expected more", count)
	}
}

// partOfCommand matches errors about what a command in a sentence leaves out, or has a name in capitals for.
var partOfCommand = regexp.MustCompile(`^(missing flags: |expected |--[a-z-]+: (missing|expected)|unexpected argument (…|[A-Z]+$)|unknown command .* (…|[A-Z]+);)|but got "[A-Z]+"$`)

// TestCommandsInSentences checks that the program accepts every command in a span of code, apart from flags and
// arguments that the sentence leaves out.
func TestCommandsInSentences(t *testing.T) {
	names, texts := pagesWithCommands(t)
	t.Chdir(t.TempDir())
	span := regexp.MustCompile("`(badger (?:[a-z]|--)[^`\n]*)`")
	checked := map[string]bool{}
	for _, page := range names {
		for _, m := range span.FindAllStringSubmatch(fencedBlock.ReplaceAllString(texts[page], "$1"), -1) {
			if checked[m[1]] {
				continue
			}
			checked[m[1]] = true
			if err := checkCommand(t, commandOf(t, m[1]).args); err != nil && !partOfCommand.MatchString(err.Error()) {
				t.Errorf("%s: %s: %v", page, m[1], err)
			}
		}
	}
	if len(checked) < 100 {
		t.Errorf("%d commands found in sentences, expected more", len(checked))
	}
}

func TestCheckCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]bool{
		"badger run --cases FILE --to duckdb:x.duckdb # all": true,
		"badger judge test judge.star --cases c.jsonl":       true,
		"badger sql --db FILE 'SELECT 1 --no flag'":          true,
		"badger --version": true,
		"badger trend --db URL --metrics hybrid_ex,ex_bird":    true,
		"badger run --cases F --fail-under hybrid_ex=0.8":      true,
		"badger run --cases F --fail-under hybird_ex=0.8":      false,
		"badger run --cases F --metrics verdict,component_f2":  false,
		"badger report --db URL --cases some":                  false,
		"badger run --case FILE":                               false,
		"badger judge --cases FILE":                            false,
		"badger evaluate":                                      false,
		"badger score gold.csv answer.csv":                     false,
		"badger explain --db URL":                              false,
		"badger run --cases FILE --max-broken":                 false,
		"badger run --cases A --cases B":                       false,
		"badger run --cases a.jsonl --to x --scores a.jsonl":   false,
		"badger queue new --db URL --run ID --order backwards": false,
	} {
		if err := checkCommand(t, commandOf(t, line).args); (err == nil) != want {
			t.Errorf("%s: %v, expected to be accepted: %t", line, err, want)
		}
	}
}

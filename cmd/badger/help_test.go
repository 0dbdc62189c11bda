package main

import (
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// grammar returns the commands and flags of the program.
func grammar(t *testing.T) *kong.Application {
	t.Helper()
	var cmds commands
	parser, err := kong.New(&cmds, kong.Name("badger"), kong.Vars{"version": "v"}, kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model
}

// inside matches text in parentheses, in which the help of one flag may differ between commands: its default, and what
// it refers to there.
var inside = regexp.MustCompile(`\s*\([^()]*\)`)

// sentences counts the sentences of a help text.
func sentences(help string) int {
	return len(regexp.MustCompile(`[.!?](\s|$)`).FindAllString(strings.ReplaceAll(help, "BADGER_…", ""), -1))
}

// senses are flags that have one name and kind of value and mean different things, with the commands, or groups of
// commands, of each other meaning.
var senses = map[string][]string{
	"--out FILE":    {"import", "export"}, // a case file, and another form; elsewhere a table
	"--rewrite":     {"import"},           // the SQL; elsewhere a prompt
	"--scores FILE": {"run"},              // written; elsewhere read
	"--cases":       {"report"},           // which cases have a page; elsewhere whether they are listed
}

// A command has an imperative of at most 60 characters. A flag has at most two sentences, and its default if it has
// one. Its first sentence is the same in every command that has it, but for text in parentheses.
func TestHelp(t *testing.T) {
	type use struct{ command, help string }
	words := map[string][]use{}
	err := kong.Visit(grammar(t), func(node kong.Visitable, next kong.Next) error {
		switch n := node.(type) {
		case *kong.Node:
			if n.Type != kong.CommandNode {
				break
			}
			if length := utf8.RuneCountInString(n.Help); length == 0 || length > 60 {
				t.Errorf("%s: help of %d characters, expected 1 to 60: %q", n.Path(), length, n.Help)
			}
			if !regexp.MustCompile(`^[A-Z].*\.$`).MatchString(n.Help) || regexp.MustCompile(`^(The|A|An|This) `).MatchString(n.Help) {
				t.Errorf("%s: expected an imperative with a final stop: %q", n.Path(), n.Help)
			}
			for _, f := range n.Flags {
				name := "--" + f.Name
				if f.PlaceHolder != "" {
					name += " " + f.PlaceHolder
				}
				where := n.Path() + " " + name
				if count := sentences(f.Help); count == 0 || count > 2 {
					t.Errorf("%s: %d sentences, expected one or two: %q", where, count, f.Help)
				}
				if !regexp.MustCompile(`^[A-Z].*\.$`).MatchString(f.Help) {
					t.Errorf("%s: expected a capital letter and a final stop: %q", where, f.Help)
				}
				if f.HasDefault && f.Default != "" && f.PlaceHolder != "" && !strings.Contains(f.Help, "default") {
					t.Errorf("%s: the default %q is missing: %q", where, f.Default, f.Help)
				}
				if i := slices.IndexFunc(senses[name], func(of string) bool { return strings.HasPrefix(n.Path()+" ", of+" ") }); i >= 0 {
					name += " of " + senses[name][i]
				}
				words[name] = append(words[name], use{n.Path(), inside.ReplaceAllString(strings.SplitAfter(f.Help, ". ")[0], "")})
			}
		}
		return next(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(words)) {
		uses := words[name]
		for _, u := range uses[1:] {
			if strings.TrimSuffix(strings.TrimSpace(u.help), ".") != strings.TrimSuffix(strings.TrimSpace(uses[0].help), ".") {
				t.Errorf("%s has other words in two commands:\n%s: %s\n%s: %s", name, uses[0].command, uses[0].help, u.command, u.help)
			}
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]int{"One.": 1, "One. Two.": 2, "Such as 2.5. Two.": 2, "Variables BADGER_… and flags.": 1, "None": 0} {
		if got := sentences(text); got != want {
			t.Errorf("%q has %d sentences, want %d", text, got, want)
		}
	}
}

// A command line that begins with a command is parsed with the tags of that command only, and its help is the same.
func TestGrammarOfOneCommand(t *testing.T) {
	help := func(cmds any, args []string) string {
		var out strings.Builder
		parser, err := kong.New(cmds, kong.Name("badger"), kong.Vars{"version": "v"}, kong.Writers(&out, &out), kong.Exit(func(int) {}), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = parser.Parse(args)
		return out.String()
	}
	for _, n := range grammar(t).Children {
		args := []string{n.Name, "--help"}
		one := grammarFor(args)
		if _, all := one.(*commands); all {
			t.Errorf("%s is parsed with all commands", n.Name)
		}
		if got, want := help(one, args), help(&commands{}, args); got != want || want == "" {
			t.Errorf("help of %s:\n%s\nwith all commands:\n%s", n.Name, got, want)
		}
	}
	for _, args := range [][]string{nil, {"help"}, {"--help"}, {"version"}, {"nonsense"}, {"--version", "run"}} {
		if _, all := grammarFor(args).(*commands); !all {
			t.Errorf("%q is parsed with some commands only", args)
		}
	}
}

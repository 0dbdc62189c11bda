// Package conformance holds the numbered statements of what warehouses expect of the server and of
// the connectors, each with the tests that show it. docs/conformance.md is generated from them.
//
// A statement is one line of a table in statements.go. Its test is a function of the same number in
// the map that the package of the test gives to [Run], or a test of another name. A number that has
// neither a test nor a reason why there is none fails this package's tests.
package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Statement is one thing that a caller or a warehouse may rely on.
type Statement struct {
	Number string // such as SFE-2
	Says   string // one sentence
	// Tests are separated by "; ". A folder alone stands for TestNumberedStatements/NUMBER there; others are
	// "FOLDER TEST" or "FOLDER TEST/SUBTEST".
	Tests  string
	Client string // a real client that showed it too, with its test as in Tests: "NAME: FOLDER TEST"
	Note   string // why it is not shown here, or which part of it is not
}

// Section is the statements about one caller.
type Section struct {
	Title      string
	Statements []Statement
}

func (s Statement) tests() []string {
	if s.Tests == "" {
		return nil
	}
	return strings.Split(s.Tests, "; ")
}

// Run runs the tests of one folder, each of which shows the statement of its number. It fails where
// the table expects a test of the folder that does not exist, or the other way round.
func Run(t *testing.T, folder string, maps ...map[string]func(*testing.T)) {
	t.Helper()
	shown := map[string]func(*testing.T){}
	for _, m := range maps {
		for number, test := range m {
			if shown[number] != nil {
				t.Errorf("%s has two tests", number)
			}
			shown[number] = test
		}
	}
	for _, section := range Sections {
		for _, s := range section.Statements {
			test := shown[s.Number]
			if wanted := slices.Contains(s.tests(), folder); wanted != (test != nil) {
				t.Errorf("%s: listed with a test of its own in %s: %v; the test is there: %v", s.Number, folder, wanted, test != nil)
			}
			if test != nil {
				t.Run(s.Number, test)
				delete(shown, s.Number)
			}
		}
	}
	for number := range shown {
		t.Errorf("%s is no statement", number)
	}
}

// Page renders docs/conformance.md.
func Page() []byte {
	var b strings.Builder
	shown, client, missing := 0, 0, 0
	for _, section := range Sections {
		for _, s := range section.Statements {
			if s.Tests == "" {
				missing++
			} else {
				shown++
			}
			if s.Client != "" {
				client++
			}
		}
	}
	fmt.Fprintf(&b, `# Conformance

What each warehouse expects of badger as a function server, and of badger's connectors, as numbered statements. A test shows each one: it calls a running
server through a simulator of that caller (package internal/fake/callers), which is strict about every reply and retries what the product retries. Where a real
client or engine showed it too, the table names it. %d statements have a test, %d of them also a real client; for the %d others the table says why.

Run one test: %s. A folder alone in the column of tests stands for TestNumberedStatements/NUMBER in that folder.

`, shown, client, missing, "`go test ./udf -run 'TestNumberedStatements/SFE-2$'`")
	for _, section := range Sections {
		fmt.Fprintf(&b, "## %s\n\n| number | statement | tests | real client | not shown |\n| --- | --- | --- | --- | --- |\n", section.Title)
		for _, s := range section.Statements {
			tests := make([]string, 0, 3)
			for _, test := range s.tests() {
				tests = append(tests, "`"+test+"`")
			}
			name, test, _ := strings.Cut(s.Client, ": ")
			if test != "" {
				name += ": `" + test + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", s.Number, cell(s.Says), strings.Join(tests, ", "), cell(name), cell(s.Note))
		}
		b.WriteString("\n")
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

package conformance_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/conformance"
)

func TestPageIsCurrent(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/conformance.md")
	if err != nil || !bytes.Equal(page, conformance.Page()) {
		t.Errorf("docs/reference/conformance.md is stale (%v): make generate", err)
	}
}

// Every number has one sentence and a test, or a reason why there is none; numbers have no gaps.
func TestEveryStatementIsAccountedFor(t *testing.T) {
	next := map[string]int{}
	for _, section := range conformance.Sections {
		for _, s := range section.Statements {
			prefix, number, _ := strings.Cut(s.Number, "-")
			next[prefix]++
			if number != strconv.Itoa(next[prefix]) {
				t.Errorf("%s: expected %s-%d", s.Number, prefix, next[prefix])
			}
			if !strings.HasSuffix(s.Says, ".") || s.Note != "" && !strings.HasSuffix(s.Note, ".") {
				t.Errorf("%s: expected sentences", s.Number)
			}
			if s.Tests == "" && s.Note == "" {
				t.Errorf("%s has neither a test nor a reason", s.Number)
			}
		}
	}
}

// The tests that the table names are there.
func TestNamedTestsExist(t *testing.T) {
	sources := map[string]string{}
	source := func(folder string) string {
		if text, ok := sources[folder]; ok {
			return text
		}
		files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no tests", folder)
		}
		var all strings.Builder
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(b)
		}
		sources[folder] = all.String()
		return sources[folder]
	}
	check := func(number, test string) {
		folder, name, ok := strings.Cut(test, " ")
		if !ok {
			name = "TestNumberedStatements/" + number
		}
		name, sub, _ := strings.Cut(name, "/")
		text := source(folder)
		if !strings.Contains(text, "\nfunc "+name+"(t *testing.T)") {
			t.Errorf("%s: %s has no %s", number, folder, name)
		}
		// A subtest's name stands somewhere in the source, with blanks for its underscores.
		if sub != "" && !strings.Contains(text, sub) && !strings.Contains(text, strings.ReplaceAll(sub, "_", " ")) {
			t.Errorf("%s: %s has no %s/%s", number, folder, name, sub)
		}
	}
	for _, section := range conformance.Sections {
		for _, s := range section.Statements {
			if s.Tests != "" {
				for test := range strings.SplitSeq(s.Tests, "; ") {
					check(s.Number, test)
				}
			}
			if s.Client != "" {
				_, test, ok := strings.Cut(s.Client, ": ")
				if !ok {
					t.Errorf("%s: expected a client as NAME: FOLDER TEST", s.Number)
				}
				check(s.Number, test)
			}
		}
	}
}

// The numbers are those of the protocol reference, if it is available.
func TestNumbersOfTheReference(t *testing.T) {
	text, err := os.ReadFile("../../../shared/reference/warehouse-protocols.md")
	if err != nil {
		t.Skip("the protocol reference is not available")
	}
	want := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\d+\. ([A-Z]+-\d+) `).FindAllSubmatch(text, -1) {
		want[string(m[1])] = true
	}
	if len(want) < 100 {
		t.Fatalf("%d statements in the reference: its form has changed", len(want))
	}
	for _, section := range conformance.Sections {
		for _, s := range section.Statements {
			if !want[s.Number] {
				t.Errorf("%s is not in the reference", s.Number)
			}
			delete(want, s.Number)
		}
	}
	for number := range want {
		t.Errorf("%s has no line in statements.go", number)
	}
}

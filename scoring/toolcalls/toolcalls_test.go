package toolcalls_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/toolcalls"
)

// example is a trace of testdata/forms.txt.
type example struct {
	name, trace string
	lines       []string
}

func examples(t testing.TB) (out []example) {
	t.Helper()
	text, err := os.ReadFile("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n== ")[1:] {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		out = append(out, example{lines[0], lines[1], lines[2:]})
	}
	return out
}

// written returns calls as in testdata/forms.txt.
func written(calls []toolcalls.Call) (lines []string) {
	if calls == nil {
		return []string{"absent"}
	}
	for _, c := range calls {
		as := c.ReadAs
		if as == "" {
			as = "own"
		}
		lines = append(lines, strings.TrimSpace(as+" "+c.Name+" "+string(c.Arguments)))
	}
	return lines
}

func TestForms(t *testing.T) {
	seen := map[string]int{}
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			calls, err := toolcalls.Parse([]byte(e.trace), "agent.tool_calls")
			if len(e.lines) > 0 && strings.HasPrefix(e.lines[0], "error ") {
				if want := strings.TrimPrefix(e.lines[0], "error "); err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("got %v, %v; want the error %s", written(calls), err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := written(calls); !slices.Equal(got, e.lines) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(e.lines, "\n"))
			}
			for _, c := range calls {
				seen[c.ReadAs]++
			}
		})
	}
	for _, f := range toolcalls.Forms() {
		if seen[f.Name] == 0 {
			t.Errorf("no trace in testdata/forms.txt has the form %s", f.Name)
		}
	}
}

// Calls that badger stores are the same when they are read again.
func TestStoredCallsAreReadAgain(t *testing.T) {
	for _, e := range examples(t) {
		calls, err := toolcalls.Parse([]byte(e.trace), "x")
		if err != nil || calls == nil {
			continue
		}
		stored, err := json.Marshal(calls)
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		again, err := toolcalls.Parse(stored, "x")
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		if second, _ := json.Marshal(again); !bytes.Equal(stored, second) {
			t.Errorf("%s: stored %s, then %s", e.name, stored, second)
		}
	}
}

func TestTitles(t *testing.T) {
	calls := []toolcalls.Call{{Name: "a"}, {Name: "b", ReadAs: "openai"}, {Name: "c", ReadAs: "mcp"},
		{Name: "d", ReadAs: "openai"}, {Name: "e", ReadAs: "unknown"}}
	if got := toolcalls.Titles(calls); !slices.Equal(got, []string{"OpenAI chat completions", "MCP requests"}) {
		t.Errorf("got %q", got)
	}
	if got := toolcalls.Titles(calls[:1]); got != nil {
		t.Errorf("own form: got %q", got)
	}
}

// A trace that nests deeply is an error, in time that does not grow with the square of its depth.
func TestDeepTraces(t *testing.T) {
	for name, parts := range map[string][2]string{
		"runs":     {`{"run_type":"chain","child_runs":[`, `]}`},
		"spans":    {`{"spans":[`, `]}`},
		"messages": {`{"message":`, `}`},
	} {
		trace := strings.Repeat(parts[0], 2000) + `{"role":"assistant","content":"x"}` + strings.Repeat(parts[1], 2000)
		if _, err := toolcalls.Parse([]byte(trace), "x"); err == nil || !strings.Contains(err.Error(), "nests deeper") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, e := range examples(f) {
		f.Add([]byte(e.trace))
	}
	f.Fuzz(func(t *testing.T, trace []byte) {
		if !json.Valid(trace) {
			return
		}
		calls, err := toolcalls.Parse(trace, "x")
		if err != nil {
			if calls != nil {
				t.Fatal("calls and an error")
			}
			return
		}
		for _, c := range calls {
			if strings.TrimSpace(c.Name) == "" {
				t.Fatalf("a call without a name: %q", c)
			}
			if c.Arguments != nil && !json.Valid(c.Arguments) {
				t.Fatalf("arguments are not JSON: %s", c.Arguments)
			}
		}
	})
}

// The page has a section for each form, and the form of the example in it is the section's.
func TestExamplesOnPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/eval/traces.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	_, forms, _ := strings.Cut(string(page), "\n## Forms\n")
	for _, part := range strings.Split(forms, "\n### ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		_, body, _ = strings.Cut(body, "```json\n")
		sections[title], _, _ = strings.Cut(body, "\n```")
	}
	if len(sections) != len(toolcalls.Forms())+1 {
		t.Errorf("%d sections, %d forms and badger's own", len(sections), len(toolcalls.Forms()))
	}
	for _, f := range append(toolcalls.Forms(), toolcalls.Form{Title: "badger"}) {
		calls, err := toolcalls.Parse([]byte(sections[f.Title]), "example")
		if err != nil || len(calls) == 0 {
			t.Errorf("%s: %v, %v", f.Title, calls, err)
			continue
		}
		c := calls[len(calls)-1]
		arguments := strings.ReplaceAll(string(c.Arguments), " ", "")
		if c.Name != "run_sql" || c.ReadAs != f.Name || arguments != `{"sql":"SELECT1"}` {
			t.Errorf("%s: got %s(%s), read as %q", f.Title, c.Name, c.Arguments, c.ReadAs)
		}
	}
}

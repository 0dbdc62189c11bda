package imports_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/scoring"
)

// imported are traces with what was reported of them.
type imported struct {
	*imports.Traces
	problems []string
}

// read reads files with the given texts.
func read(t *testing.T, texts ...string) *imported {
	t.Helper()
	traces, err := imports.New()
	if err != nil {
		t.Fatal(err)
	}
	out := &imported{Traces: traces}
	traces.Report = func(err error) { out.problems = append(out.problems, err.Error()) }
	t.Cleanup(func() {
		if err := traces.Close(); err != nil {
			t.Error(err)
		}
	})
	for i, text := range texts {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("f%d.json", i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := traces.AddFile(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// answers reads files with the given texts and returns their answers.
func answers(t *testing.T, o imports.Options, texts ...string) ([]imports.Answer, *imported) {
	t.Helper()
	traces := read(t, texts...)
	var out []imports.Answer
	for a, err := range traces.Answers(t.Context(), o) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, a)
	}
	return out, traces
}

// one is like answers for texts with one answer.
func one(t *testing.T, o imports.Options, texts ...string) imports.Answer {
	t.Helper()
	out, traces := answers(t, o, texts...)
	if len(out) != 1 || out[0].Err != nil || traces.Unreadable > 0 {
		t.Fatalf("%d answers, %+v, %q", len(out), out, traces.problems)
	}
	return out[0]
}

// pageExamples returns the examples of the sections "Import from" of the page.
func pageExamples(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/eval/traces.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]string{}
	for _, part := range strings.Split(string(page), "\n### Import from ")[1:] {
		product, body, _ := strings.Cut(part, "\n")
		_, body, _ = strings.Cut(body, "```json\n")
		examples[product], _, _ = strings.Cut(body, "\n```")
	}
	return examples
}

// Every example on the page is the same answer.
func TestExamplesOnPage(t *testing.T) {
	examples := pageExamples(t)
	if len(examples) != 6 {
		t.Fatalf("%d examples", len(examples))
	}
	for product, text := range examples {
		t.Run(product, func(t *testing.T) {
			a := one(t, imports.Options{CaseID: "case"}, text)
			if a.CaseID != "q1" || a.Question != "How many orders are open?" || a.Response != "9 orders are open." ||
				a.SQL != "SELECT count(*) FROM orders WHERE open" || a.Conversation != "c9" {
				t.Errorf("got %+v", a)
			}
			if len(a.Calls) != 1 || a.Calls[0].Name != "run_sql" {
				t.Errorf("calls: %+v", a.Calls)
			}
			if a.Latency == nil || *a.Latency != 2500*time.Millisecond || !a.RanAt.Equal(time.Date(2025, 3, 1, 10, 0, 0, 0, time.UTC)) {
				t.Errorf("latency %v, ran at %v", a.Latency, a.RanAt)
			}
			if a.TokensIn == nil || *a.TokensIn != 120 || a.TokensOut == nil || *a.TokensOut != 30 || a.Invalid != nil {
				t.Errorf("tokens: %v, %v, not valid: %v", a.TokensIn, a.TokensOut, a.Invalid)
			}
			if product != "OpenTelemetry" && (a.CostUSD == nil || a.CostUSD.String() != "0.0021") {
				t.Errorf("cost: %v, want 0.0021", a.CostUSD)
			}
		})
	}
}

// An export has the same answers as one object, as a list, and with one span a line in any order.
func TestLayoutsOfSpans(t *testing.T) {
	export := pageExamples(t)["OpenTelemetry"]
	want := one(t, imports.Options{}, export)
	var o struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []json.RawMessage `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	if err := json.Unmarshal([]byte(export), &o); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range o.ResourceSpans[0].ScopeSpans[0].Spans {
		lines = append(lines, string(s))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		for layout, texts := range map[string][]string{
			"lines":     {strings.Join(lines, "\n") + "\n"},
			"list":      {"[" + strings.Join(lines, ",\n") + "]"},
			"one line":  {"[" + strings.Join(lines, ", ") + "]"},
			"two files": {strings.Join(lines[:2], "\n"), strings.Join(lines[2:], "\n")},
			"with mark": {"\xef\xbb\xbf[\n" + strings.Join(lines, ",") + "\n]\n"},
		} {
			got := one(t, imports.Options{}, texts...)
			got.Place = want.Place
			if g, w := fmt.Sprintf("%+v %v", got.Calls, *got.TokensIn), fmt.Sprintf("%+v %v", want.Calls, *want.TokensIn); g != w ||
				got.Question != want.Question || got.Response != want.Response || got.SQL != want.SQL {
				t.Errorf("%s: got %+v", layout, got)
			}
		}
	}
}

func TestMessages(t *testing.T) {
	list := `[
 {"role": "system", "content": "x"},
 {"role": "user", "content": "How many in Oslo?"},
 {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "search", "arguments": "{\"query\": \"SELECTED words\"}"}}]},
 {"role": "tool", "tool_call_id": "a", "content": "t"},
 {"role": "assistant", "content": null, "tool_calls": [{"id": "b", "type": "function", "function": {"name": "db", "arguments": "{\"query\": \"-- n\\nselect 1\"}"}}]},
 {"role": "tool", "tool_call_id": "b", "content": "1"},
 {"role": "assistant", "content": "One."},
 {"role": "user", "content": "And in Rome?"},
 {"role": "assistant", "content": "I do not know."}
]`
	for layout, text := range map[string]string{"file": list, "line": strings.ReplaceAll(list, "\n", " "), "record": `{"id": "k", "messages": ` + strings.ReplaceAll(list, "\n", " ") + `}`} {
		got, _ := answers(t, imports.Options{}, text)
		if len(got) != 2 {
			t.Fatalf("%s: %d answers", layout, len(got))
		}
		a, b := got[0], got[1]
		if a.Question != "How many in Oslo?" || a.Response != "One." || a.SQL != "-- n\nselect 1" || len(a.Calls) != 2 || a.Turn != 1 {
			t.Errorf("%s: first %+v", layout, a)
		}
		if b.Question != "And in Rome?" || b.Response != "I do not know." || b.SQL != "" || b.Calls == nil || len(b.Calls) != 0 || b.Turn != 2 {
			t.Errorf("%s: second %+v", layout, b)
		}
		if layout == "record" && (a.Conversation != "k" || b.Conversation != "k") {
			t.Errorf("conversations %q, %q", a.Conversation, b.Conversation)
		}
	}
}

// The input and the output of a batch have one custom_id.
func TestBatch(t *testing.T) {
	a := one(t, imports.Options{CaseID: "custom_id"},
		`{"custom_id": "q7", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": [{"role": "user", "content": "How many?"}]}}`,
		`{"id": "b", "custom_id": "q7", "response": {"status_code": 200, "body": {"object": "chat.completion", "created": 1740823200, "choices": [{"message": {"role": "assistant", "content": "9"}}], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}}, "error": null}`)
	if a.CaseID != "q7" || a.Question != "How many?" || a.Response != "9" || *a.TokensIn != 5 || a.RanAt.Year() != 2025 {
		t.Errorf("got %+v", a)
	}
}

func TestSQLTool(t *testing.T) {
	text := `{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "tool_use", "name": "lookup", "input": {"text": "orders of 2024"}}, {"type": "tool_use", "name": "db", "input": {"sql": "SELECT 1"}}, {"type": "tool_use", "name": "other", "input": {"query": "SELECT 2"}}]}]}`
	for tool, want := range map[string]string{"": "SELECT 2", "db": "SELECT 1", "lookup": "orders of 2024", "absent": ""} {
		if a := one(t, imports.Options{SQLTool: tool}, text); a.SQL != want {
			t.Errorf("%s: got %q, want %q", tool, a.SQL, want)
		}
	}
}

// Records that cannot be read are counted and named, and the others are read.
func TestUnreadable(t *testing.T) {
	good := `{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}`
	for name, x := range map[string]struct {
		text string
		n    int
		want string
	}{
		"line":    {good + "\n{\"a\": \n" + strings.Replace(good, "x", "z", 1), 2, "f0.json:2: not valid JSON"},
		"unknown": {good + "\n{\"verb\": 1}\n", 1, "f0.json:2: unknown record; expected a trace in a form of docs/eval/traces.md"},
		"number":  {"7\n" + good, 1, "f0.json:1: unknown record"},
		"text":    {"event: x\n" + good, 1, "f0.json:1: not valid JSON"},
	} {
		got, traces := answers(t, imports.Options{}, x.text)
		if said := traces.problems; len(got) != x.n || traces.Unreadable != 1 || !strings.HasPrefix(said[0], x.want) {
			t.Errorf("%s: %d answers, %q", name, len(got), said)
		}
	}
	got, _ := answers(t, imports.Options{}, `{"run_type": "chain", "id": "1", "name": "a", "inputs": {"input": "q"}, "child_runs": [{"run_type": "tool", "name": null, "inputs": {}}]}`)
	if len(got) != 1 || got[0].Err == nil || !strings.Contains(got[0].Err.Error(), "name is missing") {
		t.Errorf("a call without a name: %+v", got)
	}
	got, traces := answers(t, imports.Options{}, "[\n"+good+",\n{\"mess", strings.Replace(good, "x", "z", 1))
	if said := traces.problems; len(got) != 2 || traces.Unreadable != 1 || !strings.Contains(said[0], "f0.json, record 2: byte") {
		t.Errorf("a file that is cut off: %d answers, %q", len(got), said)
	}
}

func TestPlan(t *testing.T) {
	line := func(question, at, answer string) string {
		return `{"timestamp": "` + at + `", "messages": [{"role": "user", "content": "` + question + `"}, {"role": "assistant", "content": "` + answer + `"}]}` + "\n"
	}
	_, traces := answers(t, imports.Options{}, line("How  MANY?", "2025-03-02T00:00:00Z", "late")+line("How many?", "2025-03-01T00:00:00Z", "early")+line("Unknown?", "2025-03-01T00:00:00Z", "u")+
		`{"messages": [{"role": "assistant", "content": "x"}], "response": {"choices": [{"message": {"role": "assistant", "content": "z"}}]}}`)
	var known imports.Questions
	known.Add("q1", "how many?")
	plan, err := traces.Plan(t.Context(), imports.Options{}, imports.Names{Agent: "atlas", Batch: "b"}, known)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Answers != 4 || plan.Doubled != 1 || plan.Unknown != 1 || plan.NoCase != 1 || plan.Written() != 2 {
		t.Errorf("got %+v", plan)
	}
	var got []string
	for c, err := range plan.Cases(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		text := imports.AppendLine(nil, c, []byte(`{"case_id": "`+c.ID+`", "gold": {"sql": "SELECT 1 < 2"}, "agent": {"sql": "old"}}`), nil)
		again, err := scoring.DecodeCase(text)
		if err != nil {
			t.Fatal(err)
		}
		if again.Golds[0].SQL != "SELECT 1 < 2" || again.Agent.Name != "atlas" || again.Pred.SQL != "" {
			t.Errorf("line %s", text)
		}
		got = append(got, c.ID[:2]+" "+again.Agent.Response)
	}
	if !slices.Equal(got, []string{"q1 late", "q- u"}) {
		t.Errorf("got %q", got)
	}
}

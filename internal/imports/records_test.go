package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/scoring"
)

// planOf plans the answers of files, and returns them as cases.
func planOf(t *testing.T, texts ...string) (*imports.Plan, *imported, []*scoring.Case) {
	t.Helper()
	traces := read(t, texts...)
	plan, err := traces.Plan(t.Context(), imports.Options{}, imports.Names{}, imports.Questions{})
	if err != nil {
		t.Fatal(err)
	}
	var cases []*scoring.Case
	for c, err := range plan.Cases(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		line := imports.AppendLine(nil, c, nil, nil)
		again, err := scoring.DecodeCase(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		cases = append(cases, again)
	}
	return plan, traces, cases
}

// session returns a trace of a product that is one turn of the session s.
var session = map[string]func(id, at, question string) string{
	"langfuse": func(id, at, question string) string {
		return fmt.Sprintf(`{"id": %q, "timestamp": %q, "sessionId": "s", "input": %q, "output": "a", "observations": []}`, id, at, question)
	},
	"langsmith": func(id, at, question string) string {
		return fmt.Sprintf(`{"id": %q, "trace_id": %[1]q, "run_type": "chain", "start_time": %q, "inputs": {"input": %q}, "outputs": {"output": "a"}, "extra": {"metadata": {"thread_id": "s"}}}`, id, at, question)
	},
	"opentelemetry": func(id, at, question string) string {
		return fmt.Sprintf(`{"traceId": %q, "spanId": "1", "startTime": %q, "attributes": {"gen_ai.conversation.id": "s", "gen_ai.prompt": %q, "gen_ai.completion": "a"}}`, id, at, question)
	},
	"messages": func(id, at, question string) string {
		return fmt.Sprintf(`{"custom_id": %q, "timestamp": %q, "thread_id": "s", "request": {"messages": [{"role": "user", "content": %q}]}, "response": {"role": "assistant", "content": "a"}}`, id, at, question)
	},
}

// The traces of a session are its turns, in the order of their time and not of the file.
func TestTurnsOfSessions(t *testing.T) {
	t.Parallel()
	for product, trace := range session {
		text := trace("t3", "2025-03-01T10:02:00Z", "Total?") + "\n" + trace("t1", "2025-03-01T10:00:00Z", "Oslo?") + "\n" +
			trace("t2", "2025-03-01T10:01:00.5Z", "Rome?") + "\n"
		plan, traces, cases := planOf(t, text)
		var got []string
		for _, c := range cases {
			got = append(got, fmt.Sprintf("%s %s %d", c.Question, c.Agent.ConversationID, c.Agent.Turn))
		}
		if want := "Total? s 3, Oslo? s 1, Rome? s 2"; strings.Join(got, ", ") != want || plan.NoTurn != 0 {
			t.Errorf("%s: got %q, want %q; %q", product, got, want, traces.problems)
		}
		text += trace("t4", "soon", "When?")
		if plan, _, cases := planOf(t, text); plan.NoTurn != 4 || len(cases) != 4 || cases[0].Agent.Turn != 0 {
			t.Errorf("%s: %d answers without turn, expected all of a session with an unknown time", product, plan.NoTurn)
		}
	}
}

// An answer that cannot be read is a turn, so that the turns after it keep their position.
func TestTurnThatCannotBeRead(t *testing.T) {
	t.Parallel()
	trace := session["langsmith"]
	broken := strings.Replace(trace("t2", "2025-03-01T10:01:00Z", "Rome?"), `"run_type": "chain"`,
		`"run_type": "tool", "name": null`, 1)
	plan, _, cases := planOf(t, trace("t1", "2025-03-01T10:00:00Z", "Oslo?"), broken, trace("t3", "2025-03-01T10:02:00Z", "Total?"))
	if plan.Unreadable != 1 || len(cases) != 2 || cases[1].Agent.Turn != 3 {
		t.Errorf("got %+v, %+v", plan, cases)
	}
}

// Lists of messages have the turns of their questions. One without an id has the same id in every import.
func TestTurnsOfMessages(t *testing.T) {
	t.Parallel()
	list := func(first string) string {
		return `{"messages": [{"role": "user", "content": "` + first + `"}, {"role": "assistant", "content": "3"}, {"role": "user", "content": "And in Rome?"}, {"role": "assistant", "content": "2"}]}` + "\n"
	}
	plan, _, a := planOf(t, list("Oslo?")+list("Bergen?"))
	_, _, b := planOf(t, list("Oslo?"))
	if len(a) != 4 || plan.Doubled != 0 || plan.NoTurn != 0 {
		t.Fatalf("%d cases, %+v", len(a), plan)
	}
	if a[0].Agent.ConversationID == "" || a[0].Agent.ConversationID != a[1].Agent.ConversationID ||
		a[0].Agent.ConversationID == a[2].Agent.ConversationID || a[1].Agent.ConversationID != b[1].Agent.ConversationID {
		t.Errorf("conversations %q, %q, %q", a[0].Agent.ConversationID, a[2].Agent.ConversationID, b[1].Agent.ConversationID)
	}
	if a[1].Agent.Turn != 2 || a[3].Agent.Turn != 2 || a[1].ID == a[3].ID || a[1].ID != b[1].ID || a[0].ID != b[0].ID {
		t.Errorf("a later turn is another question in another conversation: %q and %q, then %q", a[1].ID, a[3].ID, b[1].ID)
	}
	// Answers to one turn with one question are two answers to it, and keep its number.
	log := func(at, question string) string {
		return `{"timestamp": "` + at + `", "thread_id": "k", "messages": [{"role": "user", "content": "` + question + `"}, {"role": "assistant", "content": "` + at + `"}]}` + "\n"
	}
	plan, _, cases := planOf(t, log("2025-03-01T10:00:00Z", "Oslo?")+log("2025-03-01T10:05:00Z", "Oslo?"))
	if len(cases) != 1 || plan.Doubled != 1 || cases[0].Agent.Turn != 1 {
		t.Errorf("one question twice: %d cases, %+v", len(cases), plan)
	}
}

// A record that is read twice is counted once, in one file and over several, and duplicates are counted.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	tool := `{"traceId": "t", "spanId": "2", "parentSpanId": "1", "startTime": "2025-03-01T10:00:01Z", "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run_sql"}}`
	root := `{"traceId": "t", "spanId": "1", "startTime": "2025-03-01T10:00:00Z", "attributes": {"gen_ai.prompt": "q", "gen_ai.completion": "a", "gen_ai.usage.input_tokens": 7}}`
	run := `{"id": "r1", "trace_id": "r0", "parent_run_id": "r0", "run_type": "tool", "name": "run_sql", "start_time": "2025-03-01T10:00:01", "inputs": {}}`
	runs := `{"id": "r0", "trace_id": "r0", "run_type": "chain", "start_time": "2025-03-01T10:00:00", "inputs": {"input": "q"}, "outputs": {"output": "a"}, "prompt_tokens": 7, "child_runs": [` + run + `]}`
	seen := `{"id": "o", "traceId": "t", "type": "TOOL", "name": "run_sql", "input": {}, "usageDetails": {"input": 7}}`
	trace := `{"id": "t", "timestamp": "2025-03-01T10:00:00Z", "input": "q", "output": "a", "observations": [` + seen + `]}`
	for name, x := range map[string]struct {
		texts      []string
		duplicates int
	}{
		"spans in a file":         {[]string{root + "\n" + tool + "\n" + tool}, 1},
		"a file twice":            {[]string{root + "\n" + tool, root + "\n" + tool}, 2},
		"members in other order":  {[]string{root + "\n" + tool, strings.Replace(tool, `"traceId": "t", "spanId": "2"`, `"spanId": "2", "traceId": "t"`, 1)}, 1},
		"runs alone and children": {[]string{runs, run}, 1},
		"observations":            {[]string{seen, trace}, 1},
	} {
		plan, traces, cases := planOf(t, x.texts...)
		if len(cases) != 1 || plan.Duplicates != x.duplicates || plan.Conflicts != 0 || plan.Unreadable != 0 {
			t.Errorf("%s: %d cases, %+v, %q", name, len(cases), plan, traces.problems)
			continue
		}
		if c := cases[0]; len(c.Agent.ToolCalls) != 1 || c.Agent.TokensIn == nil || *c.Agent.TokensIn != 7 {
			t.Errorf("%s: calls %v, tokens %v", name, c.Agent.ToolCalls, c.Agent.TokensIn)
		}
	}
	same := `{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}` + "\n"
	if plan, _, cases := planOf(t, same+same); plan.Duplicates != 1 || len(cases) != 1 || plan.Doubled != 0 {
		t.Errorf("a list of messages twice: %+v", plan)
	}
	// MLflow wraps the spans of a trace.
	wrapped := `{"info": {"trace_id": "tr-1", "state": "OK"}, "data": {"spans": [` + root + `, ` + tool + `]}}`
	if plan, traces, cases := planOf(t, wrapped); len(cases) != 1 || cases[0].Agent.Response != "a" || len(cases[0].Agent.ToolCalls) != 1 {
		t.Errorf("a trace of MLflow: %+v, %q", plan, traces.problems)
	}
	// The same id in another trace is another span.
	if plan, _, _ := planOf(t, root+"\n"+strings.Replace(root, `"t"`, `"u"`, 1)); plan.Duplicates != 0 || plan.Answers != 2 {
		t.Errorf("two traces: %+v", plan)
	}
}

// A name for the agents of all traces is noted if these are several, since their answers replace each other.
func TestOneNameForSeveralAgents(t *testing.T) {
	t.Parallel()
	span := func(id, agent string) string {
		return `{"traceId": "` + id + `", "spanId": "1", "attributes": {"gen_ai.agent.name": "` + agent + `", "gen_ai.prompt": "q", "gen_ai.completion": "a"}}` + "\n"
	}
	for _, x := range []struct {
		text, name string
		notes      int
	}{
		{span("t", "nova") + span("u", "atlas"), "mine", 1}, {span("t", "nova") + span("u", "atlas"), "", 0}, {span("t", "nova") + span("u", "nova"), "mine", 0},
	} {
		plan, err := read(t, x.text).Plan(t.Context(), imports.Options{}, imports.Names{Agent: x.name}, imports.Questions{})
		if err != nil || len(plan.Notes) != x.notes || x.notes > 0 && !strings.Contains(plan.Notes[0], "2 agents (atlas, nova)") {
			t.Errorf("%q: %v, %q, want %d notes", x.name, err, plan.Notes, x.notes)
		}
	}
}

// Two different records with one id are reported with both places.
func TestConflicts(t *testing.T) {
	t.Parallel()
	span := `{"traceId": "t", "spanId": "1", "attributes": {"gen_ai.prompt": "q", "gen_ai.completion": "ANSWER"}}`
	plan, traces, cases := planOf(t, strings.Replace(span, "ANSWER", "old", 1), strings.Replace(span, "ANSWER", "new", 1))
	if plan.Conflicts != 1 || plan.Duplicates != 0 || len(traces.problems) != 1 || !strings.HasPrefix(traces.problems[0], "f0.json:1: f1.json:1 ") {
		t.Errorf("got %+v, %q", plan, traces.problems)
	}
	if len(cases) != 1 || cases[0].Agent.Response != "new" {
		t.Errorf("got %+v", cases)
	}
}

// Every record is in an answer, or it is reported with its place.
func TestRecordsDoNotVanish(t *testing.T) {
	t.Parallel()
	good := `{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}`
	for name, x := range map[string]struct{ text, want string }{
		"span without trace":       {`{"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "1", "attributes": []}]}]}]}`, "f0.json:1: resourceSpans[0].scopeSpans[0].spans[0]: a span without traceId"},
		"number as a span":         {`{"spans": [7]}`, "f0.json:1: spans[0]: expected a span"},
		"observation without type": {`{"id": "t", "observations": [{"id": "o"}]}`, "observations[0]: expected an observation"},
		"child without type":       {`{"id": "r", "run_type": "chain", "inputs": {"input": "q"}, "child_runs": [{"id": "c"}]}`, "child_runs[0]: a child run without run_type"},
		"messages of an assistant": {`{"messages": [{"role": "assistant", "content": "Hello"}]}`, "neither a question nor an answer"},
		"element of a list":        {`[[` + strings.Replace(good, "x", "z", 1) + `, 3]]`, "f0.json:1: [1]: unknown record"},
		"element of a wrapper":     {`{"data": [null]}`, "f0.json:1: [0]: unknown record"},
		"unknown":                  {`{"verb": 1}`, "f0.json:1: unknown record"},
		"duplicate member":         {`{"messages": [], "messages": []}`, `duplicate member "messages", expected each name once`},
		"lone surrogate":           {`{"messages": [{"role": "user", "content": "\ud83d"}]}`, "lone surrogate"},
		"invalid UTF-8":            {"{\"messages\": [{\"role\": \"user\", \"content\": \"\xff\"}]}", "UTF-8"},
		"deep":                     {`{"messages": [{"role": "user", "content": ` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}]}`, "nested deeper than 512"},
		"very deep":                {strings.Repeat("[", 200000) + strings.Repeat("]", 200000), "nested deeper than 512"},
		"duplicate key in text":    {`{"messages": [{"role": "user", "content": "d"}, {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{\"a\": 1, \"a\": 2}"}}]}]}`, `duplicate member "a"`},
		"NUL in a name":            {`{"thread_id": "a\u0000b", "messages": [{"role": "user", "content": "n"}]}`, "the conversation contains a NUL byte"},
	} {
		for layout, text := range map[string]string{"lines": x.text + "\n" + good + "\n", "after": good + "\n" + x.text + "\n"} {
			plan, traces, cases := planOf(t, text)
			found := false
			for _, p := range traces.problems {
				found = found || strings.Contains(strings.Replace(p, "f0.json:2", "f0.json:1", 1), x.want)
			}
			if !found || plan.Unreadable == 0 || len(cases) == 0 || cases[0].Agent.Response == "" && cases[len(cases)-1].Agent.Response != "y" {
				t.Errorf("%s, %s: %d cases, %+v, %q", name, layout, len(cases), plan, traces.problems)
			}
		}
		// In an array, which is not read by line, the other records are read as well.
		plan, traces, _ := planOf(t, "[\n"+x.text+",\n"+good+"\n]\n")
		if plan.Unreadable == 0 || plan.Answers == 0 {
			t.Errorf("%s in an array: %+v, %q", name, plan, traces.problems)
		}
	}
	if plan, _, _ := planOf(t, `{"resourceSpans": []}`, "", "{}\n", "\x00\x00\n", "\x1f\x8b\x08\x00\n"); plan.Answers != 0 || plan.Unreadable != 3 {
		t.Errorf("files without answers: %+v", plan)
	}
}

// The layouts of a file are distinguished by its first two lines.
func TestLayouts(t *testing.T) {
	t.Parallel()
	record := func(q string) string {
		return `{"messages": [{"role": "user", "content": "` + q + `"}, {"role": "assistant", "content": "y"}]}`
	}
	for name, x := range map[string]struct {
		text                string
		answers, unreadable int
	}{
		"lines":                 {record("a") + "\n\n" + record("b"), 2, 0},
		"one value over lines":  {strings.ReplaceAll(record("a"), ", ", ",\n"), 1, 0},
		"objects over lines":    {strings.ReplaceAll(record("a")+record("b"), ", ", ",\n"), 2, 0},
		"array with a record":   {"[\n" + record("a") + "\n]", 1, 0},
		"wrapper with a record": {"{\"data\": [\n" + record("a") + "\n]}", 1, 0},
		"two arrays":            {"[\n" + record("a") + "]\n[" + record("b") + "]", 2, 0},
		"first line cut off":    {`{"messages": [{"role": "us` + "\n" + record("a") + "\n" + record("b"), 2, 1},
		"a comma too many":      {"[\n" + record("a") + ",\n]", 1, 1},
		"text after an array":   {"[\n" + record("a") + "\n] x", 1, 1},
	} {
		if plan, traces, _ := planOf(t, x.text); plan.Answers != x.answers || plan.Unreadable != x.unreadable {
			t.Errorf("%s: %d answers, %d unreadable, %q", name, plan.Answers, plan.Unreadable, traces.problems)
		}
	}
}

// The input tokens of all APIs are those that the model read, with those that a cache held.
func TestTokens(t *testing.T) {
	t.Parallel()
	log := func(usage string) string {
		return `{"request": {"messages": [{"role": "user", "content": "q"}]}, "response": {"type": "message", "role": "assistant", "content": "a", "usage": ` + usage + `}}`
	}
	span := func(attributes string) string {
		return `{"traceId": "t", "spanId": "1", "attributes": {"gen_ai.prompt": "q", ` + attributes + `}}`
	}
	seen := func(usage string) string {
		return `{"id": "o", "traceId": "t", "type": "GENERATION", "input": "q", "output": "a", "usageDetails": ` + usage + `}`
	}
	for name, x := range map[string]struct {
		text    string
		want    int64 // -1: unknown
		invalid int
	}{
		"Anthropic":            {log(`{"input_tokens": 3, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 500, "output_tokens": 1}`), 543, 0},
		"Anthropic, no cache":  {log(`{"input_tokens": 3, "cache_read_input_tokens": null, "output_tokens": 1}`), 3, 0},
		"OpenAI":               {log(`{"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 60}, "completion_tokens": 1}`), 100, 0},
		"OpenAI with a proxy":  {log(`{"prompt_tokens": 100, "cache_read_input_tokens": 60, "completion_tokens": 1}`), 100, 0},
		"OpenAI Responses":     {log(`{"input_tokens": 100, "input_tokens_details": {"cached_tokens": 60}}`), 100, 0},
		"Bedrock":              {log(`{"inputTokens": 3, "cacheReadInputTokens": 40, "outputTokens": 1}`), 43, 0},
		"GenAI conventions":    {span(`"gen_ai.usage.input_tokens": 100, "gen_ai.usage.cache_read.input_tokens": 60`), 100, 0},
		"Langfuse, disjoint":   {seen(`{"input": 3, "input_cached_tokens": 40, "cache_creation_input_tokens": 500, "output": 1, "total": 544}`), 543, 0},
		"Langfuse, OpenAI":     {seen(`{"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101}`), 100, 0},
		"Langfuse, no usage":   {`{"id": "o", "traceId": "t", "type": "GENERATION", "input": "7", "output": "5000"}`, -1, 0},
		"Langfuse, text":       {`{"id": "o", "traceId": "t", "type": "GENERATION", "input": "q", "output": {"n": 5000}}`, -1, 0},
		"Langfuse, usage":      {`{"id": "o", "traceId": "t", "type": "GENERATION", "input": "7", "output": 8, "usage": {"input": 12, "output": 3, "unit": "TOKENS"}}`, 12, 0},
		"Langfuse, both":       {`{"id": "o", "traceId": "t", "type": "GENERATION", "input": "7", "output": 8, "usage": {"input": 11}, "usageDetails": {"input": 12}}`, 12, 0},
		"Langfuse, characters": {`{"id": "o", "traceId": "t", "type": "GENERATION", "input": "q", "usage": {"input": 12, "unit": "CHARACTERS"}}`, -1, 0},
		"Langfuse, earlier":    {`{"id": "o", "traceId": "t", "type": "GENERATION", "input": "7", "promptTokens": 13, "completionTokens": 2}`, 13, 0},
		"Langfuse, a tool":     {`{"id": "t", "timestamp": "2025-03-01T10:00:00Z", "input": "q", "output": "a", "observations": [{"id": "o", "traceId": "t", "type": "TOOL", "name": "f", "input": 7, "output": "5000"}]}`, -1, 0},
		"negative":             {log(`{"input_tokens": -3, "output_tokens": 1}`), -1, 1},
		"huge":                 {log(`{"input_tokens": 1e300}`), -1, 1},
		"a fraction":           {log(`{"input_tokens": 1.5}`), -1, 1},
		"a fraction of zeros":  {log(`{"input_tokens": 15.0}`), 15, 0},
		"the most":             {log(`{"input_tokens": 1000000000000}`), 1000000000000, 0},
		"more":                 {log(`{"input_tokens": 1000000000001}`), -1, 1},
		"text":                 {span(`"gen_ai.usage.input_tokens": "12"`), 12, 0},
		"not a number":         {span(`"gen_ai.usage.input_tokens": "many"`), -1, 1},
		"none":                 {log(`{}`), -1, 0},
		"the sum is too large": {log(`{"input_tokens": 1000000000000, "cache_read_input_tokens": 1000000000000}`), 1000000000000, 1},
	} {
		plan, _, cases := planOf(t, x.text)
		if len(cases) != 1 || plan.Invalid != x.invalid {
			t.Errorf("%s: %d cases, %+v", name, len(cases), plan)
			continue
		}
		got := int64(-1)
		if in := cases[0].Agent.TokensIn; in != nil {
			got = *in
		}
		if got != x.want {
			t.Errorf("%s: %d, want %d", name, got, x.want)
		}
	}
}

// Lines of batches are answers, and those that failed are answers with the error.
func TestBatches(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		texts    []string
		question string
		response string
		err      string
	}{
		"OpenAI Responses": {[]string{
			`{"custom_id": "q7", "method": "POST", "url": "/v1/responses", "body": {"model": "m", "input": "How many?"}}`,
			`{"id": "b", "custom_id": "q7", "response": {"status_code": 200, "body": {"object": "response", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "9"}]}]}}, "error": null}`,
		}, "How many?", "9", ""},
		"Anthropic": {[]string{
			`{"requests": [{"custom_id": "q7", "params": {"model": "m", "messages": [{"role": "user", "content": "How many?"}]}}]}`,
			`{"custom_id": "q7", "result": {"type": "succeeded", "message": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "9"}], "usage": {"input_tokens": 5, "output_tokens": 1}}}}`,
		}, "How many?", "9", ""},
		"Anthropic errored":  {[]string{`{"custom_id": "q7", "result": {"type": "errored", "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "too long"}}}}`}, "", "", "invalid_request_error: too long"},
		"Anthropic canceled": {[]string{`{"custom_id": "q7", "result": {"type": "canceled"}}`}, "", "", "canceled"},
		"Anthropic expired":  {[]string{`{"custom_id": "q7", "result": {"type": "expired"}}`}, "", "", "expired"},
		"OpenAI error":       {[]string{`{"id": "b", "custom_id": "q7", "response": null, "error": {"code": "batch_expired", "message": "too late"}}`}, "", "", "batch_expired: too late"},
		"OpenAI status":      {[]string{`{"custom_id": "q7", "response": {"status_code": 429, "body": {"error": {"message": "slow down", "type": "rate_limit"}}}, "error": null}`}, "", "", "rate_limit: slow down"},
		"OpenAI with input": {[]string{
			`{"custom_id": "q7", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": [{"role": "user", "content": "How many?"}]}}`,
			`{"custom_id": "q7", "response": {"status_code": 500, "body": {}}}`,
		}, "How many?", "", "HTTP status 500"},
	} {
		for i := range x.texts { // the order of the files does not matter
			texts := append(append([]string{}, x.texts[i:]...), x.texts[:i]...)
			a := one(t, imports.Options{CaseID: "custom_id"}, texts...)
			if a.CaseID != "q7" || a.Question != x.question || a.Response != x.response || a.Error != x.err {
				t.Errorf("%s: got %+v", name, a)
			}
		}
	}
}

// The error of the root of a trace is that of the answer. The error of a step is not.
func TestErrorsOfAgents(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ text, want string }{
		"langsmith":           {`{"id": "r", "run_type": "chain", "inputs": {"input": "q"}, "error": "TimeoutError()"}`, "TimeoutError()"},
		"langsmith, step":     {`{"id": "r", "run_type": "chain", "inputs": {"input": "q"}, "outputs": {"output": "a"}, "child_runs": [{"id": "c", "run_type": "tool", "name": "f", "inputs": {}, "error": "no such table"}]}`, ""},
		"opentelemetry":       {`{"traceId": "t", "spanId": "1", "status": {"code": 2, "message": "out of budget"}, "attributes": {"gen_ai.prompt": "q"}}`, "out of budget"},
		"opentelemetry, ok":   {`{"traceId": "t", "spanId": "1", "status": {"code": 1}, "attributes": {"gen_ai.prompt": "q"}}`, ""},
		"opentelemetry, bare": {`{"traceId": "t", "spanId": "1", "status": {"code": "STATUS_CODE_ERROR"}, "attributes": {"gen_ai.prompt": "q", "error.type": "ValueError"}}`, "ValueError"},
		"langfuse":            {`{"id": "o", "traceId": "t", "type": "AGENT", "name": "a", "input": "q", "level": "ERROR", "statusMessage": "out of budget"}`, "out of budget"},
		"langfuse, warning":   {`{"id": "o", "traceId": "t", "type": "AGENT", "name": "a", "input": "q", "level": "WARNING", "statusMessage": "slow"}`, ""},
	} {
		plan, traces, cases := planOf(t, x.text)
		if len(cases) != 1 || cases[0].Pred.Error != x.want || plan.Failed != min(len(x.want), 1) {
			t.Errorf("%s: got %+v, %q", name, cases, traces.problems)
		}
	}
}

// Of several samples the first is the answer, and the others are counted.
func TestSamples(t *testing.T) {
	t.Parallel()
	log := `{"request": {"messages": [{"role": "user", "content": "q"}]}, "response": {"choices": [{"message": {"role": "assistant", "content": "a"}}, {"message": {"role": "assistant", "content": "b"}}, {"message": {"role": "assistant", "content": "c"}}]}}`
	if plan, _, cases := planOf(t, log); plan.Samples != 2 || len(cases) != 1 || cases[0].Agent.Response != "a" {
		t.Errorf("got %+v, %+v", plan, cases)
	}
}

// If only the calls of tools are in the files, a trace lacks its question: it is not an answer to the input of a tool.
func TestOnlyTools(t *testing.T) {
	t.Parallel()
	run := `{"id": "r2", "parent_run_id": "gone", "trace_id": "t9", "run_type": "tool", "name": "run_sql", "inputs": {"input": "{'sql': 'SELECT 1'}"}}`
	tool := `{"id": "o2", "traceId": "t9", "parentObservationId": "gone", "type": "TOOL", "name": "run_sql", "input": {"sql": "SELECT 1"}, "output": "1"}`
	for name, x := range map[string]struct {
		text     string
		question string // "" if the trace is not an answer
	}{
		"LangSmith, a tool":                   {run, ""},
		"LangSmith, a retriever":              {strings.Replace(run, `"tool"`, `"retriever"`, 1), ""},
		"LangSmith, an outermost tool":        {strings.Replace(run, `"parent_run_id": "gone", `, "", 1), ""},
		"LangSmith, a tool before its chain":  {run + "\n" + `{"id": "r1", "parent_run_id": "gone", "trace_id": "t9", "run_type": "chain", "inputs": {"question": "Q?"}}`, "Q?"},
		"Langfuse, a tool":                    {tool, ""},
		"Langfuse, a tool before its span":    {tool + "\n" + `{"id": "o1", "traceId": "t9", "parentObservationId": "gone", "type": "SPAN", "input": "Q?", "output": "1"}`, "Q?"},
		"Langfuse, a tool and its trace":      {tool + "\n" + `{"id": "t9", "timestamp": "2025-03-01T10:00:00Z", "input": "Q?", "output": "1"}`, "Q?"},
		"OpenTelemetry, a tool without agent": {`{"traceId": "t9", "spanId": "2", "parentSpanId": "1", "name": "execute_tool f", "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f", "gen_ai.tool.call.arguments": "{}"}}`, ""},
	} {
		plan, traces, cases := planOf(t, x.text)
		switch {
		case x.question == "" && (len(cases) != 0 || name[:2] == "La" && plan.Unreadable != 1):
			t.Errorf("%s: %d answers, %d unreadable, %q", name, len(cases), plan.Unreadable, traces.problems)
		case x.question != "" && (len(cases) != 1 || cases[0].Question != x.question || plan.Unreadable > 0):
			t.Errorf("%s: %+v, %q", name, cases, traces.problems)
		}
	}
}

// An answer whose trace lacks the key of the case_id is counted, because its case is found by the text of the question.
func TestTracesWithoutKey(t *testing.T) {
	t.Parallel()
	text := `{"metadata": {"case": "q1"}, "messages": [{"role": "user", "content": "One?"}, {"role": "assistant", "content": "1"}]}
{"messages": [{"role": "user", "content": "Two?"}, {"role": "assistant", "content": "2"}]}`
	for key, want := range map[string]int{"": 0, "case": 1, "cse": 2} {
		plan, err := read(t, text).Plan(t.Context(), imports.Options{CaseID: key}, imports.Names{}, imports.Questions{})
		if err != nil || plan.NoKey != want || plan.Answers != 2 {
			t.Errorf("--case-id %q: %d of %d without it, want %d; %v", key, plan.NoKey, plan.Answers, want, err)
		}
	}
}

// The plan counts what the pages of an export lack.
func TestPagesOfTraces(t *testing.T) {
	t.Parallel()
	trace := `{"id": "t1", "timestamp": "2025-03-01T10:00:00Z", "input": "Q?", "output": "3"}`
	for text, want := range map[string]imports.Missing{
		`{"data": [` + trace + `], "meta": {"page": 1, "limit": 1, "totalItems": 8, "totalPages": 8}}`:                 {Records: 7},
		`{"data": [` + trace + `], "meta": {"page": 1, "limit": 1, "totalItems": 1, "totalPages": 1}}`:                 {},
		`{"runs": [` + strings.Replace(trace, `"id"`, `"run_type": "chain", "id"`, 1) + `], "cursors": {"next": "c"}}`: {Pages: 1},
	} {
		if plan, _, _ := planOf(t, text); plan.Missing != want || plan.Answers != 1 || (len(plan.Notes) > 0) != (want != imports.Missing{}) {
			t.Errorf("%s: %+v", text, plan)
		}
	}
}

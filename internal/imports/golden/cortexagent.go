package golden

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// Snowflake Cortex Agent evaluation sets: a table with a question and a ground truth, exported as CSV or JSON. Without
// invocations the calls are not compared; an empty list means that the agent calls no tool.
func init() {
	truths := func(member string) (name string, also []string) {
		all := []string{"ground_truth", "output", "ground_truth_data", "expected_tools", "expected"}
		for i := range all {
			all[i] += "." + member
		}
		return all[0], append(all[1:], member)
	}
	calls, otherCalls := truths("ground_truth_invocations")
	output, otherOutputs := truths("ground_truth_output")
	register(&Kind{
		Name: "cortex-agent", Title: "Cortex Agent evaluation sets", dialect: "snowflake",
		signs: []string{"input_query", "ground_truth_invocations", "ground_truth_output"},
		fields: []field{
			{name: "test_id", also: []string{"id", "case_id"}, to: "case_id"},
			{name: "input_query", also: []string{"query_text", "query", "question", "input"}, to: "question", need: true},
			{name: "test_category", also: []string{"category"}, to: "tags"},
			{name: calls, also: otherCalls, to: "expected.tools", read: readInvocations},
			{name: output, also: otherOutputs, to: "gold"},
		},
		files: (*Set).anyFile,
	})
}

// readInvocations reads the expected calls in their order, and the query that one of them is expected to write. The
// invocations stay in meta, because a call has no place for the output.
func readInvocations(c *Case, raw json.RawMessage) error {
	if raw[0] == '"' {
		raw = jsonscan.Unquote(raw)
		if !json.Valid(raw) || len(raw) == 0 {
			return expected("a list of invocations", quoted(string(raw)))
		}
	}
	if raw[0] != '[' {
		return expected("a list of invocations", raw)
	}
	calls := jsonscan.ParseList(raw)
	sequence := func(one json.RawMessage) int {
		n, err := strconv.Atoi(strings.Trim(string(jsonscan.ParseObject(one).Get("tool_sequence")), `"`))
		if err != nil {
			return -1
		}
		return n
	}
	if !slices.ContainsFunc(calls, func(one json.RawMessage) bool { return sequence(one) < 0 }) {
		slices.SortStableFunc(calls, func(a, b json.RawMessage) int { return sequence(a) - sequence(b) })
	}
	list := members{[]byte{'['}}
	for _, one := range calls {
		o := jsonscan.ParseObject(one)
		name := string(jsonscan.Unquote(o.Get("tool_name")))
		if name == "" {
			return expected("a tool_name in each invocation", one)
		}
		call := members{[]byte{'{'}}
		call.text("name", name)
		if input := o.Get("tool_input"); len(input) > 0 && input[0] == '{' {
			call.raw("arguments", input)
		}
		list.raw("", append(call.to, '}'))
		if sql := outputSQL(o.Get("tool_output")); sql != "" {
			c.addGolds(sql)
		}
	}
	c.Tools = append(list.to, ']')
	return errKept
}

// outputSQL returns the query in the expected output of a tool: its member SQL, or what follows "SQL:" up to a blank
// line.
func outputSQL(raw json.RawMessage) string {
	if o := objectIn(raw); o != nil {
		value, _ := lookUp(o, "sql")
		return string(jsonscan.Unquote(value))
	}
	text := strings.TrimSpace(string(jsonscan.Unquote(raw)))
	if rest, ok := strings.CutPrefix(text, "SQL:"); ok {
		text, _, _ = strings.Cut(rest, "\n\n")
	}
	if text = strings.TrimSpace(text); imports.StartsSQL(text) {
		return text
	}
	return ""
}

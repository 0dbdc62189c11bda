package imports

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// sqlKeys are the arguments in which tools take SQL.
var sqlKeys = []string{"sql", "query", "statement", "sql_query", "sqlQuery"}

// startsSQL matches the beginning of a query. It excludes search words, which other tools take in an argument query.
var startsSQL = regexp.MustCompile(`(?is)^\s*(--[^\n]*\n\s*|/\*.*?\*/\s*|\(\s*)*(SELECT|WITH|SHOW|DESCRIBE|EXPLAIN|VALUES|FROM)\b`)

// StartsSQL reports whether text begins as a query does.
func StartsSQL(text string) bool { return startsSQL.MatchString(text) }

// sqlOf returns the SQL of the last call that has SQL in its arguments. If tool is not "", it is the last call of tool.
func sqlOf(calls []scoring.ToolCall, tool string) string {
	for _, c := range slices.Backward(calls) {
		if tool != "" && c.Name != tool {
			continue
		}
		if sql := sqlIn(c.Arguments, tool != ""); sql != "" {
			return sql
		}
	}
	return ""
}

// sqlIn returns the SQL in the arguments of a call. Unless sure is set, it must begin as a query does.
func sqlIn(arguments json.RawMessage, sure bool) string {
	o := objectOf(arguments)
	if o == nil {
		if text := textOf(arguments); sure || startsSQL.MatchString(text) {
			return strings.TrimSpace(text)
		}
		return ""
	}
	for _, key := range sqlKeys {
		if text := textOf(o.get(key)); text != "" && (sure || startsSQL.MatchString(text)) {
			return strings.TrimSpace(text)
		}
	}
	if sure && len(o) == 1 {
		return strings.TrimSpace(textOf(o[0].Value))
	}
	return ""
}

// outputSQL returns the SQL in the logged output of an agent that no tool call has: in a member such as sql of an
// object or of JSON in a text, or a text that is a query in a Markdown fence and nothing else.
func outputSQL(raw json.RawMessage) string {
	o := objectOf(unquoted(raw))
	if o == nil {
		return fencedSQL(textOf(raw))
	}
	for _, key := range sqlKeys {
		text := textOf(o.get(key))
		if text = cmp.Or(fencedSQL(text), text); startsSQL.MatchString(text) {
			return strings.TrimSpace(text)
		}
	}
	for _, key := range []string{"output", "result", "response", "answer", "message", "content"} {
		switch inner := o.get(key); {
		case objectOf(unquoted(inner)) != nil:
			if sql := outputSQL(inner); sql != "" {
				return sql
			}
		case inner != nil:
			if sql := fencedSQL(textOf(inner)); sql != "" {
				return sql
			}
		}
	}
	return ""
}

// fencedSQL returns the query of a text that is one Markdown fence; "" for other text, such as an explanation with a
// fence in it, since that may show a query that the agent did not run.
func fencedSQL(text string) string {
	text, is := strings.CutPrefix(strings.TrimSpace(text), "```")
	text, ends := strings.CutSuffix(text, "```")
	_, inner, lines := strings.Cut(text, "\n")
	if !is || !ends || !lines || strings.Contains(inner, "```") || !startsSQL.MatchString(inner) {
		return ""
	}
	return strings.TrimSpace(inner)
}

// resultSQL returns the last SQL in results of tools that write SQL, such as {"json": {"sql": …}} of Cortex Analyst.
func resultSQL(raw json.RawMessage, depth int) (sql string) {
	if depth > maxNesting {
		return ""
	}
	for _, m := range listOf(raw) {
		sql = cmp.Or(resultSQL(m, depth+1), sql)
	}
	o := objectOf(raw)
	for _, key := range []string{"content", "tool_result", "tool_results", "json", "message"} {
		if raw := o.get(key); raw != nil {
			sql = cmp.Or(resultSQL(raw, depth+1), sql)
		}
	}
	if text := textOf(o.first("sql", "statement")); startsSQL.MatchString(text) {
		return strings.TrimSpace(text)
	}
	return sql
}

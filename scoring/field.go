package scoring

import "strings"

// Field is a set of parts of a case that a metric needs, or reads if they are present. The arguments of the metric's
// SQL function are derived from it.
type Field uint

// The fields; [Fields] describes each of them.
const (
	FieldDialect Field = 1 << iota // the SQL dialect of both queries; never missing
	FieldCase                      // the whole case, for metrics that use scores of other metrics; never missing
	// the behaviour the question calls for, and whether the agent gave a result at all; never missing
	FieldBehaviour
	FieldQuestion       // the question
	FieldInterpretation // the question in the agent's words
	FieldResponse       // the agent's answer in prose
	FieldGoldSQL        // the accepted query
	FieldPredSQL        // the agent's query
	FieldGoldResult     // the accepted result
	FieldPredResult     // the agent's result
	FieldExecution      // whether the agent's query ran, and its error
	FieldTools          // expected and made tool calls
	FieldLatency        // both latencies
	FieldEvidence       // hints that came with the question
	FieldSchema         // DDL of the tables
	FieldGoldError      // whether the accepted query failed; never missing
	FieldClarifications // the questions that a correct agent asks back; never missing
	FieldChart          // the charts of the agent and of gold; missing if there is neither
	FieldContexts       // the passages that the agent retrieved
	// a judge, which is not part of a case: the engine has one or not
	FieldJudge
)

// FieldInfo describes a field.
type FieldInfo struct {
	Field Field
	Name  string     // one word, by which the files of custom judges name the field
	Words string     // the phrase for the field in lists of a metric's inputs
	Args  []FieldArg // its arguments in SQL functions; empty for the judge, which is not part of a case

	// Lacks returns the reason why a metric that needs the field is not applicable to the input, such as "no question
	// given", or "" if the field is present. It does not resolve references. If nil, the field is never missing.
	Lacks func(in *Input) string
}

// FieldArg is one argument of an SQL function, with the key of a case file that holds the same value.
type FieldArg struct {
	Name string
	Key  string // with the keys of the enclosing objects, such as agent.sql; empty: the whole case
	Doc  string
	Also Field // another field that has the same argument
}

// Fields returns the descriptions of all fields in the order of the arguments of SQL functions. If a case lacks
// several needed fields, the score names the first of them in this order.
func Fields() []FieldInfo { return fields }

var fields = []FieldInfo{
	{FieldDialect, "dialect", "the SQL dialect", []FieldArg{
		{Name: "dialect", Key: "dialect", Doc: "the SQL dialect of both queries, such as snowflake or bigquery"},
	}, nil},
	{FieldCase, "case", "the whole case", []FieldArg{
		{Name: "case_json", Doc: "the whole case, as a line of a case file"},
	}, nil},
	{FieldBehaviour, "behaviour", "the expected behaviour", []FieldArg{
		{Name: "expected_behaviour", Key: "expected.behaviour",
			Doc: "what the question calls for: answer, clarify or refuse"},
	}, nil},
	{FieldQuestion, "question", "question", []FieldArg{
		{Name: "question", Key: "question", Doc: "the question that was asked"},
	}, blank("question", func(in *Input) string { return in.Case.Question })},
	{FieldInterpretation, "interpretation", "the agent's interpretation", []FieldArg{
		{Name: "interpretation", Key: "agent.interpretation", Doc: "the question in the agent's own words"},
	}, blank("interpretation of the agent", func(in *Input) string { return in.Case.Agent.Interpretation })},
	{FieldResponse, "response", "the agent's response", []FieldArg{
		{Name: "response", Key: "agent.response", Doc: "the agent's answer in prose"},
	}, blank("response of the agent", func(in *Input) string { return in.Case.Agent.Response })},
	{FieldGoldSQL, "gold_sql", "gold SQL", []FieldArg{
		{Name: "gold_sql", Key: "gold.sql", Doc: "the accepted query"},
	}, func(in *Input) string {
		if in.Gold == nil || strings.TrimSpace(in.Gold.SQL) == "" {
			return noGoldSQL
		}
		return ""
	}},
	{FieldPredSQL, "sql", "the agent's SQL", []FieldArg{
		{Name: "agent_sql", Key: "agent.sql", Doc: "the agent's query"},
	}, lacksPredSQL},
	{FieldGoldResult, "gold_result", "gold result", []FieldArg{
		{Name: "gold_result", Key: "gold.result",
			Doc: `the accepted result: inline JSON {"columns":…,"rows":…} or a reference query:…, table:…, file:…`},
	}, lacksGoldResult},
	{FieldPredResult, "result", "the agent's result", []FieldArg{
		{Name: "agent_result", Key: "agent.result", Doc: "the agent's result, inline or by reference", Also: FieldBehaviour},
	}, func(in *Input) string {
		if in.Pred.Result.Absent() {
			return NoPredResult
		}
		return ""
	}},
	{FieldExecution, "error", "whether the agent's query ran", []FieldArg{
		{Name: "sql_error", Key: "agent.error",
			Doc: "the database's error message if the agent's query failed; NULL or empty if it ran"},
	}, func(in *Input) string {
		if in.Pred.Ran {
			return ""
		}
		if reason := lacksPredSQL(in); reason != "" {
			return reason
		}
		return "the agent's query was not run"
	}},
	{FieldTools, "tools", "expected and made tool calls", []FieldArg{
		{Name: "expected_tools", Key: "expected.tools",
			Doc: "the tool calls that a correct agent makes: a JSON list, or a specification"},
		{Name: "tool_calls", Key: "agent.tool_calls",
			Doc: `the tool calls the agent made: a JSON list of names or {"name":…,"arguments":…}, or a trace in a form of docs/eval/traces.md; NULL if calls were not logged`},
	}, func(in *Input) string { return missingInput("expected tools", len(in.Case.Expected.Tools) == 0) }},
	{FieldLatency, "latency", "both latencies", []FieldArg{
		{Name: "gold_latency_ms", Key: "gold.latency_ms", Doc: "how long the accepted query ran, in milliseconds"},
		{Name: "agent_latency_ms", Key: "agent.latency_ms", Doc: "how long the agent's query ran, in milliseconds"},
	}, func(in *Input) string {
		if in.Gold == nil || in.Gold.Latency == nil {
			return missingInput("gold latency", true)
		}
		return missingInput("latency of the agent", in.Pred.Latency == nil)
	}},
	{FieldEvidence, "evidence", "evidence", []FieldArg{
		{Name: "evidence", Key: "evidence", Doc: "hints that came with the question"},
	}, blank("evidence", func(in *Input) string { return in.Case.Evidence })},
	{FieldSchema, "schema_ddl", "schema", []FieldArg{
		{Name: "schema_ddl", Key: "schema_ddl", Doc: "DDL of the tables the question is about"},
	}, blank("schema", func(in *Input) string { return in.Case.Schema })},
	{FieldGoldError, "gold_error", "whether the accepted query failed", []FieldArg{
		{Name: "gold_error", Key: "gold.error", Doc: "the database's error message if the accepted query failed"},
	}, nil},
	{FieldClarifications, "clarifications", "expected clarifications", []FieldArg{
		{Name: "expected_clarifications", Key: "expected.clarifications",
			Doc: "the questions that a correct agent asks back: a JSON list of strings"},
	}, nil},
	{FieldChart, "chart", "the chart", []FieldArg{
		{Name: "agent_chart", Key: "agent.chart",
			Doc: `the chart that the agent shows, described as data: Vega-Lite, a Plotly figure, or fields such as {"mark":"bar","x":"region","y":"revenue"}`},
		{Name: "gold_chart", Key: "gold.chart", Doc: "the accepted chart, in any of these forms; NULL if any chart of the result is accepted"},
	}, func(in *Input) string {
		return missingInput("chart", len(in.Pred.Chart) == 0 && (in.Gold == nil || len(in.Gold.Chart) == 0))
	}},
	{FieldContexts, "contexts", "retrieved passages", []FieldArg{
		{Name: "contexts", Key: "agent.contexts",
			Doc: `the passages that the agent retrieved: a JSON list of {"id":…,"text":…,"title":…,"source":…}, or of strings`},
	}, func(in *Input) string { return missingInput("retrieved passages", len(in.Case.Agent.Contexts) == 0) }},
	{FieldJudge, "judge", "a judge", nil, nil},
}

const (
	noGoldSQL    = "no gold SQL given"
	noGoldResult = "no gold result given"
)

func missingInput(what string, missing bool) string {
	if missing {
		return "no " + what + " given"
	}
	return ""
}

// blank returns a function that returns "no … given", with what, if the string that text returns is blank, else "".
func blank(what string, text func(in *Input) string) func(in *Input) string {
	return func(in *Input) string { return missingInput(what, strings.TrimSpace(text(in)) == "") }
}

func lacksPredSQL(in *Input) string {
	switch callsFor := otherThanAnswer(in.Case.Expected.Behaviour); {
	case strings.TrimSpace(in.Pred.SQL) != "":
		return ""
	case callsFor != "": // the right answer has no SQL
		return noSQLFor(callsFor)
	}
	return NoPredSQL
}

func noSQLFor(callsFor string) string {
	return "the question calls for a " + callsFor + ", and the agent gave no SQL"
}

func lacksGoldResult(in *Input) string {
	switch {
	case in.Gold == nil || in.Gold.Result.Absent() && in.Gold.Error == "":
		return noGoldResult
	case in.Gold.Result.Absent():
		return GoldFailed
	}
	return ""
}

// lacks returns the reason for the first of the needed fields that the input lacks, or "" if it has all of them.
func (in *Input) lacks(needs Field) string {
	for i := range fields {
		if f := &fields[i]; needs&f.Field != 0 && f.Lacks != nil {
			if reason := f.Lacks(in); reason != "" {
				return reason
			}
		}
	}
	return ""
}

package golden

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// Databricks Genie: the benchmark questions of a space, or the results of its evaluation runs.
func init() {
	register(&Kind{
		Name: "genie", Title: "Databricks Genie", dialect: "databricks",
		signs: []string{"serialized_space", "benchmarks.questions", "eval_results", "benchmark_question_id"},
		fields: []field{
			{name: "id", to: "case_id"},
			{name: "question", to: "question", need: true, read: readQuestionLines,
				write: func(c *Case) json.RawMessage { return textList([]string{c.Question}) }},
			{name: "answer", to: "gold.sql", read: readGenieAnswer, write: writeGenieAnswer},
		},
		list:   genieRecords,
		finish: genieVerdict,
		write:  writeGenie,
	})
}

// genieResult are the fields of a result of an evaluation run.
var genieResult = []field{
	{name: "benchmark_question_id", to: "case_id", need: true},
	{name: "question", to: "question", read: readQuestionLines},
	{name: "benchmark_answer", to: "gold.sql", read: readGenieBenchmark},
	{name: "expected_response", to: "gold.sql", read: readGenieExpected},
	{name: "actual_response", to: "agent", read: readGenieActual},
}

func readQuestionLines(c *Case, raw json.RawMessage) (err error) {
	c.Question, err = linesIn(raw)
	return err
}

// linesIn returns a text, or the lines of a list as one text.
func linesIn(raw json.RawMessage) (string, error) {
	lines, err := textsIn(raw)
	if err != nil {
		return "", err
	}
	between := "" // lines end in a line feed or a blank, or in neither
	for _, line := range lines[:max(0, len(lines)-1)] {
		if strings.TrimRight(line, "\n ") == line {
			between = "\n"
		}
	}
	return strings.TrimRight(strings.Join(lines, between), "\n"), nil
}

// readGenieAnswer reads the answers of a benchmark question that are SQL.
func readGenieAnswer(c *Case, raw json.RawMessage) error {
	if raw[0] != '[' {
		return expected("a list of answers", raw)
	}
	kept := false
	for _, one := range jsonscan.ParseList(raw) {
		o := jsonscan.ParseObject(one)
		if !strings.EqualFold(string(jsonscan.Unquote(o.Get("format"))), "SQL") {
			kept = true
			continue
		}
		sql, err := linesIn(o.Get("content"))
		if err != nil {
			return fmt.Errorf("content: %w", err)
		}
		c.addGolds(sql)
	}
	if kept {
		return errKept
	}
	return nil
}

func writeGenieAnswer(c *Case) json.RawMessage {
	l := members{[]byte{'['}}
	for _, sql := range c.queries() {
		lines := strings.SplitAfter(sql, "\n")
		answer := members{[]byte{'{'}}
		answer.text("format", "SQL")
		answer.list("content", lines)
		l.raw("", append(answer.to, '}'))
	}
	if len(l.to) == 1 {
		return nil
	}
	return append(l.to, ']')
}

// readGenieBenchmark reads the answer of a benchmark as text or in its own form.
func readGenieBenchmark(c *Case, raw json.RawMessage) error {
	if raw[0] == '"' {
		if text := string(jsonscan.Unquote(raw)); imports.StartsSQL(text) {
			c.addGolds(text)
			return nil
		}
		return errKept
	}
	return readGenieAnswer(c, raw)
}

// genieResponses returns the last query and text of a list of responses.
func genieResponses(raw json.RawMessage) (sql, text string, err error) {
	if raw[0] != '[' {
		return "", "", expected("a list of responses", raw)
	}
	for _, one := range jsonscan.ParseList(raw) {
		o := jsonscan.ParseObject(one)
		value := string(jsonscan.Unquote(o.Get("response")))
		if strings.EqualFold(string(jsonscan.Unquote(o.Get("response_type"))), "SQL") {
			sql = value
		} else if value != "" {
			text = value
		}
	}
	return sql, text, nil
}

func readGenieExpected(c *Case, raw json.RawMessage) error {
	sql, _, err := genieResponses(raw)
	if err == nil && sql != "" && !slices.Contains(c.queries(), sql) {
		c.addGolds(sql)
	}
	return firstError(err, errKept)
}

func readGenieActual(c *Case, raw json.RawMessage) (err error) {
	c.Answer.SQL, c.Answer.Response, err = genieResponses(raw)
	return firstError(err, errKept)
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// genieRecords returns the benchmark questions of a space, or the results of an evaluation run.
func genieRecords(s *Set, document jsonscan.Object) (out []listed, ok bool, err error) {
	switch {
	case document.Get("serialized_space") != nil, document.Get("benchmarks") != nil:
		s.forms |= 1
	default:
		s.forms |= 2
	}
	if raw := document.Get("serialized_space"); raw != nil {
		space := objectIn(raw)
		if space == nil {
			return nil, false, errcode.New(errcode.InvalidArgument,
				"serialized_space: expected a JSON object in a string, as ?include_serialized_space=true returns it")
		}
		return genieSpace(s, space)
	}
	if document.Get("benchmarks") != nil || document.Get("data_sources") != nil {
		return genieSpace(s, document)
	}
	for _, name := range []string{"eval_results", "results"} {
		if raw := document.Get(name); raw != nil && raw[0] == '[' {
			for i, one := range jsonscan.ParseList(raw) {
				at := fmt.Sprintf("%s[%d]", name, i)
				out = append(out, genieListed(at, jsonscan.ParseObject(one)))
			}
			return out, true, nil
		}
	}
	if document.Get("benchmark_question_id") != nil {
		return []listed{genieListed("", document)}, true, nil
	}
	spaces := jsonscan.ParseList(document.Get("spaces"))
	if spaces != nil || document.Get("space_id") != nil && document.Get("question") == nil {
		return nil, false, errcode.New(errcode.InvalidArgument,
			"serialized_space is missing: expected a space with it, as GET /api/2.0/genie/spaces/ID?include_serialized_space=true returns it")
	}
	return nil, false, nil
}

// genieListed returns a result of an evaluation run: an element of the list of results, or its details, which the API
// returns one by one.
func genieListed(at string, record jsonscan.Object) listed {
	return listed{at: at, record: record, fields: genieResult, whole: string(jsonscan.Unquote(record.Get("result_id")))}
}

func genieSpace(s *Set, space jsonscan.Object) (out []listed, ok bool, err error) {
	for i, one := range jsonscan.ParseList(jsonscan.ParseObject(space.Get("benchmarks")).Get("questions")) {
		out = append(out, listed{at: fmt.Sprintf("benchmarks.questions[%d]", i), record: jsonscan.ParseObject(one)})
	}
	if n := len(jsonscan.ParseList(jsonscan.ParseObject(space.Get("instructions")).Get("example_question_sqls"))); n > 0 {
		s.note("%d example questions of the instructions are not imported, because the agent is given their SQL", n)
	}
	return out, true, nil
}

// genieRelations maps the reasons of an assessment to badger's relations that are the same finding. Reasons that say
// what is wrong in a way that no relation does have none.
var genieRelations = map[string][]string{
	"EMPTY_RESULT":           {"pred_empty"},
	"EMPTY_GOOD_SQL":         {"gold_empty"},
	"RESULT_MISSING_ROWS":    {"subset"},
	"RESULT_EXTRA_ROWS":      {"superset"},
	"RESULT_MISSING_COLUMNS": {"dropped_columns"},
	"RESULT_EXTRA_COLUMNS":   {"extra_columns"},
	"SINGLE_CELL_DIFFERENCE": {"value_differs"},
	"COLUMN_TYPE_DIFFERENCE": {"formatted"},

	"LLM_JUDGE_MISSING_OR_INCORRECT_FILTER":      {"filter_missing", "filter_added"},
	"LLM_JUDGE_MISSING_OR_INCORRECT_JOIN":        {"tables_fewer", "tables_differ"},
	"LLM_JUDGE_MISSING_OR_INCORRECT_AGGREGATION": {"aggregate_differs", "group_differs"},
	"LLM_JUDGE_INCORRECT_METRIC_CALCULATION":     {"measures_differ"},
	"LLM_JUDGE_INCORRECT_TABLE_OR_FIELD_USAGE":   {"tables_differ", "select_differs"},
	"LLM_JUDGE_INCOMPLETE_OR_PARTIAL_OUTPUT":     {"subset", "dropped_columns"},
	"LLM_JUDGE_FORMATTING_ERROR":                 {"formatted"},

	"LLM_JUDGE_INCORRECT_FUNCTION_USAGE":                         nil,
	"LLM_JUDGE_INSTRUCTION_COMPLIANCE_OR_MISSING_BUSINESS_LOGIC": nil,
	"LLM_JUDGE_MISINTERPRETATION_OF_USER_REQUEST":                nil,
	"LLM_JUDGE_OTHER": nil,

	// Reasons of earlier versions of the API.
	"LLM_JUDGE_WRONG_FILTER":      {"filter_missing", "filter_added"},
	"LLM_JUDGE_WRONG_AGGREGATION": {"aggregate_differs", "group_differs"},
	"LLM_JUDGE_WRONG_COLUMNS":     {"select_differs"},
	"LLM_JUDGE_MISSING_JOIN":      {"tables_fewer"},
	"LLM_JUDGE_SYNTAX_ERROR":      {"query_failed"},
	"LLM_JUDGE_SEMANTIC_ERROR":    nil,
}

// genieVerdict makes the assessment a label, and adds the relations of its reasons to meta. Which assessments are those
// of people, meta.manual_assessment says.
func genieVerdict(s *Set, c *Case, record jsonscan.Object) error {
	raw := record.Get("assessment")
	if raw == nil {
		return nil
	}
	manual := string(record.Get("manual_assessment")) == "true"
	by := "by Genie"
	if manual {
		by = "by a person"
	}
	var reasons []string
	if list := record.Get("assessment_reasons"); !blank(list) {
		var err error
		if reasons, err = textsIn(list); err != nil {
			return fmt.Errorf("assessment_reasons: %w", err)
		}
	}
	switch assessment := string(jsonscan.Unquote(raw)); assessment {
	case "GOOD":
		c.Label = "pass"
	case "BAD":
		c.Label = "fail"
	case "NEEDS_REVIEW", "":
	default:
		return errcode.New(errcode.InvalidArgument, "assessment: expected GOOD, BAD or NEEDS_REVIEW, found %.40q", assessment)
	}
	if s.o.Manual && !manual {
		c.Label = ""
	}
	if c.Label != "" {
		c.Note = strings.Join(append([]string{by}, reasons...), " ")
		if !manual {
			s.note("labels with the note “by Genie” are its own assessments; --manual leaves them out")
		}
	}
	var relations []string
	for _, reason := range reasons {
		names, known := genieRelations[reason]
		if !known {
			s.note("the reason %s is not known, and has no relation", reason)
		}
		for _, name := range names {
			if !slices.Contains(relations, name) {
				relations = append(relations, name)
			}
		}
	}
	if relations != nil {
		c.Meta = placed(c.Meta, []string{"relations"}, textList(relations))
	}
	return nil
}

// writeGenie writes a space with benchmark questions.
func writeGenie(e *exporter) error {
	return e.list(`{"version": 2, "benchmarks": {"questions": [`, "]}}\n",
		func(c *Case) json.RawMessage { return objectText(record(e.kind.fields, c)) })
}

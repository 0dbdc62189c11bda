package store

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// Filter selects answers in agent_runs. Empty fields select all.
//
// An agent, version or batch that is [scoring.Unnamed] selects the answers without one.
type Filter struct {
	scoring.By
	SetVersion string // version of the golden set; empty: for each question the highest that has it
}

// The columns of users' tables that are read for an answer and for its question.
var (
	runColumns = strings.Fields(
		"interpretation sql result sql_error tool_calls response latency_ms gold_latency_ms conversation_id turn " +
			"earlier_turns ran_at tokens_in tokens_out cost_usd chart contexts")
	goldenColumns = strings.Fields("question evidence schema_ddl dialect gold_sql gold_result expected_tools expected_clarifications expected_behaviour tags " +
		"gold_latency_ms gold_error alternatives database_name metric_options gold_chart")
)

// inputs builds statements over golden_set, agent_runs and human_labels, and collects their arguments in the order of
// the text. Each statement needs its own copy.
type inputs struct {
	Reader
	labelled    bool     // the table human_labels exists
	withoutGold bool     // the table scores lacks the column gold_hash
	plain       bool     // case IDs are strings that the engine compares by bytes without a cast
	versions    []string // versions of the golden set, the lowest first
	args        []any    // arguments of the statement
}

func (q *inputs) param(v any) string {
	q.args = append(q.args, v)
	return q.Dialect.Param(len(q.args))
}

// keyRange is a range of case ids within the answers of one version of an agent in one batch.
type keyRange struct {
	scoring.By
	first, last string
	ids         []string // if not nil, only these IDs, instead of those from first to last
}

const inOrder = " ORDER BY r.agent_name, r.agent_version, r.batch_id, r.case_id"

// runs returns a subquery for the rows of agent_runs with their keys as strings.
func (q *inputs) runs(columns []string) string {
	out := []string{"case_id AS raw_id"}
	for _, key := range []string{"agent_name", "agent_version", "batch_id", "case_id"} {
		out = append(out, q.Key("agent_runs", key)+" AS "+key)
	}
	for _, c := range columns {
		out = append(out, q.Column("agent_runs", c)+" AS "+c)
	}
	return "(SELECT " + strings.Join(out, ", ") + " FROM badger.agent_runs) r"
}

// golden returns a subquery for one row for each question, of the version in the filter or of the highest version that
// has the question. Its column copies is the number of rows of the question in that version.
func (q *inputs) golden(f Filter, r *keyRange) string {
	columns := []string{"case_id AS raw_id"}
	for _, c := range goldenColumns {
		columns = append(columns, q.Column("golden_set", c)+" AS "+c)
	}
	newest := q.newest(columns, "COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies, ", func() string {
		which := q.within("k", r)
		if f.SetVersion != "" {
			which += " AND set_version = " + q.param(f.SetVersion)
		}
		return which
	})
	return "(" + newest + ") g"
}

// newest returns a query for columns of golden_set, and further computed ones, of one row for each question: the one of
// the highest version among the rows k that satisfy the condition which.
func (q *inputs) newest(columns []string, more string, which func() string) string {
	columns = append(
		[]string{q.Key("golden_set", "case_id") + " AS case_id", q.Key("golden_set", "set_version") + " AS set_version"},
		columns...)
	return "SELECT * FROM (SELECT k.*, " + more + "ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY " +
		q.rank() + " DESC) AS choice FROM (SELECT " + strings.Join(columns, ", ") + " FROM badger.golden_set) k WHERE " +
		which() + ") c WHERE choice = 1"
}

// rank returns an expression for the position of set_version in the order of versions.
func (q *inputs) rank() string {
	if len(q.versions) < 2 {
		return "set_version"
	}
	out := "CASE set_version"
	for i, v := range q.versions {
		out += " WHEN " + q.param(v) + " THEN " + strconv.Itoa(i)
	}
	return out + " ELSE -1 END"
}

// within returns the condition that a case ID is in the range. If possible, it is also a condition on the column
// itself, so that the engine skips other rows.
func (q *inputs) within(table string, r *keyRange) string {
	if r == nil {
		return "1 = 1"
	}
	if r.ids != nil {
		column := ".case_id"
		if q.plain && !slices.Contains(r.ids, "") { // NULL is read as the empty string
			column = ".raw_id"
		}
		return table + column + " IN (" + params(q.Dialect, &q.args, r.ids) + ")"
	}
	cond := table + ".case_id BETWEEN " + q.param(r.first) + " AND " + q.param(r.last)
	if q.plain && r.first != "" { // NULL is read as the empty string
		cond += " AND " + table + ".raw_id BETWEEN " + q.param(r.first) + " AND " + q.param(r.last)
	}
	return cond
}

// where returns the WHERE clause for the rows r of agent_runs; "" if all are selected.
func (q *inputs) where(f Filter, r *keyRange) string {
	conds := []string{}
	equal := func(column, v string) { conds = append(conds, "r."+column+" = "+q.param(v)) }
	if r != nil {
		equal("agent_name", r.Agent)
		equal("agent_version", r.Version)
		equal("batch_id", r.Batch)
		return " WHERE " + strings.Join(append(conds, q.within("r", r)), " AND ")
	}
	for _, c := range []struct{ column, value string }{{"agent_name", f.Agent}, {"agent_version", f.Version},
		{"batch_id", f.Batch}} {
		if name, ok := scoring.Named(c.value); ok {
			equal(c.column, name)
		}
	}
	if len(conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conds, " AND ")
}

// answerRow is a row of [inputs.cases] or [inputs.questionsWithin].
type answerRow struct {
	Answer
	copies int64
	run    [17]string // values of runColumns
	golden [16]string // values of goldenColumns
	passes string     // the human verdict: 1, 0 or ""
}

// answerRowFields returns the fields for an answerRow from columns in this order: the key, set_version, copies,
// runColumns, goldenColumns, passes.
func answerRowFields(columns []string) []field[answerRow] {
	in := []func(*answerRow) any{
		func(a *answerRow) any { return &a.CaseID }, func(a *answerRow) any { return &a.Agent },
		func(a *answerRow) any { return &a.Version }, func(a *answerRow) any { return &a.Batch },
		func(a *answerRow) any { return &a.SetVersion }, func(a *answerRow) any { return &a.copies },
	}
	for i := range runColumns {
		in = append(in, func(a *answerRow) any { return &a.run[i] })
	}
	for i := range goldenColumns {
		in = append(in, func(a *answerRow) any { return &a.golden[i] })
	}
	in = append(in, func(a *answerRow) any { return &a.passes })
	out := make([]field[answerRow], len(columns))
	for i, c := range columns {
		out[i] = field[answerRow]{SQL: c, In: in[i]}
	}
	return out
}

// answer converts the row to a case, or returns the reason why it is not valid.
func (a *answerRow) answer() Answer {
	cells := func(columns, texts []string) scoring.Cells {
		return func(column string) string {
			if k := slices.Index(columns, column); k >= 0 {
				return texts[k]
			}
			return ""
		}
	}
	ofKey := cells(answerKey, []string{a.CaseID, a.Agent, a.Version, a.Batch, a.SetVersion})
	ofRun, ofGolden := cells(runColumns, a.run[:]), cells(goldenColumns, a.golden[:])
	either := func(a, b scoring.Cells) scoring.Cells {
		return func(column string) string { return a(column) + b(column) }
	} // they have no column in common
	out := a.Answer
	out.InSet = a.copies > 0
	if out.Case, out.Err = scoring.CaseOfRows(either(ofKey, ofRun), either(ofKey, ofGolden), a.copies); out.Err != nil {
		out.Spent, _ = scoring.SpentOfCells(ofRun)
		if q, err := scoring.CaseOfRows(ofKey, either(ofKey, ofGolden), a.copies); err == nil && out.InSet {
			out.Question = q
		}
		return out
	}
	if a.passes != "" {
		human := a.passes == "1"
		out.Case.Human = &human
	}
	return out
}

// answerKey are the columns that identify an answer, and the version of the golden set of its question.
var answerKey = []string{"case_id", "agent_name", "agent_version", "batch_id", "set_version"}

// answers streams the rows of a statement as answers.
func (w *Store) answers(ctx context.Context, s Select[answerRow]) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		for a, err := range Rows(ctx, w, s) {
			if err != nil {
				yield(Answer{}, err)
				return
			}
			if !yield(a.answer(), nil) {
				return
			}
		}
	}
}

// cases returns the statement that joins the answers with their questions and their human verdicts. An answer whose
// question is not in the golden set is a case without gold, or omitted if the filter has a version of the set. Answers
// with the same key have a fixed order too.
func (q inputs) cases(f Filter, r *keyRange) Select[answerRow] {
	columns := []string{"r.case_id AS case_id", "r.agent_name AS agent_name", "r.agent_version AS agent_version",
		"r.batch_id AS batch_id", "g.set_version", "g.copies"}
	for _, c := range runColumns {
		columns = append(columns, "r."+c)
	}
	for _, c := range goldenColumns {
		columns = append(columns, "g."+c)
	}
	join := " LEFT JOIN "
	if f.SetVersion != "" {
		join = " JOIN "
	}
	passes, labels := "CAST(NULL AS "+q.Dialect.Types[driver.BigInt]+")", ""
	from := " FROM " + q.runs(runColumns) + join + q.golden(f, r) +
		" ON g.case_id = r.case_id"
	if q.labelled {
		passes = "l.passes"
		ofLabels, ofAnswers, ofLog := q.within("k", r), q.within("k", r), ""
		if !q.NoLog { // without the log its condition, and so its arguments, must not be written
			ofLog = q.within("k", r)
		}
		labels = " LEFT JOIN (" + q.consensus(ofLabels, ofAnswers, ofLog) +
			") l ON l.case_id = r.case_id AND l.agent_name = r.agent_name AND l.agent_version = r.agent_version AND l.batch_id = r.batch_id"
	}
	from += labels + q.where(f, r) + inOrder + ", r.ran_at, r.sql"
	return Select[answerRow]{
		What:   readingCases,
		Fields: answerRowFields(append(columns, passes)),
		From:   from,
		Args:   q.args,
	}
}

// questionsWithin returns the statement for the questions in a range, as rows of [inputs.cases] without an answer: of
// the version in the filter, or of the highest version that has the question.
func (q inputs) questionsWithin(f Filter, r *keyRange) Select[answerRow] {
	columns := []string{"g.case_id", "NULL AS agent_name", "NULL AS agent_version", "NULL AS batch_id", "g.set_version",
		"g.copies"}
	for _, c := range runColumns {
		columns = append(columns, "NULL AS "+c+"_of_run")
	}
	for _, c := range goldenColumns {
		columns = append(columns, "g."+c)
	}
	from := " FROM " + q.golden(f, r)
	return Select[answerRow]{
		What:   readingQuestions,
		Fields: answerRowFields(append(columns, "NULL AS passes")),
		From:   from,
		Args:   q.args,
	}
}

// counted is the key of an answer and a number.
type counted struct {
	scoring.AnswerID
	n int64
}

// countedFields returns the fields for a counted, whose number is the expression n.
func countedFields(n string) []field[counted] {
	return append(fieldsIn(answerFields, func(c *counted) *scoring.AnswerID { return &c.AnswerID }),
		field[counted]{SQL: n, In: func(c *counted) any { return &c.n }})
}

// keys returns the statement for the keys of the answers, and the lengths of their results as text.
func (q inputs) keys(f Filter) Select[counted] {
	from := " FROM " + q.runs([]string{"result"}) + q.where(f, nil) + inOrder
	return Select[counted]{
		What:   readingCases,
		Fields: countedFields("LENGTH(CAST(result AS " + q.Dialect.Types[driver.Text] + "))"),
		From:   from,
		Args:   q.args,
	}
}

// copies returns the statement for the number of rows of the answers that have several.
func (q inputs) copies(f Filter) Select[counted] {
	from := " FROM " + q.runs(nil) + q.where(f, nil) + " GROUP BY " + byAnswer + " HAVING COUNT(*) > 1"
	return Select[counted]{What: readingCases, Fields: countedFields("COUNT(*)"), From: from, Args: q.args}
}

// byCase returns the statement for the number of answers to each question.
func (q inputs) byCase() Select[counted] {
	return Select[counted]{
		What: readingCases,
		Fields: []field[counted]{
			{SQL: "case_id", In: func(c *counted) any { return &c.CaseID }},
			{SQL: "COUNT(*)", In: func(c *counted) any { return &c.n }},
		},
		From: " FROM " + q.runs(nil) + " GROUP BY case_id ORDER BY case_id",
		Args: q.args,
	}
}

// setVersions returns the statement for the number of questions in each version of the golden set.
func (q inputs) setVersions() Select[SetVersion] {
	return Select[SetVersion]{
		What: readingCases,
		Fields: []field[SetVersion]{
			{SQL: "set_version", In: func(s *SetVersion) any { return &s.Version }},
			{SQL: "COUNT(*)", In: func(s *SetVersion) any { return &s.Questions }},
		},
		From: " FROM (SELECT " + q.Key("golden_set", "set_version") +
			" AS set_version FROM badger.golden_set) k GROUP BY set_version",
	}
}

// questions returns the statement for the IDs of the questions, of the version in the filter if it has one. Questions
// without an ID are omitted, as no agent can answer them.
func (q inputs) questions(f Filter) Select[string] {
	from := " FROM (SELECT " + q.Key("golden_set", "case_id") + " AS case_id, " + q.Key("golden_set", "set_version") +
		" AS set_version FROM badger.golden_set) k WHERE case_id <> ''"
	if f.SetVersion != "" {
		from += " AND set_version = " + q.param(f.SetVersion)
	}
	return Select[string]{
		What:     readingQuestions,
		Distinct: true,
		Fields:   only[string]("case_id"),
		From:     from + " ORDER BY case_id",
		Args:     q.args,
	}
}

// count returns the statement for the number of answers that a filter selects.
func (q inputs) count(f Filter) Select[int64] {
	from := " FROM " + q.runs(nil) + q.where(f, nil)
	if f.SetVersion != "" {
		and := " WHERE "
		if f.Agent != "" || f.Version != "" || f.Batch != "" {
			and = " AND "
		}
		from += and + "r.case_id IN (SELECT " + q.Key("golden_set", "case_id") + " FROM badger.golden_set WHERE " +
			q.Key("golden_set", "set_version") + " = " + q.param(f.SetVersion) + ")"
	}
	return Select[int64]{What: readingCases, Fields: only[int64]("COUNT(*)"), From: from, Args: q.args}
}

// folding returns a statement whose value is true if a table's case IDs compare as equal without regard to case or
// accents, or are not ordered by bytes. The statement fails if they are not strings.
func folding(table string) Select[*bool] {
	id := func(text string) string {
		return "COALESCE((SELECT case_id FROM badger." + table + " WHERE 1 = 0), '" + text + "')"
	}
	return Select[*bool]{
		What:   readingCases,
		Fields: only[*bool](id("a") + " = 'A' OR " + id("é") + " = 'e' OR " + id("a") + " < 'B'"),
	}
}

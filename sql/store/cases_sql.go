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

// Filter chooses among the answers in agent_runs. Empty fields choose all.
//
// An agent, version or batch that is [scoring.Unnamed] chooses the answers without one.
type Filter struct {
	scoring.By
	SetVersion string // of the golden set; empty: each question in the highest version that has it, by [SetVersions]
}

// The columns of users' tables that are read of an answer and of its question.
var (
	runColumns = strings.Fields(
		"interpretation sql result sql_error tool_calls response latency_ms gold_latency_ms conversation_id turn")
	goldenColumns = strings.Fields("question evidence schema_ddl dialect gold_sql gold_result expected_tools expected_clarifications expected_behaviour tags " +
		"gold_latency_ms gold_error alternatives database_name metric_options")
)

// inputs writes statements over golden_set, agent_runs and human_labels, and collects their arguments in the order
// of the text. Each statement is written by a copy.
type inputs struct {
	Reader
	labelled bool     // human_labels exists
	plain    bool     // case ids are text that the engine itself compares by its bytes, so that it can look them up
	versions []string // of the golden set, the lowest first
	args     []any    // of the statement
}

func (q *inputs) param(v any) string {
	q.args = append(q.args, v)
	return q.Dialect.Param(len(q.args))
}

// keyRange is a range of case ids within the answers of one version of an agent in one batch.
type keyRange struct {
	scoring.By
	first, last string
	ids         []string // these instead of those from the first to the last; nil: none
}

const inOrder = " ORDER BY r.agent_name, r.agent_version, r.batch_id, r.case_id"

// runs are the rows of agent_runs with their keys as text.
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

// golden is one row for each question: of the version that is asked for, or of the highest that has
// the question. copies says how many rows there are of the question in that version.
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

// newest reads columns of golden_set, and more that is computed, one row for each question: of those
// that a condition on k chooses, the one of the highest version.
func (q *inputs) newest(columns []string, more string, which func() string) string {
	columns = append(
		[]string{q.Key("golden_set", "case_id") + " AS case_id", q.Key("golden_set", "set_version") + " AS set_version"},
		columns...)
	return "SELECT * FROM (SELECT k.*, " + more + "ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY " +
		q.rank() + " DESC) AS choice FROM (SELECT " + strings.Join(columns, ", ") + " FROM badger.golden_set) k WHERE " +
		which() + ") c WHERE choice = 1"
}

// rank numbers the versions of the golden set in their order.
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

// within is the condition that a case id is in the range. If possible it is a condition on the column itself, too,
// so that the engine does not read rows outside the range.
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

// where is the condition on the rows of agent_runs.
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

// answerRow is a row of [inputs.cases] or [inputs.questionsWithin] as it is read.
type answerRow struct {
	Answer
	copies int64
	run    [10]string // of runColumns
	golden [15]string // of goldenColumns
	passes string     // the human verdict: 1, 0 or empty
}

// answerRowFields read such a row whose columns are those given, in this order: the key, set_version, copies,
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
	} // they share no column
	out := a.Answer
	out.InSet = a.copies > 0
	if out.Case, out.Err = scoring.CaseOfRows(either(ofKey, ofRun), either(ofKey, ofGolden), a.copies); out.Err != nil {
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

// cases joins the answers with their questions and with their human labels. An answer whose question is not in the
// golden set is still a case, without gold, unless a version of the set is requested. Several answers with the same
// key are ordered too, so their order is always the same.
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
	from := " FROM " + q.runs(append(slices.Clone(runColumns), "ran_at")) + join + q.golden(f, r) +
		" ON g.case_id = r.case_id"
	if q.labelled {
		passes = "l.passes"
		ofLabels, ofAnswers, ofLog := q.within("k", r), q.within("k", r), ""
		if !q.NoLog { // else its arguments would be those of nothing
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

// questionsWithin reads the questions of a range as rows of [inputs.cases] without an answer: of the
// version of the set that the filter names, or of the highest that has the question.
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

// counted is the key of an answer with a number.
type counted struct {
	scoring.AnswerID
	n int64
}

// countedFields are the key of an answer and a count.
func countedFields(n string) []field[counted] {
	return append(fieldsIn(answerFields, func(c *counted) *scoring.AnswerID { return &c.AnswerID }),
		field[counted]{SQL: n, In: func(c *counted) any { return &c.n }})
}

// keys reads the keys of the answers, and how long their results are as text.
func (q inputs) keys(f Filter) Select[counted] {
	from := " FROM " + q.runs([]string{"result"}) + q.where(f, nil) + inOrder
	return Select[counted]{
		What:   readingCases,
		Fields: countedFields("LENGTH(CAST(result AS " + q.Dialect.Types[driver.Text] + "))"),
		From:   from,
		Args:   q.args,
	}
}

// copies counts the rows of the answers that have several.
func (q inputs) copies(f Filter) Select[counted] {
	from := " FROM " + q.runs(nil) + q.where(f, nil) + " GROUP BY " + byAnswer + " HAVING COUNT(*) > 1"
	return Select[counted]{What: readingCases, Fields: countedFields("COUNT(*)"), From: from, Args: q.args}
}

// setVersions counts the questions of each version of the golden set.
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

// questions reads the ids of the questions, those of a version of the set where the filter names one.
// A question without an id is none that an agent could have been asked.
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

// count counts the answers that a filter chooses.
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

// folding is true if a table's own case ids compare letters of different case as equal, and
// fails if they are not strings.
func folding(table string) Select[*bool] {
	id := func(text string) string {
		return "COALESCE((SELECT case_id FROM badger." + table + " WHERE 1 = 0), '" + text + "')"
	}
	return Select[*bool]{
		What:   readingCases,
		Fields: only[*bool](id("a") + " = 'A' OR " + id("é") + " = 'e' OR " + id("a") + " < 'B'"),
	}
}

package store

import (
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

// The columns of a row of [Answers.Cases], in this order; then whether people pass the answer.
var (
	AnswerKey     = strings.Fields("case_id agent_name agent_version batch_id set_version copies")
	RunColumns    = strings.Fields("interpretation sql result sql_error tool_calls response latency_ms gold_latency_ms conversation_id turn")
	GoldenColumns = strings.Fields("question evidence schema_ddl dialect gold_sql gold_result expected_tools expected_clarifications expected_behaviour tags " +
		"gold_latency_ms gold_error alternatives database_name metric_options")
)

// Answers writes queries over golden_set, agent_runs and human_labels, and collects their arguments
// in the order of the text. One writes one query with arguments; copy it for another.
type Answers struct {
	Reader
	Labelled bool     // human_labels is there
	Plain    bool     // case ids are text that the engine itself compares by its bytes, so that it can look them up
	Versions []string // of the golden set, the lowest first
	Args     []any    // of the last query
}

func (q *Answers) param(v any) string {
	q.Args = append(q.Args, v)
	return q.Dialect.Param(len(q.Args))
}

// Range is a range of case ids within the answers of one version of an agent in one batch.
type Range struct {
	scoring.By
	First, Last string
	IDs         []string // these instead of those from the first to the last; nil: none
}

const inOrder = " ORDER BY r.agent_name, r.agent_version, r.batch_id, r.case_id"

// runs are the rows of agent_runs with their keys as text.
func (q *Answers) runs(columns []string) string {
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
func (q *Answers) golden(f Filter, r *Range) string {
	columns := []string{"case_id AS raw_id"}
	for _, c := range GoldenColumns {
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
func (q *Answers) newest(columns []string, more string, which func() string) string {
	columns = append([]string{q.Key("golden_set", "case_id") + " AS case_id", q.Key("golden_set", "set_version") + " AS set_version"}, columns...)
	return "SELECT * FROM (SELECT k.*, " + more + "ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY " +
		q.rank() + " DESC) AS choice FROM (SELECT " + strings.Join(columns, ", ") + " FROM badger.golden_set) k WHERE " + which() + ") c WHERE choice = 1"
}

// rank numbers the versions of the golden set in their order.
func (q *Answers) rank() string {
	if len(q.Versions) < 2 {
		return "set_version"
	}
	out := "CASE set_version"
	for i, v := range q.Versions {
		out += " WHEN " + q.param(v) + " THEN " + strconv.Itoa(i)
	}
	return out + " ELSE -1 END"
}

// within is the condition that a case id is in the range. If possible it is a condition on the column itself, too,
// so that the engine does not read rows outside the range.
func (q *Answers) within(table string, r *Range) string {
	if r == nil {
		return "1 = 1"
	}
	if r.IDs != nil {
		column := ".case_id"
		if q.Plain && !slices.Contains(r.IDs, "") { // NULL is read as the empty text
			column = ".raw_id"
		}
		return table + column + " IN (" + params(q.Dialect, &q.Args, r.IDs) + ")"
	}
	cond := table + ".case_id BETWEEN " + q.param(r.First) + " AND " + q.param(r.Last)
	if q.Plain && r.First != "" { // NULL is read as the empty text
		cond += " AND " + table + ".raw_id BETWEEN " + q.param(r.First) + " AND " + q.param(r.Last)
	}
	return cond
}

// where is the condition on the rows of agent_runs.
func (q *Answers) where(f Filter, r *Range) string {
	conds := []string{}
	equal := func(column, v string) { conds = append(conds, "r."+column+" = "+q.param(v)) }
	if r != nil {
		equal("agent_name", r.Agent)
		equal("agent_version", r.Version)
		equal("batch_id", r.Batch)
		return " WHERE " + strings.Join(append(conds, q.within("r", r)), " AND ")
	}
	for _, c := range []struct{ column, value string }{{"agent_name", f.Agent}, {"agent_version", f.Version}, {"batch_id", f.Batch}} {
		if name, ok := scoring.Named(c.value); ok {
			equal(c.column, name)
		}
	}
	if len(conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conds, " AND ")
}

// Cases joins the answers with their questions and with their human labels. An answer whose question is not in the
// golden set is still a case, without gold, unless a version of the set is requested. Several answers with the same
// key are ordered too, so their order is always the same.
func (q *Answers) Cases(f Filter, r *Range) string {
	columns := []string{"r.case_id AS case_id", "r.agent_name AS agent_name", "r.agent_version AS agent_version", "r.batch_id AS batch_id", "g.set_version", "g.copies"}
	for _, c := range RunColumns {
		columns = append(columns, "r."+c)
	}
	for _, c := range GoldenColumns {
		columns = append(columns, "g."+c)
	}
	join := " LEFT JOIN "
	if f.SetVersion != "" {
		join = " JOIN "
	}
	passes, labels := "CAST(NULL AS "+q.Dialect.Types[driver.BigInt]+")", ""
	from := q.runs(append(slices.Clone(RunColumns), "ran_at")) + join + q.golden(f, r) + " ON g.case_id = r.case_id"
	if q.Labelled {
		passes = "l.passes"
		ofLabels, ofAnswers, ofLog := q.within("k", r), q.within("k", r), ""
		if !q.NoLog { // else its arguments would be those of nothing
			ofLog = q.within("k", r)
		}
		labels = " LEFT JOIN (" + q.Consensus(ofLabels, ofAnswers, ofLog) +
			") l ON l.case_id = r.case_id AND l.agent_name = r.agent_name AND l.agent_version = r.agent_version AND l.batch_id = r.batch_id"
	}
	return "SELECT " + strings.Join(columns, ", ") + ", " + passes + " FROM " + from + labels + q.where(f, r) + inOrder + ", r.ran_at, r.sql"
}

// Keys reads the keys of the answers, and how long their results are as text.
func (q *Answers) Keys(f Filter) string {
	return "SELECT agent_name, agent_version, batch_id, case_id, LENGTH(CAST(result AS " + q.Dialect.Types[driver.Text] + ")) FROM " + q.runs([]string{"result"}) + q.where(f, nil) + inOrder
}

// Copies counts the rows of the answers that have several.
func (q *Answers) Copies(f Filter) string {
	const key = "agent_name, agent_version, batch_id, case_id"
	return "SELECT " + key + ", COUNT(*) FROM " + q.runs(nil) + q.where(f, nil) + " GROUP BY " + key + " HAVING COUNT(*) > 1"
}

// SetVersions counts the questions of each version of the golden set.
func (q *Answers) SetVersions() string {
	return "SELECT set_version, COUNT(*) FROM (SELECT " + q.Key("golden_set", "set_version") + " AS set_version FROM badger.golden_set) k GROUP BY set_version"
}

// Questions reads the ids of the questions, those of a version of the set where the filter names one.
// A question without an id is none that an agent could have been asked.
func (q *Answers) Questions(f Filter) string {
	query := "SELECT DISTINCT case_id FROM (SELECT " + q.Key("golden_set", "case_id") + " AS case_id, " + q.Key("golden_set", "set_version") + " AS set_version FROM badger.golden_set) k WHERE case_id <> ''"
	if f.SetVersion != "" {
		query += " AND set_version = " + q.param(f.SetVersion)
	}
	return query + " ORDER BY case_id"
}

// Count counts the answers that a filter chooses.
func (q *Answers) Count(f Filter) string {
	query := "SELECT COUNT(*) FROM " + q.runs(nil) + q.where(f, nil)
	if f.SetVersion == "" {
		return query
	}
	and := " WHERE "
	if f.Agent != "" || f.Version != "" || f.Batch != "" {
		and = " AND "
	}
	return query + and + "r.case_id IN (SELECT " + q.Key("golden_set", "case_id") + " FROM badger.golden_set WHERE " + q.Key("golden_set", "set_version") + " = " + q.param(f.SetVersion) + ")"
}

// Votes reads the human verdicts on answers.
func (q *Answers) Votes() string {
	return "SELECT case_id, agent_name, agent_version, batch_id, annotator, said, decides FROM (" + q.Labels("1 = 1", "1 = 1", "1 = 1") +
		") v ORDER BY case_id, agent_name, agent_version, batch_id, annotator, decides"
}

// Folding is a query that returns true if a table's own case ids compare letters of different case as equal, and
// fails if they are not strings.
func Folding(table string) string {
	id := func(text string) string {
		return "COALESCE((SELECT case_id FROM badger." + table + " WHERE 1 = 0), '" + text + "')"
	}
	return "SELECT " + id("a") + " = 'A' OR " + id("é") + " = 'e' OR " + id("a") + " < 'B'"
}

package store

import (
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// Pairs are the scores of two sides, joined by case and metric. Both sides choose the same metrics.
type Pairs struct {
	From, To Latest
}

// halfColumns are what counts of a score in a comparison.
var halfColumns = []string{"status", "unanswered", "value", "passed", "version", "config_hash", "judge", "asked", "run"}

// joined reads the pairs: case_id, metric, the columns of [halfColumns] after f_ and t_, gold and reasons (0
// unknown, 1 the same, 2 different), and the additional columns.
func (q *Pairs) joined(p *arguments, besides string) string {
	half := func(prefix string) string {
		var reasons []string
		for _, r := range scoring.UnansweredReasons() {
			reasons = append(reasons, p.dialect.Literal(r))
		}
		s := strings.TrimSuffix(prefix, "_") + "."
		return s + "status AS " + prefix + "status, CASE WHEN " + s + "status = 'not_applicable' AND " + s + "reason IN (" + strings.Join(reasons, ", ") + ") THEN 1 ELSE 0 END AS " + prefix + "unanswered, " +
			s + "value AS " + prefix + "value, CASE WHEN " + s + "passed THEN 1 WHEN NOT " + s + "passed THEN 0 END AS " + prefix + "passed, " + s + "metric_version AS " + prefix + "version, " +
			s + "config_hash AS " + prefix + "config_hash, " + s + "judge AS " + prefix + "judge, " + s + "asked AS " + prefix + "asked, " + s + "eval_run_id AS " + prefix + "run"
	}
	like := func(column string) string {
		return "CASE WHEN f." + column + " IS NULL OR t." + column + " IS NULL THEN 0 WHEN f." + column + " = t." + column + " THEN 1 ELSE 2 END"
	}
	return "SELECT COALESCE(f.case_id, t.case_id) AS case_id, COALESCE(f.metric, t.metric) AS metric, " + half("f_") + ",\n  " + half("t_") + ",\n  " +
		like("gold_hash") + " AS gold, " + like("reason") + " AS reasons" + besides +
		"\nFROM (" + q.From.text(p) + ") f\nFULL OUTER JOIN (" + q.To.text(p) + ") t ON t.case_id = f.case_id AND t.metric = f.metric"
}

// Counts reads how many cases have equal pairs of scores, those of a metric together: metric, then
// both halves in the order of [halfColumns], gold, reasons, and the count.
func (q *Pairs) Counts(d driver.Dialect) (query string, args []any) {
	p := &arguments{dialect: d}
	columns := []string{"metric"}
	for _, prefix := range []string{"f_", "t_"} {
		for _, c := range halfColumns {
			columns = append(columns, prefix+c)
		}
	}
	by := strings.Join(append(columns, "gold", "reasons"), ", ")
	return "SELECT " + by + ", COUNT(*) AS cases FROM (" + q.joined(p, "") + ") j\nGROUP BY " + by + " ORDER BY metric", p.args
}

// Shared counts the cases that both sides, only the first, and only the second have scores of.
func (q *Pairs) Shared(d driver.Dialect) (query string, args []any) {
	p := &arguments{dialect: d}
	side := func(l Latest) string { return "SELECT DISTINCT case_id FROM (" + l.text(p) + ") s" }
	return `SELECT COUNT(CASE WHEN f.case_id IS NOT NULL AND t.case_id IS NOT NULL THEN 1 END) AS shared, COUNT(CASE WHEN t.case_id IS NULL THEN 1 END) AS only_from, COUNT(CASE WHEN f.case_id IS NULL THEN 1 END) AS only_to
FROM (` + side(q.From) + ") f FULL OUTER JOIN (" + side(q.To) + ") t ON t.case_id = f.case_id", p.args
}

// PairFilter chooses among the pairs of one metric.
type PairFilter struct {
	Pairs
	LowerIsBetter bool
	Was, Is       []string // standings of the sides; nil: any
	Comparable    bool     // of the same question and version of the metric
	Reasons       bool     // the reason is another
	Status        bool     // the status is another
	Worse, Better bool     // the value is
	Least         *float64 // the least absolute change of the value
	// Answers and Scores choose by what changed: the query or its result, or nothing of it and the
	// score nevertheless. Both need the answers.
	Answers, Scores bool
	Reader          Reader
	Limit, Offset   int
}

// standing is what became of a score of side f_ or t_.
func standing(prefix string) string {
	s := prefix + "status"
	return "CASE WHEN " + s + " IS NULL THEN 'absent' WHEN " + s + " = 'ok' AND " + prefix + "passed = 1 THEN 'passed' WHEN " + s + " = 'ok' AND " + prefix + "passed = 0 THEN 'failed' WHEN " + s + " = 'ok' THEN 'no_verdict' WHEN " +
		prefix + "unanswered = 1 THEN 'unanswered' WHEN " + s + " IN ('abstained', 'not_applicable') THEN " + s + " ELSE 'error' END"
}

// lists reads the pairs that are chosen, with their standings, the change of the value in the better
// direction, and whether the answer is another.
func (q *PairFilter) lists(p *arguments, selected string) string {
	better := "t_value - f_value"
	if q.LowerIsBetter {
		better = "f_value - t_value"
	}
	besides := ", f.label AS f_label, t.label AS t_label, f.reason AS f_reason, t.reason AS t_reason"
	inner := "SELECT j.*, " + standing("f_") + " AS f_standing, " + standing("t_") + " AS t_standing, " + better + " AS better FROM (" + q.joined(p, besides) + ") j"
	text := "SELECT " + selected + " FROM (" + inner + ") s"
	var conds []string
	for _, c := range []struct {
		on   bool
		text func() string
	}{
		{q.Was != nil, func() string { return "f_standing IN (" + p.list(q.Was) + ")" }},
		{q.Is != nil, func() string { return "t_standing IN (" + p.list(q.Is) + ")" }},
		{q.Comparable, func() string { return "gold <> 2 AND f_version = t_version" }},
		{q.Reasons, func() string { return "reasons = 2" }},
		{q.Status, func() string { return "COALESCE(f_status, '') <> COALESCE(t_status, '')" }},
		{q.Worse, func() string { return "better < 0" }},
		{q.Better, func() string { return "better > 0" }},
		{q.Least != nil, func() string { return "ABS(better) >= " + p.add(*q.Least) }},
		{q.Answers, func() string {
			return "s.case_id IN " + q.answered(p, "(MIN(sql) <> MAX(sql) OR MIN(result) <> MAX(result) OR MIN(sql_error) <> MAX(sql_error))")
		}},
		{q.Scores, func() string {
			return "s.case_id IN " + q.answered(p, "MIN(sql) = MAX(sql) AND MIN(result) = MAX(result) AND MIN(sql_error) = MAX(sql_error)") + " AND (f_standing <> t_standing OR better <> 0)"
		}},
	} {
		if c.on {
			conds = append(conds, c.text())
		}
	}
	for i, c := range conds {
		text += []string{"\nWHERE ", " AND "}[min(i, 1)] + c
	}
	return text
}

// answered reads the cases that both sides answered and whose answers both satisfy a condition. It aggregates
// digests of the answers: a join of the answers would hold all texts of both sides.
func (q *PairFilter) answered(p *arguments, condition string) string {
	key := func(column string) string { return q.Reader.Key("agent_runs", column) }
	digest := func(column string) string {
		if p.dialect.Digest == nil {
			return key(column)
		}
		return p.dialect.Digest(key(column))
	}
	side := func(number string, l Latest) string {
		return "SELECT " + number + " AS side, " + key("case_id") + " AS case_id, " + digest("sql") + " AS sql, " + digest("result") + " AS result, " + digest("sql_error") + " AS sql_error FROM badger.agent_runs WHERE " +
			key("agent_name") + " = " + p.add(l.Agent) + " AND " + key("agent_version") + " = " + p.add(l.Version) + " AND " + key("batch_id") + " = " + p.add(l.Batch)
	}
	return "(SELECT case_id FROM (" + side("0", q.From) + "\n  UNION ALL " + side("1", q.To) + ") k GROUP BY case_id HAVING MIN(side) < MAX(side) AND " + condition + ")"
}

// Count counts the pairs that are chosen.
func (q *PairFilter) Count(d driver.Dialect) (query string, args []any) {
	p := &arguments{dialect: d}
	return q.lists(p, "COUNT(*)"), p.args
}

// Page reads the pairs that are chosen, the largest regressions first: case_id, both standings, both
// values, labels and reasons. What passed and does not any more comes first; then the values decide,
// and those without a change of value come last.
func (q *PairFilter) Page(d driver.Dialect) (query string, args []any) {
	p := &arguments{dialect: d}
	return q.lists(p, "s.case_id, f_standing, t_standing, f_value, t_value, f_label, t_label, f_reason, t_reason") +
		"\nORDER BY CASE WHEN f_standing = 'passed' AND t_standing <> 'passed' THEN 0 WHEN t_standing = 'passed' AND f_standing <> 'passed' THEN 2 ELSE 1 END, CASE WHEN better IS NULL THEN 0 ELSE better END, s.case_id" +
		" LIMIT " + strconv.Itoa(q.Limit) + " OFFSET " + strconv.Itoa(q.Offset), p.args
}

// Answered tells the distinct answers that a version of an agent gave to some questions in all of its
// batches: case_id, the query, the error, in how many batches, and the first of them. Results count
// as their texts.
func (r Reader) Answered(agent, version string, ids []string) (query string, args []any) {
	p := &arguments{dialect: r.Dialect}
	return r.expand("SELECT case_id, sql, sql_error, COUNT(*) AS answers, MIN(batch_id) AS first FROM (SELECT {key agent_runs.case_id} AS case_id, {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id, " +
		"{key agent_runs.sql} AS sql, {key agent_runs.result} AS result, {key agent_runs.sql_error} AS sql_error FROM badger.agent_runs) k WHERE agent_name = " + p.add(agent) + " AND agent_version = " + p.add(version) + " AND case_id IN (" + p.list(ids) + ")\nGROUP BY case_id, sql, result, sql_error ORDER BY case_id, 4 DESC, 5"), p.args
}

package store

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// pairsOf is the scores of two sides, joined by case and metric. Both sides select the same metrics.
type pairsOf struct {
	from, to Latest
}

// halfFields returns the fields of one side's score. prefix is f_ or t_.
func halfFields(prefix string) []field[Half] {
	return []field[Half]{
		{SQL: prefix + "status", In: func(h *Half) any { return (*string)(&h.Score.Status) }},
		{SQL: prefix + "unanswered", Decode: func(h *Half, v scoring.Value) error {
			if h.Unanswered = wholeNumber(v) == 1; h.Unanswered {
				h.Score.Reason = scoring.NoPred
			}
			return nil
		}},
		{SQL: prefix + "value", In: func(h *Half) any { return &h.Score.Value }},
		isOneOrNull(prefix+"passed", func(h *Half) **bool { return &h.Score.Passed }),
		{SQL: prefix + "version", In: func(h *Half) any { return &h.Score.Version }},
		{SQL: prefix + "config_hash", In: func(h *Half) any { return &h.ConfigHash }},
		{SQL: prefix + "judge", In: func(h *Half) any { return &h.Judge }},
		isOne(prefix+"asked", func(h *Half) *bool { return &h.Asked }),
		{SQL: prefix + "run", In: func(h *Half) any { return &h.RunID }},
	}
}

// joined returns the query for the pairs: case_id, metric, the columns of [halfFields] with f_ and t_, gold and reasons
// (0 unknown, 1 equal, 2 different), and the columns in besides.
func (q *pairsOf) joined(p *arguments, besides string) string {
	half := func(prefix string) string {
		var reasons []string
		for _, r := range scoring.UnansweredReasons() {
			reasons = append(reasons, p.dialect.Literal(r))
		}
		s := strings.TrimSuffix(prefix, "_") + "."
		return s + "status AS " + prefix + "status, CASE WHEN " + s + "status = 'not_applicable' AND " + s + "reason IN (" +
			strings.Join(reasons, ", ") + ") THEN 1 ELSE 0 END AS " + prefix + "unanswered, " +
			s + "value AS " + prefix + "value, CASE WHEN " + s + "passed THEN 1 WHEN NOT " + s + "passed THEN 0 END AS " +
			prefix + "passed, " + s + "metric_version AS " + prefix + "version, " +
			s + "config_hash AS " + prefix + "config_hash, " + s + "judge AS " + prefix + "judge, " + s + "asked AS " + prefix +
			"asked, " + s + "eval_run_id AS " + prefix + "run"
	}
	like := func(column string) string {
		return "CASE WHEN f." + column + " IS NULL OR t." + column + " IS NULL THEN 0 WHEN f." + column + " = t." + column +
			" THEN 1 ELSE 2 END"
	}
	return "SELECT COALESCE(f.case_id, t.case_id) AS case_id, COALESCE(f.metric, t.metric) AS metric, " + half("f_") +
		",\n  " + half("t_") + ",\n  " +
		like("gold_hash") + " AS gold, " + like("reason") + " AS reasons" + besides +
		"\nFROM (" + q.from.text(p) + ") f\nFULL OUTER JOIN (" + q.to.text(p) +
		") t ON t.case_id = f.case_id AND t.metric = f.metric"
}

// pairFields are the columns by which equal pairs are counted.
var pairFields = slices.Concat(
	[]field[Pair]{{SQL: "metric", In: func(p *Pair) any { return &p.Metric }}},
	fieldsIn(halfFields("f_"), func(p *Pair) *Half { return &p.From }),
	fieldsIn(halfFields("t_"), func(p *Pair) *Half { return &p.To }),
	[]field[Pair]{
		{SQL: "gold", In: func(p *Pair) any { return &p.Gold }},
		{SQL: "reasons", In: func(p *Pair) any { return &p.Reasons }},
	},
)

// counts returns the statement for the number of cases with each pair of scores, sorted by metric.
func (q *pairsOf) counts(d driver.Dialect) Select[Pair] {
	p := &arguments{dialect: d}
	from := " FROM (" + q.joined(p, "") + ") j\nGROUP BY " + columnsOf(pairFields) + " ORDER BY metric"
	cases := field[Pair]{SQL: "COUNT(*) AS cases", In: func(p *Pair) any { return &p.Cases }}
	return Select[Pair]{What: readingScores, Fields: append(slices.Clone(pairFields), cases), From: from, Args: p.args}
}

// sharing has the number of cases with scores on both sides, on the first only, and on the second only.
type sharing struct{ shared, onlyFrom, onlyTo int }

func (q *pairsOf) shared(d driver.Dialect) Select[sharing] {
	p := &arguments{dialect: d}
	side := func(l Latest) string { return "SELECT DISTINCT case_id FROM (" + l.text(p) + ") s" }
	from := `
FROM (` + side(q.from) + ") f FULL OUTER JOIN (" + side(q.to) + ") t ON t.case_id = f.case_id"
	return Select[sharing]{
		What: readingScores, From: from, Args: p.args,
		Fields: []field[sharing]{
			{SQL: "COUNT(CASE WHEN f.case_id IS NOT NULL AND t.case_id IS NOT NULL THEN 1 END) AS shared",
				In: func(s *sharing) any { return &s.shared }},
			{SQL: "COUNT(CASE WHEN t.case_id IS NULL THEN 1 END) AS only_from", In: func(s *sharing) any { return &s.onlyFrom }},
			{SQL: "COUNT(CASE WHEN f.case_id IS NULL THEN 1 END) AS only_to", In: func(s *sharing) any { return &s.onlyTo }},
		},
	}
}

// PairFilter selects pairs of one metric.
type PairFilter struct {
	LowerIsBetter bool
	Was, Is       []string // outcomes of the sides, as in [CasePair]; nil: any
	Comparable    bool     // only with an equal question and metric version
	Reasons       bool     // only with different reasons
	Status        bool     // only with different statuses
	Worse, Better bool     // only with a worse or better value
	Least         *float64 // minimum absolute change of the value
	// Answers selects cases whose query, result or error changed. Scores selects cases whose score changed although
	// none of these did. Both need the table agent_runs.
	Answers, Scores bool
	Limit, Offset   int

	pairsOf
	reader Reader // for agent_runs, with Answers and Scores
}

// standing returns the expression for the outcome of a score, as in [CasePair]. prefix is that of its columns.
func standing(prefix string) string {
	s := prefix + "status"
	return "CASE WHEN " + s + " IS NULL THEN 'absent' WHEN " + s + " = 'ok' AND " + prefix +
		"passed = 1 THEN 'passed' WHEN " + s + " = 'ok' AND " + prefix + "passed = 0 THEN 'failed' WHEN " + s +
		" = 'ok' THEN 'no_verdict' WHEN " +
		prefix + "unanswered = 1 THEN 'unanswered' WHEN " + s + " IN ('abstained', 'not_applicable') THEN " + s +
		" ELSE 'error' END"
}

// chosen returns the FROM and WHERE clauses for the selected pairs, with their outcomes and the change of the value,
// positive if better.
func (q *PairFilter) chosen(p *arguments) string {
	better := "t_value - f_value"
	if q.LowerIsBetter {
		better = "f_value - t_value"
	}
	besides := ", f.label AS f_label, t.label AS t_label, f.reason AS f_reason, t.reason AS t_reason"
	inner := "SELECT j.*, " + standing("f_") + " AS f_standing, " + standing("t_") + " AS t_standing, " + better +
		" AS better FROM (" + q.joined(p, besides) + ") j"
	text := " FROM (" + inner + ") s"
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
			return "s.case_id IN " +
				q.answered(p, "(MIN(sql) <> MAX(sql) OR MIN(result) <> MAX(result) OR MIN(sql_error) <> MAX(sql_error))")
		}},
		{q.Scores, func() string {
			return "s.case_id IN " +
				q.answered(p, "MIN(sql) = MAX(sql) AND MIN(result) = MAX(result) AND MIN(sql_error) = MAX(sql_error)") +
				" AND (f_standing <> t_standing OR better <> 0)"
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

// answered returns a subquery for the cases that both sides answered and whose answers satisfy an aggregate condition.
// It compares digests of the answers, as a join would hold the results of both sides in memory.
func (q *PairFilter) answered(p *arguments, condition string) string {
	key := func(column string) string { return q.reader.Key("agent_runs", column) }
	digest := func(column string) string {
		if p.dialect.Digest == nil {
			return key(column)
		}
		return p.dialect.Digest(key(column))
	}
	side := func(number string, l Latest) string {
		return "SELECT " + number + " AS side, " + key("case_id") + " AS case_id, " + digest("sql") + " AS sql, " +
			digest("result") + " AS result, " + digest("sql_error") + " AS sql_error FROM badger.agent_runs WHERE " +
			key("agent_name") + " = " + p.add(l.Agent) + " AND " + key("agent_version") + " = " + p.add(l.Version) + " AND " +
			key("batch_id") + " = " + p.add(l.Batch)
	}
	return "(SELECT case_id FROM (" + side("0", q.from) + "\n  UNION ALL " + side("1", q.to) +
		") k GROUP BY case_id HAVING MIN(side) < MAX(side) AND " + condition + ")"
}

// count returns the statement for the number of selected pairs.
func (q *PairFilter) count(d driver.Dialect) Select[int] {
	p := &arguments{dialect: d}
	from := q.chosen(p)
	return Select[int]{What: readingScores, Fields: only[int]("COUNT(*)"), From: from, Args: p.args}
}

// page returns the statement for the selected pairs: first those that passed and do not any more, last those that pass
// only now, and within each the largest decrease of the value first.
func (q *PairFilter) page(d driver.Dialect) Select[CasePair] {
	p := &arguments{dialect: d}
	from := q.chosen(p) +
		"\nORDER BY CASE WHEN f_standing = 'passed' AND t_standing <> 'passed' THEN 0 WHEN t_standing = 'passed' AND f_standing <> 'passed' THEN 2 ELSE 1 END, CASE WHEN better IS NULL THEN 0 ELSE better END, s.case_id" +
		" LIMIT " + strconv.Itoa(q.Limit) + " OFFSET " + strconv.Itoa(q.Offset)
	return Select[CasePair]{
		What: readingScores, From: from, Args: p.args,
		Fields: []field[CasePair]{
			{SQL: "s.case_id", In: func(p *CasePair) any { return &p.CaseID }},
			{SQL: "f_standing", In: func(p *CasePair) any { return &p.FromStands }},
			{SQL: "t_standing", In: func(p *CasePair) any { return &p.ToStands }},
			{SQL: "f_value", In: func(p *CasePair) any { return &p.FromValue }},
			{SQL: "t_value", In: func(p *CasePair) any { return &p.ToValue }},
			{SQL: "f_label", In: func(p *CasePair) any { return &p.FromLabel }},
			{SQL: "t_label", In: func(p *CasePair) any { return &p.ToLabel }},
			{SQL: "f_reason", In: func(p *CasePair) any { return &p.FromReason }},
			{SQL: "t_reason", In: func(p *CasePair) any { return &p.ToReason }},
		},
	}
}

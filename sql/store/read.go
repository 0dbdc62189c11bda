package store

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// Reader builds queries over the tables that users fill. Their columns may have any type, and some may be missing.
type Reader struct {
	Dialect driver.Dialect
	Missing map[string]bool // missing columns, such as agent_runs.turn
	NoLog   bool            // the table label_log does not exist, as in earlier versions
}

// Column returns the expression for a column of a table; NULL if it is missing.
func (r Reader) Column(table, column string) string {
	if r.Missing[table+"."+column] {
		return "CAST(NULL AS " + r.Dialect.Types[TableNamed(table).column(column).Type] + ")"
	}
	return column
}

// Text returns the expression for a column as a string that compares by bytes, whatever the column's type and
// collation.
func (r Reader) Text(table, column string) string {
	if r.Missing[table+"."+column] {
		return "CAST(NULL AS " + r.Dialect.Types[driver.Text] + ")"
	}
	return "CAST(" + column + " AS " + r.Dialect.Types[driver.Text] + ")" + r.Dialect.Binary
}

// Key returns the expression for a key column as a string; NULL is the empty string.
func (r Reader) Key(table, column string) string {
	return "COALESCE(" + r.Text(table, column) + ", '')"
}

// DayText returns the expression for the day of a column as a string such as 2025-01-13; NULL if the column, which may
// have any type, does not start with a day.
func (r Reader) DayText(table, column string) string {
	text := r.Text(table, column)
	return "CASE WHEN " + text + " LIKE '____-__-__%' THEN SUBSTR(" + text + ", 1, 10) END"
}

// Labels returns a query for the human labels of answers, one row for each answer and annotator, and another for each
// adjudication (decides is 1): said is 1 for pass, -1 for fail and 0 otherwise. A label in label_log overrides one in
// human_labels, as the times in human_labels may be of any type and cannot be compared. A label without a version of
// the agent belongs to the only version that answered; agent_version is NULL if several or none did. The parameters are
// conditions on k.case_id, and on k.raw_id, the column as a string: for the rows of human_labels, agent_runs and
// label_log. Their arguments are in this order in the text.
func (r Reader) Labels(ofLabels, ofAnswers, ofLog string) string {
	return r.expand(labels(ofLabels, ofAnswers, r.log(ofLog), "", "a.only_version"))
}

// consensus returns a query for the majority verdict on each answer, or its adjudication. The parameters are those of
// [Reader.Labels].
func (r Reader) consensus(ofLabels, ofAnswers, ofLog string) string {
	return r.expand(consensus(labels(ofLabels, ofAnswers, r.log(ofLog), "", "a.only_version")))
}

// log returns the subquery for the labels in label_log that satisfy a condition, the latest of each annotator; "" if
// the table does not exist. An entry skip or withdrawn only affects the labels in its own queue.
func (r Reader) log(condition string) string {
	if r.NoLog {
		return ""
	}
	return logged(condition)
}

func logged(condition string) string {
	const answer = "case_id, agent_name, agent_version, batch_id"
	const of = answer + ", annotator, decides"
	return `
  UNION ALL SELECT ` + of + `, said, 0 AS origin
  FROM (SELECT ` + of + `, CASE verdict WHEN 'pass' THEN 1 WHEN 'fail' THEN -1 ELSE 0 END AS said,
          ROW_NUMBER() OVER (PARTITION BY ` + of + ` ORDER BY labelled_at DESC, label_id DESC) AS latest,
          ROW_NUMBER() OVER (PARTITION BY ` + answer + `, decides ORDER BY labelled_at DESC, label_id DESC) AS last_said
    FROM (SELECT ` + of + `, verdict, labelled_at, label_id, ROW_NUMBER() OVER (PARTITION BY ` + of + `, queue_id ORDER BY labelled_at DESC, label_id DESC) AS choice
    FROM (SELECT {text label_log.case_id} AS raw_id, {key label_log.case_id} AS case_id, {key label_log.agent_name} AS agent_name, {key label_log.agent_version} AS agent_version,
                 {key label_log.batch_id} AS batch_id, {key label_log.annotator} AS annotator, CASE WHEN decides THEN 1 ELSE 0 END AS decides, queue_id, verdict, labelled_at, label_id
          FROM badger.label_log) k
    WHERE ` + condition + `) h
    WHERE choice = 1 AND verdict NOT IN (` + noOpinion + `)) g
  WHERE latest = 1 AND (decides = 0 OR last_said = 1)`
}

// noOpinion lists the verdicts in label_log that express no opinion on an answer.
const noOpinion = "'skip', 'withdrawn'"

// labels returns the query of [Reader.Labels]. only is the expression for the single version to which a label without a
// version belongs, from agent_runs a or from the join that besides adds. log is appended to the rows of human_labels.
func labels(ofLabels, ofAnswers, log, besides, only string) string {
	version := "COALESCE(l.agent_version, " + only + ")"
	return `SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, said
FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, said, ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, annotator, decides ORDER BY origin) AS choice
FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, 0 AS decides, said, 1 AS origin
FROM (SELECT l.case_id, l.agent_name, ` + version + ` AS agent_version, l.batch_id, l.annotator,
        CASE WHEN l.verdict IN ('pass', '1', 'true', 'yes', 'correct') THEN 1 WHEN l.verdict IN ('fail', '0', 'false', 'no', 'incorrect') THEN -1 ELSE 0 END AS said,
        ROW_NUMBER() OVER (PARTITION BY l.case_id, l.agent_name, ` + version + `, l.batch_id, l.annotator
                           ORDER BY CASE WHEN l.labelled_at IS NULL THEN 1 ELSE 0 END, l.labelled_at DESC, l.verdict) AS latest
  FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, verdict, labelled_at
    FROM (SELECT {text human_labels.case_id} AS raw_id, {key human_labels.case_id} AS case_id, {key human_labels.agent_name} AS agent_name, {text human_labels.agent_version} AS agent_version,
                 {key human_labels.batch_id} AS batch_id, {key human_labels.annotator} AS annotator, LOWER(TRIM(REPLACE(REPLACE(REPLACE({key human_labels.verdict}, CHR(9), ' '), CHR(10), ' '), CHR(13), ' '))) AS verdict,
                 {column human_labels.labelled_at} AS labelled_at
          FROM badger.human_labels) k
    WHERE ` + ofLabels + `) l
  LEFT JOIN (SELECT case_id, agent_name, batch_id, COUNT(DISTINCT agent_version) AS versions, CASE WHEN COUNT(DISTINCT agent_version) = 1 THEN MIN(agent_version) END AS only_version
    FROM (SELECT case_id AS raw_id, {key agent_runs.case_id} AS case_id, {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version,
                 {key agent_runs.batch_id} AS batch_id
          FROM badger.agent_runs) k
    WHERE ` + ofAnswers + ` GROUP BY case_id, agent_name, batch_id) a
  ON a.case_id = l.case_id AND a.agent_name = l.agent_name AND a.batch_id = l.batch_id` + besides + `) v
WHERE latest = 1 OR agent_version IS NULL` + log + `) u) w
WHERE choice = 1 OR agent_version IS NULL`
}

func consensus(labels string) string {
	return `SELECT case_id, agent_name, batch_id, CASE WHEN says > 0 THEN 1 WHEN says < 0 THEN 0 END AS passes, agent_version
FROM (SELECT case_id, agent_name, agent_version, batch_id, CASE WHEN MAX(decides) = 1 THEN SUM(decides * said) ELSE SUM(said) END AS says
  FROM (` + labels + `) v WHERE agent_version IS NOT NULL GROUP BY case_id, agent_name, agent_version, batch_id) c`
}

// allLabels returns a query for all labels. It also uses the versions in eval_runs, for answers that are not in
// agent_runs.
func allLabels() string { return labelsOfRuns("1 = 1", "1 = 1", logged("1 = 1")) }

func labelsOfRuns(ofLabels, ofAnswers, log string) string {
	return labels(ofLabels, ofAnswers, log, `
  LEFT JOIN (SELECT agent_name, batch_id, CASE WHEN COUNT(DISTINCT agent_version) = 1 THEN MIN(agent_version) END AS only_version
    FROM badger.eval_runs GROUP BY agent_name, batch_id) e
  ON e.agent_name = l.agent_name AND e.batch_id = l.batch_id`, "CASE WHEN a.versions IS NULL THEN e.only_version ELSE a.only_version END")
}

// expand replaces placeholders in a query: {key TABLE.COLUMN}, {text TABLE.COLUMN}, {column TABLE.COLUMN}, {json
// COLUMN.MEMBER}, {array COLUMN.MEMBER}, {scores}, which are the columns of scores, and a few others below.
func (r Reader) expand(query string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(query, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		what, after, _ := strings.Cut(rest, "}")
		kind, name, _ := strings.Cut(what, " ")
		table, column, _ := strings.Cut(name, ".")
		switch kind {
		case "key":
			out.WriteString(r.Key(table, column))
		case "text":
			if name == "" {
				out.WriteString(r.Dialect.Types[driver.Text])
				break
			}
			out.WriteString(r.Text(table, column))
		case "daytext":
			out.WriteString(r.DayText(table, column))
		case "column":
			out.WriteString(r.Column(table, column))
		case "json":
			out.WriteString(jsonMember(r.Dialect, table, column))
		case "array":
			out.WriteString(jsonPart(r.Dialect, table, column))
		case "s.array":
			out.WriteString(jsonPart(r.Dialect, "s."+table, column))
		case "s.json":
			out.WriteString(jsonMember(r.Dialect, "s."+table, column))
		case "decimal":
			out.WriteString(r.Dialect.Types[driver.Decimal])
		case "double":
			out.WriteString(r.Dialect.Types[driver.Double])
		case "bigint":
			out.WriteString(r.Dialect.Types[driver.BigInt])
		case "answer":
			out.WriteString("(agent_name || ' ' || agent_version || ' ' || batch_id)")
		case "s.answer":
			out.WriteString("(s.agent_name || ' ' || s.agent_version || ' ' || s.batch_id)")
		case "version":
			out.WriteString("agent_name || ' ' || agent_version")
		case "day":
			out.WriteString(day(r.Dialect, name))
		case "scores":
			out.WriteString(scoreColumns(""))
		case "counted":
			out.WriteString(countedColumns())
		case "s.scores":
			out.WriteString(scoreColumns("s."))
		default:
			panic("store: unknown placeholder {" + what + "}")
		}
		query = after
	}
}

// countedColumns returns the columns of scores, with the status, value and verdict that figures count.
func countedColumns() string {
	var names []string
	for _, c := range TableNamed("scores").Columns {
		switch c.Name {
		case "status", "value", "passed":
			names = append(names, countedScore("", c.Name)+" AS "+c.Name)
		default:
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

func scoreColumns(prefix string) string {
	var names []string
	for _, c := range TableNamed("scores").Columns {
		names = append(names, prefix+c.Name)
	}
	return strings.Join(names, ", ")
}

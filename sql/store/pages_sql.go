package store

import (
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// RunFilter chooses rows of eval_runs. Empty fields choose all.
type RunFilter struct {
	scoring.By
	Text   string // in the run, the agent, the version, the batch or the judge
	Status string
	Limit  int // rows, after Offset
	Offset int

	Unnamed     bool // agents without a name, besides Agent
	Unversioned bool // agents without a version, besides Version
}

// RunsListed chooses rows of eval_runs by a filter, the newest first: what follows the columns of the
// statement.
func RunsListed(d driver.Dialect, f RunFilter) (from string, args []any) {
	param := func(v any) string {
		args = append(args, v)
		return d.Param(len(args))
	}
	var conds []string
	for _, c := range []struct {
		column, value string
		orNone        bool
	}{{"agent_name", f.Agent, f.Unnamed}, {"agent_version", f.Version, f.Unversioned}, {"batch_id", f.Batch, false}, {"status", f.Status, false}} {
		switch {
		case c.orNone:
			conds = append(conds, "("+c.column+" = '' OR "+c.column+" = "+param(c.value)+")")
		case c.value != "":
			conds = append(conds, c.column+" = "+param(c.value))
		}
	}
	if f.Text != "" {
		var any []string
		for _, c := range strings.Fields("eval_run_id agent_name agent_version batch_id judge") {
			any = append(any, contains(d, "LOWER(COALESCE("+c+", ''))", "LOWER(CAST("+param(f.Text)+" AS "+d.Types[driver.Text]+"))"))
		}
		conds = append(conds, "("+strings.Join(any, " OR ")+")")
	}
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	return " FROM badger.eval_runs" + where +
		" ORDER BY CASE WHEN eval_run_date IS NULL THEN 1 ELSE 0 END, eval_run_date DESC, eval_run_id DESC, agent_name, agent_version, batch_id LIMIT " + strconv.Itoa(f.Limit) + " OFFSET " + strconv.Itoa(f.Offset), args
}

// RowsNamed chooses the rows of eval_runs of a run's ID: what follows the columns of the statement.
func RowsNamed(d driver.Dialect, id string) (from string, args []any) {
	return " FROM badger.eval_runs WHERE eval_run_id = " + params(d, &args, []string{id}), args
}

// AgentsOfRuns reads the agents and versions that were evaluated.
func AgentsOfRuns() string {
	return "SELECT DISTINCT agent_name, agent_version FROM badger.eval_runs ORDER BY agent_name, agent_version"
}

// runScores is a run whose scores are read.
type runScores struct {
	scoring.RunID
	Alone bool // nothing else has scores under its ID: a scan then need not compare the rest
}

func (r runScores) is(d driver.Dialect, args *[]any) string {
	if r.Alone && d.KeyIndex == nil {
		return "eval_run_id = " + params(d, args, []string{r.ID})
	}
	return runIs(d, args, r.RunID)
}

// runIs is the condition that a row of eval_runs or scores is of a run.
func runIs(d driver.Dialect, args *[]any, run scoring.RunID) string {
	param := func(v any) string {
		*args = append(*args, v)
		return d.Param(len(*args))
	}
	return "eval_run_id = " + param(run.ID) + " AND agent_name = " + param(run.Agent) + " AND agent_version = " + param(run.Version) + " AND batch_id = " + param(run.Batch)
}

// figures sum up scores: how many there are, with a value, abstained, not applicable though the agent
// answered, not applicable because it did not, and failed; how many have a verdict, and passed; the
// sum of the values.
func figuresSQL(prefix string) string {
	count := func(condition string) string {
		return "COUNT(CASE WHEN " + strings.ReplaceAll(condition, "%", prefix) + " THEN 1 END)"
	}
	return strings.Join([]string{
		"COUNT(*)", count("%status = 'ok'"), count("%status = 'abstained'"), count("%status = 'not_applicable' AND %reason NOT IN (" + noAnswer + ")"),
		count("%status = 'not_applicable' AND %reason IN (" + noAnswer + ")"), count("%status NOT IN ('ok', 'abstained', 'not_applicable')"), count("%status = 'ok' AND %passed IS NOT NULL"), count("%status = 'ok' AND %passed"),
		"SUM(CASE WHEN " + prefix + "status = 'ok' THEN " + prefix + "value END)",
	}, ", ")
}

// FiguresOfRun sums up the scores of a run by metric, status and verdict: these three, how many scores
// there are, and the sum and the standard deviation (as of a sample) of their values. Engines count
// groups in less time than conditions.
func FiguresOfRun(d driver.Dialect, run runScores) (query string, args []any) {
	where := run.is(d, &args)
	return "SELECT metric, status, CASE WHEN passed THEN 1 WHEN NOT passed THEN 0 END, COUNT(*), SUM(value), STDDEV_SAMP(value) FROM badger.scores WHERE " + where + " GROUP BY metric, status, passed ORDER BY metric, status, passed", args
}

// UnansweredOfRun counts, among the scores of a run that are not applicable, those of missing answers, by metric,
// with a reason of the others. Only this query reads reasons.
func UnansweredOfRun(d driver.Dialect, run runScores) (query string, args []any) {
	where := run.is(d, &args)
	return "SELECT metric, COUNT(CASE WHEN reason IN (" + noAnswer + ") THEN 1 END), MIN(CASE WHEN reason NOT IN (" + noAnswer + ") THEN reason END) FROM badger.scores WHERE " + where + " AND status = 'not_applicable' GROUP BY metric", args
}

// CasesOfRun counts the cases of a run.
func CasesOfRun(d driver.Dialect, run runScores) (query string, args []any) {
	where := run.is(d, &args)
	return "SELECT COUNT(DISTINCT case_id) FROM badger.scores WHERE " + where, args
}

// MetricsOfRun counts the scores of each metric of a run.
func MetricsOfRun(d driver.Dialect, run runScores) (query string, args []any) {
	where := run.is(d, &args)
	return "SELECT metric, COUNT(*) FROM badger.scores WHERE " + where + " GROUP BY metric ORDER BY metric", args
}

// FiguresOfRuns sums up the scores of some metrics in some runs: the run, the agent, the version, the
// batch, the metric, when the last score was stored, and [figures].
func FiguresOfRuns(d driver.Dialect, ids, metrics []string) (query string, args []any) {
	const key = "eval_run_id, agent_name, agent_version, batch_id, metric"
	where := "eval_run_id IN (" + params(d, &args, ids) + ") AND metric IN (" + params(d, &args, metrics) + ")"
	return "SELECT " + key + ", MAX(scored_at), " + figuresSQL("") + " FROM badger.scores WHERE " + where + " GROUP BY " + key, args
}

// ValuesOfRun reads the values of a metric in a run, in ascending order.
func ValuesOfRun(d driver.Dialect, run runScores, metric string) (query string, args []any) {
	where := run.is(d, &args)
	return "SELECT value FROM badger.scores WHERE " + where + " AND metric = " + params(d, &args, []string{metric}) + " AND status = 'ok' AND value IS NOT NULL ORDER BY value", args
}

const cellColumns = "case_id, metric, metric_version, status, value, label, passed, reason, code"

const wholeScores = "SELECT " + cellColumns + ", detail, assessment_ids, usage, config_hash, gold_hash, scored_at FROM badger.scores WHERE "

// ScoresOfCase reads all scores of a case of a run, with their evidence.
func ScoresOfCase(d driver.Dialect, run runScores, caseID string) (query string, args []any) {
	where := run.is(d, &args)
	return wholeScores + where + " AND case_id = " + params(d, &args, []string{caseID}) + " ORDER BY metric", args
}

// ScoresOfWhole reads scores of some cases of a run as [ScoresOfCase] does, in no order: all, or with
// metrics only theirs, those that failed, and those that rest on a judge's reply.
func ScoresOfWhole(d driver.Dialect, run runScores, ids, metrics []string) (query string, args []any) {
	where := run.is(d, &args) + " AND case_id IN (" + params(d, &args, ids) + ")"
	if metrics != nil {
		where += " AND (metric IN (" + params(d, &args, metrics) + ") OR status = 'failed' OR assessment_ids IS NOT NULL)"
	}
	return wholeScores + where, args
}

// LabelsOfCases reads the labels of answers, in every version of the agent and of none, from new to old.
func (r Reader) LabelsOfCases(run scoring.RunID, ids []string) (query string, args []any) {
	where := "case_id IN (" + params(r.Dialect, &args, ids) + ") AND agent_name = " + params(r.Dialect, &args, []string{run.Agent}) + " AND batch_id = " + params(r.Dialect, &args, []string{run.Batch}) +
		" AND (agent_version IS NULL OR agent_version = " + params(r.Dialect, &args, []string{run.Version}) + ")"
	return r.expand(`SELECT annotator, verdict, note, labelled_at, agent_version, case_id FROM (SELECT {key human_labels.case_id} AS case_id, {key human_labels.agent_name} AS agent_name,
  {text human_labels.agent_version} AS agent_version, {key human_labels.batch_id} AS batch_id, {key human_labels.annotator} AS annotator, {key human_labels.verdict} AS verdict, {text human_labels.note} AS note,
  {column human_labels.labelled_at} AS labelled_at FROM badger.human_labels) k
WHERE ` + where + ` ORDER BY CASE WHEN labelled_at IS NULL THEN 1 ELSE 0 END, labelled_at DESC, annotator`), args
}

// Question reads a question as a row of [Answers.Cases] without an answer.
func (q *Answers) Question(caseID string) string {
	return q.QuestionsWithin(Filter{}, &Range{First: caseID, Last: caseID})
}

// QuestionsWithin reads the questions of a range as rows of [Answers.Cases] without an answer: of the
// version of the set that the filter names, or of the highest that has the question.
func (q *Answers) QuestionsWithin(f Filter, r *Range) string {
	columns := []string{"g.case_id", "NULL AS agent_name", "NULL AS agent_version", "NULL AS batch_id", "g.set_version", "g.copies"}
	for _, c := range RunColumns {
		columns = append(columns, "NULL AS "+c+"_of_run")
	}
	for _, c := range GoldenColumns {
		columns = append(columns, "g."+c)
	}
	return "SELECT " + strings.Join(columns, ", ") + ", NULL AS passes FROM " + q.golden(f, r)
}

package store

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// RunFilter selects rows of eval_runs. Empty fields select all.
type RunFilter struct {
	scoring.By
	Text   string // text in the run, the agent, the version, the batch or the judge, in any case
	Status string
	Limit  int // maximum number of rows, after Offset
	Offset int

	Unnamed     bool // also select agents without a name
	Unversioned bool // also select agents without a version

	dated bool // the table has the column answered_at
}

// listedRun is a row of eval_runs with the number of rows that the filter selects.
type listedRun struct {
	Run
	of int64
}

var listedFields = append(fieldsIn(runFields, func(r *listedRun) *Run { return &r.Run }),
	field[listedRun]{SQL: "COUNT(*) OVER () AS listed", In: func(r *listedRun) any { return &r.of }})

// runsListed returns the statement for rows of eval_runs by a filter, the latest first.
func runsListed(d driver.Dialect, f RunFilter) Select[listedRun] {
	p := &arguments{dialect: d}
	var conds []string
	for _, c := range []struct {
		column, value string
		orNone        bool
	}{{"agent_name", f.Agent, f.Unnamed}, {"agent_version", f.Version, f.Unversioned}, {"batch_id", f.Batch, false},
		{"status", f.Status, false}} {
		switch {
		case c.orNone:
			conds = append(conds, "("+c.column+" = '' OR "+c.column+" = "+p.add(c.value)+")")
		case c.value != "":
			conds = append(conds, c.column+" = "+p.add(c.value))
		}
	}
	if f.Text != "" {
		var any []string
		for _, c := range strings.Fields("eval_run_id agent_name agent_version batch_id judge") {
			any = append(any,
				contains(d, "LOWER(COALESCE("+c+", ''))", "LOWER(CAST("+p.add(f.Text)+" AS "+d.Types[driver.Text]+"))"))
		}
		conds = append(conds, "("+strings.Join(any, " OR ")+")")
	}
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	latest := ""
	if f.dated {
		latest = "CASE WHEN answered_at IS NULL THEN 1 ELSE 0 END, answered_at DESC, "
	}
	from := " FROM badger.eval_runs" + where +
		" ORDER BY CASE WHEN eval_run_date IS NULL THEN 1 ELSE 0 END, eval_run_date DESC, eval_run_id DESC, " + latest + "batch_id DESC, agent_name, agent_version DESC LIMIT " + strconv.Itoa(f.Limit) + " OFFSET " + strconv.Itoa(f.Offset)
	return Select[listedRun]{What: readingRuns, Fields: listedFields, From: from, Args: p.args}
}

// runsNamed returns the statement for the rows of eval_runs with a run ID.
func runsNamed(d driver.Dialect, id string) Select[Run] {
	return Select[Run]{
		What:   readingRuns,
		Fields: runFields,
		From:   " FROM badger.eval_runs WHERE eval_run_id = " + d.Param(1),
		Args:   []any{id},
	}
}

// agentsOfRuns returns the statement for the agents and versions in eval_runs.
func agentsOfRuns() Select[AgentVersion] {
	return Select[AgentVersion]{
		What: readingRuns, Distinct: true, From: " FROM badger.eval_runs ORDER BY agent_name, agent_version",
		Fields: []field[AgentVersion]{
			{SQL: "agent_name", In: func(a *AgentVersion) any { return &a.Agent }},
			{SQL: "agent_version", In: func(a *AgentVersion) any { return &a.Version }},
		},
	}
}

// runScores is a run whose scores are read.
type runScores struct {
	scoring.RunID
	Alone bool // no other agent, version or batch has scores under its ID, so that comparing the ID suffices
}

func (r runScores) is(d driver.Dialect, args *[]any) string {
	if r.Alone && d.KeyIndex == nil {
		return "eval_run_id = " + params(d, args, []string{r.ID})
	}
	return runIs(d, args, r.RunID)
}

// runIs returns the condition that a row of eval_runs or scores belongs to a run.
func runIs(d driver.Dialect, args *[]any, run scoring.RunID) string {
	param := func(v any) string {
		*args = append(*args, v)
		return d.Param(len(*args))
	}
	return "eval_run_id = " + param(run.ID) + " AND agent_name = " + param(run.Agent) + " AND agent_version = " +
		param(run.Version) + " AND batch_id = " + param(run.Batch)
}

// figureFields returns the fields that sum up scores, whose columns have a prefix such as "p.".
func figureFields(prefix string) []field[Figures] {
	count := func(condition string) string {
		return "COUNT(CASE WHEN " + strings.ReplaceAll(condition, "%", prefix) + " THEN 1 END)"
	}
	return []field[Figures]{
		{SQL: "COUNT(*)", In: func(f *Figures) any { return &f.Scores }},
		{SQL: count("%status = 'ok'"), In: func(f *Figures) any { return &f.OK }},
		{SQL: count("%status = 'abstained'"), In: func(f *Figures) any { return &f.Abstained }},
		{SQL: count("%status = 'not_applicable' AND %reason NOT IN (" + noAnswer + ")"),
			In: func(f *Figures) any { return &f.NotApplicable }},
		{SQL: count("%status = 'not_applicable' AND %reason IN (" + noAnswer + ")"),
			In: func(f *Figures) any { return &f.Unanswered }},
		{SQL: count("%status NOT IN ('ok', 'abstained', 'not_applicable')"), In: func(f *Figures) any { return &f.Failed }},
		{SQL: count("%status = 'ok' AND %passed IS NOT NULL"), In: func(f *Figures) any { return &f.Judged }},
		{SQL: count("%status = 'ok' AND %passed"), In: func(f *Figures) any { return &f.Passed }},
		{SQL: "SUM(CASE WHEN " + prefix + "status = 'ok' THEN " + prefix + "value END)",
			In: func(f *Figures) any { return &f.Sum }},
	}
}

// countedScores returns a FROM clause for the scores of some metrics, nil for all, with the status, value and verdict
// that figures count. The caller selects the metrics.
func countedScores(metrics []string) string {
	const columns = "eval_run_id, agent_name, agent_version, batch_id, case_id, metric, reason, scored_at, "
	if !silencePassesAny(metrics) {
		return " FROM (SELECT " + columns + "status, value, passed FROM badger.scores) s"
	}
	counted := func(column, as string) string { // the condition is evaluated once
		return "CASE WHEN silent = 1 THEN " + as + " ELSE " + column + " END AS " + column
	}
	return " FROM (SELECT " + columns + counted("status", "'ok'") + ", " + counted("value", "1") + ", " +
		counted("passed", "TRUE") + " FROM (SELECT " + columns + "status, value, passed, CASE WHEN " + passesSilently("") +
		" THEN 1 ELSE 0 END AS silent FROM badger.scores) k) s"
}

// group is the scores of a run for one metric, status and verdict.
type group struct {
	metric         string
	status         scoring.Status
	verdict        string // 1, 0 or ""
	n              int64
	sum, deviation float64 // of their values; deviation is the sample standard deviation
}

// groupsOfRun returns the statement that sums up the scores of a run by metric, status and verdict. Grouping is faster
// in engines than conditional counts.
func groupsOfRun(d driver.Dialect, run runScores) Select[group] {
	p := &arguments{dialect: d}
	from := countedScores(nil) + " WHERE " + run.is(d, &p.args) +
		" GROUP BY metric, status, passed ORDER BY metric, status, passed"
	return Select[group]{
		What: readingScores, From: from, Args: p.args,
		Fields: []field[group]{
			{SQL: "metric", In: func(g *group) any { return &g.metric }},
			{SQL: "status", In: func(g *group) any { return (*string)(&g.status) }},
			{SQL: "CASE WHEN passed THEN 1 WHEN NOT passed THEN 0 END", In: func(g *group) any { return &g.verdict }},
			{SQL: "COUNT(*)", In: func(g *group) any { return &g.n }},
			{SQL: "SUM(value)", In: func(g *group) any { return &g.sum }},
			{SQL: "STDDEV_SAMP(value)", In: func(g *group) any { return &g.deviation }},
		},
	}
}

// unansweredMetric is a metric with the number of scores that do not apply because the agent gave no answer.
type unansweredMetric struct {
	metric string
	n      int64
	why    string // a reason of the other scores that do not apply
}

// unansweredOfRun returns the statement that counts, by metric, the scores of a run that do not apply because the agent
// gave no answer, with a reason of the others. Only this statement reads reasons.
func unansweredOfRun(d driver.Dialect, run runScores) Select[unansweredMetric] {
	p := &arguments{dialect: d}
	from := countedScores(nil) + " WHERE " + run.is(d, &p.args) + " AND status = 'not_applicable' GROUP BY metric"
	return Select[unansweredMetric]{
		What: readingScores, From: from, Args: p.args,
		Fields: []field[unansweredMetric]{
			{SQL: "metric", In: func(u *unansweredMetric) any { return &u.metric }},
			{SQL: "COUNT(CASE WHEN reason IN (" + noAnswer + ") THEN 1 END)", In: func(u *unansweredMetric) any { return &u.n }},
			{SQL: "MIN(CASE WHEN reason NOT IN (" + noAnswer + ") THEN reason END)",
				In: func(u *unansweredMetric) any { return &u.why }},
		},
	}
}

// casesOfRun returns the statement for the number of cases of a run.
func casesOfRun(d driver.Dialect, run runScores) Select[int64] {
	p := &arguments{dialect: d}
	from := " FROM badger.scores WHERE " + run.is(d, &p.args)
	return Select[int64]{What: readingScores, Fields: only[int64]("COUNT(DISTINCT case_id)"), From: from, Args: p.args}
}

// metricsOfRun returns the statement for the number of scores of each metric of a run.
func metricsOfRun(d driver.Dialect, run runScores) Select[MetricShape] {
	p := &arguments{dialect: d}
	from := " FROM badger.scores WHERE " + run.is(d, &p.args) + " GROUP BY metric ORDER BY metric"
	return Select[MetricShape]{
		What: readingScores, From: from, Args: p.args,
		Fields: []field[MetricShape]{
			{SQL: "metric", In: func(m *MetricShape) any { return &m.Metric }},
			{SQL: "COUNT(*)", In: func(m *MetricShape) any { return &m.Scores }},
		},
	}
}

// summed has the figures of a metric in a run, with their key.
type summed struct {
	RunMetric
	RunFigures
}

var summedKey = append(fieldsIn(runIDFields, func(s *summed) *scoring.RunID { return &s.RunID }),
	field[summed]{SQL: "metric", In: func(s *summed) any { return &s.Metric }})

// figuresOfRuns returns the statement that sums up the scores of some metrics in some runs.
func figuresOfRuns(d driver.Dialect, ids, metrics []string) Select[summed] {
	p := &arguments{dialect: d}
	from := countedScores(metrics) + " WHERE eval_run_id IN (" + p.list(ids) + ") AND metric IN (" + p.list(metrics) +
		") GROUP BY " + columnsOf(summedKey)
	return Select[summed]{
		What: readingScores, From: from, Args: p.args,
		Fields: slices.Concat(summedKey,
			[]field[summed]{{SQL: "MAX(scored_at)", In: func(s *summed) any { return &s.Last }}},
			fieldsIn(figureFields(""), func(s *summed) *Figures { return &s.Figures })),
	}
}

// valuesOfRun returns the statement for the values of a metric in a run, in ascending order.
func valuesOfRun(d driver.Dialect, run runScores, metric string) Select[float64] {
	p := &arguments{dialect: d}
	from := countedScores([]string{metric}) + " WHERE " + run.is(d, &p.args) + " AND metric = " + p.add(metric) +
		" AND status = 'ok' AND value IS NOT NULL ORDER BY value"
	return Select[float64]{What: readingScores, Fields: only[float64]("value"), From: from, Args: p.args}
}

// cellFields are the columns of a case's score without its evidence.
var cellFields = slices.Concat(keyOfRow[:1], resultFields, []field[scoring.Row]{codeField})

// storedScore is a score of a case with its evidence.
type storedScore struct {
	row        scoring.Row
	configHash string
	at         time.Time
}

// score returns the score as a [CaseScore].
func (s *storedScore) score() CaseScore {
	return CaseScore{Score: s.row.Score, ConfigHash: s.configHash, GoldHash: s.row.GoldHash, At: s.at}
}

// storedFields are the columns of a storedScore: cellFields and then the evidence.
var storedFields = slices.Concat(
	fieldsIn(cellFields, func(s *storedScore) *scoring.Row { return &s.row }),
	[]field[storedScore]{
		{SQL: "detail", Decode: func(s *storedScore, v scoring.Value) error {
			if text := textIn(v); text != "" {
				s.row.Score.Detail = json.RawMessage(text)
			}
			return nil
		}},
		{SQL: "assessment_ids", Decode: func(s *storedScore, v scoring.Value) error {
			return readJSON("scores.assessment_ids", v, &s.row.Score.AssessmentIDs)
		}},
	},
	fieldsIn([]field[scoring.Row]{usageField}, func(s *storedScore) *scoring.Row { return &s.row }),
	[]field[storedScore]{{SQL: "config_hash", In: func(s *storedScore) any { return &s.configHash }}},
	fieldsIn([]field[scoring.Row]{goldHashField}, func(s *storedScore) *scoring.Row { return &s.row }),
	[]field[storedScore]{{SQL: "scored_at", In: func(s *storedScore) any { return &s.at }}},
)

// scoresOfCase returns the statement for all scores of a case of a run, with their evidence.
func scoresOfCase(d driver.Dialect, run runScores, caseID string) Select[storedScore] {
	p := &arguments{dialect: d}
	from := " FROM badger.scores WHERE " + run.is(d, &p.args) + " AND case_id = " + p.add(caseID) + " ORDER BY metric"
	return Select[storedScore]{What: readingScores, Fields: storedFields, From: from, Args: p.args}
}

// scoresOfCases returns the statement for the scores of some cases of a run with their evidence, unordered: all, or if
// metrics is not nil, those of these metrics, those that failed, and those with a judge's reply.
func scoresOfCases(d driver.Dialect, run runScores, ids, metrics []string) Select[storedScore] {
	p := &arguments{dialect: d}
	from := " FROM badger.scores WHERE " + run.is(d, &p.args) + " AND case_id IN (" + p.list(ids) + ")"
	if metrics != nil {
		from += " AND (metric IN (" + p.list(metrics) + ") OR status = 'failed' OR assessment_ids IS NOT NULL)"
	}
	return Select[storedScore]{What: readingScores, Fields: storedFields, From: from, Args: p.args}
}

// labelsOfCases returns the statement for human_labels of answers, by this version of the agent or without a version,
// the latest first.
func (r Reader) labelsOfCases(run scoring.RunID, ids []string) Select[LoggedLabel] {
	p := &arguments{dialect: r.Dialect}
	where := "case_id IN (" + p.list(ids) + ") AND agent_name = " + p.add(run.Agent) + " AND batch_id = " +
		p.add(run.Batch) + " AND (agent_version IS NULL OR agent_version = " + p.add(run.Version) + ")"
	return Select[LoggedLabel]{
		What: readingHumanLabels, Args: p.args,
		Fields: []field[LoggedLabel]{
			{SQL: "annotator", In: func(l *LoggedLabel) any { return &l.Annotator }},
			{SQL: "verdict", In: func(l *LoggedLabel) any { return &l.Verdict }},
			{SQL: "note", In: func(l *LoggedLabel) any { return &l.Note }},
			{SQL: "labelled_at", In: func(l *LoggedLabel) any { return &l.At }},
			{SQL: "agent_version", In: func(l *LoggedLabel) any { return &l.Version }},
			{SQL: "case_id", In: func(l *LoggedLabel) any { return &l.CaseID }},
		},
		From: r.expand(` FROM (SELECT {key human_labels.case_id} AS case_id, {key human_labels.agent_name} AS agent_name,
  {text human_labels.agent_version} AS agent_version, {key human_labels.batch_id} AS batch_id, {key human_labels.annotator} AS annotator, {key human_labels.verdict} AS verdict, {text human_labels.note} AS note,
  {column human_labels.labelled_at} AS labelled_at FROM badger.human_labels) k
WHERE ` + where + ` ORDER BY CASE WHEN labelled_at IS NULL THEN 1 ELSE 0 END, labelled_at DESC, annotator`),
	}
}

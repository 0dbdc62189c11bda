package store

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// caseList builds the queries over the cases of one run that a state selects. All cases with scores in the run are
// candidates. Each query needs its own caseList.
type caseList struct {
	inputs
	state   State
	run     runScores
	base    runScores // the baseline
	covered bool
	unlike  Unlike
	making  bool           // the query reads what scores of the run and the baseline were made with
	numbers driver.Dialect // writes the final placeholders, in the order of the text

	groups  []LabelGroup // groups of the labels of the metric relation
	metrics []string     // metrics other than the primary one that the query reads; their aliases are m0, m1, …
	joined  map[string]bool
	columns []string // columns of golden_set and agent_runs that the query reads, as others may be long
}

// newCaseList returns a query over the cases of a state with a primary metric; run and base are its run and its
// baseline. covered reports that every case of the run has a score of that metric: these scores are then the cases.
func newCaseList(a inputs, s State, run, base runScores, covered bool) *caseList {
	q := &caseList{inputs: a, state: s, run: run, base: base, covered: covered, numbers: a.Dialect,
		joined: map[string]bool{}}
	q.args = nil
	q.Dialect.Placeholder = func(n int) string { return mark + strconv.Itoa(n) + mark }
	return q
}

// mark encloses the index of an argument until [caseList.finish] replaces it with a placeholder.
const mark = "\x01"

// finish replaces the marks in a text with placeholders and returns the arguments in the order of the text.
func (q *caseList) finish(text string) (query string, args []any) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, mark)
		out.WriteString(before)
		if !found {
			return out.String(), args
		}
		number, after, _ := strings.Cut(rest, mark)
		n, _ := strconv.Atoi(number) // written above
		args = append(args, q.args[n-1])
		out.WriteString(q.numbers.Param(len(args)))
		text = after
	}
}

// The aliases of the tables that are joined to the scores of the primary metric, p.
const (
	ofGolden   = "g" // the question in golden_set
	ofAnswer   = "a" // the agent's answer in agent_runs
	ofPeople   = "l" // the human verdict
	ofBaseline = "b" // the primary metric's score in the baseline
	ofFailed   = "e" // cases with a failed score
	ofRelation = "r"
	ofTier     = "t"
)

// The metrics whose labels are columns of a list.
const (
	relationMetric = "relation"
	tierMetric     = "sql_complexity"
)

// isUnanswered is the condition that the agent did not answer a case.
var isUnanswered = "p.status = 'not_applicable' AND p.reason IN (" + noAnswer + ")"

// groupColumn is the string column that [caseList.groups] defines.
const groupColumn = "group"

// LabelGroup is a label of the metric relation with the group that it belongs to. An empty label is for the cases
// without an answer.
type LabelGroup struct{ Label, Group string }

// Unlike describes which scores of the list's metric by a run and its baseline are not comparable, besides those of
// questions or metric versions that changed.
type Unlike struct {
	Config bool // none are comparable, because the metric's configuration changed
	Judge  bool // those are not that asked a judge in both runs, because the judge changed
	Judged bool // all scores of the metric depend on the judge, also those made without a call
}

// group returns the expression for the group of the label of relation; if ranked is set, for the group's index in
// q.groups.
func (q *caseList) group(ranked bool) string {
	q.join(ofRelation, "r.label")
	var order []string
	out := "(CASE"
	for _, g := range q.groups {
		if !slices.Contains(order, g.Group) {
			order = append(order, g.Group)
		}
		to := q.Dialect.Literal(g.Group)
		if ranked {
			to = strconv.Itoa(slices.Index(order, g.Group))
		}
		is := "r.label = " + q.Dialect.Literal(g.Label)
		if g.Label == "" {
			is = isUnanswered
		}
		out += " WHEN " + is + " THEN " + to
	}
	if q.groups == nil {
		out += " WHEN 1 = 0 THEN NULL"
	}
	if ranked {
		return out + " END)"
	}
	return out + " ELSE '' END)"
}

// listColumns are the string columns of lists, with their sources.
var listColumns = map[string]struct{ join, text string }{
	"case":   {"", "p.case_id"},
	"status": {"", "CASE WHEN " + isUnanswered + " THEN 'unanswered' ELSE p.status END"},
	"reason": {"", "p.reason"}, "label": {"", "p.label"},
	"question": {ofGolden, "g.question"}, "gold": {ofGolden, "g.gold_sql"}, "database": {ofGolden, "g.database_name"},
	"dialect": {ofGolden, "g.dialect"},
	"tags":    {ofGolden, "g.tags"}, "sql": {ofAnswer, "a.sql"}, "relation": {ofRelation, "r.label"},
	groupColumn: {ofRelation, "group"}, "tier": {ofTier, "t.label"},
	"people": {ofPeople,
		"CASE WHEN l.passes = 1 THEN 'pass' WHEN l.passes = 0 THEN 'fail' WHEN l.case_id IS NOT NULL THEN 'divided' END"},
}

// join adds the joined table of an alias to the query, and the column, such as g.question, to those that are read.
func (q *caseList) join(alias, column string) {
	if alias != "" {
		q.joined[alias] = true
	}
	_, name, _ := strings.Cut(column, ".")
	if (alias == ofGolden || alias == ofAnswer) && !slices.Contains(q.columns, name) {
		q.columns = append(q.columns, name)
	}
}

// score returns the alias of the scores of a metric, and joins them if necessary.
func (q *caseList) score(metric string) string {
	if metric == q.state.Metric {
		return "p"
	}
	i := slices.Index(q.metrics, metric)
	if i < 0 {
		i = len(q.metrics)
		q.metrics = append(q.metrics, metric)
	}
	return "m" + strconv.Itoa(i)
}

// chosen returns the FROM clause with the joined tables, the conditions, and the rest of the statement.
func (q *caseList) chosen(conditions []string, after string) string {
	where := ""
	for i, c := range conditions {
		where += []string{"\nWHERE ", " AND "}[min(i, 1)] + "(" + c + ")"
	}
	return "\nFROM " + q.from() + where + after
}

// scores returns a subquery for columns of the scores of a metric in a run. and is a further condition.
func (q *caseList) scores(run runScores, metric, columns, and string) string {
	return "(SELECT " + columns + " FROM badger.scores WHERE " + run.is(q.Dialect, &q.args) + " AND metric = " +
		q.param(metric) + and + ")"
}

// scoreColumnsOf returns the columns of a metric's scores that lists read.
func scoreColumnsOf(metric string) string {
	counted := func(column string) string {
		return countedScoreOf([]string{metric}, "", column) + " AS " + column
	}
	return "case_id, " + counted("status") + ", " + counted("value") + ", label, " + counted("passed") + ", reason"
}

// made returns the columns of scores, after a comma, that show what a score was made with; "" if the query does not
// compare them.
func (q *caseList) made() string {
	if !q.making {
		return ""
	}
	gold := "gold_hash"
	if q.withoutGold {
		gold = "CAST(NULL AS " + q.Dialect.Types[driver.Text] + ") AS gold_hash"
	}
	return ", metric_version, " + gold + ", " + restsOnJudge("") + " AS asked"
}

// alike returns the condition that the scores of the run and the baseline are comparable: the law of package analysis.
func (q *caseList) alike() string {
	q.join(ofBaseline, "")
	q.making = true
	if q.unlike.Config {
		return "1 = 0"
	}
	out := "p.metric_version = b.metric_version AND (COALESCE(p.gold_hash, '') = '' OR " +
		"COALESCE(b.gold_hash, '') = '' OR p.gold_hash = b.gold_hash)"
	switch {
	case q.unlike.Judge && q.unlike.Judged:
		return "1 = 0"
	case q.unlike.Judge:
		out += " AND (p.asked = 0 OR b.asked = 0)"
	}
	return out
}

func (q *caseList) from() string {
	run := q.run
	out := ""
	if q.covered {
		out = q.scores(run, q.state.Metric, scoreColumnsOf(q.state.Metric)+q.made(), "") + " p"
	} else {
		made := ""
		if q.making {
			made = ", s.metric_version, s.gold_hash, s.asked"
		}
		out = "(SELECT k.case_id, s.status, s.value, s.label, s.passed, s.reason" + made + " FROM (SELECT DISTINCT case_id FROM badger.scores WHERE " + run.is(q.Dialect, &q.args) + ") k LEFT JOIN " +
			q.scores(run, q.state.Metric, scoreColumnsOf(q.state.Metric)+q.made(), "") + " s ON s.case_id = k.case_id) p"
	}
	join := func(alias string, table func() string) {
		if q.joined[alias] {
			out += "\nLEFT JOIN " + table() + " " + alias + " ON " + alias + ".case_id = p.case_id"
		}
	}
	join(ofFailed, func() string {
		return "(SELECT DISTINCT case_id FROM badger.scores WHERE " + run.is(q.Dialect, &q.args) + " AND status = 'failed')"
	})
	join(ofRelation, func() string { return q.scores(run, relationMetric, "case_id, label", " AND status = 'ok'") })
	join(ofTier, func() string { return q.scores(run, tierMetric, "case_id, label", " AND status = 'ok'") })
	join(ofBaseline, func() string {
		return q.scores(q.base, q.state.Metric, scoreColumnsOf(q.state.Metric)+q.made(), "")
	})
	join(ofGolden, func() string { return q.questionTexts(q.columns, "") })
	join(ofAnswer, func() string { return q.answerTexts(q.columns, "") })
	join(ofPeople, func() string { return q.people(func() string { return "" }) })
	for i, m := range q.metrics {
		out += "\nLEFT JOIN " + q.scores(run, m, scoreColumnsOf(m), "") + " m" + strconv.Itoa(i) + " ON m" +
			strconv.Itoa(i) + ".case_id = p.case_id"
	}
	return out
}

// questionTexts returns a subquery for columns of the questions as text, one row for each question: that of the highest
// version of the golden set.
func (q *caseList) questionTexts(names []string, and string) string {
	var columns []string
	for _, c := range names {
		if slices.Contains(questionColumns, c) {
			columns = append(columns, q.Text("golden_set", c)+" AS "+c)
		}
	}
	return "(" + q.newest(columns, "", func() string { return "1 = 1" + and }) + ")"
}

// answerTexts returns a subquery for columns of the agent's answers as text, one row for each case: the first by time
// and SQL text.
func (q *caseList) answerTexts(names []string, and string) string {
	columns := []string{q.Key("agent_runs", "case_id") + " AS case_id",
		q.Key("agent_runs", "agent_name") + " AS agent_name", q.Key("agent_runs", "agent_version") + " AS agent_version",
		q.Key("agent_runs", "batch_id") + " AS batch_id", q.Column("agent_runs", "ran_at") + " AS ran_at",
		q.Text("agent_runs", "sql") + " AS sql"}
	for _, c := range names {
		if slices.Contains(answerColumns[1:], c) {
			columns = append(columns, q.Text("agent_runs", c)+" AS "+c)
		}
	}
	run := q.state.RunID
	return "(SELECT * FROM (SELECT k.*, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY ran_at, sql) AS choice FROM (SELECT " + strings.Join(columns, ", ") +
		" FROM badger.agent_runs) k WHERE agent_name = " + q.param(run.Agent) + " AND agent_version = " +
		q.param(run.Version) + " AND batch_id = " + q.param(run.Batch) + and + ") c WHERE choice = 1)"
}

// people returns a subquery for the human verdicts on the run's answers. Only labels without a version of the agent
// require a query for the versions that answered.
func (q *caseList) people(and func() string) string {
	run := q.state.RunID
	of := func() string {
		return "k.agent_name = " + q.param(run.Agent) + " AND k.batch_id = " + q.param(run.Batch) + and()
	}
	unversioned := ""
	if !q.Missing["human_labels.agent_version"] {
		unversioned = " WHERE agent_version IS NULL"
	}
	ofAnswers := of() + " AND k.case_id IN (SELECT " + q.Key("human_labels", "case_id") + " FROM badger.human_labels" +
		unversioned + ")"
	return "(SELECT case_id, passes FROM (" + q.expand(consensus(labelsOfRuns(of(), ofAnswers, q.log(of())))) +
		") v WHERE agent_version = " + q.param(run.Version) + ")"
}

// mode returns the condition that a case is in a mode.
func (q *caseList) mode(m Mode) string {
	const wrong = "(%.passed = FALSE OR %.status = 'not_applicable' AND %.reason IN (@))"
	const rated = wrong + " OR %.passed = TRUE"
	const never, verdict = "1 = 0", "CASE WHEN %.passed THEN 1 WHEN NOT %.passed THEN 0 ELSE -1 END"
	of := func(alias, text string) string {
		return strings.NewReplacer("%", alias, "@", noAnswer).Replace(text)
	}
	switch m {
	case Failed:
		return of("p", wrong)
	case Passed:
		return "p.passed = TRUE"
	case Errors:
		q.join(ofFailed, "")
		return "e.case_id IS NOT NULL"
	case Abstained:
		return "p.status = 'abstained'"
	case Changed:
		if q.state.Baseline == (scoring.RunID{}) {
			return never
		}
		q.join(ofBaseline, "")
		return "p.status <> b.status OR " + of("p", verdict) + " <> " + of("b", verdict) + " AND b.case_id IS NOT NULL AND p.status IS NOT NULL OR p.passed IS NULL AND b.passed IS NULL AND p.value <> b.value"
	case Broke, Fixed, StillWrong, StillRight:
		if q.state.Baseline == (scoring.RunID{}) {
			return never
		}
		q.join(ofBaseline, "")
		was, is := wrong, wrong
		if m == Broke || m == StillRight {
			was = "%.passed = TRUE"
		}
		if m == Fixed || m == StillRight {
			is = "%.passed = TRUE"
		}
		return of("b", was) + " AND " + of("p", is) + " AND " + q.alike()
	case NotCompared:
		if q.state.Baseline == (scoring.RunID{}) {
			return never
		}
		return "(" + of("b", rated) + ") AND (" + of("p", rated) + ") AND NOT (" + q.alike() + ")"
	case Added:
		if q.state.Baseline == (scoring.RunID{}) {
			return never
		}
		q.join(ofBaseline, "")
		return "b.case_id IS NULL AND (" + of("p", rated) + ")"
	case Unasked:
		return "p.status = 'not_applicable' AND COALESCE(p.reason, '') NOT IN (" + noAnswer + ")"
	case Disagrees:
		if !q.labelled {
			return never
		}
		q.join(ofPeople, "")
		return "l.passes = 1 AND p.passed = FALSE OR l.passes = 0 AND p.passed = TRUE"
	case Unlabelled:
		if !q.labelled {
			return "1 = 1"
		}
		q.join(ofPeople, "")
		return "l.case_id IS NULL"
	}
	return "1 = 1"
}

// conditions returns the conditions of the state: its mode if withMode is set, its filters, and its search, unless that
// is a regular expression.
func (q *caseList) conditions(withMode bool) (out []string, err error) {
	if withMode && q.state.Mode != All && q.state.Mode != "" {
		out = append(out, q.mode(q.state.Mode))
	}
	for _, f := range q.state.Filters {
		c, err := q.filter(f)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	if q.state.Search != "" && !q.state.Regexp {
		out = append(out, q.search(q.state.Search))
	}
	return out, nil
}

// searched are the columns that a search examines.
var searched = []string{"case", "question", "sql", "gold"}

func (q *caseList) search(text string) string {
	parts := make([]string, len(searched))
	for i, name := range searched {
		parts[i] = q.contains(q.text(name), text)
	}
	return strings.Join(parts, " OR ")
}

// text returns the expression for a string column.
func (q *caseList) text(name string) string {
	c := listColumns[name]
	if name == groupColumn {
		return q.group(false)
	}
	if c.join == ofPeople && !q.labelled {
		return "CAST(NULL AS " + q.Dialect.Types[driver.Text] + ")"
	}
	q.join(c.join, c.text)
	return c.text
}

// contains returns the condition that a string contains another, ignoring case.
func (q *caseList) contains(text, part string) string {
	text = "LOWER(COALESCE(" + text + ", ''))"
	p := "LOWER(CAST(" + q.param(part) + " AS " + q.Dialect.Types[driver.Text] + "))"
	return contains(q.Dialect, text, p)
}

func (q *caseList) latency() string {
	q.join(ofAnswer, "a.latency_ms")
	if q.Missing["agent_runs.latency_ms"] {
		return "CAST(NULL AS " + q.Dialect.Types[driver.Double] + ")"
	}
	return "CAST(a.latency_ms AS " + q.Dialect.Types[driver.Double] + ")"
}

// filter returns the condition of one filter.
func (q *caseList) filter(f ListFilter) (string, error) {
	number, err := strconv.ParseFloat(f.Value, 64)
	isNumber := err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
	wrong := func(expected string) (string, error) {
		return "", errcode.New(errcode.InvalidArgument, "filter: %.80q: expected %s", f.String(), expected)
	}
	compared := func(e string) string { return e + " " + string(f.Op) + " " + q.param(number) }
	switch {
	case f.Column == "tag":
		return q.tagged(f)
	case f.Column == "finding":
		return q.finding(f)
	case f.Column == "latency":
		e := q.latency()
		switch {
		case f.Op == Contains || f.Value != "" && !isNumber || f.Value == "" && f.Op != Equal && f.Op != NotEqual:
			return wrong("a number of milliseconds, compared with = != > >= < or <=")
		case f.Value == "":
			return e + missing(f.Op), nil
		case f.Op == NotEqual:
			return e + " IS NULL OR " + e + " <> " + q.param(number), nil
		}
		return compared(e), nil
	case listColumns[f.Column].text != "":
		return q.textIs(q.text(f.Column), f), nil
	}
	m := q.score(f.Column)
	switch {
	case f.Op == Greater || f.Op == Less || f.Op == AtLeast || f.Op == AtMost:
		if !isNumber {
			return wrong("a number")
		}
		return compared(m + ".value"), nil
	case f.Op == Contains || f.Value != "" && !isNumber:
		return q.textIs(m+".label", f), nil
	case f.Value == "":
		return m + ".value" + missing(f.Op), nil
	case f.Op == NotEqual:
		return m + ".value IS NULL OR " + m + ".value <> " + q.param(number), nil
	}
	return compared(m + ".value"), nil
}

func missing(op Op) string {
	if op == Equal {
		return " IS NULL"
	}
	return " IS NOT NULL"
}

func (q *caseList) textIs(e string, f ListFilter) string {
	whole := "COALESCE(" + e + ", '')" + q.Dialect.Binary
	switch f.Op {
	case Contains:
		return q.contains(e, f.Value)
	case NotEqual:
		return whole + " <> " + q.param(f.Value)
	}
	return whole + " " + string(f.Op) + " " + q.param(f.Value)
}

// tagged returns the condition of a filter on the tags, which are a list in JSON.
func (q *caseList) tagged(f ListFilter) (string, error) {
	q.join(ofGolden, "g.tags")
	tags := "COALESCE(g.tags, '')"
	switch {
	case f.Op == Contains:
		return q.contains("g.tags", f.Value), nil
	case f.Op != Equal && f.Op != NotEqual:
		return "", errcode.New(errcode.InvalidArgument, "filter: %.80q: tags are compared with = != or ~", f.String())
	}
	has := tags + " IN ('', '[]', 'null')"
	if f.Value != "" {
		has = contains(q.Dialect, tags, "CAST("+q.param(jsonString(f.Value))+" AS "+q.Dialect.Types[driver.Text]+")")
	}
	if f.Op == NotEqual {
		has = "NOT (" + has + ")"
	}
	return has, nil
}

// order returns the sort terms of the state: its column, missing values last, then the case ID.
func (q *caseList) order() string {
	byCase := "p.case_id" + q.Dialect.Binary
	down := ""
	if q.state.Sort.Descending {
		down = " DESC"
	}
	e := ""
	switch name := q.state.Sort.Column; {
	case name == "" || name == "case":
		return byCase + down
	case name == "latency":
		e = q.latency()
	case name == groupColumn:
		e = q.group(true)
	case name == "tag":
		q.join(ofGolden, "g.tags")
		e = "g.tags" + q.Dialect.Binary
	case listColumns[name].text != "":
		e = q.text(name)
		if strings.HasPrefix(e, "CASE") || strings.HasPrefix(e, "CAST") {
			e = "(" + e + ")"
		}
		e += q.Dialect.Binary
	default:
		e = q.score(name) + ".value"
	}
	return "CASE WHEN " + e + " IS NULL THEN 1 ELSE 0 END, " + e + down + ", " + byCase
}

// counts returns the statement for the number of cases in each of the modes, in their order.
func (q *caseList) counts(modes []Mode) (Select[[]int64], error) {
	fields := make([]field[[]int64], len(modes))
	for i, m := range modes {
		fields[i] = field[[]int64]{SQL: "COUNT(CASE WHEN " + q.mode(m) + " THEN 1 END)",
			Decode: func(counts *[]int64, v scoring.Value) error {
				*counts = append(*counts, wholeNumber(v))
				return nil
			}}
	}
	return over(q, fields, false, "")
}

// ids returns the statement for the IDs of the cases in the order of the state: all if limit is 0, else at most limit
// after offset.
func (q *caseList) ids(limit, offset int) (Select[string], error) {
	after := "\nORDER BY " + q.order()
	if limit > 0 {
		after += " LIMIT " + strconv.Itoa(limit) + " OFFSET " + strconv.Itoa(offset)
	}
	return over(q, only[string]("p.case_id"), true, after)
}

// firstCase is one of the first cases of a list, or of those with a value of a column.
type firstCase struct {
	part, id string
	of       int64 // number of cases of the list, or of those with the value
}

// first returns the statement for the first n cases in the order of the state, with the number of all cases.
func (q *caseList) first(n int) (Select[firstCase], error) {
	return over(q, []field[firstCase]{
		{SQL: "p.case_id", In: func(c *firstCase) any { return &c.id }},
		{SQL: "COUNT(*) OVER () AS cases", In: func(c *firstCase) any { return &c.of }},
	}, true, "\nORDER BY "+q.order()+" LIMIT "+strconv.Itoa(n))
}

// count returns the statement for the number of cases.
func (q *caseList) count() (Select[int64], error) { return over(q, only[int64]("COUNT(*)"), true, "") }

// firstOfEach returns the statement for the first n cases with each value of a string column, in the order of the
// state.
func (q *caseList) firstOfEach(column string, n int) (Select[firstCase], error) {
	if listColumns[column].text == "" {
		return Select[firstCase]{}, errcode.New(errcode.InvalidArgument, "%.40q is not a string column", column)
	}
	part := "COALESCE(" + q.text(column) + ", '')"
	if q.state.Sort.Column == column { // all cases of a part have the same value
		q.state.Sort = Sort{}
	}
	conditions, err := q.conditions(true)
	if err != nil {
		return Select[firstCase]{}, err
	}
	placed := "SELECT " + part + " AS part, p.case_id AS case_id, ROW_NUMBER() OVER (PARTITION BY " + part +
		" ORDER BY " + q.order() + ") AS place, COUNT(*) OVER (PARTITION BY " + part + ") AS cases" +
		q.chosen(conditions, "")
	return finished(q, readingScores,
		" FROM ("+placed+") n WHERE place <= "+strconv.Itoa(n)+" ORDER BY part, place", []field[firstCase]{
			{SQL: "part", In: func(c *firstCase) any { return &c.part }},
			{SQL: "case_id", In: func(c *firstCase) any { return &c.id }},
			{SQL: "cases", In: func(c *firstCase) any { return &c.of }},
		}), nil
}

// foundCase is a case of a list with the modes that it is in.
type foundCase struct {
	id    string
	modes uint16    // bit i is set if the case is in Modes[i]
	texts [3]string // the other searched columns
}

// found returns the statement for the cases of all modes in the order of the state, and if texts is set, with the other
// searched columns. The strings are valid until the next case is read.
func (q *caseList) found(texts bool) (Select[foundCase], error) {
	fields := []field[foundCase]{{SQL: "p.case_id", Decode: func(c *foundCase, v scoring.Value) error {
		c.id, c.modes = textIn(v), 1 // every case is in All
		return nil
	}}}
	for i, m := range Modes[1:] {
		fields = append(fields,
			field[foundCase]{SQL: "CASE WHEN " + q.mode(m) + " THEN 1 ELSE 0 END",
				Decode: func(c *foundCase, v scoring.Value) error {
					if wholeNumber(v) == 1 {
						c.modes |= 2 << i
					}
					return nil
				}})
	}
	if texts {
		for i, name := range searched[1:] {
			fields = append(fields, field[foundCase]{SQL: q.text(name), In: func(c *foundCase) any { return &c.texts[i] }})
		}
	}
	s, err := over(q, fields, false, "\nORDER BY "+q.order())
	s.What, s.Borrow = readingCases, true
	return s, err
}

// neighbours returns the statement for the case before caseID, the case after it, its position from 1, and the number
// of cases.
func (q *caseList) neighbours(caseID string) (Select[Neighbours], error) {
	over := " OVER (ORDER BY " + q.order() + ")"
	conditions, err := q.conditions(true)
	if err != nil {
		return Select[Neighbours]{}, err
	}
	cases := "SELECT p.case_id AS case_id, LAG(p.case_id)" + over + " AS before, LEAD(p.case_id)" + over +
		" AS later, ROW_NUMBER()" + over + " AS place, COUNT(*) OVER () AS cases" + q.chosen(conditions, "")
	return finished(q, readingScores, " FROM ("+cases+") n WHERE case_id = "+q.param(caseID), []field[Neighbours]{
		{SQL: "before", In: func(n *Neighbours) any { return &n.Before }},
		{SQL: "later", In: func(n *Neighbours) any { return &n.After }},
		{SQL: "place", In: func(n *Neighbours) any { return &n.Place }},
		{SQL: "cases", In: func(n *Neighbours) any { return &n.Of }},
	}), nil
}

// slicedRow holds the figures of the cases that have equal values in some columns.
type slicedRow struct {
	parts []string // value of each column; tags are a list in JSON
	rows  int64    // number of combinations of values
	first string   // ID of the first case
	Figures
}

// slices returns the statement that sums up the primary metric by string columns, those with the most cases first.
func (q *caseList) slices(columns []string, limit int) (Select[slicedRow], error) {
	fields := make([]field[slicedRow], len(columns))
	for i, column := range columns {
		part := ""
		switch {
		case column == "tag":
			q.join(ofGolden, "g.tags")
			part = "COALESCE(g.tags, '')"
		case listColumns[column].text != "":
			part = "COALESCE(" + q.text(column) + ", '')"
		default:
			return Select[slicedRow]{}, errcode.New(errcode.InvalidArgument, "slices: %.40q is not a string column", column)
		}
		fields[i] = field[slicedRow]{SQL: part, Decode: func(r *slicedRow, v scoring.Value) error {
			r.parts = append(r.parts, strings.Clone(textIn(v)))
			return nil
		}}
	}
	after := "\nGROUP BY " + columnsOf(fields) + "\nORDER BY COUNT(*) DESC, 1"
	if limit > 0 {
		after += " LIMIT " + strconv.Itoa(limit)
	}
	fields = append(fields,
		field[slicedRow]{SQL: "COUNT(*) OVER () AS parts", In: func(r *slicedRow) any { return &r.rows }},
		field[slicedRow]{SQL: "MIN(p.case_id) AS first_case", In: func(r *slicedRow) any { return &r.first }})
	return over(q, append(fields, fieldsIn(figureFields("p."), func(r *slicedRow) *Figures { return &r.Figures })...),
		true, after)
}

// over returns a statement over the cases of the state.
func over[T any](q *caseList, fields []field[T], withMode bool, after string) (Select[T], error) {
	conditions, err := q.conditions(withMode)
	if err != nil {
		return Select[T]{}, err
	}
	return finished(q, readingScores, q.chosen(conditions, after), fields), nil
}

// finished returns a statement whose arguments are in the order of its text. Its fields have no arguments.
func finished[T any](q *caseList, what, from string, fields []field[T]) Select[T] {
	text, args := q.finish(from)
	return Select[T]{What: what, Fields: fields, From: text, Args: args}
}

// ofScores reports whether the query only reads scores, and no tables that users fill.
func (q *caseList) ofScores() bool {
	return !q.joined[ofGolden] && !q.joined[ofAnswer] && !q.joined[ofPeople]
}

// manyIDs is the number of IDs from which a list of them in a statement is slower than reading the rows.
const manyIDs = 1000

// among returns the condition that selects cases by ID. ids are in the order of the list. Many consecutive ones are
// selected by the first and the last.
func (q *caseList) among(ids []string) string {
	s := &q.state
	if len(ids) >= manyIDs && s.Mode == All && s.Search == "" && len(s.Filters) == 0 && s.Sort == (Sort{}) {
		return "k.case_id" + q.Dialect.Binary + " BETWEEN " + q.param(ids[0]) + " AND " + q.param(ids[len(ids)-1])
	}
	return "k.case_id IN (" + params(q.Dialect, &q.args, ids) + ")"
}

// scoresOf returns the statement for the scores of some metrics of some cases, without evidence.
func (q *caseList) scoresOf(ids, metrics []string) Select[scoring.Row] {
	return finished(q, readingScores,
		" FROM badger.scores k WHERE "+q.run.is(q.Dialect, &q.args)+" AND "+q.among(ids)+" AND metric IN ("+
			params(q.Dialect, &q.args, metrics)+")", cellFields)
}

// questionsOfRows returns the statement for the questions of some cases.
func (q *caseList) questionsOfRows(ids []string) Select[CaseRow] {
	return finished(q, readingCases, " FROM "+q.questionTexts(questionColumns, " AND "+q.among(ids))+" g", questionsOfRow)
}

// answersOfRows returns the statement for the agent's answers of some cases.
func (q *caseList) answersOfRows(ids []string) Select[CaseRow] {
	return finished(q, readingCases, " FROM "+q.answerTexts(answerColumns, " AND "+q.among(ids))+" a", answersOfRow)
}

// peopleOfRows returns the statement for the human verdicts of some cases.
func (q *caseList) peopleOfRows(ids []string) Select[CaseRow] {
	return finished(q, readingCases, " FROM "+q.people(func() string { return " AND " + q.among(ids) })+" l", peopleOfRow)
}

var (
	idOfRow        = field[CaseRow]{SQL: "case_id", In: func(r *CaseRow) any { return &r.ID }}
	questionsOfRow = []field[CaseRow]{
		idOfRow,
		{SQL: "question", In: func(r *CaseRow) any { return &r.Question }},
		{SQL: "gold_sql", In: func(r *CaseRow) any { return &r.Gold }},
		{SQL: "dialect", In: func(r *CaseRow) any { return &r.Dialect }},
		{SQL: "database_name", In: func(r *CaseRow) any { return &r.Database }},
		{SQL: "tags", Decode: func(r *CaseRow, v scoring.Value) error {
			r.Tags, r.TagsErr = scoring.ParseTags(strings.Clone(textIn(v)))
			return nil
		}},
	}
	answersOfRow = []field[CaseRow]{
		idOfRow,
		{SQL: "sql", In: func(r *CaseRow) any { return &r.SQL }},
		{SQL: "sql_error", In: func(r *CaseRow) any { return &r.Error }},
		{SQL: "latency_ms", In: func(r *CaseRow) any { return &r.Latency }},
	}
	peopleOfRow = []field[CaseRow]{
		idOfRow,
		{SQL: "passes", Decode: func(r *CaseRow, v scoring.Value) error {
			r.People = map[string]string{"1": "pass", "0": "fail", "": "divided"}[textIn(v)]
			return nil
		}},
	}

	// The columns that are read of a question and of an answer, except case_id.
	questionColumns = namesOf(questionsOfRow[1:])
	answerColumns   = namesOf(answersOfRow[1:])
)

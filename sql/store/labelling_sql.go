package store

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// The statements over queues, queue_items, label_log and the claims of labelling.

var queueFields = slices.Concat(
	[]field[Queue]{
		{SQL: "queue_id", In: func(q *Queue) any { return &q.ID }},
		{SQL: "name", In: func(q *Queue) any { return &q.Name }},
	},
	fieldsIn(runIDFields, func(q *Queue) *scoring.RunID { return &q.RunID }),
	[]field[Queue]{
		{SQL: "filter", In: func(q *Queue) any { return &q.Filter }},
		{SQL: "ordering", In: func(q *Queue) any { return &q.Ordering }},
		{SQL: "seed", In: func(q *Queue) any { return &q.Seed }},
		{SQL: "annotators", In: func(q *Queue) any { return &q.Annotators }},
		{SQL: "guideline", In: func(q *Queue) any { return &q.Guideline }},
		{SQL: "options", Decode: func(q *Queue, v scoring.Value) error { return readJSON("queues.options", v, &q.Options) }},
		{SQL: "blind", In: func(q *Queue) any { return &q.Blind }},
		{SQL: "reason_required", In: func(q *Queue) any { return &q.ReasonRequired }},
		{SQL: "cases", In: func(q *Queue) any { return &q.Cases }},
		{SQL: "created_by", In: func(q *Queue) any { return &q.CreatedBy }},
		{SQL: "created_at", In: func(q *Queue) any { return &q.CreatedAt }},
		{SQL: "closed_at", In: func(q *Queue) any { return &q.ClosedAt }},
	})

// queuesNamed returns the statement for all queues, the latest first, or for one queue if id is not empty.
func queuesNamed(d driver.Dialect, id string) Select[Queue] {
	p := &arguments{dialect: d}
	where := ""
	if id != "" {
		where = " WHERE queue_id = " + p.add(id)
	}
	return Select[Queue]{
		What:   readingQueues,
		Fields: queueFields,
		From:   " FROM badger.queues" + where + " ORDER BY created_at DESC, queue_id",
		Args:   p.args,
	}
}

// queuesOf returns the statement for the open queues that contain an answer and are not blind, the latest first.
func queuesOf(d driver.Dialect, a scoring.AnswerID) Select[Queue] {
	p := &arguments{dialect: d}
	from := " FROM badger.queues WHERE closed_at IS NULL AND NOT blind AND agent_name = " + p.add(a.Agent) +
		" AND agent_version = " + p.add(a.Version) + " AND batch_id = " + p.add(a.Batch) +
		" AND queue_id IN (SELECT queue_id FROM badger.queue_items WHERE case_id = " + p.add(a.CaseID) +
		") ORDER BY created_at DESC, queue_id"
	return Select[Queue]{What: readingQueues, Fields: queueFields, From: from, Args: p.args}
}

// loggedFields are the columns of label_log, in the order in which labels are written.
var loggedFields = slices.Concat(
	[]field[LoggedLabel]{{SQL: "label_id", In: func(l *LoggedLabel) any { return &l.ID }}},
	fieldsIn(caseFirst, func(l *LoggedLabel) *scoring.AnswerID { return &l.AnswerID }),
	[]field[LoggedLabel]{
		{SQL: "annotator", In: func(l *LoggedLabel) any { return &l.Annotator }},
		{SQL: "verdict", In: func(l *LoggedLabel) any { return &l.Verdict }},
		{SQL: "note", In: func(l *LoggedLabel) any { return &l.Note }},
		{SQL: "gold_wrong", In: func(l *LoggedLabel) any { return &l.GoldWrong }},
		{SQL: "ambiguous", In: func(l *LoggedLabel) any { return &l.Ambiguous }},
		{SQL: "labelled_at", In: func(l *LoggedLabel) any { return &l.At }},
		{SQL: "queue_id", In: func(l *LoggedLabel) any { return &l.Queue }},
		{SQL: "answer_hash", In: func(l *LoggedLabel) any { return &l.AnswerHash }},
		{SQL: "decides", In: func(l *LoggedLabel) any { return &l.Decides }},
	})

var labelColumns = columnsOf(loggedFields)

// addLabel returns the statement that adds a row to label_log unless one with its label_id exists. The values are in
// the order of [loggedFields]; nil is NULL.
func addLabel(d driver.Dialect, values ...any) (query string, args []any) {
	p := &arguments{dialect: d}
	list := make([]string, len(values))
	for i, v := range values {
		if v == nil {
			list[i] = "CAST(NULL AS " + d.Types[TableNamed("label_log").Columns[i].Type] + ")"
			continue
		}
		list[i] = p.add(v)
	}
	into := " INTO badger.label_log"
	if d.KeyIndex != nil {
		return "INSERT" + into + " (" + labelColumns + ") VALUES (" + strings.Join(list, ", ") +
			") ON CONFLICT (label_id) DO NOTHING", p.args
	}
	for i := range loggedFields {
		list[i] += " AS " + loggedFields[i].SQL
	}
	row := "SELECT " + strings.Join(list, ", ")
	if d.NoClaims {
		return "INSERT" + into + " (" + labelColumns + ") " + row +
			" FROM (SELECT 1 AS one) o WHERE NOT EXISTS (SELECT 1 FROM badger.label_log WHERE label_id = " + p.add(values[0]) +
			")", p.args
	}
	return "MERGE" + into + " AS t USING (" + row + ") AS s ON t.label_id = s.label_id WHEN NOT MATCHED THEN INSERT (" +
		labelColumns + ") VALUES (" + columnsOf(ofTable("s", loggedFields)) + ")", p.args
}

// LabelFilter selects rows of label_log. Empty fields select all.
type LabelFilter struct {
	ID    string
	Queue string
	Cases []string
	scoring.By
	OfAnswer                bool // select by By, also by its empty names; otherwise By is ignored
	Annotator               string
	Newest                  bool // only the latest of each answer, annotator, decides and queue
	NewestFirst, InTheOrder bool // NewestFirst: by time, latest first; InTheOrder is ignored
}

// loggedLabels returns the statement for rows of label_log.
func loggedLabels(d driver.Dialect, f *LabelFilter) Select[LoggedLabel] {
	p := &arguments{dialect: d}
	var conds []string
	equal := func(column, value string) { conds = append(conds, column+" = "+p.add(value)) }
	for _, c := range []struct{ column, value string }{{"label_id", f.ID}, {"queue_id", f.Queue},
		{"annotator", f.Annotator}} {
		if c.value != "" {
			equal(c.column, c.value)
		}
	}
	if f.OfAnswer {
		equal("agent_name", f.Agent)
		equal("agent_version", f.Version)
		equal("batch_id", f.Batch)
	}
	if f.Cases != nil {
		conds = append(conds, "case_id IN ("+p.list(f.Cases)+")")
	}
	from := " FROM badger.label_log"
	if len(conds) > 0 {
		from += " WHERE " + strings.Join(conds, " AND ")
	}
	if f.Newest {
		from = " FROM (SELECT " + labelColumns +
			", ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, annotator, decides, COALESCE(queue_id, '') ORDER BY labelled_at DESC, label_id DESC) AS newest" + from + ") n WHERE newest = 1"
	}
	if f.NewestFirst {
		from += " ORDER BY labelled_at DESC, label_id DESC"
	} else {
		from += " ORDER BY case_id, agent_name, agent_version, batch_id, labelled_at, label_id"
	}
	return Select[LoggedLabel]{What: readingLabels, Fields: loggedFields, From: from, Args: p.args}
}

// labelState returns a subquery for the state of a queue, with a row for each labeled case: done counts the annotators
// with a verdict, skipped those who skipped it, verdicts the distinct verdicts, decided is 1 if it is adjudicated, and
// mine is the state for the annotator me: 2 answered, 1 skipped, 0 neither.
func labelState(p *arguments, queue, me string) string {
	const answered = "decides = 0 AND verdict NOT IN (" + noOpinion + ")"
	return `(SELECT case_id, COUNT(CASE WHEN ` + answered + ` THEN 1 END) AS done, COUNT(CASE WHEN decides = 0 AND verdict = 'skip' THEN 1 END) AS skipped,
    COUNT(DISTINCT CASE WHEN ` + answered + ` THEN verdict END) AS verdicts, MAX(CASE WHEN verdict NOT IN (` + noOpinion + `) THEN decides ELSE 0 END) AS decided,
    MAX(CASE WHEN annotator <> ` + p.add(me) + ` OR decides = 1 OR verdict = 'withdrawn' THEN 0 WHEN verdict = 'skip' THEN 1 ELSE 2 END) AS mine
  FROM (SELECT case_id, annotator, verdict, decides, ROW_NUMBER() OVER (PARTITION BY case_id, annotator, decides ORDER BY labelled_at DESC, label_id DESC) AS newest
    FROM (SELECT case_id, annotator, verdict, CASE WHEN decides THEN 1 ELSE 0 END AS decides, labelled_at, label_id FROM badger.label_log WHERE queue_id = ` + p.add(queue) + `) q) n
  WHERE newest = 1 GROUP BY case_id) d`
}

// itemsLabelled returns a subquery for the answers of a queue with the state of their labels.
func itemsLabelled(p *arguments, queue, me string) string {
	return "(SELECT i.position, i.case_id, COALESCE(d.done, 0) AS done, COALESCE(d.skipped, 0) AS skipped, COALESCE(d.verdicts, 0) AS verdicts, COALESCE(d.decided, 0) AS decided, COALESCE(d.mine, 0) AS mine FROM badger.queue_items i LEFT JOIN " +
		labelState(p, queue, me) + " ON d.case_id = i.case_id WHERE i.queue_id = " + p.add(queue) + ") t"
}

// ItemFilter selects answers of a queue.
type ItemFilter struct {
	Queue, Me string
	Case      string // only the answer to this question
	From, To  int64  // range of positions; if To is 0, all from From on
	// only those that Me has neither answered nor skipped, and that fewer than Open annotators answered; 0: all
	Open       int64
	Conflict   int64 // only those with different verdicts of at least this number of annotators; 0: all
	Limit      int64 // maximum number of answers; 0: all
	Descending bool
}

// above returns a field that is true if its number is greater than least.
func above[T any](column string, least int64, in func(*T) *bool) field[T] {
	return field[T]{SQL: column, Decode: func(t *T, v scoring.Value) error {
		*in(t) = wholeNumber(v) > least
		return nil
	}}
}

// queueItems returns the statement for the answers of a queue that a filter selects, in the queue's order.
func queueItems(d driver.Dialect, f *ItemFilter) Select[QueueItem] {
	p := &arguments{dialect: d}
	from := " FROM " + itemsLabelled(p, f.Queue, f.Me)
	conds := []string{"position >= " + p.add(f.From)}
	if f.To > 0 {
		conds = append(conds, "position <= "+p.add(f.To))
	}
	if f.Case != "" {
		conds = append(conds, "case_id = "+p.add(f.Case))
	}
	if f.Open > 0 {
		conds = append(conds, "mine = 0", "done < "+p.add(f.Open))
	}
	if f.Conflict > 0 {
		conds = append(conds, "verdicts > 1", "done >= "+p.add(f.Conflict))
	}
	from += " WHERE " + strings.Join(conds, " AND ") + " ORDER BY position"
	if f.Descending {
		from += " DESC"
	}
	if f.Limit > 0 {
		from += " LIMIT " + strconv.FormatInt(f.Limit, 10)
	}
	return Select[QueueItem]{
		What: readingQueues, From: from, Args: p.args,
		Fields: []field[QueueItem]{
			{SQL: "position", In: func(i *QueueItem) any { return &i.Position }},
			{SQL: "case_id", In: func(i *QueueItem) any { return &i.CaseID }},
			{SQL: "done", In: func(i *QueueItem) any { return &i.Done }},
			{SQL: "skipped", In: func(i *QueueItem) any { return &i.Skipped }},
			above("verdicts", 1, func(i *QueueItem) *bool { return &i.Differ }),
			above("decided", 0, func(i *QueueItem) *bool { return &i.Decided }),
			{SQL: "mine", In: func(i *QueueItem) any { return (*int64)(&i.Mine) }},
		},
	}
}

// queueProgress returns the statement for the counts of [QueueProgress].
func queueProgress(d driver.Dialect, q *Queue, me string) Select[QueueProgress] {
	p := &arguments{dialect: d}
	n := strconv.FormatInt(q.Annotators, 10)
	count := func(condition string) string { return "COUNT(CASE WHEN " + condition + " THEN 1 END)" }
	from := " FROM " + itemsLabelled(p, q.ID, me)
	return Select[QueueProgress]{
		What: readingQueues, From: from, Args: p.args,
		Fields: []field[QueueProgress]{
			{SQL: "COUNT(*)", In: func(p *QueueProgress) any { return &p.Cases }},
			{SQL: count("done >= " + n), In: func(p *QueueProgress) any { return &p.Done }},
			{SQL: count("done < " + n + " AND skipped > 0"), In: func(p *QueueProgress) any { return &p.Skipped }},
			{SQL: count("verdicts > 1 AND decided = 0"), In: func(p *QueueProgress) any { return &p.Conflicting }},
			{SQL: count("mine = 2"), In: func(p *QueueProgress) any { return &p.Mine }},
			{SQL: count("mine = 1"), In: func(p *QueueProgress) any { return &p.MySkipped }},
			{SQL: count("mine = 0 AND done < " + n), In: func(p *QueueProgress) any { return &p.MyLeft }},
		},
	}
}

// labelPairs returns the statement for the number of a queue's answers with each combination of two annotators'
// verdicts. Adjudications are not counted.
func labelPairs(d driver.Dialect, queue string) Select[LabelPair] {
	p := &arguments{dialect: d}
	newest := func() string {
		return `(SELECT case_id, annotator, verdict FROM (SELECT case_id, annotator, verdict, ROW_NUMBER() OVER (PARTITION BY case_id, annotator ORDER BY labelled_at DESC, label_id DESC) AS newest
    FROM badger.label_log WHERE queue_id = ` + p.add(queue) + ` AND NOT decides) n WHERE newest = 1 AND verdict NOT IN (` + noOpinion + `))`
	}
	const by = "a.annotator, a.verdict, b.annotator, b.verdict"
	from := " FROM " + newest() + " a JOIN " + newest() +
		" b ON a.case_id = b.case_id AND a.annotator < b.annotator GROUP BY " + by + " ORDER BY " + by
	return Select[LabelPair]{
		What: readingLabels, From: from, Args: p.args,
		Fields: []field[LabelPair]{
			{SQL: "a.annotator AS one", In: func(p *LabelPair) any { return &p.One }},
			{SQL: "a.verdict AS says", In: func(p *LabelPair) any { return &p.Says }},
			{SQL: "b.annotator AS other", In: func(p *LabelPair) any { return &p.Other }},
			{SQL: "b.verdict AS other_says", In: func(p *LabelPair) any { return &p.OtherSays }},
			{SQL: "COUNT(*) AS answers", In: func(p *LabelPair) any { return &p.Count }},
		},
	}
}

// leases returns the statement for the claims whose key starts with prefix and that are valid at now.
func leases(d driver.Dialect, prefix string, now time.Time) Select[Lease] {
	p := &arguments{dialect: d}
	from := " FROM badger.claims WHERE claim_key LIKE " + p.add(prefix+"%") + " AND expires_ms >= " +
		p.add(now.UnixMilli())
	return Select[Lease]{
		What: readingClaims, From: from, Args: p.args,
		Fields: []field[Lease]{
			{SQL: "claim_key", In: func(l *Lease) any { return &l.Key }},
			{SQL: "owner", In: func(l *Lease) any { return &l.Owner }},
		},
	}
}

// caseSignals returns the statement for the values by which a queue can be ordered, a row for each case of a run.
// unsure is 1 if a judge abstained or failed or its value is halfway, and 0 if all judges are sure or no judge was
// called.
func caseSignals(d driver.Dialect, run scoring.RunID) Select[CaseSignal] {
	p := &arguments{dialect: d}
	from := `
FROM badger.scores WHERE ` + runIs(d, &p.args, run) + `
GROUP BY case_id ORDER BY case_id`
	return Select[CaseSignal]{
		What: readingScores, From: from, Args: p.args,
		Fields: []field[CaseSignal]{
			{SQL: "case_id", In: func(s *CaseSignal) any { return &s.CaseID }},
			{SQL: "COUNT(CASE WHEN passed THEN 1 END) AS passes", In: func(s *CaseSignal) any { return &s.Passes }},
			{SQL: "COUNT(CASE WHEN NOT passed THEN 1 END) AS fails", In: func(s *CaseSignal) any { return &s.Fails }},
			{
				SQL: "\n    MAX(CASE WHEN usage IS NULL AND assessment_ids IS NULL THEN 0 WHEN status IN ('abstained', 'failed') THEN 1 WHEN value >= 0 AND value <= 1 THEN 1 - ABS(2 * value - 1) ELSE 0 END) AS unsure",
				In:  func(s *CaseSignal) any { return &s.Unsure },
			},
			{SQL: "\n    MAX(CASE WHEN metric = 'relation' THEN label END) AS relation",
				In: func(s *CaseSignal) any { return &s.Relation }},
			{SQL: "MAX(CASE WHEN metric = 'sql_complexity' THEN label END) AS tier",
				In: func(s *CaseSignal) any { return &s.Tier }},
		},
	}
}

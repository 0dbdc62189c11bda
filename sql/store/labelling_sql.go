package store

import (
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
)

// Labelling writes the statements over queues, queue_items, label_log and the claims of labelling. It
// collects the arguments of one statement in the order of its text.
type Labelling struct {
	Dialect driver.Dialect
	Args    []any
}

func (l *Labelling) param(v any) string {
	l.Args = append(l.Args, v)
	return l.Dialect.Param(len(l.Args))
}

// queueColumns are the columns of queues in the order in which they are read.
const queueColumns = `queue_id, name, eval_run_id, agent_name, agent_version, batch_id, filter, ordering, seed, annotators, guideline, options, blind, reason_required, cases, created_by, created_at, closed_at`

// Queues reads all queues, the newest first, or one where id is not empty.
func (l *Labelling) Queues(id string) string {
	where := ""
	if id != "" {
		where = " WHERE queue_id = " + l.param(id)
	}
	return "SELECT " + queueColumns + " FROM badger.queues" + where + " ORDER BY created_at DESC, queue_id"
}

// QueuesOf reads the open queues that hold an answer and are not blind, the newest first.
func (l *Labelling) QueuesOf(of scoring.AnswerID) string {
	return "SELECT " + queueColumns + " FROM badger.queues WHERE closed_at IS NULL AND NOT blind AND agent_name = " + l.param(of.Agent) + " AND agent_version = " + l.param(of.Version) + " AND batch_id = " + l.param(of.Batch) +
		" AND queue_id IN (SELECT queue_id FROM badger.queue_items WHERE case_id = " + l.param(of.CaseID) + ") ORDER BY created_at DESC, queue_id"
}

// CloseQueue closes a queue that is open.
func (l *Labelling) CloseQueue(id string, at time.Time) string {
	return "UPDATE badger.queues SET closed_at = " + l.param(at) + " WHERE queue_id = " + l.param(id) + " AND closed_at IS NULL"
}

// LabelColumns are the columns of label_log, in the order in which labels are read and written.
var LabelColumns = strings.Fields("label_id case_id agent_name agent_version batch_id annotator verdict note gold_wrong ambiguous labelled_at queue_id answer_hash decides")

var labelColumns = strings.Join(LabelColumns, ", ")

// AddLabel adds a row to label_log unless one with its label_id exists. The values are those of [LabelColumns]; nil
// is NULL.
func (l *Labelling) AddLabel(values ...any) string {
	list := make([]string, len(values))
	for i, v := range values {
		if v == nil {
			list[i] = "CAST(NULL AS " + l.Dialect.Types[TableNamed("label_log").Columns[i].Type] + ")"
			continue
		}
		list[i] = l.param(v)
	}
	into := " INTO badger.label_log"
	if l.Dialect.KeyIndex != nil {
		return "INSERT" + into + " (" + labelColumns + ") VALUES (" + strings.Join(list, ", ") + ") ON CONFLICT (label_id) DO NOTHING"
	}
	for i, c := range LabelColumns {
		list[i] += " AS " + c
	}
	row := "SELECT " + strings.Join(list, ", ")
	if l.Dialect.NoClaims {
		return "INSERT" + into + " (" + labelColumns + ") " + row + " FROM (SELECT 1 AS one) o WHERE NOT EXISTS (SELECT 1 FROM badger.label_log WHERE label_id = " + l.param(values[0]) + ")"
	}
	return "MERGE" + into + " AS t USING (" + row + ") AS s ON t.label_id = s.label_id WHEN NOT MATCHED THEN INSERT (" + labelColumns + ") VALUES (s." + strings.Join(LabelColumns, ", s.") + ")"
}

// LabelFilter chooses rows of label_log. Empty fields choose all.
type LabelFilter struct {
	ID    string
	Queue string
	Cases []string
	scoring.By
	OfAnswer                bool // By chooses, also where names are empty
	Annotator               string
	Newest                  bool // of each answer, annotator and decides, in each queue
	NewestFirst, InTheOrder bool // of their time; else by case, agent, version, batch, time
}

// Labels reads rows of label_log.
func (l *Labelling) Labels(f *LabelFilter) string {
	var conds []string
	equal := func(column, value string) { conds = append(conds, column+" = "+l.param(value)) }
	for _, c := range []struct{ column, value string }{{"label_id", f.ID}, {"queue_id", f.Queue}, {"annotator", f.Annotator}} {
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
		conds = append(conds, "case_id IN ("+params(l.Dialect, &l.Args, f.Cases)+")")
	}
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	query := "SELECT " + labelColumns + " FROM badger.label_log" + where
	if f.Newest {
		query = "SELECT " + labelColumns + " FROM (SELECT " + labelColumns +
			", ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, annotator, decides, COALESCE(queue_id, '') ORDER BY labelled_at DESC, label_id DESC) AS newest FROM badger.label_log" + where + ") n WHERE newest = 1"
	}
	if f.NewestFirst {
		return query + " ORDER BY labelled_at DESC, label_id DESC"
	}
	return query + " ORDER BY case_id, agent_name, agent_version, batch_id, labelled_at, label_id"
}

// standing is the state of a queue, a row for each labeled case: done counts the annotators who answered, skipped
// those who skipped it, verdicts the distinct verdicts, decided reports whether their disagreement is adjudicated,
// and mine is the state for one annotator: 2 answered, 1 skipped.
func (l *Labelling) standing(queue, me string) string {
	const answered = "decides = 0 AND verdict NOT IN (" + noOpinion + ")"
	return `(SELECT case_id, COUNT(CASE WHEN ` + answered + ` THEN 1 END) AS done, COUNT(CASE WHEN decides = 0 AND verdict = 'skip' THEN 1 END) AS skipped,
    COUNT(DISTINCT CASE WHEN ` + answered + ` THEN verdict END) AS verdicts, MAX(CASE WHEN verdict NOT IN (` + noOpinion + `) THEN decides ELSE 0 END) AS decided,
    MAX(CASE WHEN annotator <> ` + l.param(me) + ` OR decides = 1 OR verdict = 'withdrawn' THEN 0 WHEN verdict = 'skip' THEN 1 ELSE 2 END) AS mine
  FROM (SELECT case_id, annotator, verdict, decides, ROW_NUMBER() OVER (PARTITION BY case_id, annotator, decides ORDER BY labelled_at DESC, label_id DESC) AS newest
    FROM (SELECT case_id, annotator, verdict, CASE WHEN decides THEN 1 ELSE 0 END AS decides, labelled_at, label_id FROM badger.label_log WHERE queue_id = ` + l.param(queue) + `) q) n
  WHERE newest = 1 GROUP BY case_id) d`
}

// items are the answers of a queue with their labels.
func (l *Labelling) items(queue, me string) string {
	return "(SELECT i.position, i.case_id, COALESCE(d.done, 0) AS done, COALESCE(d.skipped, 0) AS skipped, COALESCE(d.verdicts, 0) AS verdicts, COALESCE(d.decided, 0) AS decided, COALESCE(d.mine, 0) AS mine FROM badger.queue_items i LEFT JOIN " +
		l.standing(queue, me) + " ON d.case_id = i.case_id WHERE i.queue_id = " + l.param(queue) + ") t"
}

// ItemFilter chooses answers of a queue.
type ItemFilter struct {
	Queue, Me  string
	Case       string // of one question
	From, To   int64  // positions; To 0: all that follow
	Open       int64  // those that I have neither answered nor skipped, and that fewer than so many people answered; 0: all
	Conflict   int64  // those that at least so many people answered, and differ; 0: all
	Limit      int64  // 0: all
	Descending bool
}

// Items reads answers of a queue in its order: position, case_id, done, skipped, verdicts, decided,
// mine.
func (l *Labelling) Items(f *ItemFilter) string {
	query := "SELECT position, case_id, done, skipped, verdicts, decided, mine FROM " + l.items(f.Queue, f.Me)
	conds := []string{"position >= " + l.param(f.From)}
	if f.To > 0 {
		conds = append(conds, "position <= "+l.param(f.To))
	}
	if f.Case != "" {
		conds = append(conds, "case_id = "+l.param(f.Case))
	}
	if f.Open > 0 {
		conds = append(conds, "mine = 0", "done < "+l.param(f.Open))
	}
	if f.Conflict > 0 {
		conds = append(conds, "verdicts > 1", "done >= "+l.param(f.Conflict))
	}
	query += " WHERE " + strings.Join(conds, " AND ") + " ORDER BY position"
	if f.Descending {
		query += " DESC"
	}
	if f.Limit > 0 {
		query += " LIMIT " + strconv.FormatInt(f.Limit, 10)
	}
	return query
}

// Progress counts the answers of a queue: those answered by enough people, those of the others that an annotator
// skipped, those with different verdicts and no adjudication, those that the caller answered and skipped, and those
// left for the caller.
func (l *Labelling) Progress(queue, me string, annotators int64) string {
	n := strconv.FormatInt(annotators, 10)
	count := func(condition string) string { return "COUNT(CASE WHEN " + condition + " THEN 1 END)" }
	return "SELECT COUNT(*), " + strings.Join([]string{
		count("done >= " + n), count("done < " + n + " AND skipped > 0"), count("verdicts > 1 AND decided = 0"), count("mine = 2"), count("mine = 1"), count("mine = 0 AND done < " + n),
	}, ", ") + " FROM " + l.items(queue, me)
}

// Pairs counts the answers of a queue that two people labeled, for each two people by their verdicts: the one whose
// name comes first and their verdict, the other and theirs, and the number. Adjudications are not counted.
func (l *Labelling) Pairs(queue string) string {
	newest := func() string {
		return `(SELECT case_id, annotator, verdict FROM (SELECT case_id, annotator, verdict, ROW_NUMBER() OVER (PARTITION BY case_id, annotator ORDER BY labelled_at DESC, label_id DESC) AS newest
    FROM badger.label_log WHERE queue_id = ` + l.param(queue) + ` AND NOT decides) n WHERE newest = 1 AND verdict NOT IN (` + noOpinion + `))`
	}
	const by = "a.annotator, a.verdict, b.annotator, b.verdict"
	return "SELECT a.annotator AS one, a.verdict AS says, b.annotator AS other, b.verdict AS other_says, COUNT(*) AS answers FROM " + newest() + " a JOIN " + newest() + " b ON a.case_id = b.case_id AND a.annotator < b.annotator GROUP BY " + by + " ORDER BY " + by
}

// Leases reads the claims of a queue's answers that are still good: claim_key and owner.
func (l *Labelling) Leases(prefix string, now time.Time) string {
	return "SELECT claim_key, owner FROM badger.claims WHERE claim_key LIKE " + l.param(prefix+"%") + " AND expires_ms >= " + l.param(now.UnixMilli())
}

// RenewLeases extends some claims of an owner.
func (l *Labelling) RenewLeases(owner string, until time.Time, keys []string) string {
	query := "UPDATE badger.claims SET expires_ms = " + l.param(until.UnixMilli()) + " WHERE owner = " + l.param(owner) + " AND claim_key IN ("
	return query + params(l.Dialect, &l.Args, keys) + ")"
}

// CaseSignals reads what the order of a queue may go by, a row for each case of a run: how many
// metrics pass it and fail it, how unsure judges are (1: one abstained or failed, or its value is
// halfway; 0: all are sure, or none was asked), the relation between the results, and the tier.
func (l *Labelling) CaseSignals(run scoring.RunID) string {
	return `SELECT case_id, COUNT(CASE WHEN passed THEN 1 END) AS passes, COUNT(CASE WHEN NOT passed THEN 1 END) AS fails,
    MAX(CASE WHEN usage IS NULL AND assessment_ids IS NULL THEN 0 WHEN status IN ('abstained', 'failed') THEN 1 WHEN value >= 0 AND value <= 1 THEN 1 - ABS(2 * value - 1) ELSE 0 END) AS unsure,
    MAX(CASE WHEN metric = 'relation' THEN label END) AS relation, MAX(CASE WHEN metric = 'sql_complexity' THEN label END) AS tier
FROM badger.scores WHERE eval_run_id = ` + l.param(run.ID) + " AND agent_name = " + l.param(run.Agent) + " AND agent_version = " + l.param(run.Version) + " AND batch_id = " + l.param(run.Batch) + `
GROUP BY case_id ORDER BY case_id`
}

// Answered reads which cases of a range are in agent_runs: case_id, and how many rows each has.
func (q *Answers) Answered(r *Range) string {
	return "SELECT r.case_id, COUNT(*) FROM " + q.runs(nil) + q.where(Filter{}, r) + " GROUP BY r.case_id"
}

// Scored reads which of some cases have scores: case_id.
func (l *Labelling) Scored(by scoring.By, cases []string) string {
	return "SELECT DISTINCT case_id FROM badger.scores WHERE agent_name = " + l.param(by.Agent) + " AND agent_version = " + l.param(by.Version) + " AND batch_id = " + l.param(by.Batch) + " AND case_id IN (" + params(l.Dialect, &l.Args, cases) + ")"
}

package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Queue is a row of queues: answers of one run that annotators label.
type Queue struct {
	ID, Name string
	scoring.RunID
	Filter                string // the selection of the cases, as the query of a URL
	Ordering              string
	Seed                  int64
	Annotators            int64 // number of annotators for each answer
	Guideline             string
	Options               []string // the verdicts to choose from, other than skip
	Blind, ReasonRequired bool
	Cases                 int64
	CreatedBy             string
	CreatedAt             time.Time
	ClosedAt              time.Time // zero while it is open
}

// Answer returns the key of the queue's answer to a question.
func (q *Queue) Answer(caseID string) scoring.AnswerID {
	return scoring.AnswerID{CaseID: caseID, By: q.By}
}

const (
	readingQueues = "reading queues"
	readingLabels = "reading labels"
	writingLabels = "writing labels"
)

// WriteQueue writes a queue with its cases in order. The cases are written first, so that an existing queue is
// complete.
func (w *Store) WriteQueue(ctx context.Context, q *Queue, cases []string) error {
	items := newRows("queue_items")
	defer items.release()
	for i, id := range cases {
		items.row(q.ID, int64(i+1), id)
	}
	if err := items.merge(ctx, w); err != nil {
		return err
	}
	options, err := json.Marshal(q.Options)
	if err != nil {
		return err
	}
	b := newRows("queues")
	defer b.release()
	b.row(q.ID, q.Name, q.RunID.ID, q.Agent, q.Version, q.Batch, q.Filter, q.Ordering, q.Seed, q.Annotators,
		optional(q.Guideline), string(options), q.Blind, q.ReasonRequired,
		int64(len(cases)), optional(q.CreatedBy), q.CreatedAt, q.ClosedAt)
	return b.merge(ctx, w)
}

// Queues lists the labeling queues, the latest first; if id is not empty, only the queue with that ID.
func (w *Store) Queues(ctx context.Context, id string) ([]Queue, error) {
	return all(ctx, w, queuesNamed(w.SQL(), id))
}

// QueuesOf lists the open queues that contain an answer and are not blind, the latest first.
func (w *Store) QueuesOf(ctx context.Context, of scoring.AnswerID) ([]Queue, error) {
	return all(ctx, w, queuesOf(w.SQL(), of))
}

// CloseQueue closes a queue that is open. Its labels are kept.
func (w *Store) CloseQueue(ctx context.Context, id string, at time.Time) error {
	p := arguments{dialect: w.SQL()}
	query := "UPDATE badger.queues SET closed_at = " + p.add(at.UTC()) + " WHERE queue_id = " + p.add(id) +
		" AND closed_at IS NULL"
	return w.Use("writing queues", func(conn driver.Conn) error { return conn.Exec(ctx, query, p.args...) })
}

// QueueItem is an answer in a queue, with the state of its labels in that queue.
type QueueItem struct {
	Position int64 // position in the queue, from 1
	CaseID   string
	Done     int64 // number of annotators who gave a verdict
	Skipped  int64 // number of annotators who skipped it
	Differ   bool  // whether the verdicts differ
	Decided  bool  // whether an adjudication decided the verdict
	Mine     Mine
}

// Mine is what one annotator did with an answer.
type Mine int64

// The values of Mine.
const (
	Untouched Mine = iota
	Skipped
	Answered
)

// QueueItems lists the answers of a queue that a filter selects, in the queue's order.
func (w *Store) QueueItems(ctx context.Context, f ItemFilter) (out []QueueItem, err error) {
	return all(ctx, w, queueItems(w.SQL(), &f))
}

// QueueProgress counts the answers of a queue, also from the view of one annotator.
type QueueProgress struct {
	Cases       int64
	Done        int64 // with verdicts of enough annotators
	Skipped     int64 // not Done, and skipped by at least one annotator
	Conflicting int64 // those with different verdicts and no adjudication
	Mine        int64 // with a verdict of the annotator
	MySkipped   int64
	MyLeft      int64 // neither answered nor skipped by the annotator, and not Done
}

// QueueProgress counts the answers of a queue, for the annotator me.
func (w *Store) QueueProgress(ctx context.Context, q *Queue, me string) (p QueueProgress, err error) {
	return first(ctx, w, queueProgress(w.SQL(), q, me))
}

// LabelPair is the number of answers with one combination of two annotators' verdicts.
type LabelPair struct {
	One, Says, Other, OtherSays string // two annotators, in the order of their names, and their verdicts
	Count                       int64
}

// LabelPairs counts the combinations of two annotators' verdicts on the same answers of a queue.
func (w *Store) LabelPairs(ctx context.Context, queue string) (out []LabelPair, err error) {
	return all(ctx, w, labelPairs(w.SQL(), queue))
}

// LoggedLabel is a row of label_log: one label of an answer by an annotator.
type LoggedLabel struct {
	ID string
	scoring.AnswerID
	Annotator            string
	Verdict              string
	Note                 string
	GoldWrong, Ambiguous bool
	At                   time.Time
	Queue                string // empty outside of a queue
	AnswerHash           string
	Decides              bool // adjudicates a disagreement
}

// LoggedLabels reads rows of label_log, at most most of them if most is above 0.
func (w *Store) LoggedLabels(ctx context.Context, f LabelFilter, most int) (out []LoggedLabel, err error) {
	for l, err := range Rows(ctx, w, loggedLabels(w.SQL(), &f)) {
		if err != nil {
			return out, err
		}
		if out = append(out, l); len(out) == most {
			break
		}
	}
	return out, nil
}

// AddLabel adds a row to label_log unless one with its ID exists.
func (w *Store) AddLabel(ctx context.Context, v *LoggedLabel) error {
	query, args := addLabel(w.SQL(), v.ID, v.CaseID, v.Agent, v.Version, v.Batch, v.Annotator, v.Verdict, optional(v.Note),
		v.GoldWrong, v.Ambiguous, v.At.UTC(), optional(v.Queue), optional(v.AnswerHash), v.Decides)
	return w.decide(ctx, writingLabels, query, args)
}

// Lease is an annotator's claim on one of the labels that an answer of a queue needs.
type Lease struct{ Key, Owner string }

// Leases lists the claims whose key starts with prefix and that are valid at now. prefix must not contain % or _.
func (w *Store) Leases(ctx context.Context, prefix string, now time.Time) (out []Lease, err error) {
	return all(ctx, w, leases(w.SQL(), prefix, now))
}

// RenewLeases extends some claims of an owner. Claims that the owner does not hold are unchanged.
func (w *Store) RenewLeases(ctx context.Context, owner string, until time.Time, keys ...string) error {
	if len(keys) == 0 || w.SQL().NoClaims {
		return nil
	}
	p := arguments{dialect: w.SQL()}
	query := "UPDATE badger.claims SET expires_ms = " + p.add(until.UnixMilli()) + " WHERE owner = " + p.add(owner) +
		" AND claim_key IN (" + p.list(keys) + ")"
	return w.changeClaims(ctx, query, p.args)
}

// CaseSignal holds the values of a case by which a queue can be ordered.
type CaseSignal struct {
	CaseID         string
	Passes, Fails  int64   // number of metrics that passed and failed
	Unsure         float64 // uncertainty of the judges, from 0 to 1
	Relation, Tier string
}

// CaseSignals reads the signals of all cases of a run, sorted by case.
func (w *Store) CaseSignals(ctx context.Context, run scoring.RunID) (out []CaseSignal, err error) {
	return all(ctx, w, caseSignals(w.SQL(), run))
}

// LabelledCase returns one answer with its question. The error is NotFound if the answer does not exist, and
// AlreadyExists if it has several rows.
func (w *Store) LabelledCase(ctx context.Context, of scoring.AnswerID) (*scoring.Case, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	var found *Answer
	rows := 0
	for a, failed := range w.casesWithin(ctx, q, Filter{}, &keyRange{By: of.By, first: of.CaseID, last: of.CaseID}) {
		if err = failed; err != nil {
			break
		}
		if rows++; rows == 1 {
			found = &a
		}
	}
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, errcode.New(errcode.NotFound, "case %q: there is no such answer in agent_runs", of.CaseID)
	case rows > 1:
		return nil, severalRows(of.CaseID, rows)
	}
	return found.Case, found.Err
}

// severalRows is the error for an answer with several rows in agent_runs: it is ambiguous which one is the answer.
func severalRows(caseID string, rows int) error {
	return errcode.New(errcode.AlreadyExists,
		"case %.80q: agent_runs has %d rows of this answer, expected one; none of them is shown or scored", caseID, rows)
}

// manyCases is the number of cases above which a whole range of cases is read instead of listing their IDs.
const manyCases = 1000

// Answered returns which of the given cases an agent's version answered in a batch, each with its number of rows in
// agent_runs. If there are many cases, it may also return others. It returns none if the table does not exist.
func (w *Store) Answered(ctx context.Context, of scoring.AnswerID, cases []string) (map[string]int64, error) {
	there := map[string]int64{}
	if len(cases) == 0 {
		return there, nil
	}
	q, err := w.query(ctx)
	if errcode.Of(err) == errcode.NotFound {
		return there, nil
	}
	if err != nil {
		return nil, err
	}
	r := &keyRange{By: of.By, ids: cases}
	if len(cases) > manyCases {
		r.ids, r.first, r.last = nil, slices.Min(cases), slices.Max(cases)
	}
	for c, err := range Rows(ctx, w, q.answered(r)) {
		if err != nil {
			return there, err
		}
		there[c.CaseID] = c.n
	}
	return there, nil
}

// answered returns the statement for the cases of a range that are in agent_runs, and the number of rows of each.
func (q inputs) answered(r *keyRange) Select[counted] {
	from := " FROM " + q.runs(nil) + q.where(Filter{}, r) + " GROUP BY r.case_id"
	return Select[counted]{
		What: readingCases, From: from, Args: q.args,
		Fields: []field[counted]{
			{SQL: "r.case_id", In: func(c *counted) any { return &c.CaseID }},
			{SQL: "COUNT(*)", In: func(c *counted) any { return &c.n }},
		},
	}
}

// Scored returns which of the given cases have scores of an agent's version in a batch.
func (w *Store) Scored(ctx context.Context, of scoring.AnswerID, cases []string) (map[string]bool, error) {
	there := map[string]bool{}
	if len(cases) == 0 {
		return there, nil
	}
	for id, err := range Rows(ctx, w, scoredCases(w.SQL(), of.By, cases)) {
		if err != nil {
			return there, err
		}
		there[id] = true
	}
	return there, nil
}

// scoredCases returns the statement for those of some cases that have scores.
func scoredCases(d driver.Dialect, by scoring.By, cases []string) Select[string] {
	p := &arguments{dialect: d}
	from := " FROM badger.scores WHERE agent_name = " + p.add(by.Agent) + " AND agent_version = " + p.add(by.Version) +
		" AND batch_id = " + p.add(by.Batch) + " AND case_id IN (" + p.list(cases) + ")"
	return Select[string]{
		What:     readingScores,
		Distinct: true,
		Fields:   only[string]("case_id"),
		From:     from,
		Args:     p.args,
	}
}

// WriteLoggedLabels writes rows of label_log. Existing rows with the same IDs are replaced.
func (w *Store) WriteLoggedLabels(ctx context.Context, labels []LoggedLabel) error {
	b := newRows("label_log")
	defer b.release()
	for i := range labels {
		v := &labels[i]
		b.row(v.ID, v.CaseID, v.Agent, v.Version, v.Batch, v.Annotator, v.Verdict, optional(v.Note), v.GoldWrong, v.Ambiguous,
			v.At, optional(v.Queue), optional(v.AnswerHash), v.Decides)
	}
	return b.merge(ctx, w)
}

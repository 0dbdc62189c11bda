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

// Queue is a row of queues: answers of one run that people are to label.
type Queue struct {
	ID, Name string
	scoring.RunID
	Filter                string // which cases were chosen, as the query of an address
	Ordering              string
	Seed                  int64
	Annotators            int64 // how many people are to label each answer
	Guideline             string
	Options               []string // verdicts other than skip
	Blind, ReasonRequired bool
	Cases                 int64
	CreatedBy             string
	CreatedAt             time.Time
	ClosedAt              time.Time // zero while it is open
}

// Answer is whose answer to a question the queue holds.
func (q *Queue) Answer(caseID string) scoring.AnswerID {
	return scoring.AnswerID{CaseID: caseID, By: q.By}
}

const (
	readingQueues = "reading queues"
	readingLabels = "reading labels"
	writingLabels = "writing labels"
)

// WriteQueue writes a queue with its cases in their order. The cases are written first: a queue
// that is there is whole.
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

// Queues lists the labelling queues, the newest first, or the one of an id that is not empty.
func (w *Store) Queues(ctx context.Context, id string) ([]Queue, error) {
	return all(ctx, w, queuesNamed(w.SQL(), id))
}

// QueuesOf lists the open queues that hold an answer and are not blind, the newest first.
func (w *Store) QueuesOf(ctx context.Context, of scoring.AnswerID) ([]Queue, error) {
	return all(ctx, w, queuesOf(w.SQL(), of))
}

// CloseQueue closes a queue that is open. Its labels stay.
func (w *Store) CloseQueue(ctx context.Context, id string, at time.Time) error {
	p := arguments{dialect: w.SQL()}
	query := "UPDATE badger.queues SET closed_at = " + p.add(at.UTC()) + " WHERE queue_id = " + p.add(id) +
		" AND closed_at IS NULL"
	return w.Use("writing queues", func(conn driver.Conn) error { return conn.Exec(ctx, query, p.args...) })
}

// QueueItem is an answer of a queue, with its labels there.
type QueueItem struct {
	Position int64 // from 1
	CaseID   string
	Done     int64 // how many people answered
	Skipped  int64 // how many passed it over
	Differ   bool  // whether the verdicts differ
	Decided  bool  // whether the difference is adjudicated
	Mine     Mine
}

// Mine is the state of an answer for one annotator.
type Mine int64

// What an annotator did.
const (
	Untouched Mine = iota
	Skipped
	Answered
)

// QueueItems lists answers of a queue in its order.
func (w *Store) QueueItems(ctx context.Context, f ItemFilter) (out []QueueItem, err error) {
	return all(ctx, w, queueItems(w.SQL(), &f))
}

// QueueProgress counts answers of a queue.
type QueueProgress struct {
	Cases       int64
	Done        int64 // those with enough labels
	Skipped     int64 // those of the others that an annotator skipped
	Conflicting int64 // those with different verdicts and no adjudication
	Mine        int64 // those that I answered
	MySkipped   int64
	MyLeft      int64 // those that I have neither answered nor skipped and that still want annotators
}

// QueueProgress counts the answers of a queue as one annotator sees it.
func (w *Store) QueueProgress(ctx context.Context, q *Queue, me string) (p QueueProgress, err error) {
	return first(ctx, w, queueProgress(w.SQL(), q, me))
}

// LabelPair is how many answers two people labelled in a way.
type LabelPair struct {
	One, Says, Other, OtherSays string // the people, by name, and their verdicts
	Count                       int64
}

// LabelPairs counts the pairs of verdicts of two people on the same answers of a queue.
func (w *Store) LabelPairs(ctx context.Context, queue string) (out []LabelPair, err error) {
	return all(ctx, w, labelPairs(w.SQL(), queue))
}

// LoggedLabel is a row of label_log: a person's label of an answer at one time.
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
	Decides              bool // settles a disagreement
}

// LoggedLabels reads rows of label_log, at most so many where most is above 0.
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

// Lease is the claim of one place of an answer of a queue.
type Lease struct{ Key, Owner string }

// Leases lists the claims whose key begins with prefix and that are good at a time. The prefix must
// hold none of the characters % and _.
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

// CaseSignal holds the values by which a queue may be ordered.
type CaseSignal struct {
	CaseID         string
	Passes, Fails  int64   // metrics by their verdict
	Unsure         float64 // of judges, 0 to 1
	Relation, Tier string
}

// CaseSignals reads the signals of all cases of a run, by case.
func (w *Store) CaseSignals(ctx context.Context, run scoring.RunID) (out []CaseSignal, err error) {
	return all(ctx, w, caseSignals(w.SQL(), run))
}

// LabelledCase reads one answer with its question, as [Store.Cases] does. NotFound: there is no such
// answer; AlreadyExists: there are several rows of it.
func (w *Store) LabelledCase(ctx context.Context, of scoring.AnswerID) (*scoring.Case, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	var found *Answer
	rows := 0
	for a, failed := range w.answers(ctx, q.cases(Filter{}, &keyRange{By: of.By, first: of.CaseID, last: of.CaseID})) {
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

// manyCases is from how many cases on all of a range are read rather than each named.
const manyCases = 1000

// Answered returns which of the given cases an agent's version answered in a batch, with the number of rows in
// agent_runs. It returns none if that table does not exist.
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

// answered reads which cases of a range are in agent_runs, and how many rows each has.
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

// scoredCases reads which of some cases have scores.
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

// WriteLoggedLabels writes many rows of label_log. A row with the ID of one of them is replaced.
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

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
	Options               []string // verdicts besides skip
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
	b.row(q.ID, q.Name, q.RunID.ID, q.Agent, q.Version, q.Batch, q.Filter, q.Ordering, q.Seed, q.Annotators, optional(q.Guideline), string(options), q.Blind, q.ReasonRequired,
		int64(len(cases)), optional(q.CreatedBy), q.CreatedAt, q.ClosedAt)
	return b.merge(ctx, w)
}

// Queues lists the labelling queues, the newest first, or the one of an id that is not empty.
func (w *Store) Queues(ctx context.Context, id string) ([]Queue, error) {
	l := Labelling{Dialect: w.SQL()}
	return w.queues(ctx, l.Queues(id), &l)
}

// QueuesOf lists the open queues that hold an answer and are not blind, the newest first.
func (w *Store) QueuesOf(ctx context.Context, of scoring.AnswerID) ([]Queue, error) {
	l := Labelling{Dialect: w.SQL()}
	return w.queues(ctx, l.QueuesOf(of), &l)
}

func (w *Store) queues(ctx context.Context, query string, l *Labelling) (out []Queue, err error) {
	var bad error
	err = w.Each(ctx, readingQueues, query, l.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		q := Queue{
			ID: r.text(0), Name: r.text(1), RunID: scoring.RunID{ID: r.text(2), By: scoring.By{Agent: r.text(3), Version: r.text(4), Batch: r.text(5)}}, Filter: r.text(6), Ordering: r.text(7), Seed: r.count(8),
			Annotators: r.count(9), Guideline: r.text(10), Blind: r.bool(12), ReasonRequired: r.bool(13), Cases: r.count(14), CreatedBy: r.text(15),
			CreatedAt: instant(t, 16, row), ClosedAt: instant(t, 17, row),
		}
		r.json(11, "queues.options", &q.Options)
		bad = r.err
		out = append(out, q)
		return bad == nil
	})
	if err == nil {
		err = bad
	}
	return out, err
}

// CloseQueue closes a queue that is open. Its labels stay.
func (w *Store) CloseQueue(ctx context.Context, id string, at time.Time) error {
	l := Labelling{Dialect: w.SQL()}
	query := l.CloseQueue(id, at.UTC())
	return w.Use("writing queues", func(conn driver.Conn) error { return conn.Exec(ctx, query, l.Args...) })
}

// QueueItem is an answer of a queue, with its labels there.
type QueueItem struct {
	Position int64 // from 1
	CaseID   string
	Done     int64 // how many people answered
	Skipped  int64 // how many passed it over
	Differ   bool  // whether those who answered say different things
	Decided  bool  // whether somebody settled that
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
	l := Labelling{Dialect: w.SQL()}
	query := l.Items(&f)
	err = w.Each(ctx, readingQueues, query, l.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, QueueItem{r.count(0), r.text(1), r.count(2), r.count(3), r.count(4) > 1, r.count(5) > 0, Mine(r.count(6))})
		return true
	})
	return out, err
}

// QueueProgress counts answers of a queue.
type QueueProgress struct {
	Cases       int64
	Done        int64 // those that enough people answered
	Skipped     int64 // those of the others that somebody passed over
	Conflicting int64 // those of which people say different things, and nobody settled it
	Mine        int64 // those that I answered
	MySkipped   int64
	MyLeft      int64 // those that I have neither answered nor skipped and that still want annotators
}

// QueueProgress counts the answers of a queue as one annotator sees it.
func (w *Store) QueueProgress(ctx context.Context, q *Queue, me string) (p QueueProgress, err error) {
	l := Labelling{Dialect: w.SQL()}
	query := l.Progress(q.ID, me, q.Annotators)
	err = w.Each(ctx, readingQueues, query, l.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		p = QueueProgress{r.count(0), r.count(1), r.count(2), r.count(3), r.count(4), r.count(5), r.count(6)}
		return true
	})
	return p, err
}

// LabelPair is how many answers two people labelled in a way.
type LabelPair struct {
	One, Says, Other, OtherSays string // the people, by name, and their verdicts
	Count                       int64
}

// LabelPairs counts the pairs of verdicts of two people on the same answers of a queue.
func (w *Store) LabelPairs(ctx context.Context, queue string) (out []LabelPair, err error) {
	l := Labelling{Dialect: w.SQL()}
	query := l.Pairs(queue)
	err = w.Each(ctx, readingLabels, query, l.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, LabelPair{r.text(0), r.text(1), r.text(2), r.text(3), r.count(4)})
		return true
	})
	return out, err
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
	l := Labelling{Dialect: w.SQL()}
	query := l.Labels(&f)
	err = w.Each(ctx, readingLabels, query, l.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, LoggedLabel{
			ID: r.text(0), AnswerID: scoring.AnswerID{CaseID: r.text(1), By: scoring.By{Agent: r.text(2), Version: r.text(3), Batch: r.text(4)}}, Annotator: r.text(5), Verdict: r.text(6),
			Note: r.text(7), GoldWrong: r.bool(8), Ambiguous: r.bool(9), At: instant(t, 10, row), Queue: r.text(11), AnswerHash: r.text(12), Decides: r.bool(13),
		})
		return len(out) != most
	})
	return out, err
}

// AddLabel adds a row to label_log unless one with its ID exists.
func (w *Store) AddLabel(ctx context.Context, v *LoggedLabel) error {
	l := Labelling{Dialect: w.SQL()}
	query := l.AddLabel(v.ID, v.CaseID, v.Agent, v.Version, v.Batch, v.Annotator, v.Verdict, optional(v.Note), v.GoldWrong, v.Ambiguous, v.At.UTC(), optional(v.Queue), optional(v.AnswerHash), v.Decides)
	return w.decide(ctx, writingLabels, query, l.Args)
}

// Lease is the claim of one place of an answer of a queue.
type Lease struct{ Key, Owner string }

// Leases lists the claims whose key begins with prefix and that are good at a time. The prefix must
// hold none of the characters % and _.
func (w *Store) Leases(ctx context.Context, prefix string, now time.Time) (out []Lease, err error) {
	l := Labelling{Dialect: w.SQL()}
	query := l.Leases(prefix, now)
	err = w.Each(ctx, "reading claims", query, l.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, Lease{r.text(0), r.text(1)})
		return true
	})
	return out, err
}

// RenewLeases extends some claims of an owner. Claims that the owner does not hold are unchanged.
func (w *Store) RenewLeases(ctx context.Context, owner string, until time.Time, keys ...string) error {
	if len(keys) == 0 || w.SQL().NoClaims {
		return nil
	}
	l := Labelling{Dialect: w.SQL()}
	query := l.RenewLeases(owner, until, keys)
	return w.changeClaims(ctx, query, l.Args)
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
	l := Labelling{Dialect: w.SQL()}
	query := l.CaseSignals(run)
	err = w.Each(ctx, readingScores, query, l.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		s := CaseSignal{CaseID: r.text(0), Passes: r.count(1), Fails: r.count(2), Relation: r.text(4), Tier: r.text(5)}
		if v := t.Columns[3].Value(row); !v.IsNull() {
			s.Unsure = v.Float()
		}
		out = append(out, s)
		return true
	})
	return out, err
}

// bool is a cell that is true; NULL is not.
func (r *record) bool(c int) bool {
	v := r.t.Columns[c].Value(r.row)
	return !v.IsNull() && v.Bool()
}

// LabelledCase reads one answer with its question, as [Store.Cases] does. NotFound: there is no such
// answer; AlreadyExists: there are several rows of it.
func (w *Store) LabelledCase(ctx context.Context, of scoring.AnswerID) (*scoring.Case, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	r := &Range{By: of.By, First: of.CaseID, Last: of.CaseID}
	query := q.Cases(Filter{}, r)
	var found *Answer
	rows := 0
	err = w.Each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
		if rows++; rows == 1 {
			a := answer(t, row)
			found = &a
		}
		return true
	})
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
	return errcode.New(errcode.AlreadyExists, "case %.80q: agent_runs has %d rows of this answer, expected one; none of them is shown or scored", caseID, rows)
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
	r := &Range{By: of.By, IDs: cases}
	if len(cases) > manyCases {
		r.IDs, r.First, r.Last = nil, slices.Min(cases), slices.Max(cases)
	}
	query := q.Answered(r)
	return there, w.Each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		there[r.text(0)] = r.count(1)
		return true
	})
}

// Scored returns which of the given cases have scores of an agent's version in a batch.
func (w *Store) Scored(ctx context.Context, of scoring.AnswerID, cases []string) (map[string]bool, error) {
	there := map[string]bool{}
	if len(cases) == 0 {
		return there, nil
	}
	l := Labelling{Dialect: w.SQL()}
	query := l.Scored(of.By, cases)
	return there, w.Each(ctx, readingScores, query, l.Args, func(t *scoring.Table, row int) bool {
		there[(&record{t: t, row: row}).text(0)] = true
		return true
	})
}

// WriteLoggedLabels writes many rows of label_log. A row with the ID of one of them is replaced.
func (w *Store) WriteLoggedLabels(ctx context.Context, labels []LoggedLabel) error {
	b := newRows("label_log")
	defer b.release()
	for i := range labels {
		v := &labels[i]
		b.row(v.ID, v.CaseID, v.Agent, v.Version, v.Batch, v.Annotator, v.Verdict, optional(v.Note), v.GoldWrong, v.Ambiguous, v.At, optional(v.Queue), optional(v.AnswerHash), v.Decides)
	}
	return b.merge(ctx, w)
}

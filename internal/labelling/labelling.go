// Package labelling manages human labels of answers: queues of answers, their assignment to annotators, labels,
// progress, and conflicts. It has no user interface.
//
// Queues and labels are in tables of the warehouse (queues, queue_items, label_log), and so are reservations
// (claims), so that several servers may use the same tables. A saved label is a row that never changes: a changed
// verdict is another row, and the latest row of an annotator counts. The client chooses a label's ID, so that a label
// that is sent twice is written once.
//
// label_log supplements human_labels: human_labels is often a read-only view of a user's table, and its key allows
// only one row per annotator and answer. Readers of labels read both.
package labelling

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// DefaultLease is how long an answer is reserved for the annotator who opened it, unless the reservation is renewed.
const DefaultLease = 10 * time.Minute

// Verdicts that every queue accepts in addition to its options.
const (
	Skip      = "skip"      // not labelled: others may get the answer
	Withdrawn = "withdrawn" // the annotator withdrew the label
)

// DefaultOptions are the verdicts of a queue without options.
var DefaultOptions = []string{"pass", "fail", "unsure"}

// Queue is an ordered list of answers to label.
type Queue = store.Queue

// Label is a row of label_log: one annotator's label of an answer at one time.
type Label = store.LoggedLabel

// Item is an answer in a queue.
type Item = store.QueueItem

// Store manages the queues and labels in a warehouse. It is safe for concurrent use.
type Store struct {
	Warehouse *store.Store
	Now       func() time.Time // nil: time.Now
	Lease     time.Duration    // 0: [DefaultLease]
	Primary   string           // the declared primary metric; may be ""
}

func (s *Store) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

func (s *Store) until() time.Time {
	if s.Lease == 0 {
		return s.now().Add(DefaultLease)
	}
	return s.now().Add(s.Lease)
}

// Queues returns all queues, the latest first.
func (s *Store) Queues(ctx context.Context) ([]Queue, error) {
	return s.Warehouse.Queues(ctx, "")
}

// Queue returns the queue with that id. If it does not exist, the error is NotFound.
func (s *Store) Queue(ctx context.Context, id string) (*Queue, error) {
	if id == "" {
		return nil, errcode.New(errcode.InvalidArgument, "queue: expected the id of a queue")
	}
	found, err := s.Warehouse.Queues(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		all, err := s.Warehouse.Queues(ctx, "")
		if err != nil {
			return nil, err
		}
		var names []string
		for i := range all {
			names = append(names, all[i].ID)
		}
		slices.Reverse(names) // the latest first
		return nil, errcode.New(errcode.NotFound, "queue: there is no queue %.40q%s", id, scoring.SuggestOrList(id, names))
	}
	return &found[0], nil
}

// QueueFor returns the queue to which a label given outside of queues, with the scores visible, belongs. Of the open,
// not blind queues with the answer, it is the latest that still needs the label, or else the one with the annotator's
// current label; nil if there is none.
func (s *Store) QueueFor(ctx context.Context, of scoring.AnswerID, me string) (*Queue, error) {
	queues, err := s.Warehouse.QueuesOf(ctx, of)
	if err != nil {
		return nil, err
	}
	var labelled, wants *Queue
	for i := range queues {
		q := &queues[i]
		item, err := s.Item(ctx, q, me, of.CaseID)
		if err != nil {
			return nil, err
		}
		switch {
		case item.Mine != store.Untouched && labelled == nil:
			labelled = q
		case item.Mine == store.Untouched && item.Done < q.Annotators && wants == nil:
			wants = q
		}
	}
	if wants != nil || labelled == nil {
		return wants, nil
	}
	said, err := s.Mine(ctx, Label{AnswerID: of, Annotator: me})
	if err != nil || said == nil {
		return labelled, err
	}
	if i := slices.IndexFunc(queues, func(q Queue) bool { return q.ID == said.Queue }); i >= 0 {
		return &queues[i], nil
	}
	return labelled, nil
}

// Close closes a queue, which then assigns no more answers. Labels of answers assigned before are still saved.
func (s *Store) Close(ctx context.Context, q *Queue) error {
	return s.Warehouse.CloseQueue(ctx, q.ID, s.now())
}

// Items returns at most limit items of a queue, in order, from position from on.
func (s *Store) Items(ctx context.Context, q *Queue, me string, from, limit int64) ([]Item, error) {
	return s.Warehouse.QueueItems(ctx, store.ItemFilter{Queue: q.ID, Me: me, From: from, Limit: limit})
}

// Item returns the item of a case in a queue. If the queue does not have it, the error is NotFound.
func (s *Store) Item(ctx context.Context, q *Queue, me, caseID string) (*Item, error) {
	found, err := s.Warehouse.QueueItems(ctx, store.ItemFilter{Queue: q.ID, Me: me, Case: caseID})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errcode.New(errcode.NotFound, "queue %s: it has no case %.80q", q.ID, caseID)
	}
	return &found[0], nil
}

// Neighbours returns the items before and after a position; nil at the ends.
func (s *Store) Neighbours(ctx context.Context, q *Queue, me string, position int64) (before, after *Item, err error) {
	near, err := s.Warehouse.QueueItems(ctx, store.ItemFilter{Queue: q.ID, Me: me, From: position - 1, To: position + 1})
	for i := range near {
		switch near[i].Position {
		case position - 1:
			before = &near[i]
		case position + 1:
			after = &near[i]
		}
	}
	return before, after, err
}

// Mine returns the current label of an annotator for an answer in the queue of.Queue or, if that is "", in all queues
// and outside of them; nil if there is none. It considers adjudications only if of.Decides is set, and else other
// labels only.
func (s *Store) Mine(ctx context.Context, of Label) (*Label, error) {
	rows, err := s.newest(ctx, &of, 0)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows,
		func(r Label) bool { return r.Decides != of.Decides || of.Queue != "" && r.Queue != of.Queue })
	return counting(rows), nil
}

// counting returns the current label among one annotator's labels of an answer, which are sorted from new to old. Of
// each queue only the latest counts. Of these it is the latest verdict, or else the latest skip; nil if there is
// neither.
func counting(rows []Label) (found *Label) {
	seen := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		if seen[r.Queue] {
			continue
		}
		seen[r.Queue] = true
		if answered(r.Verdict) {
			return r
		}
		if found == nil && r.Verdict == Skip {
			found = r
		}
	}
	return found
}

// newest returns an annotator's labels of an answer in all queues, the latest first; at most most if that is above 0.
func (s *Store) newest(ctx context.Context, l *Label, most int) ([]Label, error) {
	return s.Warehouse.LoggedLabels(ctx, store.LabelFilter{
		Cases: []string{l.CaseID}, By: l.By, OfAnswer: true, Annotator: l.Annotator, NewestFirst: true,
	}, most)
}

// answered reports whether a verdict is neither a skip nor a withdrawal.
func answered(verdict string) bool { return verdict != Skip && verdict != Withdrawn }

// plain returns an error if text is longer than longest bytes or contains NUL, which tables cannot store. what names
// it.
func plain(what, text string, longest int) error {
	switch {
	case len(text) > longest:
		return errcode.New(errcode.InvalidArgument, "%s: %d bytes, expected at most %d", what, len(text), longest)
	case strings.ContainsRune(text, 0):
		return errcode.New(errcode.InvalidArgument, "%s: it holds the character NUL, expected text", what)
	}
	return nil
}

// MineIn returns an annotator's verdicts on the items of a queue, by case, including Skip.
func (s *Store) MineIn(ctx context.Context, q *Queue, me string, items []Item) (map[string]string, error) {
	var cases []string
	for i := range items {
		if items[i].Mine != store.Untouched {
			cases = append(cases, items[i].CaseID)
		}
	}
	if cases == nil {
		return nil, nil
	}
	rows, err := s.Warehouse.LoggedLabels(ctx,
		store.LabelFilter{Queue: q.ID, Annotator: me, Cases: cases, Newest: true}, 0)
	out := map[string]string{}
	for i := range rows {
		if l := &rows[i]; !l.Decides && l.Verdict != Withdrawn {
			out[l.CaseID] = l.Verdict
		}
	}
	return out, err
}

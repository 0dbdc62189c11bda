// Package labelling manages human labels of answers: ordered queues of answers, the assignment of answers to
// annotators, labels, progress, and disagreements. It contains no pages.
//
// Queues and labels are tables of the warehouse (queues, queue_items, label_log), and so are the assignments
// (claims). Several servers may work on the same tables. A saved label is a row that never changes: a changed
// verdict is another row, and the latest row of an annotator counts. The client chooses the ID of a label, so a
// label that is sent again is not written again.
//
// label_log is next to human_labels and not in place of it: human_labels is often a view over a
// table of the users' own, to which nothing can be written, and its key allows one row for each
// annotator, which leaves no room for changes. All readers of labels read both.
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

// DefaultLease is how long an answer is kept for the person who has it before them, unless they
// renew it.
const DefaultLease = 10 * time.Minute

// Verdicts that every queue has in addition to its options.
const (
	Skip      = "skip"      // passed over: others may take the answer
	Withdrawn = "withdrawn" // the annotator has withdrawn the label
)

// DefaultOptions are the verdicts that are offered.
var DefaultOptions = []string{"pass", "fail", "unsure"}

// Queue is a labelling queue.
type Queue = store.Queue

// Label is a person's label of an answer at one time.
type Label = store.LoggedLabel

// Item is an answer of a queue.
type Item = store.QueueItem

// Store is the labelling of a warehouse. It may be used from several goroutines at once.
type Store struct {
	Warehouse *store.Store
	Now       func() time.Time // nil: time.Now
	Lease     time.Duration    // 0: [DefaultLease]
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

// Queues lists the queues, the newest first.
func (s *Store) Queues(ctx context.Context) ([]Queue, error) {
	return s.Warehouse.Queues(ctx, "")
}

// Queue finds a queue; NotFound if there is none.
func (s *Store) Queue(ctx context.Context, id string) (*Queue, error) {
	if id == "" {
		return nil, errcode.New(errcode.InvalidArgument, "queue: expected the id of a queue")
	}
	found, err := s.Warehouse.Queues(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errcode.New(errcode.NotFound, "queue: there is no queue %.40q", id)
	}
	return &found[0], nil
}

// QueueFor returns the queue in which a label counts that is given on another page: among the open queues that
// contain the answer and are not blind, the latest that still needs the label, or else the one with the annotator's
// current label; nil if there is none. A label given with the scores in view is not blind.
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

// Close closes a queue: it assigns no more answers. Labels that are already submitted are still saved.
func (s *Store) Close(ctx context.Context, q *Queue) error {
	return s.Warehouse.CloseQueue(ctx, q.ID, s.now())
}

// Items lists at most limit answers of a queue in its order, from a position on.
func (s *Store) Items(ctx context.Context, q *Queue, me string, from, limit int64) ([]Item, error) {
	return s.Warehouse.QueueItems(ctx, store.ItemFilter{Queue: q.ID, Me: me, From: from, Limit: limit})
}

// Item finds the answer to a question in a queue; NotFound where the queue has none.
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

// Neighbours are the answers before and after a position; nil at the ends.
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

// Mine returns an annotator's label of an answer in a queue or, if the queue is empty, the current one of all
// queues and outside of them; nil if there is none. Adjudications are separate.
func (s *Store) Mine(ctx context.Context, of Label) (*Label, error) {
	rows, err := s.newest(ctx, &of, 0)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows,
		func(r Label) bool { return r.Decides != of.Decides || of.Queue != "" && r.Queue != of.Queue })
	return counting(rows), nil
}

// counting is the one of an annotator's labels for an answer that counts, given the newest first: the
// newest of each queue, of these the newest that says something of the answer, or else that it was
// passed over. nil if there is none.
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

// newest are the labels of one annotator for one answer, in any queue, the newest first.
func (s *Store) newest(ctx context.Context, l *Label, most int) ([]Label, error) {
	return s.Warehouse.LoggedLabels(ctx, store.LabelFilter{
		Cases: []string{l.CaseID}, By: l.By, OfAnswer: true, Annotator: l.Annotator, NewestFirst: true,
	}, most)
}

// answered reports whether a verdict says something of the answer.
func answered(verdict string) bool { return verdict != Skip && verdict != Withdrawn }

// plain checks a string from outside: tables cannot hold NUL.
func plain(what, text string, longest int) error {
	switch {
	case len(text) > longest:
		return errcode.New(errcode.InvalidArgument, "%s: %d bytes, expected at most %d", what, len(text), longest)
	case strings.ContainsRune(text, 0):
		return errcode.New(errcode.InvalidArgument, "%s: it holds the character NUL, expected text", what)
	}
	return nil
}

// MineIn returns an annotator's verdicts on answers of a queue, by case, including Skip.
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

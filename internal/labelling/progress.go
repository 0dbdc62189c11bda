package labelling

import (
	"context"
	"time"

	"github.com/badger-eval/badger/sql/store"
)

// Progress is how far a queue is, as one annotator sees it.
type Progress struct {
	store.QueueProgress
	Left    int64   // answers that want more people
	PerHour float64 // labels that the annotator gave in an hour, lately; 0: not known
}

// rateOver is how many labels the rate is taken over.
const rateOver = 50

// Progress returns the progress of a queue. The rate is that of the annotator's last labels, at most 50, with
// pauses of at most ten minutes; it requires three labels and some minutes.
func (s *Store) Progress(ctx context.Context, q *Queue, me string) (Progress, error) {
	counts, err := s.Warehouse.QueueProgress(ctx, q, me)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{QueueProgress: counts, Left: counts.Cases - counts.Done}
	last, err := s.Warehouse.LoggedLabels(ctx, store.LabelFilter{Queue: q.ID, Annotator: me, NewestFirst: true}, rateOver)
	at := make([]time.Time, len(last))
	for i := range last {
		at[i] = last[i].At
	}
	p.PerHour = rate(at)
	return p, err
}

// rateAfter is the minimal time of labeling before a rate is reported.
const rateAfter = 2 * time.Minute

// rate is labels in an hour, from their times, the newest first.
func rate(at []time.Time) float64 {
	n := 1
	for n < len(at) && at[n-1].Sub(at[n]) <= DefaultLease {
		n++
	}
	if n < 3 || len(at) < 3 || at[0].Sub(at[n-1]) < rateAfter {
		return 0
	}
	return float64(n-1) / at[0].Sub(at[n-1]).Hours()
}

// newer reports whether a is the later of two labels by different people: the order that all readers use.
func newer(a, b *Label) bool { return a.At.After(b.At) || a.At.Equal(b.At) && a.ID > b.ID }

// Conflict is an answer with different verdicts.
type Conflict struct {
	Item
	Labels   []Label // the newest of each annotator
	Decision *Label  // the verdict that settles it, of several the newest; nil: none
}

// atLeast is the number of people who must have answered before a conflict is reported.
func atLeast(q *Queue) int64 {
	if q.Blind {
		return max(2, q.Annotators)
	}
	return 2
}

func inConflict(q *Queue, item *Item) bool { return item.Differ && item.Done >= atLeast(q) }

// Conflicts lists at most limit answers with different verdicts, from a position on, in the queue's order. In a
// blind queue it omits answers that need more people: the next annotator must not see the labels of others.
func (s *Store) Conflicts(ctx context.Context, q *Queue, me string, from, limit int64) ([]Conflict, error) {
	items, err := s.Warehouse.QueueItems(ctx,
		store.ItemFilter{Queue: q.ID, Me: me, From: from, Conflict: atLeast(q), Limit: limit})
	if err != nil || len(items) == 0 {
		return nil, err
	}
	out, at, cases := make([]Conflict, len(items)), map[string]int{}, make([]string, len(items))
	for i := range items {
		out[i].Item, at[items[i].CaseID], cases[i] = items[i], i, items[i].CaseID
	}
	labels, err := s.Warehouse.LoggedLabels(ctx, store.LabelFilter{Queue: q.ID, Cases: cases, Newest: true}, 0)
	for i := range labels {
		l := &labels[i]
		c := &out[at[l.CaseID]]
		switch {
		case !answered(l.Verdict):
		case l.Decides:
			if c.Decision == nil || newer(l, c.Decision) {
				c.Decision = l
			}
		default:
			c.Labels = append(c.Labels, *l)
		}
	}
	return out, err
}

package labelling

import (
	"context"
	"time"

	"github.com/badger-eval/badger/sql/store"
)

// Progress is the progress of a queue, with the rate of one annotator.
type Progress struct {
	store.QueueProgress
	Left    int64   // answers that need more annotators
	PerHour float64 // recent rate of the annotator's labels; 0: unknown
}

// rateOver is the maximum number of labels from which the rate is computed.
const rateOver = 50

// Progress returns the progress of a queue, with the rate of annotator me: that of the last labels without a pause of
// more than DefaultLease. The rate is 0 for fewer than three labels or less than rateAfter.
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

// rateAfter is the minimum time of labelling for a rate.
const rateAfter = 2 * time.Minute

// rate returns the labels per hour from their times, which are sorted from new to old; 0 if unknown.
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

// newer reports whether label a takes precedence over b: it is later or, at the same time, has the larger ID.
func newer(a, b *Label) bool { return a.At.After(b.At) || a.At.Equal(b.At) && a.ID > b.ID }

// Conflict is an answer on which annotators disagree.
type Conflict struct {
	Item
	Labels   []Label // the newest of each annotator
	Decision *Label  // the verdict that settles it, of several the newest; nil: none
}

// atLeast returns the number of annotators who must have labelled an answer before a conflict is reported.
func atLeast(q *Queue) int64 {
	if q.Blind {
		return max(2, q.Annotators)
	}
	return 2
}

func inConflict(q *Queue, item *Item) bool { return item.Differ && item.Done >= atLeast(q) }

// Conflicts returns at most limit conflicts from a position on, in the queue's order. For a blind queue it omits
// answers that need more annotators, who must not see the labels of others.
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

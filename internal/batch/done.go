package batch

import (
	"context"
	"iter"

	"github.com/badger-eval/badger/scoring"
)

// doneSet is the set of keys that a ledger holds: a bit for every metric of an answer, since 100,000 cases have millions of keys.
type doneSet struct {
	metrics map[metricID]int // position of the metric's bit
	answers map[Answer]bits
}

type metricID struct {
	name    string
	version int
}

type bits []uint64

func (b bits) has(i int) bool { return i>>6 < len(b) && b[i>>6]&(1<<(i&63)) != 0 }

func newDoneSet() doneSet { return doneSet{metrics: map[metricID]int{}, answers: map[Answer]bits{}} }

// readDone reads what the run holds in the ledger. With retryFailed, failed scores do not count.
func readDone(ctx context.Context, l Ledger, run string, retryFailed bool) (doneSet, error) {
	s := newDoneSet()
	for d, err := range l.Done(ctx, run) {
		if err != nil {
			return s, err
		}
		s.put(d.Key, !retryFailed || d.Status != scoring.StatusFailed)
	}
	return s, nil
}

func (s *doneSet) put(k Key, done bool) {
	id := metricID{k.Metric, k.MetricVersion}
	i, ok := s.metrics[id]
	if !ok {
		i = len(s.metrics)
		s.metrics[id] = i
	}
	b := s.answers[k.Answer]
	if done && len(b) <= i>>6 {
		b = append(b, make(bits, i>>6+1-len(b))...)
		s.answers[k.Answer] = b
	}
	switch {
	case done:
		b[i>>6] |= 1 << (i & 63)
	case b.has(i):
		b[i>>6] &^= 1 << (i & 63)
	}
}

func (s *doneSet) has(k Key) bool {
	i, ok := s.metrics[metricID{k.Metric, k.MetricVersion}]
	return ok && s.answers[k.Answer].has(i)
}

// missing is which of the metrics the answer has no score of; all is returned as it is where that is all of them.
func (s *doneSet) missing(a Answer, all []*scoring.Metric) []*scoring.Metric {
	if len(s.answers[a]) == 0 {
		return all
	}
	var left []*scoring.Metric
	for _, m := range all {
		if !s.has(Key{a, m.Name, m.Version}) {
			left = append(left, m)
		}
	}
	return left
}

// Tee is a ledger that appends to several in turn. Only what all of them hold is done, so that one that fell behind
// when a run was killed catches up.
func Tee(ledgers ...Ledger) Ledger { return tee(ledgers) }

type tee []Ledger

func (t tee) Done(ctx context.Context, run string) iter.Seq2[Done, error] {
	return func(yield func(Done, error) bool) {
		if len(t) == 0 {
			return
		}
		held, scored := make([]doneSet, len(t)), make([]doneSet, len(t)) // scored: without failed ones
		for i, l := range t[1:] {
			held[i], scored[i] = newDoneSet(), newDoneSet()
			for d, err := range l.Done(ctx, run) {
				if err != nil {
					yield(Done{}, err)
					return
				}
				held[i].put(d.Key, true)
				scored[i].put(d.Key, d.Status != scoring.StatusFailed)
			}
		}
	keys:
		for d, err := range t[0].Done(ctx, run) {
			for i := range t[1:] {
				if err == nil && !held[i].has(d.Key) {
					continue keys
				}
				if err == nil && !scored[i].has(d.Key) {
					d.Status = scoring.StatusFailed
				}
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

func (t tee) Append(ctx context.Context, run string, rows []Row) error {
	for _, l := range t {
		if err := l.Append(ctx, run, rows); err != nil {
			return err
		}
	}
	return nil
}

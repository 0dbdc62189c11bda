package batch

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/badger-eval/badger/scoring"
)

// doneSet is the set of keys that a ledger holds: a bit for every metric of an answer, since
// 100,000 cases have millions of keys.
type doneSet struct {
	metrics map[metricID]int // position of the metric's bit
	answers map[scoring.AnswerID]bits
	golds   map[scoring.AnswerID]goldID // of answers whose scores name one
}

// goldID is a [scoring.Case.GoldHash] in 8 bytes; mixed if the scores of an answer have several.
type goldID struct {
	hash  uint64
	mixed bool
}

type metricID struct {
	name    string
	version int
}

type bits []uint64

func (b bits) has(i int) bool { return i>>6 < len(b) && b[i>>6]&(1<<(i&63)) != 0 }

func newDoneSet() doneSet {
	return doneSet{metrics: map[metricID]int{}, answers: map[scoring.AnswerID]bits{}, golds: map[scoring.AnswerID]goldID{}}
}

// readDone reads the run's scores in the ledger. It ignores scores of missing answers, since the answer may have
// arrived, and failed scores with RetryFailed. Held is called with the other scores of the metrics, answer by
// answer.
func (r *Runner) readDone(ctx context.Context, l Ledger, run string, metrics []*scoring.Metric) (doneSet, error) {
	s := newDoneSet()
	var rows []scoring.Row
	tell := func() {
		if len(rows) > 0 && r.Held != nil {
			r.Held(rows)
		}
		rows = rows[:0]
	}
	for row, err := range l.Held(ctx, run) {
		if err != nil {
			return s, err
		}
		if r.RetryFailed && row.Score.Status == scoring.StatusFailed || row.Score.Missing() {
			continue
		}
		if !slices.ContainsFunc(metrics,
			func(m *scoring.Metric) bool { return m.Name == row.Score.Metric && m.Version == row.Score.Version }) {
			continue
		}
		s.put(KeyOf(&row))
		s.madeFrom(row.AnswerID, row.GoldHash)
		if len(rows) > 0 && rows[0].AnswerID != row.AnswerID {
			tell()
		}
		rows = append(rows, row)
	}
	tell()
	return s, nil
}

func (s *doneSet) put(k Key) {
	id := metricID{k.Metric, k.MetricVersion}
	i, ok := s.metrics[id]
	if !ok {
		i = len(s.metrics)
		s.metrics[id] = i
	}
	b := s.answers[k.AnswerID]
	if len(b) <= i>>6 {
		b = append(b, make(bits, i>>6+1-len(b))...)
		s.answers[k.AnswerID] = b
	}
	b[i>>6] |= 1 << (i & 63)
}

// madeFrom notes the question and gold that a score of the answer was made from.
func (s *doneSet) madeFrom(a scoring.AnswerID, hash string) {
	id, err := strconv.ParseUint(hash, 16, 64)
	if err != nil {
		return // the score names none: its case could not be read
	}
	g, known := s.golds[a]
	if known && g.hash != id {
		g.mixed = true
	}
	g.hash = id
	s.golds[a] = g
}

// changed reports whether a score of the answer was made from another question or gold than this one.
func (s *doneSet) changed(a scoring.AnswerID, hash string) bool {
	g, known := s.golds[a]
	id, err := strconv.ParseUint(hash, 16, 64)
	return known && err == nil && (g.mixed || g.hash != id)
}

func (s *doneSet) has(k Key) bool {
	i, ok := s.metrics[metricID{k.Metric, k.MetricVersion}]
	return ok && s.answers[k.AnswerID].has(i)
}

// missing returns the metrics without a score for the answer; it returns all itself if that is all of them.
func (s *doneSet) missing(a scoring.AnswerID, all []*scoring.Metric) []*scoring.Metric {
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

// Tee is a ledger that appends to several in turn. Only what all of them hold is done, so that one
// that fell behind when a run was killed catches up.
func Tee(ledgers ...Ledger) Ledger { return tee(ledgers) }

type tee []Ledger

func (t tee) Held(ctx context.Context, run string) iter.Seq2[scoring.Row, error] {
	return func(yield func(scoring.Row, error) bool) {
		if len(t) == 0 {
			return
		}
		held, failed := make([]doneSet, len(t)), make([]doneSet, len(t))
		for i, l := range t[1:] {
			held[i], failed[i] = newDoneSet(), newDoneSet()
			for r, err := range l.Held(ctx, run) {
				if err != nil {
					yield(scoring.Row{}, err)
					return
				}
				held[i].put(KeyOf(&r))
				if r.Score.Status == scoring.StatusFailed {
					failed[i].put(KeyOf(&r))
				}
			}
		}
	rows:
		for r, err := range t[0].Held(ctx, run) {
			for i := range t[1:] {
				if err == nil && (!held[i].has(KeyOf(&r)) || failed[i].has(KeyOf(&r)) != (r.Score.Status == scoring.StatusFailed)) {
					continue rows // not held, or only one of them was reported when a failed score was recomputed
				}
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (t tee) Append(ctx context.Context, run string, rows []scoring.Row) error {
	for _, l := range t {
		if err := l.Append(ctx, run, rows); err != nil {
			return err
		}
	}
	return nil
}

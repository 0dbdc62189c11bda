package batch

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/badger-eval/badger/scoring"
)

// doneSet is the set of keys in a ledger, with one bit per metric and answer, because 100,000 cases have millions of
// keys.
type doneSet struct {
	metrics map[metricID]int // index of the metric's bit
	answers map[scoring.AnswerID]bits
	from    map[scoring.AnswerID]madeFrom // for answers whose scores have a hash
	unread  map[scoring.AnswerID]bool     // answers that could not be read, so that their failed scores have no hash
	lacking int64                         // scores that only some of several ledgers hold, so that they are computed again
}

// madeFrom has the hashes of the inputs of an answer's scores: [scoring.Case.GoldHash] and [scoring.Case.AnswerHash].
type madeFrom struct{ gold, answer hashID }

// hashID is a hash of scores as a number; the zero value is an unknown one.
type hashID struct {
	hash         uint64
	known, mixed bool // mixed: the scores of an answer have different hashes
}

// add adds the hash of a score, which may be empty.
func (h *hashID) add(hash string) {
	if id, err := strconv.ParseUint(hash, 16, 64); err == nil {
		h.mixed = h.mixed || h.known && h.hash != id
		h.hash, h.known = id, true
	}
}

// differs reports whether a score has another hash.
func (h hashID) differs(hash string) bool {
	id, err := strconv.ParseUint(hash, 16, 64)
	return h.known && err == nil && (h.mixed || h.hash != id)
}

type metricID struct {
	name    string
	version int
}

type bits []uint64

func (b bits) has(i int) bool { return i>>6 < len(b) && b[i>>6]&(1<<(i&63)) != 0 }

func newDoneSet() doneSet {
	return doneSet{metrics: map[metricID]int{}, answers: map[scoring.AnswerID]bits{},
		from: map[scoring.AnswerID]madeFrom{}, unread: map[scoring.AnswerID]bool{}}
}

// readDone returns the keys of the run's scores in the ledger. It ignores scores of missing answers, because an
// answer may exist now, and failed scores if RetryFailed is set. It calls r.Held with the other scores of the
// metrics, answer by answer, and r.Missing with all scores of a missing answer.
func (r *Runner) readDone(ctx context.Context, l Ledger, run string, metrics []*scoring.Metric) (doneSet, error) {
	s := newDoneSet()
	var rows, all []scoring.Row // of one answer: those of r.Held, and all
	tell := func() {
		if len(rows) > 0 && r.Held != nil {
			r.Held(rows)
		}
		if r.Missing != nil && slices.ContainsFunc(all, func(r scoring.Row) bool { return r.Score.Missing() }) {
			r.Missing(all)
		}
		rows, all = rows[:0], all[:0]
	}
	stored := l.Held(ctx, run)
	if several, is := l.(tee); is {
		stored = several.held(ctx, run, func(row *scoring.Row) {
			s.know(row.AnswerID)
			s.lacking++
		})
	}
	for row, err := range stored {
		if err != nil {
			return s, err
		}
		s.know(row.AnswerID)
		if !slices.ContainsFunc(metrics,
			func(m *scoring.Metric) bool { return m.Name == row.Score.Metric && m.Version == row.Score.Version }) {
			continue
		}
		if len(all) > 0 && all[0].AnswerID != row.AnswerID {
			tell()
		}
		all = append(all, row)
		if r.RetryFailed && row.Score.Status == scoring.StatusFailed || row.Score.Missing() {
			continue
		}
		s.put(KeyOf(&row))
		s.madeFrom(&row)
		rows = append(rows, row)
	}
	tell()
	return s, nil
}

// know records that the ledger has scores of an answer.
func (s *doneSet) know(a scoring.AnswerID) {
	if _, is := s.answers[a]; !is {
		s.answers[a] = nil
	}
}

// gone returns the answers of the ledger that a source lacks, in a fixed order.
func (s *doneSet) gone(source *identities) (out []scoring.AnswerID) {
	for a := range s.answers {
		if !source.has(a) {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b scoring.AnswerID) int {
		return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Batch, b.Batch),
			cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.CaseID, b.CaseID))
	})
	return out
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

// madeFrom records the hashes of a stored score; rows of earlier versions have none.
func (s *doneSet) madeFrom(r *scoring.Row) {
	if r.GoldHash == "" && r.AnswerHash == "" { // its case could not be read
		if r.Score.Status == scoring.StatusFailed {
			s.unread[r.AnswerID] = true
		}
		return
	}
	m := s.from[r.AnswerID]
	m.gold.add(r.GoldHash)
	m.answer.add(r.AnswerHash)
	s.from[r.AnswerID] = m
}

func (s *doneSet) has(k Key) bool {
	i, ok := s.metrics[metricID{k.Metric, k.MetricVersion}]
	return ok && s.answers[k.AnswerID].has(i)
}

// missing returns the metrics of all for which the answer has no score.
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

// Tee returns a ledger that appends to all of the ledgers. It holds only the scores that all of them hold, so that a
// ledger that lacks scores of a killed run gets them.
func Tee(ledgers ...Ledger) Ledger { return tee(ledgers) }

type tee []Ledger

func (t tee) Held(ctx context.Context, run string) iter.Seq2[scoring.Row, error] {
	return t.held(ctx, run, func(*scoring.Row) {})
}

// held is Held, and calls partly with the scores that only some of the ledgers hold.
func (t tee) held(ctx context.Context, run string, partly func(*scoring.Row)) iter.Seq2[scoring.Row, error] {
	return func(yield func(scoring.Row, error) bool) {
		if len(t) == 0 {
			return
		}
		held, failed, first := make([]doneSet, len(t)), make([]doneSet, len(t)), newDoneSet()
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
					partly(&r) // not held, or only one of them was reported when a failed score was recomputed
					first.know(r.AnswerID)
					continue rows
				}
			}
			first.know(r.AnswerID)
			if !yield(r, err) {
				return
			}
		}
		for i := range t[1:] {
			for a := range held[i].answers {
				if _, is := first.answers[a]; !is {
					partly(&scoring.Row{AnswerID: a})
				}
			}
		}
	}
}

func (t tee) Remove(ctx context.Context, run string, answers []scoring.AnswerID) error {
	for _, l := range t {
		if err := l.Remove(ctx, run, answers); err != nil {
			return err
		}
	}
	return nil
}

func (t tee) Append(ctx context.Context, run string, rows []scoring.Row) error {
	for _, l := range t {
		if err := l.Append(ctx, run, rows); err != nil {
			return err
		}
	}
	return nil
}

package store

import (
	"context"
	"iter"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Half is the score of a case on one side of a comparison.
type Half struct {
	Score      scoring.Score // without what is only evidence; the status is empty if there is none
	Unanswered bool          // it does not apply because the agent gave no answer
	RunID      string
	ConfigHash string
	Judge      string // who was asked in its run
	Asked      bool   // whether the score rests on a judge's reply
}

// Pair is a number of cases with equal scores in a metric on each of two sides.
type Pair struct {
	Metric        string
	From, To      Half
	Gold, Reasons int // 0: not known, 1: the same on both sides, 2: another
	Cases         int
}

// PairCounts streams the pairs of scores of two sides, those of a metric together, in the order of
// metrics.
func (w *Store) PairCounts(ctx context.Context, from, to Latest) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		more := true
		q, err := w.pairs(ctx, from, to)
		if err == nil {
			query, args := q.Counts(w.SQL())
			err = w.Each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
				r := record{t: t, row: row}
				p := Pair{Metric: r.text(0), From: half(&r, 1), To: half(&r, 10), Gold: int(r.count(19)), Reasons: int(r.count(20)), Cases: int(r.count(21))}
				more = yield(p, nil)
				return more
			})
		}
		if err != nil && more {
			yield(Pair{}, err)
		}
	}
}

// half reads one side of a pair from column c on.
func half(r *record, c int) Half {
	h := Half{Unanswered: r.count(c+1) == 1, ConfigHash: r.text(c + 5), Judge: r.text(c + 6), Asked: r.count(c+7) == 1, RunID: r.text(c + 8)}
	h.Score = scoring.Score{Status: scoring.Status(r.text(c)), Version: int(r.count(c + 4))}
	if v := r.t.Columns[c+2].Value(r.row); !v.IsNull() {
		h.Score.Value = v.Float()
	}
	if v := r.t.Columns[c+3].Value(r.row); !v.IsNull() {
		passed := r.count(c+3) == 1
		h.Score.Passed = &passed
	}
	if h.Unanswered {
		h.Score.Reason = scoring.NoPred
	}
	return h
}

func (w *Store) pairs(ctx context.Context, from, to Latest) (Pairs, error) {
	there, err := w.columns(ctx, TableNamed("scores"))
	from.WithoutGold, to.WithoutGold = !there["gold_hash"], !there["gold_hash"]
	return Pairs{From: from, To: to}, err
}

// SharedCases counts the cases that both sides, only the first, and only the second have scores of.
func (w *Store) SharedCases(ctx context.Context, from, to Latest) (shared, onlyFrom, onlyTo int, err error) {
	q, err := w.pairs(ctx, from, to)
	if err != nil {
		return 0, 0, 0, err
	}
	query, args := q.Shared(w.SQL())
	err = w.Each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		shared, onlyFrom, onlyTo = int(r.count(0)), int(r.count(1)), int(r.count(2))
		return false
	})
	return shared, onlyFrom, onlyTo, err
}

// CasePair is a case with its scores on both sides. A standing is passed, failed, no_verdict,
// abstained, not_applicable, unanswered, error or absent.
type CasePair struct {
	CaseID               string
	FromStands, ToStands string
	FromValue, ToValue   *float64
	FromLabel, ToLabel   string
	FromReason, ToReason string
}

// CasePairs counts the pairs that a filter chooses and reads a page of them, the largest regressions
// first. A filter by answers needs the table agent_runs (FailedPrecondition).
func (w *Store) CasePairs(ctx context.Context, from, to Latest, f PairFilter) (pairs []CasePair, all int, err error) {
	if f.Pairs, err = w.pairs(ctx, from, to); err != nil {
		return nil, 0, err
	}
	if f.Answers || f.Scores {
		if f.Reader, err = w.reader(ctx, "agent_runs"); err != nil {
			return nil, 0, errcode.New(errcode.FailedPrecondition, "the answers are not in this database, so whether they changed is not known: %w", err)
		}
	}
	query, args := f.Count(w.SQL())
	if err = w.Each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
		all = int((&record{t: t, row: row}).count(0))
		return false
	}); err != nil {
		return nil, 0, err
	}
	query, args = f.Page(w.SQL())
	err = w.Each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		pairs = append(pairs, CasePair{
			CaseID: r.text(0), FromStands: r.text(1), ToStands: r.text(2), FromValue: float(&r, 3), ToValue: float(&r, 4),
			FromLabel: r.text(5), ToLabel: r.text(6), FromReason: r.text(7), ToReason: r.text(8),
		})
		return true
	})
	return pairs, all, err
}

func float(r *record, column int) *float64 {
	v := r.t.Columns[column].Value(r.row)
	if v.IsNull() {
		return nil
	}
	f := v.Float()
	return &f
}

// reader reads a table that users fill, as it is.
func (w *Store) reader(ctx context.Context, name string) (Reader, error) {
	r := Reader{Dialect: w.SQL(), Missing: map[string]bool{}}
	table := TableNamed(name)
	there, err := w.columns(ctx, table)
	if err != nil {
		return r, err
	}
	for _, c := range table.Columns {
		if !there[c.Name] {
			r.Missing[name+"."+c.Name] = true
		}
	}
	return r, nil
}

// GivenAnswer is one answer to a question, given in a number of batches.
type GivenAnswer struct {
	CaseID, SQL, Error string
	Times              int
	First              string // batch
}

// AnsweredBy tells the distinct answers that a version of an agent gave to some questions in all of
// its batches, the most frequent of a question first. Without the table agent_runs there are none.
func (w *Store) AnsweredBy(ctx context.Context, agent, version string, ids []string) (out []GivenAnswer, err error) {
	r, err := w.reader(ctx, "agent_runs")
	if errcode.Of(err) == errcode.NotFound || len(ids) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	query, args := r.Answered(agent, version, ids)
	err = w.Each(ctx, "reading agent_runs", query, args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, GivenAnswer{r.text(0), r.text(1), r.text(2), int(r.count(3)), r.text(4)})
		return true
	})
	return out, err
}

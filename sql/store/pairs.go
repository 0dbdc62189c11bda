package store

import (
	"context"
	"iter"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Half is the score of a case on one side of a comparison.
type Half struct {
	Score      scoring.Score // without evidence; the status is empty without a score
	Unanswered bool          // not applicable because the agent gave no answer
	RunID      string
	ConfigHash string
	Judge      string // the judge of its run
	Asked      bool   // whether a judge was called for the score
}

// Pair is the number of cases with equal scores of a metric: equal to From on one side and to To on the other.
type Pair struct {
	Metric        string
	From, To      Half
	Gold, Reasons int // 0: unknown, 1: equal on both sides, 2: different
	Cases         int
}

// PairCounts streams the pairs of scores of two sides, sorted by metric.
func (w *Store) PairCounts(ctx context.Context, from, to Latest) iter.Seq2[Pair, error] {
	return rowsWhenRead(ctx, w, func() (Select[Pair], error) {
		q, err := w.pairs(ctx, from, to)
		return q.counts(w.SQL()), err
	})
}

func (w *Store) pairs(ctx context.Context, from, to Latest) (pairsOf, error) {
	there, err := w.columns(ctx, TableNamed("scores"))
	from.withoutGold, to.withoutGold = !there["gold_hash"], !there["gold_hash"]
	return pairsOf{from: from, to: to}, err
}

// SharedCases counts the cases that both sides, only from, and only to have scores of.
func (w *Store) SharedCases(ctx context.Context, from, to Latest) (shared, onlyFrom, onlyTo int, err error) {
	q, err := w.pairs(ctx, from, to)
	if err != nil {
		return 0, 0, 0, err
	}
	n, err := first(ctx, w, q.shared(w.SQL()))
	return n.shared, n.onlyFrom, n.onlyTo, err
}

// CasePair is a case with its scores on both sides. FromStands and ToStands are passed, failed, no_verdict, abstained,
// not_applicable, unanswered, error or absent.
type CasePair struct {
	CaseID               string
	FromStands, ToStands string
	FromValue, ToValue   *float64
	FromLabel, ToLabel   string
	FromReason, ToReason string
}

// CasePairs returns a page of the pairs that a filter selects, the largest regressions first, and the number of all
// selected pairs. A filter by answers needs the table agent_runs (FailedPrecondition).
func (w *Store) CasePairs(ctx context.Context, from, to Latest, f PairFilter) (pairs []CasePair, of int, err error) {
	if f.pairsOf, err = w.pairs(ctx, from, to); err != nil {
		return nil, 0, err
	}
	if f.Answers || f.Scores {
		if f.reader, err = w.reader(ctx, "agent_runs"); errcode.Of(err) == errcode.NotFound {
			return nil, 0, errcode.New(errcode.FailedPrecondition,
				"the answers are not in this database, so whether they changed is not known: %w", err)
		} else if err != nil {
			return nil, 0, err
		}
	}
	n, err := first(ctx, w, f.count(w.SQL()))
	if err != nil {
		return nil, 0, err
	}
	pairs, err = all(ctx, w, f.page(w.SQL()))
	return pairs, n, err
}

// reader returns a reader of a table that users fill, with its missing columns.
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

// GivenAnswer is a distinct answer to a question, with the number of times that it was given.
type GivenAnswer struct {
	CaseID, SQL, Error string
	Times              int
	First              string // the first batch, by ID
}

// AnsweredBy returns the distinct answers that a version of an agent gave to some questions in all of its batches,
// ordered by question and then by frequency. Without the table agent_runs it returns nil.
func (w *Store) AnsweredBy(ctx context.Context, agent, version string, ids []string) (out []GivenAnswer, err error) {
	r, err := w.reader(ctx, "agent_runs")
	if errcode.Of(err) == errcode.NotFound || len(ids) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return all(ctx, w, r.answersGiven(scoring.By{Agent: agent, Version: version}, ids))
}

// answersGiven returns the statement for the distinct answers that a version of an agent gave to some questions in all
// of its batches. Results are compared as text.
func (r Reader) answersGiven(by scoring.By, ids []string) Select[GivenAnswer] {
	p := &arguments{dialect: r.Dialect}
	from := r.expand(" FROM (SELECT {key agent_runs.case_id} AS case_id, {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id, " +
		"{key agent_runs.sql} AS sql, {key agent_runs.result} AS result, {key agent_runs.sql_error} AS sql_error FROM badger.agent_runs) k WHERE agent_name = " + p.add(by.Agent) + " AND agent_version = " + p.add(by.Version) + " AND case_id IN (" + p.list(ids) + ")\nGROUP BY case_id, sql, result, sql_error ORDER BY case_id, 4 DESC, 5")
	return Select[GivenAnswer]{
		What: "reading agent_runs", From: from, Args: p.args,
		Fields: []field[GivenAnswer]{
			{SQL: "case_id", In: func(a *GivenAnswer) any { return &a.CaseID }},
			{SQL: "sql", In: func(a *GivenAnswer) any { return &a.SQL }},
			{SQL: "sql_error", In: func(a *GivenAnswer) any { return &a.Error }},
			{SQL: "COUNT(*) AS answers", In: func(a *GivenAnswer) any { return &a.Times }},
			{SQL: "MIN(batch_id) AS first", In: func(a *GivenAnswer) any { return &a.First }},
		},
	}
}

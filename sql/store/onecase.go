package store

import (
	"context"

	"github.com/badger-eval/badger/scoring"
)

// AnswersOfCase lists whose answers to a question a run scored.
func (w *Store) AnswersOfCase(ctx context.Context, run, caseID string) (out []scoring.AnswerID, err error) {
	err = w.Each(ctx, readingScores, AnswersOfCase(w.SQL()), []any{run, caseID}, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, scoring.AnswerID{CaseID: caseID, By: scoring.By{Agent: r.text(0), Version: r.text(1), Batch: r.text(2)}})
		return true
	})
	return out, err
}

// Results reads the results of all answers to some questions, as agent_runs has them: text, or a
// reference. NotFound if there is no such table.
func (w *Store) Results(ctx context.Context, cases []string, f func(scoring.AnswerID, string)) error {
	q, err := w.query(ctx)
	if err != nil {
		return err
	}
	query := q.Results(&Range{IDs: cases})
	return w.Each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		f(scoring.AnswerID{By: scoring.By{Agent: r.text(0), Version: r.text(1), Batch: r.text(2)}, CaseID: r.text(3)}, r.text(4))
		return true
	})
}

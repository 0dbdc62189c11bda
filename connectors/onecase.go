package connectors

import (
	"context"

	"github.com/badger-eval/badger/scoring"
	badgersql "github.com/badger-eval/badger/sql"
)

// AnswersOfCase lists whose answers to a question a run scored.
func (w *Warehouse) AnswersOfCase(ctx context.Context, run, caseID string) (out []scoring.AnswerID, err error) {
	err = w.each(ctx, readingScores, badgersql.AnswersOfCase(w.dialect), []any{run, caseID}, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, scoring.AnswerID{CaseID: caseID, Agent: r.text(0), Version: r.text(1), Batch: r.text(2)})
		return true
	})
	return out, err
}

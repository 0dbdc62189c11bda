package connectors

import (
	"context"
	"encoding/json"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	badgersql "github.com/badger-eval/badger/sql"
)

// Case reads one answer with its question. The error is NotFound where agent_runs has no such row,
// and that of the row where it cannot be read.
func (w *Warehouse) Case(ctx context.Context, id scoring.AnswerID) (*scoring.Case, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	q.Plain = w.comparesPlainly(ctx, &q)
	query := q.Cases(Filter{}, &badgersql.Range{Agent: id.Agent, Version: id.Version, Batch: id.Batch, First: id.CaseID, Last: id.CaseID})
	var found *Answer
	err = w.each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
		a := answer(t, row)
		found = &a
		return false // as a run does, the first one is taken
	})
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, errcode.New(errcode.NotFound, "badger.agent_runs has no answer to the case %.80q by %s", id.CaseID, id.Of())
	}
	return found.Case, found.Err
}

// CaseScore is a score of one answer with its evidence: the detail is JSON.
type CaseScore struct {
	ScoreRow
	At time.Time // when it was stored; zero where that is not known
}

// CaseScores reads the scores of one answer in a run, by metric.
func (w *Warehouse) CaseScores(ctx context.Context, run string, id scoring.AnswerID) (out []CaseScore, err error) {
	there, err := w.columns(ctx, badgersql.TableNamed("scores"))
	if err != nil {
		return nil, err
	}
	args := []any{run, id.Agent, id.Version, id.Batch, id.CaseID}
	var wrong error
	err = w.each(ctx, readingScores, badgersql.ScoresOfAnswer(w.dialect, !there["gold_hash"]), args, func(t *scoring.Table, row int) bool {
		s := CaseScore{At: instant(t, 16, row)}
		if s.ScoreRow, wrong = scoreRow(t, row); wrong != nil {
			return false
		}
		r := record{t: t, row: row}
		if detail := r.text(13); detail != "" {
			s.Score.Detail = json.RawMessage(detail)
		}
		r.json(14, "scores.assessment_ids", &s.Score.AssessmentIDs)
		s.GoldHash = r.text(15)
		if wrong = r.err; wrong != nil {
			return false
		}
		out = append(out, s)
		return true
	})
	if err == nil {
		err = wrong
	}
	return out, err
}

// AnswersOfCase lists whose answers to a question a run scored.
func (w *Warehouse) AnswersOfCase(ctx context.Context, run, caseID string) (out []scoring.AnswerID, err error) {
	err = w.each(ctx, readingScores, badgersql.AnswersOfCase(w.dialect), []any{run, caseID}, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, scoring.AnswerID{CaseID: caseID, Agent: r.text(0), Version: r.text(1), Batch: r.text(2)})
		return true
	})
	return out, err
}

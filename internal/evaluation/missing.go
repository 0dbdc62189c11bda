package evaluation

import (
	"context"
	"slices"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/scoring"
)

// recordMissing stores scores for the questions of the golden set without an answer: not applicable, except for
// metrics about the question. So the run records what was asked, even if the golden set changes later. It does
// nothing for a case file.
func (e *Run) recordMissing(ctx context.Context, r *batch.Runner, ledger batch.Ledger) error {
	s, ok := e.Source.(*cases.Warehouse)
	if !ok {
		return nil // each line of a case file is an answer
	}
	questions, err := s.Tables.Questions(ctx, s.Filter)
	if err != nil {
		return err
	}
	metrics, err := r.Selection()
	if err != nil {
		return err
	}
	for some := range slices.Chunk(e.Summary.report.Unanswered(questions), lookedUp) {
		ids := make([]string, len(some))
		for i := range some {
			ids[i] = some[i].CaseID
		}
		known, err := s.Tables.WholeQuestions(ctx, s.Filter, ids)
		if err != nil {
			return err
		}
		var rows, changed []scoring.Row
		for i := range some {
			of := scoring.AnswerID{CaseID: some[i].CaseID, By: some[i].By}
			scores, err := e.Engine.ScoreQuestion(ctx, known[of.CaseID], metrics, scoring.NotApplicable(scoring.NoAnswer))
			if err != nil {
				return err
			}
			gold := ""
			// an accepted query that is run gives the question a result
			if c := known[of.CaseID]; c != nil && e.Execution == nil {
				gold = c.GoldHash()
			}
			first := len(rows)
			for k := range scores {
				rows = append(rows, scoring.Row{AnswerID: of, Score: scores[k], GoldHash: gold})
			}
			if before, is := e.absent[of]; !is || before != e.sumOf(rows[first:]) { // else the time of the scores stays, too
				changed = append(changed, rows[first:]...)
			}
			delete(e.absent, of)
		}
		if len(changed) > 0 {
			if err := ledger.Append(ctx, e.ID, changed); err != nil {
				return err
			}
		}
		for of := range slices.Chunk(rows, len(metrics)) {
			e.unread = append(e.unread, of)
		}
		if err := e.scoredUnread(ctx); err != nil {
			return err
		}
	}
	return e.removeAbsent(ctx, ledger)
}

// lookedUp is the number of questions in one lookup.
const lookedUp = 64

// scoredUnread calls scored for answers that are missing or unreadable, with their questions from the golden set.
func (e *Run) scoredUnread(ctx context.Context) error {
	if len(e.unread) == 0 {
		return nil
	}
	s := e.Source.(*cases.Warehouse) //nolint:forcetypeassert // others have no such answers
	ids := make([]string, len(e.unread))
	for i, rows := range e.unread {
		ids[i] = rows[0].CaseID
	}
	questions, err := s.Tables.QuestionsNamed(ctx, s.Filter, ids)
	if err != nil {
		return err
	}
	for _, rows := range e.unread {
		e.scored(Asked{Question: questions[rows[0].CaseID]}, rows)
	}
	e.unread = nil
	return nil
}

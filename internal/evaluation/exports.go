package evaluation

import (
	"cmp"
	"context"
	"slices"

	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Asked holds the question of an answer. Unknown parts are empty.
type Asked struct {
	store.Question
	Position scoring.Position // in a conversation
}

// questionOf returns the question of a case; zero for nil.
func questionOf(c *scoring.Case) Asked {
	if c == nil {
		return Asked{}
	}
	return Asked{store.Question{Text: c.Question, Tags: c.Tags, TagsErr: c.TagsErr}, c.Agent.Position()}
}

// exportScored writes a scored answer to the exports. For a resumed run it does nothing: Export writes all answers
// with their earlier scores.
func (e *Run) exportScored(q Asked, rows []scoring.Row) {
	if !e.Exports.Any() || e.Resumed {
		return
	}
	scores := make([]scoring.Score, len(rows))
	for i := range rows {
		scores[i] = rows[i].Score
	}
	// as a report reads them
	slices.SortFunc(scores, func(x, y scoring.Score) int { return cmp.Compare(x.Metric, y.Metric) })
	answer := store.ScoredAnswer{AnswerID: rows[0].AnswerID, Question: q.Question, Position: q.Position,
		Spent: rows[0].Spent, Scores: scores}
	e.Exports.Add(export.Of(e.ID, &answer))
}

// Export completes the exports of the run. pages is the address of its report, for the summary.
func (e *Run) Export(ctx context.Context, pages string) error {
	if !e.Exports.Any() {
		return nil
	}
	if e.Resumed {
		for s, err := range e.Warehouse.ScoredAnswers(context.WithoutCancel(ctx), e.of()) {
			if err != nil {
				return err
			}
			e.Exports.Add(export.Of(e.ID, &s))
		}
	}
	return e.Exports.Finish(e.Summary.Figures, export.MarkdownOptions{Run: e.ID, Report: pages, Only: Only(e.Chosen.By)})
}

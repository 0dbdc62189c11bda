package evaluation

import (
	"cmp"
	"context"
	"slices"

	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// questionOf returns the question of a case; zero for nil.
func questionOf(c *scoring.Case) store.Question {
	if c == nil {
		return store.Question{}
	}
	return store.Question{Text: c.Question, Tags: c.Tags, TagsErr: c.TagsErr}
}

// exportScored writes a scored answer to the exports. For a resumed run it does nothing: Export writes all answers
// with their earlier scores.
func (e *Run) exportScored(q store.Question, rows []scoring.Row) {
	if !e.Exports.Any() || e.Resumed {
		return
	}
	scores := make([]scoring.Score, len(rows))
	for i := range rows {
		scores[i] = rows[i].Score
	}
	// as a report reads them
	slices.SortFunc(scores, func(x, y scoring.Score) int { return cmp.Compare(x.Metric, y.Metric) })
	e.Exports.Add(export.Of(e.ID, rows[0].AnswerID, q, scores))
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
			e.Exports.Add(export.Of(e.ID, s.AnswerID, s.Question, s.Scores))
		}
	}
	return e.Exports.Finish(e.Summary.Figures, export.MarkdownOptions{Run: e.ID, Report: pages, Only: Only(e.Chosen.By)})
}

package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/scoring"
)

// checkExports finds exports that a run cannot write.
func (c *runCommand) checkExports() error {
	if c.targets().Any() && c.Resume != "" && c.NoTo {
		return usage("exports with --resume: expected a database, in which the whole run is; leave out --no-to")
	}
	if c.HTML != "" && c.NoTo {
		return usage("--html: expected a database, from which the pages are made; leave out --no-to")
	}
	printed := ""
	if c.JSON {
		printed = "--json"
	}
	return c.targets().Check(printed)
}

// exportScored writes a case that was scored to the exports. Those of a run that goes on are written
// in the end, when its cases are whole.
func (e *evaluation) exportScored(c *scoring.Case, rows []batch.Row) {
	if !e.exports.Any() || e.resumed || len(rows) == 0 {
		return
	}
	scores := make([]scoring.Score, len(rows))
	for i := range rows {
		scores[i] = rows[i].Score
	}
	slices.SortFunc(scores, func(x, y scoring.Score) int { return cmp.Compare(x.Metric, y.Metric) }) // as a report reads them
	var q connectors.Question
	if c != nil {
		q = connectors.Question{Text: c.Question, Dialect: c.Dialect, Tags: c.Tags, TagsErr: c.TagsErr}
		if len(c.Golds) > 0 {
			q.Gold = c.Golds[0].SQL
		}
	}
	e.exports.Add(export.Of(e.run, rows[0].AnswerID, q, scores))
}

// export ends the exports of the run. The summary names the pages.
func (e *evaluation) export(ctx context.Context, pages string) error {
	if !e.exports.Any() {
		return nil
	}
	if e.resumed {
		of := connectors.OfRun{Run: e.run, Agent: e.chosen.Agent, Version: e.chosen.Version, Batch: e.chosen.Batch}
		for s, err := range e.warehouse.ScoredAnswers(context.WithoutCancel(ctx), of) {
			if err != nil {
				return err
			}
			e.exports.Add(export.Of(e.run, s.AnswerID, s.Question, s.Scores))
		}
	}
	return e.exports.Finish(e.summary.figures, export.MarkdownOptions{Run: e.run, Report: pages})
}

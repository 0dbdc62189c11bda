package main

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/scoring"
)

// checkExports finds exports that a run cannot write.
func (c *runCommand) checkExports() error {
	if c.exportFlags.any() && c.Resume != "" && c.NoTo {
		return usage("exports with --resume: expected a database, in which the whole run is; leave out --no-to")
	}
	if c.HTML != "" && c.NoTo {
		return usage("--html: expected a database, from which the pages are made; leave out --no-to")
	}
	printed := ""
	if c.JSON {
		printed = "--json"
	}
	return c.exportFlags.check(printed)
}

// exportScored writes a case that was scored to the exports. Those of a run that goes on are written
// in the end, when its cases are whole.
func (e *evaluation) exportScored(c *scoring.Case, rows []batch.Row) {
	if !e.exports.any() || e.resumed || len(rows) == 0 {
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
	e.exports.add(export.Of(e.run, rows[0].AnswerID, q, scores))
}

// export ends the exports of the run. The summary names the pages.
func (e *evaluation) export(ctx context.Context, pages string) error {
	if !e.exports.any() {
		return nil
	}
	if e.resumed {
		of := connectors.OfRun{Run: e.run, Agent: e.chosen.Agent, Version: e.chosen.Version, Batch: e.chosen.Batch}
		for s, err := range e.warehouse.ScoredAnswers(context.WithoutCancel(ctx), of) {
			if err != nil {
				return err
			}
			e.exports.add(export.Of(e.run, s.AnswerID, s.Question, s.Scores))
		}
	}
	return e.exports.finish(e.summary.figures, export.MarkdownOptions{Run: e.run, Report: pages})
}

// places are the lines of a case file on which the cases stand that are being scored.
type places struct {
	batch.Source
	path string

	mu sync.Mutex
	at map[scoring.AnswerID]int
}

// placed is a source of a file's cases that takes note of their lines.
func placed(s batch.Source, path string) *places {
	return &places{Source: s, path: filepath.ToSlash(filepath.Clean(path)), at: map[scoring.AnswerID]int{}}
}

// placesIn are the lines of all cases of a file. Of a line that names no agent, version or batch it is
// only the case that counts.
func placesIn(ctx context.Context, path string) (*places, error) {
	source, _, err := caseFile("--case-file: ", path, answerFlags{})
	if err != nil {
		return nil, err
	}
	p := placed(source, path)
	for _, err := range p.Cases(ctx) {
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Cases yields the cases of the source.
func (p *places) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for item, err := range p.Source.Cases(ctx) {
			if n, bad := strconv.Atoi(item.Place[strings.LastIndexByte(item.Place, ':')+1:]); err == nil && bad == nil {
				p.mu.Lock()
				p.at[item.AnswerID] = n
				p.mu.Unlock()
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// Copies finds the cases that several lines give.
func (p *places) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	return batch.FindCopies(ctx, p.Source)
}

// Count is the number of cases.
func (p *places) Count(ctx context.Context) (int64, error) {
	if c, ok := p.Source.(batch.Counter); ok {
		return c.Count(ctx)
	}
	return 0, errcode.New(errcode.Unimplemented, "the source does not count its cases")
}

// take is the line of a case, which is forgotten, or that of its question, which stays; the zero value
// where neither is known.
func (p *places) take(id scoring.AnswerID) export.Place {
	if p == nil {
		return export.Place{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n, known := p.at[id]
	if delete(p.at, id); !known {
		n, known = p.at[scoring.AnswerID{CaseID: id.CaseID}]
	}
	if !known {
		return export.Place{}
	}
	return export.Place{File: p.path, Line: n}
}

package udf

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// scoreCase scores a case in the format of case files. The scores have the case's id, but not the agent, its version
// or the batch.
func scoreCase(ctx context.Context, engine *scoring.Engine, data []byte,
	metrics []string) (rows []scoring.Row, err error) {
	reading(ctx, func(ctx context.Context) {
		var cs *scoring.Case
		if cs, err = decodeCase(ctx, data); err == nil {
			var scores []scoring.Score
			scores, err = engine.Score(ctx, cs, metrics...)
			rows = make([]scoring.Row, len(scores))
			for i := range scores {
				rows[i] = scoring.Row{AnswerID: scoring.AnswerID{CaseID: cs.ID}, Score: scores[i]}
				s := &rows[i].Score
				for _, unread := range cs.Unread() {
					if !slices.Contains(s.Warnings, unread) {
						s.Warnings = append(s.Warnings, unread)
					}
				}
			}
		}
	})
	return rows, err
}

// asksJudge reports whether one of the named metrics may ask a judge. Without names it is about the default metrics.
func (l *listing) asksJudge(names []string) bool {
	asks := func(m *scoring.Metric) bool {
		return (m.Needs|m.Reads)&scoring.FieldJudge != 0 || l.engine.AsksJudge(m)
	}
	metrics, err := l.engine.Choose(names, nil)
	return err == nil && slices.ContainsFunc(metrics, asks)
}

// ScoreCase computes the named metrics, or the default ones, for a case in the format of case files. If a judge may
// be asked, it calls the function score_case, whose rows continue after the deadline. Otherwise it uses one of the
// catalogue's workers. It returns all scores or an error: after the deadline Unavailable, whatever d.NullRows is.
func (c *Catalogue) ScoreCase(ctx context.Context, data []byte, metrics []string,
	d Deadline) ([]scoring.Row, error) {
	l := c.current.Load()
	if l.asksJudge(metrics) {
		in := &Batch{Rows: 1, Explain: true, Args: []Column{
			{Type: JSON, Nulls: []bool{false}, Texts: []string{string(data)}},
			{Type: VARCHAR, Nulls: []bool{false}, Texts: []string{strings.Join(metrics, ",")}},
		}}
		out := columnar.New(JSON, 1)
		d.NullRows = false
		err := c.Run(ctx, &l.functions[l.index["score_case"]], in, out, d)
		if err == nil && len(in.Problems) > 0 {
			err = errcode.New(in.Problems[0].Code, "%s", in.Problems[0].Reason)
		}
		return in.scores, err
	}
	within := ctx
	if d.After > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, d.After)
		defer cancel()
	}
	at := &slot{c: c}
	if !at.take(within) {
		return nil, cmp.Or(ctx.Err(), d.late(1, 1, false))
	}
	defer at.leave()
	rows, err := scoreCase(withPlace(within, at), l.engine, data, metrics)
	if ctx.Err() == nil && within.Err() != nil {
		return nil, d.late(1, 1, false)
	}
	return rows, err
}

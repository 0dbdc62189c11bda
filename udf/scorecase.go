package udf

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// scoreCase scores a case in the form of case files. The rows name the case, but not the agent, its version or the
// batch.
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

// asksJudge reports whether one of the metrics may ask a judge; no names are the default ones.
func (l *listing) asksJudge(names []string) bool {
	asks := func(m *scoring.Metric) bool {
		return (m.Needs|m.Reads)&scoring.FieldJudge != 0 || l.engine.AsksJudge(m)
	}
	metrics, err := l.engine.Choose(names, nil)
	return err == nil && slices.ContainsFunc(metrics, asks)
}

// ScoreCase runs the named metrics, or the default ones, on a case in the form of case files. If a judge may be
// asked, the case is a row of the function score_case, which continues when its caller's time is over. Otherwise it
// takes one of the catalogue's workers, and reads references anew each time. The budget is that of [Catalogue.Run].
func (c *Catalogue) ScoreCase(ctx context.Context, data []byte, metrics []string,
	budget time.Duration) ([]scoring.Row, error) {
	l := c.current.Load()
	if l.asksJudge(metrics) {
		in := &Batch{Rows: 1, Explain: true, Args: []Column{
			{Type: JSON, Nulls: []bool{false}, Texts: []string{string(data)}},
			{Type: VARCHAR, Nulls: []bool{false}, Texts: []string{strings.Join(metrics, ",")}},
		}}
		out := columnar.New(JSON, 1)
		err := c.Run(ctx, &l.functions[l.index["score_case"]], in, out, budget)
		if err == nil && len(in.Problems) > 0 {
			err = errcode.New(in.Problems[0].Code, "%s", in.Problems[0].Reason)
		}
		return in.scores, err
	}
	if budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, budget)
		defer cancel()
	}
	at := &slot{c: c}
	if !at.take(ctx) {
		return nil, ctx.Err()
	}
	defer at.leave()
	return scoreCase(withPlace(ctx, at), l.engine, data, metrics)
}

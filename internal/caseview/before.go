package caseview

import (
	"context"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/relation"
)

// Before is an earlier answer to the same question. Its cells are in [Cell.Before] of the later answer's cells.
type Before struct {
	scoring.By
	Run string `json:"eval_run_id,omitempty"`

	Response   string    `json:"response,omitempty"`
	AgentError string    `json:"agent_error,omitempty"`
	SQL        []SQLPart `json:"sql,omitempty"` // formatted; parts that gold lacks are marked
	RawSQL     string    `json:"raw_sql,omitempty"`

	Asked  *Score           `json:"score"` // score of the explained metric; null without one
	Reason *relation.Reason `json:"reason,omitempty"`
	Rows   *RowCounts       `json:"rows,omitempty"` // compared with the same gold result; null if not compared
	Note   string           `json:"note,omitempty"` // why its cells are not compared
}

// earlier sets b.view.Before from o.Before, if any. Its cells are compared only if the question and its gold answers
// are unchanged.
func (b *builder) earlier(ctx context.Context, o Options) error {
	if o.Before == nil {
		return nil
	}
	in := *o.Before
	same := b.gold != nil && in.Case.GoldHash() == b.Input.Case.GoldHash()
	was := Options{Metric: o.Metric, Cells: CellOptions{Rows: 1, Cut: o.Cells.Cut, Rest: o.Cells.Rest}}
	if same {
		was.Gold = b.view.Gold
	}
	of, err := build(ctx, in, was)
	if errcode.Of(err) == errcode.NotFound { // it has no score of the metric
		was.Metric = ""
		of, err = build(ctx, in, was)
	}
	if err != nil {
		return err
	}
	v := of.view
	out := &Before{
		By:  scoring.By{Agent: v.Agent, Version: v.AgentVersion, Batch: v.Batch},
		Run: v.Run, Response: v.Response, AgentError: v.AgentError, SQL: v.Queries.Agent, RawSQL: v.Queries.RawAgent,
		Reason: v.Reason,
	}
	if was.Metric == o.Metric {
		out.Asked = v.Asked
	}
	switch {
	case of.tables == nil && v.AgentError == "":
		out.Note = "No result is stored."
	case of.tables == nil:
	case !same:
		out.Note = "The question or its gold answer has changed since, so that the rows cannot be compared."
	default:
		cells := &Cells{Columns: of.tables.columns()}
		b.besides = of.tables.classify(cells)
		out.Rows = &cells.Rows
	}
	b.view.Before = out
	return nil
}

package store

import (
	"context"

	"github.com/badger-eval/badger/connectors/driver"
)

// Backlog counts what the scheduled evaluation has still to do.
type Backlog struct {
	Answers int64 // without a score of a scheduled metric
	Batches int64 // of these answers
	Failed  int64 // batches of these that the last call could not score
	Alerts  int64 // open ones
}

// Backlog returns the backlog of the schedule, or nil if no call of evaluate has been made.
func (w *Store) Backlog(ctx context.Context) (*Backlog, error) {
	calls, err := first(ctx, w, scheduledCalls())
	if err != nil || calls == 0 {
		return nil, err
	}
	b, err := first(ctx, w, backlogCounts(w.SQL()))
	return &b, err
}

// scheduledCalls returns the statement for the number of rows of schedule that a call leaves: 1 or, before any, 0.
func scheduledCalls() Select[int64] {
	return Select[int64]{What: "reading schedule", Fields: only[int64]("COUNT(*)"),
		From: " FROM badger.schedule WHERE metric = ''"}
}

func backlogCounts(d driver.Dialect) Select[Backlog] {
	return Select[Backlog]{
		What: "reading backlog",
		Fields: []field[Backlog]{
			{SQL: "answers", In: func(b *Backlog) any { return &b.Answers }},
			{SQL: "batches", In: func(b *Backlog) any { return &b.Batches }},
			{SQL: "failed", In: func(b *Backlog) any { return &b.Failed }},
			{SQL: "alerts", In: func(b *Backlog) any { return &b.Alerts }},
		},
		From: `
FROM (SELECT CAST(COALESCE(SUM(answers), 0) AS ` + d.Types[driver.BigInt] + `) AS answers, COUNT(*) AS batches, COUNT(last_error) AS failed
  FROM badger.backlog) b
CROSS JOIN (SELECT COUNT(*) AS alerts FROM badger.alerts WHERE resolved_at IS NULL) a`,
	}
}

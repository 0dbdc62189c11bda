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

	schedules int64
}

// Backlog returns the backlog of the schedule, or nil if no call of evaluate has been made.
func (w *Store) Backlog(ctx context.Context) (*Backlog, error) {
	b, err := first(ctx, w, backlogCounts(w.SQL()))
	if err != nil || b.schedules == 0 {
		return nil, err
	}
	return &b, nil
}

func backlogCounts(d driver.Dialect) Select[Backlog] {
	return Select[Backlog]{
		What: "reading backlog",
		Fields: []field[Backlog]{
			{SQL: "schedules", In: func(b *Backlog) any { return &b.schedules }},
			{SQL: "answers", In: func(b *Backlog) any { return &b.Answers }},
			{SQL: "batches", In: func(b *Backlog) any { return &b.Batches }},
			{SQL: "failed", In: func(b *Backlog) any { return &b.Failed }},
			{SQL: "alerts", In: func(b *Backlog) any { return &b.Alerts }},
		},
		From: `
FROM (SELECT COUNT(*) AS schedules FROM badger.schedule WHERE metric = '') s
CROSS JOIN (SELECT CAST(COALESCE(SUM(answers), 0) AS ` + d.Types[driver.BigInt] + `) AS answers, COUNT(*) AS batches, COUNT(last_error) AS failed
  FROM badger.backlog) b
CROSS JOIN (SELECT COUNT(*) AS alerts FROM badger.alerts WHERE resolved_at IS NULL) a`,
	}
}

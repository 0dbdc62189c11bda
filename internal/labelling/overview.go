package labelling

import (
	"context"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Overview describes a queue in the JSON output of commands.
type Overview struct {
	ID   string `json:"queue_id"`
	Name string `json:"name"`
	Run  string `json:"eval_run_id"`
	scoring.By
	Cases      int64   `json:"cases"`
	Annotators int64   `json:"annotators"`
	Order      string  `json:"order"`
	Seed       int64   `json:"seed"`
	Blind      bool    `json:"blind"`
	Open       bool    `json:"open"`
	Progress   *Counts `json:"progress,omitempty"`
}

// Counts is the progress of a queue in numbers of answers.
type Counts struct {
	Done        int64 `json:"done"`
	Left        int64 `json:"left"`
	Skipped     int64 `json:"skipped"`
	Conflicting int64 `json:"conflicting"`
}

// OverviewOf returns the overview of a queue without its progress.
func OverviewOf(q *Queue) Overview {
	return Overview{
		ID: q.ID, Name: q.Name, Run: q.RunID.ID, By: q.By, Cases: q.Cases, Annotators: q.Annotators, Order: q.Ordering,
		Seed: q.Seed, Blind: q.Blind, Open: q.ClosedAt.IsZero(),
	}
}

// Overviews returns all queues with their progress. It returns an empty list if the warehouse has no tables of
// queues.
func (s *Store) Overviews(ctx context.Context) ([]Overview, error) {
	queues, err := s.Queues(ctx)
	if err != nil && errcode.Of(err) != errcode.NotFound {
		return nil, err
	}
	out := []Overview{}
	for i := range queues {
		progress, err := s.Progress(ctx, &queues[i], "")
		if err != nil {
			return nil, err
		}
		o := OverviewOf(&queues[i])
		o.Progress = &Counts{progress.Done, progress.Left, progress.Skipped, progress.Conflicting}
		out = append(out, o)
	}
	return out, nil
}

package store

import (
	"context"

	"github.com/badger-eval/badger/scoring"
)

// Asked sums up the judge calls for one model and prompt.
type Asked struct {
	Payer, Kind, Backend, Model, Prompt string
	Replies                             int64
	TokensIn, TokensOut                 int64
	Uncounted                           int64    // replies whose tokens are not known
	Latency                             *float64 // mean, in milliseconds; nil if it is not known
}

// Asked sums up the recorded replies of judges, those that a payer such as run:ID asked for, or all
// where it is "".
func (w *Store) Asked(ctx context.Context, payer string) (out []Asked, err error) {
	query, args := askedSQL(w.SQL(), payer)
	err = w.Each(ctx, "reading assessments", query, args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, Asked{
			Payer: r.text(0), Kind: r.text(1), Backend: r.text(2), Model: r.text(3), Prompt: r.text(4), Replies: r.count(5), TokensIn: r.count(6), TokensOut: r.count(7), Uncounted: r.count(8), Latency: float(&r, 9),
		})
		return true
	})
	return out, err
}

// Judged sums up the judge calls of a run's scores in one metric, including cached replies.
type Judged struct {
	Metric              string
	Scores              int64
	Asked               int64 // scores that a judge was asked for
	Calls               int64
	TokensIn, TokensOut int64
	Uncounted           int64 // scores with tokens that are not known
	Failed              int64 // scores that failed although a judge was asked
	Wasted              int64 // their tokens
	Evident             int64 // scores with a value that rest on no reply
	Repaired            int64 // calls that asked again because a reply did not satisfy its schema
	Untold              int64 // scores with several calls that do not tell how many of them were repairs
}

// Judged sums up what a run asked of judges, by metric, of those that asked at all.
func (w *Store) Judged(ctx context.Context, run scoring.RunID) (out []Judged, err error) {
	query, args := judgedSQL(w.SQL(), run)
	err = w.Each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, Judged{r.text(0), r.count(1), r.count(2), r.count(3), r.count(4), r.count(5), r.count(6), r.count(7), r.count(8), r.count(9), r.count(10), r.count(11)})
		return true
	})
	return out, err
}

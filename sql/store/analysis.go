package store

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// ScoredBatch is a batch that has scores.
type ScoredBatch struct {
	scoring.By
	Answered  time.Time // agent_runs.ran_at of its last answer; zero where it is not known
	Evaluated time.Time // when the first run that scored it began; zero where it is not known
	Status    string    // of the last run that scored it; empty if it is not known
	Run       string    // that made all its scores; empty if several did
}

const readingScores = "reading scores"

// ScoredBatches lists the batches that have scores.
func (w *Store) ScoredBatches(ctx context.Context) ([]ScoredBatch, error) {
	answered := map[scoring.By]time.Time{}
	r, err := w.reader(ctx, "agent_runs")
	if err != nil && errcode.Of(err) != errcode.NotFound {
		return nil, err
	}
	if err == nil {
		err := w.Each(ctx, "reading agent_runs", r.AnsweredAt(), nil, func(t *scoring.Table, row int) bool {
			r := record{t: t, row: row}
			answered[scoring.By{Agent: r.text(0), Version: r.text(1), Batch: r.text(2)}] = instant(t, 3, row)
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	var out []ScoredBatch
	err = w.Each(ctx, readingScores, ScoredBatches(), nil, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		b := ScoredBatch{By: scoring.By{Agent: r.text(0), Version: r.text(1), Batch: r.text(2)}, Evaluated: instant(t, 3, row), Status: r.text(4)}
		if first := r.text(5); first == r.text(6) {
			b.Run = first
		}
		b.Answered = answered[b.By]
		out = append(out, b)
		return true
	})
	return out, err
}

// instant returns a time from a cell whose column may be a user's own and of any type: zero for NULL and for a
// value that is not a time.
func instant(t *scoring.Table, column, row int) time.Time {
	return instantOf(t.Columns[column].Value(row))
}

func instantOf(v scoring.Value) time.Time {
	switch v.Type {
	case scoring.Timestamp, scoring.TimestampTZ:
		return time.Unix(v.Int(), int64(v.Nanos())).UTC()
	case scoring.Date:
		return time.Unix(v.Int()*24*60*60, 0).UTC()
	case scoring.String:
		for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", time.DateTime, time.DateOnly} {
			if at, err := time.Parse(layout, v.String()); err == nil {
				return at.UTC()
			}
		}
	}
	return time.Time{}
}

// ScoredMetrics lists the metrics that have scores.
func (w *Store) ScoredMetrics(ctx context.Context) (names []string, err error) {
	err = w.Each(ctx, readingScores, ScoredMetrics(), nil, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		names = append(names, r.text(0))
		return true
	})
	return names, err
}

// LatestScore is a score with its inputs. Its strings are valid until the next one is read.
type LatestScore struct {
	scoring.Row
	Detail     json.RawMessage // nil unless it is asked for
	RunID      string
	ConfigHash string
	Judge      string // who was asked in its run
	Asked      bool   // whether the score rests on a judge's reply
}

// LatestScores streams the latest score of each answer and metric, in any order.
func (w *Store) LatestScores(ctx context.Context, l Latest) iter.Seq2[LatestScore, error] {
	return func(yield func(LatestScore, error) bool) {
		there, err := w.columns(ctx, TableNamed("scores"))
		more := true
		if err == nil {
			l.WithoutGold = !there["gold_hash"]
			query, args := l.Query(w.SQL())
			err = w.Each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
				more = yield(latestScore(t, row), nil)
				return more
			})
		}
		if err != nil && more {
			yield(LatestScore{}, err)
		}
	}
}

func latestScore(t *scoring.Table, row int) LatestScore {
	text := func(c int) string { // no copy: there may be millions of rows
		if v := t.Columns[c].Value(row); !v.IsNull() {
			return v.String()
		}
		return ""
	}
	r := record{t: t, row: row}
	out := LatestScore{ConfigHash: text(12), Judge: text(14), Asked: r.count(15) == 1, RunID: text(16)}
	out.AnswerID = scoring.AnswerID{CaseID: text(0), By: scoring.By{Agent: text(1), Version: text(2), Batch: text(3)}}
	out.GoldHash = text(13)
	out.Score = scoring.Score{Metric: text(4), Version: int(r.count(5)), Status: scoring.Status(text(6)), Label: text(8), Reason: text(10)}
	if v := t.Columns[7].Value(row); !v.IsNull() {
		out.Score.Value = v.Float()
	}
	if v := t.Columns[9].Value(row); !v.IsNull() {
		passed := v.Bool()
		out.Score.Passed = &passed
	}
	if detail := text(11); detail != "" {
		out.Detail = json.RawMessage(detail)
	}
	return out
}

// RunConfigs are the configurations of the runs, as JSON, by the run.
func (w *Store) RunConfigs(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := w.Each(ctx, "reading eval_runs", RunConfigs(), nil, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		if text := r.text(1); text != "" {
			out[r.text(0)] = text
		}
		return true
	})
	return out, err
}

package storedscores

import (
	"context"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/sql/store"
)

// Sentinels returns the verdicts of judges on sentinel cases, the oldest first.
func Sentinels(ctx context.Context, w *store.Store) ([]analysis.SentinelReply, error) {
	rows, err := w.Sentinels(ctx)
	out := make([]analysis.SentinelReply, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = analysis.SentinelReply{Asking: r.Asking, At: r.At.UTC(), Metric: r.Metric,
			Judge: r.Judge.Backend + ":" + r.Judge.Model, AnswerID: r.AnswerID, Prompt: r.Prompt, Question: r.Question,
			Passed: r.Passed, Label: r.Label, Code: r.Code}
		for _, s := range r.Served {
			out[i].Served = append(out[i].Served, analysis.Served(s))
		}
	}
	return out, err
}

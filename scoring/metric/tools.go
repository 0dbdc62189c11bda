package metric

import (
	"context"

	"github.com/badger-eval/badger/scoring"
	cex "github.com/badger-eval/badger/scoring/counterexample"
)

// Tools are dependencies of metrics other than the case. The zero value has none. A metric whose tool is missing
// states this in its score.
type Tools struct {
	Counterexamples cex.Finder // searches small databases on which two queries differ; may be nil
}

// With returns the metrics of [All] with access to tools t.
func With(t Tools) []scoring.Metric {
	all := All()
	if t.Counterexamples == nil {
		return all
	}
	for i := range all {
		score := all[i].Score
		all[i].Score = func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
			scoring.Memo(in, toolsKey{}, func() Tools { return t })
			return score(ctx, in)
		}
	}
	return all
}

type toolsKey struct{}

// toolsOf returns the tools that [With] gave the metric; the zero value if it gave none.
func toolsOf(in *scoring.Input) Tools {
	return scoring.Memo(in, toolsKey{}, func() Tools { return Tools{} })
}

package evaluation

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
)

// Drops compares each batch of the run with the one before it, and writes whether the gates are reached.
func (e *Run) Drops(ctx context.Context, gates []gate.Drop) (reached bool, err error) {
	if len(gates) == 0 {
		return true, nil
	}
	set := analysis.NewSet(e.Engine.Metrics())
	src := storedscores.In(e.Warehouse)
	batches, err := src.Batches(ctx)
	if err != nil {
		return false, err
	}
	analysis.Sort(batches)
	var metrics []string
	for _, g := range gates {
		metrics = append(metrics, g.Metric)
	}
	reached = true
	for i := range batches {
		b := &batches[i]
		if e.answers[scoring.RunID{ID: e.ID, By: b.By}] == nil {
			continue
		}
		at := analysis.Before(batches, i)
		if at < 0 {
			fmt.Fprintf(e.Notes, "gate passed: there is no batch before %s to compare it with\n", printable.Text(b.Name()))
			continue
		}
		before, now := set.Answers(batches[at]), set.Answers(*b)
		for k, a := range []*analysis.Answers{before, now} {
			if err := src.Load(ctx, []analysis.Batch{batches[at], *b}[k], metrics, a); err != nil {
				return false, err
			}
		}
		fmt.Fprintf(e.Notes, "%s against %s:\n", printable.Text(b.Name()), printable.Text(batches[at].Name()))
		said, all := analysis.Compare(before, now, analysis.CompareOptions{Metrics: metrics}).Check(gates)
		for _, s := range said {
			fmt.Fprintln(e.Notes, printable.Text(s))
		}
		reached = reached && all
	}
	return reached, nil
}

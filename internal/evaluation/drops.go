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

// Drops compares each batch of the run with its baseline, and writes whether the gates pass. The p-values are those
// that badger trend shows.
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
	accepted, err := src.Accepted(ctx)
	if err != nil {
		return false, err
	}
	there, err := src.Metrics(ctx)
	if err != nil {
		return false, err
	}
	o := analysis.CompareOptions{}
	o.Metrics, _ = analysis.ChooseMetrics(there, nil, gates)
	reached = true
	for i := range batches {
		b := &batches[i]
		if e.answers[scoring.RunID{ID: e.ID, By: b.By}] == nil {
			continue
		}
		at, base := analysis.BaselineOf(batches, accepted, i)
		if at < 0 {
			fmt.Fprintf(e.Notes, "gate passed: %s has no baseline: there is no complete batch before it\n", printable.Text(b.Name()))
			continue
		}
		c, err := analysis.CompareSides(ctx, src, set, batches[at:at+1], batches[i:i+1], o)
		if err != nil {
			return false, err
		}
		fmt.Fprintf(e.Notes, "%s against the baseline %s:\n", printable.Text(b.Name()), printable.Text(base.String()))
		said, all := c.Check(gates)
		for _, s := range said {
			fmt.Fprintln(e.Notes, printable.Text(s))
		}
		reached = reached && all
	}
	return reached, nil
}

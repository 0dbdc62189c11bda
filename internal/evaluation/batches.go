package evaluation

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// ofBaselines holds the batches of a stored run, and what is needed to compare each with its baseline.
type ofBaselines struct {
	src      *storedscores.Warehouse
	set      *analysis.Set
	run      string
	batches  []analysis.Batch // all batches with scores, in the order of time
	accepted analysis.Accepted
	of       []int // indexes of the run's batches in batches
}

// openBaselines returns the batches of a run that match of. primary is the declared primary metric, or "".
func openBaselines(ctx context.Context, w *store.Store, of store.OfRun, primary string) (b *ofBaselines, err error) {
	b = &ofBaselines{src: storedscores.In(w), set: analysis.NewSet(metric.All()), run: of.ID}
	if b.batches, err = b.src.Batches(ctx); err != nil {
		return nil, err
	}
	analysis.Sort(b.batches)
	if b.accepted, err = analysis.AcceptedFrom(ctx, b.src, b.set, b.batches, primary); err != nil {
		return nil, err
	}
	rows, err := w.Runs(ctx, of.ID)
	for i := range b.batches {
		if slices.ContainsFunc(rows, func(r store.Run) bool { return r.By == b.batches[i].By && r.Matches(of.By) }) {
			b.of = append(b.of, i)
		}
	}
	return b, err
}

// compare compares the run's scores of batch i with its baseline, or with no scores if it has no baseline.
func (b *ofBaselines) compare(ctx context.Context, i int, o analysis.CompareOptions) (*analysis.Comparison, error) {
	from, fromBatch := storedscores.Side{None: true}, analysis.Batch{}
	at, base := analysis.BaselineOf(b.batches, b.accepted, i)
	if at >= 0 {
		from, fromBatch = storedscores.SideOf(b.batches[at]), b.batches[at]
	}
	c, err := b.src.Compare(ctx, b.set, from, storedscores.Side{RunID: scoring.RunID{ID: b.run, By: b.batches[i].By}},
		fromBatch, b.batches[i], o)
	if err != nil {
		return nil, err
	}
	out := c.Comparison // what is remembered is not changed
	out.Baseline = base
	return &out, nil
}

// shownBatches is the maximum number of a run's batches that are compared in its report.
const shownBatches = 12

// Batches returns the latest batches of a stored run, the latest first, with the figures of the primary metric and
// its comparison with the baseline. The latest batch of each agent also has its findings. Batches without scores of
// the metric are omitted.
func Batches(ctx context.Context, w *store.Store, of store.OfRun, primary string) ([]report.BatchOf, error) {
	b, err := openBaselines(ctx, w, of, primary)
	if err != nil {
		return nil, err
	}
	o := analysis.CompareOptions{Metrics: []string{primary}, Primary: primary, Alpha: 0.05}
	var out []report.BatchOf
	seen := map[string]bool{}
	for _, i := range slices.Backward(b.of) {
		if len(out) == shownBatches {
			break
		}
		c, err := b.compare(ctx, i, o)
		if err != nil {
			return nil, err
		}
		if len(c.Changes) == 0 {
			continue
		}
		one := report.BatchOf{Batch: b.batches[i], Figures: c.Changes[0].To}
		if c.Baseline != nil {
			one.Baseline, one.Change, one.Headline, one.Findings = c.Baseline, &c.Changes[0], c.Headline(), c.Findings()
		}
		if agent := b.batches[i].Agent; !seen[agent] {
			seen[agent] = true
			harm, err := analysis.HarmOf(ctx, b.src, b.set, b.batches[i], one.Baseline)
			if err != nil {
				return nil, err
			}
			one.Findings = append(one.Findings, harm...)
			h, err := analysis.NewHistory(ctx, b.src, b.set, analysis.OfAgent(b.batches, i, analysis.HistoryBatches), primary)
			if err != nil {
				return nil, err
			}
			if course := h.Course(o.Alpha, o.Seed); course != nil {
				one.Findings = append(one.Findings, course.Findings...)
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// DropGates are the gates of drops, and the declared primary metric or "".
type DropGates struct {
	Drops   []gate.Drop
	Primary string
}

// Drops compares each batch of a stored run with its baseline, writes to notes whether the gates pass, and reports
// whether all do. A batch without a baseline passes. The p-values are those of badger trend.
func Drops(ctx context.Context, notes io.Writer, w *store.Store, of store.OfRun,
	gates DropGates) (reached bool, err error) {
	if len(gates.Drops) == 0 {
		return true, nil
	}
	b, err := openBaselines(ctx, w, of, gates.Primary)
	if err != nil {
		return false, err
	}
	there, err := b.src.Metrics(ctx)
	if err != nil {
		return false, err
	}
	o, _ := analysis.CompareOptions{Primary: gates.Primary}.Select(b.set, there, gates.Drops)
	reached = true
	for _, i := range b.of {
		c, err := b.compare(ctx, i, o)
		if err != nil {
			return false, err
		}
		name := printable.Text(b.batches[i].Name())
		if c.Baseline == nil {
			fmt.Fprintf(notes, "gate passed: %s has no baseline: no complete batch precedes it\n", name)
			continue
		}
		fmt.Fprintf(notes, "%s against the baseline %s:\n", name, printable.Text(c.Baseline.String()))
		said, all := c.Check(gates.Drops)
		for _, s := range said {
			fmt.Fprintln(notes, printable.Text(s))
		}
		reached = reached && all
	}
	return reached, nil
}

// Drops is [Drops] for the run e.
func (e *Run) Drops(ctx context.Context, gates []gate.Drop) (reached bool, err error) {
	return Drops(ctx, e.Notes, e.Warehouse, e.of(), DropGates{gates, e.Summary.Declared()})
}

// CompareBatches adds the batches of the run with their baselines to the figures of its summary. It does nothing for
// a run that is not stored.
func (e *Run) CompareBatches(ctx context.Context) (err error) {
	if e.Warehouse == nil {
		return nil
	}
	e.Summary.Figures.Batches, err = Batches(ctx, e.Warehouse, e.of(), e.Summary.Figures.Primary)
	return err
}

// of returns the run's id and the pattern of its answers.
func (e *Run) of() store.OfRun { return store.OfRun{RunID: scoring.RunID{ID: e.ID, By: e.Chosen.By}} }

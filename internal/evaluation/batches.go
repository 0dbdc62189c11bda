package evaluation

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

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
	w        *store.Store
	set      *analysis.Set
	run      string
	batches  []analysis.Batch // all batches with scores, in the order of time
	accepted analysis.Accepted
	of       []int                    // indexes of the run's batches in batches
	changed  map[scoring.By]time.Time // when the run last stored a score
}

// openBaselines returns the batches of a run that match of. primary is the declared primary metric, or "".
func openBaselines(ctx context.Context, w *store.Store, of store.OfRun, primary string) (b *ofBaselines, err error) {
	b = &ofBaselines{src: storedscores.In(w), w: w, set: analysis.NewSet(metric.All()), run: of.ID}
	if b.batches, err = b.src.Batches(ctx); err != nil {
		return nil, err
	}
	if b.accepted, err = analysis.AcceptedFrom(ctx, b.src, b.set, b.batches, primary); err != nil {
		return nil, err
	}
	b.accepted.Sort(b.batches)
	if b.changed, err = w.Changed(ctx, of.ID); err != nil {
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

// own returns all batches. Batch i has the scores of the run only.
func (b *ofBaselines) own(i int) []analysis.Batch {
	out := slices.Clone(b.batches)
	out[i].Changed = b.changed[out[i].By]
	return out
}

// compare compares the run's scores of batch i with its baseline, or with no scores if it has no baseline.
func (b *ofBaselines) compare(ctx context.Context, i int, o analysis.CompareOptions) (*analysis.Comparison, error) {
	from, fromBatch := storedscores.Side{None: true}, analysis.Batch{}
	at, base := analysis.BaselineOf(b.own(i), b.accepted, i)
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
// the metric are omitted. earlier is the number of batches beyond shownBatches.
func Batches(ctx context.Context, w *store.Store, of store.OfRun,
	primary string) (out []report.BatchOf, earlier int, err error) {
	b, err := openBaselines(ctx, w, of, primary)
	if err != nil {
		return nil, 0, err
	}
	o := analysis.CompareOptions{Metrics: []string{primary}, Primary: primary, Alpha: 0.05}
	seen := map[string]bool{}
	for k, i := range slices.Backward(b.of) {
		if len(out) == shownBatches {
			earlier = k + 1
			break
		}
		c, err := b.compare(ctx, i, o)
		if err != nil {
			return nil, 0, err
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
				return nil, 0, err
			}
			one.Findings = append(one.Findings, harm...)
			h, err := b.history(ctx, i, primary)
			if err != nil {
				return nil, 0, err
			}
			if course := h.Course(o.Alpha, 0); course != nil {
				one.Findings = append(one.Findings, course.Findings...)
			}
		}
		out = append(out, one)
	}
	return out, earlier, nil
}

// DropGates are the gates of drops, and the declared primary metric or "".
type DropGates struct {
	Drops   []gate.Drop
	Decline bool // also fail if the primary metric declines over the batches
	Primary string
}

// Drops compares the latest batch of each agent in a stored run with its baseline, writes to notes whether the gates
// pass, and reports whether all do. Earlier batches of the run have no gate. A batch without a baseline passes,
// unless one of its agent is accepted, see [analysis.NoBaseline]. The p-values are those of badger trend.
func Drops(ctx context.Context, notes io.Writer, w *store.Store, of store.OfRun,
	gates DropGates) (reached bool, err error) {
	if len(gates.Drops) == 0 && !gates.Decline {
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
	if len(b.of) == 0 {
		fmt.Fprintln(notes, gate.Line(false, "the run has no scores"))
		return false, nil
	}
	reached = true
	decided := map[string]bool{}
	for _, i := range slices.Backward(b.of) {
		agent := b.batches[i].Agent
		if decided[agent] {
			continue
		}
		decided[agent] = true
		all, err := b.drop(ctx, notes, i, o, gates)
		if err != nil {
			return false, err
		}
		reached = reached && all
	}
	if n := len(b.of) - len(decided); n > 0 {
		fmt.Fprintf(notes, "the gate decides by the newest batch of each agent; %s of the run %s no gate\n",
			printable.Count(n, "earlier batch"), printable.Verb(n, "has", "have"))
	}
	return reached, nil
}

// drop writes whether batch i passes the gates, and reports whether it does.
func (b *ofBaselines) drop(ctx context.Context, notes io.Writer, i int, o analysis.CompareOptions,
	gates DropGates) (reached bool, err error) {
	c, err := b.compare(ctx, i, o)
	if err != nil {
		return false, err
	}
	reached = true
	say := func(said []string, ok bool) {
		for _, s := range said {
			fmt.Fprintln(notes, printable.Text(s))
		}
		reached = reached && ok
	}
	switch {
	case len(gates.Drops) == 0:
	case c.Baseline == nil:
		says, fault := analysis.NoBaseline(b.own(i), b.accepted, i)
		say([]string{gate.Line(!fault, says)}, !fault)
	default:
		if c.Baseline.Replaced == "" {
			fmt.Fprintf(notes, "%s against the baseline %s:\n", printable.Text(b.batches[i].Name()),
				printable.Text(c.Baseline.String()))
		}
		if err := b.name(ctx, c, i, gates.Drops); err != nil {
			return false, err
		}
		say(c.Check(gates.Drops))
	}
	if gates.Decline {
		h, err := b.history(ctx, i, o.Primary)
		if err != nil {
			return false, err
		}
		say(h.CheckDecline(h.Course(0.05, 0)))
	}
	return reached, nil
}

// namedCases is the maximum number of cases of each kind that name sets.
const namedCases = 6

// name sets the ids of the first cases that broke or lost their value between batch i and its baseline, for the gates
// that count them.
func (b *ofBaselines) name(ctx context.Context, c *analysis.Comparison, i int, gates []gate.Drop) error {
	from := storedscores.SideOf(c.Baseline.Batch)
	to := storedscores.Side{RunID: scoring.RunID{ID: b.run, By: b.batches[i].By}}
	c.Changes = slices.Clone(c.Changes) // what is remembered is not changed
	for k := range c.Changes {
		ch := &c.Changes[k]
		counts := func(g gate.Drop) bool { return g.Counts && g.Metric == ch.Metric && ch.Tier == "" }
		if !slices.ContainsFunc(gates, counts) {
			continue
		}
		find := func(n int, is ...string) (ids []string, err error) {
			if n == 0 {
				return nil, nil
			}
			absent := analysis.StandAbsent.String()
			pairs, _, err := b.w.CasePairs(ctx, from.Latest(ch.Metric), to.Latest(ch.Metric), store.PairFilter{
				LowerIsBetter: ch.LowerIsBetter, Was: []string{analysis.StandPassed.String()}, Is: is,
				Comparable: !slices.Contains(is, absent), Limit: namedCases})
			for _, p := range pairs {
				ids = append(ids, p.CaseID)
			}
			slices.SortFunc(ids, printable.CompareNatural)
			return ids, err
		}
		var err error
		if ch.Broken, err = find(ch.NBroken, analysis.StandFailed.String(), analysis.StandUnanswered.String()); err != nil {
			return err
		}
		ch.Lost = slices.Clone(ch.Lost)
		for l := range ch.Lost {
			if ch.Lost[l].IDs, err = find(ch.Lost[l].Cases, ch.Lost[l].Now); err != nil {
				return err
			}
		}
	}
	return nil
}

// history returns the history of a metric up to batch i.
func (b *ofBaselines) history(ctx context.Context, i int, primary string) (*analysis.History, error) {
	return analysis.NewHistory(ctx, b.src, b.set, analysis.OfAgent(b.batches, i, analysis.HistoryBatches), primary)
}

// Drops is [Drops] for the run e.
func (e *Run) Drops(ctx context.Context, notes io.Writer, gates []gate.Drop,
	decline bool) (reached bool, err error) {
	return Drops(ctx, notes, e.Warehouse, e.of(), DropGates{gates, decline, e.Summary.Declared()})
}

// CompareBatches adds the batches of the run with their baselines to the figures of its summary. It does nothing for
// a run that is not stored.
func (e *Run) CompareBatches(ctx context.Context) (err error) {
	if e.Warehouse == nil {
		return nil
	}
	f := e.Summary.Figures
	if f.Batches, f.EarlierBatches, err = Batches(ctx, e.Warehouse, e.of(), f.Primary); err != nil {
		return err
	}
	f.Spending, err = CompareSpending(ctx, e.Warehouse, e.of(), f.Spending, f.Primary)
	return err
}

// of returns the run's id and the pattern of its answers.
func (e *Run) of() store.OfRun { return store.OfRun{RunID: scoring.RunID{ID: e.ID, By: e.Chosen.By}} }

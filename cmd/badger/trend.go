package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

// dropFlags say what drop of a metric counts.
type dropFlags struct {
	MinDrop    float64  `placeholder:"V" help:"Call a metric degraded or improved only if its mean changed by V or more, such as 0.02."`
	Alpha      float64  `default:"0.05" placeholder:"P" help:"Level of the tests."`
	FailOnDrop []string `placeholder:"M=V" help:"Exit with 1 if the mean of metric M dropped by V or more and the paired test shows it at --alpha, or if it cannot be compared. May be given several times."`
	Seed       uint64   `help:"Seed of the tests and intervals."`
}

func (f *dropFlags) check() error {
	if !(f.Alpha > 0 && f.Alpha <= 1) {
		return usage("--alpha: expected a level above 0 and up to 1, such as 0.05")
	}
	if !(f.MinDrop >= 0) {
		return usage("--min-drop: expected 0 or more")
	}
	_, err := dropGates(f.FailOnDrop)
	return err
}

func (f *dropFlags) tests() analysis.CompareOptions {
	return analysis.CompareOptions{MinDrop: f.MinDrop, Alpha: f.Alpha, Seed: f.Seed}
}

// dropGates reads the gates of --fail-on-drop.
func dropGates(specs []string) (gates []analysis.Gate, err error) {
	bounds, err := gate.ParseBounds("--fail-on-drop", specs)
	if err != nil {
		return nil, err
	}
	for _, b := range bounds {
		if b.Metric == "" || b.Value < 0 {
			return nil, usage("--fail-on-drop: expected METRIC=DROP, such as hybrid_ex=0.05")
		}
		gates = append(gates, analysis.Gate{Metric: b.Metric, Drop: b.Value})
	}
	return gates, nil
}

// gates are the metrics that have scores, and the gates of --fail-on-drop. Metrics are those of
// --metrics. Names without scores are refused.
func (f *dropFlags) gates(ctx context.Context, src *openScores, metrics []string) (there []string, gates []analysis.Gate, err error) {
	if there, err = src.there(ctx, "--metrics", metrics...); err != nil {
		return nil, nil, err
	}
	if gates, err = dropGates(f.FailOnDrop); err != nil {
		return nil, nil, err
	}
	for _, g := range gates {
		if err := checkNames("--fail-on-drop", []string{g.Metric}, there); err != nil {
			return nil, nil, err
		}
	}
	return there, gates, nil
}

// checkDrops prints whether the gates are reached.
func checkDrops(w io.Writer, c *analysis.Comparison, gates []analysis.Gate) error {
	said, reached := c.Check(gates)
	for _, s := range said {
		fmt.Fprintln(w, printable.Text(s))
	}
	if !reached {
		return errGate
	}
	return nil
}

// checkNames refuses metrics that have no scores.
func checkNames(flag string, names, there []string) error {
	for _, n := range names {
		if n != "" && n != "all" && !slices.Contains(there, n) {
			return usage("%s: there are no scores of metric %.60q%s", flag, n, scoring.Suggest(n, there))
		}
	}
	return nil
}

type trendCommand struct {
	scoresFlags
	chosenBatches
	Metrics []string `placeholder:"A,B" help:"Metrics to show, or all. By default those that say most."`
	By      string   `placeholder:"GROUP" enum:",tier" default:"" help:"Also by tier."`
	Last    int      `default:"10" placeholder:"N" help:"Show the last N batches of each metric; 0: all."`
	dropFlags
	JSON bool `help:"Print one JSON document."`
	terminalFlags
}

// Run shows how metrics went over batches.
func (c *trendCommand) Run(ctx context.Context, p process) error {
	if err := c.check(); err != nil {
		return err
	}
	src, err := c.open(ctx, "")
	if err != nil {
		return err
	}
	defer src.close()
	there, gates, err := c.gates(ctx, src, c.Metrics)
	if err != nil {
		return err
	}
	o := analysis.TrendOptions{CompareOptions: c.tests(), Choose: c.choose}
	o.Metrics, o.ByTier = c.Metrics, c.By == "tier"
	for _, g := range gates {
		if len(c.Metrics) > 0 && c.Metrics[0] != "all" && !slices.Contains(c.Metrics, g.Metric) {
			o.Metrics = append(o.Metrics, g.Metric)
		}
	}
	if len(o.Metrics) == 0 && len(gates) > 0 {
		o.Metrics, _ = analysis.ChooseMetrics(there, nil)
		for _, g := range gates {
			if !slices.Contains(o.Metrics, g.Metric) {
				o.Metrics = append(o.Metrics, g.Metric)
			}
		}
	}
	t, err := analysis.NewTrend(ctx, src, src.set, o)
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(p, t)
	} else {
		err = report.RenderTrend(p.stdout, t, c.Last, c.options(p))
	}
	if err != nil || len(gates) == 0 {
		return err
	}
	latest := t.Latest()
	if latest == nil {
		if n := t.Unfinished(); n != "" {
			fmt.Fprintln(p.stderr, "gate failed: "+printable.Text(n))
			return errGate
		}
		fmt.Fprintln(p.stderr, "gate passed: there is no batch before the newest one to compare it with")
		return nil
	}
	return checkDrops(p.stderr, latest, gates)
}

// dropsAreScored checks the gates of --fail-on-drop before anything is scored.
func (c *runCommand) dropsAreScored(metrics []string) error {
	gates, err := dropGates(c.FailOnDrop)
	if err != nil {
		return err
	}
	if len(gates) > 0 && c.NoTo {
		return usage("--fail-on-drop: the batch before is found in the database that the scores go to; leave --no-to out")
	}
	for _, g := range gates {
		if !slices.Contains(metrics, g.Metric) {
			return usage("--fail-on-drop: metric %q is not part of this run", g.Metric)
		}
	}
	return nil
}

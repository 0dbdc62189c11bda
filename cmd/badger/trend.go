package main

import (
	"context"
	"slices"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

// dropFlags set when a drop of a metric counts: its size, and the significance level of the test.
type dropFlags struct {
	MinDrop float64 `least:"0" placeholder:"V" help:"Smallest change that counts (of the share that passed, or of a mean), such as 0.02."`
	Alpha   float64 `least:"0" default:"0.05" placeholder:"P" help:"Significance level of the tests (default ${default})."`
	changeGateFlags
	Seed uint64 `help:"Seed of random choices (default 0)."`
	configuredPrimary
}

func (f *dropFlags) check() error {
	if !(f.Alpha > 0 && f.Alpha <= 1) {
		return usage("--alpha: expected a level above 0 and up to 1, such as 0.05")
	}
	if !(f.MinDrop >= 0) {
		return usage("--min-drop: expected 0 or more")
	}
	_, err := f.changeGates()
	return err
}

func (f *dropFlags) tests() analysis.CompareOptions {
	return analysis.CompareOptions{MinDrop: f.MinDrop, Alpha: f.Alpha, Seed: f.Seed}
}

// gates returns the metrics that have scores, and the gates on its change. A name without scores in metrics (of
// --metrics) or a gate is a usage error.
func (f *dropFlags) gates(ctx context.Context, src *openScores,
	metrics []string) (there []string, gates []gate.Drop, err error) {
	if there, err = src.there(ctx, "--metrics", metrics...); err != nil {
		return nil, nil, err
	}
	if gates, err = f.changeGates(); err != nil {
		return nil, nil, err
	}
	for _, g := range gates {
		if err := checkNames(flagOf(g), []string{g.Metric}, there); err != nil {
			return nil, nil, err
		}
	}
	return there, gates, nil
}

// checkNames returns a usage error that names flag if one of names is not in there, the metrics with scores. The names
// "" and "all" are allowed.
func checkNames(flag string, names, there []string) error {
	for _, n := range names {
		if n != "" && n != "all" && !slices.Contains(there, n) {
			return usage("%s: there are no scores of metric %.60q%s", flag, n, scoring.SuggestOrList(n, append(slices.Clone(there), "all")))
		}
	}
	return nil
}

type trendCommand struct {
	scoresFlags
	chosenBatches
	Metrics []string `placeholder:"A,B" help:"Metrics, such as hybrid_ex,verdict (default the most informative; all for every metric)."`
	By      string   `placeholder:"GROUP" enum:",tier" default:"" help:"Also group the figures (by tier)."`
	Last    int      `least:"0" default:"10" placeholder:"N" help:"Number of latest batches to show for each metric (default ${default}; 0 shows all)."`
	dropFlags
	FailOnDecline bool `help:"Exit with 1 if the primary metric declines over the batches: a trend or a change point for the worse is found."`
	JSON          bool `help:"Print one JSON document."`
	terminalFlags
}

// Run shows metrics over batches, and tests the change from each batch to the next.
func (c *trendCommand) Run(ctx context.Context, p process) error {
	if err := c.check(); err != nil {
		return err
	}
	src, err := c.open(ctx, "")
	if err != nil {
		return err
	}
	defer src.close()
	if err := c.of(ctx, src); err != nil {
		return err
	}
	there, gates, err := c.gates(ctx, src, c.Metrics)
	if err != nil {
		return err
	}
	o := analysis.TrendOptions{CompareOptions: c.tests(), Choose: c.choose, Gates: gates}
	if o.Primary, err = c.read(p, there); err != nil {
		return err
	}
	o.Metrics, o.ByTier = c.Metrics, c.By == "tier"
	t, err := analysis.NewTrend(ctx, src, src.set, o)
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(p, t)
	} else {
		err = report.RenderTrend(p.stdout, t, c.Last, c.options(p))
	}
	if err != nil {
		return err
	}
	said, reached := t.Check(gates, c.FailOnDecline)
	return printGates(p.stderr, said, reached)
}

// dropsAreScored returns a usage error, before anything is scored, if a gate is on the change of a metric that is not
// in metrics, or if --no-to is set with such a gate.
func (c *runCommand) dropsAreScored(metrics []string) error {
	gates, err := c.changeGates()
	if err != nil {
		return err
	}
	if (len(gates) > 0 || c.FailOnDecline) && c.NoTo {
		return usage("--fail-on-drop, --max-broken, --fail-on-decline: the baseline is found in the database that the scores go to; leave --no-to out")
	}
	for _, g := range gates {
		if !slices.Contains(metrics, g.Metric) {
			return usage("%s: metric %q is not part of this run%s", flagOf(g), g.Metric,
				scoring.SuggestOrList(g.Metric, metrics))
		}
	}
	return nil
}

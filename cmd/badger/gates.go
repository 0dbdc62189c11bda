package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// gateFlags set the least values that the metrics of a run must reach.
type gateFlags struct {
	FailUnder   []string `placeholder:"M=V" help:"Exit with 1 if M is below V (mean of a metric, or above V if lower is better; repeatable). Failed and unanswered cases count as 0."`
	MinCoverage []string `placeholder:"[M=]C" help:"Exit with 1 if a gated metric has values for less than this share of its cases ([M=] limits it to one metric). Without it, abstained cases count as 0."`
}

// gates returns the gates of the flags and of config; flags take precedence. See [gate.Read] for metrics and of.
func (f *gateFlags) gates(config gate.Specs, metrics []string, of string) ([]gate.Gate, error) {
	gates, err := gate.Read(config, gate.Specs(*f), metrics, of)
	if unknown := (*gate.UnknownMetric)(nil); errors.As(err, &unknown) {
		return nil, usage("%w%s", err, scoring.SuggestOrList(unknown.Metric, metrics))
	}
	return gates, err
}

// printGates prints the messages about gates. It returns errGate unless reached is set.
func printGates(w io.Writer, said []string, reached bool) error {
	for _, s := range said {
		fmt.Fprintln(w, printable.Text(s))
	}
	if !reached {
		return errGate
	}
	return nil
}

// changeGateFlags are gates on the change against the baseline.
type changeGateFlags struct {
	FailOnDrop []string `placeholder:"M=V" help:"Exit with 1 if M dropped by V or more against the baseline and more than chance (share that passed, or mean; repeatable). Scores that cannot be compared also fail."`
	MaxBroken  []string `placeholder:"M=N" help:"Exit with 1 if more than N cases that passed M in the baseline do not pass now, by chance or not (repeatable). Scores that cannot be compared also fail."`
}

// changeGates returns the gates of the flags. A drop above 1 of a metric whose share of passed answers is compared is a
// usage error, and so is a number of cases of a metric that none passes.
func (f *changeGateFlags) changeGates() ([]gate.Drop, error) {
	drops, err := gate.ReadDrops(f.FailOnDrop)
	if err != nil {
		return nil, err
	}
	broken, err := gate.ReadBroken(f.MaxBroken)
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(drops, broken) {
		for _, m := range metric.All() {
			switch {
			case m.Name != d.Metric:
			case m.Threshold != nil && d.Drop > 1:
				return nil, usage("--fail-on-drop: %s=%g: a share drops by at most 1; expected a fraction, such as %s=0.05",
					d.Metric, d.Drop, d.Metric)
			case m.Threshold == nil && d.Counts:
				return nil, usage("--max-broken: %s has no threshold that a case passes; expected a metric such as hybrid_ex",
					d.Metric)
			}
		}
	}
	return append(drops, broken...), nil
}

// flagOf returns the flag that sets a gate.
func flagOf(g gate.Drop) string {
	if g.Counts {
		return "--max-broken"
	}
	return "--fail-on-drop"
}

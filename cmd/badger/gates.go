package main

import (
	"fmt"
	"io"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/metric"
)

// gateFlags set the least values that the metrics of a run must reach.
type gateFlags struct {
	FailUnder   []string `placeholder:"M=V" help:"Exit with 1 if M is below V (mean of a metric, or above V if lower is better; repeatable). Failed and unanswered cases count as 0."`
	MinCoverage []string `placeholder:"[M=]C" help:"Exit with 1 if a gated metric has values for less than this share of its cases ([M=] limits it to one metric). Without it, abstained cases count as 0."`
}

// gates returns the gates of the flags and of config; flags take precedence. See [gate.Read] for metrics and of.
func (f *gateFlags) gates(config gate.Specs, metrics []string, of string) ([]gate.Gate, error) {
	return gate.Read(config, gate.Specs(*f), metrics, of)
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

// readDrops parses the values of --fail-on-drop. A drop above 1 of a metric whose share of passed answers is compared
// is a usage error.
func readDrops(specs []string) ([]gate.Drop, error) {
	drops, err := gate.ReadDrops(specs)
	for _, d := range drops {
		for _, m := range metric.All() {
			if m.Name == d.Metric && m.Threshold != nil && d.Drop > 1 {
				return nil, usage("--fail-on-drop: %s=%g: a share drops by at most 1; expected a fraction, such as %s=0.05",
					d.Metric, d.Drop, d.Metric)
			}
		}
	}
	return drops, err
}

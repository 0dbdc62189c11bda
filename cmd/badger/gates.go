package main

import (
	"fmt"
	"io"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
)

// gateFlags are the gates that a run must pass.
type gateFlags struct {
	FailUnder   []string `placeholder:"M=V" help:"Exit with 1 if M is below V (mean of a metric, or above V if lower is better; repeatable). Failed and unanswered cases count as 0."`
	MinCoverage []string `placeholder:"[M=]C" help:"Exit with 1 if a gated metric has values for less than this share of its cases ([M=] limits it to one metric). Without it, abstained cases count as 0."`
}

// gates reads the flags over the configuration, see [gate.Read].
func (f *gateFlags) gates(config gate.Specs, metrics []string, of string) ([]gate.Gate, error) {
	return gate.Read(config, gate.Specs(*f), metrics, of)
}

// printGates prints the messages about gates. It returns errGate if one failed.
func printGates(w io.Writer, said []string, reached bool) error {
	for _, s := range said {
		fmt.Fprintln(w, printable.Text(s))
	}
	if !reached {
		return errGate
	}
	return nil
}

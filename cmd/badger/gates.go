package main

import (
	"fmt"
	"io"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
)

// gateFlags are what a run must reach.
type gateFlags struct {
	FailUnder   []string `placeholder:"M=V" help:"Exit with 1 if the mean of metric M is below V, or above it where less is better, for any version of an agent. Cases that failed and cases without an answer count as 0. May be given several times."`
	MinCoverage []string `placeholder:"[M=]C" help:"Leave abstained cases out of the gates, and exit with 1 if fewer than this share of the cases that a metric applies to have a value, such as 0.9. Without it abstained cases count as 0. M=C is of metric M alone."`
}

// gates reads the flags over the configuration, see [gate.Read].
func (f *gateFlags) gates(config gate.Specs, metrics []string, of string) ([]gate.Gate, error) {
	return gate.Read(config, gate.Specs(*f), metrics, of)
}

// tellGates prints what is said of gates, and is errGate where one was not reached.
func tellGates(w io.Writer, said []string, reached bool) error {
	for _, s := range said {
		fmt.Fprintln(w, printable.Text(s))
	}
	if !reached {
		return errGate
	}
	return nil
}

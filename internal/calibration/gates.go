package calibration

import (
	"fmt"
	"slices"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
)

// enough is the default minimum coverage for a gate of kappa: the share of cases with a verdict among the labelled
// ones that the metric applies to.
const enough = 0.8

// Check describes for each gate whether it passes, and reports whether all do. A gate passes if the kappa of its
// metric, which must be in the report, is at least g.Least, and the coverage at least g.Coverage, by default 0.8. An
// undefined kappa or coverage fails.
func (r *Report) Check(gates []gate.Gate) (said []string, reached bool) {
	reached = true
	for _, g := range gates {
		m := &r.Metrics[slices.IndexFunc(r.Metrics, func(m Result) bool { return m.Key == g.Metric })]
		least := enough
		if g.Coverage != nil {
			least = *g.Coverage
		}
		why := fmt.Sprintf("kappa of %s is not defined (%s)", g.Metric, m.Kappa.Why)
		ok := m.Coverage.Defined && gate.Reached(m.Coverage.Value, least)
		if m.Kappa.Defined {
			why = fmt.Sprintf("kappa of %s is %.4f over %d of %s", g.Metric, m.Kappa.Value, m.N(),
				printable.Count(m.Of, "labelled case"))
		}
		if g.Least != nil {
			why += fmt.Sprintf(", expected at least %g", *g.Least)
			ok = ok && m.Kappa.Defined && gate.Reached(m.Kappa.Value, *g.Least)
		}
		if m.Coverage.Defined && !gate.Reached(m.Coverage.Value, least) {
			why += fmt.Sprintf("; %.1f%% of the cases it applies to have a verdict, expected at least %g%% (--min-coverage)",
				100*m.Coverage.Value, 100*least)
		}
		said, reached = append(said, gate.Line(ok, why)), reached && ok
	}
	return said, reached
}

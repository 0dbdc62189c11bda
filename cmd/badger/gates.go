package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/amount"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
)

// gateFlags are what a run must reach.
type gateFlags struct {
	FailUnder   []string `placeholder:"M=V" help:"Exit with 1 if the mean of metric M is below V, or above it where less is better, for any version of an agent. Cases that failed and cases without an answer count as 0. May be given several times."`
	MinCoverage []string `placeholder:"[M=]C" help:"Leave abstained cases out of the gates, and exit with 1 if fewer than this share of the cases that a metric applies to have a value, such as 0.9. Without it abstained cases count as 0. M=C is of metric M alone."`
}

// gate is what one metric must reach.
type gate struct {
	metric   string
	least    *float64 // the mean; nil: any
	coverage *float64 // the share of cases with a value; nil: any, and abstained cases count as 0
}

type gates []gate

// gates reads the flags over the configuration. Metrics are those that can be gated, nil where that
// is not known yet; of is what they are part of.
func (f *gateFlags) gates(config gatesConfig, metrics []string, of string) (gates, error) {
	under, err := parseBounds("gates.fail_under", config.FailUnder)
	if err != nil {
		return nil, err
	}
	flags, err := parseBounds("--fail-under", f.FailUnder)
	if err != nil {
		return nil, err
	}
	under = over(under, flags)
	coverage, err := parseBounds("gates.min_coverage", config.MinCoverage)
	if err != nil {
		return nil, err
	}
	if flags, err = parseBounds("--min-coverage", f.MinCoverage); err != nil {
		return nil, err
	}
	coverage = over(coverage, flags)
	var out gates
	for _, b := range under {
		if b.metric == "" {
			return nil, usage("--fail-under: expected METRIC=NUMBER, such as hybrid_ex=0.9")
		}
		out = append(out, gate{metric: b.metric, least: &b.value})
	}
	for _, named := range []bool{false, true} { // a bound of one metric counts for it in place of the one of all
		for _, b := range coverage {
			if (b.metric != "") != named {
				continue
			}
			if b.value < 0 || b.value > 1 {
				return nil, usage("--min-coverage: expected a share from 0 to 1, such as 0.9 or verdict=0.5")
			}
			found := false
			for i := range out {
				if !named || out[i].metric == b.metric {
					out[i].coverage, found = &b.value, true
				}
			}
			switch {
			case found:
			case named:
				out = append(out, gate{metric: b.metric, coverage: &b.value})
			case len(f.MinCoverage) > 0:
				return nil, usage("--min-coverage: there is no gate; name a metric, such as verdict=0.5, or add --fail-under")
			}
		}
	}
	for _, g := range out {
		if metrics != nil && !slices.Contains(metrics, g.metric) {
			return nil, usage("--fail-under, --min-coverage: metric %q is not part of %s", g.metric, of)
		}
	}
	return out, nil
}

// bound is METRIC=NUMBER, or a number for all metrics.
type bound struct {
	metric string
	value  float64
}

func parseBounds(what string, specs []string) ([]bound, error) {
	var out []bound
	for _, s := range specs {
		name, value, named := strings.Cut(s, "=")
		if !named {
			name, value = "", s
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		name = strings.TrimSpace(name)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || named && name == "" {
			return nil, usage("%s: expected METRIC=NUMBER, such as hybrid_ex=0.9", what)
		}
		out = append(out, bound{name, v})
	}
	return out, nil
}

// over is the bounds of the configuration, but for the metrics that flags bound.
func over(config, flags []bound) []bound {
	kept := slices.DeleteFunc(config, func(c bound) bool {
		return slices.ContainsFunc(flags, func(f bound) bool { return f.metric == c.metric || f.metric == "" })
	})
	return append(kept, flags...)
}

// check tells whether every gate was reached, and prints a line for each. Each version of an agent
// must reach it by itself: a good one must not make up for a bad one.
func (g gates) check(f *report.Figures, w io.Writer) error {
	missed := false
	say := func(said string, reached bool) {
		fmt.Fprintf(w, "gate %s: %s\n", gateWord(reached), said)
		missed = missed || !reached
	}
	for _, gate := range g {
		i := slices.IndexFunc(f.Metrics, func(m report.Metric) bool { return m.Name == gate.metric })
		if i < 0 || len(f.Metrics[i].Rates) == 0 {
			say(gate.judge("", 0, &report.Coverage{}, false))
			continue
		}
		m := &f.Metrics[i]
		for k := range m.Rates {
			r, of := &m.Rates[k], ""
			if len(m.Rates) > 1 {
				of = " of " + printable.Text(r.Agent.Shown())
			}
			say(gate.judge(of, r.Sum, &r.Coverage, m.LowerIsBetter))
		}
	}
	if missed {
		return errGate
	}
	return nil
}

func gateWord(reached bool) string {
	if reached {
		return "passed"
	}
	return "failed"
}

// rounding is how far below its bound a mean may be: what adding many values in doubles may lose.
const rounding = 1e-9

// judge tells whether the gate is reached, and why. Of names the agent where there are several.
func (g *gate) judge(of string, sum float64, c *report.Coverage, lower bool) (said string, reached bool) {
	if c.Scored == 0 {
		return g.metric + of + " has no score" + g.wanted(lower) + because(c, nil), false
	}
	counted := c.Scored + c.Failed + c.Unanswered
	zero := []string{}
	if g.coverage == nil {
		counted += c.Abstained
		zero = append(zero, "abstained")
	}
	zero = append(zero, "failed", "unanswered")
	least := 0.0
	switch {
	case g.coverage != nil:
		least = *g.coverage
	case lower: // no value stands for a case without one: each must have one
		least = 1
	}
	if lower {
		counted, zero = c.Scored, nil
	}
	mean, share := sum/float64(counted), float64(c.Scored)/float64(c.AppliesTo)
	reached = share+rounding >= least
	if g.least != nil {
		above := mean - *g.least
		if lower {
			above = -above
		}
		reached = reached && above >= -rounding
	}
	said = fmt.Sprintf("%s is %.4f over %d of %s", g.metric+of, mean, counted, amount.Of(c.Asked, "case")) + g.wanted(lower)
	if least > 0 {
		said += fmt.Sprintf("; %.1f%% of the cases it applies to have a value, want at least %g%%", 100*share, 100*least)
	}
	return said + because(c, zero), reached
}

func (g *gate) wanted(lower bool) string {
	switch {
	case g.least == nil:
		return ""
	case lower:
		return fmt.Sprintf(", want at most %g", *g.least)
	}
	return fmt.Sprintf(", want at least %g", *g.least)
}

// because lists the cases without a value, those first that count as 0.
func because(c *report.Coverage, zero []string) string {
	var counts, others []string
	for _, part := range []struct {
		what string
		n    int
	}{{"abstained", c.Abstained}, {"failed", c.Failed}, {"unanswered", c.Unanswered}} {
		switch text := fmt.Sprintf("%d %s", part.n, part.what); {
		case part.n == 0:
		case slices.Contains(zero, part.what):
			counts = append(counts, text)
		default:
			others = append(others, text)
		}
	}
	if len(counts) > 0 {
		verb := " count as 0"
		if len(counts) == 1 && strings.HasPrefix(counts[0], "1 ") {
			verb = " counts as 0"
		}
		counts = []string{strings.Join(counts, " and ") + verb}
	}
	if c.NotApplicable > 0 {
		text := fmt.Sprintf("%d not applicable", c.NotApplicable)
		if len(c.Reasons) > 0 {
			text += ": " + c.Reasons[0].Reason
		}
		others = append(others, text)
	}
	if list := append(counts, others...); len(list) > 0 {
		return " (" + strings.Join(list, "; ") + ")"
	}
	return ""
}

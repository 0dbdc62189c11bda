package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Check reports whether every gate is reached by the mean of its metric, and returns a line for each. Each agent
// version must reach it. Failed, unanswered and, without a gate on the coverage, abstained cases count as 0. If lower
// is better, means are of cases with a value, and without a gate on the coverage each case that the metric applies to
// must have one. Cases without the gold that the metric needs have no value for a gate on the coverage, although the
// metric does not apply to them: a gate on fewer cases than were meant must not pass unseen. A metric without scores
// fails its gate.
func (f *Figures) Check(gates []gate.Gate) (said []string, reached bool) {
	reached = true
	say := func(why string, ok bool) {
		said, reached = append(said, gate.Line(ok, why)), reached && ok
	}
	for i := range gates {
		g := &gates[i]
		at := slices.IndexFunc(f.Metrics, func(m Metric) bool { return m.Name == g.Metric })
		if at < 0 || len(f.Metrics[at].Rates) == 0 {
			say(judge(g, "", 0, &Coverage{}, false))
			continue
		}
		m := &f.Metrics[at]
		for k := range m.Rates {
			r, of := &m.Rates[k], ""
			if len(m.Rates) > 1 {
				of = " of " + printable.Text(r.Agent.Shown())
			}
			say(judge(g, of, r.Sum, &r.Coverage, m.LowerIsBetter))
		}
	}
	return said, reached
}

// judge reports whether an agent version reaches gate g, with a sentence. of names the agent version if there are
// several; sum is the sum of its values.
func judge(g *gate.Gate, of string, sum float64, c *Coverage, lower bool) (said string, reached bool) {
	if c.Scored == 0 {
		return g.Metric + of + " has no score" + wanted(g, lower) + because(c, nil), false
	}
	counted := c.Scored + c.Failed + c.Unanswered
	zero := []string{}
	if g.Coverage == nil {
		counted += c.Abstained
		zero = append(zero, "abstained")
	}
	zero = append(zero, "failed", "unanswered")
	least := 0.0
	switch {
	case g.Coverage != nil:
		least = *g.Coverage
	case lower: // a case without a value cannot be counted as 0: each must have one
		least = 1
	}
	if lower {
		counted, zero = c.Scored, nil
	}
	owing, applies := c.AppliesTo, "it applies to"
	if lacking := c.noGold(); g.Coverage != nil && lacking > 0 {
		owing, applies = owing+lacking, "it applies to or that lack gold"
	}
	mean, share := sum/float64(counted), float64(c.Scored)/float64(owing)
	enough, covered := true, gate.Reached(share, least)
	if g.Least != nil {
		above := mean - *g.Least
		if lower {
			above = -above
		}
		enough = gate.Reached(above, 0)
	}
	value := fmt.Sprintf(" is %.4f over %d of %s", mean, counted, printable.Count(c.Asked, "case")) + wanted(g, lower)
	coverage := fmt.Sprintf("%.1f%% of the cases %s have a value, expected at least %g%%", 100*share, applies, 100*least)
	switch {
	case enough && !covered: // what failed comes first
		said = g.Metric + of + " has too few values: " + coverage + "; it" + value
		if g.Least != nil {
			said += ", which is reached"
		}
	case least > 0:
		said = g.Metric + of + value + "; " + coverage
	default:
		said = g.Metric + of + value
	}
	return said + because(c, zero), enough && covered
}

// wanted returns the gate's requirement on the mean, or "" if it has none.
func wanted(g *gate.Gate, lower bool) string {
	switch {
	case g.Least == nil:
		return ""
	case lower:
		return fmt.Sprintf(", expected at most %g", *g.Least)
	}
	return fmt.Sprintf(", expected at least %g", *g.Least)
}

// because returns the numbers of cases without a value in parentheses, or "". Those in zero, which count as 0, come
// first.
func because(c *Coverage, zero []string) string {
	var counts, others []string
	for _, part := range []struct {
		what, text string
		n          int
	}{{"abstained", "abstained", c.Abstained}, {"failed", "with a scoring error", c.Failed},
		{"unanswered", "unanswered", c.Unanswered}} {
		switch text := fmt.Sprintf("%d %s", part.n, part.text); {
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
	lacking := c.noGold()
	for _, part := range []struct {
		what string
		n    int
		is   bool
	}{{"without gold", lacking, true}, {"not applicable", c.NotApplicable - lacking, false}} {
		if part.n == 0 {
			continue
		}
		text := fmt.Sprintf("%d %s", part.n, part.what)
		if i := slices.IndexFunc(c.Reasons, func(r Reason) bool { return isNoGold(r.Reason) == part.is }); i >= 0 {
			text += ": " + c.Reasons[i].Reason
		}
		others = append(others, text)
	}
	if list := append(counts, others...); len(list) > 0 {
		return " (" + strings.Join(list, "; ") + ")"
	}
	return ""
}

func isNoGold(reason string) bool { return slices.Contains(scoring.NoGoldReasons(), reason) }

// noGold returns the number of cases without the gold that the metric needs.
func (c *Coverage) noGold() (n int) {
	for _, r := range c.Reasons {
		if isNoGold(r.Reason) {
			n += r.N
		}
	}
	return n
}

// GateResult is the result of a gate, with the message about it.
type GateResult struct {
	Passed bool   `json:"passed"`
	Text   string `json:"text"`
}

// GateLines returns the results in messages about gates, see [gate.Line]. Other lines are left out.
func GateLines(said string) (out []GateResult) {
	for l := range strings.Lines(said) {
		l = strings.TrimSuffix(l, "\n")
		switch {
		case strings.HasPrefix(l, gate.Line(true, "")):
			out = append(out, GateResult{true, l})
		case strings.HasPrefix(l, gate.Line(false, "")):
			out = append(out, GateResult{false, l})
		}
	}
	return out
}

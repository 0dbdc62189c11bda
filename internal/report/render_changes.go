package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
)

// changesCount explains the columns of the table of changes, two of them with the names of this terminal.
const changesCount = "cases: compared, of those asked; a missing answer counts as 0 and does not pass. mean: its change. %s: cases with a better value, %s: with a worse one. " +
	"passed: change of the pass rate in points. p and the 95 %% CI are of the change of that share (McNemar's exact test), or of the mean if the metric has no verdicts. " +
	"p of the first metric is not adjusted; p of the others is adjusted among them (Holm). Below 0.05 is more than chance."

func (v *view) changes() {
	for _, c := range v.Changes {
		if len(c.Metrics) == 0 {
			continue
		}
		v.title("Changes", fmt.Sprintf("%s %s %s, on the cases that both were asked", v.name(c.From), v.arrow, v.name(c.To)))
		var g grid
		g.words("metric", 22)
		g.number("cases").drop = 1
		g.number("mean")
		g.number("passed")
		g.number(v.up)
		g.number(v.down)
		g.number("p")
		g.column("")
		g.column("95 % CI").drop = 2
		for i := range c.Metrics {
			if m := &c.Metrics[i]; !v.isPart(m.Metric) {
				g.add(v.changeRow(m)...)
			}
		}
		g.print(v.printer)
		v.line()
		v.paragraph("", fmt.Sprintf(changesCount, v.up, v.down))
		v.regressed(&c)
	}
}

func (v *view) changeRow(m *MetricChange) []cellSpans {
	row := []cellSpans{text(printable.Text(m.Metric)), text(fmt.Sprintf("%d/%d", m.N, m.Of)), text(signed(m.Mean)), nil,
		v.count(m.Improved, green), v.count(m.Worse, red), text(m.PText()), nil, nil}
	if m.Rate != nil {
		row[3] = text(m.By())
	}
	row[7] = inStyle(m.Sure(), changeStyle(m.Outcome))
	if m.Improved+m.Worse > 0 && m.Low != nil {
		write := signed
		if m.Rate != nil {
			write = Points
		}
		row[8] = inStyle(write(*m.Low)+" to "+write(*m.High), dim)
	}
	return row
}

// changeStyle returns the color of an outcome: red if degraded, green if improved, else dim.
func changeStyle(outcome string) style {
	switch outcome {
	case analysis.Degraded:
		return red
	case analysis.Improved:
		return green
	}
	return dim
}

// By formats the change of the pass rate, such as +3.4 pts or, without verdicts, of the mean.
func (c *MetricChange) By() string {
	if c.Rate != nil {
		return fmt.Sprintf("%+.1f pts", rounded(100**c.Rate, 1))
	}
	return signed(c.Mean)
}

// Over describes the denominator of the rate: 44 cases, or 88 answers to 44 questions.
func (s *Share) Over() string {
	if s.Questions == s.Of {
		return printable.Count(s.Of, "case")
	}
	return printable.Count(s.Of, "answer") + " to " + printable.Count(s.Questions, "question")
}

// PText formats the adjusted p-value, or returns "" if nothing changed.
func (c *MetricChange) PText() string {
	if c.PAdjusted == nil || c.Chance == "" {
		return ""
	}
	return analysis.PValue(*c.PAdjusted)
}

// Sure returns "more than chance" or "could be chance", or the outcome if neither applies, such as "no change".
func (c *MetricChange) Sure() string { return cmp.Or(c.Chance, c.Outcome) }

func (v *view) regressed(c *Change) {
	if len(c.Regressed) == 0 {
		return
	}
	worse, in := v.worse(c)
	v.title("Worse than before", in)
	for _, a := range c.Regressed {
		v.answer(&a, decimal(*a.Before)+" "+v.arrow+" "+decimal(a.Value))
	}
	v.more(worse - len(c.Regressed))
}

// worse returns the number of answers that are worse than before by the primary metric, and describes it.
func (v *view) worse(c *Change) (n int, text string) {
	in := ""
	if name := v.name(c.To); name != "" {
		in = " in " + name
	}
	for i := range c.Metrics {
		if m := &c.Metrics[i]; m.Metric == v.Primary {
			return m.Worse, fmt.Sprintf("%d of %d%s, by %s", m.Worse, m.N, in, printable.Text(v.Primary))
		}
	}
	return 0, strings.TrimSpace(in + ", by " + printable.Text(v.Primary))
}

// more prints that a list leaves out n answers.
func (v *view) more(n int) {
	if n > 0 {
		v.line(span{fmt.Sprintf("%s %d more: badger compare --cases, or --json", v.ellipsis, n), dim})
	}
}

// comparison formats the change of the primary metric to an agent version, or returns "" if it is not compared.
func (v *view) comparison(r *Rate) string {
	if m := v.Change(v.Primary, r.Agent); m != nil {
		return " (" + m.By() + ", " + m.Sure() + ")"
	}
	return ""
}

// comparedOn prints the cases that an agent version's change is about, if they differ from those of its rate.
func (v *view) comparedOn(r *Rate) {
	if c, m := v.changeTo(v.Primary, r.Agent); m != nil {
		if on := v.On(c, m); on != "" {
			v.line(span{"  the change is of " + on, dim})
		}
	}
}

// On describes the cases that a change is about and the pass rates on them, such as: the 11 cases that both have: 58.3%
// to 63.6%. A change is of the latest answer to a case if several batches have one. It returns "" if these are all
// answers of both versions, since then the figures of the versions add up.
func (f *Figures) On(c *Change, m *MetricChange) string {
	from, to := f.rate(m.Metric, c.From), f.rate(m.Metric, c.To)
	if from == nil || to == nil {
		return ""
	}
	both := m.Verdicts
	if both == nil || from.Passed == nil || to.Passed == nil {
		if m.N == from.N && m.N == to.N {
			return ""
		}
		return "the " + printable.Count(m.N, "case") + " that both have"
	}
	a, b := from.Passed, to.Passed
	if both.Of == a.Of && both.Of == b.Of {
		return ""
	}
	share := func(n int) string { return percent(float64(n) / float64(both.Of)) }
	cases := "the " + printable.Count(both.Of, "case")
	if a.Of > a.Questions || b.Of > b.Questions {
		cases = "the latest answer to each of " + cases
	}
	if both.Of < max(a.Questions, b.Questions) {
		cases += " that both have"
	}
	return cases + ": " + share(both.Before) + " to " + share(both.After)
}

// rate returns the figures of a metric for an agent version, or nil without scores.
func (f *Figures) rate(metric string, a Agent) *Rate {
	for i := range f.Metrics {
		if f.Metrics[i].Name != metric {
			continue
		}
		for k := range f.Metrics[i].Rates {
			if f.Metrics[i].Rates[k].Agent == a {
				return &f.Metrics[i].Rates[k]
			}
		}
	}
	return nil
}

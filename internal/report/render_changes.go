package report

import (
	"fmt"
	"strconv"

	"github.com/badger-eval/badger/internal/printable"
)

// changesCount describes what the figures of changes count, since other commands count other cases.
const changesCount = "cases: with a value in both, of those asked; a case that one version did not answer is left out. mean: of the change of the value, " +
	"and how many values are better and worse. passed, p: of the verdicts (McNemar's exact test); p is not adjusted for the number of metrics. " +
	"badger compare and badger trend count a missing answer as 0 and adjust p (Holm)."

func (v *view) changes() {
	for _, c := range v.Changes {
		if len(c.Metrics) == 0 {
			continue
		}
		v.title("Changes",
			fmt.Sprintf("%s %s %s, on the cases that both have a value for", v.name(c.From), v.arrow, v.name(c.To)))
		var g grid
		g.words("metric", 22)
		g.number("cases").drop = 1
		g.number("mean")
		g.number("passed")
		g.number(v.up)
		g.number(v.down)
		g.number("p")
		g.column("")
		g.column("95 % CI of mean").drop = 2
		for i := range c.Metrics {
			if m := &c.Metrics[i]; !v.isPart(m.Metric) {
				g.add(v.changeRow(m)...)
			}
		}
		g.print(v.printer)
		v.line()
		v.paragraph("", changesCount)
		v.regressed(&c)
	}
}

func (v *view) changeRow(m *MetricChange) []cellSpans {
	row := []cellSpans{text(printable.Text(m.Metric)), text(fmt.Sprintf("%d/%d", m.N, m.Of)), text(signed(m.Mean)), nil,
		v.count(m.Improved, green), v.count(m.Worse, red), text(m.Chance()), nil, nil}
	if m.Rate != nil {
		row[3] = text(m.By())
	}
	row[7] = inStyle(m.Sure(), dim)
	if m.Significant {
		row[7] = inStyle(m.Sure(), bold)
	}
	if m.P == nil && m.Improved+m.Worse > 0 {
		row[8] = inStyle(signed(*m.Low)+" to "+signed(*m.High), dim)
	}
	return row
}

// By is how much the metric changed: its pass rate if it has one, such as +3.4 pts, else its
// mean.
func (c *MetricChange) By() string {
	if c.Rate != nil {
		return fmt.Sprintf("%+.1f pts", rounded(100**c.Rate, 1))
	}
	return signed(c.Mean)
}

// Chance is the p of the change; "" if nothing changed or the metric gives no verdict.
func (c *MetricChange) Chance() string {
	switch {
	case c.P == nil || c.Improved+c.Worse == 0:
		return ""
	case *c.P < 0.001:
		return "<.001"
	}
	return strconv.FormatFloat(*c.P, 'f', 3, 64)
}

// Sure reports whether the change is more than chance.
func (c *MetricChange) Sure() string {
	switch {
	case c.Improved+c.Worse == 0:
		return "no change"
	case c.Significant:
		return "significant"
	}
	return "not significant"
}

func (v *view) regressed(c *Change) {
	if len(c.Regressed) == 0 {
		return
	}
	v.title("Worse than before", fmt.Sprintf("in %s, by %s", v.name(c.To), printable.Text(v.Primary)))
	for _, a := range c.Regressed {
		v.answer(&a, decimal(*a.Before)+" "+v.arrow+" "+decimal(a.Value))
	}
}

// comparison is how the primary metric changed from the version before, next to the rate of a version.
func (v *view) comparison(r *Rate) string {
	if m := v.Change(v.Primary, r.Agent); m != nil {
		return " (" + m.By() + ", " + m.Sure() + ")"
	}
	return ""
}

// comparedOn says below the rate of a version which cases the change next to it is of.
func (v *view) comparedOn(r *Rate) {
	if c, m := v.changeTo(v.Primary, r.Agent); m != nil {
		if on := v.On(c, m); on != "" {
			v.line(span{"  the change is of " + on, dim})
		}
	}
}

// On says which cases a change is of, and what the two versions have on them, where these are not all
// the cases that the figures of both versions are of, so that these figures and the change do not add
// up: the 11 cases that both have: 58.3% to 63.6%. Else it is empty.
func (f *Figures) On(c *Change, m *MetricChange) string {
	from, to := f.rate(m.Metric, c.From), f.rate(m.Metric, c.To)
	if from == nil || to == nil {
		return ""
	}
	if both := m.Verdicts; both != nil && from.Passed != nil && to.Passed != nil {
		if both.Of == from.Passed.Of && both.Of == to.Passed.Of {
			return ""
		}
		share := func(n int) string { return percent(float64(n) / float64(both.Of)) }
		return "the " + printable.Count(both.Of, "case") + " that both have: " + share(both.Before) + " to " +
			share(both.After)
	}
	if m.N == from.N && m.N == to.N {
		return ""
	}
	return "the " + printable.Count(m.N, "case") + " that both have"
}

// rate returns the figures of a metric for an agent version; nil if it has no scores.
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

package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/badger-eval/badger/internal/printable"
)

// leading are the most informative metrics, each about another aspect: the verdict of evidence and judge, the accuracy
// that papers publish, the query's text, refusals, tool calls, and faithfulness of the response.
var leading = []string{"verdict", "ex_bird", "component_f1", "refusal", "tool_recall", "faithfulness"}

// Leads reports whether a metric is one of the most informative ones.
func Leads(metric string) bool { return slices.Contains(leading, metric) }

// Leading returns at most n metrics that have values: the primary one, the most informative ones, and then the others
// in their order.
func (f *Figures) Leading(n int) []*Metric {
	var out []*Metric
	take := func(name string) {
		for i := range f.Metrics {
			m := &f.Metrics[i]
			if m.Name == name && len(out) < n && !slices.Contains(out, m) &&
				slices.ContainsFunc(m.Rates, func(r Rate) bool { return r.N > 0 || r.Passed != nil }) {
				out = append(out, m)
			}
		}
	}
	take(f.Primary)
	for _, name := range leading {
		take(name)
	}
	for i := range f.Metrics {
		take(f.Metrics[i].Name)
	}
	return out
}

// Change returns the change of a metric from another version to agent version to, or nil.
func (f *Figures) Change(metric string, to Agent) *MetricChange {
	_, m := f.changeTo(metric, to)
	return m
}

// changeTo returns the same as Change, and the comparison that it is part of.
func (f *Figures) changeTo(metric string, to Agent) (*Change, *MetricChange) {
	for i := range f.Changes {
		if f.Changes[i].To != to {
			continue
		}
		for k := range f.Changes[i].Metrics {
			if m := &f.Changes[i].Metrics[k]; m.Metric == metric {
				return &f.Changes[i], m
			}
		}
	}
	return nil, nil
}

// RenderBrief writes a summary that fits a terminal of 80 columns: the leading metrics of every agent version, the
// answers that became worse, the pass rates and the batches.
func (f *Figures) RenderBrief(w io.Writer, o Options) error {
	v := &view{Figures: f, printer: newPrinter(w, o)}
	v.header()
	if f.Scores > 0 {
		v.leading()
		v.worseBriefly()
		v.verdict()
		v.batches()
	}
	return v.w.Flush()
}

const (
	briefMetrics = 5
	briefAnswers = 3
)

func (v *view) leading() {
	var g grid
	g.words("metric", 12)
	g.words("", v.agentWidth())
	g.number("cases")
	g.number("mean")
	g.column("passed").drop = 3
	g.number("").heir = true
	g.column("95 % CI").drop = 2
	g.number("change")
	g.number("p").drop = 1
	for _, m := range v.Leading(briefMetrics) {
		for i, r := range m.Rates {
			row := make([]cellSpans, len(g.cols))
			if i == 0 {
				row[0] = inStyle(printable.Text(m.Name), bold)
			}
			row[1] = text(v.name(r.Agent))
			if row[2] = text(fmt.Sprintf("%d/%d", r.Coverage.Scored, r.Coverage.Asked)); r.Coverage.Nowhere() {
				row[2] = inStyle(v.dash, dim)
			}
			if r.Mean != nil {
				row[3] = text(decimal(*r.Mean))
			}
			if s := r.Passed; s != nil {
				row[4] = v.bar(s.Rate, 10)
				row[5] = inStyle(percent(s.Rate), shareStyle(s.Rate))
				row[6] = inStyle(s.Interval(v.dash), dim)
			}
			if c := v.Change(m.Name, r.Agent); c != nil {
				row[7], row[8] = text(c.By()), text(c.PText())
			}
			g.add(row...)
		}
	}
	v.title("Scores", fmt.Sprintf("%d of %s", len(v.Leading(briefMetrics)), printable.Count(len(v.Metrics), "metric")))
	g.print(v.printer)
	if len(v.Changes) > 0 {
		v.line()
		v.paragraph("", "cases: with a score, of those asked. passed: of those with a score. change: on the cases that both were asked, a missing answer counts as 0. p of the first metric is not adjusted, the others are adjusted among themselves (Holm).")
	}
}

// worseBriefly prints the answers that became worse most or, if none did, the worst ones.
func (v *view) worseBriefly() {
	shown := 0
	for _, c := range v.Changes {
		if len(c.Regressed) == 0 {
			continue
		}
		_, in := v.worse(&c)
		v.title("Worse than before", in)
		for i := range c.Regressed[:min(len(c.Regressed), briefAnswers)] {
			a := c.Regressed[i]
			if a.Why != "" { // it says more than the metric's own reason
				a.Reason, a.Why = a.Why, ""
			}
			v.answer(&a, decimal(*a.Before)+" "+v.arrow+" "+decimal(a.Value))
			shown++
		}
	}
	if shown > 0 {
		return
	}
	brief := *v.Figures
	brief.Worst = v.Worst[:min(len(v.Worst), briefAnswers)]
	(&view{Figures: &brief, printer: v.printer}).worst()
}

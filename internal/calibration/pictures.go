package calibration

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/agreement"
)

// Pictures returns the pictures of a report: kappa with its interval for every metric, kappa against balanced
// accuracy, and, if there is a breakdown by tier, the share of cases that each metric accepts in each tier. Equal
// reports give the same bytes.
func Pictures(r *Report) []*chart.Picture {
	out := []*chart.Picture{Forest(r), scatter(r)}
	for _, b := range r.Breakdowns {
		if b.By == ByTier && len(b.Parts) > 0 {
			out = append(out, bars(r, b))
		}
	}
	return out
}

const (
	headRoom = 72.0 // height of title and subtitle
	mostName = 290.0
)

// shown returns the metrics with a defined kappa.
func shown(r *Report) (out []*Result) {
	for i := range r.Metrics {
		if r.Metrics[i].Kappa.Defined {
			out = append(out, &r.Metrics[i])
		}
	}
	return out
}

// CSS classes of marks, which determine their colors.
const (
	byRule   = "one"  // metrics without a judge
	byJudge  = "two"  // metrics with a judge
	byRecord = "pale" // areas of metrics whose verdicts were recorded
	byPeople = "three"
)

func (r *Result) class() string {
	if strings.Contains(r.Key, "@") {
		return byJudge
	}
	return byRule
}

// area returns the class of the metric's areas; recorded verdicts are pale.
func (r *Result) area() string {
	if r.Recorded {
		return byRecord
	}
	return r.class()
}

// dot returns the class of the metric's points; recorded verdicts are hollow.
func (r *Result) dot() string {
	if r.Recorded {
		return r.class() + " hollow"
	}
	return r.class()
}

func nameWidth(metrics []*Result) float64 {
	w := 90.0
	for _, m := range metrics {
		w = max(w, chart.TextWidth(m.Key))
	}
	return min(w, mostName)
}

// legend draws the legend of the marks that occur.
func legend(p *chart.Picture, x, y float64, metrics []*Result) {
	item := func(class, text string) {
		p.Dot(class, x+5, y-4, text)
		p.Text("muted", x+15, y, text)
		x += 30 + chart.TextWidth(text)
	}
	has := func(f func(*Result) bool) bool { return slices.ContainsFunc(metrics, f) }
	if has(func(m *Result) bool { return m.class() == byRule }) {
		item(byRule, "without a judge")
	}
	if has(func(m *Result) bool { return m.class() == byJudge && !m.Recorded }) {
		item(byJudge, "judged")
	}
	if has(func(m *Result) bool { return m.Recorded }) {
		item(byJudge+" hollow", "verdicts as recorded")
	}
}

func cases(r *Report) string {
	return fmt.Sprintf("%s, %d pass and %d fail", printable.Count(r.N, "labelled case"), r.Passes, r.N-r.Passes)
}

// strengths are the ranges of kappa with their names (Landis and Koch 1977).
var strengths = []struct {
	name     string
	from, to float64
}{{"poor", -1, 0}, {"slight", 0, 0.2}, {"fair", 0.2, 0.4}, {"moderate", 0.4, 0.6}, {"substantial", 0.6, 0.8},
	{"almost perfect", 0.8, 1}}

// Forest returns the picture of kappa with its interval, one row per metric.
func Forest(r *Report) *chart.Picture {
	metrics := shown(r)
	const rowHeight, plot, figures = 22.0, 460.0, 190.0
	names := nameWidth(metrics)
	x := chart.Axis{From: leastKappa(metrics), To: 1, Start: chart.Margin + names + 16,
		End: chart.Margin + names + 16 + plot}
	top := headRoom + 42
	bottom := top + rowHeight*float64(max(1, len(metrics)))
	width := x.End + figures + chart.Margin
	p := chart.New("kappa", "How far metrics agree with people",
		"Cohen's kappa and its 95 % bootstrap interval. "+cases(r)+".", width, bottom+52)
	p.Heading()
	legend(p, chart.Margin, headRoom, metrics)
	for i, band := range strengths {
		if band.to <= x.From {
			continue
		}
		lo, hi := x.At(band.from), x.At(band.to)
		if i%2 == 1 {
			p.Rect("shade", chart.Box{X: lo, Y: top, W: hi - lo, H: bottom - top}, "")
		}
		if hi-lo >= 0.75*chart.TextWidth(band.name) {
			p.TextAround("small", (lo+hi)/2, top-7, band.name)
		}
	}
	for _, tick := range x.Ticks(0.2) {
		p.Line("hairline", x.At(tick), top, x.At(tick), bottom)
		p.TextAround("small", x.At(tick), bottom+17, chart.Decimal(tick, 1))
	}
	p.Line("zero", x.At(0), top, x.At(0), bottom)
	p.TextAround("muted", (x.Start+x.End)/2, bottom+37, "Cohen's kappa")
	p.Text("small", x.End+16, top-7, "kappa, interval")
	p.TextBefore("small", x.End+figures, top-7, "cases")
	for i, m := range metrics {
		y := top + rowHeight*(float64(i)+0.5)
		p.TextBefore("", x.Start-12, y+4, chart.Shortened(m.Key, names))
		text := m.kappaText()
		if m.KappaCI.Defined {
			p.Line(m.class(), x.At(m.KappaCI.Lo), y, x.At(m.KappaCI.Hi), y)
		}
		p.Dot(m.dot(), x.At(m.Kappa.Value), y, m.Key+": "+text)
		p.Text("figure", x.End+16, y+4, text)
		p.TextBefore("figure muted", x.End+figures, y+4, strconv.Itoa(m.N()))
	}
	nothing(p, metrics, x, top)
	return p
}

// ForestNarrow returns the picture of [Forest] for a narrow screen: 350 pixels wide, with the figures of a metric above
// its interval, without the title.
func ForestNarrow(r *Report) *chart.Picture {
	const width, side, rowHeight, top = 350.0, 14.0, 42.0, 42.0
	metrics := shown(r)
	x := chart.Axis{From: leastKappa(metrics), To: 1, Start: side, End: width - side}
	bottom := top + rowHeight*float64(max(1, len(metrics)))
	p := chart.New("kappa-narrow", "How far metrics agree with people",
		"Cohen's kappa and its 95 % bootstrap interval. "+cases(r)+".", width, bottom+44)
	legend(p, 0, 14, metrics)
	for _, tick := range x.Ticks(0.2) {
		p.Line("hairline", x.At(tick), top, x.At(tick), bottom)
		p.TextAround("small", x.At(tick), bottom+17, chart.Decimal(tick, 1))
	}
	p.Line("zero", x.At(0), top, x.At(0), bottom)
	p.TextAround("muted", (x.Start+x.End)/2, bottom+36, "Cohen's kappa")
	p.TextBefore("small", width-4, top-6, "kappa, interval")
	for i, m := range metrics {
		y := top + rowHeight*float64(i)
		text := m.kappaText()
		p.Text("", 4, y+14, chart.Shortened(m.Key, width-20-chart.TextWidth(text)))
		p.TextBefore("figure", width-4, y+14, text)
		if m.KappaCI.Defined {
			p.Line(m.class(), x.At(m.KappaCI.Lo), y+28, x.At(m.KappaCI.Hi), y+28)
		}
		p.Dot(m.dot(), x.At(m.Kappa.Value), y+28, m.Key+": "+text)
	}
	nothing(p, metrics, x, top)
	return p
}

// leastKappa returns the lowest value of an axis that shows the kappas of metrics and their intervals: a multiple of
// 0.1, at most 0.
func leastKappa(metrics []*Result) float64 {
	least := 0.0
	for _, m := range metrics {
		least = min(least, m.Kappa.Value, m.KappaCI.Lo)
	}
	return math.Floor(least*10) / 10
}

// kappaText formats kappa with its interval, if there is one: 0.82  [0.70, 0.94].
func (r *Result) kappaText() string {
	text := chart.Decimal(r.Kappa.Value, 2)
	if r.KappaCI.Defined {
		text += fmt.Sprintf("  [%s, %s]", chart.Decimal(r.KappaCI.Lo, 2), chart.Decimal(r.KappaCI.Hi, 2))
	}
	return text
}

// nothing draws a note if there are no metrics.
func nothing(p *chart.Picture, metrics []*Result, x chart.Axis, top float64) {
	if len(metrics) == 0 {
		p.TextAround("muted", (x.Start+x.End)/2, top+15, "no metric has a kappa")
	}
}

// scatter returns the picture of kappa against balanced accuracy, with the metrics' names at the right.
func scatter(r *Report) *chart.Picture {
	var metrics []*Result
	leastX, leastY := 0.0, 0.5
	for _, m := range shown(r) {
		if b := m.BalancedAccuracy(); b.Defined {
			metrics = append(metrics, m)
			leastX, leastY = min(leastX, m.Kappa.Value), min(leastY, b.Value)
		}
	}
	const plot, spacing = 520.0, 15.0
	names := nameWidth(metrics)
	height := max(420, 1.25*spacing*float64(len(metrics)))
	top := headRoom + 22
	x := chart.Axis{From: math.Floor(leastX*10) / 10, To: 1, Start: chart.Margin + 50, End: chart.Margin + 50 + plot}
	y := chart.Axis{From: math.Floor(leastY*10) / 10, To: 1, Start: top + height, End: top}
	subtitle := "A metric that passes nearly everything, or nearly nothing, stays near 50 % however often it is right. " +
		cases(r) + "."
	p := chart.New("balance", "Agreement beyond chance, and balance", subtitle,
		max(x.End+60+names, chart.Margin+chart.TextWidth(subtitle))+chart.Margin, top+height+56)
	p.Heading()
	legend(p, chart.Margin, headRoom, metrics)
	for _, tick := range x.Ticks(0.2) {
		p.Line("hairline", x.At(tick), top, x.At(tick), top+height)
		p.TextAround("small", x.At(tick), top+height+17, chart.Decimal(tick, 1))
	}
	for _, v := range y.Ticks(0.1) {
		p.Line("hairline", x.Start, y.At(v), x.End, y.At(v))
		p.TextBefore("small", x.Start-8, y.At(v)+4, chart.Decimal(100*v, 0)+" %")
	}
	p.TextAround("muted", (x.Start+x.End)/2, top+height+38, "Cohen's kappa")
	p.TextUp("muted", chart.Margin+2, top+height/2, "balanced accuracy")
	slices.SortStableFunc(metrics, func(a, b *Result) int { // from the top; of equals the rightmost first
		switch d := b.BalancedAccuracy().Value - a.BalancedAccuracy().Value; {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return 0
	})
	wanted := make([]float64, len(metrics))
	for i, m := range metrics {
		wanted[i] = y.At(m.BalancedAccuracy().Value)
	}
	for i, at := range chart.Apart(wanted, spacing, top+4, top+height-4) {
		m := metrics[i]
		p.Path("leader", x.At(m.Kappa.Value), wanted[i], x.End+8, wanted[i], x.End+40, at)
		p.Text("figure", x.End+46, at+4, chart.Shortened(m.Key, names))
	}
	for i, m := range metrics {
		p.Dot(m.dot(), x.At(m.Kappa.Value), wanted[i],
			fmt.Sprintf("%s: kappa %s, balanced accuracy %s %%", m.Key, chart.Decimal(m.Kappa.Value, 2),
				chart.Decimal(100*m.BalancedAccuracy().Value, 1)))
	}
	nothing(p, metrics, x, top)
	return p
}

// mostBars is the maximum number of metrics in a panel of bars.
const mostBars = 14

// bars returns the picture of the shares of cases that metrics accept in each tier, and the share that humans accept.
func bars(r *Report, b Breakdown) *chart.Picture {
	var at []int // of the report's metrics
	var metrics []*Result
	for i := range r.Metrics {
		if r.Metrics[i].Kappa.Defined && len(at) < mostBars {
			at = append(at, i)
			metrics = append(metrics, &r.Metrics[i])
		}
	}
	const rowHeight, panel, between = 22.0, 165.0, 30.0
	names := nameWidth(metrics)
	left := chart.Margin + names + 16
	top := headRoom + 50
	bottom := top + rowHeight*float64(max(1, len(at)))
	parts := b.Parts
	width := max(760, left+float64(len(parts))*(panel+between)-between+chart.Margin)
	subtitle := "Share of cases passed by each metric, with its 95 % interval (Wilson). " + cases(r) + "."
	if n := len(shown(r)); n > len(at) {
		subtitle = fmt.Sprintf(
			"Share of cases passed, with its 95 %% interval (Wilson): the %d metrics of %d that agree best. ", len(at),
			n) + cases(r) + "."
	}
	p := chart.New("tiers", "Pass rate by complexity", subtitle, max(width, chart.Margin*2+chart.TextWidth(subtitle)),
		bottom+52)
	p.Heading()
	p.Line(byPeople, chart.Margin+5, headRoom-11, chart.Margin+5, headRoom+3)
	p.Text("muted", chart.Margin+15, headRoom, "passed by people, of the same cases")
	legend(p, chart.Margin+45+chart.TextWidth("passed by people, of the same cases"), headRoom, metrics)
	for i, m := range metrics {
		p.TextBefore("", left-12, top+rowHeight*(float64(i)+0.5)+4, chart.Shortened(m.Key, names))
	}
	for k, part := range parts {
		x := chart.Axis{From: 0, To: 1, Start: left + float64(k)*(panel+between),
			End: left + float64(k)*(panel+between) + panel}
		p.Rect("shade", chart.Box{X: x.Start, Y: top, W: panel, H: bottom - top}, "")
		name := part.Name
		if name == "" {
			name = "unknown"
		}
		p.Text("strong", x.Start, top-22, chart.Shortened(name, panel))
		p.Text("small", x.Start, top-8, printable.Count(part.N, "case"))
		for _, tick := range []float64{0, 0.5, 1} {
			p.Line("hairline", x.At(tick), top, x.At(tick), bottom)
			p.TextAround("small", x.At(tick), bottom+17, chart.Decimal(100*tick, 0))
		}
		for i, j := range at {
			m, y := part.Metrics[j], top+rowHeight*(float64(i)+0.5)
			rate := m.PassRate()
			if !rate.Defined {
				p.Text("small", x.Start+6, y+4, "no verdict")
				continue
			}
			p.Rect(metrics[i].area(), chart.Box{X: x.Start, Y: y - 6, W: x.At(rate.Value) - x.Start, H: 12, R: 1.5},
				fmt.Sprintf("%s, %s: %s %% of %s", metrics[i].Key, name, chart.Decimal(100*rate.Value, 1),
					printable.Count(m.N(), "case")))
			ci := agreement.Wilson(m.TP+m.FP, m.N(), agreement.DefaultLevel)
			p.Line("whisker", x.At(ci.Lo), y, x.At(ci.Hi), y)
			p.Line("whisker", x.At(ci.Lo), y-3, x.At(ci.Lo), y+3)
			p.Line("whisker", x.At(ci.Hi), y-3, x.At(ci.Hi), y+3)
			people := x.At(m.LabelRate().Value)
			p.Line(byPeople, people, y-9, people, y+9)
		}
	}
	p.TextAround("muted", left+(float64(len(parts))*(panel+between)-between)/2, bottom+38, "percent of cases passed")
	return p
}

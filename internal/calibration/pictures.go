package calibration

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/agreement"
)

// Picture is a self-contained SVG.
type Picture struct {
	Name string // kappa, balance, tiers
	SVG  []byte
}

// Pictures draws a report: kappa with its interval for every metric, kappa against balanced
// accuracy, and, where the report is broken down by tier, the share of cases that metrics pass in
// each. The same report gives the same bytes.
func Pictures(r *Report) []Picture {
	out := []Picture{{"kappa", forest(r)}, {"balance", scatter(r)}}
	for _, b := range r.Breakdowns {
		if b.By == ByTier && len(b.Parts) > 0 {
			out = append(out, Picture{"tiers", bars(r, b)})
		}
	}
	return out
}

const (
	margin   = 28.0
	headRoom = 72.0 // title and subtitle
	mostName = 290.0
)

// shown are the metrics that have a kappa.
func shown(r *Report) (out []*Result) {
	for i := range r.Metrics {
		if r.Metrics[i].Kappa.Defined {
			out = append(out, &r.Metrics[i])
		}
	}
	return out
}

func (r *Result) colour() string {
	if strings.Contains(r.Key, "@") {
		return byJudge
	}
	return byRule
}

// fill is the colour of areas: pale where verdicts were recorded.
func (r *Result) fill() string {
	if r.Recorded {
		return byRecord
	}
	return r.colour()
}

func nameWidth(metrics []*Result) float64 {
	w := 90.0
	for _, m := range metrics {
		w = max(w, textWidth(m.Key))
	}
	return min(w, mostName)
}

// legend explains the marks that occur.
func (s *svg) legend(x, y float64, metrics []*Result) {
	item := func(colour string, hollow bool, text string) {
		s.dot(x+5, y-4, 4.5, colour, hollow, text)
		s.text(x+15, y, text, label{fill: muted})
		x += 30 + textWidth(text)
	}
	has := func(f func(*Result) bool) bool { return slices.ContainsFunc(metrics, f) }
	if has(func(m *Result) bool { return m.colour() == byRule }) {
		item(byRule, false, "without a judge")
	}
	if has(func(m *Result) bool { return m.colour() == byJudge && !m.Recorded }) {
		item(byJudge, false, "judged")
	}
	if has(func(m *Result) bool { return m.Recorded }) {
		item(byJudge, true, "verdicts as recorded")
	}
}

func cases(r *Report) string {
	return fmt.Sprintf("%d labelled cases, %d pass and %d fail", r.N, r.Passes, r.N-r.Passes)
}

// strengths are the bands of kappa (Landis and Koch 1977).
var strengths = []struct {
	name     string
	from, to float64
}{{"poor", -1, 0}, {"slight", 0, 0.2}, {"fair", 0.2, 0.4}, {"moderate", 0.4, 0.6}, {"substantial", 0.6, 0.8}, {"almost perfect", 0.8, 1}}

// axis maps values to pixels.
type axis struct{ from, to, start, end float64 }

func (a axis) at(v float64) float64 {
	return a.start + (max(a.from, min(a.to, v))-a.from)/(a.to-a.from)*(a.end-a.start)
}

// ticks are the multiples of a step, a tenth or more, within the axis.
func (a axis) ticks(step float64) (out []float64) {
	for k := math.Ceil(a.from/step - 1e-9); k*step <= a.to+1e-9; k++ {
		out = append(out, math.Round(k*step*10)/10)
	}
	return out
}

// forest is kappa with its interval, a row for every metric.
func forest(r *Report) []byte {
	metrics := shown(r)
	const rowHeight, plot, figures = 22.0, 460.0, 190.0
	names := nameWidth(metrics)
	least := 0.0
	for _, m := range metrics {
		least = min(least, m.Kappa.Value, m.KappaCI.Lo)
	}
	x := axis{math.Floor(least*10) / 10, 1, margin + names + 16, margin + names + 16 + plot}
	top := headRoom + 42
	bottom := top + rowHeight*float64(max(1, len(metrics)))
	width := x.end + figures + margin
	s := newSVG(width, bottom+52, "How far metrics agree with people", "Cohen's kappa and its 95 % bootstrap interval. "+cases(r)+".")
	s.legend(margin, headRoom, metrics)
	for i, band := range strengths {
		if band.to <= x.from {
			continue
		}
		lo, hi := x.at(band.from), x.at(band.to)
		if i%2 == 1 {
			s.rect(lo, top, hi-lo, bottom-top, shade, 0)
		}
		if hi-lo >= 0.75*textWidth(band.name) {
			s.text((lo+hi)/2, top-7, band.name, label{size: 10.5, fill: muted, anchor: "middle"})
		}
	}
	for _, tick := range x.ticks(0.2) {
		s.line(x.at(tick), top, x.at(tick), bottom, hairline, 1, "")
		s.text(x.at(tick), bottom+17, decimal(tick, 1), label{size: 11, fill: muted, anchor: "middle"})
	}
	s.line(x.at(0), top, x.at(0), bottom, faint, 1.2, "")
	s.text((x.start+x.end)/2, bottom+37, "Cohen's kappa", label{fill: muted, anchor: "middle"})
	s.text(x.end+16, top-7, "kappa, interval", label{size: 10.5, fill: muted})
	s.text(x.end+figures, top-7, "cases", label{size: 10.5, fill: muted, anchor: "end"})
	for i, m := range metrics {
		y := top + rowHeight*(float64(i)+0.5)
		s.text(x.start-12, y+4, shortened(m.Key, names), label{anchor: "end"})
		text := decimal(m.Kappa.Value, 2)
		if m.KappaCI.Defined {
			s.line(x.at(m.KappaCI.Lo), y, x.at(m.KappaCI.Hi), y, m.colour(), 2.2, "")
			text += fmt.Sprintf("  [%s, %s]", decimal(m.KappaCI.Lo, 2), decimal(m.KappaCI.Hi, 2))
		}
		s.dot(x.at(m.Kappa.Value), y, 4.8, m.colour(), m.Recorded, m.Key+": "+text)
		s.text(x.end+16, y+4, text, label{size: 11.5})
		s.text(x.end+figures, y+4, strconv.Itoa(m.N()), label{size: 11.5, fill: muted, anchor: "end"})
	}
	s.nothing(metrics, x, top)
	return s.end()
}

// nothing says that there is nothing to draw.
func (s *svg) nothing(metrics []*Result, x axis, top float64) {
	if len(metrics) == 0 {
		s.text((x.start+x.end)/2, top+15, "no metric has a kappa", label{fill: muted, anchor: "middle"})
	}
}

func decimal(v float64, digits int) string {
	if math.Abs(v) < 0.5*math.Pow10(-digits) {
		v = 0
	}
	return strings.Replace(strconv.FormatFloat(v, 'f', digits, 64), "-", "−", 1)
}

// scatter is kappa against balanced accuracy, with the names at the right.
func scatter(r *Report) []byte {
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
	x := axis{math.Floor(leastX*10) / 10, 1, margin + 50, margin + 50 + plot}
	y := axis{math.Floor(leastY*10) / 10, 1, top + height, top}
	subtitle := "A metric that passes nearly everything, or nearly nothing, stays near 50 % however often it is right. " + cases(r) + "."
	s := newSVG(max(x.end+60+names, margin+textWidth(subtitle))+margin, top+height+56, "Agreement beyond chance, and balance", subtitle)
	s.legend(margin, headRoom, metrics)
	for _, tick := range x.ticks(0.2) {
		s.line(x.at(tick), top, x.at(tick), top+height, hairline, 1, "")
		s.text(x.at(tick), top+height+17, decimal(tick, 1), label{size: 11, fill: muted, anchor: "middle"})
	}
	for _, v := range y.ticks(0.1) {
		s.line(x.start, y.at(v), x.end, y.at(v), hairline, 1, "")
		s.text(x.start-8, y.at(v)+4, decimal(100*v, 0)+" %", label{size: 11, fill: muted, anchor: "end"})
	}
	s.text((x.start+x.end)/2, top+height+38, "Cohen's kappa", label{fill: muted, anchor: "middle"})
	s.text(margin+2, top+height/2, "balanced accuracy", label{fill: muted, anchor: "middle", turned: true})
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
		wanted[i] = y.at(m.BalancedAccuracy().Value)
	}
	for i, at := range apart(wanted, spacing, top+4, top+height-4) {
		m := metrics[i]
		s.path(faint, 0.8, x.at(m.Kappa.Value), wanted[i], x.end+8, wanted[i], x.end+40, at)
		s.text(x.end+46, at+4, shortened(m.Key, names), label{size: 11.5})
	}
	for i, m := range metrics {
		s.dot(x.at(m.Kappa.Value), wanted[i], 4.8, m.colour(), m.Recorded,
			fmt.Sprintf("%s: kappa %s, balanced accuracy %s %%", m.Key, decimal(m.Kappa.Value, 2), decimal(100*m.BalancedAccuracy().Value, 1)))
	}
	s.nothing(metrics, x, top)
	return s.end()
}

// apart moves ascending places as little as it takes (in the sum of squares) for them to be spacing
// from one another, then within the bounds, where there is room: what is wanted less the spacing so
// far must not fall, so neighbours that would are pooled into their mean.
func apart(wanted []float64, spacing, least, most float64) []float64 {
	type pool struct {
		sum float64
		n   int
	}
	mean := func(p pool) float64 { return p.sum / float64(p.n) }
	var pools []pool
	for i, w := range wanted {
		p := pool{w - float64(i)*spacing, 1}
		for len(pools) > 0 && mean(pools[len(pools)-1]) >= mean(p) {
			last := pools[len(pools)-1]
			p = pool{p.sum + last.sum, p.n + last.n}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	out := make([]float64, 0, len(wanted))
	for _, p := range pools {
		at := max(least, min(most-float64(len(wanted)-1)*spacing, mean(p)))
		for range p.n {
			out = append(out, at+float64(len(out))*spacing)
		}
	}
	return out
}

// mostBars is how many metrics a panel of bars has.
const mostBars = 14

// bars are the shares of cases that metrics pass in each tier, beside the share that people pass.
func bars(r *Report, b Breakdown) []byte {
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
	left := margin + names + 16
	top := headRoom + 50
	bottom := top + rowHeight*float64(max(1, len(at)))
	parts := b.Parts
	width := max(760, left+float64(len(parts))*(panel+between)-between+margin)
	subtitle := "Share of cases passed by each metric, with its 95 % interval (Wilson). " + cases(r) + "."
	if n := len(shown(r)); n > len(at) {
		subtitle = fmt.Sprintf("Share of cases passed, with its 95 %% interval (Wilson): the %d metrics of %d that agree best. ", len(at), n) + cases(r) + "."
	}
	s := newSVG(max(width, margin*2+textWidth(subtitle)), bottom+52, "Pass rate by complexity", subtitle)
	s.line(margin+5, headRoom-11, margin+5, headRoom+3, byPeople, 2.4, "")
	s.text(margin+15, headRoom, "passed by people, of the same cases", label{fill: muted})
	s.legend(margin+45+textWidth("passed by people, of the same cases"), headRoom, metrics)
	for i, m := range metrics {
		s.text(left-12, top+rowHeight*(float64(i)+0.5)+4, shortened(m.Key, names), label{anchor: "end"})
	}
	for k, p := range parts {
		x := axis{0, 1, left + float64(k)*(panel+between), left + float64(k)*(panel+between) + panel}
		s.rect(x.start, top, panel, bottom-top, shade, 0)
		name := p.Name
		if name == "" {
			name = "unknown"
		}
		s.text(x.start, top-22, shortened(name, panel), label{weight: 600})
		s.text(x.start, top-8, fmt.Sprintf("%d cases", p.N), label{size: 10.5, fill: muted})
		for _, tick := range []float64{0, 0.5, 1} {
			s.line(x.at(tick), top, x.at(tick), bottom, "#dfe4e9", 1, "")
			s.text(x.at(tick), bottom+17, decimal(100*tick, 0), label{size: 11, fill: muted, anchor: "middle"})
		}
		for i, j := range at {
			m, y := p.Metrics[j], top+rowHeight*(float64(i)+0.5)
			rate := m.PassRate()
			if !rate.Defined {
				s.text(x.start+6, y+4, "no verdict", label{size: 10, fill: muted})
				continue
			}
			s.rect(x.start, y-6, x.at(rate.Value)-x.start, 12, metrics[i].fill(), 1.5)
			ci := agreement.Wilson(m.TP+m.FP, m.N(), agreement.DefaultLevel)
			s.line(x.at(ci.Lo), y, x.at(ci.Hi), y, ink, 1.2, "")
			s.line(x.at(ci.Lo), y-3, x.at(ci.Lo), y+3, ink, 1.2, "")
			s.line(x.at(ci.Hi), y-3, x.at(ci.Hi), y+3, ink, 1.2, "")
			people := x.at(m.LabelRate().Value)
			s.line(people, y-9, people, y+9, byPeople, 2.4, "")
		}
	}
	s.text(left+(float64(len(parts))*(panel+between)-between)/2, bottom+38, "percent of cases passed", label{fill: muted, anchor: "middle"})
	return s.end()
}

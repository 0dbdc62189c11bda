package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// RenderCalibration writes for a terminal how well metrics agree with human labels.
func RenderCalibration(w io.Writer, r *calibration.Report, o Options) error {
	v := &calibrationView{Report: r, printer: newPrinter(w, o)}
	v.header()
	v.metrics()
	for _, b := range r.Breakdowns {
		v.breakdown(b)
		v.executionScores(b)
	}
	v.thresholds()
	v.comparisons()
	v.backbone()
	v.notes()
	return v.w.Flush()
}

type calibrationView struct {
	*calibration.Report
	*printer
}

func (v *calibrationView) header() {
	line := []span{{printable.Count(v.N, "labelled case"), bold},
		{fmt.Sprintf("%s %d pass, %d fail", v.dot, v.Passes, v.N-v.Passes), plain}}
	v.line(line...)
	if p := v.People; p != nil {
		class := ""
		if p.Fleiss.Defined {
			class = " (" + agreement.LandisKoch(p.Fleiss.Value) + ")"
		}
		v.line(span{fmt.Sprintf("%d annotators: %d of %d unanimous%s Fleiss' kappa %s%s%s Krippendorff's alpha %s",
			p.Annotators, p.Unanimous, p.Cases, v.dot, v.figure(p.Fleiss, 3), class, v.dot, v.figure(p.Alpha, 3)), dim})
	}
	v.line()
}

// figure formats a statistic with the given number of decimals, or as a dash.
func (v *calibrationView) figure(s agreement.Stat, decimals int) string {
	if !s.Defined {
		return v.dash
	}
	return fixed(s.Value, decimals)
}

// fixed formats x with the given number of decimals, without negative zero.
func fixed(x float64, decimals int) string {
	if math.Abs(x) < 0.5*math.Pow10(-decimals) {
		x = 0
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

func (v *calibrationView) percent(s agreement.Stat) cellSpans {
	if !s.Defined {
		return inStyle(v.dash, dim)
	}
	return text(fixed(100*s.Value, 1) + "%")
}

// percentDown formats a coverage in whole percent, see [Covered], or a dash if undefined.
func (v *calibrationView) percentDown(s agreement.Stat) cellSpans {
	if !s.Defined {
		return inStyle(v.dash, dim)
	}
	return text(Covered(s.Value))
}

func (v *calibrationView) metrics() {
	var g grid
	g.words("metric", v.nameWidth())
	g.number("cases")
	g.number("cov.")
	g.number("kappa")
	g.column("95% CI").drop = 5
	c := g.column("")
	c.drop = 7
	g.column("agreement").drop = 4
	g.number("bal.acc")
	g.number("sens").drop = 1
	g.number("spec").drop = 1
	g.number("acc").drop = 3
	g.number("mcc").drop = 8
	g.number("f1").drop = 9
	g.number("threshold").drop = 6
	g.number("calls").drop = 2
	for i := range v.Metrics {
		r := &v.Metrics[i]
		name := printable.Text(r.Key)
		if r.Recorded {
			name += " *"
		}
		row := []cellSpans{text(name), text(fmt.Sprintf("%d/%d", r.N(), r.Of)), v.percentDown(r.Coverage)}
		if r.N() == 0 {
			row = append(row, inStyle(v.dash, dim))
			g.add(append(row, make([]cellSpans, len(g.cols)-len(row))...)...)
			continue
		}
		ci, class := "", ""
		if r.KappaCI.Defined {
			ci = "[" + fixed(r.KappaCI.Lo, 3) + ", " + fixed(r.KappaCI.Hi, 3) + "]"
		}
		if r.Kappa.Defined {
			class = agreement.LandisKoch(r.Kappa.Value)
		}
		threshold := ""
		if r.Threshold != nil {
			threshold = strconv.FormatFloat(*r.Threshold, 'g', 4, 64)
		}
		g.add(append(row,
			cellSpans{{v.figure(r.Kappa, 3), bold}}, text(ci), v.whisker(r), text(class), v.percent(r.BalancedAccuracy()),
			v.percent(r.Sensitivity()),
			v.percent(r.Specificity()), v.percent(r.Accuracy()), text(v.figure(r.MCC(), 3)), text(v.figure(r.F1(), 3)),
			text(threshold), text(v.figure(r.Calls, 2)))...)
	}
	g.print(v.printer)
	if slices.ContainsFunc(v.Metrics, func(r calibration.Result) bool { return r.Recorded }) {
		v.line(span{"* verdicts as they were recorded", dim})
	}
}

// nameWidth returns the minimum width of the column of metric names: as wide as the longest name, but at most a third
// of the line, and at least 16.
func (v *calibrationView) nameWidth() int {
	n := 0
	for i := range v.Metrics {
		n = max(n, printable.Width(v.Metrics[i].Key)+len(" *"))
	}
	return max(16, min(n, v.Width/3))
}

const whiskerWidth = 20

// whisker draws kappa with its interval on a line from 0 to 1.
func (v *calibrationView) whisker(r *calibration.Result) cellSpans {
	if !r.Kappa.Defined || !r.KappaCI.Defined {
		return nil
	}
	at := func(x float64) int { return int(math.Round(max(0, min(1, x)) * (whiskerWidth - 1))) }
	lo, mid, hi := at(r.KappaCI.Lo), at(r.Kappa.Value), at(r.KappaCI.Hi)
	line, point, rest := "━", "●", "·"
	if !v.Unicode {
		line, point, rest = "=", "o", "."
	}
	return cellSpans{
		{strings.Repeat(rest, lo), dim}, {strings.Repeat(line, mid-lo), plain}, {point, shareStyle(r.Kappa.Value)},
		{strings.Repeat(line, hi-mid), plain}, {strings.Repeat(rest, whiskerWidth-1-hi), dim},
	}
}

// breakdown prints kappa and balanced accuracy of each metric for each part of the cases.
func (v *calibrationView) breakdown(b calibration.Breakdown) {
	v.title("By "+b.By, "kappa, and balanced accuracy in percent")
	var g grid
	g.words("metric", v.nameWidth())
	for i, p := range b.Parts {
		name := printable.Text(p.Name)
		if p.Name == "" {
			name = "unknown"
		}
		c := g.number(name)
		c.drop = i
	}
	shares := []cellSpans{inStyle("labelled pass", dim)}
	for _, p := range b.Parts {
		shares = append(shares, inStyle(fmt.Sprintf("%d of %d", p.Passes, p.N), dim))
	}
	g.add(shares...)
	for i := range v.Metrics {
		if v.Metrics[i].N() == 0 {
			continue
		}
		row := []cellSpans{text(printable.Text(v.Metrics[i].Key))}
		for _, p := range b.Parts {
			m := p.Metrics[i]
			balanced := v.dash
			if s := m.BalancedAccuracy(); s.Defined {
				balanced = fixed(100*s.Value, 1)
			}
			row = append(row, cellSpans{{v.figure(m.Kappa, 2), plain}, {" " + printable.Pad(balanced, 5, true), dim}})
		}
		g.add(row...)
	}
	if slices.ContainsFunc(b.Parts, func(p calibration.Part) bool { return p.People != nil }) {
		row := []cellSpans{inStyle("Fleiss' kappa of people", dim)}
		for _, p := range b.Parts {
			said := v.dash
			if p.People != nil {
				said = v.figure(p.People.Fleiss, 2)
			}
			row = append(row, inStyle(said, dim))
		}
		g.add(row...)
	}
	g.print(v.printer)
}

// executionMetrics are the metrics whose mean is an execution accuracy; the plain one is the first.
var executionMetrics = []string{"ex_bird", "hybrid_ex", "llm_ex"}

// executionScores prints the mean execution accuracy for each part of the cases, next to the share that people pass.
func (v *calibrationView) executionScores(b calibration.Breakdown) {
	var keys []string
	for _, name := range executionMetrics {
		for i := range v.Metrics {
			if base, _, _ := strings.Cut(v.Metrics[i].Key, "@"); base == name && v.Metrics[i].Mean.Defined && len(keys) < 3 {
				keys = append(keys, v.Metrics[i].Key)
			}
		}
	}
	if len(keys) == 0 {
		return
	}
	v.title("Execution accuracy by "+b.By, "mean, and 95 % bootstrap interval")
	var g grid
	g.words(b.By, 12)
	g.number("people pass")
	for i, k := range keys {
		c := g.number(printable.Text(k))
		c.drop = i
	}
	for _, p := range b.Parts {
		row := []cellSpans{text(printable.Text(p.Name)), text(fmt.Sprintf("%d of %d", p.Passes, p.N))}
		for _, k := range keys {
			m := p.Metrics[slices.IndexFunc(p.Metrics, func(r calibration.Result) bool { return r.Key == k })]
			said := v.figure(m.Mean, 2)
			if m.MeanCI.Defined {
				said += fmt.Sprintf(" [%s, %s]", fixed(m.MeanCI.Lo, 2), fixed(m.MeanCI.Hi, 2))
			}
			row = append(row, text(said))
		}
		g.add(row...)
	}
	g.print(v.printer)
}

// backbone prints whether a candidate model may replace the current judge's, and the measures behind it.
func (v *calibrationView) backbone() {
	b := v.Backbone
	if b == nil {
		return
	}
	v.title("Backbone",
		fmt.Sprintf("%s in place of %s, on %s with a verdict of both", printable.Text(b.Candidate), printable.Text(b.Current),
			printable.Count(b.N, "case")))
	var g grid
	g.words("measure", 10)
	g.number("current")
	g.number("candidate")
	for _, m := range b.Measures {
		g.add(text(m.Name), text(v.figure(m.Current, 4)), text(v.figure(m.Candidate, 4)))
	}
	g.print(v.printer)
	said := "keep the current one: "
	if b.Adopt {
		said = "the candidate may take its place: "
	}
	v.line(span{said + b.Why, bold})
}

// thresholds prints the thresholds that were chosen from labels, and kappa with and without them.
func (v *calibrationView) thresholds() {
	if !slices.ContainsFunc(v.Metrics, func(r calibration.Result) bool { return r.Chosen != nil }) {
		return
	}
	how := ""
	var g grid
	g.words("metric", 16)
	g.number("kappa")
	g.number("where chosen")
	g.number("at its own").drop = 1
	g.number("threshold")
	g.column("in folds").drop = 2
	for i := range v.Metrics {
		r := &v.Metrics[i]
		if r.Chosen == nil {
			continue
		}
		how = r.Chosen.How
		threshold, folds := v.dash, ""
		if r.Threshold != nil {
			threshold = strconv.FormatFloat(*r.Threshold, 'g', 4, 64)
		}
		if t := r.Chosen.Thresholds; len(t) > 0 {
			folds = strconv.FormatFloat(slices.Min(t), 'g', 4, 64) + " to " + strconv.FormatFloat(slices.Max(t), 'g', 4, 64)
		}
		g.add(text(printable.Text(r.Key)), inStyle(v.figure(r.Kappa, 3), bold), text(v.figure(r.Chosen.Fitted, 3)),
			text(v.figure(r.Chosen.Before, 3)), text(threshold), text(folds))
	}
	v.title("Chosen thresholds", how+": kappa is of cases the threshold was not chosen on")
	g.print(v.printer)
}

func (v *calibrationView) comparisons() {
	if len(v.Comparisons) == 0 {
		return
	}
	v.title("Comparisons", "kappa on the cases both have; two-tailed paired bootstrap")
	var g grid
	g.words("metric", 16)
	g.words("against", 16)
	g.number("n")
	g.number("difference")
	g.column("95% CI").drop = 1
	g.number("p")
	if len(v.Comparisons) > 1 {
		g.number("p (Holm)")
	}
	for _, c := range v.Comparisons {
		difference, ci := v.dash, ""
		if c.Difference.Defined {
			difference = fmt.Sprintf("%+.3f", c.Difference.Value)
		}
		if c.Interval.Defined {
			ci = fmt.Sprintf("[%+.3f, %+.3f]", c.Interval.Lo, c.Interval.Hi)
		}
		row := []cellSpans{text(printable.Text(c.A)), text(printable.Text(c.B)), text(strconv.Itoa(c.N)),
			inStyle(difference, bold), text(ci), text(pValue(c.P))}
		if len(v.Comparisons) > 1 {
			row = append(row, text(pValue(c.Holm)))
		}
		g.add(row...)
	}
	g.print(v.printer)
}

func pValue(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fixed(p, 3)
}

// notes prints the notes of the report and the warnings of its metrics.
func (v *calibrationView) notes() {
	var lines []string
	lines = append(lines, v.Notes...)
	for _, w := range v.Warnings(func(r *calibration.Result) []string { return without(r.Without) }) {
		keys := make([]string, len(w.Metrics))
		for i, key := range w.Metrics {
			keys[i] = printable.Text(key)
		}
		const most = 4
		if len(keys) > most {
			keys = append(keys[:most], fmt.Sprintf("and %d more", len(keys)-most))
		}
		lines = append(lines, strings.Join(keys, ", ")+": "+w.Text)
	}
	if len(lines) == 0 {
		return
	}
	v.title("Notes", "")
	for _, l := range lines {
		v.aside(l)
	}
}

// without returns a sentence with the numbers of cases without a verdict by status, or nil if all have one.
func without(counts map[scoring.Status]int) []string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		what := strings.ReplaceAll(string(status), "_", " ")
		if status == scoring.StatusOK {
			what = "without a threshold"
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[status], what))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"no verdict on cases: " + strings.Join(parts, ", ")}
}

package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
)

// driftRow is a figure of a judge's latest asking next to that of the earlier ones, formatted.
type driftRow struct {
	Figure, Before, Now, Change, Interval, P string
}

// DriftRows returns the figures of a judge; none if nothing was compared.
func DriftRows(j *analysis.JudgeDrift) []driftRow {
	if j.Look == 0 {
		return nil
	}
	of := func(name string, t *analysis.DriftTest) driftRow {
		return driftRow{name, percent(t.Before), percent(t.Now), Points(t.Change),
			fmt.Sprintf("%+.1f to %+.1f pts", rounded(100*t.CI[0], 1), rounded(100*t.CI[1], 1)), analysis.PValue(t.Adjusted)}
	}
	rows := []driftRow{of("passes", j.PassRate)}
	if s := j.Self; s != nil {
		rows = append(rows, driftRow{"contradicts itself", percent(s.Expected / float64(s.Verdicts)), percent(s.Rate),
			Points(s.Rate - s.Expected/float64(s.Verdicts)),
			fmt.Sprintf("%s to %s", percent(s.CI[0]), percent(s.CI[1])), analysis.PValue(s.Adjusted)})
	}
	if j.Correct != nil {
		rows = append(rows, of("agrees with labels", j.Correct))
	}
	return rows
}

// DriftCounts describes which askings of a judge were compared.
func DriftCounts(j *analysis.JudgeDrift) string {
	var parts []string
	if j.Look > 0 {
		parts = append(parts, fmt.Sprintf("%s, compared with %s since %s", printable.Count(j.Cases, "case"),
			printable.Count(j.Earlier, "earlier asking"), day(j.Since)))
	}
	if j.New > 0 {
		parts = append(parts, printable.Count(j.New, "case")+" without an earlier verdict on the same question")
	}
	if j.Silent > 0 {
		parts = append(parts, printable.Count(j.Silent, "reply")+" without a verdict")
	}
	if j.Labeled > 0 {
		parts = append(parts, fmt.Sprintf("%d with labels", j.Labeled))
	}
	return strings.Join(parts, "; ")
}

// DriftNote describes the tests of drift and how their p-values are adjusted.
func DriftNote(alpha float64) string {
	return fmt.Sprintf("contradicts itself: verdicts that differ from the majority of the earlier ones; before is the share that the judge's own noise explains. "+
		"p: exact tests, adjusted for the tests of a judge (Holm) and for the number of looks; below %g is a change. "+
		"A judge that never changes is found to have changed with a probability of at most %g, over all its looks.", alpha, alpha)
}

const flipsShown = 8

// RenderDrift writes for a terminal how judges agree with themselves and with labels on their sentinel cases.
func RenderDrift(w io.Writer, d *analysis.Drift, o Options) error {
	v := analysisView{newPrinter(w, o)}
	head, style := "no judge changed", plain
	if n := len(d.Changed()); n > 0 {
		head, style = fmt.Sprintf("%d of %s changed", n, printable.Count(len(d.Judges), "judge")), red
	}
	if n := len(d.Unmeasured()); n > 0 {
		unmeasured := fmt.Sprintf("%d of %s not measured", n, printable.Count(len(d.Judges), "judge"))
		if len(d.Changed()) > 0 {
			unmeasured = head + ", " + unmeasured
		}
		head, style = unmeasured, red
	}
	v.line(span{"Sentinels  ", bold}, span{head, style})
	for i := range d.Judges {
		v.drift(&d.Judges[i])
	}
	if len(d.Judges) > 0 {
		v.line()
		v.paragraph("", DriftNote(d.Alpha))
	}
	return v.w.Flush()
}

func (v analysisView) drift(j *analysis.JudgeDrift) {
	style := dim
	if j.Outcome == analysis.Changed || j.Outcome == analysis.Unmeasured {
		style = red
	}
	v.line()
	v.line(span{printable.Text(j.Metric + " by " + j.Judge), bold}, span{"  " + j.Outcome, style})
	v.paragraph("  ", fmt.Sprintf("asked %s; %s", j.At.UTC().Format("2006-01-02 15:04"), DriftCounts(j)))
	if rows := DriftRows(j); len(rows) > 0 {
		var g grid
		g.column("")
		for _, head := range []string{"before", "now", "change"} {
			g.number(head)
		}
		g.number("95 % CI").drop = 1
		g.number("p")
		for _, r := range rows {
			g.add(text("  "+r.Figure), text(r.Before), text(r.Now), text(r.Change), text(r.Interval), text(r.P))
		}
		g.print(v.printer)
	}
	for _, f := range []struct {
		head  string
		cases []string
	}{{"  now fail: ", j.ToFail}, {"  now pass: ", j.ToPass}} {
		if len(f.cases) > 0 {
			v.paragraph(f.head, names(f.cases, flipsShown))
		}
	}
	for _, f := range j.Findings {
		v.paragraph("  ! ", printable.Text(f))
	}
	earlier := 0
	for _, p := range j.Past {
		if p.Outcome == analysis.Changed && p.Asking != j.Asking {
			earlier++
		}
	}
	if earlier > 0 {
		v.paragraph("  ", fmt.Sprintf("%d of %s showed a change", earlier, printable.Count(len(j.Past)-1, "earlier look")))
	}
}

// names joins the first names of a list, and counts the others.
func names(list []string, most int) string {
	shown := make([]string, 0, most)
	for _, name := range list[:min(most, len(list))] {
		shown = append(shown, printable.Short(name))
	}
	out := strings.Join(shown, ", ")
	if n := len(list) - len(shown); n > 0 {
		out += fmt.Sprintf(" and %d more", n)
	}
	return out
}

package report

import (
	"fmt"
	"io"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
)

// RenderBias writes for a terminal how the verdicts of judges change under probes that should not change them.
func RenderBias(w io.Writer, b *analysis.Bias, o Options) error {
	v := analysisView{newPrinter(w, o)}
	biased := 0
	var g grid
	g.words("metric", 12)
	g.column("probe")
	g.number("pairs")
	g.number("consistent")
	g.number("95 % CI").drop = 2
	g.number("to pass").drop = 3
	g.number("to fail").drop = 3
	g.number("change")
	g.number("95 % CI").drop = 1
	g.number("p")
	g.column("")
	for i := range b.Rows {
		r := &b.Rows[i]
		verdict, p := inStyle("no bias shown", dim), analysis.PValue(r.Adjusted)
		switch {
		case r.Probe == analysis.ProbeRepeat:
			verdict, p = inStyle("noise", dim), v.dash
		case r.Biased:
			verdict = inStyle("biased", red)
			biased++
		}
		g.add(text(printable.Text(r.Metric)), text(r.Probe), text(fmt.Sprint(r.Pairs)), text(percent(r.Consistent)),
			text(interval100(r.ConsistentCI[0], r.ConsistentCI[1], v.dash)), text(fmt.Sprint(r.ToPass)),
			text(fmt.Sprint(r.ToFail)), text(Points(r.Change)),
			text(fmt.Sprintf("%+.1f to %+.1f", rounded(100*r.CI[0], 1), rounded(100*r.CI[1], 1))),
			text(p), verdict)
	}
	head, style := "no bias shown", plain
	if biased > 0 {
		head, style = printable.Count(biased, "bias")+" found", red
	}
	if biased == 0 && len(b.Unmeasured) > 0 {
		head, style = "not measured", red
	}
	v.line(span{"Bias of judges  ", bold}, span{head, style})
	v.line()
	g.print(v.printer)
	for _, s := range b.Unmeasured {
		v.paragraph("! ", printable.Text(s))
	}
	v.line()
	v.paragraph("", fmt.Sprintf("consistent: pairs whose verdict stayed. change: of the share that passes; to pass and to fail "+
		"are the verdicts that flipped. p: McNemar's exact test of the flips, adjusted among all probes (Holm); below %g is a "+
		"bias. repeat asks the same again: its flips are noise, and are not tested.", b.Alpha))
	return v.w.Flush()
}

package report

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
)

// batches prints the table of a run's batches, if there are several, and the findings about the newest ones.
func (v *view) batches() {
	if len(v.Batches) == 0 {
		return
	}
	if len(v.Batches) > 1 {
		v.title("Batches", "the newest first, by "+printable.Text(v.Primary))
		v.batchTable()
	}
	for _, newest := range v.NewestBatches() {
		v.line()
		analysisView{v.printer}.newest(printable.Text(newest.Named()), newest.Headline, newest.Baseline, newest.Findings)
	}
}

// NewestBatches returns the newest batch of each agent, if it has a baseline or findings.
func (f *Figures) NewestBatches() (out []*BatchOf) {
	seen := map[string]bool{}
	for i := range f.Batches {
		b := &f.Batches[i]
		if !seen[b.Batch.Agent] && (b.Baseline != nil || len(b.Findings) > 0) {
			out = append(out, b)
		}
		seen[b.Batch.Agent] = true
	}
	return out
}

// Named returns the batch's name, with its date if known.
func (b *BatchOf) Named() string {
	if b.Batch.At.IsZero() {
		return b.Batch.Name()
	}
	return b.Batch.Name() + " (" + analysis.Day(b.Batch.At) + ")"
}

// Changed formats the change of the batch from its baseline, its p-value, and the conclusion. All are "" without a
// baseline; change and p are "" if the batches are not comparable.
func (b *BatchOf) Changed() (change, p, word string) {
	c := b.Change
	if c == nil {
		return "", "", ""
	}
	if c.Mean != nil {
		change, p = Changed(c), analysis.PValue(*c.PAdjusted)
	}
	return change, p, cmp.Or(c.Chance, c.Outcome)
}

func (v *view) batchTable() {
	of := analysisView{v.printer}
	var g grid
	g.column("date")
	g.names("batch", 8)
	g.words("answers of", 7)
	g.number("cases").drop = 2
	g.number("mean").drop = 3
	g.number("passed")
	g.number("change")
	g.number("p").drop = 1
	g.column("")
	for i := range v.Batches {
		b := &v.Batches[i]
		row := make([]cellSpans, len(g.cols))
		row[0] = inStyle(day(b.Batch.At), dim)
		row[1], row[2] = text(printable.Text(b.Batch.Batch)), text(printable.Text(b.Batch.System()))
		row[3], row[4] = text(strconv.Itoa(b.Figures.Asked)), of.value(b.Figures.Mean)
		if b.Figures.PassRate != nil {
			row[5] = of.share(b.Figures.PassRate)
		}
		if c := b.Change; c != nil {
			change, p, _ := b.Changed()
			row[6], row[7], row[8] = text(change), text(p), of.outcome(c)
		}
		g.add(row...)
	}
	g.print(v.printer)
	if n := v.EarlierBatches; n > 0 {
		v.line(span{fmt.Sprintf("%s %d earlier: badger trend --last 0", v.ellipsis, n), dim})
	}
}

package site

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
)

// driftContent shows whether judges changed, by their verdicts on sentinel cases.
type driftContent struct {
	Changed    int
	Unmeasured int
	Later      int // askings that are later than now, which are left out
	Judges     []driftView
	Note       string
}

// driftView is one metric's judge.
type driftView struct {
	*analysis.JudgeDrift
	Counts  string
	Figures any // rows of the table
	Picture *twoWidths
	Served  string // models that replied in the latest asking
}

// drift compares the judges of the warehouse with themselves; nil if none was asked about sentinel cases.
func (s *Site) drift(ctx context.Context) (*driftContent, error) {
	replies, err := storedscores.Sentinels(ctx, s.o.Warehouse)
	if err != nil || len(replies) == 0 {
		return nil, err
	}
	replies, later := analysis.LatestAsking(replies, "", s.o.Now())
	d := analysis.NewDrift(replies, s.o.Since, 0)
	out := &driftContent{Changed: len(d.Changed()), Unmeasured: len(d.Unmeasured()), Later: later,
		Note: report.DriftNote(d.Alpha)}
	for i := range d.Judges {
		j := &d.Judges[i]
		view := driftView{JudgeDrift: j, Counts: report.DriftCounts(j), Picture: driftPicture(j)}
		if rows := report.DriftRows(j); len(rows) > 0 {
			view.Figures = rows
		}
		var names []string
		for _, m := range j.Served {
			names = append(names, m.String())
		}
		view.Served = strings.Join(names, ", ")
		out.Judges = append(out.Judges, view)
	}
	return out, nil
}

// driftPicture draws the share of verdicts that contradict a judge's usual ones, over its askings; nil for fewer than
// three.
func driftPicture(j *analysis.JudgeDrift) *twoWidths {
	const least = 3
	found, expected := chart.Series{Name: "contradicts itself"}, chart.Series{Name: "explained by noise", Bare: true}
	var steps []string
	for i := range j.Past {
		p := &j.Past[i]
		if p.Cases == 0 {
			continue
		}
		x, n := float64(len(steps)), float64(p.Cases)
		steps = append(steps, p.At.Format("2 Jan"))
		found.Points = append(found.Points, chart.Point{X: x, Y: p.Differ / n,
			Tip: fmt.Sprintf("%s: %s, p %s", p.At.Format(time.DateOnly), p.Outcome, analysis.PValue(p.Adjusted))})
		expected.Points = append(expected.Points, chart.Point{X: x, Y: p.Expected / n})
	}
	if len(steps) < least {
		return nil
	}
	lines := chart.Lines{
		Name: "drift", Title: j.Metric + " by " + j.Judge + ": verdicts that differ from its usual ones",
		Desc: "Of each asking, with the share that the judge's own noise explains.", X: "asking", Y: "verdicts", Steps: steps,
		Percent: true, Series: []chart.Series{found, expected},
	}
	out := twoWidths{Wide: lines.Picture()}
	lines.Name, lines.Plot = "drift-narrow", phonePlot
	out.Narrow = lines.Picture()
	return &out
}

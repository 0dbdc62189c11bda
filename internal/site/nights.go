package site

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// nightsView shows the primary metric over the batches of an agent.
type nightsView struct {
	Kick, Headline, Lead string
	One, Noun            string // the word for a batch: one, and several
	Wide, Narrow         *nightsChart
	Findings             []analysis.Finding
	Moves                []moved
	Agents               []runChoice
	Others               []smallChart
	Rows                 []nightRow // the newest first
	Hidden               int
	AllAt                string // address of the page with all batches
	Details              string // address of the table that compares each batch with the one before
	Changes              string // address of the changes in the newest batch
}

// nightRow is the row of a batch in the table.
type nightRow struct {
	night
	ShareText, Step string
	Class           string
	Changes         string
	Note            string
}

// smallChart is a small line chart of another metric over the same batches.
type smallChart struct {
	Name, Address string
	Width         chart.Pixels
	Height        chart.Pixels
	Line          string
	Marks         []chart.Pixels // x coordinates at which versions start
	X, Y          chart.Pixels   // of the last value
	Text          string
	Class         string
}

// nightsPage returns the trend page of one agent: state.Agent, else that of run, else that of the newest batch.
func (s *Site) nightsPage(ctx context.Context, state trendState, run *scoring.RunID) (*nightsView, error) {
	t, err := s.timeline(ctx)
	if err != nil {
		return nil, err
	}
	agent := ""
	switch {
	case state.Agent != "":
		agent = strings.TrimSuffix(state.Agent, analysis.NoName)
	case run != nil:
		agent = run.Agent
	case t.newest() != nil:
		agent = t.newest().Agent
	}
	p, err := s.reader(ctx)
	if err != nil {
		return nil, err
	}
	v := &nightsView{One: t.noun(agent), Noun: t.noun(agent)}
	for _, m := range t.moments {
		name := m.Of.Agent
		if m.Run.ID != "" && !slices.ContainsFunc(v.Agents, func(c runChoice) bool { return c.Value == name }) {
			v.Agents = append(v.Agents, runChoice{Value: name, Text: agentName(name, ""), Chosen: name == agent})
		}
	}
	of := t.ofAgent(agent)
	if state.Agent != "" && len(of) == 0 {
		return nil, errcode.New(errcode.NotFound, "agent: %.80q has no scores", state.Agent)
	}
	last := stripBatches
	if state.Last != lastBatches {
		last = state.Last
	}
	primary := s.primaryOf(of)
	nights, err := s.nightsOf(ctx, p, t, series{agent, primary, last})
	if err != nil {
		return nil, err
	}
	if len(nights) == 0 {
		v.Headline = "No batch has scores yet."
		return v, nil
	}
	if v.Hidden = len(of) - len(nights); v.Hidden > 0 {
		more := state
		more.Last = 0
		v.AllAt = trendAddress(more)
	}
	ranges := usuals(nights)
	noun := t.noun(agent)
	v.Kick = fmt.Sprintf("%s, %s", agentName(agent, ""), things(len(nights), noun))
	if from, to := nights[0].Of.At, nights[len(nights)-1].Of.At; !from.IsZero() && !to.IsZero() {
		first := "2 Jan"
		if from.UTC().Year() != to.UTC().Year() {
			first = "2 Jan 2006"
		}
		v.Kick += fmt.Sprintf(" from %s to %s", from.UTC().Format(first), to.UTC().Format("2 Jan 2006"))
	}
	v.Headline = courseOf(nights, ranges, noun)
	v.Lead = "Each dot is a " + noun + "; click one to open it. "
	if slices.ContainsFunc(ranges, func(u usual) bool { return u.Limits }) {
		v.Lead += "The grey band is the usual range of a version: its mean, plus or minus 2.66 times the average change " +
			"from one " + noun + " to the next. A " + noun + " outside of it is worth a look."
	} else {
		v.Lead += "What is usual for a version is shown from its eighth complete " + noun + " on."
	}
	v.Wide = chartOf(nights, ranges, t.daily[agent], chartOfTrend)
	v.Narrow = chartOf(nights, ranges, t.daily[agent], chartOfPhone)
	if v.Findings, err = s.findingsOf(ctx, nights, primary); err != nil {
		return nil, err
	}
	if v.Moves, err = s.movesOf(ctx, nights, ranges, primary); err != nil {
		return nil, err
	}
	v.Others, err = s.otherMeasures(ctx, p, t, nights, primary)
	if err != nil {
		return nil, err
	}
	v.rows(nights)
	run = &nights[len(nights)-1].Run.RunID
	v.Changes = address("/compare", store.RunValues(*run))
	details := state
	details.Metrics = []string{primary}
	v.Details = trendAddress(details)
	return v, nil
}

// primaryOf returns the primary metric of the newest batch that has a run, or the default one.
func (s *Site) primaryOf(of []moment) string {
	for i := len(of) - 1; i >= 0; i-- {
		if of[i].Run.ID != "" {
			return s.primary(of[i].Run.Metrics())
		}
	}
	return s.primary(nil)
}

// courseOf returns a sentence about the newest share compared with the usual range or with the version before.
func courseOf(nights []night, ranges []usual, noun string) string {
	last := &nights[len(nights)-1]
	if last.Share == nil {
		return "The newest " + noun + " has no verdicts."
	}
	now, u := percent(*last.Share), ranges[len(ranges)-1]
	first := u.From == len(nights)-1
	if first && len(ranges) > 1 {
		before := ranges[len(ranges)-2]
		steady := "Steady at " + percent(before.Mean) + " on average with " + nights[before.From].Of.Version
		if before.Limits {
			then := ", and " + now + " on the first " + noun + " of " + last.Of.Version + "."
			if last.Outside != 0 {
				then = ", then " + now + " on the first " + noun + " of " + last.Of.Version + "."
			}
			return steady + then
		}
	}
	switch {
	case last.Outside < 0:
		return now + " on " + last.Name + ", below what is usual: " + rangeText(ranges) + "."
	case last.Outside > 0:
		return now + " on " + last.Name + ", above what is usual: " + rangeText(ranges) + "."
	case u.Limits:
		return now + " on " + last.Name + ", as usual: " + rangeText(ranges) + "."
	}
	return now + " of the answers are right " + on(last.Name) + "."
}

// rangeText formats the latest usual range that has limits, such as 68 % to 88 %, or returns a dash.
func rangeText(ranges []usual) string {
	for i := len(ranges) - 1; i >= 0; i-- {
		if ranges[i].Limits {
			return percent(ranges[i].Low) + " to " + percent(ranges[i].High)
		}
	}
	return dash
}

// mostInCourse is the maximum number of scores that findingsOf tests.
const mostInCourse = 200_000

// findingsOf returns the findings of statistical tests over the latest nights, as many as the commands test: change
// points, trends, batches outside of the usual range. It returns nil for more than mostInCourse answers.
func (s *Site) findingsOf(ctx context.Context, nights []night, primary string) ([]analysis.Finding, error) {
	nights = nights[max(0, len(nights)-analysis.HistoryBatches):]
	batches, runs, scores := make([]analysis.Batch, len(nights)), make([]scoring.RunID, len(nights)), 0
	for i := range nights {
		batches[i], runs[i] = nights[i].Of, nights[i].Run.RunID
		scores += nights[i].Asked
	}
	if scores > mostInCourse {
		return nil, nil
	}
	size := func(f []analysis.Finding) int { return 200 * (len(f) + 1) }
	return store.RememberOf(ctx, s.o.Warehouse, runs, "course\x00"+primary, size, func() ([]analysis.Finding, error) {
		h, err := analysis.NewHistory(ctx, storedscores.In(s.o.Warehouse), analysis.NewSet(s.o.Metrics), batches, primary)
		if err != nil {
			return nil, err
		}
		course := h.Course(0.05, 0)
		if course == nil {
			return nil, nil
		}
		return course.Findings, nil
	})
}

// otherMeasures returns small charts of the other most informative metrics over the nights. Without three nights it
// returns none.
func (s *Site) otherMeasures(
	ctx context.Context,
	p *store.Pages,
	t *timeline,
	nights []night,
	primary string,
) (out []smallChart, err error) {
	there, err := s.o.Warehouse.ScoredMetrics(ctx)
	if err != nil {
		return nil, err
	}
	metrics, _ := analysis.ChooseMetrics(there, nil, nil)
	runs := make([]store.Run, len(nights))
	for i := range nights {
		runs[i] = nights[i].Run
	}
	at := places(nights)
	daily := t.daily[nights[0].Of.Agent]
	for _, name := range metrics {
		if name == primary || len(nights) < 3 {
			continue
		}
		figures, err := p.FiguresOf(ctx, runs, func(*store.Run) string { return name })
		if err != nil {
			return nil, err
		}
		values := make([]*float64, len(nights))
		for i := range nights {
			f := figures[store.RunMetric{RunID: nights[i].Run.RunID, Metric: name}]
			if share := s.shareOf(name, &f.Figures); share != nil {
				values[i] = &share.Rate
			} else {
				values[i] = s.meanOf(name, &f.Figures)
			}
		}
		if c := smallOf(nights, values, at, daily); c != nil {
			c.Name = metric.DisplayName(name)
			c.Address = trendAddress(trendState{Agent: nights[0].Of.Agent, Metrics: []string{name}, Last: lastBatches})
			out = append(out, *c)
		}
	}
	return out, nil
}

// smallOf draws values on an axis from at most 0.5 to at least 1. It returns nil for fewer than two values or if the
// last is missing.
func smallOf(nights []night, values []*float64, at []float64, daily bool) *smallChart {
	low, high, n := 0.5, 1.0, 0
	for _, v := range values {
		if v != nil {
			low, high = min(low, *v), max(high, *v)
			n++
		}
	}
	last := values[len(values)-1]
	if n < 2 || last == nil {
		return nil
	}
	c := &smallChart{Width: 310, Height: 84}
	x, y := chart.Axis{From: 0, To: 1, Start: 4, End: 250}, chart.Axis{From: low, To: high, Start: 74, End: 8}
	var line strings.Builder
	least := math.Inf(1)
	for i, v := range values {
		if i > 0 && nights[i].Of.Version != nights[i-1].Of.Version {
			c.Marks = append(c.Marks, chart.Pixels((x.At(at[i])+x.At(at[i-1]))/2))
		}
		if v == nil {
			continue
		}
		move := "L"
		if line.Len() == 0 || gap(&nights[i-1], &nights[i], daily) || values[i-1] == nil {
			move = "M"
		}
		fmt.Fprintf(&line, "%s%s %s", move, chart.Pixels(x.At(at[i])), chart.Pixels(y.At(*v)))
		if i < len(values)-1 {
			least = min(least, *v)
		}
	}
	c.Line, c.Text = line.String(), percent(*last)
	c.X, c.Y = chart.Pixels(x.At(at[len(at)-1])), chart.Pixels(y.At(*last))
	if high > 1 {
		c.Text = figure(*last)
	}
	if c.Class = "strong"; *last < least {
		c.Class = "out"
	}
	return c
}

// rows sets the rows of the table, the newest batch first, and makes v.Noun plural.
func (v *nightsView) rows(nights []night) {
	for i := len(nights) - 1; i >= 0; i-- {
		n := &nights[i]
		row := nightRow{
			night:     *n,
			ShareText: dash,
			Step:      dash,
			Changes:   address("/compare", store.RunValues(n.Run.RunID)),
		}
		if i > 0 { // as the step is from the one before
			row.Changes = compareAddress(sides{From: nights[i-1].Run.RunID, To: []scoring.RunID{n.Run.RunID}})
		}
		if n.Share != nil {
			row.ShareText = percent(*n.Share)
			if i > 0 && nights[i-1].Share != nil {
				row.Step = points(*n.Share - *nights[i-1].Share)
			}
		}
		var notes []string
		if n.Outside < 0 {
			row.Class = "down"
			notes = append(notes, "below the usual range")
		}
		if n.Outside > 0 {
			row.Class = "up"
			notes = append(notes, "above the usual range")
		}
		if n.Part {
			if n.Missing > 0 {
				notes = append(notes, things(n.Missing, "answer")+" missing")
			}
			if n.Fewer > 0 {
				notes = append(notes, things(n.Fewer, "question")+" fewer than usual")
			}
		}
		if i > 0 && n.Of.Version != nights[i-1].Of.Version {
			notes = append(notes, "first "+v.Noun+" of "+n.Of.Version)
		}
		if n.Of.Unfinished != "" {
			notes = append(notes, "run "+n.Of.Unfinished)
		}
		row.Note = strings.Join(notes, "; ")
		v.Rows = append(v.Rows, row)
	}
	v.Noun = printable.Noun(2, v.Noun)
}

package site

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring/agreement"
)

// spending shows the share of right answers next to what the answers took, before and now.
type spending struct {
	Lead   string
	Before string // display names of the baseline ("" without one) and the run
	Now    string
	Rows   []spendingRow
	Notes  []string

	of []qualityCost // of the baseline, if it has both, and the run
}

// qualityCost is the share of right answers of a run, and what an answer costs on average, in US dollars.
type qualityCost struct {
	now       bool // it is of the run, not of the baseline
	of        int  // number of answers that quality is a share of
	cost      float64
	quality   float64
	low, high float64 // 95 % CI of quality
}

// Picture draws the share of right answers against the mean cost of an answer. It returns nil unless both runs have
// both.
func (o *spending) Picture() *twoWidths {
	if len(o.of) < 2 || o.Before == "" {
		return nil
	}
	lines := chart.Lines{Name: "quality-cost", Title: "Right answers against the cost of an answer",
		Desc: "On the left is cheap, on top is right. The bar is the 95 % interval of the share.",
		X:    "mean cost of an answer in US dollars", Y: "right answers", Percent: true, High: 1}
	for i := range o.of {
		q := &o.of[i]
		name := o.Before
		if q.now {
			name = o.Now
		}
		lines.Right = max(lines.Right, 1.1*q.cost)
		lines.Series = append(lines.Series, chart.Series{Name: name, Points: []chart.Point{{X: q.cost, Y: q.quality,
			Low: &q.low, High: &q.high,
			Tip: fmt.Sprintf("%s: %s of %s right, $%.2g an answer", name, percent(q.quality), things(q.of, "answer"), q.cost)}}})
	}
	if lines.Right == 0 { // all are free
		lines.Right = 1
	}
	out := twoWidths{Wide: lines.Picture()}
	lines.Name, lines.Plot = "quality-cost-narrow", phonePlot
	out.Narrow = lines.Picture()
	return &out
}

// drawn adds the points of the picture, by the questions that both runs have.
func (o *spending) drawn(right *analysis.Change, change *analysis.SpendingChange) {
	if right == nil || right.Rate == nil || right.Rated == 0 || change == nil {
		return
	}
	cost := change.Of(analysis.QuantityCost)
	if cost == nil {
		return
	}
	point := func(now bool, passed int, cost *analysis.Amount) {
		ci := agreement.Wilson(passed, right.Rated, agreement.DefaultLevel)
		o.of = append(o.of, qualityCost{now: now, of: right.Rated, quality: float64(passed) / float64(right.Rated),
			low: ci.Lo, high: ci.Hi, cost: cost.Float()})
	}
	point(false, right.PassedBefore, cost.Before)
	point(true, right.PassedAfter, cost.After)
}

// spendingRow is a figure before and now. A row with Part is of the quantity of the last row without it.
type spendingRow struct {
	Name, Before, Now string
	Change, Interval  string
	Known             string // how many answers have a value
	Chance, Class     string
	Part              bool
}

// spendingOf returns what the answers of a run and its baseline took, or nil if nothing is known. right is the change
// of the share of right answers, if any.
func (s *Site) spendingOf(ctx context.Context, of storedscores.SpendingOf, right *analysis.Change) (*spending, error) {
	src := storedscores.In(s.o.Warehouse)
	found, err := src.Spending(ctx, analysis.NewSet(s.o.Metrics), of)
	if err != nil || found == nil {
		return nil, err
	}
	now := &found.Batches[len(found.Batches)-1]
	var old *analysis.BatchSpending
	var change *analysis.SpendingChange
	if len(found.Batches) > 1 {
		old = &found.Batches[0]
	}
	if len(found.Changes) > 0 {
		change = &found.Changes[0]
	}
	out := &spending{Notes: report.UnreadableSpending(found), Lead: spendingLead(old, now)}
	out.right(right, old, now)
	out.perRight(old, now)
	out.drawn(right, change)
	for _, q := range []struct {
		quantity, name string
	}{{analysis.QuantityCost, "Cost of an answer"}, {analysis.QuantityTokensIn, "Tokens in"},
		{analysis.QuantityTokensOut, "Tokens out"}, {analysis.QuantityLatency, "Time of the answer"}} {
		out.quantity(q.quantity, q.name, old, now, change)
	}
	return out, nil
}

// spendingOfPair returns what the answers of a run and its baseline, if any, took.
func (s *Site) spendingOfPair(ctx context.Context, pr *pair, right *analysis.Change,
	primary string) (*spending, error) {
	of := storedscores.SpendingOf{From: storedscores.Side{None: true}, To: sideOf(pr.to.Run.RunID), ToBatch: pr.to.Of,
		Primary: primary}
	if run, there := pr.baseline(); there {
		of.From, of.FromBatch = sideOf(run), pr.from.Of
	}
	out, err := s.spendingOf(ctx, of, right)
	if out != nil {
		out.Before, out.Now = pr.names()
	}
	return out, err
}

// right adds the row of right answers.
func (o *spending) right(ch *analysis.Change, old, now *analysis.BatchSpending) {
	row := spendingRow{Name: "Right answers", Before: dash, Now: count(now.Right) + " of " + count(now.Answers)}
	if ch != nil && ch.Rate != nil {
		before, after := ch.Shares()
		row.Before, row.Now, row.Change = percent(before), percent(after), points(*ch.Rate)+" points"
		row.Interval = points(*ch.RateLow) + " to " + points(*ch.RateHigh)
		row.Known = knownOf(old, ch.Rated, now, ch.Rated)
		row.Chance = cmp.Or(ch.Chance, ch.Outcome)
		row.Class = map[string]string{analysis.Degraded: "down", analysis.Improved: "up"}[ch.Outcome]
	}
	o.Rows = append(o.Rows, row)
}

// perRight adds the row of the cost of a right answer, if a cost is known.
func (o *spending) perRight(old, now *analysis.BatchSpending) {
	if now.Of(analysis.QuantityCost) == nil && (old == nil || old.Of(analysis.QuantityCost) == nil) {
		return
	}
	row := spendingRow{Name: "Cost of a right answer", Before: perRightOf(old), Now: perRightOf(now), Known: rightsOf(now)}
	if old != nil && old.PerRight != nil && now.PerRight != nil && old.PerRight.Float() > 0 {
		row.Change = fmt.Sprintf("× %.1f", now.PerRight.Float()/old.PerRight.Float())
	}
	if old != nil {
		row.Known = rightsOf(old) + ", " + row.Known
	}
	o.Rows = append(o.Rows, row)
}

func perRightOf(b *analysis.BatchSpending) string {
	if b == nil || b.PerRight == nil {
		return dash
	}
	return report.Took(analysis.QuantityCost, b.PerRight)
}

// rightsOf returns how many of the right answers have a known cost.
func rightsOf(b *analysis.BatchSpending) string {
	return count(b.RightOfKnown) + " of " + count(b.Right)
}

// knownOf returns how many answers of a batch have a value, after those of the batch old, if there is one: 43 of 44, 44
// of 44.
func knownOf(old *analysis.BatchSpending, before int, now *analysis.BatchSpending, n int) string {
	text := count(n) + " of " + count(now.Answers)
	if old != nil {
		text = count(before) + " of " + count(old.Answers) + ", " + text
	}
	return text
}

// quantity adds the rows of a quantity: the mean of an answer with its change, the median, for latency P95, and the
// total.
func (o *spending) quantity(of, name string, old, now *analysis.BatchSpending, change *analysis.SpendingChange) {
	var was *analysis.Quantity
	if old != nil {
		was = old.Of(of)
	}
	is := now.Of(of)
	if was == nil && is == nil {
		return
	}
	known := func(q *analysis.Quantity) int {
		if q == nil {
			return 0
		}
		return q.N
	}
	knowns := knownOf(old, known(was), now, known(is))
	if change != nil {
		if c := change.Of(of); c != nil {
			row := changedRow(name+", mean", c)
			row.Known = knownOf(old, c.Compared, now, c.Compared)
			o.Rows = append(o.Rows, row)
			name = ""
		}
	}
	amount := func(q *analysis.Quantity, of func(*analysis.Quantity) *analysis.Amount) string {
		if q == nil {
			return dash
		}
		return amountText(q.Name, of(q))
	}
	part := func(what string, of func(*analysis.Quantity) *analysis.Amount) {
		row := spendingRow{Name: what, Before: amount(was, of), Now: amount(is, of), Known: knowns, Part: name == ""}
		if name != "" {
			row.Name, name = name+", "+what, ""
		}
		o.Rows, knowns = append(o.Rows, row), ""
	}
	part("median", func(q *analysis.Quantity) *analysis.Amount { return q.Median })
	if of == analysis.QuantityLatency {
		part("P95", func(q *analysis.Quantity) *analysis.Amount { return q.P95 })
	}
	part("total", func(q *analysis.Quantity) *analysis.Amount { return q.Total })
}

// wholeNumber matches the digits of a number.
var wholeNumber = regexp.MustCompile(`[0-9]+`)

// changedRow formats the change of the mean of a quantity.
func changedRow(name string, c *analysis.QuantityChange) spendingRow {
	row := spendingRow{Name: name, Before: amountText(c.Name, c.Before), Now: amountText(c.Name, c.After),
		Change: minus(strings.Replace(report.Relative(c), "%", " %", 1)), Chance: cmp.Or(c.Chance, analysis.Same),
		Interval: minus(report.TookInterval(c))}
	if c.Name == analysis.QuantityTokensIn || c.Name == analysis.QuantityTokensOut {
		row.Interval = wholeNumber.ReplaceAllStringFunc(row.Interval, func(n string) string { return count(n) })
	}
	if c.Chance == analysis.MoreThanChance {
		row.Class = "up"
		if c.Mean.Float() > 0 {
			row.Class = "down"
		}
	}
	return row
}

// amountText formats an amount, with thousands separators in whole numbers.
func amountText(quantity string, a *analysis.Amount) string {
	switch quantity {
	case analysis.QuantityTokensIn, analysis.QuantityTokensOut:
		return count(report.Took(quantity, a))
	case analysis.QuantityLatency:
		return took(a.Float())
	}
	return report.Took(quantity, a)
}

// spendingLead returns the sentences above the table.
func spendingLead(old, now *analysis.BatchSpending) (text string) {
	before := func(text string) string {
		if old == nil || text == dash {
			return ""
		}
		return ", " + text + " before"
	}
	if now.PerRight != nil {
		text = "A right answer costs " + perRightOf(now) + before(perRightOf(old)) + ". "
	}
	median := func(b *analysis.BatchSpending) string {
		if b == nil || b.Of(analysis.QuantityLatency) == nil {
			return dash
		}
		return took(b.Of(analysis.QuantityLatency).Median.Float())
	}
	if now.Of(analysis.QuantityLatency) != nil {
		text += "The median time of the answer is " + median(now) + before(median(old)) + "."
	}
	return text
}

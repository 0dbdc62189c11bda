package metric

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/chartspec"
)

// The kinds of findings about a chart, in the order in which the first one names the chart's category.
const (
	chartRight      = "right"
	chartMissing    = "missing_chart"
	chartUnreadable = "unreadable_chart"
	missingField    = "missing_field"
	wrongAggregate  = "wrong_aggregate"
	wrongPoints     = "wrong_points"
	missingPoints   = "missing_points"
	extraPoints     = "extra_points"
	filteredPoints  = "filtered_points"
	otherChart      = "other_chart"
	unfitMark       = "unfit_mark"
	sameField       = "same_field"
	wrongParts      = "wrong_parts"
	cutOff          = "cut_off"
	truncatedAxis   = "truncated_axis"
	logAxis         = "log_axis"
	wrongOrder      = "wrong_order"
	twoAxes         = "two_axes"
	scaledPoints    = "scaled_points"
	repeatedPoints  = "repeated_points"
	unordered       = "unordered_line"
)

// chartKind describes a kind of finding.
type chartKind struct {
	name, display string
	data          bool // it lowers the share of right points; the others halve the value
	warning       bool // it does not change the value
}

var chartKinds = []chartKind{
	{chartMissing, "No chart", true, false}, {chartUnreadable, "Chart cannot be read", true, false},
	{missingField, "Field not in the result", true, false}, {wrongAggregate, "Wrong aggregate", true, false},
	{wrongPoints, "Wrong values", true, false}, {filteredPoints, "Rows filtered out", true, false},
	{missingPoints, "Points missing", true, false}, {extraPoints, "Points that the result lacks", true, false},
	{otherChart, "Not the accepted chart", true, false},
	{unfitMark, "Mark does not fit the data", false, false}, {sameField, "One field on both axes", false, false},
	{wrongParts, "Parts that are not a whole", false, false}, {cutOff, "Axis cuts off points", false, false},
	{truncatedAxis, "Axis does not start at zero", false, false},
	{logAxis, "Logarithmic axis without a label", false, false},
	{wrongOrder, "Sorted against the order asked for", false, false},
	{twoAxes, "Two axes with different units", false, false},
	{scaledPoints, "Values in another scale", false, true}, {repeatedPoints, "Several points of one category",
		false, true},
	{unordered, "Line over unordered categories", false, true},
}

func chartLabels() []string {
	labels := []string{chartRight}
	for _, k := range chartKinds {
		if !k.warning {
			labels = append(labels, k.name)
		}
	}
	return labels
}

// chartFinding is a fault of a chart, or a warning.
type chartFinding struct {
	Kind     string `json:"kind"`
	Display  string `json:"display"`
	Warning  bool   `json:"warning,omitempty"` // it does not change the score
	View     int    `json:"view"`              // the layer, trace or view, from 1
	Channel  string `json:"channel,omitempty"` // x, y, color, …
	Field    string `json:"field,omitempty"`
	Point    string `json:"point,omitempty"` // the category of an example
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
	Count    int    `json:"count,omitempty"` // the number of points
	Text     string `json:"text"`
}

// chartDetail is the detail of chart_match.
type chartDetail struct {
	Form      string         `json:"form,omitempty"` // vega-lite, plotly or plain
	Marks     []string       `json:"marks,omitempty"`
	Points    int            `json:"points"` // points of the chart and of what it should show, together
	Right     int            `json:"right"`  // those that agree
	Findings  []chartFinding `json:"findings,omitempty"`
	Undecided []string       `json:"undecided,omitempty"` // parts of the chart that are not read
	Unchecked []string       `json:"unchecked,omitempty"` // what no gold result shows
}

func init() {
	const source = "BADGER, section 8.5 (1), which leaves the measure open; the checks of data, order and axes follow VisEval (Chen et al. 2024, arXiv:2407.00981, legality checks)"
	reads := bothResults | scoring.FieldQuestion | scoring.FieldGoldSQL | scoring.FieldPredSQL | scoring.FieldEvidence |
		scoring.FieldSchema | scoring.FieldDialect
	failed := scoring.FailedIsIgnored("a chart without a result of the agent is compared with gold's")
	register(scoring.Metric{
		Name: "chart_match", Display: "Chart shows the result",
		Version: 1, Group: "agent",
		Branch: scoring.BranchAgentic, FailedQuery: failed,
		Needs: scoring.FieldChart, Reads: reads, Cost: scoring.CostLarge,
		Summary: "Whether the agent's chart, described as data, shows the result: its fields, its values, its order and its axes.",
		Range:   "0 to 1",
		Formula: "R / P · 2^−f. P is the number of points that the chart shows or should show, R the number of those that agree, f the number of kinds of faults of the mark, the axes and the order. " +
			"The chart is Vega-Lite, a Plotly figure or plain fields (docs/eval/charts.md). A named field must be a column of the result, whose name may differ in form. Values without a name, as in Plotly, belong to the column whose values they are. " +
			"Points should be those of the agent's result, or of gold's if there is none. If the chart filters or aggregates, they should be those of gold, if gold is given. A value agrees if it is equal, exactly computed, or rounded to the digits that it shows, two or more; the whole chart may be in percent, thousands, millions or billions. " +
			"Faults that halve the score: a mark that does not fit the types or values; one field on both axes; percentages of a pie that do not add up; an axis that cuts off points; bars or areas whose axis does not start at zero; a logarithmic axis whose title does not say so; a sort against the order that the question asks for; two axes with different units, if a title is missing. " +
			"If gold has a chart, the points must also be those of gold's chart, with a mark of the same kind; bars may stand or lie. " +
			"Detail: each finding with its channel, field, point, expected and actual value. Warnings do not count. A chart that cannot be read has 0, and so has no chart if gold has one. Not applicable without a chart or without any result. " +
			"Abstained if the chart is a picture, or has a part that is not read and may change what it shows, unless it has a fault anyway.",
		Source: source,
		Gaming: "A chart that shows one safe column of the result has 1, whether or not it answers the question, unless gold has a chart. A wrong result that is shown faithfully has 1: read it with hybrid_ex. " +
			"Without gold, an aggregate is checked by the names of columns alone.",
		Example:   "North 5, South 3 as bars with {\"x\": \"region\", \"y\": \"revenue\"}: 1. With South 8 written into the chart: 1/2. With an axis from 2: 1/2.",
		Threshold: scoring.At(1), Score: chartMatch,
	})
	register(scoring.Metric{
		Name: "chart_match_category", Display: "How the chart is wrong",
		Version: 1, Group: "agent",
		Branch: scoring.BranchAgentic, FailedQuery: failed,
		Needs: scoring.FieldChart, Reads: reads, Cost: scoring.CostLarge,
		Labels:  chartLabels(),
		Summary: "The first fault of the agent's chart, or right.",
		Range:   "0 or 1",
		Formula: "The label is the kind of the first finding of chart_match that is not a warning, in the order of the labels; the value is 1 for right, else 0. No value if chart_match has none. Detail as for chart_match.",
		Source:  source,
		Gaming:  "As chart_match.",
		Example: "An axis of bars that starts at 2: truncated_axis, 0.",
		Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
			s, err := chartMatch(ctx, in)
			if err != nil || s.Status != scoring.StatusOK {
				return s, err
			}
			s.Label, s.Value = chartRight, 1
			if d, ok := s.Detail.(chartDetail); ok && len(d.Findings) > 0 && !d.Findings[0].Warning {
				s.Label, s.Value = d.Findings[0].Kind, 0
			}
			return s, nil
		},
	})
}

func chartMatch(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	type key struct{}
	type made struct {
		s   scoring.Score
		err error
	}
	m := scoring.Memo(in, key{}, func() made {
		s, err := matchChart(in)
		return made{s, err}
	})
	return m.s, m.err
}

func matchChart(in *scoring.Input) (scoring.Score, error) {
	c := &chartCheck{in: in}
	if len(in.Pred.Chart) == 0 {
		c.find(chartFinding{Kind: chartMissing, Text: "the agent shows no chart; gold has one"})
		return c.score(), nil
	}
	if chartspec.Picture(in.Pred.Chart) {
		return scoring.Abstain("the chart is a picture, which is not read; expected its description as data"), nil
	}
	var gold, pred *scoring.Table
	if in.Gold != nil {
		gold = in.Gold.Result.Table
	}
	pred = in.Pred.Result.Table
	if gold == nil && pred == nil {
		return scoring.NotApplicable("no result given that the chart could show"), nil
	}
	for _, t := range []struct {
		of *scoring.Table
		to **chartspec.Frame
	}{{gold, &c.gold}, {pred, &c.result}} {
		if t.of == nil {
			continue
		}
		f, err := chartspec.TableFrame(t.of)
		if errcode.Of(err) == errcode.ResourceExhausted {
			return scoring.Abstain(err.Error()), nil
		}
		if err != nil {
			return scoring.Score{}, err
		}
		*t.to = f
	}
	if c.result == nil {
		c.result = c.gold
	}
	chart, err := chartspec.Read(in.Pred.Chart)
	switch {
	case errcode.Of(err) == errcode.ResourceExhausted || errcode.Of(err) == errcode.Unimplemented:
		return scoring.Abstain("the chart is not compared: " + err.Error()), nil
	case err != nil:
		c.find(chartFinding{Kind: chartUnreadable, Text: "the chart cannot be read: " + printable.Text(err.Error())})
		return c.score(), nil
	}
	c.detail.Form, c.chart = chart.Form, chart
	c.detail.Undecided = append(c.detail.Undecided, chart.Undecided...)
	var scores []scoring.Score
	for _, joined := range []*chartspec.View{nil, chart.Joined()} {
		try := *c
		if joined != nil {
			as := *chart
			as.Views = []chartspec.View{*joined}
			try.chart = &as
		} else if len(scores) > 0 {
			break
		}
		s, err := try.all()
		if err != nil {
			return scoring.Score{}, err
		}
		scores = append(scores, s)
	}
	if len(scores) > 1 && (scores[1].Value > scores[0].Value || scores[1].Status == scoring.StatusOK &&
		scores[0].Status != scoring.StatusOK) {
		return scores[1], nil // the traces are the series of one column
	}
	return scores[0], nil
}

// maxShownPoints limits the points of all views together. Each view may show the whole result.
const maxShownPoints = 10 * chartspec.MaxPoints

// all checks every view.
func (c *chartCheck) all() (scoring.Score, error) {
	if n := len(c.chart.Views) * c.result.Rows; n > maxShownPoints && len(c.chart.Views) > 1 {
		return scoring.Abstain(fmt.Sprintf("the chart is not compared: %d views of %d rows show more than %d points",
			len(c.chart.Views), c.result.Rows, maxShownPoints)), nil
	}
	for i := range c.chart.Views {
		c.detail.Marks = append(slices.Clip(c.detail.Marks), c.chart.Views[i].Mark)
		c.view(i)
	}
	c.axesTogether()
	if err := c.goldChart(); err != nil {
		return scoring.Score{}, err
	}
	return c.score(), nil
}

// score computes the score from the findings.
func (c *chartCheck) score() scoring.Score {
	d := &c.detail
	c.sortFindings()
	faults := map[string]bool{}
	text, more := "", 0
	for _, f := range d.Findings {
		if f.Warning {
			continue
		}
		if text == "" {
			text = f.Text
		} else {
			more++
		}
		if !kindOfChart(f.Kind).data {
			faults[f.Kind] = true
		}
	}
	if more > 0 {
		text += fmt.Sprintf("; and %s", printable.Count(more, "other finding"))
	}
	if text == "" && len(d.Undecided) > 0 {
		s := scoring.Abstain("not decided: the chart has " + printable.List(d.Undecided) + ", which is not read")
		s.Detail = *d
		return s
	}
	data := 0.0
	if d.Points > 0 {
		data = float64(d.Right) / float64(d.Points)
	}
	data *= c.sameAsGold
	if text == "" {
		text = fmt.Sprintf("the chart shows the %s of the result", printable.Count(d.Right, "point"))
		if d.Points == 0 {
			data, text = 1, "neither the chart nor the result has points"
		}
	}
	for range faults {
		data /= 2
	}
	s := scoring.OK(data, text)
	s.Detail = *d
	return s
}

func kindOfChart(name string) *chartKind {
	for i := range chartKinds {
		if chartKinds[i].name == name {
			return &chartKinds[i]
		}
	}
	panic("unknown kind of finding " + strings.TrimSpace(name))
}

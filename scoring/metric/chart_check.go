package metric

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/chartspec"
	"github.com/badger-eval/badger/scoring/naming"
	relations "github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/scoring/units"
)

// maxChartFindings is the maximum number of findings in the detail.
const maxChartFindings = 40

// chartCheck compares a chart with the results.
type chartCheck struct {
	in           *scoring.Input
	chart        *chartspec.Chart
	result, gold *chartspec.Frame // of the agent, or of gold if the agent has none; of gold, or nil
	detail       chartDetail
	sameAsGold   float64 // share of points that agree with gold's chart
	views        []viewPoints
}

// viewPoints are the points of a view that could be computed.
type viewPoints struct {
	view     int
	points   *chartspec.Points
	measures []bool // by encoding
	columns  []int  // the columns of the result that the encodings show; -1 if unknown
}

func (c *chartCheck) find(f chartFinding) {
	k := kindOfChart(f.Kind)
	f.Display = k.display
	f.Warning = f.Warning || k.warning
	f.Point, f.Expected, f.Got = printable.Short(f.Point), printable.Short(f.Expected), printable.Short(f.Got)
	if len(c.detail.Findings) < maxChartFindings {
		c.detail.Findings = append(c.detail.Findings, f)
	}
}

// sortFindings sorts faults before warnings, and by the order of their kinds.
func (c *chartCheck) sortFindings() {
	if c.chart == nil || c.sameAsGold > 1 {
		c.sameAsGold = 1
	}
	place := map[string]int{}
	for i, k := range chartKinds {
		place[k.name] = i
	}
	slices.SortStableFunc(c.detail.Findings, func(a, b chartFinding) int {
		if a.Warning != b.Warning {
			return map[bool]int{true: 1, false: -1}[a.Warning]
		}
		return cmp.Compare(place[a.Kind], place[b.Kind])
	})
}

func (c *chartCheck) undecided(what string) {
	if !slices.Contains(c.detail.Undecided, what) && len(c.detail.Undecided) < maxChartFindings {
		c.detail.Undecided = append(c.detail.Undecided, what)
	}
}

func (c *chartCheck) unchecked(what string) {
	if !slices.Contains(c.detail.Unchecked, what) {
		c.detail.Unchecked = append(c.detail.Unchecked, what)
	}
}

// view checks view i of the chart.
func (c *chartCheck) view(i int) {
	v := &c.chart.Views[i]
	for _, what := range v.Undecided {
		c.undecided(what)
	}
	if missing := v.Missing(c.result); len(missing) > 0 {
		where := "the result"
		if v.Data != nil {
			where = "the chart's rows"
		}
		for _, name := range missing {
			c.find(chartFinding{Kind: missingField, View: i + 1, Field: printable.Short(name),
				Text: fmt.Sprintf("the field %s is not in %s", printable.Quoted(printable.Short(name)), where)})
		}
		c.detail.Points += max(c.result.Rows, 1)
		return
	}
	v.Orient(c.result)
	p, what := v.Points(c.result, true)
	if what != "" {
		c.undecided(what)
		return
	}
	measures := measuresOf(v, p)
	at := viewPoints{i, p, measures, c.columnsOf(v, p, measures, c.result)}
	c.mark(v, &at)
	c.axes(v, &at)
	c.order(v, &at)
	if len(v.Undecided) > 0 || len(c.chart.Undecided) > 0 {
		return
	}
	c.data(v, &at)
	c.views = append(c.views, at)
}

// measuresOf reports for each encoding whether it shows numbers by its position or size. The type of an encoding
// without one follows from its values.
func measuresOf(v *chartspec.View, p *chartspec.Points) []bool {
	out := make([]bool, len(v.Encodings))
	numericY := false
	for i := range v.Encodings {
		e := &v.Encodings[i]
		numericY = numericY || e.Channel == chartspec.Y && (e.Measure() || numeric(p.Columns[i]))
	}
	for i := range v.Encodings {
		switch e := &v.Encodings[i]; {
		case e.Measure():
			out[i] = true
		case e.Type != "" || e.TimeUnit != "" || !numeric(p.Columns[i]):
		case e.Channel == chartspec.Y || e.Channel == "size":
			out[i] = true
		case e.Channel == chartspec.X:
			out[i] = v.Mark == chartspec.Point || !numericY
		}
	}
	return out
}

// numeric reports whether all values that are not NULL are numbers, and there is one.
func numeric(values []scoring.Value) bool {
	some := false
	for _, v := range values {
		if v.IsNull() {
			continue
		}
		if _, _, ok := chartspec.Number(v); !ok {
			return false
		}
		some = true
	}
	return some
}

var (
	averageWords = lazyregexp.New(`(?i)(^|[^a-z])(avg|average|mean|median|rate|ratio|per)([^a-z]|$)`)
	logWords     = lazyregexp.New(`(?i)\blog|logarithm`)
)

// averages reports whether a name is that of averages or rates, whose sum and mean have no meaning.
func averages(name string) bool {
	for _, w := range naming.Words(name) {
		if averageWords.MatchString(w) {
			return true
		}
	}
	return averageWords.MatchString(name)
}

// shares reports whether a name states percentages or shares.
func shares(name string) (percent, share bool) {
	u := units.InName(name, nil)
	percent = u.Percent()
	return percent, percent || u.Speaks()
}

// name returns the name of an encoding's column in the result, or of its field.
func (c *chartCheck) name(v *chartspec.View, at *viewPoints, i int) string {
	if k := at.columns[i]; k >= 0 {
		return c.result.Names[k]
	}
	return v.Encodings[i].Field
}

// mark checks that the mark and the types fit the values.
func (c *chartCheck) mark(v *chartspec.View, at *viewPoints) {
	p := at.points
	n := 0
	unfit := func(i int, text string) {
		e := &v.Encodings[i]
		c.find(chartFinding{Kind: unfitMark, View: at.view + 1, Channel: e.Channel, Field: printable.Short(e.Field),
			Text: text})
	}
	for i := range v.Encodings {
		e := &v.Encodings[i]
		name := printable.Quoted(printable.Short(cmp.Or(c.name(v, at, i), e.Channel)))
		values := nonNull(p.Columns[i])
		if at.measures[i] {
			n++
		}
		switch {
		case len(values) == 0 && e.Aggregate != "" && len(nonNull(v.Raw(c.result, i))) > 0:
			unfit(i, fmt.Sprintf("the %s of %s is not a number", e.Aggregate, name))
		case len(values) == 0:
		case at.measures[i] && !numeric(values):
			unfit(i, fmt.Sprintf("the axis of %s is quantitative, and its values are not numbers", name))
		case e.Type == "temporal" && e.TimeUnit == "" && !slices.ContainsFunc(values, datable):
			unfit(i, fmt.Sprintf("the axis of %s is one of time, and its values are not days or times", name))
		}
	}
	if n == 0 && p.Rows > 0 && slices.Contains([]string{chartspec.Bar, chartspec.Line, chartspec.Area,
		chartspec.Pie}, v.Mark) {
		for i := range v.Encodings {
			if e := &v.Encodings[i]; e.Channel == chartspec.Y {
				unfit(i, fmt.Sprintf("the %s has no measure: %s is not a number", v.Mark, printable.Quoted(printable.Short(c.name(v, at, i)))))
			}
		}
	}
	if v.Mark == chartspec.Pie {
		c.pie(v, at)
	}
	dims := dimensionsOf(v, at)
	if (v.Mark == chartspec.Line || v.Mark == chartspec.Area) && len(dims) > 0 {
		x := dims[0]
		values := nonNull(p.Columns[x])
		if v.Encodings[x].Channel != chartspec.Color && len(values) > 1 && v.Encodings[x].Type != "ordinal" &&
			!slices.ContainsFunc(values, ordered) {
			c.find(chartFinding{Kind: unordered, View: at.view + 1, Channel: v.Encodings[x].Channel,
				Field: printable.Short(v.Encodings[x].Field),
				Text:  "a line joins categories that have no order"})
		}
	}
	if v.Mark == chartspec.Bar || v.Mark == chartspec.Pie || v.Mark == chartspec.Line {
		c.repeated(at, dims)
	}
}

// repeated warns if several points have the same categories.
func (c *chartCheck) repeated(at *viewPoints, dims []int) {
	if len(dims) == 0 {
		return
	}
	seen := map[string]bool{}
	for r := range at.points.Rows {
		key := keyOfPoint(at.points, dims, r)
		if seen[key] {
			c.find(chartFinding{Kind: repeatedPoints, View: at.view + 1, Point: at.points.Columns[dims[0]][r].String(),
				Text: "several points have the same category, and no aggregate joins them"})
			return
		}
		seen[key] = true
	}
}

// pie checks that the parts of a pie are parts of a whole.
func (c *chartCheck) pie(v *chartspec.View, at *viewPoints) {
	for i := range v.Encodings {
		e := &v.Encodings[i]
		if !at.measures[i] || e.Channel != chartspec.Y {
			continue
		}
		name := c.name(v, at, i)
		sum := new(big.Rat)
		for r, x := range at.points.Columns[i] {
			n, _, ok := chartspec.Number(x)
			if !ok {
				continue
			}
			if n.Sign() < 0 {
				c.find(chartFinding{Kind: unfitMark, View: at.view + 1, Channel: e.Channel,
					Field: printable.Short(e.Field), Point: c.pointName(v, at, r), Got: x.String(),
					Text: "a pie has a part that is negative"})
				return
			}
			sum.Add(sum, n)
		}
		percent, share := shares(name)
		switch {
		case e.Aggregate == "mean" || e.Aggregate == "median" || e.Aggregate == "min" || e.Aggregate == "max" ||
			e.Aggregate == "" && !share && averages(name):
			c.find(chartFinding{Kind: wrongParts, View: at.view + 1, Channel: e.Channel, Field: printable.Short(e.Field),
				Text: fmt.Sprintf("the parts of a pie are averages (%s), which do not add up to a whole", printable.Quoted(printable.Short(cmp.Or(name, e.Aggregate))))})
		case share && at.points.Rows > 0:
			one := near(sum, 1, at.points.Rows) && !percent
			if !one && !near(sum, 100, at.points.Rows) {
				c.find(chartFinding{Kind: wrongParts, View: at.view + 1, Channel: e.Channel,
					Field: printable.Short(e.Field), Expected: "100", Got: sum.FloatString(2),
					Text: fmt.Sprintf("the percentages of the pie add up to %s", sum.FloatString(2))})
			}
		}
	}
}

// near reports whether a sum of n rounded shares is the whole, within half a percent for each up to two.
func near(sum *big.Rat, whole int64, n int) bool {
	limit := big.NewRat(whole*int64(min(n, 4)), 200)
	diff := new(big.Rat).Sub(sum, big.NewRat(whole, 1))
	return diff.Abs(diff).Cmp(limit) <= 0
}

func nonNull(values []scoring.Value) []scoring.Value {
	return slices.DeleteFunc(slices.Clone(values), func(v scoring.Value) bool { return v.IsNull() })
}

// datable reports whether an axis of time can show a value: a day, a time, or the number of a year.
func datable(v scoring.Value) bool {
	if chartspec.Temporal(v) {
		return true
	}
	n, _, ok := chartspec.Number(v)
	return ok && n.IsInt() && n.Sign() > 0
}

// ordered reports whether a category has a place in an order: a number, a time, a month, or a text that begins with or
// ends in a number.
func ordered(v scoring.Value) bool {
	if _, _, ok := chartspec.Number(v); ok || chartspec.Temporal(v) {
		return true
	}
	text := strings.ToLower(strings.TrimSpace(v.String()))
	return naming.MonthNumber(text) != "" || strings.ContainsAny(text, "0123456789") || len(text) == 3 &&
		strings.Contains("mon tue wed thu fri sat sun", text) ||
		strings.HasSuffix(text, "day")
}

// dimensionsOf returns the encodings that are categories, those on an axis first.
func dimensionsOf(v *chartspec.View, at *viewPoints) (dims []int) {
	for _, axis := range []bool{true, false} {
		for i := range v.Encodings {
			e := &v.Encodings[i]
			if onAxis := e.Channel == chartspec.X || e.Channel == chartspec.Y; onAxis == axis && !at.measures[i] {
				dims = append(dims, i)
			}
		}
	}
	return dims
}

func measuresAt(at *viewPoints) (list []int) {
	for i, is := range at.measures {
		if is {
			list = append(list, i)
		}
	}
	return list
}

// pointName returns the categories of a point.
func (c *chartCheck) pointName(v *chartspec.View, at *viewPoints, row int) string {
	var names []string
	for _, i := range dimensionsOf(v, at) {
		names = append(names, at.points.Columns[i][row].String())
	}
	return strings.Join(names, ", ")
}

// axes checks the ends and the scale of the axes.
func (c *chartCheck) axes(v *chartspec.View, at *viewPoints) {
	filled := v.Mark == chartspec.Bar || v.Mark == chartspec.Area
	for i := range v.Encodings {
		e := &v.Encodings[i]
		a := &e.Axis
		values := at.points.Columns[i]
		f := chartFinding{View: at.view + 1, Channel: e.Channel, Field: printable.Short(e.Field)}
		name := printable.Quoted(printable.Short(cmp.Or(c.name(v, at, i), e.Channel)))
		c.outside(v, at, i)
		if !at.measures[i] || e.Channel != chartspec.X && e.Channel != chartspec.Y || v.Mark == chartspec.Pie {
			continue
		}
		if a.Log {
			if !logWords.MatchString(a.Title) {
				f.Kind, f.Text = logAxis, fmt.Sprintf("the axis of %s is logarithmic, and its title does not say so", name)
				c.find(f)
			} else if filled {
				f.Kind, f.Warning, f.Text = logAxis, true, fmt.Sprintf("the lengths over %s are on a logarithmic axis, which has no zero", name)
				c.find(f)
			}
			continue
		}
		if !filled {
			continue
		}
		low, high := sign(a.Low), sign(a.High)
		f.Kind, f.Expected = truncatedAxis, "0"
		f.Text = fmt.Sprintf("the axis of %s does not start at zero, so that lengths do not show the values", name)
		switch {
		case a.Low != nil && low > 0:
			f.Got = a.Low.String()
			c.find(f)
		case a.High != nil && high < 0:
			f.Got = a.High.String()
			c.find(f)
		case a.NoZero && a.Low == nil && a.High == nil && oneSided(values):
			c.find(f)
		}
	}
}

func sign(v *scoring.Value) int {
	if v == nil {
		return 0
	}
	if r, _, ok := chartspec.Number(*v); ok {
		return r.Sign()
	}
	return 0
}

// oneSided reports whether all values are above zero, or all below.
func oneSided(values []scoring.Value) bool {
	above, below := false, false
	for _, v := range values {
		if r, _, ok := chartspec.Number(v); ok {
			above, below = above || r.Sign() > 0, below || r.Sign() < 0
			if r.Sign() == 0 {
				return false
			}
		}
	}
	return above != below
}

// outside finds the points that an axis does not contain.
func (c *chartCheck) outside(v *chartspec.View, at *viewPoints, i int) {
	e := &v.Encodings[i]
	a, count, row := &e.Axis, 0, -1
	var only map[string]bool
	if a.Only != nil {
		only = map[string]bool{}
		for _, x := range a.Only {
			only[chartspec.Key(x)] = true
		}
	}
	for r, x := range at.points.Columns[i] {
		out := !x.IsNull() && only != nil && !at.measures[i] && !only[chartspec.Key(x)]
		if n, _, ok := chartspec.Number(x); ok && a.Log && at.measures[i] {
			out = out || n.Sign() <= 0
		}
		if at.measures[i] || chartspec.Temporal(x) {
			out = out || a.Low != nil && comparable(x, *a.Low) && chartspec.Compare(x, *a.Low) < 0 && !filledFrom(v, a) ||
				a.High != nil && comparable(x, *a.High) && chartspec.Compare(x, *a.High) > 0
		}
		if out {
			if count++; row < 0 {
				row = r
			}
		}
	}
	if count > 0 {
		c.find(chartFinding{Kind: cutOff, View: at.view + 1, Channel: e.Channel, Field: printable.Short(e.Field),
			Point: c.pointName(v, at, row), Got: at.points.Columns[i][row].String(),
			Count: count,
			Text: fmt.Sprintf("the axis of %s cuts off %s", printable.Quoted(printable.Short(cmp.Or(c.name(v, at,
				i), e.Channel))), printable.Count(count, "point"))})
	}
}

// filledFrom reports whether a low end is a fault of bars already, which start there.
func filledFrom(v *chartspec.View, a *chartspec.Axis) bool {
	return (v.Mark == chartspec.Bar || v.Mark == chartspec.Area) && sign(a.Low) > 0
}

// comparable reports whether two values have an order: numbers, or days and times.
func comparable(a, b scoring.Value) bool {
	_, _, x := chartspec.Number(a)
	_, _, y := chartspec.Number(b)
	return x && y || chartspec.Temporal(a) && chartspec.Temporal(b)
}

// order checks the sort of the categories against the order that the question or gold asks for.
func (c *chartCheck) order(v *chartspec.View, at *viewPoints) {
	if v.Mark != chartspec.Bar && v.Mark != chartspec.Line || c.gold == nil {
		return
	}
	dims := dimensionsOf(v, at)
	if len(dims) != 1 || at.points.Rows < 2 {
		return
	}
	input := relationInput(c.in)
	if input.Pred == nil {
		input.Pred = input.Gold
	}
	o := relations.AskedOrder(input)
	if o == nil || len(o.Keys) == 0 || o.Lost {
		return
	}
	rise, fall := cell.Directions(&c.in.Gold.Result.Table.Columns[o.Keys[0]])
	if rise == fall {
		return
	}
	columns := c.columnsOf(v, at.points, at.measures, c.gold)
	by := slices.Index(columns, o.Keys[0])
	e := &v.Encodings[dims[0]]
	if by < 0 || by == dims[0] && e.Sort.By == "" && !v.DataOrder {
		return
	}
	if by == dims[0] && (v.Mark == chartspec.Line ||
		slices.ContainsFunc(at.points.Columns[by], chartspec.Temporal)) && e.Sort.By == "" {
		return
	}
	rows, said := c.displayed(v, at, dims[0])
	if rows == nil {
		return
	}
	up, down := false, false
	example := -1
	for k := 1; k < len(rows); k++ {
		switch chartspec.Compare(at.points.Columns[by][rows[k-1]], at.points.Columns[by][rows[k]]) {
		case -1:
			up = true
			if fall && example < 0 {
				example = rows[k]
			}
		case 1:
			down = true
			if rise && example < 0 {
				example = rows[k]
			}
		}
	}
	if up && down || up && fall || down && rise {
		if v.Reversed && !(up && down) {
			return
		}
		c.find(chartFinding{Kind: wrongOrder, Warning: !said, View: at.view + 1, Channel: e.Channel,
			Field: printable.Short(e.Field),
			Point: at.points.Columns[dims[0]][max(example, 0)].String(), Expected: o.By,
			Text: "the chart's categories are not in the order asked for (" + printable.Short(cmp.Or(o.By, o.Phrase)) + ")"})
	}
}

// displayed returns the rows of the points in the order in which the chart shows them, nil if it is unknown. said
// reports whether the chart states the order, rather than leaving it to the default.
func (c *chartCheck) displayed(v *chartspec.View, at *viewPoints, dim int) (rows []int, said bool) {
	s := v.Encodings[dim].Sort
	rows = positions(at.points.Rows)
	by := -1
	switch s.By {
	case "":
		if v.DataOrder {
			return rows, !at.points.Merged && v.Data != nil
		}
		if c.chart.Form == chartspec.Plain {
			return rows, v.Data != nil && !at.points.Merged
		}
		by = dim // Vega-Lite sorts categories by name
	case "none":
		return rows, true
	case "value":
		by = dim
	case "measure":
		if m := measuresAt(at); len(m) > 0 {
			by = m[0]
		}
	case "field":
		for i := range v.Encodings {
			if f := v.Encodings[i].Field; f != "" && strings.EqualFold(f, s.Field) || naming.Read(f).Same(naming.Read(s.Field)) {
				by = i
			}
		}
		if by < 0 && s.Aggregate == "count" {
			by = slices.IndexFunc(v.Encodings, func(e chartspec.Encoding) bool { return e.Aggregate == "count" })
		}
	case "list":
		place := map[string]int{}
		for i, x := range s.Values {
			place[chartspec.Key(x)] = i
		}
		slices.SortStableFunc(rows, func(a, b int) int {
			x, y := at.points.Columns[dim][a], at.points.Columns[dim][b]
			i, okX := place[chartspec.Key(x)]
			j, okY := place[chartspec.Key(y)]
			if !okX {
				i = len(place)
			}
			if !okY {
				j = len(place)
			}
			return cmp.Compare(i, j)
		})
		return rows, true
	}
	if by < 0 {
		return nil, false
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		order := chartspec.Compare(at.points.Columns[by][a], at.points.Columns[by][b])
		if s.Desc {
			return -order
		}
		return order
	})
	return rows, s.By != ""
}

// axesTogether checks charts with two axes for measures.
func (c *chartCheck) axesTogether() {
	for a := range c.views {
		v := &c.chart.Views[c.views[a].view]
		c.bothAxes(v, &c.views[a])
		if !v.Second {
			continue
		}
		for b := range c.views {
			w := &c.chart.Views[c.views[b].view]
			ms, ns := measuresAt(&c.views[a]), measuresAt(&c.views[b])
			if w.Second || len(ms) == 0 || len(ns) == 0 {
				continue
			}
			e, f := &v.Encodings[ms[0]], &w.Encodings[ns[0]]
			x, y := c.name(v, &c.views[a], ms[0]), c.name(w, &c.views[b], ns[0])
			if x == y && x != "" && e.Aggregate == f.Aggregate {
				c.find(chartFinding{Kind: sameField, View: c.views[a].view + 1, Channel: e.Channel,
					Field: printable.Short(x), Text: fmt.Sprintf("both axes show %s", printable.Quoted(printable.Short(x)))})
				return
			}
			if relation, _ := units.Compare(units.InName(x, nil), units.InName(y, nil)); relation == units.Same {
				continue
			}
			c.find(chartFinding{Kind: twoAxes, Warning: e.Axis.Title != "" && f.Axis.Title != "",
				View: c.views[a].view + 1, Channel: e.Channel, Field: printable.Short(x),
				Text: fmt.Sprintf("%s and %s have separate axes; a reader needs the title of each", printable.Quoted(printable.Short(y)), printable.Quoted(printable.Short(x)))})
			return
		}
	}
}

// bothAxes finds a field that is on both axes of a view.
func (c *chartCheck) bothAxes(v *chartspec.View, at *viewPoints) {
	for i := range v.Encodings {
		for k := range v.Encodings[:i] {
			e, f := &v.Encodings[i], &v.Encodings[k]
			axes := (e.Channel == chartspec.X || e.Channel == chartspec.Y) &&
				(f.Channel == chartspec.X || f.Channel == chartspec.Y)
			same := at.columns[i] >= 0 && at.columns[i] == at.columns[k] || e.Field != "" && !e.Unnamed && e.Field == f.Field
			if axes && e.Channel != f.Channel && same && e.Aggregate == f.Aggregate {
				name := c.name(v, at, i)
				c.find(chartFinding{Kind: sameField, View: at.view + 1, Field: printable.Short(name),
					Text: fmt.Sprintf("both axes show %s", printable.Quoted(printable.Short(name)))})
			}
		}
	}
}

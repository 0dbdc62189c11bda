package metric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/chartspec"
)

// maxPairs is the maximum number of pairs of values that are compared one by one.
const maxPairs = 1_000_000

// columnsOf returns the column of f that each encoding shows, -1 if none is found: by name, then by the most values in
// common, then the only column of that kind that is left.
func (c *chartCheck) columnsOf(v *chartspec.View, p *chartspec.Points, measures []bool, f *chartspec.Frame) []int {
	out := make([]int, len(v.Encodings))
	used, hints := map[int]bool{}, map[int]int{}
	take := func(i, k int) { out[i], used[k] = k, true }
	for i := range v.Encodings {
		e := &v.Encodings[i]
		out[i] = f.Index(e.Field)
		if k := out[i]; k >= 0 && e.Unnamed && sharedValues(p.Columns[i], f.Columns[k], false) == 0 {
			out[i] = -1 // a title that is not the name of the values
			hints[i] = k
		}
		if out[i] >= 0 {
			used[out[i]] = true
		}
	}
	ofGold := f == c.gold && c.gold != c.result
	for _, measure := range []bool{false, true} {
		for i := range v.Encodings {
			if out[i] >= 0 || measures[i] != measure {
				continue
			}
			values := p.Columns[i]
			if !ofGold && v.Encodings[i].Aggregate != "" {
				values = v.Raw(c.result, i)
			}
			best, share := -1, 0.0
			for k := range f.Columns {
				s := sharedValues(values, f.Columns[k], p.Computed && ofGold)
				if used[k] {
					s *= 0.5 // another column is likelier
				}
				if s > share {
					best, share = k, s
				}
			}
			if k, ok := hints[i]; ok && best < 0 {
				best = k
			}
			if best < 0 && v.Encodings[i].Aggregate == "" || best < 0 && ofGold {
				best = onlyColumn(f, used, measure)
			}
			if best >= 0 {
				take(i, best)
			}
		}
	}
	return out
}

// sharedValues returns the share of values that a column holds.
func sharedValues(values, column []scoring.Value, computed bool) float64 {
	if len(values) == 0 {
		return 0
	}
	in := map[string]bool{}
	for _, v := range column {
		in[chartspec.Key(v)] = true
	}
	n := 0
	for _, v := range values {
		if in[chartspec.Key(v)] || len(values)*len(column) <= maxPairs/10 &&
			slices.ContainsFunc(column, func(w scoring.Value) bool { return chartspec.Near(v, w, computed) }) {
			n++
		}
	}
	return float64(n) / float64(len(values))
}

// onlyColumn returns the only unused column that is numeric, or not, and -1 if there are several.
func onlyColumn(f *chartspec.Frame, used map[int]bool, measure bool) int {
	only := -1
	for k := range f.Columns {
		if used[k] || numeric(f.Columns[k]) != measure {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = k
	}
	return only
}

// project returns the points that f has in the columns of the encodings; nil if a column is unknown. Rows of the same
// categories are joined by the view's aggregate if it has one.
func project(v *chartspec.View, at *viewPoints, f *chartspec.Frame, columns []int) *chartspec.Points {
	p := &chartspec.Points{}
	p.Rows = f.Rows
	aggregated := false
	for i, k := range columns {
		if k < 0 {
			return nil
		}
		e := &v.Encodings[i]
		values := f.Columns[k]
		if e.TimeUnit != "" {
			values = slices.Clone(values)
			for r := range values {
				values[r] = chartspec.Truncate(values[r], e.TimeUnit)
			}
		}
		p.Names, p.Columns = append(p.Names, f.Names[k]), append(p.Columns, values)
		aggregated = aggregated || e.Aggregate != ""
	}
	if !aggregated {
		return p
	}
	joined := p.Grouped(dimensionsOf(v, at), func(i int) string {
		if op := v.Encodings[i].Aggregate; op != "count" && op != "valid" {
			return op
		}
		return "sum"
	})
	if joined.Rows == p.Rows {
		return p
	}
	return joined
}

// expectation is a set of points that a view may show.
type expectation struct {
	points *chartspec.Points
	of     string // gold's result, the result
}

// data compares the points of a view with those that it should show.
func (c *chartCheck) data(v *chartspec.View, at *viewPoints) {
	p := at.points
	aggregated := p.Computed
	if v.Data == nil && !aggregated && p.Dropped == 0 {
		c.detail.Points += p.Rows
		c.detail.Right += p.Rows
		return
	}
	expected := c.expectations(v, at, aggregated)
	if c.contradiction(v, at) {
		c.detail.Points += max(p.Rows, 1)
		return
	}
	if len(expected) == 0 {
		kind, text := wrongPoints, "the values of the chart are not those of a column of the result"
		if aggregated {
			kind, text = wrongAggregate, "the chart's aggregate gives none of the columns of gold's result"
		}
		c.find(chartFinding{Kind: kind, View: at.view + 1, Text: text})
		c.detail.Points += max(p.Rows, 1)
		return
	}
	var best pointDifference
	var of string
	for k, e := range expected {
		d := comparePoints(v, at, e.points)
		if k == 0 || d.share() > best.share() {
			best, of = d, e.of
		}
	}
	c.detail.Points += best.all()
	c.detail.Right += best.right
	c.report(v, at, &best, of)
}

// expectations returns the sets of points that a view may show: one of them is enough.
func (c *chartCheck) expectations(v *chartspec.View, at *viewPoints, aggregated bool) (out []expectation) {
	p := at.points
	add := func(p *chartspec.Points, of string) {
		if p != nil {
			out = append(out, expectation{p, of})
		}
	}
	var gold *chartspec.Points
	if c.gold != nil && (c.gold != c.result || v.Data == nil) {
		gold = project(v, at, c.gold, c.columnsOf(v, p, at.measures, c.gold))
	}
	ofResult := project(v, at, c.result, at.columns)
	switch {
	case v.Data == nil:
		add(gold, "gold's result")
		if identity := !p.Merged && !slices.ContainsFunc(v.Encodings, func(e chartspec.Encoding) bool {
			return e.Aggregate == "count" || e.Aggregate == "distinct" || e.Aggregate == "valid"
		}); identity && aggregated || !aggregated || c.gold == nil {
			if all, what := v.Points(c.result, false); what == "" {
				add(all, "the result")
			}
			if aggregated && c.gold == nil {
				c.unchecked("the aggregate, as no gold result is given")
			}
		}
	case aggregated && gold != nil:
		add(gold, "gold's result")
		if !p.Merged {
			add(ofResult, "the result")
		}
	default:
		add(ofResult, "the result")
		if ofResult == nil || ofResult.Rows != p.Rows || aggregated {
			add(gold, "gold's result")
		}
		if ofResult != nil && gold == nil && p.Rows < ofResult.Rows && !aggregated {
			for _, op := range []string{"sum", "mean", "count", "min", "max"} {
				add(ofResult.Grouped(dimensionsOf(v, at), func(int) string { return op }), "the "+op+" of the result")
			}
		}
		if len(out) == 0 && len(v.Steps) > 0 { // the chart reshapes its rows
			named := *v
			named.Data = nil
			if all, what := named.Points(c.result, false); what == "" {
				add(all, "the result")
			}
		}
	}
	return out
}

// contradiction finds an aggregate that has no meaning for its column, unless gold's result has its values.
func (c *chartCheck) contradiction(v *chartspec.View, at *viewPoints) bool {
	if !at.points.Merged || c.gold != nil {
		return false
	}
	for i := range v.Encodings {
		e := &v.Encodings[i]
		name := c.name(v, at, i)
		if e.Aggregate == "sum" && averages(name) || e.Aggregate == "mean" && averages(name) {
			c.find(chartFinding{Kind: wrongAggregate, View: at.view + 1, Channel: e.Channel,
				Field: printable.Short(name), Got: e.Aggregate,
				Text: fmt.Sprintf("the chart shows the %s of averages (%s), which is not the %s of what they are averages of", e.Aggregate, printable.Quoted(printable.Short(name)),
					map[string]string{"sum": "sum", "mean": "mean"}[e.Aggregate])})
			return true
		}
	}
	return false
}

// pointDifference is the outcome of a comparison of points.
type pointDifference struct {
	right    int
	wrong    [][2]int // rows of the chart and of what it should show, which have the same categories
	extra    []int    // rows of the chart
	missing  []int    // rows that it should show
	expected *chartspec.Points
	scale    int // the power of ten by which the chart's values were multiplied
}

func (d *pointDifference) all() int { return d.right + len(d.wrong) + len(d.extra) + len(d.missing) }

func (d *pointDifference) share() float64 { return ratio(d.right, d.all()) }

// scales are the powers of ten between units of one measure: percent, thousand, million, billion.
var scales = []int{-2, 2, 3, 6, 9, -3, -6, -9}

// comparePoints compares the points of a view with others of the same encodings.
func comparePoints(v *chartspec.View, at *viewPoints, expected *chartspec.Points) pointDifference {
	dims, measures := dimensionsOf(v, at), measuresAt(at)
	d := pointDifferenceOf(at.points, expected, dims, measures)
	if d.right == d.all() || d.right > 0 || len(measures) == 0 || at.points.Rows != expected.Rows ||
		at.points.Rows > 5000 || at.points.Computed {
		return d
	}
	for _, power := range scales {
		p := *at.points
		p.Columns = slices.Clone(p.Columns)
		m := measures[0]
		p.Columns[m] = slices.Clone(p.Columns[m])
		for r := range p.Columns[m] {
			p.Columns[m][r] = chartspec.Scaled(p.Columns[m][r], power)
		}
		if s := pointDifferenceOf(&p, expected, dims, measures); s.right == s.all() {
			s.scale = power
			return s
		}
	}
	return d
}

func keyOfPoint(p *chartspec.Points, columns []int, row int) string {
	var b strings.Builder
	for _, i := range columns {
		b.WriteString(chartspec.Key(p.Columns[i][row]))
		b.WriteByte(0)
	}
	return b.String()
}

// pointDifferenceOf compares points as multisets: those with the same categories must have the same measures.
func pointDifferenceOf(p, expected *chartspec.Points, dims, measures []int) pointDifference {
	type group struct{ p, e []int }
	groups := map[string]*group{}
	var keys []string
	at := func(key string) *group {
		g := groups[key]
		if g == nil {
			g = &group{}
			groups[key] = g
			keys = append(keys, key)
		}
		return g
	}
	for r := range p.Rows {
		g := at(keyOfPoint(p, dims, r))
		g.p = append(g.p, r)
	}
	for r := range expected.Rows {
		g := at(keyOfPoint(expected, dims, r))
		g.e = append(g.e, r)
	}
	d := pointDifference{expected: expected}
	for _, key := range keys {
		g := groups[key]
		equal := map[string][]int{}
		for _, r := range g.e {
			k := keyOfPoint(expected, measures, r)
			equal[k] = append(equal[k], r)
		}
		taken := map[int]bool{}
		var left []int
		for _, r := range g.p {
			k := keyOfPoint(p, measures, r)
			if rows := equal[k]; len(rows) > 0 {
				taken[rows[0]], equal[k] = true, rows[1:]
				d.right++
				continue
			}
			left = append(left, r)
		}
		rest := slices.DeleteFunc(slices.Clone(g.e), func(r int) bool { return taken[r] })
		for _, near := range []bool{true, false} {
			var still []int
			for _, r := range left {
				k := -1
				switch {
				case !near && len(rest) > 0:
					k = 0
				case near && len(left)*len(rest) <= maxPairs:
					k = slices.IndexFunc(rest, func(e int) bool {
						return !slices.ContainsFunc(measures, func(m int) bool {
							return !chartspec.Near(p.Columns[m][r], expected.Columns[m][e], p.Computed)
						})
					})
				}
				switch {
				case k < 0:
					still = append(still, r)
					continue
				case near:
					d.right++
				default:
					d.wrong = append(d.wrong, [2]int{r, rest[k]})
				}
				rest = slices.Delete(rest, k, k+1)
			}
			left = still
		}
		d.extra, d.missing = append(d.extra, left...), append(d.missing, rest...)
	}
	return d
}

// report adds the findings of a comparison.
func (c *chartCheck) report(v *chartspec.View, at *viewPoints, d *pointDifference, of string) {
	p := at.points
	f := chartFinding{View: at.view + 1}
	if m := measuresAt(at); len(m) > 0 {
		f.Channel, f.Field = v.Encodings[m[0]].Channel, printable.Short(c.name(v, at, m[0]))
	}
	values := func(of *chartspec.Points, row int) string {
		var out []string
		for _, i := range measuresAt(at) {
			out = append(out, of.Columns[i][row].String())
		}
		return strings.Join(out, ", ")
	}
	if d.scale != 0 {
		f.Kind, f.Text = scaledPoints, fmt.Sprintf("the chart's values are those of the result times 10^%d", -d.scale)
		c.find(f)
	}
	if n := len(d.wrong); n > 0 {
		f := f
		row := d.wrong[0]
		f.Kind, f.Count, f.Point, f.Got, f.Expected = wrongPoints, n, cmp.Or(c.pointName(v, at, row[0]), "a point"),
			values(p, row[0]),
			values(d.expected, row[1])
		f.Text = fmt.Sprintf("%s another value than in %s: %s is %s, expected %s", countHas(n), of, printable.Short(f.Point), printable.Short(f.Got), printable.Short(f.Expected))
		if p.Computed {
			f.Kind = wrongAggregate
			op := c.otherAggregate(v, at, d.expected)
			f.Text = fmt.Sprintf("the chart's aggregate gives %s values than %s has: %s is %s, expected %s", "other", of, printable.Short(f.Point), printable.Short(f.Got), printable.Short(f.Expected))
			if op != "" {
				f.Text += ", which is the " + op
			}
		}
		c.find(f)
	}
	if n := len(d.missing); n > 0 {
		f := f
		f.Kind, f.Count, f.Expected, f.Got = missingPoints, n, values(d.expected, d.missing[0]), ""
		var names []string
		for _, i := range dimensionsOf(v, at) {
			names = append(names, d.expected.Columns[i][d.missing[0]].String())
		}
		f.Point = strings.Join(names, ", ")
		f.Text = fmt.Sprintf("the chart lacks %s of %s", printable.Count(n, "point"), of)
		if p.Dropped > 0 {
			f.Kind = filteredPoints
			f.Text = fmt.Sprintf("the chart's filter drops %s of %s", printable.Count(n, "point"), of)
		}
		c.find(f)
	}
	if n := len(d.extra); n > 0 {
		f := f
		f.Kind, f.Count, f.Point, f.Got, f.Expected = extraPoints, n, c.pointName(v, at, d.extra[0]),
			values(p, d.extra[0]), ""
		f.Text = fmt.Sprintf("the chart has %s that %s lacks", printable.Count(n, "point"), of)
		c.find(f)
	}
}

func countHas(n int) string {
	return printable.Count(n, "point") + " " + printable.Verb(n, "has", "have")
}

// otherAggregate returns the aggregate of the same field that gives the expected points, or "".
func (c *chartCheck) otherAggregate(v *chartspec.View, at *viewPoints, expected *chartspec.Points) string {
	for _, op := range []string{"sum", "mean", "count", "distinct", "min", "max"} {
		w := *v
		w.Encodings = slices.Clone(v.Encodings)
		changed := false
		for i := range w.Encodings {
			if e := &w.Encodings[i]; e.Aggregate != "" && e.Aggregate != op && (e.Field != "" || e.Unnamed || op == "count") {
				e.Aggregate, changed = op, true
			}
		}
		if !changed {
			continue
		}
		if p, what := w.Points(c.result, true); what == "" {
			d := pointDifferenceOf(p, expected, dimensionsOf(v, at), measuresAt(at))
			if d.right == d.all() && d.right > 0 {
				return op
			}
		}
	}
	return ""
}

// goldChart compares the points and the marks with those of gold's chart.
func (c *chartCheck) goldChart() error {
	c.sameAsGold = 1
	if c.in.Gold == nil || len(c.in.Gold.Chart) == 0 {
		return nil
	}
	chart, err := chartspec.Read(c.in.Gold.Chart)
	if err != nil {
		return errcode.New(errcode.Of(err), "gold chart: %w", err)
	}
	from := c.gold
	if from == nil {
		from = c.result
	}
	right, all := 0, 0
	for i := range chart.Views {
		g := &chart.Views[i]
		if missing := g.Missing(from); len(missing) > 0 {
			return errcode.New(errcode.InvalidArgument, "gold chart: gold's result has no column %.60q", missing[0])
		}
		p, what := g.Points(from, true)
		if what != "" || len(g.Undecided) > 0 || len(chart.Undecided) > 0 {
			c.undecided("a part of the gold chart")
			return nil
		}
		want := viewPoints{i, p, measuresOf(g, p), nil}
		best, bestAll, mark := -1, p.Rows, ""
		for k := range c.views {
			v := &c.chart.Views[c.views[k].view]
			d, ok := sameEncodings(v, &c.views[k], g, &want)
			if ok && (best < 0 || d.right*bestAll > best*d.all()) {
				best, bestAll, mark = d.right, d.all(), v.Mark
			}
		}
		right, all = right+max(best, 0), all+max(bestAll, 1)
		switch {
		case best < bestAll || best < 0:
			c.find(chartFinding{Kind: otherChart, View: i + 1, Text: fmt.Sprintf("the chart does not show what view %d of the accepted chart shows", i+1)})
		case markFamily(mark) != markFamily(g.Mark):
			c.find(chartFinding{Kind: unfitMark, View: i + 1, Expected: g.Mark, Got: mark, Text: fmt.Sprintf("the mark is %s, expected %s as in the accepted chart", mark, g.Mark)})
		}
	}
	c.sameAsGold = ratio(right, all)
	return nil
}

// markFamily returns one mark for those that show the same: an area is a line that is filled.
func markFamily(mark string) string {
	if mark == chartspec.Area {
		return chartspec.Line
	}
	return mark
}

// sameEncodings compares the points of two views by their categories and measures, wherever these are shown. Points
// without categories keep their axes. ok is false if the views show different numbers of them.
func sameEncodings(v *chartspec.View, at *viewPoints, g *chartspec.View, want *viewPoints) (d pointDifference,
	ok bool) {
	a, b := dimensionsOf(v, at), dimensionsOf(g, want)
	m, n := measuresAt(at), measuresAt(want)
	if len(a) != len(b) || len(m) != len(n) {
		return d, false
	}
	arranged := func(p *chartspec.Points, columns []int) *chartspec.Points {
		out := &chartspec.Points{Computed: p.Computed}
		out.Rows = p.Rows
		for _, i := range columns {
			out.Names, out.Columns = append(out.Names, p.Names[i]), append(out.Columns, p.Columns[i])
		}
		return out
	}
	byChannel := func(v *chartspec.View, list []int) {
		slices.SortStableFunc(list, func(i, k int) int {
			return strings.Compare(v.Encodings[k].Channel, v.Encodings[i].Channel) // y, x, size, …
		})
	}
	byChannel(v, m)
	byChannel(g, n)
	best := pointDifference{}
	for try := range 2 { // two categories may be exchanged
		if try == 1 && len(a) != 2 {
			break
		}
		if try == 1 {
			a = []int{a[1], a[0]}
		}
		p, e := arranged(at.points, slices.Concat(a, m)), arranged(want.points, slices.Concat(b, n))
		p.Computed = p.Computed || e.Computed
		dims, measures := positions(len(a)), positions(len(a) + len(m))[len(a):]
		d := pointDifferenceOf(p, e, dims, measures)
		if try == 0 || d.share() > best.share() {
			best = d
		}
	}
	return best, true
}

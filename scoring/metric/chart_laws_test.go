package metric_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// chartData is a question with its result, over which charts are drawn.
type chartData struct {
	name, question, goldSQL string
	dim, measure, other     string // columns: of categories, of the measure, another measure
	average                 string // a column of averages in raw
	dimType                 string
	types                   [3]string
	rows                    [][3]string // JSON literals of dim, measure, other, in gold's order
	raw                     [][3]string // rows before the aggregation: dim, measure, average; their sums are rows
}

// The first is for development. The second was held out until the reader was written.
var chartSets = []chartData{
	{
		name: "regions", question: "What is the revenue of each region, highest first?",
		goldSQL: "SELECT region, SUM(amount) AS revenue, COUNT(*) AS orders FROM sales GROUP BY region ORDER BY revenue DESC",
		dim:     "region", measure: "revenue", other: "orders", average: "avg_price", dimType: "nominal",
		types: [3]string{"STRING", "DECIMAL(12,2)", "INT64"},
		rows:  [][3]string{{`"West"`, `812345.10`, `3`}, {`"North"`, `650120.75`, `2`}, {`"South"`, `500250.25`, `2`}, {`"East"`, `433999.00`, `1`}},
		raw: [][3]string{{`"West"`, `500000.10`, `10.5`}, {`"West"`, `300000.00`, `20.25`}, {`"West"`, `12345.00`, `3.75`}, {`"North"`, `650000.75`, `8`},
			{`"North"`, `120.00`, `9.5`}, {`"South"`, `250.25`, `7`}, {`"South"`, `500000.00`, `2.5`}, {`"East"`, `433999.00`, `6`}},
	},
	{
		name: "branches", question: "List the branches by total deposits in descending order.",
		goldSQL: "SELECT branch_code, SUM(deposit) AS total_deposits, COUNT(*) AS accounts FROM accounts GROUP BY branch_code ORDER BY SUM(deposit) DESC",
		dim:     "branch_code", measure: "total_deposits", other: "accounts", average: "mean_balance", dimType: "ordinal",
		types: [3]string{"STRING", "DECIMAL(18,3)", "INT64"},
		rows:  [][3]string{{`"B-07"`, `98765432109.125`, `2`}, {`"B-01"`, `40010.500`, `3`}, {`"B-33"`, `39990.250`, `2`}, {`"B-12"`, `17.005`, `1`}, {`"B-09"`, `0.750`, `1`}},
		raw: [][3]string{{`"B-07"`, `98765432100.000`, `4.25`}, {`"B-07"`, `9.125`, `5.5`}, {`"B-01"`, `40000.000`, `12`}, {`"B-01"`, `10.000`, `1.5`},
			{`"B-01"`, `0.500`, `2`}, {`"B-33"`, `20000.250`, `8`}, {`"B-33"`, `19990.000`, `7.25`}, {`"B-12"`, `17.005`, `3`}, {`"B-09"`, `0.750`, `9`}},
	},
}

// sketch is a chart without the syntax of a form.
type sketch struct {
	mark         string
	x, y         string      // fields
	rows         [][2]string // what is plotted, as JSON literals; named: the chart names the result instead
	named        bool
	aggregate    string
	filter       [3]string
	order        string // asc, desc: of the measure; data: of the rows; "": unsaid
	low, high    string
	log          bool
	title        string
	horizontal   bool
	second       string // a second measure, on an axis of its own
	secondValues []string
}

var chartForms = []string{"vega-lite", "plotly", "plain"}

// drawn writes the sketch in a form. held selects another spelling of everything, with which the held-out set is drawn.
func (s sketch) drawn(form string, held bool) string {
	switch form {
	case "vega-lite":
		return s.vega(held)
	case "plotly":
		return s.plotly(held)
	}
	return s.plain(held)
}

func object(parts ...string) string {
	return "{" + strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ") + "}"
}

func member(name, value string) string {
	if value == "" {
		return ""
	}
	return strconv.Quote(name) + ": " + value
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

func (s sketch) vega(held bool) string {
	data := `{"name": "result"}`
	if held {
		data = `{"url": "data/result.json"}`
	}
	if !s.named {
		var rows []string
		for _, r := range s.rows {
			rows = append(rows, object(member(s.x, r[0]), member(s.y, r[1])))
		}
		data = `{"values": [` + strings.Join(rows, ", ") + `]}`
	}
	axis := ""
	if s.title != "" {
		axis = object(member("title", quoted(s.title)))
	}
	scale := ""
	switch {
	case s.log:
		scale = `{"type": "log"}`
	case s.low != "" && s.high != "":
		scale = `{"domain": [` + s.low + ", " + s.high + `]}`
	case s.low != "" && held:
		scale = `{"domainMin": ` + s.low + `}`
	case s.low != "":
		scale = `{"zero": false}`
	}
	order := map[string]string{"desc": `"-y"`, "asc": `"y"`, "data": "null"}[s.order]
	if held && s.order != "data" && s.order != "" {
		order = object(member("field", quoted(s.y)), member("op", quoted(s.aggregate)), member("order", quoted(map[string]string{"desc": "descending", "asc": "ascending"}[s.order])))
	}
	value := object(member("field", quoted(s.y)), member("aggregate", quoted(s.aggregate)), member("type", `"quantitative"`), member("scale", scale), member("axis", axis))
	if s.aggregate == "count" {
		value = object(member("aggregate", `"count"`), member("type", `"quantitative"`))
	}
	kind := object(member("field", quoted(s.x)), member("type", `"nominal"`), member("sort", order))
	var transform string
	if s.filter[0] != "" {
		transform = `[{"filter": "datum.` + s.filter[0] + " " + s.filter[1] + " " + strings.ReplaceAll(s.filter[2], `"`, "'") + `"}]`
		if held {
			op := map[string]string{"!=": "", "==": "equal", ">": "gt", ">=": "gte", "<": "lt"}[s.filter[1]]
			transform = `[{"filter": {"field": "` + s.filter[0] + `", "` + op + `": ` + s.filter[2] + `}}]`
			if op == "" {
				transform = `[{"filter": {"not": {"field": "` + s.filter[0] + `", "equal": ` + s.filter[2] + `}}}]`
			}
		}
	}
	mark, encoding := s.mark, ""
	switch {
	case s.mark == "pie":
		mark, encoding = "arc", object(member("theta", value), member("color", kind))
	case s.horizontal:
		kind = strings.ReplaceAll(strings.ReplaceAll(kind, `"-y"`, `"-x"`), `"y"`, `"x"`)
		encoding = object(member("x", value), member("y", kind))
	default:
		encoding = object(member("x", kind), member("y", value))
	}
	if held {
		return object(member("$schema", `"https://vega.github.io/schema/vega-lite/v6.json"`), member("data", data), member("transform", transform),
			member("layer", "["+object(member("mark", object(member("type", quoted(mark)), `"tooltip": true`)), member("encoding", encoding))+"]"))
	}
	return object(member("$schema", `"https://vega.github.io/schema/vega-lite/v5.json"`), member("data", data), member("transform", transform),
		member("mark", quoted(mark)), member("encoding", encoding))
}

// typed returns numbers as Plotly writes arrays of float64.
func typed(values []string) string {
	var b []byte
	for _, v := range values {
		f, _ := strconv.ParseFloat(v, 64)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	return `{"dtype": "f8", "bdata": "` + base64.StdEncoding.EncodeToString(b) + `"}`
}

func (s sketch) plotly(held bool) string {
	var x, y []string
	for _, r := range s.rows {
		x, y = append(x, r[0]), append(y, r[1])
	}
	xs, ys := "["+strings.Join(x, ", ")+"]", "["+strings.Join(y, ", ")+"]"
	numeric := !slices.ContainsFunc(y, func(v string) bool { return v[0] == '"' })
	if held && numeric {
		ys = typed(y)
	}
	kind, value := "xaxis", "yaxis"
	trace := []string{member("type", quoted(map[string]string{"bar": "bar", "line": "scatter", "pie": "pie"}[s.mark]))}
	if s.mark == "line" {
		trace = append(trace, `"mode": "lines+markers"`)
	}
	switch {
	case s.aggregate == "count":
		trace = []string{`"type": "histogram"`, member("x", xs)}
	case s.aggregate != "":
		trace = []string{`"type": "histogram"`, member("x", xs), member("y", ys), member("histfunc", quoted(map[string]string{"sum": "sum", "mean": "avg"}[s.aggregate]))}
	case s.mark == "pie":
		trace = append(trace, member("labels", xs), member("values", ys))
	case s.horizontal:
		trace = append(trace, member("x", ys), member("y", xs), `"orientation": "h"`)
		kind, value = value, kind
	default:
		trace = append(trace, member("x", xs), member("y", ys))
	}
	if held && s.mark != "pie" {
		first, second := s.x, s.y
		if s.horizontal {
			first, second = second, first
		}
		trace = append(trace, member("hovertemplate", quoted(first+"=%{x}<br>"+second+"=%{y}<extra></extra>")))
	}
	title := func(text string) string {
		if held {
			return member("title", object(member("text", quoted(text))))
		}
		return member("title", quoted(text))
	}
	valueAxis := []string{title(s.y)}
	if s.title != "" {
		valueAxis = []string{title(s.title)}
	}
	switch {
	case s.log:
		valueAxis = append(valueAxis, `"type": "log"`)
	case s.low != "":
		high := s.high
		if high == "" {
			high = "1e12"
		}
		valueAxis = append(valueAxis, `"range": [`+s.low+", "+high+"]")
	}
	kindAxis := []string{title(s.x)}
	switch s.order {
	case "asc":
		kindAxis = append(kindAxis, `"categoryorder": "total ascending"`)
	case "desc":
		kindAxis = append(kindAxis, `"categoryorder": "total descending"`)
	}
	layout := object(member(kind, object(kindAxis...)), member(value, object(valueAxis...)))
	traces := object(trace...)
	if s.second != "" {
		second := "[" + strings.Join(s.secondValues, ", ") + "]"
		traces += ", " + object(`"type": "scatter"`, member("x", xs), member("y", second), `"yaxis": "y2"`)
		layout = object(member(kind, object(kindAxis...)), `"yaxis": {}`, `"yaxis2": {"overlaying": "y", "side": "right"}`)
	}
	return object(member("data", "["+traces+"]"), member("layout", layout))
}

func (s sketch) plain(held bool) string {
	x, y := quoted(s.x), quoted(s.y)
	parts := []string{member("mark", quoted(s.mark))}
	if held {
		parts = []string{member("chart_type", quoted(s.mark+" chart"))}
	}
	if s.filter[0] != "" {
		text := s.filter[0] + " " + s.filter[1] + " " + s.filter[2]
		if held {
			parts = append(parts, member("filter", object(member("field", quoted(s.filter[0])), member("op", quoted(s.filter[1])), member("value", s.filter[2]))))
		} else {
			parts = append(parts, member("filter", quoted(text)))
		}
	}
	if s.aggregate != "" {
		switch {
		case held && s.aggregate == "count":
			y = `"COUNT(*)"`
		case held:
			y = quoted(strings.ToUpper(map[string]string{"mean": "avg", "sum": "sum"}[s.aggregate]) + "(" + s.y + ")")
		case s.aggregate == "count":
			y = ""
			parts = append(parts, `"aggregate": "count"`)
		default:
			parts = append(parts, member("aggregate", quoted(s.aggregate)))
		}
	}
	if s.order != "" && s.order != "data" {
		text := map[string]string{"desc": "-y", "asc": "y"}[s.order]
		if held {
			text = s.y + map[string]string{"desc": " desc", "asc": " asc"}[s.order]
		}
		parts = append(parts, member("sort", quoted(text)))
	}
	switch {
	case s.log:
		parts = append(parts, `"y_scale": "log"`)
	case s.low != "" && s.high != "":
		parts = append(parts, `"y_domain": [`+s.low+", "+s.high+"]")
	case s.low != "":
		parts = append(parts, member("y_min", s.low))
	}
	parts = append(parts, member("y_title", quoted(s.title)))
	if !s.named {
		var rows []string
		for _, r := range s.rows {
			rows = append(rows, object(member(s.x, r[0]), member(s.y, r[1])))
		}
		parts = append(parts, `"data": [`+strings.Join(rows, ", ")+"]")
	}
	if s.second != "" {
		parts = append(parts, member("y2", quoted(s.second)))
	}
	if s.horizontal {
		x, y = y, x
	}
	switch {
	case s.mark == "pie":
		parts = append(parts, member("labels", x), member("values", y))
	case s.second == "" || !held:
		parts = append(parts, member("x", x), member("y", y))
	default:
		parts = append(parts, member("x", object(member("field", x))), member("y", object(member("field", y))))
	}
	return object(parts...)
}

// chartLaw is a law: how a chart of the data is drawn, and whether it is right.
type chartLaw struct {
	name  string
	right bool
	draw  func(d chartData) sketch
	// result replaces the agent's result; nil: it is gold's.
	result func(d chartData) string
	only   []string // the forms in which the law can be written; nil: all
	gold   string   // a question and a query without an order
}

func resultOf(names [3]string, types [3]string, rows [][3]string) string {
	var columns, lines []string
	for i := range names {
		columns = append(columns, fmt.Sprintf(`{"name": %q, "type": %q}`, names[i], types[i]))
	}
	for _, r := range rows {
		lines = append(lines, "["+strings.Join(r[:], ", ")+"]")
	}
	return `{"columns": [` + strings.Join(columns, ", ") + `], "rows": [` + strings.Join(lines, ", ") + "]}"
}

func (d chartData) result() string {
	return resultOf([3]string{d.dim, d.measure, d.other}, d.types, d.rows)
}

func (d chartData) rawResult() string {
	return resultOf([3]string{d.dim, "amount", d.average}, [3]string{"STRING", d.types[1], "DECIMAL(10,2)"}, d.raw)
}

// shown returns the points of the measure as they are.
func (d chartData) shown() (points [][2]string) {
	for _, r := range d.rows {
		points = append(points, [2]string{r[0], r[1]})
	}
	return points
}

func (d chartData) rawShown(column int) (points [][2]string) {
	for _, r := range d.raw {
		points = append(points, [2]string{r[0], r[column]})
	}
	return points
}

func (d chartData) bar() sketch {
	return sketch{mark: "bar", x: d.dim, y: d.measure, rows: d.shown(), named: true}
}

func (d chartData) inline(change func(points [][2]string) [][2]string) sketch {
	s := d.bar()
	s.named, s.rows, s.order = false, change(s.rows), "desc"
	return s
}

func without(points [][2]string, i int) [][2]string {
	return slices.Delete(slices.Clone(points), i, i+1)
}

var noPlotly = []string{"vega-lite", "plain"}

// chartLaws were written before the reader of charts. Each gives a case for each set of data and each form.
var chartLaws = []chartLaw{
	{name: "the result as bars", right: true, draw: chartData.bar},
	{name: "bars in gold's order", right: true, draw: func(d chartData) sketch { s := d.bar(); s.order = "desc"; return s }},
	{name: "bars that lie", right: true, draw: func(d chartData) sketch {
		s := d.bar()
		s.horizontal, s.order = true, "data"
		return s
	}, only: []string{"vega-lite", "plotly"}},
	{name: "parts of a pie", right: true, draw: func(d chartData) sketch { s := d.bar(); s.mark = "pie"; return s }},
	{name: "points written into the chart", right: true, draw: func(d chartData) sketch { return d.inline(func(p [][2]string) [][2]string { return p }) }},
	{name: "points in another order, sorted by the chart", right: true, draw: func(d chartData) sketch {
		return d.inline(func(p [][2]string) [][2]string { p = slices.Clone(p); slices.Reverse(p); return p })
	}},
	{name: "rounded to one decimal digit", right: true, draw: func(d chartData) sketch {
		return d.inline(func(p [][2]string) [][2]string {
			p = slices.Clone(p)
			p[0][1] = map[string]string{"812345.10": "812345.1", "98765432109.125": "98765432109.1"}[p[0][1]]
			return p
		})
	}},
	{name: "another measure of the result", right: true, gold: "unordered", draw: func(d chartData) sketch {
		s := d.bar()
		s.y = d.other
		for i := range s.rows {
			s.rows[i][1] = d.rows[i][2]
		}
		return s
	}},
	{name: "letter case of names", right: true, draw: func(d chartData) sketch {
		s := d.bar()
		s.x, s.y = strings.ToUpper(s.x), strings.ReplaceAll(s.y, "_", " ")
		return s
	}},
	{name: "axis from zero beyond the largest", right: true, draw: func(d chartData) sketch { s := d.bar(); s.low, s.high = "0", "1e12"; return s }},
	{name: "filter that drops nothing", right: true, draw: func(d chartData) sketch { s := d.bar(); s.filter = [3]string{d.measure, ">", "0"}; return s }},
	{name: "sum of the rows is gold", right: true, result: chartData.rawResult, draw: func(d chartData) sketch {
		return sketch{mark: "bar", x: d.dim, y: "amount", rows: d.rawShown(1), named: true, aggregate: "sum"}
	}},
	{name: "count of the rows is gold", right: true, result: chartData.rawResult, gold: "count", draw: func(d chartData) sketch {
		return sketch{mark: "bar", x: d.dim, y: "amount", rows: d.rawShown(1), named: true, aggregate: "count"}
	}},
	{name: "logarithmic line, labelled", right: true, draw: func(d chartData) sketch {
		s := d.bar()
		s.mark, s.log, s.title = "line", true, d.measure+" (log scale)"
		return s
	}},

	{name: "field that the result lacks", draw: func(d chartData) sketch { s := d.bar(); s.y = "profit_margin"; return s }, only: noPlotly},
	{name: "a value changed", draw: func(d chartData) sketch {
		return d.inline(func(p [][2]string) [][2]string { p = slices.Clone(p); p[1][1] = "51234.5"; return p })
	}},
	{name: "a value off by half a percent", draw: func(d chartData) sketch {
		return d.inline(func(p [][2]string) [][2]string {
			p = slices.Clone(p)
			p[1][1] = map[string]string{"650120.75": "653120.75", "40010.500": "40190.500"}[p[1][1]]
			return p
		})
	}},
	{name: "two values exchanged", draw: func(d chartData) sketch {
		return d.inline(func(p [][2]string) [][2]string {
			p = slices.Clone(p)
			p[0][1], p[1][1] = p[1][1], p[0][1]
			return p
		})
	}},
	{name: "a point left out", draw: func(d chartData) sketch { return d.inline(func(p [][2]string) [][2]string { return without(p, 2) }) }},
	{name: "a point added", draw: func(d chartData) sketch {
		return d.inline(func(p [][2]string) [][2]string { return append(slices.Clone(p), [2]string{`"Other"`, "77.5"}) })
	}},
	{name: "one value in thousands", draw: func(d chartData) sketch {
		return d.inline(func(p [][2]string) [][2]string {
			p = slices.Clone(p)
			p[0][1] = map[string]string{"812345.10": "812.3451", "98765432109.125": "98765432.109125"}[p[0][1]]
			return p
		})
	}},
	{name: "filter that drops a category", draw: func(d chartData) sketch {
		s := d.bar()
		s.filter = [3]string{d.dim, "!=", d.rows[2][0]}
		s.rows = without(s.rows, 2)
		return s
	}},
	{name: "filter that drops small values", draw: func(d chartData) sketch {
		s := d.bar()
		last := len(s.rows) - 1
		s.filter = [3]string{d.measure, ">", s.rows[last][1]}
		s.rows = without(s.rows, last)
		return s
	}},
	{name: "bars sorted against gold", draw: func(d chartData) sketch { s := d.bar(); s.order = "asc"; return s }},
	{name: "axis of bars cut off", draw: func(d chartData) sketch { s := d.bar(); s.low = d.rows[len(d.rows)-1][1]; return s }},
	{name: "domain below the largest", draw: func(d chartData) sketch { s := d.bar(); s.low, s.high = "0", d.rows[1][1]; return s }},
	{name: "logarithmic bars without a word", draw: func(d chartData) sketch { s := d.bar(); s.log = true; return s }},
	{name: "mean where gold has the sum", result: chartData.rawResult, draw: func(d chartData) sketch {
		return sketch{mark: "bar", x: d.dim, y: "amount", rows: d.rawShown(1), named: true, aggregate: "mean"}
	}},
	{name: "count where gold has the sum", result: chartData.rawResult, gold: "sum", draw: func(d chartData) sketch {
		return sketch{mark: "bar", x: d.dim, y: "amount", rows: d.rawShown(1), named: true, aggregate: "count"}
	}},
	{name: "sum of averages", result: chartData.rawResult, gold: "none", draw: func(d chartData) sketch {
		return sketch{mark: "bar", x: d.dim, y: d.average, rows: d.rawShown(2), named: true, aggregate: "sum"}
	}},
	{name: "mean of averages", result: chartData.rawResult, gold: "none", draw: func(d chartData) sketch {
		return sketch{mark: "bar", x: d.dim, y: d.average, rows: d.rawShown(2), named: true, aggregate: "mean"}
	}},
	{name: "negative part of a pie", gold: "none", result: func(d chartData) string {
		rows := slices.Clone(d.rows)
		rows[1][1] = "-" + rows[1][1]
		return resultOf([3]string{d.dim, d.measure, d.other}, d.types, rows)
	}, draw: func(d chartData) sketch {
		s := d.bar()
		s.mark = "pie"
		s.rows[1][1] = "-" + s.rows[1][1]
		return s
	}},
	{name: "percentages of a pie that do not add up", gold: "none", result: func(d chartData) string {
		rows := slices.Clone(d.rows)
		for i := range rows {
			rows[i][1] = strconv.Itoa(10 + 3*i)
		}
		return resultOf([3]string{d.dim, "share_percent", d.other}, d.types, rows)
	}, draw: func(d chartData) sketch {
		s := d.bar()
		s.mark, s.y = "pie", "share_percent"
		for i := range s.rows {
			s.rows[i][1] = strconv.Itoa(10 + 3*i)
		}
		return s
	}},
	{name: "one field on both axes", draw: func(d chartData) sketch {
		s := d.bar()
		s.x = d.measure
		for i := range s.rows {
			s.rows[i][0] = s.rows[i][1]
		}
		return s
	}},
	{name: "text as height", draw: func(d chartData) sketch {
		s := d.bar()
		s.x, s.y = d.other, d.dim
		for i := range s.rows {
			s.rows[i] = [2]string{d.rows[i][2], d.rows[i][0]}
		}
		return s
	}, only: []string{"vega-lite", "plotly"}}, // plain fields without types are bars that lie
	{name: "two axes, neither labelled", draw: func(d chartData) sketch {
		s := d.bar()
		s.second = d.other
		for i := range d.rows {
			s.secondValues = append(s.secondValues, d.rows[i][2])
		}
		return s
	}, only: []string{"plotly", "plain"}},
}

type chartCase struct {
	name, line string
	right      bool
}

// chartCases returns the labelled cases over a set of data.
func chartCases(d chartData, held bool) (cases []chartCase) {
	for _, law := range chartLaws {
		for _, form := range chartForms {
			if law.only != nil && !slices.Contains(law.only, form) {
				continue
			}
			question, sql, gold := d.question, d.goldSQL, d.result()
			switch law.gold {
			case "unordered":
				question, sql = "What are "+d.measure+" and "+d.other+" by "+d.dim+"?", ""
			case "count":
				rows := slices.Clone(d.rows)
				question, sql = "How many rows are there by "+d.dim+"?", ""
				gold = fmt.Sprintf(`{"columns": [%q, "n"], "rows": [`, d.dim)
				for i, r := range rows {
					if i > 0 {
						gold += ", "
					}
					gold += "[" + r[0] + ", " + r[2] + "]"
				}
				gold += "]}"
			case "none":
				question, sql, gold = "Show the data by "+d.dim, "", ""
			case "sum":
				sql = ""
				gold = fmt.Sprintf(`{"columns": [%q, %q], "rows": [`, d.dim, d.measure)
				for i, r := range d.rows {
					if i > 0 {
						gold += ", "
					}
					gold += "[" + r[0] + ", " + r[1] + "]"
				}
				gold += "]}"
			}
			result := d.result()
			if law.result != nil {
				result = law.result(d)
			}
			c := object(member("case_id", quoted(law.name)), member("question", quoted(question)),
				member("gold", object(member("sql", quoted(sql)), member("result", gold))),
				member("agent", object(member("result", result), member("chart", law.draw(d).drawn(form, held)))))
			cases = append(cases, chartCase{d.name + "/" + form + "/" + law.name, c, law.right})
		}
	}
	return cases
}

// Charts drawn by laws pass if and only if they show the result. The held-out set differs in its data and in the
// spelling of every form.
func TestChartLaws(t *testing.T) {
	t.Parallel()
	var metrics []scoring.Metric
	for _, m := range metric.All() {
		if m.Name == "chart_match" {
			metrics = append(metrics, m)
		}
	}
	engine, err := scoring.NewEngine(metrics, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range chartSets {
		right, wrong, passed, refused := 0, 0, 0, 0
		for _, x := range chartCases(d, i == 1) {
			if !json.Valid([]byte(x.line)) {
				t.Fatalf("%s: not JSON: %s", x.name, x.line)
			}
			c, err := scoring.DecodeCase([]byte(x.line))
			if err != nil {
				t.Fatalf("%s: %v", x.name, err)
			}
			scores, err := engine.Score(context.Background(), c, scoring.AllMetrics)
			if err != nil {
				t.Fatal(err)
			}
			s := scores[0]
			passes := s.Passed != nil && *s.Passed
			if x.right {
				right++
			} else {
				wrong++
			}
			switch {
			case x.right && passes:
				passed++
			case !x.right && s.Passed != nil && !passes:
				refused++
			default:
				t.Errorf("%s: right is %v, got %s %v: %s\n%s", x.name, x.right, s.Status, s.Value, s.Reason, x.line)
			}
		}
		t.Logf("%s: %d of %d right charts pass, %d of %d wrong ones do not", d.name, passed, right, refused, wrong)
	}
}

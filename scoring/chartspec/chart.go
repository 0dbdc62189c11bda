package chartspec

import (
	"bytes"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
)

// The forms of charts.
const (
	VegaLite = "vega-lite"
	Plotly   = "plotly"
	Plain    = "plain"
)

// Marks of views. Other marks keep their name in lower case.
const (
	Bar   = "bar"
	Line  = "line"
	Area  = "area"
	Point = "point"
	Pie   = "pie"
)

// Chart is a chart in any form.
type Chart struct {
	Form      string
	Views     []View
	Undecided []string // parts of the chart that are not read and may change what it shows
}

// View is a layer, a trace or one of several charts.
type View struct {
	Mark      string
	Name      string // the name of a trace
	Data      *Frame // the rows written into the chart; nil if the chart names the result
	Steps     []Step // filters and other transformations, in their order
	Encodings []Encoding
	Undecided []string
	DataOrder bool // categories are in the order of the rows, unless sorted
	Aggregate bool // the aggregate is that of whichever axis is a number, see [View.Orient]
	Reversed  bool // the first category is at the bottom
	Second    bool // its value axis is a second one
}

// Channels of encodings. X and Y are those of a bar that stands; the angle of a pie is [Y], its categories are [Color].
const (
	X     = "x"
	Y     = "y"
	Color = "color"
)

// Encoding binds a channel to a field.
type Encoding struct {
	Channel   string
	Field     string // "" for a count of rows
	Unnamed   bool   // the field is a list of values without a name; Field is a name that the chart suggests, or ""
	Aggregate string // sum, mean, median, min, max, count, distinct, valid; "" for none
	Type      string // quantitative, nominal, ordinal, temporal; "" if unsaid
	TimeUnit  string // year, yearquarter, yearmonth, yearmonthdate
	Sort      Sort
	Axis      Axis
}

// Measure reports whether the encoding shows a number by its position, angle or size.
func (e *Encoding) Measure() bool {
	return e.Aggregate != "" || e.Type == "quantitative" && e.TimeUnit == ""
}

// Sort is the order of the categories of an encoding.
type Sort struct {
	// value: by the field; measure: by the other axis; field: by Field; list: as Values; none: as the rows are
	By        string
	Field     string          // for field
	Aggregate string          // for field
	Desc      bool            // descending
	Values    []scoring.Value // for list
}

// Axis is the axis, or the scale, of an encoding.
type Axis struct {
	Title     string
	Zero      bool // it is said to include zero
	NoZero    bool // it does not have to include zero
	Log       bool
	Low, High *scoring.Value  // ends; nil if unsaid
	Only      []scoring.Value // the only categories that are shown; nil for all
	Hidden    bool
}

// picture matches texts that are a picture, or the address of one, and no description.
var picture = lazyregexp.New(`(?is)^(data:image/|<svg|<img|!\[|\S+\.(png|jpe?g|gif|svg|webp|pdf)(\?\S*)?$|iVBORw0KGgo|/9j/)`)

// Picture reports whether the text of a chart is a picture, which is not read.
func Picture(raw []byte) bool {
	raw = unwrapped(raw[:min(len(raw), MaxBytes)])
	return len(raw) > 0 && raw[0] != '{' && raw[0] != '[' && picture.Match(raw[:min(len(raw), 4096)])
}

// Read reads a chart: a JSON object, or a string or a Markdown fence that contains one.
func Read(raw []byte) (*Chart, error) {
	if len(raw) > MaxBytes {
		return nil, errcode.New(errcode.ResourceExhausted, "the chart has %d bytes, expected at most %d", len(raw), MaxBytes)
	}
	raw = unwrapped(raw)
	if len(raw) == 0 || raw[0] != '{' && raw[0] != '[' {
		return nil, errcode.New(errcode.InvalidArgument,
			"expected a JSON object: Vega-Lite, a Plotly figure, or fields such as {\"mark\": \"bar\", \"x\": \"region\", \"y\": \"revenue\"}")
	}
	n, err := parse(raw)
	if err != nil {
		return nil, err
	}
	m, err := chartOf(n)
	if err != nil {
		return nil, err
	}
	c := &Chart{}
	switch {
	case isFigure(m):
		c.Form = Plotly
		err = c.readFigure(m)
	case isVega(m):
		c.Form = VegaLite
		err = c.readVega(m)
	default:
		c.Form = Plain
		err = c.readPlain(m)
	}
	if err != nil {
		return nil, err
	}
	if len(c.Views) == 0 {
		return nil, errcode.New(errcode.InvalidArgument, "the chart has no mark, trace or axis that is known")
	}
	return c, nil
}

// chartOf returns the members of the only chart in a node: an object, the traces of a figure alone, a list of one
// chart, or an object or a string that contains one.
func chartOf(n node) (members, error) {
	for range 4 { // wrappers within each other
		switch v := n.(type) {
		case []node:
			if len(v) == 0 {
				return nil, errcode.New(errcode.InvalidArgument, "expected a JSON object")
			}
			if trace, ok := v[0].(members); ok && isTrace(trace) {
				return members{"data": v}, nil
			}
			if len(v) > 1 {
				return nil, errcode.New(errcode.Unimplemented, "unsupported list of %d charts, expected one", len(v))
			}
			n = v[0]
			continue
		case string:
			inner, err := parse(unwrapped([]byte(v)))
			if err != nil || scalar(inner) {
				return nil, errcode.New(errcode.InvalidArgument, "expected a JSON object")
			}
			n = inner
			continue
		case members:
			inner := wrapped(v)
			if inner == nil {
				return v, otherLibrary(v)
			}
			n = inner
			continue
		}
		break
	}
	if m, ok := n.(members); ok {
		return m, otherLibrary(m)
	}
	return nil, errcode.New(errcode.InvalidArgument, "expected a JSON object")
}

// wrapped returns the chart that an object contains, or nil if the object is the chart.
func wrapped(m members) node {
	if m["mark"] != nil || m["data"] != nil || m["repeat"] != nil || m["facet"] != nil {
		return nil
	}
	for _, name := range []string{"spec", "chart", "chart_spec", "figure", "fig", "vega_lite", "vegalite",
		"vega_lite_spec", "plotly", "plotly_json", "charts"} {
		switch inner := m[name].(type) {
		case members:
			return inner
		case []node:
			if name == "charts" {
				return inner
			}
		case string:
			if strings.HasPrefix(strings.TrimSpace(inner), "{") {
				return inner
			}
		}
	}
	return nil
}

// otherLibrary returns an error for a chart of a library whose charts are not read.
func otherLibrary(m members) error {
	name := ""
	series, _ := m["series"].([]node)
	var first members
	if len(series) > 0 {
		first, _ = series[0].(members)
	}
	switch {
	case strings.Contains(m.text("$schema"), "/schema/vega/"):
		name = "Vega"
	case m.object("data").list("datasets") != nil:
		name = "Chart.js"
	case first["data"] != nil || m["series"] != nil && m.object("dataset") != nil:
		name = "ECharts or Highcharts"
	default:
		return nil
	}
	return errcode.New(errcode.Unimplemented, "unsupported chart of %s, expected Vega-Lite, Plotly or plain fields", name)
}

func isFigure(m members) bool {
	data := m.list("data")
	if len(data) == 0 {
		return false
	}
	first, ok := data[0].(members)
	if ok && m["layout"] != nil && first.text("type") != "" && m["mark"] == nil && m["encoding"] == nil {
		return true // also of a type without arrays, such as an indicator
	}
	return ok && m["mark"] == nil && m["encoding"] == nil && isTrace(first) &&
		(m["layout"] != nil || m["x"] == nil && m["y"] == nil && m["labels"] == nil)
}

// isTrace reports whether an object has arrays of values, as traces do.
func isTrace(m members) bool {
	for _, name := range []string{"x", "y", "z", "labels", "values"} {
		switch v := m[name].(type) {
		case []node:
			return true
		case members:
			if v["bdata"] != nil {
				return true
			}
		}
	}
	return false
}

func isVega(m members) bool {
	if strings.Contains(m.text("$schema"), "vega") {
		return true
	}
	for _, name := range []string{"encoding", "layer", "concat", "hconcat", "vconcat", "repeat", "facet"} {
		switch m[name].(type) {
		case members:
			if name != "facet" || m["spec"] != nil {
				return true
			}
		case []node:
			return true
		}
	}
	return false
}

// add appends a view, and fails beyond the limit.
func (c *Chart) add(v View) error {
	if len(c.Views) >= MaxViews {
		return errcode.New(errcode.ResourceExhausted, "more than %d views", MaxViews)
	}
	c.Views = append(c.Views, v)
	return nil
}

// undecided adds a part that is not read.
func (v *View) undecided(what string) {
	if !slices.Contains(v.Undecided, what) {
		v.Undecided = append(v.Undecided, what)
	}
}

// markOf returns the mark that a name means, in any form: "bar chart", "column", "arc", "donut".
func markOf(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.NewReplacer("_", " ", "-", " ").Replace(name)
	name = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "chart"), "plot"), "graph"))
	words := strings.Fields(name)
	for _, w := range words {
		switch w {
		case "bar", "bars", "column", "columns", "barh", "lollipop":
			return Bar
		case "line", "lines", "trail":
			return Line
		case "area":
			return Area
		case "point", "points", "scatter", "circle", "square", "bubble", "dot":
			return Point
		case "pie", "donut", "doughnut", "arc":
			return Pie
		}
	}
	return name
}

// aggregateOf returns the aggregate that a name means. known is false for a name that is none or is not computed.
func aggregateOf(name string) (aggregate string, known bool) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "", "none", "identity":
		return "", true
	case "sum", "total":
		return "sum", true
	case "mean", "avg", "average":
		return "mean", true
	case "count", "size":
		return "count", true
	case "distinct", "nunique", "count_distinct", "countdistinct", "unique", "distinct_count":
		return "distinct", true
	case "valid":
		return "valid", true
	case "min", "minimum":
		return "min", true
	case "max", "maximum":
		return "max", true
	case "median":
		return "median", true
	}
	return "", false
}

// Frame is a table of values.
type Frame struct {
	Names   []string
	Columns [][]scoring.Value
	Rows    int
}

// column returns the values of a field, or nil. An exact name precedes the same name in another form.
func (f *Frame) index(name string) int {
	if i := slices.Index(f.Names, name); i >= 0 {
		return i
	}
	return slices.IndexFunc(f.Names, func(n string) bool { return sameName(n, name) })
}

// frameOf returns rows that are objects, lists or scalars as a frame. ok is false if they are nested or mixed.
func frameOf(rows []node) (f *Frame, ok bool) {
	f = &Frame{Rows: len(rows)}
	if len(rows) == 0 {
		return f, true
	}
	at := map[string]int{}
	for _, r := range rows {
		m, isObject := r.(members)
		if !isObject {
			if !scalar(r) {
				return nil, false
			}
			m = members{"data": r}
		}
		for _, name := range m.names() {
			if _, there := at[name]; !there {
				if len(at)*len(rows) > 10*MaxPoints {
					return nil, false
				}
				at[name] = len(f.Names)
				f.Names = append(f.Names, name)
				f.Columns = append(f.Columns, make([]scoring.Value, len(rows)))
			}
		}
	}
	for i, r := range rows {
		m, isObject := r.(members)
		if !isObject {
			m = members{"data": r}
		}
		for name, n := range m {
			if !scalar(n) {
				return nil, false
			}
			f.Columns[at[name]][i] = valueOf(n)
		}
	}
	return f, true
}

// TableFrame returns a result as a frame, or an error if it has more than [MaxPoints] rows.
func TableFrame(t *scoring.Table) (*Frame, error) {
	if t.Rows() > MaxPoints || t.Rows()*len(t.Columns) > 20*MaxPoints {
		return nil, errcode.New(errcode.ResourceExhausted, "the result has %d rows of %d columns; a chart is compared with at most %d rows",
			t.Rows(), len(t.Columns), MaxPoints)
	}
	f := &Frame{Rows: t.Rows()}
	for i := range t.Columns {
		c := &t.Columns[i]
		values := make([]scoring.Value, c.Len())
		for k := range values {
			values[k] = c.Value(k)
		}
		f.Names, f.Columns = append(f.Names, c.Name), append(f.Columns, values)
	}
	return f, nil
}

// cut returns text for messages: at most 60 bytes on one line.
func cut(text string) string {
	text = string(bytes.Join(bytes.Fields([]byte(text)), []byte(" ")))
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}

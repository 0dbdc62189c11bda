package chartspec

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
)

func (c *Chart) readFigure(m members) error {
	layout := m.object("layout")
	if m["frames"] != nil && len(m.list("frames")) > 0 {
		c.Undecided = append(c.Undecided, "frames of an animation")
	}
	total := 0
	for i, n := range m.list("data") {
		trace, ok := n.(members)
		if !ok {
			return errcode.New(errcode.InvalidArgument, "data[%d]: expected a trace, which is an object", i)
		}
		if trace["visible"] == false {
			continue
		}
		v, err := traceView(trace, layout, m["layout"] != nil)
		if err != nil {
			return errcode.New(errcode.Of(err), "data[%d]: %w", i, err)
		}
		if v.Data != nil {
			if total += v.Data.Rows; total > MaxPoints {
				return errcode.New(errcode.ResourceExhausted, "more than %d points", MaxPoints)
			}
		}
		if err := c.add(v); err != nil {
			return err
		}
	}
	return nil
}

// hoverNames matches the names of fields in a hovertemplate, as Plotly Express writes them: region=%{x}.
var hoverNames = lazyregexp.New(`([^<>=%{}]{1,80})=%\{(x|y|label|value)[^}]{0,40}\}`)

func traceView(m, layout members, laidOut bool) (v View, err error) {
	kind := m.text("type")
	if kind == "" {
		kind = "scatter"
	}
	v = View{Name: m.text("name"), DataOrder: true, Data: &Frame{}}
	names := map[string]string{}
	for _, found := range hoverNames.FindAllStringSubmatch(m.text("hovertemplate"), 8) {
		names[found[2]] = strings.TrimSpace(found[1])
	}
	if len(m.list("transforms")) > 0 {
		v.undecided("transforms of a trace")
	}
	for _, name := range []string{"x0", "dx", "y0", "dy", "label0", "dlabel", "z", "xsrc"} {
		if m[name] != nil && (name != "xsrc" || m["x"] == nil) {
			v.undecided("the member " + quote(name) + " of a trace")
		}
	}
	across := m.text("orientation") == "h"
	xAxis, yAxis := axisOf(layout, "x", m.text("xaxis")), axisOf(layout, "y", m.text("yaxis"))
	v.Second = axisOf(layout, "y", m.text("yaxis")).text("overlaying") != "" ||
		axisOf(layout, "x", m.text("xaxis")).text("overlaying") != ""
	switch kind {
	case "bar":
		v.Mark = Bar
	case "scatter", "scattergl":
		mode := m.text("mode")
		switch fill := m.text("fill"); {
		case fill != "" && fill != "none" || m["stackgroup"] != nil:
			v.Mark = Area
		case strings.Contains(mode, "lines") || mode == "":
			v.Mark = Line
		default:
			v.Mark = Point
		}
	case "pie":
		v.Mark = Pie
		if err := v.values(Color, m["labels"], names["label"], nil); err != nil {
			return v, err
		}
		err := v.values(Y, m["values"], names["value"], nil)
		if len(v.Encodings) == 1 && m["values"] == nil { // the labels are counted
			v.Encodings = append(v.Encodings, Encoding{Channel: Y, Aggregate: "count"})
		}
		return v, err
	case "histogram":
		return v, v.histogram(m, xAxis, yAxis, names)
	default:
		v.Mark = kind
		v.undecided("a trace of the type " + quote(kind))
		return v, nil
	}
	v.Reversed = across && v.Mark == Bar
	if err := v.values(X, m["x"], names["x"], xAxis); err != nil {
		return v, err
	}
	if err := v.values(Y, m["y"], names["y"], yAxis); err != nil {
		return v, err
	}
	for i := range v.Encodings {
		e := &v.Encodings[i]
		value := e.Channel == Y && !across || e.Channel == X && across
		if v.Mark == Bar && value {
			e.Type = "quantitative"
		}
		if v.Mark == Bar && !value {
			e.Type = "ordinal"
		}
		if laidOut && axisOf(layout, strings.ToLower(e.Channel), m.text(e.Channel+"axis"))["title"] == nil {
			e.Axis.Title = ""
		}
	}
	return v, nil
}

// histogram reads a trace that aggregates its values by category.
func (v *View) histogram(m, xAxis, yAxis members, names map[string]string) error {
	v.Mark = Bar
	by, value, byAxis, valueAxis := "x", "y", xAxis, yAxis
	if m["x"] == nil || m.text("orientation") == "h" {
		by, value, byAxis, valueAxis = "y", "x", yAxis, xAxis
		v.Reversed = true
	}
	if err := v.values(by, m[by], names[by], byAxis); err != nil || len(v.Encodings) == 0 {
		return err
	}
	v.Encodings[0].Type = "nominal"
	for _, x := range v.Data.Columns[0] {
		if x.Type != scoring.String {
			v.undecided("bins")
			break
		}
	}
	if norm := m.text("histnorm"); norm != "" {
		v.undecided("histnorm")
	}
	name := m.text("histfunc")
	if name == "" {
		name = "count"
	}
	aggregate, known := aggregateOf(name)
	if !known {
		v.undecided("the aggregate " + quote(name))
	}
	if aggregate == "count" || m[value] == nil {
		e := Encoding{Channel: value, Aggregate: "count", Type: "quantitative"}
		e.Axis = figureAxis(valueAxis)
		v.Encodings = append(v.Encodings, e)
		return nil
	}
	if err := v.values(value, m[value], names[value], valueAxis); err != nil || len(v.Encodings) < 2 {
		return err
	}
	v.Encodings[1].Aggregate, v.Encodings[1].Type = aggregate, "quantitative"
	return nil
}

// axisOf returns the axis of the layout that a trace names, such as y2.
func axisOf(layout members, letter, named string) members {
	return layout.object(letter + "axis" + strings.TrimPrefix(named, letter))
}

// values adds an encoding with its values. An absent list adds none.
func (v *View) values(channel string, n node, name string, axis members) error {
	if n == nil {
		return nil
	}
	list, err := arrayOf(n)
	if err != nil {
		return errcode.New(errcode.Of(err), "%s: %w", channel, err)
	}
	if k := len(v.Data.Columns); k > 0 && len(list) != v.Data.Rows {
		if len(list) < v.Data.Rows { // the rest has no point
			v.Data.Columns[0] = v.Data.Columns[0][:len(list)]
			v.Data.Rows = len(list)
		}
		list = list[:v.Data.Rows]
	}
	i := len(v.Encodings)
	v.Data.Rows = len(list)
	v.Data.Names, v.Data.Columns = append(v.Data.Names, unnamed(i)), append(v.Data.Columns, list)
	e := Encoding{Channel: channel, Unnamed: true, Axis: figureAxis(axis)}
	if e.Field = name; name == "" {
		e.Field = e.Axis.Title
	}
	switch axis.text("type") {
	case "category":
		e.Type = "nominal"
	case "date":
		e.Type = "temporal"
	}
	order, desc := axis.text("categoryorder"), false
	order, desc = strings.CutSuffix(order, " descending")
	order = strings.TrimSuffix(order, " ascending")
	switch order {
	case "total", "sum", "mean", "max", "min", "median":
		e.Sort = Sort{By: "measure", Desc: desc}
	case "category":
		e.Sort = Sort{By: "value", Desc: desc}
	}
	if wanted := axis["categoryarray"]; wanted != nil && (order == "array" || order == "") {
		if e.Sort.Values, err = arrayOf(wanted); err != nil {
			return errcode.New(errcode.Of(err), "categoryarray: %w", err)
		}
		e.Sort.By = "list"
	}
	v.Encodings = append(v.Encodings, e)
	return nil
}

func figureAxis(m members) (a Axis) {
	a.Title = m.text("title")
	if t := m.object("title"); t != nil {
		a.Title = t.text("text")
	}
	a.Log = m.text("type") == "log"
	a.Zero = m.text("rangemode") == "tozero"
	a.Hidden = m["visible"] == false || m["showticklabels"] == false
	ends := m.list("range")
	if len(ends) == 2 && m.text("type") == "category" {
		return a
	}
	switch {
	case len(ends) == 2 && a.Log: // powers of ten
		for i, n := range ends {
			if x, ok := n.(number); ok {
				if e, err := strconv.ParseFloat(string(x), 64); err == nil && math.Abs(e) < 300 {
					ends[i] = number(strconv.FormatFloat(math.Pow(10, e), 'g', 12, 64))
				}
			}
		}
		a.ends(ends[0], ends[1])
	case len(ends) == 2:
		a.ends(ends[0], ends[1])
	default:
		a.ends(m["minallowed"], m["maxallowed"])
	}
	return a
}

// arrayOf reads a list of scalars, or a typed array {"dtype", "bdata"}.
func arrayOf(n node) ([]scoring.Value, error) {
	switch a := n.(type) {
	case []node:
		if len(a) > MaxPoints {
			return nil, errcode.New(errcode.ResourceExhausted, "more than %d values", MaxPoints)
		}
		out := make([]scoring.Value, len(a))
		for i, one := range a {
			if list, ok := one.([]node); ok { // a category of several levels, or a matrix
				return nil, errcode.New(errcode.Unimplemented, "unsupported list of lists with %d elements", len(list))
			}
			out[i] = valueOf(one)
		}
		return out, nil
	case members:
		return typedArray(a)
	}
	return nil, errcode.New(errcode.InvalidArgument, "expected a list or a typed array")
}

// typedArray decodes an array of numbers in base64, in the byte order of all browsers.
func typedArray(m members) ([]scoring.Value, error) {
	sizes := map[string]int{"i1": 1, "int8": 1, "u1": 1, "uint8": 1, "uint8c": 1, "u1c": 1, "i2": 2, "int16": 2,
		"u2": 2, "uint16": 2,
		"i4": 4, "int32": 4, "u4": 4, "uint32": 4, "f4": 4, "float32": 4, "f8": 8, "float64": 8, "i8": 8,
		"int64": 8, "u8": 8, "uint64": 8}
	dtype, text := strings.TrimPrefix(m.text("dtype"), "<"), m.text("bdata")
	size := sizes[dtype]
	switch {
	case size == 0:
		return nil, errcode.New(errcode.InvalidArgument, "unknown dtype %.20q of a typed array", dtype)
	case strings.Contains(m.text("shape"), ","):
		return nil, errcode.New(errcode.Unimplemented, "unsupported typed array of several dimensions")
	case base64.StdEncoding.DecodedLen(len(text)) > size*MaxPoints+3:
		return nil, errcode.New(errcode.ResourceExhausted, "more than %d values", MaxPoints)
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b)%size != 0 {
		return nil, errcode.New(errcode.InvalidArgument, "bdata: expected base64 of whole %s values", dtype)
	}
	out := make([]scoring.Value, len(b)/size)
	signed := dtype[0] == 'i'
	for i := range out {
		at := b[i*size:]
		switch {
		case dtype == "f4" || dtype == "float32":
			f := math.Float32frombits(binary.LittleEndian.Uint32(at))
			if d, ok := scoring.ParseDecimal(strconv.FormatFloat(float64(f), 'g', -1, 32)); ok {
				out[i] = d // the shortest decimal: seven digits, and not those of the float64
			} else {
				out[i] = scoring.FloatValue(float64(f))
			}
		case dtype[0] == 'f':
			out[i] = scoring.FloatValue(math.Float64frombits(binary.LittleEndian.Uint64(at)))
		default:
			out[i] = integerAt(at, size, signed)
		}
	}
	return out, nil
}

func integerAt(b []byte, size int, signed bool) scoring.Value {
	var u uint64
	for k := range slices.Backward(b[:size]) {
		u = u<<8 | uint64(b[k])
	}
	if signed {
		shift := 64 - 8*size
		return scoring.IntValue(int64(u<<shift) >> shift) //nolint:gosec // sign extension
	}
	if u > math.MaxInt64 {
		d, _ := scoring.ParseDecimal(strconv.FormatUint(u, 10))
		return d
	}
	return scoring.IntValue(int64(u))
}

// Joined returns the traces of a figure as one view, whose series are the names of the traces. It returns nil if they
// are not traces of one kind with names.
func (c *Chart) Joined() *View {
	if c.Form != Plotly || len(c.Views) < 2 {
		return nil
	}
	first := &c.Views[0]
	n := len(first.Encodings)
	out := *first
	out.Undecided = slices.Clone(first.Undecided)
	out.Data = &Frame{Names: append(slices.Clone(first.Data.Names), unnamed(n)), Columns: make([][]scoring.Value, n+1)}
	for i := range c.Views {
		v := &c.Views[i]
		if v.Name == "" || v.Mark != first.Mark || v.Second || len(v.Encodings) != n || len(v.Data.Columns) != n {
			return nil
		}
		for k := range v.Encodings {
			if v.Encodings[k].Channel != first.Encodings[k].Channel || v.Encodings[k].Aggregate != first.Encodings[k].Aggregate {
				return nil
			}
			out.Data.Columns[k] = append(out.Data.Columns[k], v.Data.Columns[k]...)
		}
		for range v.Data.Rows {
			out.Data.Columns[n] = append(out.Data.Columns[n], scoring.StringValue(v.Name))
		}
		out.Data.Rows += v.Data.Rows
		for _, what := range v.Undecided {
			out.undecided(what)
		}
	}
	out.Encodings = append(slices.Clone(first.Encodings), Encoding{Channel: Color, Unnamed: true, Type: "nominal"})
	return &out
}

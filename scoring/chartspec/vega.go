package chartspec

import (
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// vegaContext is what a view inherits from the views around it.
type vegaContext struct {
	data      *Frame
	unread    string // why the data are not read, or ""
	steps     []Step
	undecided []string
	encoding  members
	repeat    map[string]string // the fields that replace {"repeat": …}
	datasets  members
	facets    []Encoding
	second    bool // the value axis of every layer but the first is its own
	depth     int
}

func (c *Chart) readVega(m members) error {
	if strings.Contains(m.text("$schema"), "/vega/") {
		c.Undecided = append(c.Undecided, "a chart of Vega, not Vega-Lite")
	}
	return c.vegaView(m, vegaContext{datasets: m.object("datasets")})
}

func (c *Chart) vegaView(m members, in vegaContext) error {
	if in.depth++; in.depth > 16 {
		return errcode.New(errcode.InvalidArgument, "views nested deeper than 16")
	}
	if d, given := m["data"]; given && d != nil {
		in.data, in.unread = vegaData(d, in.datasets)
		in.steps, in.undecided = nil, nil
	}
	in.steps, in.undecided = slices.Clone(in.steps), slices.Clone(in.undecided)
	for _, n := range m.list("transform") {
		step, ok := n.(members)
		if !ok {
			return errcode.New(errcode.InvalidArgument, "transform: expected a list of objects")
		}
		in.transform(step)
	}
	if e := m.object("encoding"); e != nil {
		merged := maps.Clone(in.encoding)
		if merged == nil {
			merged = members{}
		}
		maps.Copy(merged, e)
		in.encoding = merged
	}
	for _, name := range []string{"layer", "concat", "hconcat", "vconcat"} {
		for i, n := range m.list(name) {
			inner, ok := n.(members)
			if !ok {
				return errcode.New(errcode.InvalidArgument, "%s: expected a list of objects", name)
			}
			of := in
			if name != "layer" {
				of.encoding = nil
			} else if i > 0 && m.object("resolve").object("scale").text("y") == "independent" {
				of.second = true
			}
			if err := c.vegaView(inner, of); err != nil {
				return err
			}
		}
	}
	spec := m.object("spec")
	switch {
	case m["repeat"] != nil && spec != nil:
		return c.vegaRepeat(m["repeat"], spec, in)
	case m["facet"] != nil && spec != nil:
		facet := m.object("facet")
		if facet["field"] != nil {
			facet = members{"facet": facet}
		}
		for _, name := range facet.names() {
			if f := facet.object(name); f != nil {
				e, _ := in.channel(name, f, nil)
				in.facets = append(slices.Clip(in.facets), e)
			}
		}
		return c.vegaView(spec, in)
	case m["mark"] == nil:
		return nil
	}
	return c.vegaUnit(m, in)
}

// vegaRepeat reads a view once for each field that it is repeated for.
func (c *Chart) vegaRepeat(n node, spec members, in vegaContext) error {
	by := members{"repeat": n}
	if m, ok := n.(members); ok {
		by = m
	}
	combinations := []map[string]string{{}}
	for _, name := range by.names() {
		var next []map[string]string
		for _, old := range combinations {
			for _, f := range by.list(name) {
				field, ok := f.(string)
				if !ok {
					return errcode.New(errcode.InvalidArgument, "repeat: expected lists of fields")
				}
				if len(next) >= MaxViews {
					return errcode.New(errcode.ResourceExhausted, "more than %d views", MaxViews)
				}
				one := maps.Clone(old)
				one[name] = field
				next = append(next, one)
			}
		}
		combinations = next
	}
	for _, fields := range combinations {
		of := in
		of.repeat = maps.Clone(in.repeat)
		if of.repeat == nil {
			of.repeat = map[string]string{}
		}
		maps.Copy(of.repeat, fields)
		if err := c.vegaView(spec, of); err != nil {
			return err
		}
	}
	return nil
}

// vegaData returns the rows written into a chart, or nil for the result. unread is not "" if they are not read.
func vegaData(n node, datasets members) (f *Frame, unread string) {
	m, ok := n.(members)
	if !ok {
		return nil, "data that are not an object"
	}
	values := m["values"]
	if values == nil {
		switch {
		case m["sequence"] != nil || m["sphere"] != nil || m["graticule"] != nil:
			return nil, "generated data"
		case datasets[m.text("name")] != nil:
			values = datasets[m.text("name")]
		default:
			return nil, "" // a name or an address of the result
		}
	}
	rows, ok := values.([]node)
	if !ok {
		return nil, "data that are not a list of rows"
	}
	if len(rows) > MaxPoints {
		return nil, "more rows than are read"
	}
	if f, ok = frameOf(rows); !ok {
		return nil, "rows that are nested"
	}
	return f, ""
}

// fieldName returns the name of a field without the escapes of dots and brackets.
func fieldName(name string) string {
	return strings.NewReplacer(`\.`, ".", `\[`, "[", `\]`, "]").Replace(name)
}

func fieldNames(list []node) (names []string) {
	for _, n := range list {
		if name, ok := n.(string); ok {
			names = append(names, fieldName(name))
		}
	}
	return names
}

// transform adds a transformation. One that only adds fields is undecided if they are used, others always.
func (in *vegaContext) transform(m members) {
	as := fieldNames(m.list("as"))
	if name := m.text("as"); name != "" {
		as = []string{fieldName(name)}
	}
	undecided := func(what string) { in.undecided = append(in.undecided, what) }
	switch {
	case m["filter"] != nil:
		if f := m.object("filter"); f["param"] != nil || f["selection"] != nil {
			return // an interaction, which begins with all rows
		}
		c, ok := predicate(m["filter"], 0)
		if !ok {
			undecided("a filter that is not a comparison with a literal")
			return
		}
		in.steps = append(in.steps, Step{keep: c})
	case m["fold"] != nil:
		if len(as) != 2 {
			as = []string{"key", "value"}
		}
		in.steps = append(in.steps, Step{fold: fieldNames(m.list("fold")), as: as})
	case m["aggregate"] != nil:
		s := Step{group: fieldNames(m.list("groupby")), aggregate: []aggregation{}}
		for _, n := range m.list("aggregate") {
			a, _ := n.(members)
			op, known := aggregateOf(a.text("op"))
			if !known || op == "" || a.text("as") == "" {
				undecided("the aggregate " + quote(a.text("op")))
				return
			}
			s.aggregate = append(s.aggregate, aggregation{op, fieldName(a.text("field")), fieldName(a.text("as"))})
		}
		in.steps = append(in.steps, s)
	case m["calculate"] != nil && len(as) == 1:
		if from, ok := copiedField(m.text("calculate")); ok {
			in.steps = append(in.steps, Step{copied: from, as: as})
			return
		}
		in.steps = append(in.steps, Step{unknown: as})
	case m["timeUnit"] != nil && len(as) == 1:
		if unit := m.text("timeUnit"); slices.Contains(timeUnits, unit) {
			in.steps = append(in.steps, Step{copied: fieldName(m.text("field")), unit: unit, as: as})
			return
		}
		in.steps = append(in.steps, Step{unknown: as})
	case m["joinaggregate"] != nil || m["window"] != nil:
		for _, n := range slices.Concat(m.list("joinaggregate"), m.list("window")) {
			if a, ok := n.(members); ok {
				as = append(as, fieldName(a.text("as")))
			}
		}
		in.steps = append(in.steps, Step{unknown: as})
	case m["stack"] != nil || m["bin"] != nil || m["quantile"] != nil || m["extent"] != nil ||
		m["lookup"] != nil && m["from"] != nil:
		as = append(as, fieldNames(m.object("from").list("fields"))...)
		in.steps = append(in.steps, Step{unknown: as})
	default:
		names := m.names()
		undecided("the transformation " + quote(strings.Join(names[:min(len(names), 1)], "")))
	}
}

// copiedField returns the field that an expression copies: datum.x or datum['x'].
func copiedField(text string) (name string, ok bool) {
	if len(text) > 256 {
		return "", false
	}
	p := &exprParser{text: text}
	p.next()
	name, ok = p.token, p.kind == 'f'
	p.next()
	return name, ok && !p.bad && p.token == ""
}

// shownChannels are the channels whose field is part of a point. The others are text, links and styles.
var shownChannels = map[string]string{"x": X, "y": Y, "theta": Y, "color": Color, "fill": Color, "stroke": Color,
	"size": "size", "shape": "shape", "detail": "detail", "row": "row", "column": "column", "facet": "facet",
	"xOffset": "offset", "yOffset": "offset", "strokeDash": "dash", "opacity": "opacity", "radius": "radius"}

func (c *Chart) vegaUnit(m members, in vegaContext) error {
	mark := m.text("mark")
	markOptions := m.object("mark")
	if mark == "" {
		mark = markOptions.text("type")
	}
	v := View{Mark: markOf(mark), Data: in.data, Steps: in.steps, Undecided: slices.Clone(in.undecided), Second: in.second}
	if in.unread != "" {
		v.undecided(in.unread)
	}
	switch v.Mark {
	case "text", "rule", "image", "geoshape":
		if in.encoding == nil || v.Mark != "text" && v.Mark != "rule" {
			v.undecided("the mark " + quote(v.Mark))
		} else {
			return nil // a label or a line of reference
		}
	case "boxplot", "errorbar", "errorband":
		v.undecided("the mark " + quote(v.Mark))
	}
	v.Encodings = append(v.Encodings, in.facets...)
	for _, name := range in.encoding.names() {
		channel := shownChannels[name]
		list, isList := in.encoding[name].([]node)
		if !isList {
			list = []node{in.encoding[name]}
		}
		for _, n := range list {
			f, ok := n.(members)
			switch {
			case channel == "" && name != "x2" && name != "y2":
				continue
			case !ok || f["field"] == nil && f["aggregate"] == nil:
				continue // a value, or a literal
			case channel == "":
				v.undecided("the channel " + quote(name))
				continue
			}
			e, what := in.channel(channel, f, m)
			if what != "" {
				v.undecided(what)
			}
			if e.Channel == Y && v.Mark == Pie && f["stack"] == "normalize" {
				e.Axis = Axis{}
			}
			v.Encodings = append(v.Encodings, e)
		}
	}
	return c.add(v)
}

// channel reads the definition of a channel. undecided is not "" for a part that is not read.
func (in *vegaContext) channel(channel string, f members, _ members) (e Encoding, undecided string) {
	e = Encoding{Channel: channel, Field: fieldName(f.text("field")), Type: f.text("type")}
	if by := f.object("field"); by != nil {
		e.Field = in.repeat[by.text("repeat")]
		if e.Field == "" {
			undecided = "a field that is not named"
		}
	}
	switch a := f["aggregate"].(type) {
	case nil:
	case string:
		known := false
		if e.Aggregate, known = aggregateOf(a); !known {
			undecided = "the aggregate " + quote(a)
		}
	default:
		undecided = "an aggregate that is not a name"
	}
	if e.Aggregate == "count" {
		e.Field = ""
	}
	if b := f["bin"]; b != nil && b != false {
		undecided = "bins"
	}
	if unit := f.text("timeUnit"); unit != "" || f["timeUnit"] != nil {
		unit = strings.TrimPrefix(unit, "utc")
		if e.TimeUnit = unit; !slices.Contains(timeUnits, unit) {
			undecided, e.TimeUnit = "the time unit "+quote(unit), ""
		}
	}
	e.Type = strings.ToLower(e.Type)
	for _, long := range []string{"quantitative", "nominal", "ordinal", "temporal"} {
		if e.Type != "" && strings.HasPrefix(long, e.Type) { // Q, N, O, T
			e.Type = long
		}
	}
	e.Sort = vegaSort(f["sort"], f)
	e.Axis = vegaAxis(f)
	return e, undecided
}

func vegaSort(n node, f members) (s Sort) {
	switch v := n.(type) {
	case nil:
		if _, given := f["sort"]; given {
			return Sort{By: "none"}
		}
	case string:
		name, desc := strings.CutPrefix(v, "-")
		switch name {
		case "ascending":
			return Sort{By: "value"}
		case "descending":
			return Sort{By: "value", Desc: true}
		case "x", "y", "theta", "size", "color":
			return Sort{By: "measure", Desc: desc}
		}
	case []node:
		s.By = "list"
		for _, one := range v {
			s.Values = append(s.Values, valueOf(one))
		}
	case members:
		s = Sort{By: "field", Field: fieldName(v.text("field")), Desc: v.text("order") == "descending"}
		s.Aggregate, _ = aggregateOf(v.text("op"))
		if v["encoding"] != nil {
			s.By = "measure"
		}
	}
	return s
}

func vegaAxis(f members) (a Axis) {
	axis, scale := f.object("axis"), f.object("scale")
	if _, given := f["axis"]; given && axis == nil {
		a.Hidden = f["axis"] == nil || f["axis"] == false
	}
	for _, n := range []node{f["title"], axis["title"]} {
		switch t := n.(type) {
		case string:
			a.Title += " " + t
		case []node:
			for _, line := range t {
				if text, ok := line.(string); ok {
					a.Title += " " + text
				}
			}
		}
	}
	a.Title = strings.TrimSpace(a.Title)
	a.Log = scale.text("type") == "log" || scale.text("type") == "symlog"
	if zero, given := scale["zero"].(bool); given {
		a.Zero, a.NoZero = zero, !zero
	}
	domain := scale.list("domain")
	switch {
	case f.text("stack") == "normalize":
	case len(domain) == 2 && isNumber(domain[0]) && isNumber(domain[1]) && f.text("type") != "nominal" &&
		f.text("type") != "ordinal",
		len(domain) == 2 && f.text("type") == "temporal":
		a.ends(domain[0], domain[1])
	case len(domain) > 0:
		for _, n := range domain {
			a.Only = append(a.Only, valueOf(n))
		}
	default:
		a.ends(scale["domainMin"], scale["domainMax"])
	}
	return a
}

func isNumber(n node) bool { _, ok := n.(number); return ok }

// ends sets the ends of the axis from numbers or texts; others are unset.
func (a *Axis) ends(low, high node) {
	for _, end := range []struct {
		n  node
		to **scoring.Value
	}{{low, &a.Low}, {high, &a.High}} {
		if end.n != nil && scalar(end.n) {
			v := valueOf(end.n)
			*end.to = &v
		}
	}
	if a.Low != nil && a.High != nil {
		if order, ok := compare(*a.Low, *a.High); ok && order > 0 {
			a.Low, a.High = a.High, a.Low
		}
	}
}

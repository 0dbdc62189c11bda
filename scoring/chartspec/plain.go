package chartspec

import (
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// call matches an aggregate with its field: SUM(amount), COUNT(*), count(DISTINCT id).
var call = lazyregexp.New(`(?is)^\s*([a-z_]{2,16})\s*\(\s*(distinct\s+)?(.*?)\s*\)\s*$`)

// plainKeys are the members of plain fields that are read, or that change nothing that is compared.
var plainKeys = map[string]bool{"mark": true, "type": true, "chart_type": true, "charttype": true,
	"chart": true, "kind": true, "plot_type": true,
	"x": true, "y": true, "x_axis": true, "y_axis": true, "xaxis": true, "yaxis": true, "x_field": true, "y_field": true,
	"labels": true, "label": true, "category": true, "names": true, "values": true, "value": true, "theta": true,
	"angle": true,
	"color": true, "colour": true, "series": true, "group": true, "group_by": true, "hue": true, "stack": true,
	"size": true,
	"y2":   true, "aggregate": true, "aggregation": true, "agg": true, "filter": true, "filters": true,
	"where": true, "sort": true, "order": true,
	"order_by": true, "sort_by": true, "limit": true, "data": true, "title": true, "subtitle": true,
	"description": true, "x_title": true,
	"y_title": true, "x_label": true, "y_label": true, "y_min": true, "y_max": true, "x_min": true, "x_max": true,
	"y_domain": true,
	"x_domain": true, "y_scale": true, "x_scale": true, "y_range": true, "x_range": true, "log": true,
	"log_y": true, "log_x": true,
	"orientation": true, "width": true, "height": true, "theme": true, "palette": true, "legend": true,
	"tooltip": true, "format": true,
	"stacked": true, "id": true, "name": true, "caption": true, "encoding": true, "axes": true}

// withoutAxes are kinds of charts that have neither x nor y.
var withoutAxes = map[string]bool{"table": true, "number": true, "indicator": true, "kpi": true, "card": true,
	"metric": true, "scorecard": true, "gauge": true, "big number": true, "single value": true}

func (c *Chart) readPlain(m members) error {
	m = m.lower()
	mark, _ := m.first("mark", "chart_type", "charttype", "type", "kind", "plot_type", "chart").(string)
	if o := m.object("mark"); o != nil {
		mark = o.text("type")
	}
	v := View{Mark: markOf(mark)}
	for _, name := range m.names() {
		if !plainKeys[name] && m[name] != nil {
			v.undecided("the member " + quote(name))
		}
	}
	if err := v.plainData(m["data"]); err != nil {
		return err
	}
	v.plainFilters(m)
	x := m.first("x", "x_axis", "xaxis", "x_field")
	y := m.first("y", "y_axis", "yaxis", "y_field")
	if v.Mark == Pie {
		if l := m.first("labels", "label", "category", "names"); l != nil {
			x = l
		}
		if l := m.first("values", "value", "theta", "angle"); l != nil {
			y = l
		}
		if color := m.first("color", "colour"); x == nil {
			x = color
			delete(m, "color")
		}
	}
	if x == nil && y == nil && withoutAxes[v.Mark] {
		v.undecided("a chart of the type " + quote(v.Mark))
		return c.add(v)
	}
	if x == nil && y == nil {
		return errcode.New(errcode.InvalidArgument, "the chart names no field for x or y")
	}
	base := v
	base.plainChannel(X, x, m)
	for _, name := range []string{"color", "colour", "series", "group", "group_by", "hue", "size"} {
		channel := Color
		if name == "size" {
			channel = "size"
		}
		if list, ok := m[name].([]node); ok {
			for _, n := range list {
				base.plainChannel(channel, n, members{})
			}
		} else if m[name] != nil {
			base.plainChannel(channel, m[name], members{})
		}
	}
	ys, several := y.([]node)
	if !several {
		ys = []node{y}
	}
	if second := m["y2"]; second != nil {
		ys = append(ys, second)
	}
	for i, n := range ys {
		v := base
		v.Encodings = append([]Encoding{}, base.Encodings...)
		v.Undecided = append([]string{}, base.Undecided...)
		v.Second = m["y2"] != nil && i == len(ys)-1
		v.plainChannel(Y, n, m)
		v.plainAggregate(m)
		v.plainSort(m)
		if err := c.add(v); err != nil {
			return err
		}
	}
	return nil
}

func (v *View) plainData(n node) error {
	switch d := n.(type) {
	case nil, string: // a name of the result
	case []node:
		if len(d) > MaxPoints {
			return errcode.New(errcode.ResourceExhausted, "more than %d rows", MaxPoints)
		}
		f, ok := frameOf(d)
		if !ok {
			v.undecided("rows that are nested")
			return nil
		}
		v.Data = f
	case members:
		if rows, ok := d.first("values", "rows").([]node); ok {
			if columns := d.list("columns"); columns != nil {
				rows = tabular(columns, rows)
			}
			return v.plainData(rows)
		}
		if d["name"] == nil && d["url"] == nil && d["ref"] == nil {
			v.undecided("data in another form")
		}
	default:
		v.undecided("data in another form")
	}
	return nil
}

// tabular returns rows that are lists as objects with the names of the columns.
func tabular(columns, rows []node) []node {
	out := make([]node, len(rows))
	for i, r := range rows {
		cells, ok := r.([]node)
		if !ok || len(cells) != len(columns) {
			return rows
		}
		m := members{}
		for k, n := range columns {
			name, _ := n.(string)
			if o, ok := n.(members); ok {
				name = o.text("name")
			}
			m[name] = cells[k]
		}
		out[i] = m
	}
	return out
}

func (v *View) plainFilters(m members) {
	for _, name := range []string{"filter", "filters", "where"} {
		list, several := m[name].([]node)
		if !several {
			list = []node{m[name]}
		}
		for _, n := range list {
			if n == nil || n == "" {
				continue
			}
			if o, ok := n.(members); ok && o.lower().first("field", "column", "and", "or", "not") == nil { // {"region": "North"}
				for _, field := range o.names() {
					op := "=="
					if _, isList := o[field].([]node); isList {
						op = "in"
					}
					if k, ok := comparisonOf(field, op, o[field]); ok {
						v.Steps = append(v.Steps, Step{keep: k})
					} else {
						v.undecided("a filter that is not a comparison with a literal")
					}
				}
				continue
			}
			if k, ok := predicate(n, 0); ok {
				v.Steps = append(v.Steps, Step{keep: k})
			} else {
				v.undecided("a filter that is not a comparison with a literal")
			}
		}
	}
	if m["limit"] != nil {
		v.undecided("a limit of rows")
	}
}

// plainChannel adds the encoding of a field: a name, an aggregate of a field, or an object.
func (v *View) plainChannel(channel string, n node, m members) {
	e := Encoding{Channel: channel}
	switch f := n.(type) {
	case nil:
		return
	case string:
		e.Field = f
	case members:
		f = f.lower()
		e.Field, _ = f.first("field", "column", "name").(string)
		in := vegaContext{}
		named := members{}
		for name, value := range f {
			named[name] = value
		}
		named["field"] = e.Field
		if named["timeunit"] != nil {
			named["timeUnit"] = named["timeunit"]
		}
		read, what := in.channel(channel, named, nil)
		if e = read; what != "" {
			v.undecided(what)
		}
		if title, ok := f.first("title", "label").(string); ok {
			e.Axis.Title = title
		}
		e.Axis.plain(f, "")
	default:
		v.undecided("a field that is not a name")
		return
	}
	if found := call.FindStringSubmatch(e.Field); found != nil && e.Aggregate == "" {
		aggregate, known := aggregateOf(found[1])
		if !known || aggregate == "" {
			v.undecided("the aggregate " + quote(found[1]))
		} else {
			e.Aggregate, e.Field = aggregate, strings.Trim(found[3], "`\"[]")
			if found[2] != "" {
				e.Aggregate = "distinct"
			} else if aggregate == "count" {
				e.Field = ""
			}
		}
	}
	e.Axis.plain(m, channel+"_")
	v.Encodings = append(v.Encodings, e)
}

// plain reads the members of an axis with a prefix, such as y_min.
func (a *Axis) plain(m members, prefix string) {
	if title, ok := m.first(prefix+"title", prefix+"label").(string); ok && prefix != "" {
		a.Title = title
	}
	a.Log = a.Log || m.text(prefix+"scale") == "log" || m["log_"+strings.TrimSuffix(prefix, "_")] == true ||
		m["log"] == true ||
		m.object(prefix+"scale").text("type") == "log"
	low, high := m[prefix+"min"], m[prefix+"max"]
	if ends, ok := m.first(prefix+"domain", prefix+"range").([]node); ok && len(ends) == 2 {
		low, high = ends[0], ends[1]
	}
	if low != nil || high != nil {
		a.ends(low, high)
	}
}

// plainAggregate applies the member aggregate to the measure: a name, or an object by channel or field.
func (v *View) plainAggregate(m members) {
	n := m.first("aggregate", "aggregation", "agg")
	if n == nil {
		return
	}
	at := -1
	for i := range v.Encodings {
		if v.Encodings[i].Channel == Y {
			at = i
		}
	}
	name, ok := n.(string)
	if o, is := n.(members); is && at >= 0 {
		name, ok = o.first(Y, v.Encodings[at].Field, "value", "op", "function").(string)
	}
	aggregate, known := aggregateOf(name)
	switch {
	case !ok || !known:
		v.undecided("the aggregate " + quote(name))
	case at < 0 && aggregate == "count":
		v.Encodings = append(v.Encodings, Encoding{Channel: Y, Aggregate: "count"})
	case at < 0:
		v.undecided("an aggregate without a field")
	case v.Encodings[at].Aggregate != "" && v.Encodings[at].Aggregate != aggregate:
		v.undecided("two aggregates of one field")
	default:
		v.Encodings[at].Aggregate, v.Aggregate = aggregate, true
		if aggregate == "count" {
			v.Encodings[at].Field = ""
		}
	}
}

// plainSort applies the member sort to the categories: "-y", "y", "revenue desc", "descending", or an object.
func (v *View) plainSort(m members) {
	n := m.first("sort", "order", "order_by", "sort_by")
	name, desc := "", false
	switch s := n.(type) {
	case nil:
		return
	case string:
		name = strings.TrimSpace(s)
	case members:
		o := s.lower()
		name, _ = o.first("field", "by", "column").(string)
		order, _ := o.first("order", "direction").(string)
		desc = strings.HasPrefix(strings.ToLower(order), "desc")
	case []node:
		for i := range v.Encodings {
			if e := &v.Encodings[i]; e.Channel == X {
				e.Sort.By = "list"
				for _, one := range s {
					e.Sort.Values = append(e.Sort.Values, valueOf(one))
				}
			}
		}
		return
	default:
		v.undecided("a sort in another form")
		return
	}
	if rest, found := strings.CutPrefix(name, "-"); found {
		name, desc = rest, true
	}
	words := strings.Fields(strings.ReplaceAll(name, ":", " "))
	if k := len(words) - 1; k >= 0 {
		switch last := strings.ToLower(words[k]); {
		case strings.HasPrefix("descending", last) && len(last) >= 4:
			desc = true
			words = words[:k]
		case strings.HasPrefix("ascending", last) && len(last) >= 3:
			words = words[:k]
		}
	}
	name = strings.Join(words, " ")
	for i := range v.Encodings {
		e := &v.Encodings[i]
		if e.Measure() && e.Channel != X || e.Channel == Y || e.Channel == "size" {
			continue
		}
		switch {
		case name == "" || strings.EqualFold(name, Y) || strings.EqualFold(name, "value"):
			e.Sort = Sort{By: "measure", Desc: desc}
		case strings.EqualFold(name, X) || sameName(name, e.Field):
			e.Sort = Sort{By: "value", Desc: desc}
		default:
			e.Sort = Sort{By: "field", Field: name, Desc: desc}
		}
	}
}

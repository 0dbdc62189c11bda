package chartspec

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// Step is a transformation of the rows: one of its fields is set.
type Step struct {
	keep      *cond
	fold      []string // columns that become rows, with the names of the key and of the value in as
	as        []string
	aggregate []aggregation // with group
	group     []string
	copied    string   // the field that as[0] is a copy of
	unit      string   // with copied: the time unit
	unknown   []string // fields that are computed in a way that is not read
}

type aggregation struct{ op, field, as string }

// Filters reports whether the step drops rows by a condition.
func (s *Step) Filters() bool { return s.keep != nil }

// Points are the points of a view: one column for each encoding.
type Points struct {
	Frame
	Dropped  int  // rows that filters dropped
	Merged   bool // aggregates were computed over more than one row
	Computed bool // some values are exact results of a computation
}

// Missing returns the fields of the view that neither the data nor a transformation has.
func (v *View) Missing(result *Frame) (fields []string) {
	f := v.source(result)
	has := append([]string{}, f.Names...)
	look := func(name string) {
		if name != "" && !slices.ContainsFunc(has, func(n string) bool { return sameName(n, name) }) &&
			!slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	for i := range v.Steps {
		s := &v.Steps[i]
		if s.keep != nil {
			for _, name := range s.keep.fields(nil) {
				look(name)
			}
		}
		for _, name := range s.fold {
			look(name)
		}
		look(s.copied)
		for _, a := range s.aggregate {
			look(a.field)
			has = append(has, a.as)
		}
		has = append(append(has, s.as...), s.unknown...)
	}
	for i := range v.Encodings {
		if e := &v.Encodings[i]; !e.Unnamed {
			look(e.Field)
		}
	}
	return fields
}

func (v *View) source(result *Frame) *Frame {
	if v.Data != nil {
		return v.Data
	}
	return result
}

// Points returns the points that the view shows of the rows written into the chart, or of the result if there are
// none. If filtered is false,
// filters are skipped. undecided is not "" if they cannot be computed.
func (v *View) Points(result *Frame, filtered bool) (p *Points, undecided string) {
	w := working{Frame: *v.source(result), unknown: map[string]bool{}}
	p = &Points{}
	for i := range v.Steps {
		s := &v.Steps[i]
		if s.keep != nil && !filtered {
			continue
		}
		before := w.Rows
		if what := w.apply(s); what != "" {
			return nil, what
		}
		switch {
		case s.keep != nil:
			p.Dropped += before - w.Rows
		case s.aggregate != nil:
			p.Computed, p.Merged = true, p.Merged || w.Rows < before
		}
	}
	var group []aggregation
	var by []int
	columns := make([][]scoring.Value, len(v.Encodings))
	for i := range v.Encodings {
		e := &v.Encodings[i]
		if w.unknown[strings.ToLower(e.Field)] {
			return nil, "the field " + quote(e.Field) + ", which the chart computes"
		}
		if e.Aggregate != "" {
			group = append(group, aggregation{e.Aggregate, e.Field, ""})
			continue
		}
		k := w.index(e.Field)
		if e.Unnamed {
			k = slices.Index(w.Names, unnamed(i))
		}
		if k < 0 {
			return nil, "the field " + quote(e.Field)
		}
		columns[i] = truncated(w.Columns[k], e.TimeUnit)
		by = append(by, i)
	}
	if group == nil {
		for i := range v.Encodings {
			p.Names = append(p.Names, v.Encodings[i].Field)
		}
		p.Columns, p.Rows = columns, w.Rows
		return p, ""
	}
	p.Computed = true
	groups := groupRows(columns, by, w.Rows)
	p.Rows, p.Merged = len(groups), p.Merged || len(groups) < w.Rows
	for i := range v.Encodings {
		e := &v.Encodings[i]
		p.Names = append(p.Names, e.Field)
		out := make([]scoring.Value, len(groups))
		var in []scoring.Value
		if e.Aggregate != "" && e.Field != "" && e.Aggregate != "count" {
			k := w.index(e.Field)
			if e.Unnamed {
				k = slices.Index(w.Names, unnamed(i))
			}
			if k < 0 {
				return nil, "the field " + quote(e.Field)
			}
			in = w.Columns[k]
		}
		for g, rows := range groups {
			if e.Aggregate == "" {
				out[g] = columns[i][rows[0]]
			} else {
				out[g] = aggregated(e.Aggregate, in, rows)
			}
		}
		p.Columns = append(p.Columns, out)
	}
	return p, ""
}

// unnamed is the name of a column of values that belong to encoding i of a view.
func unnamed(i int) string { return "\x00" + string(rune('a'+i)) }

func quote(s string) string { return `"` + cut(s) + `"` }

// groupRows returns the rows of each combination of values in the columns at by, in the order of their first row.
func groupRows(columns [][]scoring.Value, by []int, rows int) (groups [][]int) {
	at := map[string]int{}
	var b strings.Builder
	for r := range rows {
		b.Reset()
		for _, i := range by {
			b.WriteString(Key(columns[i][r]))
			b.WriteByte(0)
		}
		key := b.String()
		g, there := at[key]
		if !there {
			g = len(groups)
			at[key] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], r)
	}
	return groups
}

// aggregated returns an aggregate of the values of some rows, exactly. in is nil for a count of rows. NULLs count only
// there. It is NULL if a value is not a number.
func aggregated(op string, in []scoring.Value, rows []int) scoring.Value {
	if op == "count" {
		return scoring.IntValue(int64(len(rows)))
	}
	var values []scoring.Value
	for _, r := range rows {
		if r < len(in) && !in[r].IsNull() {
			values = append(values, in[r])
		}
	}
	switch op {
	case "valid":
		return scoring.IntValue(int64(len(values)))
	case "distinct":
		seen := map[string]bool{}
		for _, v := range values {
			seen[Key(v)] = true
		}
		return scoring.IntValue(int64(len(seen)))
	case "min", "max", "median":
		if len(values) == 0 {
			return scoring.NullValue
		}
		slices.SortFunc(values, Compare)
		switch op {
		case "min":
			return values[0]
		case "max":
			return values[len(values)-1]
		}
		a, _, okA := Number(values[(len(values)-1)/2])
		b, _, okB := Number(values[len(values)/2])
		if !okA || !okB {
			return scoring.NullValue
		}
		return rational(a.Add(a, b).Quo(a, big.NewRat(2, 1)))
	}
	if len(values) == 0 {
		return scoring.NullValue
	}
	sum := new(big.Rat)
	for _, v := range values {
		r, _, ok := Number(v)
		if !ok {
			return scoring.NullValue
		}
		sum.Add(sum, r)
	}
	if op == "mean" {
		sum.Quo(sum, big.NewRat(int64(len(values)), 1))
	}
	return rational(sum)
}

// truncated returns days and times cut to a time unit.
func truncated(values []scoring.Value, unit string) []scoring.Value {
	if unit == "" {
		return values
	}
	out := make([]scoring.Value, len(values))
	for i, v := range values {
		out[i] = Truncate(v, unit)
	}
	return out
}

// Truncate returns the first day of the year, quarter or month, or the day, of a value that is a day or a time; for
// the unit year, the number of the year. Other values are returned unchanged.
func Truncate(v scoring.Value, unit string) scoring.Value {
	seconds, _, ok := instantOf(v)
	if !ok {
		return v
	}
	t := time.Unix(seconds, 0).UTC()
	month, day := int(t.Month()), t.Day()
	switch unit {
	case "year":
		return scoring.IntValue(int64(t.Year()))
	case "yearquarter":
		month, day = (month-1)/3*3+1, 1
	case "yearmonth":
		day = 1
	}
	return scoring.DateValue(scoring.DaysOf(t.Year(), month, day))
}

// timeUnits are the time units that are computed. Others, such as month, merge years.
var timeUnits = []string{"year", "yearquarter", "yearmonth", "yearmonthdate"}

// working is a frame to which steps are applied.
type working struct {
	Frame
	unknown map[string]bool // fields that were computed in a way that is not read, in lower case
}

// apply applies a step, and returns what cannot be computed, or "".
func (w *working) apply(s *Step) string {
	for _, name := range s.unknown {
		w.unknown[strings.ToLower(name)] = true
	}
	switch {
	case s.keep != nil:
		return w.filter(s.keep)
	case s.fold != nil:
		return w.unpivot(s)
	case s.aggregate != nil:
		return w.groupBy(s)
	case s.copied != "":
		k := w.index(s.copied)
		if k < 0 {
			return "the field " + quote(s.copied)
		}
		w.set(s.as[0], truncated(w.Columns[k], s.unit))
	}
	return ""
}

func (w *working) set(name string, values []scoring.Value) {
	if k := slices.Index(w.Names, name); k >= 0 {
		w.Columns = slices.Clone(w.Columns)
		w.Columns[k] = values
		return
	}
	w.Names, w.Columns = append(slices.Clip(w.Names), name), append(slices.Clip(w.Columns), values)
}

func (w *working) filter(c *cond) string {
	at := map[string]int{}
	for _, name := range c.fields(nil) {
		if w.unknown[strings.ToLower(name)] {
			return "the field " + quote(name) + ", which the chart computes"
		}
		if at[name] = w.index(name); at[name] < 0 {
			return "the field " + quote(name)
		}
	}
	var kept []int
	for r := range w.Rows {
		switch c.eval(func(name string) scoring.Value { return w.Columns[at[name]][r] }) {
		case yes:
			kept = append(kept, r)
		case unknown:
			return "a filter that compares values of different types"
		}
	}
	columns := make([][]scoring.Value, len(w.Columns))
	for k := range columns {
		columns[k] = make([]scoring.Value, len(kept))
		for i, r := range kept {
			columns[k][i] = w.Columns[k][r]
		}
	}
	w.Columns, w.Rows = columns, len(kept)
	return ""
}

func (w *working) unpivot(s *Step) string {
	if w.Rows*len(s.fold) > MaxPoints {
		return "more rows than are read"
	}
	out := Frame{Names: append(slices.Clone(w.Names), s.as...), Rows: w.Rows * len(s.fold)}
	out.Columns = make([][]scoring.Value, len(out.Names))
	var from []int
	for _, name := range s.fold {
		k := w.index(name)
		if k < 0 {
			return "the field " + quote(name)
		}
		from = append(from, k)
	}
	for r := range w.Rows {
		for i, k := range from {
			for c := range w.Columns {
				out.Columns[c] = append(out.Columns[c], w.Columns[c][r])
			}
			n := len(w.Names)
			out.Columns[n] = append(out.Columns[n], scoring.StringValue(s.fold[i]))
			out.Columns[n+1] = append(out.Columns[n+1], w.Columns[k][r])
		}
	}
	w.Frame = out
	return ""
}

func (w *working) groupBy(s *Step) string {
	var by []int
	for _, name := range s.group {
		k := w.index(name)
		if k < 0 || w.unknown[strings.ToLower(name)] {
			return "the field " + quote(name)
		}
		by = append(by, k)
	}
	groups := groupRows(w.Columns, by, w.Rows)
	out := Frame{Rows: len(groups)}
	for i, k := range by {
		values := make([]scoring.Value, len(groups))
		for g, rows := range groups {
			values[g] = w.Columns[k][rows[0]]
		}
		out.Names, out.Columns = append(out.Names, s.group[i]), append(out.Columns, values)
	}
	for _, a := range s.aggregate {
		var in []scoring.Value
		if a.op != "count" {
			k := w.index(a.field)
			if k < 0 || w.unknown[strings.ToLower(a.field)] {
				return "the field " + quote(a.field)
			}
			in = w.Columns[k]
		}
		values := make([]scoring.Value, len(groups))
		for g, rows := range groups {
			values[g] = aggregated(a.op, in, rows)
		}
		out.Names, out.Columns = append(out.Names, a.as), append(out.Columns, values)
	}
	w.Frame = out
	return ""
}

// Orient moves the aggregate of plain fields from y to x if only x is a number, as for bars that lie.
func (v *View) Orient(result *Frame) {
	x := slices.IndexFunc(v.Encodings, func(e Encoding) bool { return e.Channel == X })
	y := slices.IndexFunc(v.Encodings, func(e Encoding) bool { return e.Channel == Y })
	if !v.Aggregate || x < 0 || y < 0 || v.Encodings[x].Aggregate != "" || v.Encodings[y].Field == "" {
		return
	}
	number := func(v scoring.Value) bool { _, _, ok := Number(v); return ok }
	if a, b := v.Raw(result, x), v.Raw(result, y); slices.ContainsFunc(a, number) && !slices.ContainsFunc(b, number) {
		v.Encodings[x].Aggregate, v.Encodings[y].Aggregate = v.Encodings[y].Aggregate, ""
	}
}

// Raw returns the values of encoding i before aggregation: those written into the chart, or those of the result. It is
// nil if the field is not a column of them.
func (v *View) Raw(result *Frame, i int) []scoring.Value {
	f := v.source(result)
	e := &v.Encodings[i]
	k := f.index(e.Field)
	if e.Unnamed {
		k = slices.Index(f.Names, unnamed(i))
	} else if e.Field == "" {
		return nil
	}
	if k < 0 {
		return nil
	}
	return f.Columns[k]
}

// Index returns the column with a name, which may differ in form, or -1.
func (f *Frame) Index(name string) int {
	if strings.TrimSpace(name) == "" {
		return -1
	}
	return f.index(name)
}

// Grouped returns the points with the rows of the same categories joined: the other columns are aggregated by op.
func (p *Points) Grouped(categories []int, op func(column int) string) *Points {
	groups := groupRows(p.Columns, categories, p.Rows)
	out := &Points{Computed: true, Merged: len(groups) < p.Rows}
	out.Names, out.Rows = p.Names, len(groups)
	for k := range p.Columns {
		values := make([]scoring.Value, len(groups))
		for g, rows := range groups {
			if slices.Contains(categories, k) {
				values[g] = p.Columns[k][rows[0]]
			} else {
				values[g] = aggregated(op(k), p.Columns[k], rows)
			}
		}
		out.Columns = append(out.Columns, values)
	}
	return out
}

// Scaled returns a number times a power of ten. Other values are returned unchanged.
func Scaled(v scoring.Value, power int) scoring.Value {
	r, _, ok := Number(v)
	if !ok {
		return v
	}
	factor := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(power, -power))), nil))
	if power < 0 {
		factor.Inv(factor)
	}
	return rational(r.Mul(r, factor))
}

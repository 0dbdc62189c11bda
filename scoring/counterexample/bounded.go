package counterexample

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Bound describes the set of all databases with at most Rows rows in each table and with values from Domain, if all
// of them were tried. Queries that agree on all of them may differ on larger databases or with other values.
type Bound struct {
	Rows      int      `json:"rows"`      // maximum number of rows in each table
	Databases int      `json:"databases"` // number of databases, not counting orders of rows
	Domain    []string `json:"domain"`    // the values of each column, as table.column {value, …}
}

// Limits of trying all databases of a size.
const (
	DefaultBound = 2   // maximum number of rows in each table, if the problem states none
	maxBounded   = 600 // maximum number of databases
	maxConstants = 6   // maximum number of values of a column other than NULL
)

// bounded reports whether all small databases can be enumerated for a query: it has only columns, constants, simple
// aggregates, joins, comparisons and groups of columns. The result of such a query depends on a value only through
// its comparisons with the constants and with other values.
func bounded(q *sqlparts.Query) bool {
	b, ok := q.Body.(*sqlparts.Select)
	if !ok || len(q.With) > 0 || q.Limit != nil || len(b.DistinctOn) > 0 || b.Qualify != nil || len(b.From) == 0 ||
		b.Into != nil || len(b.Connect)+len(b.Extra)+len(b.Windows) > 0 || b.As != "" {
		return false
	}
	var tables func(list []*sqlparts.Source) bool
	tables = func(list []*sqlparts.Source) bool {
		for _, src := range list {
			if src.Nested != nil {
				if !tables(src.Nested) {
					return false
				}
				continue
			}
			if src.Table == nil || src.Call != nil || src.Query != nil || src.On != nil && !plainCondition(src.On) {
				return false
			}
		}
		return true
	}
	if !tables(b.From) || b.Where != nil && !plainCondition(b.Where) || b.Having != nil && !plainCondition(b.Having) {
		return false
	}
	for _, it := range b.Items {
		star, ok := it.Expr.(*sqlparts.Star)
		if ok && (len(star.Rename)+len(star.Replace)+len(star.Except) > 0 || star.Like != nil) ||
			!ok && !plainOperand(it.Expr) {
			return false
		}
	}
	if b.Group != nil && slices.ContainsFunc(b.Group.Items, func(e sqlparts.Expr) bool { return !plainOperand(e) }) {
		return false
	}
	return !slices.ContainsFunc(q.OrderBy, func(o *sqlparts.OrderItem) bool { return !plainOperand(o.Expr) })
}

// plainOperand reports whether an expression is a column, a constant or an aggregate of a column.
func plainOperand(e sqlparts.Expr) bool {
	switch e := e.(type) {
	case *sqlparts.Column, *sqlparts.Literal:
		return true
	case *sqlparts.Unary:
		_, literal := e.X.(*sqlparts.Literal)
		return literal && e.Op == "-"
	case *sqlparts.List:
		return e.Kind == sqlparts.Tuple && len(e.Items) == 1 && plainOperand(e.Items[0].Expr)
	case *sqlparts.Call:
		if e.Over != nil || e.Filter != nil || len(e.OrderBy)+len(e.Within) > 0 || len(e.Args) != 1 || len(e.Name) > 1 {
			return false
		}
		switch strings.ToLower(e.Name[0].Text) {
		case "count", "sum", "avg", "min", "max":
			_, star := e.Args[0].(*sqlparts.Star)
			_, call := e.Args[0].(*sqlparts.Call)
			return star || !call && plainOperand(e.Args[0])
		}
	}
	return false
}

// plainCondition reports whether a condition consists of comparisons of plain operands, combined by AND, OR and NOT.
func plainCondition(e sqlparts.Expr) bool {
	switch e := e.(type) {
	case *sqlparts.Logic:
		return !slices.ContainsFunc(e.Args, func(a sqlparts.Expr) bool { return !plainCondition(a) })
	case *sqlparts.Unary:
		return e.Op == "not" && plainCondition(e.X)
	case *sqlparts.List:
		return e.Kind == sqlparts.Tuple && len(e.Items) == 1 && plainCondition(e.Items[0].Expr)
	case *sqlparts.Binary:
		switch e.Op {
		case "=", "<>", "<", "<=", ">", ">=", "is distinct from", "is not distinct from", "<=>":
			return e.Quantifier == "" && plainOperand(e.L) && plainOperand(e.R)
		}
	case *sqlparts.Between:
		return !e.Symmetric && plainOperand(e.X) && plainOperand(e.Low) && plainOperand(e.High)
	case *sqlparts.In:
		return e.Query == nil && e.Of == nil && plainOperand(e.X) &&
			!slices.ContainsFunc(e.List, func(a sqlparts.Expr) bool { return !plainOperand(a) })
	case *sqlparts.Is:
		l, ok := e.What.(*sqlparts.Literal)
		return ok && (l.Kind == sqlparts.Null || l.Kind == sqlparts.Bool) && plainOperand(e.X)
	case *sqlparts.Column:
		return true
	case *sqlparts.Literal:
		return e.Kind == sqlparts.Bool
	}
	return false
}

// constants returns the values that a column takes in the enumerated databases: the constants that it is compared
// with, their neighbors if it is compared by order, another value (two without constants), and NULL if allowed. It
// returns nil if the column cannot be enumerated or has too many values.
func (s *search) constants(c *Column) []Value {
	d := c.domain
	var out []Value
	add := func(v Value) {
		if v = fit(v, c); v.Kind != Null && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	ordered := slices.ContainsFunc(d.tests,
		func(t test) bool { return t.op != "=" && t.op != "<>" && t.op != "IS NOT DISTINCT FROM" })
	switch {
	case len(d.like) > 0 || d.layout != "" || d.epoch > 0 || d.numeric || d.fractions || c.table.element:
		return nil
	case c.Kind == Bool:
		add(Value{Kind: Bool, Int: 1})
		add(Value{Kind: Bool})
	case c.Kind == Int || c.Kind == Real:
		most := 0.0
		for _, h := range d.hints {
			f, err := strconv.ParseFloat(h.Text, 64)
			if err != nil || math.Abs(f) > 1e12 {
				return nil
			}
			number := func(f float64) {
				if c.Kind == Int {
					add(intValue(int64(math.Floor(f))))
				} else {
					add(Value{Kind: Real, Real: f})
				}
			}
			number(f)
			if ordered {
				number(f - 1)
				number(f + 1)
			}
			most = max(most, f)
		}
		if len(out) == 0 {
			add(converted(intValue(1), c))
		}
		add(converted(intValue(int64(most)+2), c))
	case c.Kind == Date || c.Kind == Timestamp || c.Shape == dateText:
		layout := time.DateOnly
		if c.Kind == Timestamp {
			layout = time.DateTime
		}
		other := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		for _, h := range d.hints {
			t, err := time.Parse(layout[:min(len(layout), len(h.Text))], h.Text)
			if err != nil {
				return nil
			}
			add(Value{Kind: c.Kind, Text: t.Format(layout)})
			if ordered {
				add(Value{Kind: c.Kind, Text: t.AddDate(0, 0, -1).Format(layout)})
				add(Value{Kind: c.Kind, Text: t.AddDate(0, 0, 1).Format(layout)})
			}
			if !t.Before(other) {
				other = t
			}
		}
		if len(out) == 0 {
			add(Value{Kind: c.Kind, Text: other.Format(layout)})
		}
		add(Value{Kind: c.Kind, Text: other.AddDate(0, 0, 3).Format(layout)})
	case c.Kind == Text && c.Shape == anyText && !ordered:
		for _, h := range d.hints {
			if h.Kind != sqlparts.String {
				return nil
			}
			add(textValue(h.Text))
		}
		for _, v := range []string{"k", "m", "n"} {
			if hinted := slices.ContainsFunc(d.hints, func(h sqlparts.Literal) bool { return folded(h.Text) == v }); !hinted &&
				(len(out) < 2 || len(d.hints) > 0) {
				if add(textValue(v)); len(d.hints) > 0 {
					break
				}
			}
		}
	}
	if len(out) == 0 || len(out) > maxConstants {
		return nil
	}
	if !c.NotNull {
		out = append(out, Value{})
	}
	return out
}

// everyTable returns all contents of a table with at most rows rows that satisfy the constraints on the table alone,
// once for each multiset of rows. It returns nil if there are more than limit.
func everyTable(t *Table, domains [][]Value, rows, limit int) [][][]Value {
	columns := t.usedColumns()
	alone := &Database{Tables: []Rows{{Table: t, Columns: columns}}}
	count := 1.0
	for _, d := range domains {
		count *= float64(len(d))
	}
	if count > float64(limit) {
		return nil
	}
	var each [][]Value
	row := make([]Value, len(columns))
	var fill func(i int)
	fill = func(i int) {
		if i == len(columns) {
			each = append(each, slices.Clone(row))
			return
		}
		for _, v := range domains[i] {
			row[i] = v
			fill(i + 1)
		}
	}
	fill(0)
	self := slices.ContainsFunc(t.Foreign, func(f Foreign) bool { return f.To == t })
	out := [][][]Value{nil}
	var grow func(have [][]Value, from int) bool
	grow = func(have [][]Value, from int) bool {
		if len(have) == rows {
			return true
		}
		for i := from; i < len(each); i++ {
			if !self && !alone.holds(&alone.Tables[0], each[i], have) {
				continue
			}
			next := append(slices.Clone(have), each[i])
			if out = append(out, next); len(out) > limit || !grow(next, i) {
				return false
			}
		}
		return true
	}
	if !grow(nil, 0) {
		return nil
	}
	return out
}

// bound tries all databases with values from [search.constants] and at most the problem's number of rows in each
// table, fewer if there would be more than limit databases. It returns the first database on which the queries
// differ. It returns nil if none does, or if the queries or columns cannot be enumerated.
func (s *search) bound(ctx context.Context, limit int) (found *Database, err error) {
	if s.schema.Inferred || limit < 1 || !bounded(s.trees[0]) || !bounded(s.trees[1]) || len(s.tables) == 0 {
		return nil, nil
	}
	var domain []string
	domains := make([][][]Value, len(s.tables))
	for i, t := range s.tables {
		for _, c := range t.usedColumns() {
			values := s.constants(c)
			if values == nil {
				return nil, nil
			}
			domains[i] = append(domains[i], values)
			texts := make([]string, len(values))
			for k, v := range values {
				texts[k] = v.SQL()
			}
			domain = append(domain, t.Name+"."+c.Name+" {"+strings.Join(texts, ", ")+"}")
		}
	}
	contents := func(rows int) [][][][]Value {
		all, product := make([][][][]Value, len(s.tables)), 1.0
		for i, t := range s.tables {
			if all[i] = everyTable(t, domains[i], rows, maxBounded); all[i] == nil {
				return nil
			}
			if product *= float64(len(all[i])); product > maxBounded {
				return nil
			}
		}
		return all
	}
	var all [][][][]Value
	rows := 0
	for k := 1; k <= limit; k++ {
		more := contents(k)
		if more == nil {
			break
		}
		all, rows = more, k
	}
	if all == nil {
		return nil, nil
	}
	d := &Database{}
	for _, t := range s.tables {
		d.Tables = append(d.Tables, Rows{Table: t, Columns: t.usedColumns()})
	}
	open, tried := s.out.Open, 0
	defer func() { s.out.Open = open }() // databases without an outcome in this pass are not counted
	place := make([]int, len(all))
	for {
		for i := range all {
			d.Tables[i].Rows = all[i][place[i]]
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if d.valid() {
			differs, err := s.differ(ctx, d)
			switch {
			case err != nil:
				return nil, err
			case differs:
				return d.clone(), nil
			}
			tried++
		}
		i := 0
		for ; i < len(place); i++ {
			if place[i]++; place[i] < len(all[i]) {
				break
			}
			place[i] = 0
		}
		if i == len(place) {
			break
		}
	}
	if s.out.Open == open && tried > 0 {
		s.out.Bound = &Bound{Rows: rows, Databases: tried, Domain: domain}
	}
	return nil, nil
}

// valid reports whether every row of the database satisfies the constraints.
func (d *Database) valid() bool {
	for i := range d.Tables {
		t := &d.Tables[i]
		for j, row := range t.Rows {
			if !d.holds(t, row, t.Rows[:j]) {
				return false
			}
		}
	}
	return true
}

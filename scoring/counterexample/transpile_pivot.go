package counterexample

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// pivoted translates a source with PIVOT or UNPIVOT to an equivalent query.
func (c *transpiler) pivoted(s *scope, src *sqlparts.Source) (text, of string, outer bool) {
	if len(src.Pivots) > 1 || src.Lateral || len(src.Columns) > 0 {
		refuse("PIVOT in this form")
	}
	pv := src.Pivots[0]
	if len(pv.For) != 1 || len(pv.In) == 0 || len(pv.Group) > 0 || len(pv.Columns) > 0 || src.Call != nil ||
		src.Nested != nil {
		refuse("PIVOT in this form")
	}
	var sql string
	var columns []output
	if pv.Unpivot {
		sql, columns = c.unpivot(s.parent, src, pv)
	} else {
		sql, columns = c.pivot(s.parent, src, pv)
	}
	rest := slices.IndexFunc(columns, func(o output) bool { return o.rest != nil })
	alias := c.derived(s, src, columns, nil)
	if rest >= 0 {
		s.sources[len(s.sources)-1].columns[rest].rest = columns[rest].rest
	}
	return "(" + sql + ") AS " + alias, "", false
}

// pivot translates PIVOT to a query that groups by the columns that PIVOT does not name, with an aggregate for each
// value.
func (c *transpiler) pivot(parent *scope, src *sqlparts.Source, pv *sqlparts.Pivot) (string, []output) {
	inner := &scope{parent: parent}
	from, _, _ := c.plainSource(inner, src, true)
	key, ok := pv.For[0].(*sqlparts.Column)
	if !ok {
		refuse("PIVOT by what is no column")
	}
	taken := map[string]bool{strings.ToLower(key.Name.Last().Text): true}
	for _, it := range pv.Values {
		call, ok := it.Expr.(*sqlparts.Call)
		if !ok || !isAggregate(call) || call.Filter != nil || call.Distinct || len(call.OrderBy)+len(call.Within) > 0 {
			refuse("PIVOT with what is no plain aggregate")
		}
		sqlparts.Walk(call, func(n sqlparts.Node) bool {
			if col, ok := n.(*sqlparts.Column); ok {
				taken[strings.ToLower(col.Name.Last().Text)] = true
				c.columnRef(inner, col) // adds the column to an inferred table
			}
			return true
		})
	}
	c.columnRef(inner, key)
	b := &sqlparts.Select{Group: &sqlparts.GroupBy{}}
	group := func(name string, x expr) {
		col := c.named(name, x)
		b.Items = append(b.Items, &sqlparts.Item{Expr: col})
		b.Group.Items = append(b.Group.Items, col)
	}
	of := inner.sources[0]
	for _, o := range of.columns {
		if o.name == "" {
			refuse("PIVOT of columns without names")
		}
		if !taken[strings.ToLower(o.name)] {
			group(o.name, o.expr)
		}
	}
	rest := -1
	if of.table != nil && c.schema.Inferred {
		rest = len(b.Items)
		group(othersName, columnOutput(of.alias, of.table.own(othersName)).expr)
	}
	for _, in := range pv.In {
		value, name := in.Expr, in.Alias.Text
		switch v := in.Expr.(type) {
		case *sqlparts.Literal:
			if name == "" {
				name = v.Text
				if c.dialect == sqlparts.Snowflake && v.Kind == sqlparts.String {
					name = "'" + v.Text + "'"
				}
			}
		case *sqlparts.Column:
			if c.dialect != sqlparts.TSQL {
				refuse("PIVOT for values that are computed")
			}
			name, value = v.Name.Last().Text, &sqlparts.Literal{Kind: sqlparts.String, Text: v.Name.Last().Text}
		default:
			refuse("PIVOT for values that are computed")
		}
		for _, it := range pv.Values {
			call := *it.Expr.(*sqlparts.Call) //nolint:forcetypeassert // as is known from above
			call.Filter = &sqlparts.Binary{Op: "=", L: key, R: value}
			column := name
			if a := it.Alias.Text; a != "" || len(pv.Values) > 1 {
				column = a + "_" + name
				if c.dialect == sqlparts.DuckDB || c.dialect == sqlparts.Databricks {
					column = name + "_" + a
				}
			}
			b.Items = append(b.Items, &sqlparts.Item{Expr: &call, Alias: sqlparts.Ident{Text: column}})
		}
	}
	if len(b.Group.Items) == 0 {
		refuse("PIVOT of all rows as one")
	}
	if slices.ContainsFunc(pv.Values, func(it *sqlparts.Item) bool {
		call := it.Expr.(*sqlparts.Call) //nolint:forcetypeassert // as is known from above
		n := aggregates[strings.ToLower(call.Name.Last().Text)]
		return n == "count" || n == "count_if"
	}) && c.dialect != sqlparts.BigQuery && c.dialect != sqlparts.DuckDB && c.dialect != sqlparts.TSQL {
		refuse("PIVOT with a count, which is 0 or NULL where there is no row")
	}
	sql, columns := c.selectFrom(inner, " FROM "+from, b, &sqlparts.Query{Body: b})
	if rest >= 0 {
		columns[rest].name, columns[rest].rest = "", []*Table{of.table}
	}
	return sql, columns
}

// unpivot translates UNPIVOT to a query with a row for each of the named columns.
func (c *transpiler) unpivot(parent *scope, src *sqlparts.Source, pv *sqlparts.Pivot) (string, []output) {
	label, ok := pv.For[0].(*sqlparts.Column)
	if !ok || len(pv.Values) != 1 {
		refuse("UNPIVOT in this form")
	}
	value, ok := pv.Values[0].Expr.(*sqlparts.Column)
	if !ok || c.schema.Inferred && src.Table != nil && c.bound.Reads(src).Kind == sqlparts.ReadsTable {
		refuse("UNPIVOT in this form, or of a table whose columns are not known")
	}
	taken := map[string]bool{}
	for _, in := range pv.In {
		col, ok := in.Expr.(*sqlparts.Column)
		if !ok || in.Alias.Text != "" && c.dialect != sqlparts.BigQuery {
			refuse("UNPIVOT of what is no column")
		}
		taken[strings.ToLower(col.Name.Last().Text)] = true
	}
	texts, kinds := make([]string, len(pv.In)), make([][]output, len(pv.In))
	ops := make([]sqlparts.SetOperator, len(pv.In)-1)
	for i, in := range pv.In {
		if i > 0 {
			ops[i-1] = sqlparts.SetOperator{Kind: sqlparts.Union, All: true}
		}
		col := in.Expr.(*sqlparts.Column) //nolint:forcetypeassert // as is known from above
		name := col.Name.Last()
		text := name.Text
		if c.dialect == sqlparts.Snowflake && !name.Quoted {
			text = strings.ToUpper(text)
		}
		if in.Alias.Text != "" {
			text = in.Alias.Text
		}
		inner := &scope{parent: parent}
		from, _, _ := c.plainSource(inner, src, true)
		b := &sqlparts.Select{}
		for _, o := range inner.sources[0].columns {
			if !taken[strings.ToLower(o.name)] {
				b.Items = append(b.Items, &sqlparts.Item{Expr: c.named(o.name, o.expr)})
			}
		}
		b.Items = append(b.Items,
			&sqlparts.Item{Expr: &sqlparts.Literal{Kind: sqlparts.String, Text: text}, Alias: label.Name.Last()},
			&sqlparts.Item{Expr: col, Alias: value.Name.Last()})
		if !pv.IncludeNulls {
			b.Where = &sqlparts.Is{X: col, What: &sqlparts.Literal{Kind: sqlparts.Null}, Not: true}
		}
		texts[i], kinds[i] = c.selectFrom(inner, " FROM "+from, b, &sqlparts.Query{Body: b})
	}
	if len(texts) == 1 {
		return texts[0], kinds[0]
	}
	return c.combined(texts, kinds, ops)
}

// named returns a column name that is translated to x.
func (c *transpiler) named(name string, x expr) *sqlparts.Column {
	col := &sqlparts.Column{Span: sqlparts.Span{Start: -1}, Name: sqlparts.Name{{Text: name}}}
	c.own[col] = x
	return col
}

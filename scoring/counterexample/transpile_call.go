package counterexample

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// aggregates maps all names of the supported aggregate functions to the names of their translations.
var aggregates = map[string]string{
	"count": "count", "sum": "sum", "avg": "avg", "mean": "avg", "min": "min", "max": "max", "total": "total",
	"group_concat": "string_agg", "string_agg": "string_agg", "listagg": "string_agg",
	"count_if": "count_if", "countif": "count_if", "bool_and": "bool_and", "every": "bool_and", "logical_and": "bool_and",
	"booland_agg": "bool_and",
	"bool_or":     "bool_or", "logical_or": "bool_or", "boolor_agg": "bool_or", "any_value": "any_value",
	"stddev": "stddev_samp", "stddev_samp": "stddev_samp", "stddev_pop": "stddev_pop", "variance": "var_samp",
	"var_samp": "var_samp", "var_pop": "var_pop",
	"median": "median", "bit_and": "bit_and", "bit_or": "bit_or", "grouping": "grouping",
	"corr": "corr", "covar_pop": "covar_pop", "covar_samp": "covar_samp", "array_agg": "list",
	"approx_count_distinct": "approx_count_distinct",
	"max_by":                "max_by", "min_by": "min_by", "percentile_cont": "percentile_cont",
	"percentile_disc":  "percentile_disc",
	"approx_quantiles": "approx_quantiles",
}

func isAggregate(e *sqlparts.Call) bool {
	n := strings.ToLower(e.Name.Last().Text)
	if (n == "min" || n == "max") && len(e.Args) != 1 {
		return false
	}
	return aggregates[n] != "" && e.Over == nil
}

// windows are the supported window functions other than aggregates.
var windows = map[string]bool{
	"row_number": true, "rank": true, "dense_rank": true, "percent_rank": true, "cume_dist": true, "ntile": true,
	"lag": true, "lead": true, "first_value": true, "last_value": true,
}

func (c *transpiler) call(s *scope, e *sqlparts.Call) expr {
	name := strings.ToLower(e.Name.Last().Text)
	if len(e.Name) > 1 {
		refuse("the function %s", strings.ToUpper(name))
	}
	switch {
	case (e.Nulls != "" || e.Limit != nil) && aggregates[name] == "list" && e.Over == nil && e.Having == nil:
		return c.aggregate(s, e, aggregates[name], "")
	case e.Nulls != "" &&
		(e.Nulls != "ignore" || e.Over == nil ||
			name != "first_value" && name != "last_value" && name != "lag" && name != "lead"), e.Having != nil, e.Limit != nil:
		refuse("%s with IGNORE NULLS, HAVING or LIMIT", strings.ToUpper(name))
	case e.Over != nil:
		return c.window(s, e, name)
	case isAggregate(e):
		return c.aggregate(s, e, aggregates[name], "")
	case e.Filter != nil || len(e.Within) > 0 || len(e.OrderBy) > 0 || e.Distinct:
		refuse("the function %s in this form", strings.ToUpper(name))
	}
	if name == "get" && len(e.Args) == 2 && c.dialect == sqlparts.Snowflake {
		return c.index(s, &sqlparts.Index{Span: e.Span, X: e.Args[0], I: e.Args[1]})
	}
	if x, ok := c.timeCall(s, e, name); ok {
		return x
	}
	if own := c.declarations.functions[name]; own != nil {
		return c.defined(s, e, own)
	}
	f := functions[name]
	if f == nil {
		refuse("the function %s", strings.ToUpper(name))
	}
	c.without("the function "+strings.ToUpper(name), functionsWithout[name]...)
	args := make([]expr, len(e.Args))
	var near []*Column
	before, length, unsure, inexact := len(c.seen), 0, false, false
	for i, a := range e.Args {
		args[i] = c.expr(s, a)
		near = append(near, args[i].near...)
		length += max(1, args[i].length)
		unsure, inexact = unsure || args[i].unsure, inexact || args[i].inexact
	}
	if asksForNull[name] {
		c.ask(before)
	}
	x := f(c, args)
	if x.sql == "" {
		refuse("the function %s in this form", strings.ToUpper(name))
	}
	x.near, x.affinity, x.literal, x.column = near, noAffinity, nil, nil
	if x.nest != nil && c.learn && len(args) > 0 {
		x.column = args[0].column
	}
	x.inexact = x.kind == Real && (inexact || x.inexact)
	x.unsure = x.kind == Real && !alwaysReal[name] && (unsure || x.unsure)
	if x.kind == Text {
		x.length = length
		x.made = x.made || !returnsArgument[name]
	}
	return x
}

// defined translates a call of a function that the script defines: to its expression with the arguments in place of
// the parameters.
func (c *transpiler) defined(s *scope, e *sqlparts.Call, f *function) expr {
	if len(e.Args) != len(f.params) {
		refuse("a function of the text with another number of arguments")
	}
	as := func(x expr, k Kind) expr {
		if k == Null || x.kind == k {
			return x
		}
		c.learnKind(x, k)
		if k == Real && x.kind == Int || x.kind == Null {
			return c.as(x, k)
		}
		if !c.learn {
			refuse("a function of the text with arguments of another kind")
		}
		x.kind = k
		return x
	}
	args := make([]expr, len(e.Args))
	for i, a := range e.Args {
		x := as(c.value(c.expr(s, a)), f.kinds[i])
		args[i] = x
	}
	sqlparts.Walk(f.body, func(n sqlparts.Node) bool {
		if col, ok := n.(*sqlparts.Column); ok && len(col.Name) == 1 {
			if at := slices.IndexFunc(f.params, func(p string) bool { return strings.EqualFold(p, col.Name[0].Text) }); at >= 0 {
				c.own[col] = args[at]
			}
		}
		return true
	})
	outside := c.bound
	c.bound = &sqlparts.Bound{} // in the body, only parameters have a meaning
	x := as(c.expr(&scope{}, f.body), f.kind)
	c.bound = outside
	x.column, x.literal = nil, nil
	return x
}

// asksForNull are the functions that replace NULL, so that a query with them tests for NULL.
var asksForNull = map[string]bool{"coalesce": true, "ifnull": true, "nvl": true}

// returnsArgument are the functions that return one of their arguments unchanged.
var returnsArgument = map[string]bool{"coalesce": true, "ifnull": true, "nvl": true, "nullif": true, "iif": true,
	"iff": true, "if": true, "max": true, "min": true}

// alwaysReal are numeric functions whose result is never an integer in SQLite.
var alwaysReal = map[string]bool{"round": true, "sqrt": true, "julianday": true}

// aggregate translates a call of an aggregate function. over is its OVER clause in SQL, or "".
func (c *transpiler) aggregate(s *scope, e *sqlparts.Call, name, over string) expr {
	was := s.inside
	if over == "" {
		if s.group == nil && !s.inside {
			refuse("an aggregate where rows are not grouped")
		}
		s.inside = true
		defer func() { s.inside = was }()
	}
	filter := ""
	if e.Filter != nil {
		filter = " FILTER (WHERE " + c.condition(s, e.Filter) + ")"
	}
	tail := filter + over
	if _, ok := star(e.Args); ok {
		if name != "count" {
			refuse("%s of a star", strings.ToUpper(name))
		}
		return expr{sql: "count(*)" + tail, kind: Int, counted: true}
	}
	if len(e.Args) == 0 && name == "count" {
		return expr{sql: "count(*)" + tail, kind: Int, counted: true}
	}
	if len(e.Args) > 1 && name == "count" &&
		(e.Distinct && c.dialect == sqlparts.MySQL || c.dialect == sqlparts.Databricks || c.dialect == sqlparts.Snowflake ||
			c.dialect == sqlparts.Generic) {
		return c.countRows(s, e, tail)
	}
	switch name {
	case "corr", "covar_pop", "covar_samp", "max_by", "min_by":
		return c.ofTwo(s, e, name, tail, over)
	case "percentile_cont", "percentile_disc":
		return c.percentile(s, e, name, tail, over)
	case "approx_quantiles":
		return c.quantiles(s, e, tail, over)
	}
	if len(e.Args) == 0 || len(e.Args) > 1 && name != "string_agg" && name != "grouping" {
		refuse("%s of several values", strings.ToUpper(name))
	}
	if name == "grouping" {
		return c.groupingOf(s, e)
	}
	x := c.value(c.expr(s, e.Args[0]))
	distinct := ""
	if e.Distinct {
		c.keyed(x)
		for _, col := range x.near {
			c.values.domain(col).distinct = true
		}
		distinct = "DISTINCT "
	}
	out := expr{counted: true, near: x.near, inexact: x.inexact, length: x.length, made: x.made}
	call := func(f string, arg string, k Kind) expr {
		out.sql, out.kind = f+"("+distinct+arg+")"+tail, k
		return out
	}
	switch name {
	case "count":
		return call("count", x.sql, Int)
	case "approx_count_distinct": // exact for few values
		c.keyed(x)
		for _, col := range x.near {
			c.values.domain(col).distinct = true
		}
		distinct = "DISTINCT "
		return call("count", x.sql, Int)
	case "list":
		if over != "" {
			refuse("ARRAY_AGG in this form")
		}
		return c.collected(s, e, x, distinct, filter)
	case "min", "max":
		if x.kind == Text {
			c.keyed(x)
			c.inOrder = true
		}
		out.column, out.affinity, out.unsure = x.column, noAffinity, x.unsure
		k := x.kind
		if k == Nested && c.dialect == sqlparts.Snowflake { // the dialect may return any of them
			c.open = true
			out.nest = x.nest
			return call([]string{"min", "max"}[c.variant], x.sql, k)
		}
		if k == Bool && c.writesBooleans() && c.dialect != sqlparts.Postgres { // FALSE comes before TRUE
			return call(map[string]string{"min": "bool_and", "max": "bool_or"}[name], x.sql, k)
		}
		if k == Bool || k == Nested || k == List || k == Geo {
			refuse("the least or greatest boolean, array or place")
		}
		if k == Null {
			x.sql = "CAST(NULL AS BIGINT)"
			if c.learn && c.dialect == sqlparts.Snowflake {
				out.nest = x.nest
			}
		}
		return call(name, x.sql, k)
	case "sum", "avg", "total", "stddev_samp", "stddev_pop", "var_samp", "var_pop", "median":
		if c.learn {
			c.learnKind(x, Int)
		}
		x = c.numeric(x)
		out.summed = name == "sum"
		switch {
		case name == "sum" && x.kind == Int:
			out.unsure = x.unsure
			r := call("sum", x.sql, Int)
			r.sql = "CAST(" + r.sql + " AS BIGINT)"
			return r
		case name == "total":
			r := call("sum", x.sql, Real)
			r.sql = "coalesce(CAST(" + r.sql + " AS DOUBLE), 0.0::DOUBLE)"
			return r
		}
		out.unsure, out.inexact = name == "sum" && x.unsure, name != "sum" || x.inexact
		if name == "avg" && x.kind == Int {
			if r, ok := c.wholeAverage(x, distinct, tail); ok {
				out.sql, out.kind, out.inexact = r, Int, false
				return out
			}
		}
		r := call(name, "CAST("+x.sql+" AS DOUBLE)", Real)
		// The result for integers may be an integer.
		if c.dialect == sqlparts.Generic && x.kind == Int && name != "sum" && !c.learn {
			if c.open = true; c.variant == 1 {
				r.sql, r.kind, r.inexact = "CAST(trunc("+r.sql+") AS BIGINT)", Int, false
			}
		}
		return r
	case "count_if":
		if c.dialect == sqlparts.DuckDB { // NULL if all values are NULL, unlike in other dialects
			r := call("count_if", c.truth(x), Int)
			r.sql = "CAST(" + r.sql + " AS BIGINT)"
			return r
		}
		return call("count", "CASE WHEN "+c.truth(x)+" THEN 1 END", Int)
	case "bool_and", "bool_or":
		if x.kind != Bool {
			refuse("%s of what is no boolean", strings.ToUpper(name))
		}
		return call(name, x.sql, Bool)
	case "bit_and", "bit_or":
		if x.kind != Int {
			refuse("%s of what is no whole number", strings.ToUpper(name))
		}
		return call(name, x.sql, Int)
	case "any_value":
		c.open = true
		out.nest = x.nest
		return call([]string{"min", "max"}[c.variant], x.sql, x.kind)
	case "string_agg":
		return c.concatenated(s, e, x, distinct, tail)
	}
	refuse("the function %s", strings.ToUpper(name))
	return out
}

// groupingOf translates GROUPING: a bit for each argument, the last one lowest, which is set if the row is not
// grouped by that key.
func (c *transpiler) groupingOf(s *scope, e *sqlparts.Call) expr {
	if s.group == nil || len(s.group.keys) == 0 || len(e.Args) > 1 && !c.groupingOfSeveral() {
		refuse("GROUPING in this form")
	}
	parts := make([]string, len(e.Args))
	for i, a := range e.Args {
		since := c.names
		x := c.value(c.expr(s, a))
		k, ok := s.group.key(renumbered(x.sql, since))
		if !ok {
			refuse("GROUPING of what is no key")
		}
		parts[i] = k.sql
	}
	return expr{sql: "grouping(" + strings.Join(parts, ", ") + ")", kind: Int, counted: true}
}

// groupingOfSeveral reports whether GROUPING may have several arguments in the dialect.
func (c *transpiler) groupingOfSeveral() bool {
	switch c.dialect {
	case sqlparts.Postgres, sqlparts.Snowflake, sqlparts.DuckDB, sqlparts.MySQL, sqlparts.Generic:
		return true
	}
	return false
}

func star(args []sqlparts.Expr) (*sqlparts.Star, bool) {
	if len(args) != 1 {
		return nil, false
	}
	s, ok := args[0].(*sqlparts.Star)
	return s, ok
}

// orderIn returns the ORDER BY within an aggregate, with ties broken by value in opposite directions in the two
// variants.
func (c *transpiler) orderIn(s *scope, e *sqlparts.Call, value string) string {
	var keys []string
	for _, o := range append(slices.Clone(e.OrderBy), e.Within...) {
		x := c.value(c.expr(s, o.Expr))
		if x.literal != nil {
			refuse("values in the order of a constant")
		}
		keys = append(keys, c.key(x.sql, x, o))
	}
	if value != "" {
		keys = append(keys, value+c.choice())
	}
	return " ORDER BY " + strings.Join(keys, ", ")
}

// concatenated translates the aggregate that concatenates strings. If the query does not order them, the two variants
// use opposite orders.
func (c *transpiler) concatenated(s *scope, e *sqlparts.Call, x expr, distinct, tail string) expr {
	separator := "','"
	if len(e.Args) > 1 {
		y := c.expr(s, e.Args[1])
		if y.kind != Text || y.literal == nil || distinct != "" && c.dialect == sqlparts.SQLite {
			refuse("texts joined by what is no text")
		}
		separator = y.sql
	} else if c.dialect == sqlparts.Snowflake || c.dialect == sqlparts.Redshift {
		separator = "''"
	}
	t := c.text(x)
	out := expr{kind: Text, near: x.near, length: 16 * max(1, x.length), made: true}
	if distinct != "" { // a separate order, since DISTINCT may not allow other expressions
		order := [2]string{"'ASC'", "'DESC'"}[c.variant]
		switch keys := append(slices.Clone(e.OrderBy), e.Within...); {
		case len(keys) == 0:
			c.open = true
		case len(keys) > 1:
			refuse("distinct texts joined in this order")
		default:
			y := c.value(c.expr(s, keys[0].Expr))
			if x.sql != y.sql {
				refuse("distinct texts joined in the order of another value")
			}
			c.key(y.sql, y, keys[0])
			order = map[bool]string{false: "'ASC'", true: "'DESC'"}[keys[0].Desc]
		}
		filter := " FILTER (WHERE " + t.sql + " IS NOT NULL)"
		if tail != "" {
			if !strings.HasPrefix(tail, " FILTER (WHERE ") {
				refuse("distinct texts joined in a window")
			}
			filter = strings.TrimSuffix(tail, ")") + " AND " + t.sql + " IS NOT NULL)"
		}
		out.sql = "array_to_string(list_sort(list(DISTINCT " + t.sql + ")" + filter + ", " + order + "), " + separator + ")"
	} else {
		out.sql = "string_agg(" + t.sql + ", " + separator + c.orderIn(s, e, t.sql) + ")" + tail
	}
	if c.dialect == sqlparts.Snowflake { // without strings the result is empty
		out.sql = "coalesce(" + out.sql + ", '')"
	}
	return out
}

// collected translates ARRAY_AGG. Snowflake omits NULL; in other dialects NULL is an element.
func (c *transpiler) collected(s *scope, e *sqlparts.Call, x expr, distinct, filter string) expr {
	switch c.dialect {
	case sqlparts.Snowflake, sqlparts.BigQuery, sqlparts.DuckDB, sqlparts.Postgres:
	default:
		refuse("ARRAY_AGG in this dialect")
	}
	if distinct != "" && len(e.OrderBy)+len(e.Within) > 0 {
		refuse("ARRAY_AGG in this form")
	}
	if x.kind == Nested && distinct != "" || x.kind == List {
		refuse("ARRAY_AGG of arrays or structures")
	}
	if c.dialect == sqlparts.Snowflake || e.Nulls == "ignore" {
		if filter == "" {
			filter = " FILTER (WHERE " + x.sql + " IS NOT NULL)"
		} else {
			filter = strings.TrimSuffix(filter, ")") + " AND " + x.sql + " IS NOT NULL)"
		}
	}
	sql := "list(" + distinct + x.sql + c.orderIn(s, e, x.sql) + ")" + filter
	if c.dialect == sqlparts.Snowflake {
		if x.kind == Null {
			x.kind = Text
		}
		sql = "coalesce(" + sql + ", CAST([] AS " + x.kind.Type() + "[]))"
	}
	if e.Limit != nil {
		n := ordinal(e.Limit)
		if n == 0 {
			refuse("ARRAY_AGG with this limit")
		}
		sql = "list_slice(" + sql + ", 1, " + strconv.Itoa(n) + ")"
	}
	of := x
	of.column, of.literal = nil, nil
	return expr{sql: sql, kind: List, of: &of, near: x.near, counted: true}
}

// countRows translates COUNT with several arguments: the number of rows, or of distinct combinations, in which none
// is NULL.
func (c *transpiler) countRows(s *scope, e *sqlparts.Call, tail string) expr {
	var parts, nulls []string
	var near []*Column
	for _, a := range e.Args {
		x := c.value(c.expr(s, a))
		if e.Distinct {
			c.keyed(x)
		}
		parts, nulls, near = append(parts, x.sql), append(nulls, x.sql+" IS NULL"), append(near, x.near...)
	}
	if !e.Distinct {
		return expr{sql: "count(CASE WHEN " + strings.Join(nulls, " OR ") + " THEN NULL ELSE 1 END)" + tail, kind: Int,
			counted: true, near: near}
	}
	return expr{
		sql: "count(DISTINCT CASE WHEN " + strings.Join(nulls, " OR ") + " THEN NULL ELSE row(" + strings.Join(parts, ", ") +
			") END)" + tail, kind: Int, counted: true, near: near}
}

// ofTwo translates an aggregate with two arguments.
func (c *transpiler) ofTwo(s *scope, e *sqlparts.Call, name, tail, over string) expr {
	if len(e.Args) != 2 || e.Distinct || c.dialect == sqlparts.SQLite {
		refuse("%s in this form", strings.ToUpper(name))
	}
	x, y := c.value(c.expr(s, e.Args[0])), c.value(c.expr(s, e.Args[1]))
	out := expr{counted: true, near: both(x, y)}
	if name == "max_by" || name == "min_by" {
		if over != "" || x.kind == Nested || x.kind == List {
			refuse("%s in this form", strings.ToUpper(name))
		}
		order := &sqlparts.OrderItem{Desc: name == "max_by", Nulls: sqlparts.NullsLast}
		test := " FILTER (WHERE " + y.sql + " IS NOT NULL)"
		if tail != "" {
			test = strings.TrimSuffix(tail, ")") + " AND " + y.sql + " IS NOT NULL)"
		}
		out.sql, out.kind, out.inexact, out.made, out.length = "first("+x.sql+" ORDER BY "+c.key(y.sql, y, order)+", "+
			x.sql+c.choice()+")"+test, x.kind, x.inexact, x.made, x.length
		return out
	}
	if c.learn {
		c.learnKind(x, Int)
		c.learnKind(y, Int)
	}
	out.sql, out.kind, out.inexact = name+"("+c.doubled(x)+", "+c.doubled(y)+")"+tail, Real, true
	if name == "corr" { // for constant values it is NULL in some dialects and NaN in others
		out.sql = "(CASE WHEN isnan(" + out.sql + ") THEN error('no correlation') ELSE " + out.sql + " END)"
	}
	return out
}

// percentile translates PERCENTILE_CONT and PERCENTILE_DISC, with WITHIN GROUP or as a window function of BigQuery.
func (c *transpiler) percentile(s *scope, e *sqlparts.Call, name, tail, over string) expr {
	var p, v sqlparts.Expr
	var item *sqlparts.OrderItem
	switch {
	case len(e.Within) == 1 && len(e.Args) == 1:
		p, v, item = e.Args[0], e.Within[0].Expr, e.Within[0]
	case c.dialect == sqlparts.BigQuery && over != "" && len(e.Args) == 2:
		p, v, item = e.Args[1], e.Args[0], &sqlparts.OrderItem{}
	default:
		refuse("%s in this form", strings.ToUpper(name))
	}
	l, ok := p.(*sqlparts.Literal)
	f := -1.0
	if ok && l.Kind == sqlparts.Number {
		f, _ = strconv.ParseFloat(l.Text, 64)
	}
	if f < 0 || f > 1 || item.Desc {
		refuse("%s in this form", strings.ToUpper(name))
	}
	x := c.expr(s, v)
	out := expr{counted: true, near: x.near, kind: Real, inexact: true}
	if name == "percentile_disc" {
		if x.kind == Text {
			c.keyed(x)
			c.inOrder = true
		}
		out.kind, out.inexact = x.kind, x.inexact
		out.sql = "quantile_disc(" + x.sql + ", " + l.Text + ")" + tail
		return out
	}
	out.sql = "quantile_cont(" + c.doubled(x) + ", " + l.Text + ")" + tail
	return out
}

// quantiles translates BigQuery's APPROX_QUANTILES: the n+1 bounds of n equal parts of the values, with the minimum
// and the maximum. If a bound is between two values, the two variants take the lower and the higher.
func (c *transpiler) quantiles(s *scope, e *sqlparts.Call, tail, over string) expr {
	n := 0
	if len(e.Args) == 2 {
		n = ordinal(e.Args[1])
	}
	if c.dialect != sqlparts.BigQuery || n == 0 || n > maxQuantiles || over != "" || e.Distinct ||
		len(e.OrderBy)+len(e.Within) > 0 {
		refuse("APPROX_QUANTILES in this form")
	}
	x := c.value(c.expr(s, e.Args[0]))
	if x.kind == Text {
		c.keyed(x)
		c.inOrder = true
	}
	c.open = true
	filter := " FILTER (WHERE " + x.sql + " IS NOT NULL)"
	if tail != "" {
		filter = strings.TrimSuffix(tail, ")") + " AND " + x.sql + " IS NOT NULL)"
	}
	values := "list_sort(list(" + x.sql + ")" + filter + ")"
	parts := make([]string, n+1)
	for i := range parts {
		place := strconv.Itoa(i) + " * (len(" + values + ") - 1) / " + strconv.Itoa(n)
		parts[i] = values + "[CAST(" + [2]string{"floor", "ceil"}[c.variant] + "(" + place + ") AS BIGINT) + 1]"
	}
	of := x
	of.column, of.literal, of.nest = nil, nil, nil
	return expr{sql: "[" + strings.Join(parts, ", ") + "]", kind: List, of: &of, near: x.near, counted: true}
}

// maxQuantiles is the maximum argument of APPROX_QUANTILES.
const maxQuantiles = 100

// window translates a call with OVER.
func (c *transpiler) window(s *scope, e *sqlparts.Call, name string) expr {
	w := e.Over
	if w.Name.Text != "" {
		at := slices.IndexFunc(s.windows,
			func(d *sqlparts.WindowDef) bool { return strings.EqualFold(d.Name.Text, w.Name.Text) })
		if at < 0 || s.windows[at].Window == nil || s.windows[at].Window.Name.Text != "" ||
			len(w.Partition)+len(w.OrderBy) > 0 || w.Frame != "" {
			refuse("a named window in this form")
		}
		w = s.windows[at].Window
	}
	var parts []string
	if len(w.Partition) > 0 {
		var keys []string
		for _, p := range w.Partition {
			x := c.value(c.expr(s, p))
			c.keyed(x)
			keys = append(keys, x.sql)
		}
		parts = append(parts, "PARTITION BY "+strings.Join(keys, ", "))
	}
	var keys []string
	for _, o := range w.OrderBy {
		x := c.value(c.expr(s, o.Expr))
		if x.literal != nil {
			refuse("a window ordered by a constant")
		}
		keys = append(keys, c.key(x.sql, x, o))
	}
	frame := cmp.Or(w.Frame, c.dialect.DefaultFrame(name))
	rows := frame != "" && !strings.HasPrefix(frame, "range")
	if name != "rank" && name != "dense_rank" && name != "percent_rank" && name != "cume_dist" && (windows[name] || rows) {
		if s.group != nil {
			for _, k := range s.group.keys {
				keys = append(keys, k.sql+c.choice())
			}
		} else {
			for _, src := range s.sources {
				for _, o := range src.columns {
					if o.column != nil && o.column.table.element && !o.column.used || o.kind == List {
						continue
					}
					if src.table == nil || o.column.used || slices.Contains(src.table.Columns, o.column) && len(keys) < 40 {
						if src.table != nil {
							c.use(o.column)
						}
						keys = append(keys, o.sql+c.choice())
					}
				}
			}
		}
	}
	if len(keys) > 0 {
		parts = append(parts, "ORDER BY "+strings.Join(keys, ", "))
	}
	if frame != "" {
		if !plainFrame.MatchString(frame) {
			refuse("a window frame of this form")
		}
		parts = append(parts, strings.ToUpper(frame))
	}
	over := " OVER (" + strings.Join(parts, " ") + ")"
	if agg := aggregates[name]; agg != "" && agg != "string_agg" && agg != "any_value" && agg != "grouping" &&
		agg != "total" && agg != "list" && agg != "max_by" && agg != "min_by" && agg != "approx_count_distinct" &&
		agg != "approx_quantiles" {
		x := c.aggregate(s, e, agg, over)
		x.counted = false
		return x
	}
	if !windows[name] || e.Filter != nil || e.Distinct {
		refuse("the window function %s", strings.ToUpper(name))
	}
	var args []string
	out := expr{kind: Int}
	for i, a := range e.Args {
		x := c.value(c.expr(s, a))
		if i == 0 && name != "ntile" {
			out.kind, out.near, out.unsure, out.inexact, out.length, out.made, out.nest = x.kind, x.near, x.unsure, x.inexact,
				x.length, x.made, x.nest
		} else if x.literal == nil || x.kind != Int {
			refuse("%s with what is no number", strings.ToUpper(name))
		}
		args = append(args, x.sql)
	}
	switch name {
	case "percent_rank", "cume_dist":
		out.kind = Real
	case "lag", "lead", "first_value", "last_value":
		if len(args) == 0 || len(args) > 2 || out.kind == List {
			refuse("%s in this form", strings.ToUpper(name))
		}
	}
	if e.Nulls == "ignore" {
		args[len(args)-1] += " IGNORE NULLS"
	}
	out.sql = name + "(" + strings.Join(args, ", ") + ")" + over
	return out
}

var plainFrame = lazyregexp.New(`^(rows|range) between (unbounded preceding|current row|[0-9]{1,3} (preceding|following)) and (unbounded following|current row|[0-9]{1,3} (preceding|following))$`)

// special translates calls whose arguments are separated by keywords, such as EXTRACT.
func (c *transpiler) special(s *scope, e *sqlparts.Special) expr {
	name := strings.ToLower(e.Name)
	args := make([]expr, len(e.Args))
	var near []*Column
	for i, a := range e.Args {
		if col, ok := a.(*sqlparts.Column); ok && name == "extract" && i == 0 && len(col.Name) == 1 {
			args[i] = expr{literal: &sqlparts.Literal{Kind: sqlparts.String, Text: col.Name[0].Text}}
			continue
		}
		args[i] = c.expr(s, a)
		near = append(near, args[i].near...)
	}
	words := strings.ToLower(strings.TrimSpace(strings.Join(e.Words, " ")))
	var x expr
	switch {
	case name == "extract" && len(args) == 2 && args[0].literal != nil:
		x = c.part(args[0].literal.Text, args[1])
	case name == "substring" && (words == "from for" || words == "from"):
		x = functions["substring"](c, args)
	case name == "trim" && len(args) == 1 && (words == "" || words == "from" || words == "both from"):
		x = functions["trim"](c, args)
	case name == "position" && words == "in" && len(args) == 2:
		x = functions["instr"](c, []expr{args[1], args[0]})
	}
	if x.sql == "" {
		refuse("the function %s in this form", strings.ToUpper(name))
	}
	x.near, x.literal, x.column, x.made = near, nil, nil, true
	return x
}

// textCall returns a translator of a function with one string argument. folds reports whether it changes the case of
// letters.
func textCall(name string, k Kind, folds bool) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		if len(args) != 1 {
			return expr{}
		}
		c.folds = c.folds || folds
		if c.learn {
			c.learnKind(args[0], Text)
		}
		return expr{sql: name + "(" + c.text(args[0]).sql + ")", kind: k}
	}
}

func realCall(name string) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		if len(args) != 1 {
			return expr{}
		}
		x := "CAST(" + c.numeric(args[0]).sql + " AS DOUBLE)"
		if args[0].inexact && name != "sqrt" {
			x = c.nudged(x)
		}
		return expr{sql: name + "(" + x + ")", kind: Real}
	}
}

// wholeCall returns a translator of a function that rounds to an integer. SQLite and T-SQL return integers unchanged.
func wholeCall(name string) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		x := realCall(name)(c, args)
		if x.sql != "" && args[0].kind == Int {
			if c.dialect == sqlparts.SQLite || c.dialect == sqlparts.TSQL {
				return args[0]
			}
			x.unsure = c.dialect != sqlparts.Postgres
		}
		return x
	}
}

// functions maps the names of supported functions to their translators. A translator returns an empty expression
// for arguments that it cannot translate.
var functions map[string]func(c *transpiler, args []expr) expr

func init() {
	functions = map[string]func(c *transpiler, args []expr) expr{
		"lower": textCall("lower", Text, true), "lcase": textCall("lower", Text, true),
		"upper": textCall("upper", Text, true), "ucase": textCall("upper", Text, true),
		"length": length, "len": length, "char_length": textCall("length", Int, false),
		"character_length": textCall("length", Int, false),
		"trim":             trimmed("trim"), "ltrim": trimmed("ltrim"), "rtrim": trimmed("rtrim"),
		"substr": substring, "substring": substring, "instr": found, "strpos": found,
		"floor": wholeCall("floor"), "ceil": wholeCall("ceil"), "ceiling": wholeCall("ceil"), "sqrt": realCall("sqrt"),
		"abs": func(c *transpiler, args []expr) expr {
			if len(args) != 1 {
				return expr{}
			}
			x := c.numeric(args[0])
			return expr{sql: "abs(" + x.sql + ")", kind: x.kind}
		},
		"round":    rounded,
		"coalesce": coalesced, "ifnull": coalesced, "nvl": coalesced,
		"nullif": func(c *transpiler, args []expr) expr {
			if len(args) != 2 {
				return expr{}
			}
			x, y := c.value(args[0]), c.value(args[1])
			if c.dialect == sqlparts.SQLite { // NULLIF compares without affinity
				x.affinity, y.affinity = noAffinity, noAffinity
			}
			return expr{sql: "(CASE WHEN " + c.compare("=", x, y).sql + " THEN NULL ELSE " + x.sql + " END)", kind: x.kind}
		},
		"seq1": sequence, "seq2": sequence, "seq4": sequence, "seq8": sequence,
		"iif": conditional, "iff": conditional, "if": conditional,
		"replace": func(c *transpiler, args []expr) expr {
			if c.dialect == sqlparts.TSQL && len(args) == 3 && args[1].literal != nil &&
				strings.ToLower(args[1].literal.Text) != strings.ToUpper(args[1].literal.Text) {
				refuse("REPLACE of letters, which depends on the collation")
			}
			if len(args) != 3 || args[1].literal == nil || args[2].literal == nil || args[1].literal.Text == "" {
				return expr{}
			}
			// Limit the length of strings with repeated replacements.
			if longer := len(args[2].literal.Text) / len(args[1].literal.Text); longer > 1 {
				c.longer *= longer
				if c.longer > maxLength {
					refuse("texts that are replaced by longer ones")
				}
			}
			return expr{sql: "replace(" + c.text(args[0]).sql + ", " + c.text(args[1]).sql + ", " + c.text(args[2]).sql + ")",
				kind: Text}
		},
		"concat": func(c *transpiler, args []expr) expr {
			if len(args) < 2 ||
				c.dialect != sqlparts.Snowflake && c.dialect != sqlparts.BigQuery && c.dialect != sqlparts.MySQL &&
					c.dialect != sqlparts.Databricks {
				return expr{} // in other dialects NULL is ignored
			}
			parts := make([]string, len(args))
			for i, a := range args {
				parts[i] = c.text(a).sql
			}
			return expr{sql: "(" + strings.Join(parts, " || ") + ")", kind: Text}
		},
		"mod": func(c *transpiler, args []expr) expr {
			if len(args) != 2 {
				return expr{}
			}
			return c.arithmetic("%", c.numeric(args[0]), c.numeric(args[1]))
		},
		"max": extreme("greatest"), "min": extreme("least"),
		"strftime": func(c *transpiler, args []expr) expr {
			if len(args) != 2 || args[0].literal == nil || c.dialect != sqlparts.SQLite ||
				!timeFormat.MatchString(args[0].literal.Text) {
				return expr{}
			}
			return expr{sql: "strftime(" + c.moment(args[1]) + ", " + args[0].sql + ")", kind: Text}
		},
		"date": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || c.dialect != sqlparts.SQLite {
				return expr{}
			}
			return expr{sql: "strftime(" + c.moment(args[0]) + ", '%Y-%m-%d')", kind: Text}
		},
		"julianday": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || c.dialect != sqlparts.SQLite {
				return expr{}
			}
			return expr{sql: "(epoch(" + c.moment(args[0]) + ") / 86400.0 + 2440587.5)", kind: Real}
		},
	}
	maps.Copy(functions, textFunctions())
	maps.Copy(functions, numberFunctions())
	maps.Copy(functions, geoFunctions())
}

var timeFormat = lazyregexp.New(`^(%[YmdHMS]|[-/ :.])+$`)

// moment returns SQL for the timestamp that SQLite parses from a string. Only an ISO 8601 literal is accepted, or a
// column, whose strings are then generated as dates.
func (c *transpiler) moment(x expr) string {
	if c.learn {
		c.learnKind(x, Date)
		return "TIMESTAMP '2000-01-01'"
	}
	switch {
	case x.kind == Text && x.literal != nil &&
		(isoDate.MatchString(x.literal.Text) || isoTimestamp.MatchString(x.literal.Text)):
	case x.kind == Text && x.column != nil:
		c.values.dates(x.column)
	default:
		refuse("a date made of what is no column")
	}
	return "TRY_CAST(" + x.sql + " AS TIMESTAMP)"
}

// length translates LENGTH and LEN: the number of characters of a string, in T-SQL without trailing blanks. In MySQL
// it is that of bytes, which is only the same for ASCII.
func length(c *transpiler, args []expr) expr {
	x := textCall("length", Int, false)(c, args)
	switch {
	case x.sql == "":
	case c.dialect == sqlparts.MySQL:
		c.bytes = true
	case c.dialect == sqlparts.TSQL:
		x.sql = "length(rtrim(" + c.text(args[0]).sql + ", ' '))"
	}
	return x
}

func trimmed(name string) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		if len(args) != 1 {
			return expr{}
		}
		return expr{sql: name + "(" + c.text(args[0]).sql + ", ' ')", kind: Text}
	}
}

// substring translates SUBSTR. Dialects agree for positions from 1. In BigQuery and Snowflake 0 is the first position
// as well. Negative positions count from the end in these, and in SQLite without a length. Other positions are
// refused, or if computed, make evaluation fail.
func substring(c *transpiler, args []expr) expr {
	if len(args) < 2 || len(args) > 3 {
		return expr{}
	}
	if c.learn {
		c.learnKind(args[0], Text)
		return expr{sql: "''", kind: Text}
	}
	x := c.text(args[0]).sql
	fromEnd := c.dialect == sqlparts.BigQuery || c.dialect == sqlparts.Snowflake ||
		c.dialect == sqlparts.SQLite && len(args) == 2
	if from := args[1].literal; from != nil && (len(args) == 2 || args[2].literal != nil) {
		n, err := strconv.Atoi(from.Text)
		if n == 0 && fromEnd && c.dialect != sqlparts.SQLite {
			n = 1
		}
		if err != nil || n < 1 && !(n < 0 && fromEnd) {
			return expr{}
		}
		// The engine uses the first position if a negative position is before the start.
		if n < 0 && c.dialect != sqlparts.SQLite {
			x = "(CASE WHEN length(" + x + ") < " + strconv.Itoa(-n) + " THEN error('a place before the first letter') ELSE " +
				x + " END)"
		}
		sql := "substring(" + x + ", " + strconv.Itoa(n)
		if len(args) == 3 {
			l, err := strconv.Atoi(args[2].literal.Text)
			if err != nil || l < 0 {
				return expr{}
			}
			sql += ", " + strconv.Itoa(l)
		}
		return expr{sql: sql + ")", kind: Text}
	}
	from := c.numeric(args[1])
	if from.kind != Int {
		return expr{}
	}
	wrong := from.sql + " < 1"
	sql := "substring(" + x + ", " + from.sql
	if len(args) == 3 {
		l := c.numeric(args[2])
		if l.kind != Int {
			return expr{}
		}
		wrong += " OR " + l.sql + " < 0"
		sql += ", " + l.sql
	}
	return expr{sql: "(CASE WHEN " + wrong + " THEN error('a place before the first letter') ELSE " + sql + ") END)",
		kind: Text}
}

func found(c *transpiler, args []expr) expr {
	if len(args) != 2 {
		return expr{}
	}
	l, r := c.text(args[0]), c.text(args[1])
	if c.dialect == sqlparts.MySQL {
		c.open, c.made = true, true
		if c.variant == 1 {
			l.sql, r.sql = "lower("+l.sql+")", "lower("+r.sql+")"
		}
	}
	return expr{sql: "instr(" + l.sql + ", " + r.sql + ")", kind: Int}
}

func rounded(c *transpiler, args []expr) expr {
	if len(args) == 0 || len(args) > 2 {
		return expr{}
	}
	if len(args) == 2 {
		c.learnKind(args[0], Real)
	}
	x := c.numeric(args[0])
	n := 0
	if len(args) == 2 {
		if args[1].literal == nil {
			return expr{}
		}
		var err error
		if n, err = strconv.Atoi(args[1].literal.Text); err != nil || n < 0 || n > 15 {
			return expr{}
		}
	}
	if x.kind == Int && c.dialect != sqlparts.SQLite {
		return x
	}
	return expr{sql: c.round(x, n), kind: Real}
}

// sequence translates the sequence numbers of a generator's rows. In Snowflake they may have gaps, which is ignored.
func sequence(c *transpiler, args []expr) expr {
	if len(args) > 1 || c.dialect != sqlparts.Snowflake || c.sequence == "" {
		return expr{}
	}
	return expr{sql: c.sequence, kind: Int}
}

func coalesced(c *transpiler, args []expr) expr {
	if len(args) < 2 {
		return expr{}
	}
	for i := range args {
		args[i] = c.value(args[i])
	}
	args, all := c.alignKinds(args)
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.sql
	}
	all.sql = "coalesce(" + strings.Join(parts, ", ") + ")"
	return all
}

func conditional(c *transpiler, args []expr) expr {
	if len(args) != 3 {
		return expr{}
	}
	cond := c.truth(args[0])
	values, all := c.alignKinds([]expr{c.value(args[1]), c.value(args[2])})
	all.sql = "(CASE WHEN " + cond + " THEN " + values[0].sql + " ELSE " + values[1].sql + " END)"
	return all
}

// extreme returns a translator of SQLite's max or min with several arguments, which is NULL if one argument is.
func extreme(name string) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		if len(args) < 2 || c.dialect != sqlparts.SQLite {
			return expr{}
		}
		args, all := c.alignKinds(args)
		var parts, nulls []string
		for _, a := range args {
			if a.kind == Text {
				c.inOrder = true
			}
			parts, nulls = append(parts, a.sql), append(nulls, a.sql+" IS NULL")
		}
		all.sql = "(CASE WHEN " + strings.Join(nulls, " OR ") + " THEN NULL ELSE " + name + "(" + strings.Join(parts, ", ") +
			") END)"
		return all
	}
}

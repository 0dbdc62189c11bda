package counterexample

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Structures, objects and arrays are stored in the small database as in a relational database. A field of a
// structure is a column whose name is its path. An array is a separate table, with a row for each element that
// refers to the row of the array. A structure or an array as a value is the identity of its row, and a field of it
// is looked up there. So the elements of an array are generated, described and shrunk like the rows of any table.
//
// Arrays are never NULL in a small database, objects have no JSON null, and all elements of an array have the same
// kind. A query about any other values is refused.

// Names of additional columns of tables with nested values. A column of a query cannot have such a name.
const (
	rowName     = "(row)"     // the identity of a row
	ofName      = "(of)"      // of an element: the identity of the row that contains the array
	atName      = "(at)"      // of an element: its index in the array, from 0
	elementName = "(element)" // an element that is neither a structure nor an array
	keyedName   = "(key)"     // of an object treated as an array: the name of a field
	othersName  = "(others)"  // all columns of a star that no query names, as one column
)

// nest is the place of a structure, an object or an array: a path in a row of a table.
type nest struct {
	table *Table
	path  string // empty for the whole row, such as an element of an array
	row   string // the identity of the row, in SQL
	alias string // alias of a source with the row, whose columns can be read; empty if the row must be looked up
}

// array is a nested array in a table: its path, and the table of its elements.
type array struct {
	path     string
	elements *Table
}

// hidden reports whether a column name is one of the additional ones, such as (row).
func hidden(name string) bool { return strings.HasPrefix(name, "(") && strings.HasSuffix(name, ")") }

// own returns the additional column of a table with this name, and adds it if it does not exist.
func (t *Table) own(name string) *Column {
	if c := t.Column(name); c != nil {
		return c
	}
	c := &Column{Name: name, Kind: Int, NotNull: true, table: t}
	t.Columns = append(t.Columns, c)
	if name == rowName {
		t.Unique = append(t.Unique, []*Column{c})
	}
	return c
}

// array returns the table of the elements of the array at a path, or nil.
func (t *Table) array(path string) *Table {
	for _, a := range t.arrays {
		if strings.EqualFold(a.path, path) {
			return a.elements
		}
	}
	return nil
}

// structured reports whether the table has an array at the path, or any column or array below it.
func (t *Table) structured(path string) bool {
	if !t.semi && !t.element {
		return false
	}
	below := strings.ToLower(path) + "."
	if path == "" {
		return len(t.arrays) > 0 || slices.ContainsFunc(t.Columns, func(c *Column) bool { return !hidden(c.Name) })
	}
	return t.array(path) != nil ||
		slices.ContainsFunc(t.arrays, func(a array) bool { return strings.HasPrefix(strings.ToLower(a.path), below) }) ||
		slices.ContainsFunc(t.Columns, func(c *Column) bool { return strings.HasPrefix(strings.ToLower(c.Name), below) })
}

// elements returns the table of the elements of an array. While learning, a value that a query reads as an array
// becomes one. Otherwise an unknown array is refused.
func (c *transpiler) elements(n *nest) *Table {
	if t := n.table.array(n.path); t != nil {
		t.read = n.table.read
		return t
	}
	if !c.learn || !c.learnsFields(n.table, n.path) {
		refuse("an array that no table of the schema has")
	}
	if len(n.table.arrays) >= maxColumns {
		refuse("more than %d arrays", maxColumns)
	}
	return c.schema.elements(n.table, n.path)
}

// elements adds a table for the elements of the array at a path of table of, and returns it.
func (s *Schema) elements(of *Table, path string) *Table {
	name := path
	if name == "" {
		name = "element"
	}
	t := &Table{Name: of.Name + "." + name, read: of.read, element: true}
	row, has := of.own(rowName), t.own(ofName)
	t.own(rowName)
	t.own(atName)
	t.Foreign = append(t.Foreign, Foreign{Columns: []*Column{has}, To: of, Target: []*Column{row}})
	of.arrays, of.semi = append(of.arrays, array{path, t}), true
	s.Tables = append(s.Tables, t)
	return t
}

// learnsFields reports whether the queries determine the fields below a path: if the table is inferred or the column
// is semi-structured.
func (c *transpiler) learnsFields(t *Table, path string) bool {
	if c.schema.Inferred || t.element && !t.fixed {
		return true
	}
	top, _, _ := strings.Cut(path, ".")
	col := t.Column(top)
	return col != nil && col.variant
}

// under returns the path of a field below path.
func under(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// field returns the field of a nested value with a name.
func (c *transpiler) field(x expr, name string) expr {
	if x.nest == nil {
		if c.learn {
			return expr{sql: "NULL", kind: Null}
		}
		refuse("semi-structured data that no table of the schema has")
	}
	if !c.learn && !x.nest.table.semi && !x.nest.table.element ||
		c.learn && !x.nest.table.structured(x.nest.path) && !c.learnsFields(x.nest.table, x.nest.path) {
		refuse("semi-structured data in a column that is none")
	}
	if name == "*" || hidden(name) || strings.Contains(name, ".") {
		refuse("a field of this name")
	}
	n := *x.nest
	if c.learn {
		n.table.semi = true
	}
	n.path = under(n.path, name)
	return c.within(n)
}

// within returns the value at a place of a row: a nested value, or that of a column.
func (c *transpiler) within(n nest) expr {
	if n.table.dotted {
		refuse("fields of a table with a point in a column's name")
	}
	if n.table.structured(n.path) {
		return c.nested(n)
	}
	name := n.path
	if name == "" {
		name = elementName
	}
	col := n.table.Column(name)
	if col == nil {
		if !c.learn || len(n.table.Columns) >= maxColumns || !c.learnsFields(n.table, n.path) {
			refuse("the field %s, which no table of the schema has", name)
		}
		col = &Column{Name: name, table: n.table}
		n.table.Columns = append(n.table.Columns, col)
	}
	if col.Name != name && c.dialect == sqlparts.Snowflake {
		refuse("fields whose names differ in case alone")
	}
	c.use(col)
	c.seen = append(c.seen, col)
	if n.alias != "" {
		x := columnOutput(n.alias, col).expr
		x.nest = &n
		return x
	}
	r := c.name("r")
	x := columnOutput(r, col).expr
	x.sql = "(SELECT " + x.sql + " FROM " + c.tableOf(n.table) + " AS " + r + " WHERE " + r + "." +
		c.ownColumn(n.table, rowName) + " = " + n.row + ")"
	x.nest = &n
	return x
}

// ownColumn marks an additional column of a table as read, and returns its name in the engine.
func (c *transpiler) ownColumn(t *Table, name string) string {
	col := t.own(name)
	c.use(col)
	return columnName(col)
}

// nested returns a structure or an array as a value: the identity of its row.
func (c *transpiler) nested(n nest) expr {
	if n.row == "" {
		n.row = n.alias + "." + c.ownColumn(n.table, rowName)
	}
	return expr{sql: n.row, kind: Nested, nest: &n}
}

// element returns the element of an array at an index from 0, in SQL. It is NULL if the index is out of range.
func (c *transpiler) element(n *nest, row, at string) expr {
	t := c.elements(n)
	r := c.name("r")
	found := "(SELECT " + r + "." + c.ownColumn(t, rowName) + " FROM " + c.tableOf(t) + " AS " + r + " WHERE " + r + "." +
		c.ownColumn(t, ofName) + " = " + row + " AND " + r + "." + c.ownColumn(t, atName) + " = " + at + ")"
	return c.within(nest{table: t, row: found})
}

// columnName returns the name of a column in the engine.
func columnName(c *Column) string { return "c" + strconv.Itoa(slices.Index(c.table.Columns, c)) }

// tableOf returns the name of a table in the engine.
func (c *transpiler) tableOf(t *Table) string {
	return "t" + strconv.Itoa(slices.Index(c.schema.Tables, t))
}

// tops returns the columns of a table as a query reads them: a structure with all its fields is one column.
func (c *transpiler) tops(t *Table, alias string) []output {
	var out []output
	if len(t.arrays) == 0 && !t.semi {
		for _, col := range t.Columns {
			if !hidden(col.Name) {
				o := columnOutput(alias, col)
				o.nest = &nest{table: t, path: col.Name, alias: alias}
				out = append(out, o)
			}
		}
		return out
	}
	seen := map[string]bool{}
	add := func(path string) {
		top, _, _ := strings.Cut(path, ".")
		if key := strings.ToLower(top); hidden(path) || seen[key] {
			return
		} else {
			seen[key] = true
		}
		n := &nest{table: t, path: top, alias: alias}
		if t.structured(top) {
			row := t.own(rowName)
			out = append(out,
				output{name: top, expr: expr{sql: alias + "." + columnName(row), kind: Nested, nest: n, column: row}})
			return
		}
		o := columnOutput(alias, t.Column(top))
		o.nest = n
		out = append(out, o)
	}
	for _, col := range slices.Clone(t.Columns) {
		add(col.Name)
	}
	for _, a := range t.arrays {
		add(a.path)
	}
	return out
}

// elementsOf returns the array that a source reads by a path of an earlier source, as in BigQuery's FROM t, t.a.
func (c *transpiler) elementsOf(s *scope, src *sqlparts.Source, m *sqlparts.Meaning) expr {
	if c.dialect != sqlparts.BigQuery {
		refuse("an array as a table")
	}
	x, ok := c.meant(s, &sqlparts.Column{Span: src.Span, Name: src.Table}, m)
	if !ok {
		if c.learn {
			return expr{sql: "NULL", kind: Null}
		}
		refuse("the array %s, which no table of the schema has", nameOf(src.Table))
	}
	return x
}

// tableFunction translates a table function in FROM; see [transpiler.source] for the results.
func (c *transpiler) tableFunction(s *scope, src *sqlparts.Source, first bool) (text, of string, outer bool) {
	e := src.Call
	name := strings.ToLower(e.Name.Last().Text)
	if len(e.Name) > 1 || e.Over != nil || e.Filter != nil || e.Distinct || len(e.OrderBy) > 0 {
		refuse("the table function %s in this form", strings.ToUpper(name))
	}
	named := map[string]sqlparts.Expr{}
	var plain []sqlparts.Expr
	for _, a := range e.Args {
		if n, ok := a.(*sqlparts.Named); ok {
			named[strings.ToLower(n.Name.Text)] = n.X
		} else {
			plain = append(plain, a)
		}
	}
	switch {
	case name == "unnest" && len(plain) == 1 && len(named) == 0 &&
		(c.dialect == sqlparts.BigQuery || c.dialect == sqlparts.DuckDB || c.dialect == sqlparts.Postgres):
		return c.unnest(s, src, c.expr(s, plain[0]), first, nil)
	case name == "flatten" && c.dialect == sqlparts.Snowflake:
		input := named["input"]
		if input == nil && len(plain) == 1 {
			input = plain[0]
		}
		keep := false
		for k, v := range named {
			l, _ := v.(*sqlparts.Literal)
			switch {
			case k == "input":
			case k == "outer" && l != nil && l.Kind == sqlparts.Bool:
				keep = l.Text == "true"
			case k == "mode" && l != nil && strings.EqualFold(l.Text, "array"):
			default:
				refuse("FLATTEN with %s", strings.ToUpper(k))
			}
		}
		if input == nil {
			refuse("FLATTEN in this form")
		}
		text, of, _ = c.unnest(s, src, c.expr(s, input), first, []string{"value", "index"})
		return text, of, keep
	case name == "generator" && c.dialect == sqlparts.Snowflake && named["rowcount"] != nil && len(named) == 1:
		n := ordinal(named["rowcount"])
		if n == 0 || n > maxGenerated {
			refuse("GENERATOR in this form")
		}
		alias := c.name("r")
		c.sequence = "CAST(" + alias + ".c1 AS BIGINT)"
		s.sources = append(s.sources, &source{of: src})
		return "(SELECT range AS c1 FROM range(" + strconv.Itoa(n) + ")) AS " + alias, "", false
	}
	refuse("the table function %s", strings.ToUpper(name))
	return "", "", false
}

// maxGenerated is the maximum number of rows that a query may generate without reading a table.
const maxGenerated = 10_000

// unnest translates the elements of an array to rows. flattened are the column names of the element and its index for
// FLATTEN; nil for UNNEST.
func (c *transpiler) unnest(s *scope, src *sqlparts.Source, x expr, first bool,
	flattened []string) (text, of string, outer bool) {
	name := strings.ToLower(src.Alias.Text)
	out := &source{of: src}
	alias := c.name("r")
	if n := c.arrayOf(x); n != nil {
		t := c.elements(n)
		element := nest{table: t, alias: alias}
		at := output{expr: columnOutput(alias, t.own(atName)).expr}
		if flattened != nil {
			v := nest{table: t, alias: alias}
			value := output{name: flattened[0],
				expr: expr{sql: alias + "." + columnName(t.own(rowName)), kind: Nested, nest: &v, column: t.own(rowName)}}
			if !t.structured("") {
				value.expr = c.within(v)
			}
			at.name = flattened[1]
			key := t.own(keyedName)
			key.Kind = Text
			out.columns = append(out.columns, value, at, output{name: "key", expr: columnOutput(alias, key).expr})
		} else {
			out.element = &element
			out.columns = c.tops(t, alias)
			if len(src.Columns) == 1 && !t.structured("") { // UNNEST(a) AS t(x)
				value := output{name: src.Columns[0].Text, expr: c.within(element)}
				out.columns = append(out.columns, value)
			} else if len(src.Columns) > 0 {
				refuse("UNNEST with these names")
			}
			if o := src.Offset.Text; o != "" {
				at.name = o
				out.columns = append(out.columns, at)
			}
		}
		s.sources = append(s.sources, out)
		if first {
			r := c.name("r")
			return "(SELECT * FROM " + c.tableOf(t) + " AS " + r + " WHERE " + r + "." + c.ownColumn(t, ofName) + " = " + x.sql +
				") AS " + alias, "", false
		}
		return c.tableOf(t) + " AS " + alias, alias + "." + c.ownColumn(t, ofName) + " = " + x.sql, false
	}
	if c.learn && x.kind != List {
		x = expr{sql: "NULL", kind: List, of: &expr{kind: Null}}
	}
	if x.kind != List || x.of == nil {
		refuse("the rows of what is no array")
	}
	value := *x.of
	value.sql, value.column = alias+".c1", nil
	names := []string{name, src.Offset.Text}
	if flattened != nil {
		names = flattened
	} else if len(src.Columns) == 1 {
		names[0] = src.Columns[0].Text
	}
	out.columns = []output{{name: names[0], expr: value}, {name: names[1], expr: expr{sql: alias + ".c2", kind: Int}}}
	if names[1] == "" {
		out.columns = out.columns[:1]
	}
	s.sources = append(s.sources, out)
	lateral := "LATERAL "
	if first {
		lateral = ""
	}
	return lateral + "(SELECT unnest(" + x.sql + ") AS c1, unnest(range(len(" + x.sql + "))) AS c2) AS " + alias, "", false
}

// index translates the access to an element of an array by an index, or to a field of an object by a string.
func (c *transpiler) index(s *scope, e *sqlparts.Index) expr {
	if e.Slice || e.I == nil {
		refuse("a slice of an array")
	}
	x := c.expr(s, e.X)
	if l, ok := e.I.(*sqlparts.Literal); ok && l.Kind == sqlparts.String && x.kind != List {
		return c.field(x, l.Text)
	}
	at, from, safe := e.I, 0, true
	switch c.dialect {
	case sqlparts.BigQuery:
		safe = false
		if call, ok := e.I.(*sqlparts.Call); ok && len(call.Args) == 1 {
			at = call.Args[0]
			switch strings.ToLower(call.Name.Last().Text) {
			case "offset":
			case "safe_offset":
				safe = true
			case "ordinal":
				from = 1
			case "safe_ordinal":
				from, safe = 1, true
			default:
				refuse("an element of an array in this form")
			}
		}
	case sqlparts.Snowflake:
	case sqlparts.DuckDB, sqlparts.Postgres:
		from = 1
	default:
		refuse("an element of an array, in this dialect")
	}
	n := -1
	if l, ok := at.(*sqlparts.Literal); ok && l.Kind == sqlparts.Number {
		if v, err := strconv.Atoi(l.Text); err == nil {
			n = v - from
		}
	}
	if n < 0 {
		refuse("an element of an array at a place that is no number")
	}
	place := strconv.Itoa(n)
	if x.kind == List && x.of != nil {
		out := *x.of
		out.sql, out.column, out.literal = "("+x.sql+")["+strconv.Itoa(n+1)+"]", nil, nil
		if !safe {
			out.sql = "(CASE WHEN len(" + x.sql + ") <= " + place + " THEN error('out of bounds') ELSE " + out.sql + " END)"
		}
		return out
	}
	a := c.arrayOf(x)
	if a == nil {
		if c.learn {
			return expr{sql: "NULL", kind: Null}
		}
		refuse("an element of what is no array")
	}
	if !safe {
		t := c.elements(a)
		r := c.name("r")
		place = "(CASE WHEN (SELECT count(*) FROM " + c.tableOf(t) + " AS " + r + " WHERE " + r + "." +
			c.ownColumn(t, ofName) + " = " + x.sql + ") <= " + place + " THEN error('out of bounds') ELSE " + place + " END)"
	}
	return c.element(a, x.sql, place)
}

// path translates a path into semi-structured data.
func (c *transpiler) path(s *scope, e *sqlparts.Path) expr {
	x := c.expr(s, e.X)
	_, start := e.X.Range()
	end := int(e.End)
	if start >= 0 && end <= len(c.queryText) && start < end && strings.Contains(c.queryText[start:end], `"`) &&
		strings.Contains(e.Text, ".") {
		refuse("a path with names in quotes")
	}
	for _, name := range e.Keys() {
		x = c.field(x, name)
	}
	return x
}

// arrayLength returns the number of elements of an array, NULL for NULL.
func (c *transpiler) arrayLength(x expr) expr {
	if x.kind == List {
		return expr{sql: "len(" + x.sql + ")", kind: Int}
	}
	n := c.arrayOf(x)
	if n == nil {
		refuse("the length of what is no array")
	}
	t := c.elements(n)
	r := c.name("r")
	return expr{
		sql: "(CASE WHEN " + x.sql + " IS NULL THEN NULL ELSE (SELECT count(*) FROM " + c.tableOf(t) + " AS " + r +
			" WHERE " + r + "." + c.ownColumn(t, ofName) + " = " + x.sql + ") END)", kind: Int}
}

// arrayOf returns the place of the nested array of a table that an expression is, or nil if it is not one.
func (c *transpiler) arrayOf(x expr) *nest {
	if x.kind == Nested || c.learn && x.kind != List {
		return x.nest
	}
	return nil
}

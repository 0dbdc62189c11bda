package counterexample

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// transpiler translates a query of a dialect to a query of the engine with the same meaning on the small databases.
// All tables, columns and aliases get generated names, so that only literals are copied from the input. It refuses
// any construct that it does not know, and names it.
//
// A query whose result the dialect leaves open (ties under LIMIT, a column that is neither grouped
// nor aggregated) is written in two variants that take opposite choices.
type transpiler struct {
	ctx       context.Context //nolint:containedctx // of the one search
	dialect   sqlparts.Dialect
	schema    *Schema
	values    *values
	queryText string // the SQL of the query
	bound     *sqlparts.Bound
	declarations
	variant int // 0 or 1

	open     bool             // the two variants differ
	divides  bool             // a quotient, or a string converted from a number, is computed
	folds    bool             // a function changes the case of letters
	wide     bool             // a literal has characters other than ASCII
	inOrder  bool             // strings are compared with < or >
	wild     bool             // a literal that is not a pattern has more % than maxWildcards, or a backslash
	patterns bool             // a pattern is computed
	made     bool             // a computed string is compared
	bytes    bool             // the bytes of a string are counted
	asked    map[*Column]bool // columns that a query tests for NULL
	seen     []*Column        // columns that were read, in the order of the SQL text
	retype   bool             // columns become strings if a query compares them with strings
	learn    bool             // unknown tables and columns are added to the schema

	settle, lastOfAll bool // while learning: assign uncertain columns, to the first or the last table

	longer   int    // upper bound on the factor by which replacements lengthen a string
	sequence string // SQL for the row number of the generator read last

	names   int
	tables  int
	depth   int
	written int
	with    map[*sqlparts.CTE]*cte
	// translations of names that are not in the query text, or are parameters of a function in it
	own map[*sqlparts.Column]expr
}

// cte is a translated common table expression.
type cte struct {
	sql     string
	columns []output
	steps   int // during its recursive term: the index, from 1, of the column that counts the steps; 0 for none
}

// expr is a translated expression.
type expr struct {
	sql      string
	kind     Kind
	affinity affinity
	literal  *sqlparts.Literal
	column   *Column   // the column, if the expression is an unchanged column of a table
	near     []*Column // columns that it is computed from
	counted  bool      // contains an aggregate
	summed   bool      // contains a sum
	unsure   bool      // for a number in SQLite: it depends on the data whether it is an integer or a fraction
	inexact  bool      // for a number: a quotient or an average, which dialects round differently
	length   int       // for a string: the number of strings that it concatenates
	made     bool      // for a string: it is computed, so that it may not be in the database
	nest     *nest     // for a structure or an array: its place; while learning, set for any column
	of       *expr     // for a list: describes its elements
	clock    bool      // for a string: it is a time of day
	scale    float64   // for a number: the constant that it was divided by; 0 for none
	coords   [2]coord  // for a point: its longitude and latitude
	number   *expr     // for a string: the number that it was converted from
}

// output is a column of a source or of a query's result.
type output struct {
	name string // name in the query; empty for an expression without a name
	expr
	merged *sqlparts.MergedSource // the merged column of USING that it belongs to
	right  bool                   // the right side of a merged column, which a star omits
	// for an operand of a set operation whose columns were reordered: its original index, from 1
	from int
	rest []*Table // instead of a column: all unnamed columns of these tables
}

// grouping describes how a select groups its rows.
type grouping struct {
	keys  []expr
	texts []string // text of each key, see [renumbered]
	pick  string   // sort key by which the row is chosen that gives the value of an ungrouped column; empty for none

	queries bool // a key contains a query
}

// key returns the key of the grouping whose text is equal; ok is false if there is none.
func (g *grouping) key(text string) (expr, bool) {
	if at := slices.Index(g.texts, text); at >= 0 {
		return g.keys[at], true
	}
	return expr{}, false
}

// refusal is the panic value of refuse. what describes the construct that cannot be translated, and never contains a
// literal.
type refusal struct{ what string }

func refuse(format string, args ...any) {
	panic(refusal{fmt.Sprintf(format, args...)})
}

const (
	maxNesting = 40      // maximum nesting of queries and expressions
	maxWritten = 1 << 18 // maximum size of a translated query or of a part, in bytes
	maxTables  = 100     // maximum number of tables in FROM
	maxLength  = 200     // maximum number of strings in one concatenation
)

// translation is a query that the engine can run.
type translation struct {
	sql     [2]string // SQL for each variant
	columns []output
	ordered bool // the query specifies the order of its rows
	open    bool // the variants differ in more than the order of rows
}

// translate returns the translation of a query in both variants. If it cannot be translated, what describes the
// construct that is not supported.
func (c *transpiler) translate(b *sqlparts.Bound, q *sqlparts.Query) (out translation, what string) {
	c.queryText, c.bound = b.SQL, b
	defer func() {
		if v := recover(); v != nil {
			r, ok := v.(refusal)
			if !ok {
				panic(v)
			}
			what = r.what
		}
	}()
	out.ordered = len(q.OrderBy) > 0
	for c.variant = range 2 {
		c.names, c.depth, c.written, c.open, c.seen, c.sequence = 0, 0, 0, false, nil, ""
		c.with, c.own = map[*sqlparts.CTE]*cte{}, map[*sqlparts.Column]expr{}
		c.longer = 1
		c.tables = 0
		out.sql[c.variant], out.columns = c.query(q, nil)
		out.open = out.open || c.open
		out.sql[c.variant] = c.result(out.sql[c.variant], out.columns)
	}
	if c.patterns && c.wild {
		return out, "a computed pattern, beside texts with backslashes or many wildcards"
	}
	if c.wide && (c.made && folding(c.dialect) || c.bytes) {
		return out, "computed texts, beside letters beyond ASCII"
	}
	if c.folds && c.wide && c.dialect == sqlparts.SQLite {
		return out, "upper and lower case of letters beyond ASCII"
	}
	return out, ""
}

// result returns SQL that converts arrays in a query's result to strings. It refuses structures in the result.
func (c *transpiler) result(sql string, columns []output) string {
	lists := false
	items := make([]string, len(columns))
	for i, o := range columns {
		items[i] = "c" + strconv.Itoa(i+1)
		switch {
		case c.learn:
		case o.kind == Nested:
			refuse("a structure or an array of a table in the result")
		case o.kind == List:
			lists = true
			items[i] = "CAST(" + items[i] + " AS VARCHAR) AS " + items[i]
		}
	}
	if !lists {
		return sql
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM (" + sql + ") AS " + c.name("r")
}

// renumbered returns SQL in which the names generated since the count since are numbered from the start, so that the
// same expression, translated twice, has the same text.
func renumbered(sql string, since int) string {
	var b strings.Builder
	for i, part := range strings.Split(sql, "'") { // every second part is in quotes
		if i > 0 {
			b.WriteByte('\'')
		}
		if i%2 == 1 {
			b.WriteString(part)
			continue
		}
		b.WriteString(madeName.ReplaceAllStringFunc(part, func(name string) string {
			if n, err := strconv.Atoi(name[1:]); err == nil && n > since {
				return name[:1] + "+" + strconv.Itoa(n-since)
			}
			return name
		}))
	}
	return b.String()
}

// madeName matches a name that [transpiler.name] returns.
var madeName = lazyregexp.New(`\b[rw][0-9]+\b`)

func (c *transpiler) name(prefix string) string {
	c.names++
	return prefix + strconv.Itoa(c.names)
}

// deeper refuses too deep recursion and ends the translation if the time is over. The caller defers the returned
// function.
func (c *transpiler) deeper() func() {
	if c.ctx.Err() != nil {
		refuse("the time of the search, which ended while the query was read")
	}
	if c.depth++; c.depth > maxNesting {
		refuse("a query nested more than %d deep", maxNesting)
	}
	return func() { c.depth-- }
}

// write returns s, and refuses a query whose translation is too long.
func (c *transpiler) write(s string) string {
	if c.written += len(s); c.written > maxWritten*maxNesting || len(s) > maxWritten {
		refuse("a query of this length")
	}
	return s
}

// choice returns a direction of sorting that is opposite in the two variants, where the dialect does not determine
// the order.
func (c *transpiler) choice() string {
	c.open = true
	if c.variant == 0 {
		return " ASC NULLS FIRST"
	}
	return " DESC NULLS LAST"
}

// query returns the translation of a query, and its columns.
func (c *transpiler) query(q *sqlparts.Query, parent *scope) (string, []output) {
	defer c.deeper()()
	var with []string
	recursive := ""
	for _, t := range q.With {
		if t.Query == nil {
			refuse("a statement that writes")
		}
		if recurses(c.bound, t.Query, t) {
			recursive = " RECURSIVE"
			with = append(with, c.recursive(t, parent))
			continue
		}
		sql, columns := c.query(t.Query, parent)
		columns = renamed(columns, t.Columns)
		w := &cte{sql: c.name("w"), columns: columns}
		with = append(with, w.sql+" AS ("+sql+")")
		c.with[t] = w
	}
	var sql string
	var columns []output
	switch b := q.Body.(type) {
	case *sqlparts.Select:
		sql, columns = c.selects(b, q, parent)
	case *sqlparts.SetOp:
		sql, columns = c.setOp(b, parent)
		sql += c.orderOutput(q, columns)
	case *sqlparts.Query:
		inner, cols := c.query(b, parent)
		alias := c.name("r")
		sql, columns = "SELECT * FROM ("+inner+") AS "+alias, cols
		sql += c.orderOutput(q, columns)
	case *sqlparts.Values:
		sql, columns = c.rows(b, parent)
		sql += c.orderOutput(q, columns)
	default:
		refuse("a query of an unknown form")
	}
	sql += c.limit(q.Limit)
	if len(with) > 0 {
		sql = "WITH" + recursive + " " + strings.Join(with, ", ") + " " + sql
	}
	return c.write(sql), columns
}

// renamed returns the columns with the names of a column list.
func renamed(columns []output, names []sqlparts.Ident) []output {
	if len(names) == 0 {
		return columns
	}
	if len(names) > len(columns) {
		refuse("a list of names that is longer than its columns")
	}
	columns = slices.Clone(columns)
	for i, n := range names {
		columns[i].name = n.Text
	}
	return columns
}

func (c *transpiler) rows(v *sqlparts.Values, parent *scope) (string, []output) {
	var lines []string
	s := &scope{parent: parent}
	var first []output
	for i, row := range v.Rows {
		var cells []string
		for j, e := range row {
			x := c.value(c.expr(s, e))
			switch {
			case i == 0:
				first = append(first, output{expr: expr{kind: x.kind}})
			case j >= len(first):
				refuse("VALUES with rows of different length")
			default:
				first[j].kind = c.common(first[j].kind, x.kind)
			}
			cells = append(cells, x.sql)
		}
		lines = append(lines, "("+strings.Join(cells, ", ")+")")
	}
	if len(first) == 0 || len(lines) > 1000 {
		refuse("VALUES")
	}
	alias := c.name("r")
	for j := range first {
		first[j].name = "column" + strconv.Itoa(j+1)
		if c.dialect == sqlparts.Generic {
			first[j].name = "expr$" + strconv.Itoa(j)
		}
	}
	return "SELECT * FROM (VALUES " + strings.Join(lines, ", ") + ") AS " + alias + columnList(len(first)), first
}

// columnList returns (c1, c2, …) with n names.
func columnList(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = "c" + strconv.Itoa(i+1)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

func (c *transpiler) setOp(b *sqlparts.SetOp, parent *scope) (string, []output) {
	kinds := make([][]output, len(b.Terms))
	texts := make([]string, len(b.Terms))
	for i, t := range b.Terms {
		texts[i], kinds[i] = c.query(t, parent)
	}
	return c.combined(texts, kinds, b.Ops)
}

// combined returns the translation of set operations of translated queries. kinds holds the columns of each.
func (c *transpiler) combined(texts []string, kinds [][]output, ops []sqlparts.SetOperator) (string, []output) {
	var sql strings.Builder
	var columns []output
	for i := range texts {
		if i == 0 {
			columns = slices.Clone(kinds[0])
			continue
		}
		kinds[i] = aligned(columns, kinds[i])
		if len(kinds[i]) != len(columns) && c.learn {
			for j := range columns {
				if k := slices.IndexFunc(kinds[i], func(o output) bool { return o.rest != nil }); k >= 0 && columns[j].rest != nil {
					columns[j].rest = append(slices.Clone(columns[j].rest), kinds[i][k].rest...)
				}
			}
			continue
		}
		if len(kinds[i]) != len(columns) {
			refuse("a set operation of queries with different numbers of columns")
		}
		for j := range columns {
			if !c.learn &&
				(columns[j].kind == Nested || columns[j].kind == List || kinds[i][j].kind == Nested || kinds[i][j].kind == List ||
					(columns[j].rest == nil) != (kinds[i][j].rest == nil)) {
				refuse("a set operation on arrays, structures or columns that are not known")
			}
			columns[j].rest = append(slices.Clone(columns[j].rest), kinds[i][j].rest...)
			if k := kinds[i][j]; k.column != nil && columns[j].column != nil {
				c.values.join(columns[j].column, k.column)
			}
			c.learnKind(columns[j].expr, kinds[i][j].kind)
			c.learnKind(kinds[i][j].expr, columns[j].kind)
			if c.learn && columns[j].kind != Null && kinds[i][j].kind != Null && columns[j].kind != kinds[i][j].kind {
				continue
			}
			columns[j].unsure = columns[j].unsure || kinds[i][j].unsure || c.mixes(columns[j].kind, kinds[i][j].kind)
			columns[j].inexact = columns[j].inexact || kinds[i][j].inexact
			columns[j].made = columns[j].made || kinds[i][j].made
			columns[j].length = max(columns[j].length, kinds[i][j].length)
			columns[j].near = append(slices.Clone(columns[j].near), kinds[i][j].near...)
			columns[j].kind = c.common(columns[j].kind, kinds[i][j].kind)
		}
	}
	for i := range texts {
		if len(kinds[i]) != len(columns) {
			return "SELECT 1 AS c1", columns // a placeholder while learning
		}
		if i > 0 {
			op := ops[i-1]
			if op.ByName {
				refuse("a set operation by name")
			}
			sql.WriteString(
				[...]string{sqlparts.Union: " UNION ", sqlparts.Intersect: " INTERSECT ", sqlparts.Except: " EXCEPT "}[op.Kind])
			if op.All {
				sql.WriteString("ALL ")
			} else {
				for j := range columns {
					c.keyed(columns[j].expr)
				}
			}
		}
		items := make([]string, len(columns))
		for j := range columns {
			x := kinds[i][j].expr
			x.sql = "c" + strconv.Itoa(kinds[i][j].place(j)+1)
			items[j] = c.as(x, columns[j].kind).sql + " AS c" + strconv.Itoa(j+1)
		}
		term := "(SELECT " + strings.Join(items, ", ") + " FROM (" + texts[i] + ") AS " + c.name("r") + ")"
		sql.WriteString(term)
		if i > 0 && i < len(texts)-1 { // group from the left, since the engine gives INTERSECT precedence
			left := sql.String()
			sql.Reset()
			sql.WriteString("(" + left + ")")
		}
	}
	for j := range columns {
		columns[j].literal, columns[j].number, columns[j].affinity = nil, nil, noAffinity
	}
	alias := c.name("r")
	return "SELECT * FROM (" + sql.String() + ") AS " + alias, columns
}

// aligned returns the columns of an operand of a set operation in the order of the first operand's columns, if both
// have the unnamed columns of a table (by a star): their tables have the same columns in the same order. Otherwise it
// returns columns unchanged.
func aligned(first, columns []output) []output {
	star := func(list []output) bool {
		return slices.ContainsFunc(list, func(o output) bool { return o.rest != nil })
	}
	if !star(first) || !star(columns) || len(first) != len(columns) {
		return columns
	}
	out := make([]output, len(first))
	for i, f := range first {
		at := slices.IndexFunc(columns, func(o output) bool {
			return o.rest != nil && f.rest != nil ||
				o.rest == nil && f.rest == nil && o.name != "" && strings.EqualFold(o.name, f.name)
		})
		if at < 0 {
			return columns
		}
		out[i] = columns[at]
		out[i].from = at + 1
	}
	return out
}

// place returns the index of a column in its query; at is its current index.
func (o output) place(at int) int {
	if o.from > 0 {
		return o.from - 1
	}
	return at
}

// orderOutput returns the ORDER BY of a set operation, whose keys must be columns of its result.
func (c *transpiler) orderOutput(q *sqlparts.Query, columns []output) string {
	var keys []string
	for _, o := range q.OrderBy {
		at := ordinal(o.Expr)
		if col, ok := o.Expr.(*sqlparts.Column); ok && at == 0 {
			ms, doubt := c.bound.Means(col)
			stars := slices.ContainsFunc(columns, func(o output) bool { return o.rest != nil })
			switch {
			case doubt == sqlparts.Ambiguous && !c.learn:
				refuse("the name %s, which means several columns", col.Name.Last().Text)
			case len(ms) > 0 && ms[0].Kind == sqlparts.SelectAlias && ms[0].Index >= 0 && !stars:
				at = ms[0].Index + 1
			case len(ms) == 0 || ms[0].Kind == sqlparts.SelectAlias: // a column of a star
				at = slices.IndexFunc(columns, func(o output) bool { return strings.EqualFold(o.name, col.Name.Last().Text) }) + 1
			}
		}
		if at < 1 || at > len(columns) {
			refuse("an order by an expression behind a set operation")
		}
		keys = append(keys, c.key(strconv.Itoa(at), columns[at-1].expr, o))
	}
	return c.ordered(q, keys, len(columns))
}

// ordered returns the ORDER BY clause. Ties are broken by all columns, in opposite directions in the two variants.
func (c *transpiler) ordered(q *sqlparts.Query, keys []string, columns int) string {
	if len(keys) == 0 && q.Limit == nil {
		return ""
	}
	open := c.open
	for i := range columns {
		keys = append(keys, strconv.Itoa(i+1)+c.choice())
	}
	c.open = open || q.Limit != nil // without a limit, the order of rows does not change which rows there are
	return " ORDER BY " + strings.Join(keys, ", ")
}

// key returns a sort key in SQL with an explicit direction and position of NULL.
func (c *transpiler) key(sql string, x expr, o *sqlparts.OrderItem) string {
	if x.kind == Text {
		c.keyed(x)
		c.inOrder = true
	}
	nulls := o.Nulls
	if nulls == sqlparts.NullsDefault {
		first := o.Desc
		switch c.dialect {
		case sqlparts.SQLite, sqlparts.MySQL, sqlparts.BigQuery, sqlparts.TSQL, sqlparts.Databricks:
			first = !o.Desc
		case sqlparts.DuckDB:
			first = false
		case sqlparts.Generic:
			c.open = true
			first = c.variant == 0
		}
		nulls = sqlparts.NullsLast
		if first {
			nulls = sqlparts.NullsFirst
		}
	}
	if o.Desc {
		sql += " DESC"
	} else {
		sql += " ASC"
	}
	if nulls == sqlparts.NullsFirst {
		return sql + " NULLS FIRST"
	}
	return sql + " NULLS LAST"
}

// ordinal returns the value of a literal positive integer, or 0 for any other expression.
func ordinal(e sqlparts.Expr) int {
	if l, ok := e.(*sqlparts.Literal); ok && l.Kind == sqlparts.Number {
		if n, err := strconv.Atoi(l.Text); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

func (c *transpiler) limit(l *sqlparts.Limit) string {
	if l == nil {
		return ""
	}
	if l.Percent || l.WithTies {
		refuse("LIMIT with a percentage or ties")
	}
	out := ""
	for _, part := range []struct {
		word string
		e    sqlparts.Expr
	}{{" LIMIT ", l.Count}, {" OFFSET ", l.Offset}} {
		if part.e == nil {
			continue
		}
		lit, ok := part.e.(*sqlparts.Literal)
		n := -1
		if ok && lit.Kind == sqlparts.Number {
			if v, err := strconv.Atoi(lit.Text); err == nil {
				n = v
			}
		}
		if n < 0 {
			refuse("a limit that is no number")
		}
		c.values.size(n)
		out += part.word + strconv.Itoa(n)
	}
	return out
}

// selects returns the translation of a select with the ORDER BY and LIMIT of its query q, and its columns.
func (c *transpiler) selects(b *sqlparts.Select, q *sqlparts.Query, parent *scope) (string, []output) {
	switch {
	case len(b.DistinctOn) > 0 && c.dialect != sqlparts.Postgres && c.dialect != sqlparts.DuckDB:
		refuse("DISTINCT ON, which %s does not have", c.dialect)
	case b.As != "":
		refuse("SELECT AS %s", strings.ToUpper(b.As))
	case b.Into != nil:
		refuse("SELECT INTO")
	case len(b.Connect) > 0:
		refuse("CONNECT BY")
	case len(b.Extra) > 0:
		refuse("a clause that only its dialect has")
	}
	s := &scope{parent: parent, windows: b.Windows, items: b.Items}
	return c.selectFrom(s, c.from(s, b.From), b, q)
}

// selectFrom returns the translation of a select whose FROM clause is translated: from is its SQL, and s its scope.
func (c *transpiler) selectFrom(s *scope, from string, b *sqlparts.Select, q *sqlparts.Query) (string, []output) {
	if c.learn {
		c.learnElements(s, b)
	}
	where := ""
	if b.Where != nil {
		where = " WHERE " + c.condition(s, b.Where)
	}
	group := c.groups(s, b, q)
	var items []string
	var columns []output
	for _, it := range b.Items {
		for _, o := range c.item(s, it, q) {
			items = append(items, o.sql+" AS c"+strconv.Itoa(len(items)+1))
			columns = append(columns, o)
		}
	}
	if len(items) == 0 {
		refuse("a select without columns")
	}
	for _, src := range s.sources {
		if src.steps != "" {
			items = append(items, src.steps+" AS c"+strconv.Itoa(len(items)+1))
		}
	}
	having := ""
	if b.Having != nil {
		if s.group == nil {
			refuse("HAVING without groups")
		}
		having = " HAVING " + c.condition(s, b.Having)
	}
	qualify := ""
	if b.Qualify != nil {
		c.without("QUALIFY", sqlparts.SQLite, sqlparts.Postgres, sqlparts.MySQL, sqlparts.TSQL)
		qualify = " QUALIFY " + c.condition(s, b.Qualify)
	}
	var keys []string
	for _, o := range q.OrderBy {
		keys = append(keys, c.orderKey(s, b, o, columns))
	}
	sql := "SELECT "
	if b.Distinct && len(b.DistinctOn) == 0 {
		for i := range columns {
			c.keyed(columns[i].expr)
		}
		sql += "DISTINCT "
	}
	if len(b.DistinctOn) > 0 { // the first row in the order for each distinct key
		sql += "DISTINCT ON (" + c.distinctOn(s, b, columns) + ") "
		if len(keys) == 0 && q.Limit == nil {
			q = &sqlparts.Query{Limit: &sqlparts.Limit{}}
		}
		c.open = true
	}
	sql += strings.Join(items, ", ") + from + where + group + having + qualify + c.ordered(q, keys, len(columns))
	for i := range columns {
		columns[i].literal, columns[i].number = nil, nil
	}
	return sql, columns
}

// distinctOn returns the keys of DISTINCT ON in SQL.
func (c *transpiler) distinctOn(s *scope, b *sqlparts.Select, columns []output) string {
	parts := make([]string, len(b.DistinctOn))
	for i, e := range b.DistinctOn {
		if at := ordinal(e); at > 0 && at <= len(columns) {
			parts[i] = columns[at-1].sql
			c.keyed(columns[at-1].expr)
			continue
		}
		x := c.value(c.expr(s, e))
		c.keyed(x)
		parts[i] = x.sql
	}
	return strings.Join(parts, ", ")
}

// orderKey returns the sort key for an ordinal, an alias or an expression in ORDER BY.
func (c *transpiler) orderKey(s *scope, b *sqlparts.Select, o *sqlparts.OrderItem, columns []output) string {
	if at := ordinal(o.Expr); at > 0 {
		if at > len(columns) {
			refuse("an order by a column that is not there")
		}
		return c.key(strconv.Itoa(at), columns[at-1].expr, o)
	}
	if col, ok := o.Expr.(*sqlparts.Column); ok && len(col.Name) == 1 {
		if ms, _ := c.bound.Means(col); len(ms) > 0 && ms[0].Kind == sqlparts.SelectAlias && ms[0].Outer == 0 {
			if i := slices.Index(b.Items, ms[0].Item); i >= 0 && len(columns) == len(b.Items) {
				return c.key(strconv.Itoa(i+1), columns[i].expr, o)
			}
		}
	}
	x := c.value(c.expr(s, o.Expr))
	for i := range columns {
		if columns[i].sql == x.sql {
			return c.key(strconv.Itoa(i+1), x, o)
		}
	}
	if b.Distinct {
		refuse("DISTINCT with an order by what is not selected")
	}
	if x.literal != nil || x.kind == Null {
		return c.key("("+x.sql+" IS NULL)", expr{}, o) // a constant does not affect the order
	}
	return c.key(x.sql, x, o)
}

// groups returns the GROUP BY clause, and sets the grouping of the scope.
func (c *transpiler) groups(s *scope, b *sqlparts.Select, q *sqlparts.Query) string {
	aggregates := 0
	extremes := []*sqlparts.Call(nil)
	look := func(e sqlparts.Node) {
		walkSelect(e, func(call *sqlparts.Call) {
			if isAggregate(call) {
				aggregates++
				if n := strings.ToLower(call.Name.Last().Text); (n == "min" || n == "max") && len(call.Args) == 1 {
					extremes = append(extremes, call)
				}
			}
		})
	}
	for _, it := range b.Items {
		look(it.Expr)
	}
	if b.Having != nil {
		look(b.Having)
	}
	for _, o := range q.OrderBy {
		look(o.Expr)
	}
	if b.Group == nil && aggregates == 0 && b.Having == nil {
		return ""
	}
	g := &grouping{}
	sql := ""
	if b.Group != nil {
		if b.Group.Distinct {
			refuse("GROUP BY DISTINCT")
		}
		var parts []string
		s.inside, s.keys = true, b.Group.Items
		if b.Group.All {
			s.keys = c.groupAll(b)
		}
		for _, e := range s.keys {
			if at := ordinal(e); at > 0 && at <= len(b.Items) && c.dialect != sqlparts.TSQL {
				e = b.Items[at-1].Expr
			}
			parts = append(parts, c.groupKey(s, e, g))
		}
		s.inside, s.keys = false, nil
		if len(parts) > 0 {
			sql = " GROUP BY " + strings.Join(parts, ", ")
		}
	}
	if c.dialect == sqlparts.SQLite && len(extremes) == 1 && !extremes[0].Distinct && extremes[0].Filter == nil {
		s.inside = true
		x := c.value(c.expr(s, extremes[0].Args[0]))
		s.inside = false
		g.pick = x.sql + " ASC NULLS LAST"
		if strings.EqualFold(extremes[0].Name.Last().Text, "max") {
			g.pick = x.sql + " DESC NULLS LAST"
		}
	}
	s.group = g
	return sql
}

// groupAll returns the keys of GROUP BY ALL: the select elements without an aggregate.
func (c *transpiler) groupAll(b *sqlparts.Select) []sqlparts.Expr {
	c.without("GROUP BY ALL", sqlparts.SQLite, sqlparts.Postgres, sqlparts.MySQL, sqlparts.TSQL)
	var keys []sqlparts.Expr
	for _, it := range b.Items {
		found := false
		if _, star := it.Expr.(*sqlparts.Star); star {
			refuse("GROUP BY ALL with a star")
		}
		sqlparts.Walk(it.Expr, func(n sqlparts.Node) bool {
			switch n := n.(type) {
			case *sqlparts.Query:
				refuse("GROUP BY ALL with a query")
			case *sqlparts.Call:
				if n.Over != nil {
					refuse("GROUP BY ALL with a window function")
				}
				found = found || isAggregate(n)
			}
			return true
		})
		if _, literal := it.Expr.(*sqlparts.Literal); !found && !literal {
			keys = append(keys, it.Expr)
		}
	}
	return keys
}

func (c *transpiler) groupKey(s *scope, e sqlparts.Expr, g *grouping) string {
	switch e := e.(type) {
	case *sqlparts.Grouping:
		parts := make([]string, len(e.Args))
		for i, a := range e.Args {
			parts[i] = c.groupKey(s, a, g)
		}
		return strings.ToUpper(e.Kind) + " (" + strings.Join(parts, ", ") + ")"
	case *sqlparts.List:
		if e.Kind == sqlparts.Tuple {
			parts := make([]string, len(e.Items))
			for i, a := range e.Items {
				parts[i] = c.groupKey(s, a.Expr, g)
			}
			return "(" + strings.Join(parts, ", ") + ")"
		}
	}
	since := c.names
	x := c.value(c.expr(s, e))
	c.keyed(x)
	g.queries = g.queries || strings.Contains(x.sql, "(SELECT ")
	g.keys, g.texts = append(g.keys, x), append(g.texts, renumbered(x.sql, since))
	if x.literal != nil || x.kind == Null {
		return "(" + x.sql + " IS NULL)" // a number would be an ordinal
	}
	return x.sql
}

// walkSelect calls visit for each call in an expression, except for calls in subqueries.
func walkSelect(n sqlparts.Node, visit func(*sqlparts.Call)) {
	sqlparts.Walk(n, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Query:
			return false
		case *sqlparts.Call:
			visit(n)
		}
		return true
	})
}

// item returns the translation of an element of a select list; for a star, several columns.
func (c *transpiler) item(s *scope, it *sqlparts.Item, q *sqlparts.Query) []output {
	star, ok := it.Expr.(*sqlparts.Star)
	if !ok {
		x := c.value(c.expr(s, it.Expr))
		o := output{name: it.Alias.Text, expr: x}
		if col, ok := it.Expr.(*sqlparts.Column); ok && o.name == "" {
			o.name = col.Name.Last().Text
		}
		return []output{o}
	}
	if len(star.Rename) > 0 || star.Like != nil {
		refuse("a star with modifiers")
	}
	var out []output
	add := func(o output) {
		if o.rest == nil &&
			slices.ContainsFunc(star.Except, func(id sqlparts.Ident) bool { return strings.EqualFold(id.Text, o.name) }) {
			return
		}
		for _, by := range star.Replace {
			if o.rest == nil && strings.EqualFold(by.Alias.Text, o.name) {
				out = append(out, output{name: o.name, expr: c.value(c.expr(s, by.Expr))})
				return
			}
		}
		c.use(o.column)
		if o.merged = nil; o.rest == nil {
			o.expr = c.grouped(s, o.expr)
		}
		out = append(out, o)
	}
	sources, first := s.sources, false
	if star.Qualifier != nil {
		sources = c.starOf(s, star.Qualifier)
	} else {
		made, _ := c.bound.Output(q)
		for _, m := range made { // in dialects in which merged columns come first
			if x, ok := s.merged[m.Merged]; ok && m.Item == it && m.From == nil {
				add(output{name: m.Name.Text, expr: x})
				first = true
			}
		}
	}
	for _, src := range sources {
		for _, o := range src.columns {
			if o.merged != nil && star.Qualifier == nil {
				if first || o.right {
					continue
				}
				o.expr = s.merged[o.merged]
			}
			add(o)
		}
		if src.table != nil && c.schema.Inferred {
			o := columnOutput(src.alias, src.table.own(othersName))
			c.use(o.column)
			o.expr = c.grouped(s, o.expr)
			o.name, o.rest = "", []*Table{src.table}
			out = append(out, o)
		}
	}
	if len(sources) == 0 {
		refuse("a star of nothing")
	}
	return out
}

// starOf returns the sources that the qualifier of a star refers to.
func (c *transpiler) starOf(s *scope, qualifier sqlparts.Expr) (out []*source) {
	col, ok := qualifier.(*sqlparts.Column)
	if !ok {
		return nil
	}
	ms, doubt := c.bound.Means(col)
	if doubt == sqlparts.Ambiguous && !c.learn {
		refuse("the name %s, which means several tables", col.Name.Last().Text)
	}
	for i := range ms {
		if at, src := s.sourceOf(ms[i].Source); at == s && ms[i].Kind == sqlparts.RowOfSource {
			out = append(out, src)
		}
	}
	return out
}

// use marks a column as read, and refuses a column that the engine cannot store.
func (c *transpiler) use(col *Column) {
	if col == nil {
		return
	}
	if col.bad != "" {
		refuse("%s", col.bad)
	}
	col.used = true
}

// from returns the FROM clause and adds its sources to the scope.
func (c *transpiler) from(s *scope, list []*sqlparts.Source) string {
	if len(list) == 0 {
		return ""
	}
	return " FROM " + c.joins(s, list)
}

func (c *transpiler) joins(s *scope, list []*sqlparts.Source) string {
	defer c.deeper()()
	var b strings.Builder
	for i, src := range list {
		text, of, outer := c.source(s, src, i == 0)
		if i == 0 {
			if outer {
				refuse("FLATTEN with OUTER in this place")
			}
			b.WriteString(text)
			continue
		}
		var on []string
		if of != "" {
			on = append(on, of)
		}
		if src.Natural || len(src.Using) > 0 {
			on = c.using(s, src)
		}
		if src.On != nil {
			on = append(on, c.condition(s, src.On))
		}
		word := ""
		switch {
		case outer && (src.On != nil || len(src.Using) > 0):
			refuse("FLATTEN with OUTER in a join with a condition")
		case outer:
			src = &sqlparts.Source{Join: sqlparts.LeftJoin}
		case src.Call != nil && (src.Join == sqlparts.RightJoin || src.Join == sqlparts.FullJoin):
			refuse("a right or full join of an array")
		}
		switch src.Join {
		case sqlparts.CommaJoin, sqlparts.CrossJoin, sqlparts.InnerJoin:
			word = " JOIN "
		case sqlparts.LeftJoin:
			word = " LEFT JOIN "
		case sqlparts.RightJoin:
			word = " RIGHT JOIN "
		case sqlparts.FullJoin:
			word = " FULL JOIN "
		default:
			refuse("a semi or anti join")
		}
		if len(on) == 0 {
			on = []string{"TRUE"}
		}
		if src.Lateral && src.Call == nil {
			word += "LATERAL "
		}
		b.WriteString(word + text + " ON " + strings.Join(on, " AND "))
	}
	return b.String()
}

// source returns the translation of an element of FROM. of is a condition that joins the elements of an array with
// the row that contains it. outer reports whether a row without elements is kept.
func (c *transpiler) source(s *scope, src *sqlparts.Source, first bool) (text, of string, outer bool) {
	if len(src.Pivots) > 0 {
		return c.pivoted(s, src)
	}
	return c.plainSource(s, src, first)
}

// plainSource is [transpiler.source] of a source before its pivots.
func (c *transpiler) plainSource(s *scope, src *sqlparts.Source, first bool) (text, of string, outer bool) {
	switch {
	case src.Raw != nil:
		refuse("a source that badger cannot read")
	case src.Asof, src.Positional, src.Match != nil:
		refuse("an ASOF or positional join")
	case src.Version != nil:
		refuse("an old version of a table")
	case src.Sample != nil:
		refuse("TABLESAMPLE")
	case src.Recognize != nil:
		refuse("MATCH_RECOGNIZE")
	case src.FromString:
		refuse("a file in FROM")
	case src.Nested != nil:
		if src.Alias.Text != "" {
			refuse("a join with an alias")
		}
		return "(" + c.joins(s, src.Nested) + ")", "", false
	case src.Call != nil:
		return c.tableFunction(s, src, first)
	case src.Query != nil:
		parent := s.parent
		if src.Lateral || c.dialect == sqlparts.DuckDB {
			parent = s
		}
		sql, columns := c.query(src.Query, parent)
		return "(" + sql + ") AS " + c.derived(s, src, columns, src.Columns), "", false
	}
	switch r := c.bound.Reads(src); {
	case r.Array != nil:
		return c.unnest(s, src, c.elementsOf(s, src, r.Array), first, nil)
	case r.CTE != nil:
		c.tables++
		w := c.with[r.CTE]
		if w == nil {
			refuse("the query %s, which is not in view or writes", r.CTE.Name.Text)
		}
		alias := c.derived(s, src, w.columns, src.Columns)
		if w.steps > 0 {
			s.sources[len(s.sources)-1].steps = alias + ".c" + strconv.Itoa(w.steps)
		}
		return w.sql + " AS " + alias, "", false
	}
	t := c.base(src)
	alias := c.name("r")
	s.sources = append(s.sources,
		&source{of: src, table: t, alias: alias, columns: renamed(c.tops(t, alias), src.Columns)})
	return c.tableOf(t) + " AS " + alias, "", false
}

// columnOutput returns a column of a table with an alias. Its name in the engine does not depend on which columns are
// used.
func columnOutput(alias string, col *Column) output {
	return output{name: col.Name, expr: expr{
		sql: alias + ".c" + strconv.Itoa(slices.Index(col.table.Columns, col)), kind: col.Kind, affinity: col.affinity,
		column: col, near: []*Column{col},
	}}
}

// derived adds a source with computed columns to the scope, and returns its alias.
func (c *transpiler) derived(s *scope, of *sqlparts.Source, columns []output, names []sqlparts.Ident) string {
	alias := c.name("r")
	x := &source{of: of}
	for i, o := range columns {
		o.sql, o.literal, o.merged, o.from = alias+".c"+strconv.Itoa(i+1), nil, nil, 0
		if o.nest != nil {
			o.nest = &nest{table: o.nest.table, path: o.nest.path, row: o.sql}
			if o.kind != Nested && !c.learn {
				o.nest = nil
			}
		}
		x.columns = append(x.columns, o)
	}
	x.columns = renamed(x.columns, names)
	s.sources = append(s.sources, x)
	return alias
}

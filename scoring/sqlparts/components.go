package sqlparts

import (
	"sort"
	"strings"
)

// Components are the seven component sets of a query (BADGER paper, section 4.2 and appendix A.1),
// which extend those of Spider's exact match. Every set is sorted by bytes and holds each element
// once.
//
// # The final SELECT
//
// The sets describe the final SELECT of a query: the SELECT that produces its rows, not the bodies of common table
// expressions, derived tables or subqueries. In a set operation every arm is a final SELECT, and the sets are the
// unions of the arms' sets. Parentheses around a query have no effect. ORDER BY and LIMIT are those of the query
// itself and of parenthesized arms.
//
// # The normal form of an expression
//
// Elements are expressions in a normal form, written by these rules.
//
//   - Everything except the values of strings is in lower case. There is one space around infix operators and after
//     commas. Parentheses are written only if precedence requires them, loosest first: OR; XOR; AND; NOT;
//     comparisons and predicates; all other operators, including ||; + and -; * / % DIV MOD; ^ and **; -> and ->>;
//     unary minus; COLLATE, AT TIME ZONE. Operators of the same level associate to the left; chains of AND and of
//     OR need no inner parentheses.
//   - A column is its last name. Schema, table, alias, outer fields of a structured column and quotes are dropped,
//     and so is anything before the last double underscore that has text on both sides (sales__amount is amount). A
//     name is in double quotes if it has characters other than letters, digits, _ and $, or begins with a digit.
//   - A star is *, without its qualifier, followed by " except (a, b)" (EXCLUDE too), " replace (x as a)", " rename (a as b)".
//   - Strings are written in single quotes, with escapes resolved and quotes doubled; numbers, bytes and
//     placeholders as written. In SQLite a double-quoted name without qualifier is a string where a value is
//     expected: on the right of a comparison or pattern predicate whose left side is not double-quoted itself, in
//     an IN list, as a bound of BETWEEN, after THEN and ELSE.
//   - != and ^= are <>, == is =, <=> is "is not distinct from". NOT before IN, BETWEEN, LIKE and IS moves into the
//     predicate: x not in (…). x ISNULL is x is null. && and || are AND and OR where the dialect defines them so
//     (MySQL).
//   - A function is its name as written, with dots, and its arguments: count(distinct x), sum(amount). ALL is
//     dropped. ORDER BY and LIMIT are inside the parentheses; " within group (order by …)", " filter (where …)", "
//     ignore nulls" and " over (…)" follow in this order. SEPARATOR is an additional argument. SUBSTRING has
//     commas; EXTRACT, TRIM, POSITION and OVERLAY keep their words. CURRENT_DATE and similar functions are calls:
//     current_date().
//   - A window is (partition by … order by … frame), a named window its definition. A frame with one bound is written out:
//     rows between 1 preceding and current row. Within expressions, descending keys have " desc", others nothing.
//   - Every cast, x::t and DATE '…' too, is cast(x as class) or try_cast(x as class), by [TypeClass].
//   - INTERVAL '7 days', INTERVAL '7' DAY and INTERVAL 7 DAY are interval 7 day.
//   - The elements of an IN list are sorted, without duplicates.
//   - Arrays are array[a, b], structs struct(a, b as x), objects {'k': v}, paths x:a.b[0]; keys of paths in lower case.
//   - A subquery is the word subquery: exists(subquery), x in subquery.
//   - A part that was not understood is its SQL text.
//
// # The sets
//
// Select: the normal form of every item, without its alias. DISTINCT is a keyword, not part of an
// item.
//
// Where: the atomic conditions of WHERE. The condition is split at both AND and OR, and NOT is pushed down to the
// atoms by De Morgan's rules; see [Condition] for their form. Join conditions are not included.
//
// GroupBy: the normal form of every grouping expression. A position, and an unqualified name that is the alias of
// an item without aggregate or window function, are replaced by that item. The members of tuples, ROLLUP, CUBE and
// GROUPING SETS are elements; GROUP BY ALL means all items without aggregate and window function, except stars. A
// position is resolved only if no item up to it is a star.
//
// OrderBy: the normal form of every sort key followed by " asc" or " desc". Positions and aliases are replaced by
// their items, in a set operation by those of its first arm. The position of nulls is not included. ORDER BY ALL
// means all items.
//
// Having: the conditions of HAVING and of QUALIFY, in the form of Where. A name that is one whole side of a
// condition and the alias of an item is replaced by that item.
//
// Tables: the last name of every base table read anywhere in the query: in common table expressions that are
// reachable, derived tables, subqueries and all arms. Names of common table expressions are not tables, nor are
// table functions and arrays (UNNEST(…), FROM t, t.array), nor tables that an earlier statement of the script
// creates from a query: those are expanded. A prefix before a double underscore is kept, because it distinguishes
// tables.
//
// Keywords: upper case words, from a closed list, of the final SELECTs:
//
//   - WITH, RECURSIVE of the query; DISTINCT for SELECT DISTINCT and for a DISTINCT argument;
//   - WHERE, GROUP BY, HAVING, QUALIFY, ORDER BY, LIMIT (TOP and FETCH too), OFFSET if there is such a clause;
//     ASC and DESC if a key of ORDER BY is ascending or descending; ROLLUP, CUBE, GROUPING SETS;
//   - UNION, INTERSECT, EXCEPT (MINUS too), ALL after one of them;
//   - JOIN for every join but the comma, with INNER for a plain join, LEFT, RIGHT or FULL together with OUTER, CROSS,
//     SEMI, ANTI, and NATURAL, ASOF; CROSS APPLY is CROSS JOIN LATERAL, OUTER APPLY is LEFT OUTER JOIN LATERAL;
//   - LATERAL, UNNEST, FLATTEN, PIVOT, UNPIVOT, TABLESAMPLE, MATCH_RECOGNIZE in FROM;
//   - OR, NOT (also of NOT IN, IS NOT NULL …), IN, LIKE, ILIKE, BETWEEN, EXISTS, CASE, OVER where they are used in an
//     expression of the select list, WHERE, ON, GROUP BY, HAVING, QUALIFY, WINDOW or ORDER BY, subqueries excepted.
type Components struct {
	Select   []string
	Where    []Condition
	GroupBy  []string
	OrderBy  []string
	Having   []Condition
	Tables   []string
	Keywords []string
}

// Condition is one atomic condition.
//
// A comparison has three parts: column, operator, value. The side without columns is the value, and so is the side
// with a subquery; of two sides without columns a constant is. The operator is mirrored if the sides are exchanged.
// If both sides have columns and no subquery, they are sorted by their bytes. Negated comparisons have the opposite
// operator, ANY for ALL and ALL for ANY. A value that is or contains a subquery is "subquery".
//
// The other predicates: (x, in, (1, 2)), (x, not in, subquery), (x, between, 1 and 2), (x, like, 'a%'), (x, like
// any, …), (x, is, null), (x, is not, null), ("", exists, subquery). Any other condition has its text as Column and
// no other part, with the operator "not" if negated and the value "subquery" if it contains one.
type Condition struct {
	Column   string
	Operator string
	Value    string
}

// String joins the parts of the condition with spaces.
func (c Condition) String() string {
	s := c.Column
	if c.Operator != "" {
		if s != "" {
			s += " "
		}
		s += c.Operator
	}
	if c.Value != "" {
		s += " " + c.Value
	}
	return s
}

// Component names one of the seven sets.
type Component string

// The seven components, in the order of the paper.
const (
	ComponentSelect   Component = "select"
	ComponentWhere    Component = "where"
	ComponentGroupBy  Component = "group_by"
	ComponentOrderBy  Component = "order_by"
	ComponentHaving   Component = "having"
	ComponentTables   Component = "tables"
	ComponentKeywords Component = "keywords"
)

// ComponentList lists all components, in the order of the paper.
var ComponentList = []Component{ComponentSelect, ComponentWhere, ComponentGroupBy, ComponentOrderBy, ComponentHaving,
	ComponentTables, ComponentKeywords}

// Set returns the elements of one set as strings, sorted by bytes; nil for an unknown name.
func (c *Components) Set(name Component) []string {
	switch name {
	case ComponentSelect:
		return c.Select
	case ComponentWhere:
		return conditionTexts(c.Where)
	case ComponentGroupBy:
		return c.GroupBy
	case ComponentOrderBy:
		return c.OrderBy
	case ComponentHaving:
		return conditionTexts(c.Having)
	case ComponentTables:
		return c.Tables
	case ComponentKeywords:
		return c.Keywords
	}
	return nil
}

func conditionTexts(list []Condition) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.String()
	}
	return set(out)
}

// Extract returns the components of a query such as [Script.Final]. A nil query has none.
func Extract(q *Query) Components {
	var c Components
	if q == nil {
		return c
	}
	x := extractor{p: printer{normal: true}}
	x.query(q)
	text := string(x.p.buf) // one allocation for all strings
	c.Select = cutTexts(text, x.sel)
	c.GroupBy = cutTexts(text, x.group)
	c.OrderBy = cutTexts(text, x.order)
	c.Where = cutConditions(text, x.where)
	c.Having = cutConditions(text, x.having)
	c.Tables = baseTables(q)
	c.Keywords = x.words.list()
	return c
}

// extractor collects components. It writes all texts into the printer's buffer, and cuts them out of it at the end.
type extractor struct {
	p     printer
	words keywords
	aliases

	sel, group, order []piece
	where, having     []conditionPiece
	conditions        []conditionPiece // the list to which condition appends
}

// piece is a range of bytes in the buffer.
type piece struct{ from, to int }

// conditionPiece is a condition as ranges of the buffer, with the expression from which it was written.
type conditionPiece struct {
	column, operator, value piece

	of       Expr
	mirrored bool // its sides are exchanged
	binding  bool
}

func (c *conditionPiece) cut(text string) Condition {
	return Condition{text[c.column.from:c.column.to], text[c.operator.from:c.operator.to], text[c.value.from:c.value.to]}
}

// query collects the components of the final SELECTs of a query.
func (x *extractor) query(q *Query) {
	if len(q.With) > 0 {
		x.words.add(kwWith)
		if q.Recursive {
			x.words.add(kwRecursive)
		}
	}
	switch b := q.Body.(type) {
	case *Query:
		x.query(b)
	case *SetOp:
		for _, o := range b.Ops {
			x.words.add(setKeywords[o.Kind])
			if o.All {
				x.words.add(kwAll)
			}
		}
		for _, t := range b.Terms {
			x.query(t)
		}
	case *Select:
		x.selectParts(b)
	}
	x.orderBy(q)
	if l := q.Limit; l != nil {
		if l.Count != nil {
			x.words.add(kwLimit)
		}
		if l.Offset != nil {
			x.words.add(kwOffset)
		}
	}
}

func (x *extractor) selectParts(s *Select) {
	x.p.windows = s.Windows
	if s.Distinct {
		x.words.add(kwDistinct)
	}
	for _, it := range s.Items {
		x.sel = append(x.sel, x.text(it.Expr))
		x.words.expr(it.Expr)
	}
	for _, e := range s.DistinctOn {
		x.words.expr(e)
	}
	for _, src := range s.From {
		x.words.source(src)
	}
	if s.Where != nil {
		x.words.add(kwWhere)
		x.words.expr(s.Where)
		x.conditions = x.where
		x.condition(s.Where, false, true, nil)
		x.where = x.conditions
	}
	if s.Group != nil {
		x.words.add(kwGroupBy)
		x.groupBy(s)
	}
	if s.Having != nil {
		x.words.add(kwHaving)
	}
	if s.Qualify != nil {
		x.words.add(kwQualify)
	}
	x.conditions = x.having
	for _, e := range []Expr{s.Having, s.Qualify} {
		if e != nil {
			x.words.expr(e)
			x.condition(e, false, true, s)
		}
	}
	x.having = x.conditions
	for _, d := range s.Windows {
		x.words.window(d.Window)
	}
}

// text writes an expression in normal form and returns its range in the buffer.
func (x *extractor) text(e Expr) piece {
	from := len(x.p.buf)
	x.p.expr(e, precNone)
	return piece{from, len(x.p.buf)}
}

// word writes s and returns its range in the buffer.
func (x *extractor) word(s string) piece {
	from := len(x.p.buf)
	x.p.str(s)
	return piece{from, len(x.p.buf)}
}

func (x *extractor) groupBy(s *Select) {
	if s.Group.All {
		for _, it := range s.Items {
			if _, star := it.Expr.(*Star); !star && !aggregates(it.Expr) {
				x.group = append(x.group, x.text(it.Expr))
			}
		}
	}
	for _, e := range s.Group.Items {
		x.groupItem(s, e)
	}
}

func (x *extractor) groupItem(s *Select, e Expr) {
	switch g := e.(type) {
	case *Grouping:
		x.words.add(groupingKeywords[g.Kind])
		for _, a := range g.Args {
			x.groupItem(s, a)
		}
		return
	case *List:
		if g.Kind == Tuple {
			for _, it := range g.Items {
				x.groupItem(s, it.Expr)
			}
			return
		}
	}
	x.words.expr(e)
	if it := positioned(s, e); it != nil {
		e = it.Expr
	} else if it := x.aliases.find(s, e); it != nil && !aggregates(it.Expr) {
		e = it.Expr
	}
	x.group = append(x.group, x.text(e))
}

func (x *extractor) orderBy(q *Query) {
	if len(q.OrderBy) == 0 {
		return
	}
	x.words.add(kwOrderBy)
	s := firstSelect(q)
	if s != nil {
		x.p.windows = s.Windows
	}
	for _, o := range q.OrderBy {
		way := " asc"
		if o.Desc {
			way = " desc"
			x.words.add(kwDesc)
		} else {
			x.words.add(kwAsc)
		}
		x.words.expr(o.Expr)
		for _, e := range x.orderedItems(s, o.Expr) {
			from := x.text(e).from
			x.p.str(way)
			x.order = append(x.order, piece{from, len(x.p.buf)})
		}
	}
}

// orderedItems returns the expressions that a sort key means: an item of the select list by position or alias, all
// items for ALL, else the key itself.
func (x *extractor) orderedItems(s *Select, e Expr) []Expr {
	if s != nil {
		if it := positioned(s, e); it != nil {
			return []Expr{it.Expr}
		}
		if it := x.aliases.find(s, e); it != nil {
			return []Expr{it.Expr}
		}
		if allItems(e) {
			var all []Expr
			for _, it := range s.Items {
				all = append(all, it.Expr)
			}
			return all
		}
	}
	return []Expr{e}
}

// allItems reports whether a sort key is ALL.
func allItems(e Expr) bool {
	c, ok := e.(*Column)
	return ok && len(c.Name) == 1 && !c.Name[0].Quoted && strings.EqualFold(c.Name[0].Text, "all")
}

// firstSelect returns the select whose items name the columns of a query: the first arm of set operations. It returns
// nil if there is none.
func firstSelect(q *Query) *Select {
	for q != nil {
		switch b := q.Body.(type) {
		case *Select:
			return b
		case *Query:
			q = b
		case *SetOp:
			q = b.Terms[0]
		default:
			return nil
		}
	}
	return nil
}

// positioned returns the item whose position in GROUP BY or ORDER BY is the whole number e; nil if e is not one, or
// if a star before the item hides the number of columns.
func positioned(s *Select, e Expr) *Item {
	l, ok := e.(*Literal)
	if !ok || l.Kind != Number || len(l.Text) > 6 {
		return nil
	}
	n := 0
	for i := range len(l.Text) {
		if !isDigit(l.Text[i]) {
			return nil
		}
		n = n*10 + int(l.Text[i]-'0')
	}
	if n < 1 || n > len(s.Items) {
		return nil
	}
	for _, it := range s.Items[:n] {
		if _, star := it.Expr.(*Star); star {
			return nil
		}
	}
	return s.Items[n-1]
}

// aliases finds the items of select lists by their aliases. For long lists it keeps a map.
type aliases struct {
	first map[*Select]map[string]*Item
	again map[*Select]map[string]bool // names that several items have
}

// manyItems is the number of items from which a map is used to find aliases.
const manyItems = 32

// find returns the first item whose alias is the unqualified name e, or nil if there is none.
func (a *aliases) find(s *Select, e Expr) *Item {
	c, ok := e.(*Column)
	if !ok || len(c.Name) != 1 {
		return nil
	}
	if len(s.Items) >= manyItems {
		return a.of(s)[strings.ToLower(c.Name[0].Text)]
	}
	for _, it := range s.Items {
		if len(it.Alias.Text) == len(c.Name[0].Text) && it.Alias.Text != "" &&
			strings.EqualFold(it.Alias.Text, c.Name[0].Text) {
			return it
		}
	}
	return nil
}

func (a *aliases) of(s *Select) map[string]*Item {
	if names, ok := a.first[s]; ok {
		return names
	}
	if a.first == nil {
		a.first, a.again = map[*Select]map[string]*Item{}, map[*Select]map[string]bool{}
	}
	names, again := map[string]*Item{}, map[string]bool{}
	for _, it := range s.Items {
		switch name := strings.ToLower(it.Alias.Text); {
		case name == "":
		case names[name] == nil:
			names[name] = it
		default:
			again[name] = true
		}
	}
	a.first[s], a.again[s] = names, again
	return names
}

// cutTexts returns pieces of text as a set.
func cutTexts(text string, pieces []piece) []string {
	if len(pieces) == 0 {
		return nil
	}
	out := make([]string, len(pieces))
	for i, p := range pieces {
		out[i] = text[p.from:p.to]
	}
	return set(out)
}

// set sorts strings and removes duplicates, in place.
func set(list []string) []string {
	sort.Strings(list)
	k := 0
	for i, s := range list {
		if i == 0 || s != list[k-1] {
			list[k] = s
			k++
		}
	}
	return list[:k]
}

func cutConditions(text string, pieces []conditionPiece) []Condition {
	if len(pieces) == 0 {
		return nil
	}
	out := make([]Condition, len(pieces))
	for i := range pieces {
		out[i] = pieces[i].cut(text)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		if a.Column != b.Column {
			return a.Column < b.Column
		}
		if a.Operator != b.Operator {
			return a.Operator < b.Operator
		}
		return a.Value < b.Value
	})
	k := 0
	for i, c := range out {
		if i == 0 || c != out[k-1] {
			out[k] = c
			k++
		}
	}
	return out[:k]
}

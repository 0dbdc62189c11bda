package sqltree

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Query is a query expression with its names resolved: a SELECT, or a set operation of queries.
type Query struct {
	Set   string   // union, intersect, except, with " all" if duplicates are kept; empty for a SELECT
	Terms []*Query // operands of a set operation, at least two

	Distinct bool
	Items    []*Expr
	From     []*Source
	Where    *Expr // nil if absent, like the other clauses
	Group    []*Expr
	Having   *Expr
	Qualify  *Expr

	Order         []Key
	Limit, Offset *Expr
	Extra         []*Expr // clauses that are compared without normalization

	values bool     // VALUES, whose items are rows
	names  []string // lower-case names of the items; empty if an item has none
}

// Key is one sort key.
type Key struct {
	Expr  *Expr
	Desc  bool
	Nulls string // first, last or empty
}

// Source is one element of FROM.
type Source struct {
	Join  string // inner (also the comma, CROSS and the first), left, right, full, or another kind as written
	Table string // a base table's last name; empty if Query or Call is set
	Query *Query // a derived table or common table expression
	Call  *Expr  // a table function, or text that was not understood
	On    *Expr
	Mods  []*Expr // sampling, time travel, PIVOT: compared without normalization

	of    *sqlparts.Source
	id    string // the value of Table in columns of the source
	alias string // its name in the query, in lower case
	made  *made  // the columns of Query; computed on first use
}

// The operators of expressions that are not SQL operators.
const (
	opColumn   = "col"  // the column Text of the source Table
	opStar     = "star" // all columns of Table, or of all sources
	opNumber   = "num"  // Text is canonical: 1, 1.0 and 1e0 are 1
	opString   = "str"  // Text is its value
	opNull     = "null" //
	opLiteral  = "lit"  // Text is another literal or placeholder
	opCall     = "call" // a call of the function Text
	opDistinct = "distinct"
	opCase     = "case" // condition, value, …, and the value of ELSE if the number of operands is odd
	opCast     = "cast" // to the type Text
	opQuery    = "query"
	opRaw      = "raw" // Text was not understood

	opRows = "rows" // the star of count(*)
)

// Expr is an expression: an operator, its text, and its operands. AND and OR have at least two operands.
type Expr struct {
	Op    string
	Text  string
	Table string // of a column or star: the id of its source, after a ^ for every query level outwards
	Args  []*Expr
	Query *Query
}

func op(name string, args ...*Expr) *Expr { return &Expr{Op: name, Args: args} }

func number(text string) *Expr { return &Expr{Op: opNumber, Text: text} }

var null = &Expr{Op: opNull}

func (e *Expr) column() (Column, bool) {
	if e != nil && e.Op == opColumn && e.Table != "" && e.Table[0] != '^' && e.Table[0] != '$' {
		table, _, _ := strings.Cut(e.Table, "#")
		return Column{table, e.Text}, true
	}
	return Column{}, false
}

// String returns the expression as a string that is equal exactly for equal expressions.
func (e *Expr) String() string { return string(e.appendTo(make([]byte, 0, 64))) }

func (e *Expr) appendTo(b []byte) []byte {
	if e == nil {
		return append(b, '-')
	}
	b = append(b, e.Op...)
	if e.Table != "" {
		b = append(append(b, ':'), e.Table...)
	}
	if e.Text != "" {
		b = strconv.AppendQuote(append(b, ' '), e.Text)
	}
	if e.Query != nil {
		b = append(e.Query.appendTo(append(b, '{')), '}')
	}
	if len(e.Args) > 0 {
		b = append(appendAll(append(b, '('), e.Args), ')')
	}
	return b
}

func appendAll(b []byte, list []*Expr) []byte {
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.appendTo(b)
	}
	return b
}

// String returns the query as a string that is equal exactly for equal queries.
func (q *Query) String() string { return string(q.appendTo(make([]byte, 0, 512))) }

func (q *Query) appendTo(b []byte) []byte {
	if q.Set != "" {
		b = append(b, q.Set...)
		for _, t := range q.Terms {
			b = append(t.appendTo(append(b, '{')), '}')
		}
	} else {
		b = append(b, "select"...)
		if q.Distinct {
			b = append(b, " distinct"...)
		}
		b = append(appendAll(append(b, ' '), q.Items), " from"...)
		for _, s := range q.From {
			b = s.appendTo(append(b, ' '))
		}
	}
	clause := func(name string, list ...*Expr) {
		if len(list) > 0 && list[0] != nil {
			b = appendAll(append(b, name...), list)
		}
	}
	clause(" where ", q.Where)
	clause(" group ", q.Group...)
	clause(" having ", q.Having)
	clause(" qualify ", q.Qualify)
	for i, k := range q.Order {
		b = k.appendTo(append(b, []string{" order ", ","}[min(i, 1)]...))
	}
	clause(" limit ", q.Limit)
	clause(" offset ", q.Offset)
	clause(" extra ", q.Extra...)
	return b
}

func (k Key) appendTo(b []byte) []byte {
	b = k.Expr.appendTo(b)
	if k.Desc {
		b = append(b, " desc"...)
	}
	if k.Nulls != "" {
		b = append(append(b, " nulls "...), k.Nulls...)
	}
	return b
}

func (s *Source) appendTo(b []byte) []byte {
	b = append(append(b, s.Join...), ' ')
	switch {
	case s.Table != "":
		b = append(b, s.id...)
	case s.Query != nil:
		b = append(s.Query.appendTo(append(b, '{')), '}')
	default:
		b = s.Call.appendTo(b)
	}
	if s.On != nil {
		b = s.On.appendTo(append(b, " on "...))
	}
	if len(s.Mods) > 0 {
		b = appendAll(append(b, " mods "...), s.Mods)
	}
	return b
}

// each calls visit for a pointer to every top-level expression of the query, including those of its sources, so that
// visit can replace it. It does not descend into nested queries.
func (q *Query) each(visit func(**Expr)) {
	for i := range q.Items {
		visit(&q.Items[i])
	}
	for _, s := range q.From {
		visitOptional(&s.Call, visit)
		visitOptional(&s.On, visit)
		for i := range s.Mods {
			visit(&s.Mods[i])
		}
	}
	for _, e := range []**Expr{&q.Where, &q.Having, &q.Qualify, &q.Limit, &q.Offset} {
		visitOptional(e, visit)
	}
	for i := range q.Group {
		visit(&q.Group[i])
	}
	for i := range q.Order {
		visit(&q.Order[i].Expr)
	}
	for i := range q.Extra {
		visit(&q.Extra[i])
	}
}

func visitOptional(e **Expr, visit func(**Expr)) {
	if *e != nil {
		visit(e)
	}
}

// rewrite replaces an expression from its leaves up; change returns the replacement of its argument. Queries inside
// are not visited.
func rewrite(e **Expr, change func(*Expr) *Expr) {
	for i := range (*e).Args {
		if (*e).Args[i] != nil {
			rewrite(&(*e).Args[i], change)
		}
	}
	*e = change(*e)
}

// columns calls visit for every column and star of the query and its nested queries, with the number of query levels
// between the query and the column.
func (q *Query) columns(visit func(e *Expr, depth int)) { q.columnsAt(0, visit) }

func (q *Query) columnsAt(depth int, visit func(*Expr, int)) {
	for _, t := range q.Terms {
		t.columnsAt(depth, visit)
	}
	for _, s := range q.From {
		if s.Query != nil {
			s.Query.columnsAt(depth+1, visit)
		}
	}
	q.each(func(e **Expr) { (*e).columnsAt(depth, visit) })
}

func (e *Expr) columnsAt(depth int, visit func(*Expr, int)) {
	if e == nil {
		return
	}
	if e.Op == opColumn || e.Op == opStar {
		visit(e, depth)
	}
	for _, a := range e.Args {
		a.columnsAt(depth, visit)
	}
	if e.Query != nil {
		e.Query.columnsAt(depth+1, visit)
	}
}

func (e *Expr) clone() *Expr {
	if e == nil {
		return nil
	}
	c := *e
	c.Args = cloneAll(e.Args)
	if e.Query != nil {
		c.Query = e.Query.clone()
	}
	return &c
}

func cloneAll(list []*Expr) []*Expr {
	out := slices.Clone(list)
	for i := range out {
		out[i] = out[i].clone()
	}
	return out
}

func (q *Query) clone() *Query {
	c := *q
	c.Terms = slices.Clone(q.Terms)
	for i := range c.Terms {
		c.Terms[i] = c.Terms[i].clone()
	}
	c.From = slices.Clone(q.From)
	for i, s := range c.From {
		s := *s
		if s.Query != nil {
			s.Query = s.Query.clone()
		}
		s.Mods = slices.Clone(s.Mods)
		c.From[i] = &s
	}
	c.Items, c.Group, c.Extra, c.Order = slices.Clone(q.Items), slices.Clone(q.Group), slices.Clone(q.Extra),
		slices.Clone(q.Order)
	c.each(func(e **Expr) { *e = (*e).clone() })
	return &c
}

package sqltree

import (
	"slices"
	"strconv"
	"strings"
)

// Query is a query expression with its names resolved: a SELECT, or a set operation of queries.
type Query struct {
	Set   string   // union, intersect, except, with " all" where duplicates are kept; empty for a SELECT
	Terms []*Query // operands of a set operation, at least two

	Distinct bool
	Items    []*Expr
	From     []*Source
	Where    *Expr // nil where absent, as the others
	Group    []*Expr
	Having   *Expr
	Qualify  *Expr

	Order         []Key
	Limit, Offset *Expr
	Extra         []*Expr // clauses that are compared as they are

	names []string // of the items, in lower case; empty where an item has none
}

// Key is one sort key.
type Key struct {
	Expr  *Expr
	Desc  bool
	Nulls string // first, last or empty
}

// Source is one element of FROM.
type Source struct {
	Join  string // inner (also the comma, CROSS and the first), left, right, full, or another kind as it is
	Table string // a base table's last name; empty for what follows
	Query *Query // a derived table or common table expression
	Call  *Expr  // a table function, or text that was not understood
	On    *Expr
	Mods  []*Expr // sampling, time travel, PIVOT: compared as they are

	id    string // what columns of the source have as their Table
	alias string // names it in the text, in lower case
}

// The operators of expressions that are not SQL operators.
const (
	OpColumn   = "col"  // Table and Text name it
	OpStar     = "star" // of Table, or of all sources
	OpNumber   = "num"  // Text is canonical: 1, 1.0 and 1e0 are 1
	OpString   = "str"  // Text is its value
	OpNull     = "null" //
	OpLiteral  = "lit"  // another literal or placeholder, as written
	OpCall     = "call" // of the function Text
	OpDistinct = "distinct"
	OpCase     = "case" // condition, value, condition, value, …, and the value of ELSE where the number is odd
	OpCast     = "cast" // to Text
	OpQuery    = "query"
	OpRaw      = "raw" // Text was not understood

	opRows = "rows" // the star of count(*)
)

// Expr is an expression: an operator, what it is of, and its operands. AND and OR have two operands or more.
type Expr struct {
	Op    string
	Text  string
	Table string // of a column or star: the source; ^ stands before it for every query that is left outwards
	Args  []*Expr
	Query *Query
}

func op(name string, args ...*Expr) *Expr { return &Expr{Op: name, Args: args} }

func number(text string) *Expr { return &Expr{Op: OpNumber, Text: text} }

var null = &Expr{Op: OpNull}

func (e *Expr) column() (Column, bool) {
	if e != nil && e.Op == OpColumn && e.Table != "" && e.Table[0] != '^' && e.Table[0] != '$' {
		table, _, _ := strings.Cut(e.Table, "#")
		return Column{table, e.Text}, true
	}
	return Column{}, false
}

// String writes the expression in a form that is equal exactly for equal expressions.
func (e *Expr) String() string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e *Expr) write(b *strings.Builder) {
	if e == nil {
		b.WriteByte('-')
		return
	}
	b.WriteString(e.Op)
	if e.Table != "" {
		b.WriteByte(':')
		b.WriteString(e.Table)
	}
	if e.Text != "" {
		b.WriteByte(' ')
		b.WriteString(strconv.Quote(e.Text))
	}
	if e.Query != nil {
		b.WriteByte('{')
		e.Query.write(b)
		b.WriteByte('}')
	}
	if len(e.Args) > 0 {
		b.WriteByte('(')
		writeAll(b, e.Args)
		b.WriteByte(')')
	}
}

func writeAll(b *strings.Builder, list []*Expr) {
	for i, e := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		e.write(b)
	}
}

// String writes the query in a form that is equal exactly for equal queries.
func (q *Query) String() string {
	var b strings.Builder
	q.write(&b)
	return b.String()
}

func (q *Query) write(b *strings.Builder) {
	if q.Set != "" {
		b.WriteString(q.Set)
		for _, t := range q.Terms {
			b.WriteByte('{')
			t.write(b)
			b.WriteByte('}')
		}
	} else {
		b.WriteString("select")
		if q.Distinct {
			b.WriteString(" distinct")
		}
		b.WriteByte(' ')
		writeAll(b, q.Items)
		b.WriteString(" from")
		for _, s := range q.From {
			b.WriteByte(' ')
			s.write(b)
		}
	}
	for _, c := range []struct {
		name string
		e    *Expr
	}{{"where", q.Where}, {"having", q.Having}, {"qualify", q.Qualify}, {"limit", q.Limit}, {"offset", q.Offset}} {
		if c.e != nil {
			b.WriteString(" " + c.name + " ")
			c.e.write(b)
		}
	}
	if len(q.Group) > 0 {
		b.WriteString(" group ")
		writeAll(b, q.Group)
	}
	for i, k := range q.Order {
		b.WriteString([]string{" order ", ","}[min(i, 1)])
		k.write(b)
	}
	if len(q.Extra) > 0 {
		b.WriteString(" extra ")
		writeAll(b, q.Extra)
	}
}

func (k Key) write(b *strings.Builder) {
	k.Expr.write(b)
	if k.Desc {
		b.WriteString(" desc")
	}
	if k.Nulls != "" {
		b.WriteString(" nulls " + k.Nulls)
	}
}

func (s *Source) write(b *strings.Builder) {
	b.WriteString(s.Join + " ")
	switch {
	case s.Table != "":
		b.WriteString(s.id)
	case s.Query != nil:
		b.WriteByte('{')
		s.Query.write(b)
		b.WriteByte('}')
	default:
		s.Call.write(b)
	}
	if s.On != nil {
		b.WriteString(" on ")
		s.On.write(b)
	}
	if len(s.Mods) > 0 {
		b.WriteString(" mods ")
		writeAll(b, s.Mods)
	}
}

// each calls visit with every expression of the query itself, those of its sources and clauses, so that they can be replaced. Queries
// inside expressions and sources are left out.
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

// rewrite replaces an expression from its leaves up; change returns what comes in the place of what it is given. Queries inside are left out.
func rewrite(e **Expr, change func(*Expr) *Expr) {
	for i := range (*e).Args {
		if (*e).Args[i] != nil {
			rewrite(&(*e).Args[i], change)
		}
	}
	*e = change(*e)
}

// columns calls visit for the columns and stars of the query, those in queries inside its expressions and sources too, with how many
// queries lie between.
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
	if e.Op == OpColumn || e.Op == OpStar {
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
	c.Items, c.Group, c.Extra, c.Order = slices.Clone(q.Items), slices.Clone(q.Group), slices.Clone(q.Extra), slices.Clone(q.Order)
	c.each(func(e **Expr) { *e = (*e).clone() })
	return &c
}

package sqlproof

import (
	"slices"
	"strconv"
	"strings"
)

// block is one query: a SELECT over joined sources, a set operation, or VALUES.
type block struct {
	set   string // union, union all, intersect …; empty for the others
	terms []*block
	rows  [][]*expr // of VALUES that are not converted to a UNION ALL

	join
	items      []*expr
	names      []string // case-folded names of the items; empty if an item has none
	distinct   bool
	distinctOn []*expr
	grouped    bool // has GROUP BY: without rows, the query returns no row
	group      []*expr
	having     []*expr // conditions that are joined by AND
	qualify    []*expr
	order      []key
	limit      *expr
	offset     *expr
	limitMods  string
	shared     int // if not 0: the number of a CTE used several times, whose rows may differ between runs
}

// join is a set of sources: the cross product of core, to which the sources in left are attached by LEFT JOINs in
// order, filtered by the conditions in where.
type join struct {
	core  []*source
	left  []*attach
	where []*expr
}

// attach is the right side of a LEFT JOIN.
type attach struct {
	right join
	on    []*expr
}

// source is one element of a join. Exactly one of table, block, call and full is set.
type source struct {
	table string // a base table: its case-folded name, with sample and version
	last  string // its key in the schema; empty if it has no certain definition there
	block *block
	call  *expr
	full  *full
	id    int
}

// full is a FULL JOIN.
type full struct {
	l, r join
	on   []*expr
}

type key struct {
	e     *expr
	desc  bool
	nulls string // first or last; empty if unknown, or if e is never NULL
}

// expr is an expression. Its op is an operator of SQL, or one of those listed below.
type expr struct {
	op   string
	text string
	args []*expr
	src  *source
	srcs []*source // of opUnknown: the sources that may have the name
	sub  *block
}

const (
	opColumn  = "col"     // the column of src with the name text
	opItem    = "item"    // the item at position text of the block of src
	opUnder   = "under"   // text "i.name": the column name that item i, a star, of the block of src represents
	opUnknown = "unknown" // a name that one of srcs may have
	opEither  = "either"  // a name that may be a column, or the alias of args[0]
	opStar    = "star"    // all columns of src
	opRow     = "row"     // the row of src
	opNumber  = "num"
	opString  = "str"
	opNull    = "null"
	opLit     = "lit"
	opCall    = "call"
	opCase    = "case" // condition, value, …, and ELSE if the number of operands is odd
	opOver    = "over"
	opIsNull  = "is null"
	opExists  = "exists"
	opNot     = "not"
	opAnd     = "and"
	opOr      = "or"
	opIn      = "in"
	opQuery   = "query"
)

func node(op string, args ...*expr) *expr { return &expr{op: op, args: args} }

func negation(e *expr) *expr { return node(opNot, e) }

// id returns a string that is equal for equal expressions of a tree. It identifies sources by their numbers.
func (e *expr) id() string {
	var b strings.Builder
	e.writeID(&b)
	return b.String()
}

func (e *expr) writeID(b *strings.Builder) {
	if e == nil {
		b.WriteByte('-')
		return
	}
	b.WriteString(e.op)
	if e.text != "" {
		b.WriteString(strconv.Quote(e.text))
	}
	if e.src != nil {
		b.WriteByte('@')
		b.WriteString(strconv.Itoa(e.src.id))
	}
	for _, s := range e.srcs {
		b.WriteByte('?')
		b.WriteString(strconv.Itoa(s.id))
	}
	if e.sub != nil {
		b.WriteByte('{')
		b.WriteString(strconv.Itoa(e.sub.anchor()))
		b.WriteByte('}')
	}
	if len(e.args) > 0 {
		b.WriteByte('(')
		for i, a := range e.args {
			if i > 0 {
				b.WriteByte(',')
			}
			a.writeID(b)
		}
		b.WriteByte(')')
	}
}

// anchor returns a number that identifies a subquery within its tree.
func (q *block) anchor() int {
	for len(q.terms) > 0 {
		q = q.terms[0]
	}
	for _, s := range q.core {
		return s.id
	}
	return -1
}

// each visits the expression and its descendants, except nested queries, until visit returns false.
func (e *expr) each(visit func(*expr) bool) bool {
	if e == nil {
		return true
	}
	if !visit(e) {
		return false
	}
	for _, a := range e.args {
		if !a.each(visit) {
			return false
		}
	}
	return true
}

// deep visits the expression and all its descendants, including those in nested queries.
func (e *expr) deep(visit func(*expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, a := range e.args {
		a.deep(visit)
	}
	if e.sub != nil {
		e.sub.deep(visit)
	}
}

// deep visits all expressions of the query.
func (q *block) deep(visit func(*expr)) {
	for _, t := range q.terms {
		t.deep(visit)
	}
	q.join.deep(visit)
	q.clauses(func(e **expr) { (*e).deep(visit) })
}

func (j *join) deep(visit func(*expr)) {
	for _, s := range j.core {
		s.call.deep(visit)
		if s.block != nil {
			s.block.deep(visit)
		}
		if s.full != nil {
			s.full.l.deep(visit)
			s.full.r.deep(visit)
			deepAll(s.full.on, visit)
		}
	}
	for _, a := range j.left {
		a.right.deep(visit)
		deepAll(a.on, visit)
	}
	deepAll(j.where, visit)
}

func deepAll(list []*expr, visit func(*expr)) {
	for _, e := range list {
		e.deep(visit)
	}
}

// clauses calls visit for the expressions of the query outside its joins.
func (q *block) clauses(visit func(**expr)) {
	for _, list := range [][]*expr{q.items, q.distinctOn, q.group, q.having, q.qualify} {
		for i := range list {
			visit(&list[i])
		}
	}
	for i := range q.order {
		visit(&q.order[i].e)
	}
	for _, e := range []**expr{&q.limit, &q.offset} {
		if *e != nil {
			visit(e)
		}
	}
	for _, row := range q.rows {
		for i := range row {
			visit(&row[i])
		}
	}
}

// all calls visit for a pointer to every top-level expression of the query, including its joins, so that visit can
// replace it. It does not descend into nested queries.
func (q *block) all(visit func(**expr)) {
	q.join.all(visit)
	q.clauses(visit)
}

func (j *join) all(visit func(**expr)) {
	for _, s := range j.core {
		if s.call != nil {
			visit(&s.call)
		}
		if s.full != nil {
			s.full.l.all(visit)
			s.full.r.all(visit)
			visitAll(s.full.on, visit)
		}
	}
	for _, a := range j.left {
		a.right.all(visit)
		visitAll(a.on, visit)
	}
	visitAll(j.where, visit)
}

func visitAll(list []*expr, visit func(**expr)) {
	for i := range list {
		visit(&list[i])
	}
}

// sources returns all sources of the join, including those inside FULL JOINs.
func (j *join) sources() []*source {
	var out []*source
	for _, s := range j.core {
		out = append(out, s)
		if s.full != nil {
			out = append(append(out, s.full.l.sources()...), s.full.r.sources()...)
		}
	}
	for _, a := range j.left {
		out = append(out, a.right.sources()...)
	}
	return out
}

// replace replaces every expression by the result of change, from the leaves up, including those in nested queries.
func replace(e **expr, change func(*expr) *expr) {
	if *e == nil {
		return
	}
	for i := range (*e).args {
		replace(&(*e).args[i], change)
	}
	if (*e).sub != nil {
		(*e).sub.replace(change)
	}
	*e = change(*e)
}

func (q *block) replace(change func(*expr) *expr) {
	for _, t := range q.terms {
		t.replace(change)
	}
	for _, s := range q.join.sources() {
		if s.block != nil {
			s.block.replace(change)
		}
	}
	q.all(func(e **expr) { replace(e, change) })
}

// uses reports whether an expression of the list refers to the source s.
func uses(list []*expr, s *source) bool {
	found := false
	deepAll(list, func(e *expr) { found = found || e.src == s || slices.Contains(e.srcs, s) })
	return found
}

// clone returns a deep copy of an expression, which shares the nested queries.
func (e *expr) clone() *expr {
	if e == nil {
		return nil
	}
	c := *e
	c.args = slices.Clone(e.args)
	for i := range c.args {
		c.args[i] = c.args[i].clone()
	}
	return &c
}

// size returns the number of nodes of an expression, with those of subqueries.
func (e *expr) size() (nodes int) {
	e.deep(func(*expr) { nodes++ })
	return nodes
}

// has reports whether holds is true for a node of an expression, not counting nested queries.
func (e *expr) has(holds func(*expr) bool) bool {
	return !e.each(func(x *expr) bool { return !holds(x) })
}

func isWindow(e *expr) bool { return e.op == opOver }

func isQuery(e *expr) bool { return e.sub != nil }

// windowed reports whether a query has window functions.
func (q *block) windowed() bool {
	found := len(q.qualify) > 0
	q.clauses(func(e **expr) { found = found || (*e).has(isWindow) })
	return found
}

// conjuncts returns the operands of AND in a condition, recursively; nil if e is nil.
func conjuncts(e *expr) []*expr {
	switch {
	case e == nil:
		return nil
	case e.op != opAnd:
		return []*expr{e}
	}
	var out []*expr
	for _, a := range e.args {
		out = append(out, conjuncts(a)...)
	}
	return out
}

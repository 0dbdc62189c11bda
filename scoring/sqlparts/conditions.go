package sqlparts

import "strings"

// Clause is the clause of a query that a condition is in.
type Clause uint8

// The clauses that hold conditions. OnClause is ON and USING of a join: USING (id) is id = id.
const (
	WhereClause Clause = iota
	HavingClause
	QualifyClause
	OnClause
)

// Predicate is one atomic condition of a query with its context: an operand of AND, OR and NOT in WHERE, HAVING,
// QUALIFY or a join condition.
type Predicate struct {
	Condition        // its normal form
	Expr      Expr   // as written, without the NOTs around it
	Clause    Clause // the clause it is in
	In        Node   // the node that has the clause: a *Select, or the *Source of a join
	Binding   bool   // every row that passes the clause satisfies it: it is under no OR, and not under NOT of an AND
	Joins     bool   // it joins tables: a binding equality in WHERE or ON whose sides have columns, of different tables

	mirrored bool // the sides of Expr are exchanged in Condition
}

// Predicates returns the atomic conditions anywhere in a node such as a query, including its subqueries and common
// table expressions. They are in the order of [Walk], clause by clause. Repeated conditions are repeated in the
// result.
//
// Joins is decided by the qualifiers of the columns. An unqualified column belongs to the only table that the
// SELECT reads. If the SELECT reads several, it is assumed to belong to another table than the column on the other
// side. No other comparison joins, in ON or in WHERE: it only filters the rows that an equality, or a cross join,
// combines.
func Predicates(n Node) []Predicate {
	x := extractor{p: printer{normal: true}}
	var out []Predicate
	read := func(in Node, clause Clause, e Expr, s *Select, alone string) {
		if e == nil {
			return
		}
		at := len(x.conditions)
		x.condition(e, false, true, s)
		for _, c := range x.conditions[at:] {
			out = append(out, Predicate{
				Expr: c.of, Clause: clause, In: in, Binding: c.binding, mirrored: c.mirrored,
				Joins: c.binding && (clause == WhereClause || clause == OnClause) &&
					equality(string(x.p.buf[c.operator.from:c.operator.to])) && equatesTables(c.of.(*Binary), alone),
			})
		}
	}
	Walk(n, func(n Node) bool {
		switch n := n.(type) {
		case *Select:
			x.p.windows = n.Windows
			read(n, WhereClause, n.Where, nil, onlySource(n))
			read(n, HavingClause, n.Having, n, "")
			read(n, QualifyClause, n.Qualify, n, "")
			x.p.windows = nil
		case *Source:
			read(n, OnClause, n.On, nil, "")
			for _, name := range n.Using {
				key := &Column{Span: n.Span, Name: Name{name}}
				read(n, OnClause, &Binary{Span: n.Span, Op: "=", L: key, R: key}, nil, "")
			}
		}
		return true
	})
	text := string(x.p.buf)
	for i, c := range x.conditions {
		out[i].Condition = c.cut(text)
	}
	return out
}

// Values returns the operands that the column is compared with: the other side of a comparison, the pattern of
// LIKE, the bounds of BETWEEN, the elements of a list after IN as written, the keyword after IS. It returns nil if
// they would not describe the condition completely (LIKE with ESCAPE, BETWEEN SYMMETRIC), for a subquery or an
// array after IN, and for EXISTS and other conditions.
func (p *Predicate) Values() []Expr {
	switch e := p.Expr.(type) {
	case *Binary:
		switch {
		case p.Operator == "" || p.Operator == "not":
			return nil
		case p.mirrored:
			return []Expr{e.L}
		}
		return []Expr{e.R}
	case *Like:
		if e.Escape == nil {
			return []Expr{e.Pattern}
		}
	case *Between:
		if !e.Symmetric {
			return []Expr{e.Low, e.High}
		}
	case *In:
		return e.List
	case *Is:
		return []Expr{e.What}
	}
	return nil
}

// Constant returns the literal of an expression that is a literal, a signed number or a cast of these; nil for other
// expressions.
func Constant(e Expr) *Literal {
	switch e := e.(type) {
	case *Literal:
		return e
	case *Cast:
		return Constant(e.X)
	case *Unary:
		l := Constant(e.X)
		if l == nil || l.Kind != Number || e.Op != "-" && e.Op != "+" {
			return nil
		}
		text, negative := strings.CutPrefix(l.Text, "-")
		if negative != (e.Op == "-") {
			text = "-" + text
		}
		return &Literal{Span: e.Span, Kind: Number, Text: text}
	}
	return nil
}

func equality(op string) bool { return op == "=" || op == "is not distinct from" }

// onlySource returns the lower-case name of the only source that a SELECT reads; " " if that source has no name or FROM
// is missing; "" if there are several sources.
func onlySource(s *Select) string {
	switch {
	case len(s.From) > 1 || len(s.From) == 1 && len(s.From[0].Nested) > 0:
		return ""
	case len(s.From) == 1 && s.From[0].Alias.Text != "":
		return strings.ToLower(s.From[0].Alias.Text)
	case len(s.From) == 1 && len(s.From[0].Table) > 0:
		return strings.ToLower(s.From[0].Table.Last().Text)
	}
	return " "
}

// equatesTables reports whether both sides of a comparison have columns and no column's qualifier occurs on both sides.
// alone is the qualifier of unqualified columns; if it is "", these are assumed to be of different tables.
func equatesTables(b *Binary, alone string) bool {
	left, right := map[string]bool{}, map[string]bool{}
	if !qualifiers(b.L, alone, left) || !qualifiers(b.R, alone, right) {
		return false
	}
	for name := range left {
		if name != "" && right[name] {
			return false
		}
	}
	return true
}

// qualifiers adds the qualifiers of the columns of an expression to into, or alone for an unqualified column. It
// returns false if the expression has no columns or contains a subquery.
func qualifiers(e Expr, alone string, into map[string]bool) bool {
	if hasQuery(e) {
		return false
	}
	Walk(e, func(n Node) bool {
		if c, ok := n.(*Column); ok {
			qualifier := alone
			if k := len(c.Name); k > 1 {
				qualifier = strings.ToLower(c.Name[k-2].Text)
			}
			into[qualifier] = true
		}
		return true
	})
	return len(into) > 0
}

// condition splits a condition into atoms and appends them. binding reports whether every row that passes the clause
// satisfies it. If s is set, a name that is an alias of s means its item.
func (x *extractor) condition(e Expr, negated, binding bool, s *Select) {
	switch e := e.(type) {
	case *Logic:
		for _, a := range e.Args {
			x.condition(a, negated, binding && e.Or == negated, s)
		}
		return
	case *Unary:
		if e.Op == "not" {
			x.condition(e.X, !negated, binding, s)
			return
		}
	}
	c := x.atom(e, negated, s)
	c.of, c.binding = e, binding
	x.conditions = append(x.conditions, c)
}

// atom writes an atomic condition and returns its parts.
func (x *extractor) atom(e Expr, negated bool, s *Select) (c conditionPiece) {
	not := func(written bool, op string) string {
		if written != negated {
			return "not " + op
		}
		return op
	}
	switch e := e.(type) {
	case *Binary:
		if o, ok := comparisons[e.Op]; ok {
			return x.comparison(e, o, negated, s)
		}
		if opposite, ok := predicateOps[e.Op]; ok {
			c.column = x.side(e.L, s)
			if negated && opposite != "" {
				c.operator = x.word(string(opposite))
			} else {
				c.operator = x.word(not(false, string(e.Op)))
			}
			c.value = x.value(e.R, s)
			return c
		}
	case *In:
		c.column = x.side(e.X, s)
		c.operator = x.word(not(e.Not, "in"))
		if e.Query != nil || hasQuery(e.Of) || anyQuery(e.List) {
			c.value = x.word("subquery")
		} else {
			from := len(x.p.buf)
			x.p.inSet(e)
			c.value = piece{from, len(x.p.buf)}
		}
		return c
	case *Between:
		c.column = x.side(e.X, s)
		c.operator = x.word(not(e.Not, "between"))
		if hasQuery(e.Low) || hasQuery(e.High) {
			c.value = x.word("subquery")
			return c
		}
		from := len(x.p.buf)
		if e.Symmetric {
			x.p.str("symmetric ")
		}
		x.p.expr(e.Low, precBit)
		x.p.str(" and ")
		x.p.expr(e.High, precBit)
		c.value = piece{from, len(x.p.buf)}
		return c
	case *Like:
		c.column = x.side(e.X, s)
		op := string(e.Op)
		if e.Quantifier != "" && negated {
			op += " " + otherQuantifier[e.Quantifier]
		} else if e.Quantifier != "" {
			op += " " + e.Quantifier
		}
		c.operator = x.word(not(e.Not, op))
		if hasQuery(e.Pattern) {
			c.value = x.word("subquery")
			return c
		}
		from := len(x.p.buf)
		like := *e
		like.Quantifier = ""
		if l, ok := e.Pattern.(*List); e.Quantifier != "" && !(ok && l.Kind == Tuple) {
			x.p.group(e.Pattern)
		} else {
			x.p.pattern(&like)
		}
		c.value = piece{from, len(x.p.buf)}
		return c
	case *Is:
		c.column = x.side(e.X, s)
		c.operator = x.word("is")
		if e.Not != negated {
			c.operator = x.word("is not")
		}
		c.value = x.value(e.What, s)
		return c
	case *Exists:
		c.operator = x.word(not(false, "exists"))
		c.value = x.word("subquery")
		return c
	}
	c.column = x.side(e, s)
	if negated {
		c.operator = x.word("not")
	}
	if hasQuery(e) {
		c.value = x.word("subquery")
	}
	return c
}

// comparisonOp holds the operators of a comparison when it is negated and when its sides are exchanged.
type comparisonOp struct{ negated, mirrored Op }

var comparisons = map[Op]comparisonOp{
	"=":                    {"<>", "="},
	"<>":                   {"=", "<>"},
	"<":                    {">=", ">"},
	"<=":                   {">", ">="},
	">":                    {"<=", "<"},
	">=":                   {"<", "<="},
	"is distinct from":     {"is not distinct from", "is distinct from"},
	"is not distinct from": {"is distinct from", "is not distinct from"},
}

// predicateOps are the other binary operators whose operands are column and value, with the operator that negates each;
// "" if it is negated with NOT.
var predicateOps = map[Op]Op{"~": "!~", "~*": "!~*", "!~": "~", "!~*": "~*", "@>": "", "<@": "", "?": "", "?|": "",
	"?&": "", "&&": "", "@@": "", "@?": "", "^@": "", "overlaps": ""}

// otherQuantifier maps a quantifier to the one that replaces it under NOT.
var otherQuantifier = map[string]string{"any": "all", "all": "any"}

func (x *extractor) comparison(e *Binary, o comparisonOp, negated bool, s *Select) (c conditionPiece) {
	op, quantifier := e.Op, e.Quantifier
	if negated {
		op = o.negated
		o = comparisons[op]
		quantifier = otherQuantifier[quantifier]
	}
	l, r := x.resolved(s, e.L), x.resolved(s, e.R)
	if quantifier != "" {
		c.column = x.text(l)
		c.operator = x.word(string(op) + " " + quantifier)
		c.value = x.value(e.R, nil)
		return c
	}
	rl, rr := sideRank(l), sideRank(r)
	a, b := x.text(l), x.text(r)
	if rl > rr || rl == rr && rl == 0 && string(x.p.buf[b.from:b.to]) < string(x.p.buf[a.from:a.to]) {
		a, b, rr = b, a, rl
		op, c.mirrored = o.mirrored, true
	}
	c.column, c.value = a, b
	c.operator = x.word(string(op))
	if rr == 3 {
		c.value = x.word("subquery")
	}
	return c
}

// sideRank orders the sides of a comparison: 0 has columns, 1 has none, 2 is a constant, 3 has a
// subquery.
func sideRank(e Expr) int {
	if Constant(e) != nil {
		return 2
	}
	rank := 1
	Walk(e, func(n Node) bool {
		switch n.(type) {
		case *Query:
			rank = 3
			return false
		case *Column, *Star:
			if rank == 1 {
				rank = 0
			}
		}
		return true
	})
	return rank
}

// resolved returns the expression of the item of s with the alias e, or e if there is none.
func (x *extractor) resolved(s *Select, e Expr) Expr {
	if s != nil {
		if it := x.aliases.find(s, e); it != nil {
			return it.Expr
		}
	}
	return e
}

// side writes the column side of a condition.
func (x *extractor) side(e Expr, s *Select) piece { return x.text(x.resolved(s, e)) }

// value writes the value side of a condition.
func (x *extractor) value(e Expr, s *Select) piece {
	if hasQuery(e) {
		return x.word("subquery")
	}
	return x.text(x.resolved(s, e))
}

// hasQuery reports whether an expression is or contains a subquery.
func hasQuery(e Expr) bool {
	found := false
	if e != nil {
		Walk(e, func(n Node) bool {
			if _, ok := n.(*Query); ok {
				found = true
			}
			return !found
		})
	}
	return found
}

func anyQuery(list []Expr) bool {
	for _, e := range list {
		if hasQuery(e) {
			return true
		}
	}
	return false
}

package sqlparts

// condition takes a condition apart into atoms. If s is set, names that are its aliases stand for
// its items.
func (x *extractor) condition(e Expr, negated bool, s *Select) {
	switch e := e.(type) {
	case *Logic:
		for _, a := range e.Args {
			x.condition(a, negated, s)
		}
		return
	case *Unary:
		if e.Op == "not" {
			x.condition(e.X, !negated, s)
			return
		}
	}
	x.conditions = append(x.conditions, x.atom(e, negated, s))
}

// atom writes one atomic condition.
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
		if predicateOps[e.Op] {
			c.column = x.side(e.L, s)
			c.operator = x.word(not(false, string(e.Op)))
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
		x.p.expr(e.Low, precCompare+1)
		x.p.str(" and ")
		x.p.expr(e.High, precCompare+1)
		c.value = piece{from, len(x.p.buf)}
		return c
	case *Like:
		c.column = x.side(e.X, s)
		op := string(e.Op)
		if e.Quantifier != "" {
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

// comparisonOp is what becomes of a comparison when it is negated and when its sides are exchanged.
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

// predicateOps are the other binary operators that make a condition.
var predicateOps = map[Op]bool{"~": true, "~*": true, "!~": true, "!~*": true, "@>": true, "<@": true, "?": true, "?|": true,
	"?&": true, "&&": true, "@@": true, "@?": true, "^@": true, "overlaps": true}

func (x *extractor) comparison(e *Binary, o comparisonOp, negated bool, s *Select) (c conditionPiece) {
	op, quantifier := e.Op, e.Quantifier
	if negated {
		op = o.negated
		o = comparisons[op]
		switch quantifier {
		case "any":
			quantifier = "all"
		case "all":
			quantifier = "any"
		}
	}
	l, r := resolved(s, e.L), resolved(s, e.R)
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
		op = o.mirrored
	}
	c.column, c.value = a, b
	c.operator = x.word(string(op))
	if rr == 2 {
		c.value = x.word("subquery")
	}
	return c
}

// sideRank orders the sides of a comparison: 0 has columns, 1 has none, 2 has a subquery.
func sideRank(e Expr) int {
	rank := 1
	Walk(e, func(n Node) bool {
		switch n.(type) {
		case *Query:
			rank = 2
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

// resolved is the item e is the alias of, or e.
func resolved(s *Select, e Expr) Expr {
	if s != nil {
		if it := aliased(s, e); it != nil {
			return it.Expr
		}
	}
	return e
}

// side writes the column side of a condition.
func (x *extractor) side(e Expr, s *Select) piece { return x.text(resolved(s, e)) }

// value writes the value side of a condition.
func (x *extractor) value(e Expr, s *Select) piece {
	if hasQuery(e) {
		return x.word("subquery")
	}
	return x.text(resolved(s, e))
}

// hasQuery tells whether an expression is or contains a subquery.
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

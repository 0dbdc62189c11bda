package sqlparts

import (
	"sort"
	"strings"
)

func (p *printer) quoted(s string) {
	p.str(`"`)
	p.str(strings.ReplaceAll(s, `"`, `""`))
	p.str(`"`)
}

func (p *printer) literal(l *Literal) {
	switch l.Kind {
	case String:
		p.string(l.Text)
	case Bytes:
		p.str(l.Text)
	default:
		p.lower(l.Text)
	}
}

func (p *printer) string(s string) {
	if strings.IndexByte(s, '\'') >= 0 {
		p.str(quoted(s))
		return
	}
	p.str("'")
	p.str(s)
	p.str("'")
}

// quoted returns s as a string literal in single quotes.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// star writes * with its modifiers. The normal form omits a qualifier that is a table's name.
func (p *printer) star(s *Star) {
	if s.Qualifier != nil {
		if c, table := s.Qualifier.(*Column); !table {
			p.fieldBase(s.Qualifier)
			p.str(".")
		} else if !p.normal {
			p.column(c)
			p.str(".")
		}
	}
	p.str("*")
	if s.Like != nil {
		p.str(" ilike ")
		p.expr(s.Like, precNone)
	}
	if len(s.Except) > 0 {
		p.str(" except (")
		p.names(s.Except)
		p.str(")")
	}
	if len(s.Replace) > 0 {
		p.str(" replace (")
		p.starItems(s.Replace)
		p.str(")")
	}
	if len(s.Rename) > 0 {
		p.str(" rename (")
		p.starItems(s.Rename)
		p.str(")")
	}
}

func (p *printer) starItems(list []*Item) {
	for i, it := range list {
		if i > 0 {
			p.str(", ")
		}
		p.expr(it.Expr, precAssign)
		if it.Alias.Text != "" {
			p.str(" as ")
			p.name(it.Alias)
		}
	}
}

func (p *printer) logic(l *Logic) {
	word, prec := " and ", precAnd
	if l.Or {
		word, prec = " or ", precOr
	}
	for i, e := range l.Args {
		if i > 0 {
			p.str(word)
		}
		if in, ok := e.(*Logic); ok && in.Or == l.Or {
			p.logic(in)
			continue
		}
		p.expr(e, prec+1)
	}
}

func (p *printer) unary(u *Unary) {
	switch u.Op {
	case "not":
		p.str("not ")
		p.expr(u.X, precNot)
		return
	case "(+)":
		p.expr(u.X, precAtom)
		p.str("(+)")
		return
	}
	p.str(string(u.Op))
	if last := u.Op[len(u.Op)-1]; class[last] == clsLetter {
		p.str(" ")
	}
	at := len(p.buf)
	p.expr(u.X, precUnary)
	if at < len(p.buf) && class[p.buf[at]] == clsOp { // no two operators run together
		p.buf = append(p.buf, 0)
		copy(p.buf[at+1:], p.buf[at:])
		p.buf[at] = ' '
	}
}

func (p *printer) binary(b *Binary) {
	prec := opPrec(b.Op)
	if b.Op == "->" || b.Op == "->>" {
		p.arrow(b.L, prec)
		p.str(" " + string(b.Op) + " ")
		p.arrow(b.R, prec+1)
		return
	}
	if b.Op == ":" {
		p.expr(b.L, prec)
		p.str(": ")
		p.expr(b.R, prec+1)
		return
	}
	p.operand(b, b.L, prec)
	if b.Op == "#" { // so that it does not start a comment
		p.str(" #(")
		p.expr(b.R, precNone)
		p.str(")")
		return
	}
	p.str(" ")
	p.str(string(b.Op))
	p.str(" ")
	if b.Op == "at" {
		p.str("local")
		return
	}
	if b.Quantifier != "" {
		p.str(b.Quantifier)
		p.group(b.R)
		return
	}
	if b.Op == "at time zone" {
		p.expr(b.R, precUnary)
		return
	}
	p.operand(b, b.R, prec+1)
}

// operand writes a side of a binary operator. It adds parentheses if dialects differ in the relative precedence of the
// two operators.
func (p *printer) operand(b *Binary, e Expr, min uint8) {
	if opPrec(b.Op) == precCompare {
		min = precBit
	}
	switch x := e.(type) {
	case *Binary:
		if x.Op != b.Op && (loose(x.Op) || loose(b.Op) && opPrec(x.Op) < precConcat) {
			min = precAtom
		}
	case *Unary:
		if x.Op == "~" {
			min = precAtom
		}
	}
	p.expr(e, min)
}

// loose reports whether dialects differ in the precedence of an operator.
func loose(op Op) bool {
	prec := opPrec(op)
	return prec == precBit || prec == precPower
}

func isString(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && l.Kind == String
}

// arrow writes an operand of the operator ->, so that names before an arrow are not parsed as the parameters of a
// lambda.
func (p *printer) arrow(e Expr, min uint8) {
	switch x := e.(type) {
	case *Column:
		if len(x.Name) == 1 && !p.normal {
			p.str("(")
			p.bare(x)
			p.str(")")
			return
		}
	case *Unary:
		min = precAtom
	case *Binary:
		if x.Op != "->" && x.Op != "->>" {
			min = precAtom
		}
	case *List:
		if x.Kind == Tuple && len(x.Items) != 1 && !p.normal {
			p.str("row")
		}
	}
	p.expr(e, min)
}

// group writes an expression with exactly one pair of parentheses around it.
func (p *printer) group(e Expr) {
	switch x := e.(type) {
	case *List:
		if x.Kind == Tuple && len(x.Items) != 1 {
			p.bare(x)
			return
		}
	case *Subquery:
		if p.normal {
			p.str("(subquery)")
		} else {
			p.bare(x)
		}
		return
	}
	p.str("(")
	p.expr(e, precNone)
	p.str(")")
}

// subquery writes a query in an expression; the normal form is the word subquery.
func (p *printer) subquery(q *Query) {
	if p.normal {
		p.str("subquery")
		return
	}
	p.query(q)
}

func (p *printer) in(e *In) {
	p.expr(e.X, precBit)
	p.not(e.Not)
	p.str(" in ")
	p.inSet(e)
}

// inSet writes the right side of IN. In the normal form, a list is sorted and a query is the word subquery.
func (p *printer) inSet(e *In) {
	switch {
	case e.Query != nil && p.normal:
		p.str("subquery")
	case e.Query != nil:
		p.str("(")
		p.query(e.Query)
		p.str(")")
	case e.Of != nil:
		if l, ok := e.Of.(*List); ok && l.Kind == Tuple {
			p.str("(")
			p.bare(l)
			p.str(")")
			return
		}
		p.expr(e.Of, precBit)
	case p.normal && len(e.List) > 1:
		p.sortedList(e.List)
	default:
		p.str("(")
		p.exprs(e.List)
		p.str(")")
	}
}

// sortedList writes the elements sorted by their text, without duplicates.
func (p *printer) sortedList(list []Expr) {
	at := len(p.buf)
	texts := make([]string, len(list))
	for i, e := range list {
		p.expr(e, precNone)
		texts[i] = string(p.buf[at:])
		p.buf = p.buf[:at]
	}
	sort.Strings(texts)
	p.str("(")
	for i, s := range texts {
		if i > 0 {
			if s == texts[i-1] {
				continue
			}
			p.str(", ")
		}
		p.str(s)
	}
	p.str(")")
}

// pattern writes the right side of a pattern predicate.
func (p *printer) pattern(e *Like) {
	if e.Quantifier != "" {
		p.str(e.Quantifier + " ")
		p.group(e.Pattern)
	} else {
		p.expr(e.Pattern, precBit)
	}
	if e.Escape != nil {
		p.str(" escape ")
		p.expr(e.Escape, precBit)
	}
}

func (p *printer) caseOf(c *Case) {
	p.str("case")
	if c.X != nil {
		p.str(" ")
		p.expr(c.X, precAssign)
	}
	for _, w := range c.Whens {
		p.str(" when ")
		p.expr(w.Cond, precAssign)
		p.str(" then ")
		p.expr(w.Then, precAssign)
	}
	if c.Else != nil {
		p.str(" else ")
		p.expr(c.Else, precAssign)
	}
	p.str(" end")
}

func (p *printer) cast(c *Cast) {
	if c.Try {
		p.str("try_")
	}
	p.str("cast(")
	p.expr(c.X, precAssign)
	p.str(" as ")
	if p.normal {
		p.str(TypeClass(c.Type))
	} else {
		p.str(c.Type)
	}
	if c.Format != nil {
		p.str(" format ")
		p.expr(c.Format, precAssign)
	}
	p.str(")")
}

// fieldBase writes the expression before .field: in parentheses if it is a name, a path or a parameter, which the field
// would otherwise become part of.
func (p *printer) fieldBase(e Expr) {
	switch e.(type) {
	case *Column, *Path, *Param:
		if !p.normal {
			p.str("(")
			p.bare(e)
			p.str(")")
			return
		}
	}
	p.expr(e, precAtom)
}

// path writes the names of a path after the colon.
func (p *printer) path(e *Path) {
	if p.normal {
		p.lower(e.Text)
		return
	}
	for i, s := range e.Keys() {
		if i > 0 {
			p.str(".")
		}
		p.quoted(s)
	}
}

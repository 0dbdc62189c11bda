package sqlparts

import (
	"strings"
	"unicode/utf8"
)

// Format returns a node as SQL in one canonical spelling: keywords and unquoted names in lower case, single spaces, no
// needless parentheses, CAST for every way to write a cast, <> for !=, names quoted with ". Comments and optimizer
// hints are not kept. Parsing the text in the dialect Generic gives a tree with the same Format, unless the first tree
// came with notes.
func Format(n Node) string {
	var p printer
	p.node(n)
	return string(p.buf)
}

// Normalized returns an expression in the normal form that the components of a query use; see [Components].
func Normalized(e Expr) string {
	p := printer{normal: true}
	p.expr(e, precNone)
	return string(p.buf)
}

// printer writes nodes into buf.
type printer struct {
	buf     []byte
	normal  bool         // write the normal form, which loses details and is for comparison
	windows []*WindowDef // definitions of the select being written; used for the normal form
	depth   int          // nesting depth of named windows being resolved
}

// precAtom is the precedence of expressions that never need parentheses.
const precAtom = precPostfix + 1

func (p *printer) str(s string) { p.buf = append(p.buf, s...) }

// lower writes s in lower case.
func (p *printer) lower(s string) {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 {
			if s = s[i:]; utf8.ValidString(s) {
				s = strings.ToLower(s)
			}
			p.str(s)
			return
		} else if c >= 'A' && c <= 'Z' {
			p.buf = append(p.buf, c|0x20)
		} else {
			p.buf = append(p.buf, c)
		}
	}
}

func (p *printer) node(n Node) {
	switch n := n.(type) {
	case *Query:
		p.query(n)
	case *Select:
		p.sel(n)
	case *SetOp:
		p.setOp(n)
	case *Values:
		p.values(n)
	case *Source:
		p.source(n, true)
	case *Item:
		p.item(n)
	case *OrderItem:
		p.orderItem(n)
	case *Window:
		p.window(n)
	case Expr:
		p.expr(n, precNone)
	}
}

// precOf returns the precedence of an expression.
func precOf(e Expr) uint8 {
	switch e := e.(type) {
	case *Logic:
		if e.Or {
			return precOr
		}
		return precAnd
	case *Unary:
		switch e.Op {
		case "not":
			return precNot
		case "distinct":
			return precNone
		case "(+)":
			return precAtom
		}
		return precUnary
	case *Binary:
		return opPrec(e.Op)
	case *In, *Between, *Like, *Is:
		return precCompare
	case *Interval:
		return precUnary
	case *Lambda, *Named, *Alias:
		return precNone
	}
	return precAtom
}

// opPrec returns the precedence of a binary operator in the dialect Generic.
func opPrec(op Op) uint8 {
	if prec, ok := opPrecs[op]; ok {
		return prec
	}
	return precBit
}

var opPrecs = map[Op]uint8{}

func init() {
	for c := range infixes {
		if in := &infixes[c]; in.op != "" {
			opPrecs[in.op] = in.prec
		}
	}
	opPrecs["is distinct from"] = precCompare
	opPrecs["at time zone"] = precPostfix
	opPrecs["at"] = precPostfix
	opPrecs[":"] = precNone
}

// expr writes an expression, in parentheses if its precedence is lower than min.
func (p *printer) expr(e Expr, min uint8) {
	if e == nil {
		return
	}
	if p.normal {
		e = foldNot(e)
	}
	if precOf(e) < min {
		p.str("(")
		p.bare(e)
		p.str(")")
		return
	}
	p.bare(e)
}

// foldNot returns the predicate x NOT IN (…) for NOT (x IN (…)), and likewise for BETWEEN, LIKE and IS; otherwise e.
func foldNot(e Expr) Expr {
	u, ok := e.(*Unary)
	if !ok || u.Op != "not" {
		return e
	}
	switch x := u.X.(type) {
	case *In:
		c := *x
		c.Not = !c.Not
		return &c
	case *Between:
		c := *x
		c.Not = !c.Not
		return &c
	case *Like:
		c := *x
		c.Not = !c.Not
		return &c
	case *Is:
		c := *x
		c.Not = !c.Not
		return &c
	}
	return e
}

func (p *printer) bare(e Expr) {
	switch e := e.(type) {
	case *Column:
		p.column(e)
	case *Literal:
		p.literal(e)
	case *Param:
		switch {
		case p.normal:
			p.lower(e.Text)
		case e.Text[0] == '@' && strings.ContainsAny(e.Text, `./~%-="`): // a stage is one token only in Snowflake
			p.quoted(e.Text)
		default:
			p.str(e.Text)
		}
	case *Star:
		p.star(e)
	case *Logic:
		p.logic(e)
	case *Unary:
		p.unary(e)
	case *Binary:
		p.binary(e)
	case *In:
		p.in(e)
	case *Between:
		p.expr(e.X, precBit)
		p.not(e.Not)
		p.str(" between ")
		if e.Symmetric {
			p.str("symmetric ")
		}
		p.expr(e.Low, precBit)
		p.str(" and ")
		p.expr(e.High, precBit)
	case *Like:
		p.expr(e.X, precBit)
		p.not(e.Not)
		p.str(" " + string(e.Op) + " ")
		p.pattern(e)
	case *Is:
		p.expr(e.X, precBit)
		p.str(" is ")
		if e.Not {
			p.str("not ")
		}
		if c, ok := e.What.(*Column); ok && len(c.Name) == 1 && !c.Name[0].Quoted {
			p.lower(c.Name[0].Text) // IS UNKNOWN, IS JSON
			break
		}
		p.expr(e.What, precBit)
	case *Exists:
		p.str("exists(")
		p.subquery(e.Query)
		p.str(")")
	case *Case:
		p.caseOf(e)
	case *Cast:
		p.cast(e)
	case *Subquery:
		if p.normal {
			p.str("subquery")
			break
		}
		p.str("(")
		p.query(e.Query)
		p.str(")")
	case *Call:
		p.call(e)
	case *Interval:
		p.interval(e)
	case *List:
		p.list(e)
	case *Index:
		p.expr(e.X, precAtom)
		p.str("[")
		p.expr(e.I, precAssign)
		if e.Slice {
			p.str(":")
			p.expr(e.To, precAssign)
		}
		p.str("]")
	case *Field:
		p.fieldBase(e.X)
		p.str(".")
		p.name(e.Name)
	case *Path:
		p.expr(e.X, precAtom)
		p.str(":")
		p.path(e)
	case *Named:
		p.name(e.Name)
		p.str(" => ")
		p.expr(e.X, precAssign)
	case *Lambda:
		if len(e.Params) != 1 {
			p.str("(")
			p.names(e.Params)
			p.str(")")
		} else {
			p.name(e.Params[0])
		}
		p.str(" -> ")
		p.expr(e.X, precAssign)
	case *Alias:
		p.expr(e.X, precAssign)
		p.str(" as ")
		p.name(e.Name)
	case *Special:
		p.special(e)
	case *Grouping:
		p.str(e.Kind + " (")
		p.exprs(e.Args)
		p.str(")")
	case *Raw:
		p.str(e.Text)
	}
}

func (p *printer) exprs(list []Expr) {
	for i, e := range list {
		if i > 0 {
			p.str(", ")
		}
		p.expr(e, precAssign)
	}
}

func (p *printer) names(list []Ident) {
	for i, id := range list {
		if i > 0 {
			p.str(", ")
		}
		p.name(id)
	}
}

func (p *printer) not(not bool) {
	if not {
		p.str(" not")
	}
}

// column writes a column's name: in full, or only its last part in the normal form.
func (p *printer) column(c *Column) {
	if p.normal {
		p.name(c.Name.Last())
		return
	}
	p.dotted(c.Name)
}

func (p *printer) dotted(n Name) {
	for i, id := range n {
		if i > 0 {
			p.str(".")
		}
		p.name(id)
	}
}

// name writes one part of a name. The normal form is in lower case, without a prefix before a double underscore.
func (p *printer) name(id Ident) {
	s := id.Text
	if p.normal {
		s = stripPrefix(s)
		if plainName(strings.TrimPrefix(s, "$")) || s != "" && s[0] == '$' && isNumber(s[1:]) {
			p.lower(s)
			return
		}
		p.quoted(strings.ToLower(s))
		return
	}
	if plainName(s) && (!id.Quoted || s == strings.ToLower(s)) && wordCode(hashOf(s), s) == 0 {
		p.lower(s)
		return
	}
	if !id.Quoted {
		s = strings.ToLower(s)
	}
	p.quoted(s)
}

func hashOf(s string) uint32 {
	h := uint32(wordSeed)
	for i := range len(s) {
		h = (h ^ uint32(s[i]|0x20)) * wordPrime
	}
	return h
}

// plainName reports whether a name that is not a keyword needs no quotes: it has only letters, digits, _ and $, and
// does not start with a digit or $.
func plainName(s string) bool {
	if s == "" || isDigit(s[0]) || s[0] == '$' {
		return false
	}
	for i := range len(s) {
		if !isNamePart(s[i]) || s[i] >= 0x80 && wideSpace(s[i:]) > 0 {
			return false
		}
	}
	return true
}

// stripPrefix removes the part of a name up to the last double underscore that has text on both sides: sales__amount
// becomes amount.
func stripPrefix(s string) string {
	for i := len(s) - 3; i > 0; i-- {
		if s[i] == '_' && s[i+1] == '_' {
			return s[i+2:]
		}
	}
	return s
}

package sqlparts

import (
	"sort"
	"strings"
)

// Format writes a node as SQL in one canonical spelling: keywords and unquoted names in lower case, single spaces, no
// needless parentheses, CAST for every way to write a cast, <> for !=, names quoted with ". It keeps all that is meant.
// Reading it again in the dialect Generic gives a tree that is written the same way, unless the first tree came with notes.
func Format(n Node) string {
	var p printer
	p.node(n)
	return string(p.buf)
}

// Normalized writes an expression in its normal form, as the components of a query hold it; see [Components].
func Normalized(e Expr) string {
	p := printer{normal: true}
	p.expr(e, precNone)
	return string(p.buf)
}

// printer writes nodes into buf.
type printer struct {
	buf     []byte
	normal  bool         // the normal form: lossy, for comparison
	windows []*WindowDef // of the select being written in the normal form
	depth   int          // of named windows being resolved
}

// precAtom is the precedence of what never needs parentheses.
const precAtom = precPostfix + 1

func (p *printer) str(s string) { p.buf = append(p.buf, s...) }

// lower writes s in lower case.
func (p *printer) lower(s string) {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 {
			p.str(strings.ToLower(s[i:]))
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

// precOf is how tightly an expression holds together when it is written.
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

// opPrec is the precedence of a binary operator in the dialect Generic.
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

// expr writes an expression, in parentheses if it holds together less tightly than min.
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

// foldNot moves a NOT into the predicate it negates: NOT (x IN (…)) is x NOT IN (…).
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
		case e.Text[0] == '@' && strings.ContainsAny(e.Text, `./~%-="`): // a stage is one word in Snowflake only
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
		p.expr(e.X, precCompare)
		p.not(e.Not)
		p.str(" between ")
		if e.Symmetric {
			p.str("symmetric ")
		}
		p.expr(e.Low, precCompare+1)
		p.str(" and ")
		p.expr(e.High, precCompare+1)
	case *Like:
		p.expr(e.X, precCompare)
		p.not(e.Not)
		p.str(" " + string(e.Op) + " ")
		p.pattern(e)
	case *Is:
		p.expr(e.X, precCompare)
		p.str(" is ")
		if e.Not {
			p.str("not ")
		}
		if c, ok := e.What.(*Column); ok && len(c.Name) == 1 && !c.Name[0].Quoted {
			p.lower(c.Name[0].Text) // IS UNKNOWN, IS JSON
			break
		}
		p.expr(e.What, precCompare+1)
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

// column writes a name: in full, or its last part in the normal form.
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

// name writes one name. The normal form has no case and no prefix before a double underscore.
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

func (p *printer) quoted(s string) {
	p.str(`"`)
	p.str(strings.ReplaceAll(s, `"`, `""`))
	p.str(`"`)
}

func hashOf(s string) uint32 {
	h := uint32(wordSeed)
	for i := range len(s) {
		h = (h ^ uint32(s[i]|0x20)) * wordPrime
	}
	return h
}

// plainName tells whether a name needs no quotes but for being a keyword: letters, digits, _ and $, no digit in front.
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

// stripPrefix cuts a name before the last double underscore that has text on both sides: sales__amount is amount.
func stripPrefix(s string) string {
	for i := len(s) - 3; i > 0; i-- {
		if s[i] == '_' && s[i+1] == '_' {
			return s[i+2:]
		}
	}
	return s
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

// quoted is a string in single quotes.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// star writes * with its modifiers; the normal form has no qualifier that is a table.
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
	if b.Op == "->" {
		p.arrow(b.L, prec)
		p.str(" -> ")
		p.arrow(b.R, prec+1)
		return
	}
	p.expr(b.L, prec)
	if b.Op == ":" {
		p.str(": ")
		p.expr(b.R, prec+1)
		return
	}
	if b.Op == "#" { // not to be taken for a comment
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
	p.expr(b.R, prec+1)
}

func isString(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && l.Kind == String
}

// arrow writes a side of the operator ->, so that names before an arrow are not taken for the parameters of a lambda.
func (p *printer) arrow(e Expr, min uint8) {
	switch x := e.(type) {
	case *Column:
		if len(x.Name) == 1 && !p.normal {
			p.str("(")
			p.bare(x)
			p.str(")")
			return
		}
	case *List:
		if x.Kind == Tuple && len(x.Items) != 1 {
			p.str("row")
		}
	}
	p.expr(e, min)
}

// group writes an expression in exactly one pair of parentheses.
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

// subquery writes a query in an expression: the word "subquery" in the normal form.
func (p *printer) subquery(q *Query) {
	if p.normal {
		p.str("subquery")
		return
	}
	p.query(q)
}

func (p *printer) in(e *In) {
	p.expr(e.X, precCompare)
	p.not(e.Not)
	p.str(" in ")
	p.inSet(e)
}

// inSet writes what follows IN. In the normal form a list is sorted and a query is one word.
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
		p.expr(e.Of, precCompare+1)
	case p.normal && len(e.List) > 1:
		p.sortedList(e.List)
	default:
		p.str("(")
		p.exprs(e.List)
		p.str(")")
	}
}

// sortedList writes the elements in the order of their text, each once.
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
		p.expr(e.Pattern, precCompare+1)
	}
	if e.Escape != nil {
		p.str(" escape ")
		p.expr(e.Escape, precCompare+1)
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

// fieldBase writes what a field is taken of: in parentheses if it is a plain name, which would swallow the field.
func (p *printer) fieldBase(e Expr) {
	switch e.(type) {
	case *Column, *Path:
		if !p.normal {
			p.str("(")
			p.bare(e)
			p.str(")")
			return
		}
	}
	p.expr(e, precAtom)
}

// path writes the names after a colon.
func (p *printer) path(e *Path) {
	if p.normal {
		p.lower(e.Text)
		return
	}
	for i, s := range strings.Split(e.Text, ".") {
		if i > 0 {
			p.str(".")
		}
		p.quoted(s)
	}
}

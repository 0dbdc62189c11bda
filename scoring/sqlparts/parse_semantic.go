package sqlparts

import "strings"

// semanticParts are the clauses of Snowflake's SEMANTIC_VIEW.
var semanticParts = nameSet("metrics dimensions facts")

// semanticView parses the arguments of SEMANTIC_VIEW(name METRICS a, b DIMENSIONS c AS d FACTS e WHERE f), and reports
// whether c is such a call. c.Args are then the name of the view and one named argument per clause. The value of a list
// is a struct, whose elements may have names. A call with commas and => is parsed as an ordinary call instead.
func (p *parser) semanticView(c *Call, open int) bool {
	if len(c.Name) != 1 || !strings.EqualFold(c.Name[0].Text, "semantic_view") ||
		p.dialect != Snowflake && p.dialect != Generic {
		return false
	}
	begin, end := p.i, int(p.toks[open].mate)
	if !p.atName() {
		return false
	}
	args := []Expr{p.name()}
	for p.i < end {
		start := p.start()
		word := strings.ToLower(p.text())
		switch {
		case p.cur().kind == tokWord && semanticParts[word]:
			clause := &Named{Name: p.ident()}
			clause.X = p.semanticList(end)
			clause.Span = p.from(start)
			args = append(args, clause)
		case p.at(wWhere) && len(args) > 1:
			clause := &Named{Name: Ident{Text: "where"}}
			p.next()
			clause.X = p.expr()
			clause.Span = p.from(start)
			args = append(args, clause)
		default:
			p.i = begin
			return false
		}
	}
	if len(args) == 1 {
		p.i = begin
		return false
	}
	c.Args = args
	return true
}

// semanticList parses the elements of a clause of SEMANTIC_VIEW, up to the next clause or the token end.
func (p *parser) semanticList(end int) *List {
	l := &List{Kind: Struct}
	start := p.start()
	for p.i < end {
		it := &Item{}
		from := p.start()
		it.Expr = p.expr()
		if p.accept(wAs) {
			it.Alias = p.ident()
		}
		it.Span = p.from(from)
		l.Items = append(l.Items, it)
		if !p.accept(oComma) {
			break
		}
	}
	l.Span = p.from(start)
	return l
}

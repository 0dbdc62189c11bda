package sqlparts

import "strings"

// call parses the parenthesized arguments of a call and the clauses after it: WITHIN GROUP, FILTER, IGNORE NULLS, OVER.
// The name was read already and starts at start.
func (p *parser) call(start int32, name Name) *Call {
	c := p.calls.new()
	c.Name = name
	open := p.i
	height, ok := p.enter()
	if !ok {
		s := p.start()
		p.skip()
		c.Args = []Expr{p.raw(s, "nested too deeply: carried as text")}
		c.Span = p.from(start)
		return c
	}
	slice := p.slice
	p.slice = 0
	p.next()
	if p.accept(wDistinct) {
		c.Distinct = true
	} else if p.at(wAll) && p.ahead(1).code != oComma && p.ahead(1).code != oRparen {
		p.next()
	}
	if !p.semanticView(c, open) {
		p.arguments(c, open)
	}
	p.expect(open, "text in a call was not read")
	p.slice = slice
	p.leave(height)
	p.afterCall(c)
	c.Span = p.from(start)
	return c
}

// arguments parses the arguments of a call and the clauses among them, up to the bracket that closes open.
func (p *parser) arguments(c *Call, open int) {
	end := int(p.toks[open].mate)
	m := p.exprs.mark()
	for p.i < end {
		switch p.cur().code {
		case wOrder:
			if p.accept2(wOrder, wBy) {
				c.OrderBy = p.orderList(false)
				continue
			}
		case wLimit:
			p.next()
			c.Limit = p.expr()
			continue
		case wHaving:
			p.next()
			c.HavMax = p.accept(wMax)
			p.accept(wMin)
			c.Having = p.expr()
			continue
		case wSeparator:
			if p.ahead(1).kind == tokString {
				p.next()
				p.exprs.push(p.expr())
				continue
			}
		case wIgnore, wRespect:
			if p.ahead(1).code == wNulls {
				p.nulls(c)
				continue
			}
		case wOn: // LISTAGG(x ON OVERFLOW …)
			for p.i < end {
				p.skip()
			}
			continue
		case wNull, wAbsent: // JSON_OBJECT(… NULL ON NULL)
			if p.ahead(1).code == wOn {
				p.next()
				p.next()
				p.next()
				continue
			}
		case oComma:
			p.next()
			continue
		}
		before := p.i
		p.exprs.push(p.argument(end))
		if p.i == before { // a keyword that does not start a clause here
			p.skip()
		}
	}
	c.Args = p.exprs.cut(m)
}

// argument reads one argument: an expression, name => expression, name := expression, or expression
// AS name.
func (p *parser) argument(end int) Expr {
	start := p.start()
	t := p.cur()
	if t.kind == tokWord || t.kind == tokQuoted || t.kind == tokDouble {
		switch n := p.ahead(1); {
		case n.code == oNamed, n.code == oAssign && p.dialect != MySQL:
			a := &Named{Name: p.ident()}
			p.next()
			a.X = p.expr()
			a.Span = p.from(start)
			return a
		case t.code == wModel && (n.kind == tokWord || n.kind == tokQuoted): // BigQuery: MODEL name
			p.next()
		}
	}
	e := p.expr()
	switch {
	case p.i >= end || p.at(oComma) || p.argumentClause():
		return e
	case p.at(wAs):
		p.next()
		if p.ahead(1).code == oComma || p.i+1 == end {
			a := &Alias{X: e, Name: p.ident()}
			a.Span = p.from(start)
			return a
		}
	case p.at(wUsing): // CONVERT(x USING utf8), PREDICT(m USING x)
		p.next()
		p.exprs.push(e)
		return p.expr()
	case p.at(wFormat), p.at(wReturning), p.at(wWith), p.at(wWithout): // JSON functions' options
		from := p.start()
		for p.i < end && !p.at(oComma) && !p.argumentClause() {
			p.skip()
		}
		p.noteAt(from, p.from(from).End, "options of an argument were not read")
		return e
	}
	if p.at(oColon) { // JSON_OBJECT(k: v)
		if k, ok := keyOf(e); ok {
			p.next()
			a := &Named{Name: k, X: p.expr()}
			a.Span = p.from(start)
			return a
		}
	}
	for p.i < end && !p.at(oComma) && !p.argumentClause() {
		p.skip()
	}
	return p.raw(start, "argument carried as text")
}

// keyOf returns the name of a key in key: value, which is an unqualified name or a string. It returns false for other
// expressions.
func keyOf(e Expr) (Ident, bool) {
	switch e := e.(type) {
	case *Column:
		return e.Name[0], len(e.Name) == 1
	case *Literal:
		return Ident{Text: e.Text, Quoted: true}, e.Kind == String
	}
	return Ident{}, false
}

// argumentClause reports whether the current token starts a clause inside a call.
func (p *parser) argumentClause() bool {
	switch p.cur().code {
	case wOrder, wLimit, wHaving, wOn:
		return true
	case wSeparator:
		return p.ahead(1).kind == tokString
	case wIgnore, wRespect:
		return p.ahead(1).code == wNulls
	case wNull, wAbsent:
		return p.ahead(1).code == wOn
	}
	return false
}

// nulls reads IGNORE NULLS or RESPECT NULLS.
func (p *parser) nulls(c *Call) {
	c.Nulls = "ignore"
	if p.at(wRespect) {
		c.Nulls = "respect"
	}
	p.next()
	p.next()
}

// afterCall parses the clauses after a call's parentheses.
func (p *parser) afterCall(c *Call) {
	for {
		n := p.ahead(1).code
		switch p.cur().code {
		case wWithin:
			if n != wGroup || p.ahead(2).code != oLparen {
				return
			}
			p.next()
			p.next()
			open := p.i
			p.next()
			if p.accept2(wOrder, wBy) {
				c.Within = p.orderList(false)
			}
			p.expect(open, "text in WITHIN GROUP was not read")
		case wFilter:
			if n != oLparen {
				return
			}
			p.next()
			open := p.i
			p.next()
			p.accept(wWhere)
			c.Filter = p.expr()
			p.expect(open, "text in FILTER was not read")
		case wIgnore, wRespect:
			if n != wNulls {
				return
			}
			p.nulls(c)
		case wFrom: // NTH_VALUE(x, 2) FROM FIRST
			if n != wFirst && n != wLast ||
				p.ahead(2).code != wOver && p.ahead(2).code != wIgnore && p.ahead(2).code != wRespect {
				return
			}
			p.next()
			p.next()
		case wOver:
			if t := p.ahead(1); t.code != oLparen && t.kind != tokWord && t.kind != tokQuoted && t.kind != tokDouble ||
				reserved[n] {
				return
			}
			p.next()
			c.Over = p.window()
		default:
			return
		}
	}
}

// window reads a window: a name, or a specification in parentheses.
func (p *parser) window() *Window {
	w := &Window{}
	start := p.start()
	if !p.at(oLparen) {
		w.Name = p.ident()
		w.Span = p.from(start)
		return w
	}
	open := p.i
	end := int(p.toks[open].mate)
	height, ok := p.enter()
	if !ok {
		p.skip()
		p.raw(start, "nested too deeply: carried as text")
		w.Span = p.from(start)
		return w
	}
	p.next()
	if t := p.cur(); p.i < end &&
		(t.kind == tokQuoted || t.kind == tokDouble || t.kind == tokWord && !reserved[t.code] && !windowWord[t.code]) {
		w.Name = p.ident()
	}
	for p.i < end {
		switch p.cur().code {
		case wPartition, wDistribute, wCluster:
			if p.ahead(1).code == wBy {
				p.next()
				p.next()
				w.Partition = p.partition(end)
				continue
			}
		case wOrder, wSort:
			if p.ahead(1).code == wBy {
				p.next()
				p.next()
				w.OrderBy = p.orderList(false)
				continue
			}
		case wRows, wRange, wGroups:
			w.Frame = p.frame()
			continue
		}
		break
	}
	p.expect(open, "text in a window was not read")
	p.leave(height)
	w.Span = p.from(start)
	return w
}

var windowWord = wordSet(wPartition, wOrder, wRows, wRange, wGroups, wDistribute, wCluster, wSort)

// partition parses the expressions of PARTITION BY, which are separated by commas, at most up to the token end.
func (p *parser) partition(end int) []Expr {
	m := p.exprs.mark()
	for p.i < end {
		p.exprs.push(p.expr())
		if !p.accept(oComma) {
			break
		}
	}
	return p.exprs.cut(m)
}

// frame reads a window's frame and returns its text; a frame with one bound is written out with BETWEEN.
func (p *parser) frame() string {
	unit := strings.ToLower(p.text())
	p.next()
	from, to := "", "current row"
	if p.accept(wBetween) {
		from = p.bound()
		if p.accept(wAnd) {
			to = p.bound()
		}
	} else {
		from = p.bound()
	}
	s := unit + " between " + from + " and " + to
	if p.at(wExclude) {
		k := p.i
		p.next()
		for p.cur().kind == tokWord {
			p.next()
		}
		s += " " + p.words(k, p.i)
	}
	return s
}

// bound reads UNBOUNDED PRECEDING, CURRENT ROW, n FOLLOWING … and returns its text.
func (p *parser) bound() string {
	k, start := p.i, p.start()
	switch {
	case p.accept(wUnbounded):
	case p.accept2(wCurrent, wRow):
		return "current row"
	default:
		p.binary(precBit)
	}
	if !p.acceptAny(wPreceding, wFollowing) {
		p.noteAt(start, p.from(start).End, "bound of a frame expected")
	}
	return p.words(k, p.i)
}

// caseOf reads CASE … END.
func (p *parser) caseOf() Expr {
	start := p.start()
	height, ok := p.enter()
	if !ok {
		return p.tooDeep()
	}
	c := &Case{}
	p.next()
	if !p.at(wWhen) {
		c.X = p.expr()
	}
	for p.accept(wWhen) {
		var w When
		w.Cond = p.branch(wThen, wThen)
		p.accept(wThen)
		w.Then = p.valueOf(p.branch(wWhen, wElse), nil)
		c.Whens = append(c.Whens, w)
	}
	if p.accept(wElse) {
		c.Else = p.valueOf(p.branch(wEnd, wEnd), nil)
	}
	if !p.accept(wEnd) {
		p.noteAt(start, start+4, "CASE without END")
	}
	c.Span = p.from(start)
	p.leave(height)
	return c
}

// branch parses an expression in a CASE, up to one of the words a and b or END. If text before that word is not
// understood, the whole branch becomes raw text.
func (p *parser) branch(a, b code) Expr {
	start := p.start()
	e := p.expr()
	stops := func() bool {
		return p.ends() || p.at(a) || p.at(b) || p.at(wEnd) || p.at(oComma) || hardClause[p.cur().code]
	}
	if stops() {
		return e
	}
	for !stops() {
		p.skip()
	}
	return p.raw(start, "expression carried as text")
}

// exists reads EXISTS (query), or a call of a function of that name.
func (p *parser) exists() Expr {
	start := p.start()
	t := p.i
	p.next()
	if !p.startsQuery() {
		p.i = t
		return p.name()
	}
	e := p.paren()
	s, ok := e.(*Subquery)
	if !ok {
		return e
	}
	return &Exists{Span: p.from(start), Query: s.Query}
}

// special reads EXTRACT(part FROM x), TRIM([BOTH] a FROM x), POSITION(a IN x), SUBSTRING(x FROM a
// FOR n) and OVERLAY; with commas between the arguments they are ordinary calls.
func (p *parser) special(t *token) Expr {
	start, name := t.start, strings.ToLower(p.textOf(t))
	n := p.oneName()
	open := p.i
	end := int(p.toks[open].mate)
	words := specialWords[t.code]
	if !p.contains(open, words) {
		return p.call(start, n)
	}
	height, ok := p.enter()
	if !ok {
		return p.call(start, n)
	}
	p.next()
	s := &Special{Name: name}
	word := ""
	if p.at(wBoth) || p.at(wLeading) || p.at(wTrailing) {
		word = strings.ToLower(p.text())
		p.next()
		if p.at(wFrom) {
			word += " from"
			p.next()
		}
	}
	for p.i < end {
		at := p.i
		s.Words, s.Args = append(s.Words, word), append(s.Args, p.binary(precBit))
		switch w := p.cur(); {
		case p.i >= end:
		case isWordOf(words, w.code):
			word = strings.ToLower(p.textOf(w))
			p.next()
			if p.i >= end {
				p.noteAt(w.start, w.end, "operand expected")
			}
		case w.code == oComma:
			word = ""
			p.next()
		default:
			from := p.toks[at].start
			for p.i < end && !p.at(oComma) && !isWordOf(words, p.cur().code) {
				p.skip()
			}
			s.Args[len(s.Args)-1] = p.raw(from, "argument carried as text")
		}
	}
	p.expect(open, "text in a call was not read")
	p.leave(height)
	s.Span = p.from(start)
	return s
}

// contains reports whether one of the words is between the brackets, outside nested brackets.
func (p *parser) contains(open int, words []code) bool {
	for k, end := open+1, int(p.toks[open].mate); k < end; k++ {
		p.steps++
		if isWordOf(words, p.toks[k].code) {
			return true
		}
		k = max(k, int(p.toks[k].mate))
	}
	return false
}

// specialWords maps functions with a special grammar to the words that separate their arguments.
var specialWords = map[code][]code{
	wExtract: {wFrom}, wTrim: {wFrom, wBoth, wLeading, wTrailing}, wPosition: {wIn}, wSubstring: {wFrom, wFor},
	wSubstr:  {wFrom, wFor},
	wOverlay: {wPlacing, wFrom, wFor},
}

func isWordOf(words []code, c code) bool {
	for _, w := range words {
		if c == w {
			return true
		}
	}
	return false
}

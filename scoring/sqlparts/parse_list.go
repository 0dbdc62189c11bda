package sqlparts

// paren reads (query), (expression) and (a, b).
func (p *parser) paren() Expr {
	open, start := p.i, p.start()
	height, ok := p.enter()
	if !ok {
		return p.tooDeep()
	}
	slice := p.slice
	p.slice = 0
	p.next()
	var e Expr
	if p.startsQuery() && !p.at(oLparen) {
		q := p.query()
		e = &Subquery{Span: q.Span, Query: q}
	} else {
		e = p.parenList(open, start)
	}
	p.expect(open, "text in parentheses was not read")
	if s, ok := e.(*Subquery); ok {
		s.Span = p.from(start)
	}
	p.slice = slice
	p.leave(height)
	return e
}

// parenOrLambda parses parentheses as paren does, or a lambda if they contain its parameters and an arrow follows.
func (p *parser) parenOrLambda() Expr {
	start := p.start()
	e := p.paren()
	if !p.at(oArrow) || !p.syntax.lambda {
		return e
	}
	var params []Ident
	switch e := e.(type) {
	case *List:
		params = lambdaParams(e.Items)
	case *Alias: // (x INT) -> …
		params = lambdaParams([]*Item{{Expr: e.X}})
	}
	if params == nil {
		return e
	}
	return p.lambda(start, params)
}

// row parses ROW (a, b), also with only one element.
func (p *parser) row() Expr {
	start := p.start()
	height, ok := p.enter()
	if !ok {
		p.next()
		return p.tooDeep()
	}
	p.next()
	open := p.i
	p.next()
	l := &List{Kind: Tuple, Items: p.itemsUntil(noCode, open)}
	p.expect(open, "text in a row was not read")
	p.leave(height)
	l.Span = p.from(start)
	return l
}

// lambdaParams returns the names in a list, or nil if it contains anything else.
func lambdaParams(items []*Item) []Ident {
	var out []Ident
	for _, it := range items {
		c, ok := it.Expr.(*Column)
		if !ok || len(c.Name) != 1 {
			return nil
		}
		out = append(out, c.Name[0])
	}
	return out
}

// parenList parses the content of parentheses that is not a query: nothing, an expression, or several separated by
// commas.
func (p *parser) parenList(open int, start int32) Expr {
	end := int(p.toks[open].mate)
	if p.i >= end {
		return &List{Span: Span{start, p.cur().end}, Kind: Tuple}
	}
	first := p.item(false)
	if s, ok := first.Expr.(*Subquery); ok && p.queryContinues() { // ((SELECT …) UNION …)
		q := s.Query
		q.closed = true
		at, _ := rangeOf(q)
		q = p.setOpsAfter(at, q)
		p.tail(q)
		return &Subquery{Span: p.from(at), Query: q}
	}
	if _, star := first.Expr.(*Star); star {
		p.noteAt(first.Start, first.End, "star in parentheses")
	}
	lambda := p.syntax.lambda && end+1 < len(p.toks) && p.toks[end+1].code == oArrow
	if !p.at(oComma) {
		if first.Alias.Text == "" {
			return first.Expr
		}
		if !lambda {
			p.noteAt(first.Start, first.End, "alias in parentheses")
		}
		return &Alias{Span: first.Span, X: first.Expr, Name: first.Alias}
	}
	l := &List{Kind: Tuple, Items: p.moreItems(first, end)}
	for _, it := range l.Items {
		if it.Alias.Text != "" && !lambda {
			p.noteAt(it.Start, it.End, "alias in parentheses")
		}
	}
	l.Span = p.from(start)
	l.End = p.cur().end
	return l
}

// moreItems returns first and the items after it, which are separated by commas and end before the token end.
func (p *parser) moreItems(first *Item, end int) []*Item {
	m := p.items.mark()
	p.items.push(first)
	for p.accept(oComma) && p.i < end {
		p.items.push(p.item(false))
		p.toComma(end)
	}
	return p.items.cut(m)
}

// toComma skips to the next comma before end. It adds a note if it skips anything.
func (p *parser) toComma(end int) {
	if p.i >= end || p.at(oComma) {
		return
	}
	start := p.start()
	for p.i < end && !p.at(oComma) {
		p.skip()
	}
	p.noteAt(start, p.from(start).End, "text in a list was not read")
}

// exprList parses expressions separated by commas up to the bracket that closes open. An element followed by
// something that cannot be parsed becomes raw text.
func (p *parser) exprList(open int) []Expr {
	end := int(p.toks[open].mate)
	m := p.exprs.mark()
	for p.i < end {
		start := p.start()
		e := p.expr()
		if p.i < end && !p.at(oComma) {
			for p.i < end && !p.at(oComma) {
				p.skip()
			}
			e = p.raw(start, "expression carried as text")
		}
		p.exprs.push(e)
		if !p.accept(oComma) {
			break
		}
	}
	return p.exprs.cut(m)
}

// array reads [a, b], and DuckDB's [x FOR x IN list].
func (p *parser) array(start int32, typ string) Expr {
	open := p.i
	height, ok := p.enter()
	if !ok {
		return p.tooDeep()
	}
	end := int(p.toks[open].mate)
	p.next()
	l := &List{Kind: Array, Type: typ}
	if p.i < end {
		slice := p.slice
		p.slice = 0
		first := p.item(false)
		if p.at(wFor) {
			for p.i < end {
				p.skip()
			}
			first.Expr = p.raw(p.toks[open+1].start, "list comprehension carried as text")
		} else {
			p.toComma(end)
		}
		l.Items = p.moreItems(first, end)
		p.slice = slice
	}
	p.expect(open, "text in an array was not read")
	p.leave(height)
	l.Span = p.from(start)
	return l
}

// object reads {'a': 1, b: 2}; the keys become the items' names.
func (p *parser) object(start int32) Expr {
	open := p.i
	height, ok := p.enter()
	if !ok {
		return p.tooDeep()
	}
	end := int(p.toks[open].mate)
	p.next()
	l := &List{Kind: Object}
	m := p.items.mark()
	for p.i < end {
		it := p.items_.new()
		s := p.start()
		if k := p.cur(); p.ahead(1).code == oColon &&
			(k.kind == tokString || k.kind == tokWord || k.kind == tokQuoted || k.kind == tokDouble || k.kind == tokNumber) {
			it.Alias = p.ident()
			it.Alias.Quoted = true
			p.next()
			slice := p.slice
			p.slice = 0
			it.Expr = p.expr()
			p.slice = slice
		} else {
			p.slice++
			it.Expr = p.expr()
			if p.accept(oColon) { // a computed key
				v := p.expr()
				it.Expr = &Binary{Span: spanOf(it.Expr, v), Op: ":", L: it.Expr, R: v}
			}
			p.slice--
		}
		it.Span = p.from(s)
		p.items.push(it)
		p.toComma(end)
		if !p.accept(oComma) {
			break
		}
	}
	l.Items = p.items.cut(m)
	p.expect(open, "text in braces was not read")
	p.leave(height)
	l.Span = p.from(start)
	return l
}

// starModifiers reads EXCEPT, EXCLUDE, REPLACE, RENAME and ILIKE after a star.
func (p *parser) starModifiers(s *Star) {
	for {
		n := p.ahead(1)
		switch p.cur().code {
		case wExcept, wExclude:
			if n.code != oLparen {
				if p.at(wExcept) || n.kind != tokWord && n.kind != tokQuoted {
					return
				}
				p.next()
				s.Except = append(s.Except, p.lastPart())
				continue
			}
			if c := p.ahead(2).code; c == wSelect || c == wWith || c == oLparen {
				return // a set operation
			}
			p.next()
			s.Except = append(s.Except, p.columnList()...)
		case wReplace:
			if n.code != oLparen {
				return
			}
			p.next()
			s.Replace = append(s.Replace, p.parenItems()...)
		case wRename:
			if n.code == oLparen {
				p.next()
				s.Rename = append(s.Rename, p.parenItems()...)
				continue
			}
			if n.kind != tokWord && n.kind != tokQuoted {
				return
			}
			p.next()
			s.Rename = append(s.Rename, p.item(false))
		case wIlike, wLike:
			if n.kind != tokString {
				return
			}
			p.next()
			s.Like = p.stringLiteral()
		default:
			return
		}
	}
}

// lastPart reads a dotted name and returns its last part.
func (p *parser) lastPart() Ident {
	id := p.ident()
	for p.at(oDot) {
		p.next()
		id = p.ident()
	}
	return id
}

// parenItems reads (expression AS name, …).
func (p *parser) parenItems() []*Item {
	open := p.i
	p.next()
	out := p.itemsUntil(noCode, open)
	p.expect(open, "text in a list was not read")
	return out
}

package sqlparts

// startsQuery reports whether a query starts at the current token, possibly after opening parentheses.
func (p *parser) startsQuery() bool {
	k := p.i
	if p.toks[k].code == oLparen { // the end of a run of parentheses is cached, so that it is searched only once
		if k < p.runFrom || k >= p.runTo {
			for p.runFrom = k; p.toks[k].code == oLparen; k++ {
				p.steps++
			}
			p.runTo = k
		}
		k = p.runTo
	}
	switch p.toks[k].code {
	case wSelect, wWith:
		return true
	case wFrom: // FROM-first, in DuckDB and pipe syntax
		return p.beginsName(k + 1)
	case wValues:
		return p.toks[k+1].code == oLparen
	case wTable:
		return p.beginsName(k+1) && p.toks[k+1].code == 0
	}
	return false
}

// beginsName reports whether the token at k may start the name of a table, or is an opening parenthesis before one.
func (p *parser) beginsName(k int) bool {
	t := &p.toks[min(k, len(p.toks)-1)]
	switch t.kind {
	case tokWord:
		return !reserved[t.code]
	case tokQuoted, tokDouble, tokString, tokParam:
		return true
	}
	return t.code == oLparen
}

// query reads a query with its WITH, ORDER BY, LIMIT and pipe operators.
func (p *parser) query() *Query {
	q := p.queryOrWith()
	p.needBody(q)
	return q
}

// needBody sets the body of a query that has none, after WITH, to an empty one, and adds a note.
func (p *parser) needBody(q *Query) {
	if q.Body == nil {
		q.Body = p.rawQuery(p.raw(p.start(), "query expected")).Body
	}
}

// queryOrWith parses a query. Its Body is nil if another kind of statement follows WITH.
func (p *parser) queryOrWith() *Query {
	start := p.start()
	height, ok := p.enter()
	if !ok {
		return p.rawQuery(p.carry(start, "nested too deeply: carried as text"))
	}
	q := p.with()
	if q != nil && !p.startsQuery() {
		q.Span = p.from(start)
		p.leave(height)
		return q
	}
	body := p.setOps()
	if q == nil {
		q = body
	} else {
		adopt(q, body)
	}
	p.tail(q)
	for p.at(oPipe) {
		q = p.pipe(q)
	}
	q.Span = p.from(start)
	p.leave(height)
	return q
}

// rawQuery returns a query whose select list is only the raw text r.
func (p *parser) rawQuery(r *Raw) *Query {
	sel := p.selects.new()
	sel.Span = r.Span
	sel.Items = []*Item{{Span: r.Span, Expr: r}}
	return p.newQuery(r.Span, sel)
}

func (p *parser) newQuery(s Span, b Body) *Query {
	q := p.queries.new()
	p.count.queries++
	q.id = p.count.queries
	q.Span, q.Body, q.dialect = s, b, p.dialect
	return q
}

// setOps parses one operand of a set operation and the set operators after it.
func (p *parser) setOps() *Query {
	start := p.start()
	return p.setOpsAfter(start, p.term())
}

// setOpsAfter reads the set operators that follow first: a chain of UNION and EXCEPT over chains of
// INTERSECT. In SQLite all of them are one chain.
func (p *parser) setOpsAfter(start int32, first *Query) *Query {
	return p.setChain(start, p.intersects(start, first), false)
}

func (p *parser) intersects(start int32, first *Query) *Query {
	if p.dialect == SQLite {
		return first
	}
	return p.setChain(start, first, true)
}

// setChain parses the operators and terms after first, either of INTERSECT or of the other operators. It returns first
// if there are none.
func (p *parser) setChain(start int32, first *Query, intersect bool) *Query {
	if _, ok := p.atSetOp(intersect); !ok {
		return first
	}
	op := &SetOp{Terms: []*Query{first}}
	for {
		o, ok := p.atSetOp(intersect)
		if !ok {
			break
		}
		p.setOp(&o)
		if !p.startsQuery() {
			p.noteAt(p.start(), p.cur().end, "set operator without a query after it")
			break
		}
		s := p.start()
		term := p.term()
		if !intersect {
			term = p.intersects(s, term)
		}
		op.Ops, op.Terms = append(op.Ops, o), append(op.Terms, term)
	}
	if len(op.Ops) == 0 {
		return first
	}
	op.Span = p.from(start)
	return p.newQuery(op.Span, op)
}

// atSetOp returns the set operator at the current token and whether there is one: INTERSECT if intersect is set, else
// UNION or EXCEPT. It skips LEFT, FULL OUTER or INNER before an operator. In SQLite all operators have one precedence.
func (p *parser) atSetOp(intersect bool) (SetOperator, bool) {
	c := p.cur().code
	if p.setOpAhead() {
		p.next()
		p.accept(wOuter)
		c = p.cur().code
	}
	switch {
	case c == wUnion && !intersect:
		return SetOperator{Kind: Union}, true
	case (c == wExcept || c == wMinus) && !intersect:
		return SetOperator{Kind: Except}, true
	case c == wIntersect && (intersect || p.dialect == SQLite):
		return SetOperator{Kind: Intersect}, true
	}
	return SetOperator{}, false
}

// setOpAhead reports whether the current token starts a set operator with a prefix: LEFT UNION, FULL OUTER UNION, INNER
// INTERSECT.
func (p *parser) setOpAhead() bool {
	if !p.at(wLeft) && !p.at(wFull) && !p.at(wInner) {
		return false
	}
	c := p.ahead(1).code
	if c == wOuter {
		c = p.ahead(2).code
	}
	return c == wUnion || c == wIntersect || c == wExcept
}

// setOp parses a set operator with its modifiers (ALL, DISTINCT, BY NAME …) into o.
func (p *parser) setOp(o *SetOperator) {
	p.next()
	o.All = p.accept(wAll)
	if !o.All {
		p.accept(wDistinct)
	}
	if p.accept2(wBy, wName) {
		o.ByName = true
		if p.accept(wOn) {
			p.skip()
		}
	}
	if p.accept(wStrict) {
		p.accept(wCorresponding)
		o.ByName = true
	}
	if p.accept(wCorresponding) {
		o.ByName = true
		if p.accept(wBy) {
			p.skip()
		}
	}
}

// term reads one operand of a set operation: a parenthesised query, SELECT, VALUES, TABLE or FROM.
func (p *parser) term() *Query {
	start := p.start()
	switch p.cur().code {
	case oLparen:
		open := p.i
		height, ok := p.enter()
		if !ok {
			p.skip()
			return p.rawQuery(p.raw(start, "nested too deeply: carried as text"))
		}
		p.next()
		q := p.query()
		p.expect(open, "text after the query was not read")
		p.leave(height)
		q.closed = true
		return q
	case wValues:
		v := p.values()
		return p.newQuery(v.Span, v)
	case wTable:
		p.next()
		src := p.newSource(Source{})
		src.Table = p.tableName()
		src.Span = p.from(start)
		return p.starQuery(src)
	case wWith: // WITH inside a term, without parentheses
		return p.query()
	case wSelect, wFrom:
		return p.selectQuery()
	}
	return p.rawQuery(p.raw(start, "query expected"))
}

// starQuery returns the query SELECT * FROM src.
func (p *parser) starQuery(src *Source) *Query {
	sel := p.selects.new()
	sel.Span = src.Span
	sel.Items = []*Item{{Span: src.Span, Expr: &Star{Span: src.Span}}}
	sel.From = []*Source{src}
	return p.newQuery(src.Span, sel)
}

// values reads VALUES (…), (…).
func (p *parser) values() *Values {
	start := p.start()
	p.next()
	v := &Values{}
	for {
		p.accept(wRow)
		if !p.at(oLparen) {
			break
		}
		open := p.i
		p.next()
		v.Rows = append(v.Rows, p.exprList(open))
		p.expect(open, "text in a row was not read")
		if !p.accept(oComma) {
			break
		}
	}
	v.Span = p.from(start)
	return v
}

// tail parses the clauses after a query's body, in any order: ORDER BY, LIMIT, OFFSET, FETCH, FOR, OPTION, and set
// operators after these.
func (p *parser) tail(q *Query) {
	for {
		switch p.cur().code {
		case wOrder:
			if p.ahead(1).code != wBy && p.ahead(1).code != wSiblings {
				return
			}
			p.next()
			p.accept(wSiblings)
			p.next()
			p.ownClauses(q)
			q.OrderBy = p.orderList(true)
		case wLimit:
			if p.accept2(wLimit, wAll) {
				continue
			}
			p.ownClauses(q)
			p.limit(q)
		case wOffset:
			p.ownClauses(q)
			l := p.limitOf(q)
			p.next()
			l.Offset = p.expr()
			p.acceptAny(wRow, wRows)
			l.End = p.from(l.Start).End
		case wFetch:
			p.ownClauses(q)
			p.fetch(q)
		case wUnion, wExcept, wMinus, wIntersect: // ORDER BY before a set operator: the query so far is its first term
			if _, isSet := q.Body.(*SetOp); len(q.OrderBy) == 0 && q.Limit == nil && isSet || !p.grow() {
				return
			}
			first := p.newQuery(q.Span, q.Body)
			first.OrderBy, first.Limit = q.OrderBy, q.Limit
			start := q.Start
			joined := p.setOpsAfter(start, first)
			if joined == first {
				return
			}
			q.Body, q.OrderBy, q.Limit = joined.Body, nil, nil
		case wFor, wOption, wLock, wWith, wInto:
			if !p.afterQuery() {
				return
			}
		default:
			return
		}
	}
}

// ownClauses prepares q for a clause after its closing parenthesis. If q has ORDER BY or LIMIT inside the parentheses,
// the query with these becomes the body of q.
func (p *parser) ownClauses(q *Query) {
	if q.closed && (len(q.OrderBy) > 0 || q.Limit != nil) {
		inner := p.newQuery(q.Span, q.Body)
		inner.OrderBy, inner.Limit = q.OrderBy, q.Limit
		q.Body, q.OrderBy, q.Limit = inner, nil, nil
	}
	q.closed = false
}

// afterQuery skips a clause that does not change the rows of the result, such as FOR UPDATE, and records its effects.
// It returns false if the current token does not start one.
func (p *parser) afterQuery() bool {
	switch p.cur().code {
	case wFor:
		switch p.ahead(1).code {
		case wUpdate, wShare, wNo, wKey:
			p.effects |= Locks
		case wXml, wJson, wBrowse, wRead, wFetch, wSystemTime:
		default:
			return false
		}
	case wLock:
		p.effects |= Locks
	case wInto:
		if t := p.ahead(1); t.code == wOutfile || t.code == wDumpfile {
			p.effects |= Exports
		} else if t.kind != tokParam {
			return false
		} else {
			p.effects |= Session
		}
	case wWith:
		if t := p.ahead(1).code; t != wUr && t != wNo && t != wData {
			return false
		}
	case wOption:
		if p.ahead(1).code != oLparen {
			return false
		}
	}
	p.next()
	p.accept(wUpdate)
	for !p.ends() && !p.at(wUnion) && !changes(p.cur().code) {
		p.skip()
	}
	return true
}

// orderList parses the sort keys after BY. clause reports whether they are a whole clause; then text after a key that
// is not understood is kept with the key as raw text.
func (p *parser) orderList(clause bool) []*OrderItem {
	m := p.orders.mark()
	for {
		p.orders.push(p.orderItem(clause))
		if !p.accept(oComma) {
			return p.orders.cut(m)
		}
	}
}

func (p *parser) orderItem(clause bool) *OrderItem {
	o := p.orders_.new()
	start := p.start()
	o.Expr = p.expr()
	if p.accept(wUsing) { // Postgres: ORDER BY x USING >
		o.Desc = p.at(oMore)
		p.next()
	}
	if p.accept(wDesc) {
		o.Desc = true
	} else {
		p.accept(wAsc)
	}
	switch {
	case p.accept2(wNulls, wFirst):
		o.Nulls = NullsFirst
	case p.accept2(wNulls, wLast):
		o.Nulls = NullsLast
	}
	if clause {
		o.Expr = p.sweep(o.Expr, start)
	}
	o.Span = p.from(start)
	return o
}

// limitOf returns the query's Limit, which it creates if the query has none.
func (p *parser) limitOf(q *Query) *Limit {
	if q.Limit == nil {
		q.Limit = &Limit{Span: Span{p.start(), p.start()}}
	}
	return q.Limit
}

// limit reads LIMIT n, LIMIT offset, n and LIMIT n PERCENT.
func (p *parser) limit(q *Query) {
	l := p.limitOf(q)
	p.next()
	if p.cur().kind == tokNumber && p.ahead(1).code == oPercent && !beginsOperand(p.ahead(2)) {
		l.Count = p.primary()
	} else {
		l.Count = p.expr()
	}
	if p.accept(oComma) {
		l.Offset, l.Count = l.Count, p.expr()
	}
	if p.accept(oPercent) || p.accept(wPercent) {
		l.Percent = true
	}
	l.WithTies = p.accept2(wWith, wTies)
	l.End = p.from(l.Start).End
}

// fetch reads FETCH FIRST|NEXT [n] [PERCENT] ROW|ROWS ONLY|WITH TIES.
func (p *parser) fetch(q *Query) {
	l := p.limitOf(q)
	p.next()
	p.acceptAny(wFirst, wNext)
	l.Count = nil
	if !p.at(wRow) && !p.at(wRows) {
		l.Count = p.expr()
	} else {
		l.Count = &Literal{Span: p.from(l.Start), Kind: Number, Text: "1"}
	}
	l.Percent = p.accept(wPercent)
	p.acceptAny(wRow, wRows)
	if !p.accept(wOnly) {
		l.WithTies = p.accept2(wWith, wTies)
	}
	l.End = p.from(l.Start).End
}

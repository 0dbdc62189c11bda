package sqlparts

// adopt moves the parts of body into q, which has only a WITH clause. If body has a WITH clause too, it becomes the
// body of q.
func adopt(q, body *Query) {
	if len(body.With) == 0 {
		q.Body, q.OrderBy, q.Limit, q.closed = body.Body, body.OrderBy, body.Limit, body.closed
		return
	}
	q.Body = body
}

// with parses a WITH clause and returns a query that has only this clause; nil if there is none.
func (p *parser) with() *Query {
	if !p.at(wWith) {
		return nil
	}
	q := p.newQuery(Span{}, nil)
	m := p.ctes.mark()
	for p.accept(wWith) { // a second WITH is an error some writers make
		q.Recursive = p.accept(wRecursive) || q.Recursive
		for {
			if p.startsQuery() && !p.at(wTable) { // trailing comma
				break
			}
			c := p.cte()
			if c == nil {
				break
			}
			p.ctes.push(c)
			if !p.accept(oComma) {
				break
			}
		}
	}
	q.With = p.ctes.cut(m)
	return q
}

// cte parses name [(columns)] AS [[NOT] MATERIALIZED] (body); nil if the current token does not start one.
func (p *parser) cte() *CTE {
	t := p.cur()
	if t.kind != tokQuoted && t.kind != tokDouble && t.kind != tokString && (t.kind != tokWord || t.code == wSelect) {
		return nil
	}
	c := &CTE{Name: p.ident()}
	start := t.start
	if p.at(oLparen) {
		c.Columns = p.columnList()
	}
	if p.accept(wUsing) { // DuckDB: USING KEY (…)
		p.accept(wKey)
		p.skip()
	}
	p.accept(wAs)
	p.accept(wNot)
	p.accept(wMaterialized)
	if !p.at(oLparen) {
		p.noteAt(start, p.cur().start, "common table expression without a query")
		c.Span = p.from(start)
		return c
	}
	open := p.i
	switch t := p.ahead(1); {
	case p.startsQuery():
		p.next()
		c.Query = p.queryOrWith()
		if c.Query.Body == nil && beginsStatement(p.cur().code) {
			c.Write = p.nested(open)
			c.Query = nil
		} else {
			p.needBody(c.Query)
		}
	case beginsStatement(t.code):
		p.next()
		c.Write = p.nested(open)
	default: // ClickHouse's and BigQuery's expression CTEs, and mistakes
		p.next()
		c.Query = p.rawQuery(p.carry(p.start(), "common table expression without a query: carried as text"))
	}
	p.expect(open, "text after the query was not read")
	for p.at(wSearch) || p.at(wCycle) {
		for !p.ends() && !p.at(oComma) && !p.at(wSelect) {
			p.skip()
		}
	}
	c.Span = p.from(start)
	return c
}

// nested parses the kind, target and query of a statement inside the parentheses opened at open. Its effects are added
// to those of the enclosing statement.
func (p *parser) nested(open int) *Statement {
	s := &Statement{}
	start := p.start()
	s.Kind, s.Effects = KindOther, Unknown
	for _, b := range beginnings[p.cur().code] {
		if b.second == 0 || p.ahead(1).code == b.second {
			s.Kind, s.Effects = b.kind, b.effects
			break
		}
	}
	p.next()
	s.Target = p.targetName()
	for p.i < int(p.toks[open].mate) {
		if p.startsQuery() && s.Query == nil {
			s.Query = p.query()
			continue
		}
		p.skip()
	}
	s.Span = p.from(start)
	p.effects |= s.Effects
	return s
}

package sqlparts

// pipe parses one pipe operator, |> …, and applies it to q. It adds the operator to the current select if that does not
// change the meaning; otherwise q becomes a derived table of a new select. FROM t |> WHERE a |> AGGREGATE sum(b) GROUP
// BY c has the tree of SELECT c, sum(b) FROM t WHERE a GROUP BY c.
func (p *parser) pipe(q *Query) *Query {
	start := p.start()
	p.next()
	t := p.cur()
	switch t.code {
	case wWhere:
		p.next()
		cond := p.condition()
		sel := plain(q)
		switch {
		case sel != nil && len(q.OrderBy) == 0:
			sel.Where = p.and(sel.Where, cond)
		case grouped(q) != nil && len(q.OrderBy) == 0:
			sel = grouped(q)
			sel.Having = p.and(sel.Having, cond)
		default:
			q, sel = p.wrap(q)
			sel.Where = cond
		}
	case wSelect:
		p.next()
		sel := plain(q)
		if sel == nil {
			q, sel = p.wrap(q)
		}
		p.selectHead(sel, q)
		sel.Items = p.selectItems()
		for p.at(wWindow) && p.clause(sel) {
		}
	case wExtend: // only after a plain star: an added item may not use an item that the same list added
		p.next()
		sel := plain(q)
		if sel == nil {
			q, sel = p.wrap(q)
		}
		sel.Items = append(sel.Items, p.selectItems()...)
	case wSet, wDrop, wRename:
		q = p.pipeStar(q)
	case wAggregate:
		p.next()
		sel := plain(q)
		if sel == nil || len(q.OrderBy) > 0 {
			q, sel = p.wrap(q)
		}
		p.aggregate(q, sel)
	case wOrder:
		p.next()
		p.accept(wBy)
		if q.Limit != nil {
			q, _ = p.wrap(q)
		}
		q.OrderBy = p.orderList(true)
	case wLimit, wOffset, wFetch:
		if q.Limit != nil {
			q, _ = p.wrap(q)
		}
		p.tail(q)
	case wDistinct:
		p.next()
		sel := projected(q)
		if sel == nil || len(q.OrderBy) > 0 {
			q, sel = p.wrap(q)
		}
		sel.Distinct = true
	case wAs:
		var sel *Select
		if sel = plain(q); sel == nil || len(sel.From) != 1 || sel.Where != nil || sel.From[0].Alias.Text != "" {
			q, sel = p.wrap(q)
		}
		sel.From[0].Alias = p.alias(tableAlias)
	case wTablesample, wPivot, wUnpivot, wMatchRecognize:
		q = p.pipeSource(q)
	case wUnion, wIntersect, wExcept, wMinus, wLeft, wFull, wInner, wJoin, wCross, wRight, wNatural, wOuter, wAsof, wSemi,
		wAnti, wLateral:
		j := Source{Span: Span{Start: p.start()}}
		switch {
		case p.join(&j):
			q = p.pipeJoin(q, j)
		case p.at(wLateral):
			j.Join = CommaJoin
			q = p.pipeJoin(q, j)
		default:
			q = p.pipeSetOp(q)
		}
	case wCall:
		p.next()
		var sel *Select
		q, sel = p.wrap(q)
		e := p.primary()
		if c, ok := e.(*Call); ok { // the table on the left is the function's first argument
			sub := sel.From[0].Query
			c.Args = append([]Expr{&Subquery{Span: sub.Span, Query: sub}}, c.Args...)
			sel.From[0].Query, sel.From[0].Call = nil, c
			sel.From[0].Alias = p.alias(tableAlias)
		}
	default:
		for p.next(); !p.ends(); {
			p.skip()
		}
		s := p.from(start)
		p.noteAt(s.Start, s.End, "pipe operator was not read")
	}
	for !p.ends() {
		s := p.start()
		if beginsStatement(p.cur().code) {
			break
		}
		for !p.ends() && !beginsStatement(p.cur().code) {
			p.skip()
		}
		p.noteAt(s, p.from(s).End, "text after a pipe operator was not read")
	}
	q.Span = p.from(q.Start)
	return q
}

// plain returns the select of q if it is SELECT * FROM … [WHERE …], to which any operator may be added; else nil.
func plain(q *Query) *Select {
	sel := projected(q)
	if sel == nil || len(sel.Items) != 1 {
		return nil
	}
	if s, ok := sel.Items[0].Expr.(*Star); !ok || s.Qualifier != nil || s.Except != nil || s.Replace != nil ||
		s.Rename != nil {
		return nil
	}
	return sel
}

// projected returns the select of q if it has no clause after its select list that forbids adding items (DISTINCT,
// GROUP BY, LIMIT …); else nil.
func projected(q *Query) *Select {
	sel, ok := q.Body.(*Select)
	if !ok || q.Limit != nil || sel.Distinct || sel.Group != nil || sel.Having != nil || sel.Qualify != nil || q.closed {
		return nil
	}
	return sel
}

// grouped returns the select of q if it has GROUP BY, and no DISTINCT, QUALIFY or LIMIT is applied after it; else nil.
func grouped(q *Query) *Select {
	sel, ok := q.Body.(*Select)
	if !ok || q.Limit != nil || sel.Distinct || sel.Group == nil || sel.Qualify != nil || q.closed {
		return nil
	}
	return sel
}

// wrap returns a new query SELECT * with q as its derived table, and the select of that query.
func (p *parser) wrap(q *Query) (*Query, *Select) {
	src := p.newSource(Source{})
	src.Span, src.Query = q.Span, q
	if !p.grow() { // a chain of operators too long to nest: the parsed part is dropped, with a note
		src.Query = nil
		src.Raw = &Raw{Span: q.Span}
		p.noteAt(q.Start, q.End, "chain is too long: not read")
	}
	out := p.starQuery(src)
	out.Start = q.Start
	if src.Query != nil {
		out.With, out.Recursive = q.With, q.Recursive
		q.With = nil
	}
	return out, out.Body.(*Select)
}

// aggregate reads AGGREGATE list [GROUP [AND ORDER] BY keys].
func (p *parser) aggregate(q *Query, sel *Select) {
	m := p.items.mark()
	for !p.ends() && !p.at(wGroup) && !hardClause[p.cur().code] {
		it := p.item(true)
		p.direction(q, it)
		p.items.push(it)
		if !p.accept(oComma) {
			break
		}
	}
	list := p.items.cut(m)
	if !p.accept(wGroup) {
		sel.Items = list
		return
	}
	order := p.accept2(wAnd, wOrder)
	p.accept(wBy)
	start := p.start()
	g := &GroupBy{}
	var keys []*Item
	for !p.ends() && !hardClause[p.cur().code] {
		it := p.items_.new()
		s := p.start()
		if p.at2(wRollup, oLparen) || p.at2(wCube, oLparen) || p.at2(wGrouping, wSets) {
			it.Expr = p.groupItem()
		} else {
			it.Expr = p.expr()
			it.Alias = p.alias(selectAlias)
		}
		it.Span = p.from(s)
		if !p.direction(q, it) && order {
			q.OrderBy = append(q.OrderBy, &OrderItem{Span: it.Span, Expr: it.Expr})
		}
		keys = append(keys, it)
		g.Items = append(g.Items, it.Expr)
		if !p.accept(oComma) {
			break
		}
	}
	g.Span = p.from(start)
	sel.Group = g
	sel.Items = append(keys, list...)
}

// direction parses ASC or DESC after an element of AGGREGATE, and adds the element to ORDER BY. It returns false if
// there is neither.
func (p *parser) direction(q *Query, it *Item) bool {
	desc := p.at(wDesc)
	if !desc && !p.at(wAsc) {
		return false
	}
	p.next()
	o := &OrderItem{Span: it.Span, Expr: it.Expr, Desc: desc}
	switch {
	case p.accept2(wNulls, wFirst):
		o.Nulls = NullsFirst
	case p.accept2(wNulls, wLast):
		o.Nulls = NullsLast
	}
	q.OrderBy = append(q.OrderBy, o)
	return true
}

// pipeStar reads SET a = x, DROP a and RENAME a AS b: a star with modifiers.
func (p *parser) pipeStar(q *Query) *Query {
	op := p.cur().code
	start := p.start()
	p.next()
	sel := plain(q)
	if sel == nil {
		q, sel = p.wrap(q)
	}
	s := &Star{}
	for !p.ends() {
		switch op {
		case wDrop:
			s.Except = append(s.Except, p.ident())
		case wRename:
			s.Rename = append(s.Rename, p.item(false))
		default:
			it := &Item{Alias: p.lastPart()}
			from := p.start()
			p.accept(oEqual)
			it.Expr = p.expr()
			it.Span = p.from(from)
			s.Replace = append(s.Replace, it)
		}
		if !p.accept(oComma) {
			break
		}
	}
	s.Span = p.from(start)
	sel.Items = []*Item{{Span: s.Span, Expr: s}}
	return q
}

// pipeSource parses an operator that applies to the source: TABLESAMPLE, PIVOT, UNPIVOT, MATCH_RECOGNIZE.
func (p *parser) pipeSource(q *Query) *Query {
	sel := plain(q)
	if sel == nil || len(sel.From) != 1 || sel.Where != nil || len(q.OrderBy) > 0 {
		q, sel = p.wrap(q)
	}
	p.sourceSuffixes(sel.From[0])
	return q
}

// pipeJoin parses the right side of a join in a pipe and joins it to q. The join's keywords have been read into j.
func (p *parser) pipeJoin(q *Query, j Source) *Query {
	sel := plain(q)
	if sel == nil || sel.Where != nil || len(q.OrderBy) > 0 || len(sel.From) == 0 {
		q, sel = p.wrap(q)
	}
	start := j.Start
	src := p.source(j)
	src.Start = start
	sel.From = append(sel.From, p.joinCondition(src, p.sources.mark()))
	return q
}

// pipeSetOp parses UNION ALL (query), (query) and other set operations.
func (p *parser) pipeSetOp(q *Query) *Query {
	start := q.Start
	o, ok := p.atSetOp(p.at(wIntersect))
	if !ok || !p.grow() {
		return q
	}
	p.setOp(&o)
	out := p.newQuery(q.Span, nil)
	out.With, out.Recursive = q.With, q.Recursive
	q.With = nil
	op := &SetOp{Terms: []*Query{q}}
	for p.startsQuery() {
		op.Ops, op.Terms = append(op.Ops, o), append(op.Terms, p.term())
		if !p.accept(oComma) {
			break
		}
	}
	op.Span = p.from(start)
	out.Body = op
	if len(op.Ops) == 0 {
		return q
	}
	return out
}

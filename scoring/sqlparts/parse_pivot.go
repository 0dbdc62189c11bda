package sqlparts

// pivot reads PIVOT (aggregates FOR column IN (…)) and UNPIVOT (value FOR name IN (…)) with their
// alias.
func (p *parser) pivot() *Pivot {
	start := p.start()
	pv := &Pivot{Unpivot: p.at(wUnpivot)}
	p.next()
	if p.accept(wInclude) {
		pv.IncludeNulls = true
	} else {
		p.accept(wExclude)
	}
	p.accept(wNulls)
	open := p.i
	if !p.at(oLparen) {
		pv.Span = p.from(start)
		p.noteAt(start, pv.End, "pivot without columns")
		return pv
	}
	p.next()
	pv.Values = p.itemsUntil(wFor, open)
	if p.accept(wFor) {
		pv.For = p.pivotColumns()
		if p.accept(wIn) {
			pv.In = p.pivotList()
		}
	}
	if p.at(wDefault) { // DEFAULT ON NULL (0)
		for p.i < int(p.toks[open].mate) {
			p.skip()
		}
	}
	if p.accept2(wGroup, wBy) {
		pv.Group = p.exprList(open)
	}
	if pv.Values == nil || pv.For == nil {
		p.noteAt(start, p.cur().end, "pivot without columns")
	}
	p.expect(open, "text in PIVOT was not read")
	if pv.Alias = p.alias(tableAlias); pv.Alias.Text != "" && p.at(oLparen) {
		pv.Columns = p.columnList()
	}
	pv.Span = p.from(start)
	return pv
}

// itemsUntil parses items up to the word stop or the bracket that closes open.
func (p *parser) itemsUntil(stop code, open int) []*Item {
	m := p.items.mark()
	for p.i < int(p.toks[open].mate) && !p.at(stop) {
		before := p.i
		p.items.push(p.item(false))
		if !p.accept(oComma) && !p.at(stop) && p.i == before {
			break
		}
	}
	return p.items.cut(m)
}

// pivotColumns parses one column or a parenthesized list of columns.
func (p *parser) pivotColumns() []Expr {
	if p.at(oLparen) {
		open := p.i
		p.next()
		out := p.exprList(open)
		p.expect(open, "text in a list of columns was not read")
		return out
	}
	return []Expr{p.primary()} // no operator: IN belongs to the pivot
}

// pivotList reads the list after IN: values with aliases, a query, or ANY.
func (p *parser) pivotList() []*Item {
	if !p.at(oLparen) { // an enum's name, in DuckDB
		return []*Item{p.item(false)}
	}
	open, start := p.i, p.start()
	p.next()
	var out []*Item
	switch {
	case p.startsQuery():
		q := p.query()
		out = []*Item{{Span: q.Span, Expr: &Subquery{Span: q.Span, Query: q}}}
	case p.accept(wAny):
		out = []*Item{{Span: p.from(start), Expr: &Star{Span: p.from(start)}}}
		if p.accept2(wOrder, wBy) {
			p.orderList(false)
		}
	default:
		out = p.itemsUntil(noCode, open)
	}
	p.expect(open, "text in a pivot's list was not read")
	return out
}

// pivotStatement reads DuckDB's PIVOT t ON c USING sum(x) GROUP BY y and UNPIVOT t ON a, b INTO
// NAME n VALUE v.
func (p *parser) pivotStatement(s *Statement) {
	start := p.start()
	pv := &Pivot{Unpivot: p.at(wUnpivot)}
	p.next()
	src := p.source(Source{})
	if p.accept(wOn) {
		p.pivotOn(pv)
	}
	if p.accept(wUsing) {
		pv.Values = p.selectItems()
	}
	if p.accept(wInto) {
		p.accept(wName)
		pv.For = []Expr{p.primary()}
		p.accept(wValue)
		pv.Values = p.selectItems()
	}
	if p.accept2(wGroup, wBy) {
		for {
			pv.Group = append(pv.Group, p.groupItem())
			if !p.accept(oComma) {
				break
			}
		}
	}
	pv.Span = p.from(start)
	if pv.For == nil || pv.Values == nil && pv.Unpivot {
		p.noteAt(pv.Start, pv.End, "pivot without columns")
	} else if pv.Values == nil { // what DuckDB does without USING
		pv.Values = []*Item{{Expr: &Call{Name: Name{{Text: "count"}}, Args: []Expr{&Star{}}}}}
	}
	src.Pivots = append(src.Pivots, pv)
	q := p.starQuery(src)
	p.tail(q)
	q.Span = p.from(start)
	s.Query = q
}

// pivotOn parses the columns after ON. Those of PIVOT may have lists of values; those of UNPIVOT are the columns to
// turn into rows.
func (p *parser) pivotOn(pv *Pivot) {
	if pv.Unpivot {
		pv.In = p.selectItems()
		return
	}
	for {
		pv.For = append(pv.For, p.primary())
		if p.accept(wIn) {
			pv.In = append(pv.In, p.pivotList()...)
		}
		if !p.accept(oComma) {
			return
		}
	}
}

// recognize reads MATCH_RECOGNIZE (…) with its alias.
func (p *parser) recognize() *Recognize {
	start := p.start()
	p.next()
	open := p.i
	end := int(p.toks[open].mate)
	p.next()
	r := &Recognize{}
	for p.i < end {
		switch {
		case p.accept2(wPartition, wBy):
			for {
				r.Partition = append(r.Partition, p.expr())
				if !p.accept(oComma) {
					break
				}
			}
		case p.accept2(wOrder, wBy):
			r.OrderBy = p.orderList(false)
		case p.accept(wMeasures):
			r.Measures = p.measures(end)
		case p.accept(wDefine):
			r.Define = p.definitions(end)
		default: // row options, PATTERN, SUBSET
			s := p.start()
			for p.i < end && !recognizeWord[p.cur().code] {
				p.skip()
			}
			if p.start() == s {
				p.skip()
			}
			if r.Pattern != "" {
				r.Pattern += " "
			}
			r.Pattern += p.flat(p.from(s))
		}
	}
	p.expect(open, "text in MATCH_RECOGNIZE was not read")
	r.Alias = p.alias(tableAlias)
	r.Span = p.from(start)
	return r
}

var recognizeWord = wordSet(wPartition, wOrder, wMeasures, wDefine)

// measures reads expression AS name, …, up to end.
func (p *parser) measures(end int) []*Item {
	return p.named(end, func(it *Item) {
		if p.at(wFinal) || p.at(wRunning) {
			p.next()
		}
		it.Expr = p.expr()
		if p.accept(wAs) {
			it.Alias = p.ident()
		}
	})
}

// definitions reads name AS condition, …, up to end.
func (p *parser) definitions(end int) []*Item {
	return p.named(end, func(it *Item) {
		it.Alias = p.ident()
		if !p.accept(wAs) {
			it.Alias = Ident{}
		}
		it.Expr = p.expr()
	})
}

// named parses items separated by commas up to end with the function read. An item without a name gets a note.
func (p *parser) named(end int, read func(*Item)) []*Item {
	m := p.items.mark()
	for p.i < end {
		it := p.items_.new()
		start := p.start()
		read(it)
		it.Span = p.from(start)
		if it.Alias.Text == "" {
			p.noteAt(it.Start, it.End, "measure or definition without a name")
		}
		p.items.push(it)
		if !p.accept(oComma) {
			break
		}
	}
	return p.items.cut(m)
}

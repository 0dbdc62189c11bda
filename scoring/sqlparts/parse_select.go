package sqlparts

import "strings"

// selectQuery parses a SELECT or FROM-first query, without ORDER BY and LIMIT. TOP becomes the query's limit.
func (p *parser) selectQuery() *Query {
	start := p.start()
	sel := p.selects.new()
	q := p.newQuery(Span{}, sel)
	if p.accept(wFrom) {
		sel.From = p.fromList()
	}
	listed := p.accept(wSelect)
	if listed {
		p.selectHead(sel, q)
		sel.Items = p.selectItems()
	}
	for p.clause(sel) {
	}
	if !listed { // FROM t alone
		sel.Items = []*Item{{Span: p.from(p.start()), Expr: &Star{Span: Span{start, start}}}}
	}
	sel.Span = p.from(start)
	q.Span = sel.Span
	return q
}

// selectHead parses the modifiers between SELECT and the list: hints, DISTINCT, TOP, AS STRUCT …
func (p *parser) selectHead(sel *Select, q *Query) {
	for {
		switch t := p.cur(); {
		case t.kind == tokHint:
			s := p.text()
			sel.Hints = append(sel.Hints, strings.TrimSpace(s[3:len(s)-2]))
			p.next()
		case t.code == wDistinct, t.code == wDistinctrow,
			t.code == wUnique && p.ahead(1).kind == tokWord && !reserved[p.ahead(1).code]:
			p.next()
			sel.Distinct = true
			if p.at2(wOn, oLparen) {
				p.next()
				open := p.i
				p.next()
				sel.DistinctOn = p.exprList(open)
				p.expect(open, "text in DISTINCT ON was not read")
			}
		case t.code == wAll && p.ahead(1).code != oComma && p.ahead(1).code != wFrom && p.ahead(1).code != oDot:
			p.next()
		case t.code == wTop && p.topCount():
			p.top(q)
		case t.code == wAs && (p.ahead(1).code == wStruct || p.ahead(1).code == wValue):
			p.next()
			sel.As = "struct"
			if p.at(wValue) {
				sel.As = "value"
			}
			p.next()
		case selectModifiers[t.code] && p.ahead(1).code != oComma && p.ahead(1).code != wFrom:
			p.next()
		case t.code == wWith: // SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (…)
			for p.cur().kind == tokWord && p.ahead(1).kind == tokWord {
				p.next()
			}
			p.next()
			p.skip()
		default:
			return
		}
	}
}

// selectModifiers are MySQL's words between SELECT and the list.
var selectModifiers = wordSet(wSqlCalcFoundRows, wSqlNoCache, wHighPriority, wStraightJoin)

// topCount reports whether a count follows TOP, so that TOP is not a column.
func (p *parser) topCount() bool {
	t := p.ahead(1)
	return t.kind == tokNumber || t.kind == tokParam || t.code == oLparen
}

// top reads TOP n, TOP (n), with PERCENT and WITH TIES.
func (p *parser) top(q *Query) {
	l := p.limitOf(q)
	p.next()
	l.Count = p.primary()
	l.Percent = p.accept(wPercent)
	l.WithTies = p.accept2(wWith, wTies)
	l.End = p.from(l.Start).End
}

// selectItems reads the list after SELECT; a trailing comma is allowed.
func (p *parser) selectItems() []*Item {
	m := p.items.mark()
	for !p.ends() && !hardClause[p.cur().code] {
		p.items.push(p.item(true))
		if start := p.start(); !p.clauseFollows() || p.at(wAs) {
			for p.skip(); !p.clauseFollows() || p.at(wAs); {
				p.skip()
			}
			p.noteAt(start, p.from(start).End, "text after a select item was not read")
		}
		if !p.accept(oComma) {
			break
		}
	}
	return p.items.cut(m)
}

// item parses an expression with an optional alias. If sweep is set, as in a select list, the alias may also come
// first, and text after the expression that is not understood makes the whole item raw text.
func (p *parser) item(sweep bool) *Item {
	it := p.items_.new()
	start := p.start()
	if sweep && p.prefixAlias(it) {
		it.Expr = p.expr()
	} else {
		it.Expr = p.expr()
		it.Alias = p.alias(selectAlias)
	}
	if sweep {
		e := p.sweep(it.Expr, start)
		if e != it.Expr {
			it.Expr, it.Alias = e, p.alias(selectAlias)
		}
	}
	it.Span = p.from(start)
	return it
}

// prefixAlias parses alias = in T-SQL or alias : in DuckDB into it.Alias, and reports whether there is one.
func (p *parser) prefixAlias(it *Item) bool {
	t := p.cur()
	if t.kind != tokWord && t.kind != tokQuoted && !(t.kind == tokParam && p.syntax.aliasEquals) {
		return false
	}
	switch p.ahead(1).code {
	case oEqual:
		if !p.syntax.aliasEquals {
			return false
		}
	case oColon:
		if p.dialect != DuckDB {
			return false
		}
	default:
		return false
	}
	if t.kind == tokParam {
		it.Alias = Ident{Text: p.text()}
		p.next()
	} else {
		it.Alias = p.ident()
	}
	p.next()
	return true
}

// alias parses [AS] name and returns the name, empty if there is none. Without AS, a keyword is an alias only if
// allowed contains it.
func (p *parser) alias(allowed *[lastCode]bool) Ident {
	t := p.cur()
	if t.code == wAs {
		switch n := p.ahead(1); {
		case n.kind == tokWord, n.kind == tokQuoted, n.kind == tokDouble, n.kind == tokString, n.kind == tokParam:
			p.next()
			return p.ident()
		case n.code == oLparen: // AS (a, b): the names of a generator's columns
			p.next()
			c := p.columnList()
			if len(c) > 0 {
				return c[0]
			}
		}
		return Ident{}
	}
	switch t.kind {
	case tokWord:
		if t.code != 0 && !allowed[t.code] || p.ends() ||
			p.syntax.bareStatements && (serverWord[t.code] || bareStatement[strings.ToLower(p.text())]) {
			return Ident{}
		}
	case tokQuoted, tokDouble, tokString:
	default:
		return Ident{}
	}
	return p.ident()
}

// ident parses any word or quoted name as a name. If the statement or bracket ends here, it returns an empty name and
// adds a note.
func (p *parser) ident() Ident {
	t := p.cur()
	if p.ends() {
		p.noteAt(t.start, t.end, "name expected")
		return Ident{}
	}
	id := p.identOf(t)
	p.next()
	return id
}

// columnList parses (a, b) and returns the names. Types after the names are skipped.
func (p *parser) columnList() []Ident {
	open := p.i
	end := int(p.toks[open].mate)
	p.next()
	m := p.idents.mark()
	for p.i < end {
		p.idents.push(p.ident())
		for p.i < end && !p.at(oComma) {
			p.skip()
		}
		p.accept(oComma)
	}
	p.expect(open, "text in a list of names was not read")
	return p.idents.cut(m)
}

// clause parses one clause of a select, which may be any of them, and reports whether there was one.
func (p *parser) clause(sel *Select) bool {
	t := p.cur()
	switch t.code {
	case wFrom:
		p.next()
		from := p.fromList()
		if len(sel.From) > 0 && len(from) > 0 {
			from[0].Join = CommaJoin
			p.noteAt(t.start, t.end, "second FROM")
		}
		sel.From = append(sel.From, from...)
	case wWhere:
		p.next()
		sel.Where = p.and(sel.Where, p.condition())
	case wGroup:
		if p.ahead(1).code != wBy {
			return p.unknownClause()
		}
		p.next()
		p.next()
		p.groupBy(sel)
	case wHaving:
		p.next()
		sel.Having = p.and(sel.Having, p.condition())
	case wQualify:
		p.next()
		sel.Qualify = p.and(sel.Qualify, p.condition())
	case wWindow:
		p.next()
		p.windows(sel)
	case wInto:
		if n := p.ahead(1).code; n == wOutfile || n == wDumpfile {
			return false
		}
		p.next()
		p.acceptAny(wTemp, wTemporary, wUnlogged)
		p.accept(wTable)
		sel.Into = p.targetName()
		for p.accept(oComma) { // INTO @a, @b
			p.skip()
		}
	case wStart, wConnect:
		if n := p.ahead(1).code; n != wWith && n != wBy {
			return p.unknownClause()
		}
		p.next()
		p.next()
		p.accept(wNocycle)
		sel.Connect = append(sel.Connect, p.condition())
	case wDistribute, wSort, wCluster, wPartition:
		if p.ahead(1).code != wBy {
			return p.unknownClause()
		}
		p.next()
		p.next()
		for _, o := range p.orderList(true) {
			sel.Extra = append(sel.Extra, o.Expr)
		}
	case wUsing: // DuckDB: USING SAMPLE 10%
		if p.ahead(1).code != wSample {
			return p.unknownClause()
		}
		start := p.start()
		p.next()
		p.next()
		sample := p.clauseText(start)
		if n := len(sel.From); n > 0 {
			sel.From[n-1].Sample = sample
		}
	case wLateral:
		if p.ahead(1).code != wView {
			return p.unknownClause()
		}
		sel.From = append(sel.From, p.lateralView())
	case wOrder, wLimit, wOffset, wFetch, wFor, wOption, wLock, wUnion, wExcept, wMinus, wIntersect:
		return false
	case wLeft, wFull, wInner: // BigQuery: FULL OUTER UNION
		if !p.setOpAhead() {
			return p.unknownClause()
		}
		return false
	default:
		return p.unknownClause()
	}
	return true
}

// clauseText skips to the next clause and returns the text from start, without adding a note.
func (p *parser) clauseText(start int32) *Raw {
	for !p.ends() && !clauseWord[p.cur().code] {
		p.skip()
	}
	r := &Raw{Span: p.from(start)}
	r.Text = p.flat(r.Span)
	return r
}

// unknownClause skips to the next clause, with a note, and reports whether more text of the query may follow. It skips
// nothing and returns false before a word that starts a statement.
func (p *parser) unknownClause() bool {
	t := p.cur()
	if p.ends() || t.code == wWith || t.code == wSelect || t.code == wSet ||
		beginsStatement(t.code) && t.code != wFor && t.code != wCluster && t.code != wStart {
		return false
	}
	start := p.start()
	p.skip()
	for !p.ends() && !clauseWord[p.cur().code] && !p.alters() {
		p.skip()
	}
	s := p.from(start)
	p.noteAt(s.Start, s.End, "clause was not read")
	return !p.ends()
}

// and returns the conjunction of the conditions of a clause that is written twice. a may be nil.
func (p *parser) and(a, b Expr) Expr {
	if a == nil {
		return b
	}
	return p.chain(a, false, b)
}

// chain returns a AND b, or a OR b if or is set. If a is such a chain already, b is appended to it.
func (p *parser) chain(a Expr, or bool, b Expr) Expr {
	l, ok := a.(*Logic)
	if !ok || l.Or != or {
		l = p.logics.new()
		l.Or, l.Args = or, []Expr{a}
	}
	l.Args = append(l.Args, b)
	l.Span = spanOf(l.Args[0], b)
	return l
}

// groupBy reads the list after GROUP BY.
func (p *parser) groupBy(sel *Select) {
	g := &GroupBy{}
	start := p.start()
	if t := p.ahead(1); p.at(wAll) &&
		(t.kind == tokEOF || t.kind == tokWord || isCloser(t.code) || t.code == oSemicolon || t.code == oPipe) {
		p.next()
		g.All = true
	} else {
		if !p.accept(wAll) {
			g.Distinct = p.accept(wDistinct)
		}
		m := p.exprs.mark()
		for !p.ends() && !hardClause[p.cur().code] {
			p.exprs.push(p.groupItem())
			if !p.accept(oComma) {
				break
			}
		}
		g.Items = p.exprs.cut(m)
	}
	if p.at(wWith) {
		if n := p.ahead(1); n.code == wRollup || n.code == wCube {
			kind := "rollup"
			if n.code == wCube {
				kind = "cube"
			}
			p.next()
			p.next()
			g.Items = []Expr{&Grouping{Span: p.from(start), Kind: kind, Args: g.Items}}
		}
	}
	g.Span = p.from(start)
	sel.Group = g
}

// groupItem reads one element of GROUP BY or of a grouping set.
func (p *parser) groupItem() Expr {
	start := p.start()
	kind := ""
	switch {
	case p.at2(wRollup, oLparen):
		kind = "rollup"
	case p.at2(wCube, oLparen):
		kind = "cube"
	case p.at2(wGrouping, wSets) && p.ahead(2).code == oLparen:
		kind = "grouping sets"
		p.next()
	default:
		e := p.expr()
		p.alias(selectAlias)                   // pipe syntax: GROUP BY x AS y; a mistake elsewhere
		if p.accept(wAsc) || p.accept(wDesc) { // old MySQL
			p.accept2(wNulls, wFirst)
		}
		return p.sweep(e, start)
	}
	p.next()
	open := p.i
	g := &Grouping{Kind: kind}
	height, ok := p.enter()
	if !ok {
		p.skip()
		return p.raw(start, "nested too deeply: carried as text")
	}
	p.next()
	end := int(p.toks[open].mate)
	m := p.exprs.mark()
	for p.i < end {
		p.exprs.push(p.groupItem())
		if !p.accept(oComma) {
			break
		}
	}
	g.Args = p.exprs.cut(m)
	p.expect(open, "text in a grouping was not read")
	p.leave(height)
	g.Span = p.from(start)
	return g
}

// windows reads name AS (…), ….
func (p *parser) windows(sel *Select) {
	for !p.ends() && !clauseWord[p.cur().code] {
		start := p.start()
		d := &WindowDef{Name: p.ident()}
		p.accept(wAs)
		d.Window = p.window()
		d.Span = p.from(start)
		sel.Windows = append(sel.Windows, d)
		if !p.accept(oComma) {
			return
		}
	}
}

// condition parses the expression of WHERE, ON, HAVING or QUALIFY. An operand of AND or OR that is followed by text
// that is not understood becomes raw text with it, and parsing continues after it.
func (p *parser) condition() Expr {
	start := p.start()
	e := p.expr()
	for !p.conditionEnds() {
		at := start
		l, chained := e.(*Logic)
		if chained {
			at, _ = rangeOf(l.Args[len(l.Args)-1])
		}
		for !p.conditionEnds() && !p.at(wAnd) && !p.at(wOr) {
			p.skip()
		}
		raw := p.raw(at, "condition carried as text")
		if chained {
			l.Args[len(l.Args)-1] = raw
			l.End = raw.End
		} else {
			e = raw
		}
		if or := p.at(wOr); or || p.at(wAnd) {
			if !p.grow() {
				return p.carry(start, "chain is too long: carried as text")
			}
			p.next()
			e = p.chain(e, or, p.expr())
		}
	}
	return e
}

// conditionEnds reports whether the current token may follow a condition.
func (p *parser) conditionEnds() bool {
	t := p.cur()
	return p.ends() || t.code == oComma || clauseWord[t.code] || joinWord[t.code] || beginsStatement(t.code)
}

// sweep returns e if a clause, a comma or the end follows it. Otherwise it returns everything from start up to there as
// raw text.
func (p *parser) sweep(e Expr, start int32) Expr {
	if p.clauseFollows() {
		return e
	}
	for !p.clauseFollows() {
		p.skip()
	}
	return p.raw(start, "expression carried as text")
}

func (p *parser) clauseFollows() bool {
	t := p.cur()
	return p.ends() || t.code == oComma || clauseWord[t.code] || beginsStatement(t.code) || t.code == wAs
}

func rangeOf(n Node) (start, end int32) {
	s, e := n.Range()
	return int32(s), int32(e)
}

// spanOf returns the span from the start of a to the end of b.
func spanOf(a, b Node) Span {
	s, _ := rangeOf(a)
	_, e := rangeOf(b)
	return Span{s, max(s, e)}
}

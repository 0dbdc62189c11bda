package sqlparts

import "strings"

// newSource returns a copy of the source with the next number of the script.
func (p *parser) newSource(of Source) *Source {
	src := p.sources_.new()
	p.count.sources++
	*src, src.id = of, p.count.sources
	return src
}

// source parses one table expression with its suffixes (alias, sample, pivot …), up to its join condition.
func (p *parser) source(j Source) *Source {
	src := p.newSource(j)
	start := p.start()
	for p.at(wLateral) || p.at(wOnly) && p.beginsName(p.i+1) {
		src.Lateral, src.Only = src.Lateral || p.at(wLateral), src.Only || p.at(wOnly)
		p.next()
	}
	t := p.cur()
	switch {
	case t.code == oLparen:
		p.parenSource(src)
	case t.code == wValues && p.ahead(1).code == oLparen:
		v := p.values()
		src.Query = p.newQuery(v.Span, v)
	case t.code == wTable && p.ahead(1).code == oLparen:
		p.tableCall(src)
	case t.code == wRows && p.ahead(1).code == wFrom && p.ahead(2).code == oLparen: // Postgres: ROWS FROM (f(x), …)
		p.next()
		p.next()
		open := p.i
		p.next()
		src.Call = &Call{Name: Name{{Text: "rows from"}}, Args: p.exprList(open)}
		p.expect(open, "text in ROWS FROM was not read")
		src.Call.Span = p.from(start)
	case t.kind == tokString:
		src.Table, src.FromString = Name{{Text: p.stringOf(t), Quoted: true}}, true
		p.next()
	case t.kind == tokParam:
		src.Table = Name{{Text: p.text()}}
		p.next()
		for p.at(oDot) {
			p.next()
			src.Table = append(src.Table, p.ident())
		}
	case t.kind == tokWord && !reserved[t.code] || t.kind == tokQuoted || t.kind == tokDouble:
		p.namedSource(src)
	default:
		for !p.ends() && !p.at(oComma) && !clauseWord[p.cur().code] && !p.at(wJoin) && !beginsStatement(p.cur().code) {
			p.skip()
		}
		src.Raw = p.raw(start, "table expected: carried as text")
	}
	src.Span = p.from(start)
	p.sourceSuffixes(src)
	return src
}

// parenSource reads a derived table or a parenthesised join.
func (p *parser) parenSource(src *Source) {
	open, start := p.i, p.start()
	height, ok := p.enter()
	if !ok {
		p.skip()
		src.Raw = p.raw(start, "nested too deeply: carried as text")
		return
	}
	isQuery := p.startsQuery()
	p.next()
	switch {
	case isQuery && !p.at(oLparen):
		src.Query = p.query()
	default:
		nested := p.fromList()
		switch {
		case len(nested) == 1 && bare(nested[0]) && p.queryContinues(): // ((SELECT …) UNION …)
			q := nested[0].Query
			q.closed = true
			s, _ := rangeOf(q)
			q = p.setOpsAfter(s, q)
			p.tail(q)
			src.Query = q
		case len(nested) == 1 && bare(nested[0]):
			src.Query = nested[0].Query
		case len(nested) == 1 && nested[0].Raw != nil:
			src.Raw = nested[0].Raw
		default:
			src.Nested = nested
		}
	}
	p.expect(open, "text in parentheses was not read")
	p.leave(height)
}

// bare reports whether a source is a derived table without alias or other suffixes.
func bare(s *Source) bool {
	return s.Query != nil && s.Alias.Text == "" && s.Pivots == nil && s.Sample == nil && !s.Lateral && s.Recognize == nil
}

// queryContinues reports whether a parenthesized query is followed by a clause or operator that makes it part of a
// larger query.
func (p *parser) queryContinues() bool {
	switch p.cur().code {
	case wUnion, wIntersect, wExcept, wMinus, wOrder, wLimit:
		return true
	}
	return false
}

// tableCall reads TABLE(…) around a function call, a name or a string.
func (p *parser) tableCall(src *Source) {
	start := p.start()
	p.next()
	open := p.i
	p.next()
	if p.startsQuery() {
		src.Query = p.query()
		p.expect(open, "text in TABLE was not read")
		return
	}
	switch e := p.expr().(type) {
	case *Call:
		src.Call = e
	case *Column:
		src.Table = e.Name
	case *Literal:
		src.Table, src.FromString = Name{{Text: e.Text, Quoted: true}}, true
	case *Param:
		src.Table = Name{{Text: e.Text}}
	default:
		src.Call = &Call{Span: p.from(start), Name: Name{{Text: "table"}}, Args: []Expr{e}}
	}
	p.expect(open, "text in TABLE was not read")
}

// namedSource reads a table's name or a table function.
func (p *parser) namedSource(src *Source) {
	start := p.start()
	name := p.tableName()
	if !p.at(oLparen) || p.dialect == TSQL && p.ahead(1).code == wNolock {
		src.Table = name
		return
	}
	c := p.call(start, name)
	if strings.EqualFold(name.Last().Text, "identifier") && len(c.Args) == 1 {
		if l, ok := c.Args[0].(*Literal); ok && l.Kind == String { // IDENTIFIER('schema.table')
			for _, part := range strings.Split(l.Text, ".") {
				bare := strings.Trim(part, "`\"")
				src.Table = append(src.Table, Ident{Text: bare, Quoted: bare != part})
			}
			return
		}
	}
	src.Call = c
}

// tableName parses a dotted name. In BigQuery an unquoted part may contain dashes, and dots in a quoted part separate
// parts.
func (p *parser) tableName() Name {
	m := p.idents.mark()
	for {
		t := p.cur()
		switch {
		case t.kind == tokQuoted && (p.dialect == BigQuery || p.dialect == Generic && p.sql[t.start] == '`'):
			text := p.identOf(t).Text
			p.next()
			for {
				part, rest, more := strings.Cut(text, ".")
				p.idents.push(Ident{Text: part, Quoted: true})
				if !more {
					break
				}
				text = rest
			}
		case t.kind == tokWord && p.syntax.dashName:
			end := p.dashed()
			p.idents.push(Ident{Text: p.sql[t.start:end]})
		default:
			p.idents.push(p.ident())
		}
		if !p.accept(oDot) {
			break
		}
		p.accept(oDot) // db..table
		if k := p.cur().kind; k != tokWord && k != tokQuoted && k != tokDouble && k != tokParam {
			if p.at(oStar) { // dataset.*
				p.next()
			}
			break
		}
	}
	if p.syntax.dashName && p.at(oStar) && p.cur().start == p.from(0).End { // events_*, unquoted
		p.next()
	}
	return Name(p.idents.cut(m))
}

// dashed skips a name whose parts may be joined by dashes, without white space, and returns its end.
func (p *parser) dashed() int32 {
	end := p.cur().end
	p.next()
	for p.at(oMinus) && p.cur().start == end {
		t := p.ahead(1)
		if t.start != p.cur().end || t.kind != tokWord && t.kind != tokNumber {
			break
		}
		end = t.end
		p.next()
		p.next()
		if t.kind == tokNumber && p.cur().kind == tokWord && p.cur().start == end { // project-123abc
			end = p.cur().end
			p.next()
		}
	}
	return end
}

// sourceSuffixes parses the clauses after a table: time travel, samples, aliases, pivots, hints.
func (p *parser) sourceSuffixes(src *Source) {
	for p.sourceSuffix(src) {
	}
}

func (p *parser) sourceSuffix(src *Source) bool {
	start := p.start()
	n := p.ahead(1).code
	switch t := p.cur(); t.code {
	case wAt, wBefore, wChanges:
		if n != oLparen {
			break
		}
		p.next()
		src.Version = p.balanced(start)
		return true
	case wFor:
		if n != wSystemTime && n != wVersion && n != wTimestamp && n != wSystemVersion {
			break
		}
		p.next()
		p.next()
		p.accept(wAs)
		p.accept(wOf)
		src.Version = p.expr()
		return true
	case wVersion, wTimestamp:
		if n != wAs || p.ahead(2).code != wOf {
			break
		}
		p.next()
		p.next()
		p.next()
		src.Version = p.expr()
		return true
	case wTablesample, wSample:
		if t.code == wSample && n != oLparen && n != wBernoulli && n != wSystem && n != wBlock && n != wRow {
			break
		}
		p.next()
		for sampleWord[p.cur().code] && p.ahead(1).code == oLparen || p.at(oLparen) {
			p.skip() // a method's name or its parentheses
		}
		if p.cur().kind == tokNumber { // 10%, 10 PERCENT, 10 ROWS
			p.next()
			p.acceptAny(oPercent, wPercent, wRows)
		}
		if s := p.from(start); s.End == t.end {
			p.noteAt(s.Start, s.End, "sample without a size")
		}
		r := &Raw{Span: p.from(start)}
		r.Text = p.flat(r.Span)
		src.Sample = r
		return true
	case wPivot, wUnpivot:
		if n != oLparen && n != wInclude && n != wExclude {
			break
		}
		src.Pivots = append(src.Pivots, p.pivot())
		return true
	case wMatchRecognize:
		if n != oLparen {
			break
		}
		src.Recognize = p.recognize()
		return true
	case wWith:
		switch n {
		case wOffset, wOrdinality:
			p.next()
			p.next()
			if src.Offset = (Ident{Text: "ordinality"}); n == wOffset {
				if src.Offset = p.alias(tableAlias); src.Offset.Text == "" {
					src.Offset.Text = "offset"
				}
			}
			return true
		case oLparen: // T-SQL table hints
			p.next()
			p.skip()
			return true
		}
		return false
	case wUse, wForce, wIgnore:
		if n != wIndex && n != wKey {
			break
		}
		for p.cur().kind == tokWord {
			p.next()
		}
		p.skip()
		return true
	case wIndexed:
		if n != wBy {
			break
		}
		p.next()
		p.next()
		p.ident()
		return true
	case wNot:
		if n != wIndexed {
			return false
		}
		p.next()
		p.next()
		return true
	case wPartition:
		if n != oLparen {
			return false
		}
		p.next()
		p.skip()
		return true
	case oLparen: // T-SQL's old table hints, t (NOLOCK), and options of a stage
		if n == wNolock || len(src.Table) == 1 && strings.HasPrefix(src.Table[0].Text, "@") {
			p.skip()
			return true
		}
		return false
	}
	if src.Alias.Text != "" {
		return false
	}
	if t := p.cur(); t.kind == tokParam && strings.HasPrefix(p.text(), "@v") && p.dialect == Databricks { // t@v12
		src.Version = &Param{Span: Span{t.start, t.end}, Text: p.text()}
		p.next()
		return true
	}
	if p.dialect == DuckDB && p.at(oColon) && len(src.Table) == 1 { // prefix alias
		height, ok := p.enter()
		if !ok {
			return false
		}
		p.next()
		src.Alias = src.Table[0]
		src.Table = nil
		inner := p.source(Source{})
		p.leave(height)
		inner.Join, inner.Natural, inner.Asof, inner.Positional, inner.Alias = src.Join, src.Natural, src.Asof,
			src.Positional, src.Alias
		*src = *inner
		return false
	}
	if p.at2(wAs, oLparen) { // AS (a, b) without an alias
		p.next()
		src.Columns = p.columnList()
		return true
	}
	if src.Alias = p.alias(tableAlias); src.Alias.Text == "" {
		return false
	}
	if p.at(oLparen) && p.ahead(1).code != wNolock {
		src.Columns = p.columnList()
	}
	return true
}

// balanced skips a bracket and its content. It returns the text from start to its end, without adding a note.
func (p *parser) balanced(start int32) *Raw {
	p.skip()
	r := &Raw{Span: p.from(start)}
	r.Text = p.flat(r.Span)
	return r
}

// lateralView reads LATERAL VIEW [OUTER] f(x) t AS a, b.
func (p *parser) lateralView() *Source {
	src := p.newSource(Source{})
	start := p.start()
	src.Lateral, src.Join = true, CommaJoin
	p.next()
	p.next()
	if p.accept(wOuter) {
		src.Join = LeftJoin
	}
	s := p.start()
	name := p.tableName()
	if p.at(oLparen) {
		src.Call = p.call(s, name)
	} else {
		src.Table = name
	}
	if !p.at(wAs) {
		src.Alias = p.alias(tableAlias)
	}
	if p.accept(wAs) {
		m := p.idents.mark()
		for {
			p.idents.push(p.ident())
			if !p.accept(oComma) {
				break
			}
		}
		src.Columns = p.idents.cut(m)
	}
	src.Span = p.from(start)
	return src
}

var sampleWord = wordSet(wRepeatable, wSeed, wBernoulli, wSystem, wBlock, wRow, wReservoir)

package sqlparts

// fromList reads the sources of FROM and their joins.
func (p *parser) fromList() []*Source {
	m := p.sources.mark()
	for first := true; ; first = false {
		start := p.start()
		var j Source
		switch {
		case first:
		case p.accept(oComma):
			j.Join = CommaJoin
			if p.ends() || hardClause[p.cur().code] { // trailing comma
				return p.sources.cut(m)
			}
		case p.join(&j):
		case p.at2(wLateral, wView):
			p.sources.push(p.lateralView())
			continue
		default:
			return p.sources.cut(m)
		}
		src := p.source(j)
		src.Start = start
		p.sources.push(p.joinCondition(src, m))
	}
}

// join parses the keywords of a join into j and reports whether there is a join here.
func (p *parser) join(j *Source) bool {
	n := 0
	for ; ; n++ {
		c := p.ahead(n).code
		if c == wJoin || c == wApply || c == wStraightJoin {
			break
		}
		if !joinWord[c] || n > 6 {
			return false
		}
	}
	j.Join = InnerJoin
	outer := false
	for k := 0; k <= n; k++ {
		switch p.cur().code {
		case wLeft:
			j.Join = LeftJoin
		case wRight:
			j.Join = RightJoin
		case wFull:
			j.Join = FullJoin
		case wCross:
			j.Join = CrossJoin
		case wSemi:
			j.Join = SemiJoin
		case wAnti:
			j.Join = AntiJoin
		case wOuter:
			outer = true
		case wNatural:
			j.Natural = true
		case wAsof:
			j.Asof = true
		case wPositional:
			j.Positional = true
		case wApply:
			j.Lateral = true
			if outer {
				j.Join = LeftJoin
			}
		}
		p.next()
	}
	if outer && j.Join == InnerJoin {
		j.Join = FullJoin // OUTER JOIN alone
	}
	return true
}

// joinCondition parses ON, USING and MATCH_CONDITION after src, and returns the source to append to the FROM list: src,
// or a nested join that ends with src. In a JOIN b JOIN c ON … ON …, the second ON belongs to b, so that b JOIN c
// becomes such a nested join.
func (p *parser) joinCondition(src *Source, m int) *Source {
	for {
		switch {
		case p.at(wOn), p.at2(wUsing, oLparen):
			if src.conditioned() {
				if outer := p.postponed(src, m); outer != nil {
					src = outer
				}
			}
			if p.accept(wOn) {
				src.On = p.and(src.On, p.condition())
				break
			}
			p.next()
			src.Using = append(src.Using, p.columnList()...)
			if p.accept(wAs) {
				p.ident()
			}
		case p.at2(wMatchCondition, oLparen):
			p.next()
			open := p.i
			p.next()
			src.Match = p.expr()
			p.expect(open, "text in a match condition was not read")
		default:
			src.Span = p.from(src.Start)
			return src
		}
	}
}

// conditioned reports whether a source has a join condition or needs none.
func (s *Source) conditioned() bool {
	return s.On != nil || len(s.Using) > 0 || s.Join <= CommaJoin || s.Join == CrossJoin || s.Natural
}

// maxPostponed is the maximum number of sources before an ON among which its join is searched.
const maxPostponed = 16

// postponed returns a nested join to which a further condition belongs: it starts at the nearest source since the mark
// without a condition and ends with src. It returns nil if there is none.
func (p *parser) postponed(src *Source, m int) *Source {
	stack := p.sources.stack
	for k := len(stack) - 1; k > max(m, len(stack)-maxPostponed); k-- {
		p.steps++
		first := stack[k]
		if first.Join == CommaJoin {
			break
		}
		if first.conditioned() {
			continue
		}
		if !p.grow() {
			break
		}
		outer := p.newSource(Source{})
		outer.Span = Span{first.Start, src.End}
		outer.Join, outer.Asof, first.Join, first.Asof = first.Join, first.Asof, FirstSource, false
		p.sources.push(src)
		outer.Nested = p.sources.cut(k)
		return outer
	}
	return nil
}

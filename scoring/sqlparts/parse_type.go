package sqlparts

import "strings"

// cast reads CAST(x AS type), TRY_CAST and SAFE_CAST.
func (p *parser) cast() Expr {
	start := p.start()
	height, ok := p.enter()
	if !ok {
		p.next()
		return p.tooDeep()
	}
	c := &Cast{Try: !p.at(wCast)}
	p.next()
	open := p.i
	end := int(p.toks[open].mate)
	p.next()
	slice := p.slice
	p.slice = 0
	c.X = p.expr()
	p.slice = slice
	if p.i < end && (p.accept(wAs) || p.accept(oComma)) {
		from := p.i
		for p.i < end && !p.at(wFormat) && !p.at(wDefault) && !p.at(wUsing) {
			p.skip()
		}
		c.Type = p.typeText(from)
		if p.accept(wFormat) {
			c.Format = p.expr()
		}
	}
	p.expect(open, "text in a cast was not read")
	p.leave(height)
	c.Span = p.from(start)
	return c
}

// convert reads CONVERT(type, x [, style]) of T-SQL and Redshift, CONVERT(x, type) and CONVERT(x
// USING charset) of MySQL.
func (p *parser) convert() Expr {
	start := p.start()
	try := p.at(wTryConvert)
	n := p.oneName()
	open := p.i
	end := int(p.toks[open].mate)
	if !p.contains(open, []code{oComma}) || p.contains(open, []code{wUsing}) {
		return p.call(start, n)
	}
	height, ok := p.enter()
	if !ok {
		return p.call(start, n)
	}
	c := &Cast{Try: try}
	p.next()
	if p.dialect == MySQL {
		c.X = p.expr()
		p.accept(oComma)
		from := p.i
		for p.i < end {
			p.skip()
		}
		c.Type = p.typeText(from)
	} else {
		from := p.i
		for p.i < end && !p.at(oComma) {
			p.skip()
		}
		c.Type = p.typeText(from)
		p.next()
		c.X = p.expr()
		if p.accept(oComma) {
			c.Format = p.expr()
		}
	}
	p.expect(open, "text in a conversion was not read")
	p.leave(height)
	c.Span = p.from(start)
	return c
}

// typedLiteral reports whether a word that is not a keyword starts a typed literal if a string follows it.
func typedLiteral(word string) bool {
	switch strings.ToLower(word) {
	case "timestamptz", "timestamp_tz", "timestamp_ntz", "timestamp_ltz", "timestamp_s", "timestamp_ms", "timestamp_us",
		"timestamp_ns", "timetz", "numeric", "bignumeric", "decimal", "bigdecimal", "jsonb", "uuid":
		return true
	}
	return false
}

// typed parses a typed literal, DATE '2024-01-01', as the equivalent cast.
func (p *parser) typed() Expr {
	start := p.start()
	from := p.i
	for p.cur().kind != tokString {
		p.next()
	}
	c := &Cast{Type: p.words(from, p.i)}
	c.X = p.stringLiteral()
	c.Span = p.from(start)
	return c
}

// typeName parses the name of a type after :: and returns its text, with sizes, <…> and [].
func (p *parser) typeName() string {
	from := p.i
	first := p.cur()
	if k := first.kind; k != tokWord && k != tokQuoted && k != tokDouble && k != tokString {
		p.noteAt(first.start, first.end, "type expected")
		return ""
	}
	p.next()
	for p.at(oDot) && p.ahead(1).kind == tokWord {
		p.next()
		p.next()
	}
	if next := p.cur(); next.kind == tokWord && longType(p.textOf(first), p.textOf(next)) {
		p.next()
	}
	if p.at(oLparen) {
		p.skip()
	}
	if p.at(oLess) && genericType(p.textOf(first)) {
		p.angles()
	}
	if (p.at(wWith) || p.at(wWithout)) && p.timeZoneAhead() {
		for !p.at(wZone) {
			p.next()
		}
		p.next()
	}
	for p.at(oLbracket) &&
		(p.ahead(1).code == oRbracket || p.ahead(1).kind == tokNumber && p.ahead(2).code == oRbracket && !p.syntax.path) {
		p.skip()
	}
	return p.typeText(from)
}

// typeText returns the text of a type: the tokens from index from up to the current one. It adds a note for a token
// that cannot be part of a type.
func (p *parser) typeText(from int) string {
	for k := from; k < p.i; k++ {
		switch t := &p.toks[k]; {
		case t.kind == tokWord, t.kind == tokQuoted, t.kind == tokDouble, t.kind == tokNumber, t.kind == tokString:
		case t.code == oLparen, t.code == oRparen, t.code == oLbracket, t.code == oRbracket, t.code == oComma, t.code == oDot,
			t.code == oLess, t.code == oMore, t.code == oShiftRight, t.code == oColon:
		default:
			p.noteAt(t.start, t.end, "type carried as text")
		}
	}
	return p.words(from, p.i)
}

// longType reports whether two words are the name of one type, such as DOUBLE PRECISION.
func longType(a, b string) bool {
	switch strings.ToLower(a) {
	case "double":
		return strings.EqualFold(b, "precision")
	case "character", "char", "bit", "national":
		return strings.EqualFold(b, "varying") || strings.EqualFold(b, "character") || strings.EqualFold(b, "char")
	case "unsigned", "signed":
		return strings.EqualFold(b, "integer") || strings.EqualFold(b, "int")
	}
	return false
}

// genericType reports whether < after the type name s starts the parameters of the type.
func genericType(s string) bool {
	switch strings.ToLower(s) {
	case "array", "struct", "map", "range", "row", "list":
		return true
	}
	return false
}

// timeZoneAhead reports whether [LOCAL] TIME ZONE follows the current token.
func (p *parser) timeZoneAhead() bool {
	n := 1
	if p.ahead(n).code == wLocal {
		n++
	}
	return p.ahead(n).code == wTime && p.ahead(n+1).code == wZone
}

// angles skips <…>, including nested ones.
func (p *parser) angles() {
	depth := 0
	for !p.ends() {
		switch p.cur().code {
		case oLess:
			depth++
		case oMore:
			depth--
		case oShiftRight:
			depth -= 2
		}
		p.skip()
		if depth <= 0 {
			return
		}
	}
}

// typedList reads STRUCT(…), STRUCT<…>(…) and ARRAY<…>[…].
func (p *parser) typedList(kind ListKind) Expr {
	start := p.start()
	from := p.i
	if t := p.i + 1; p.toks[t].code == oLess { // the parameters of the type
		p.next()
		p.angles()
	} else {
		p.next()
	}
	typ := ""
	if p.i > from+1 {
		typ = p.words(from+2, p.i-1)
		if p.toks[p.i-1].code == oShiftRight {
			typ += ">"
		}
	}
	switch {
	case kind == Array && p.at(oLbracket):
		return p.array(start, typ)
	case p.at(oLparen):
		open := p.i
		height, ok := p.enter()
		if !ok {
			return p.tooDeep()
		}
		end := int(p.toks[open].mate)
		p.next()
		l := &List{Kind: kind, Type: typ}
		m := p.items.mark()
		for p.i < end {
			p.items.push(p.item(false))
			p.toComma(end)
			if !p.accept(oComma) {
				break
			}
		}
		l.Items = p.items.cut(m)
		p.expect(open, "text in a struct was not read")
		p.leave(height)
		l.Span = p.from(start)
		return l
	}
	return p.raw(start, "type without a value: carried as text")
}

// intervalFollows reports whether the token after INTERVAL starts its value. Otherwise INTERVAL is a column.
func (p *parser) intervalFollows(next *token) bool {
	switch next.kind {
	case tokString, tokNumber, tokParam:
		return true
	case tokWord:
		return !reserved[next.code] && p.unitAfterName() || next.code == wCase
	}
	return next.code == oLparen || next.code == oMinus && p.ahead(2).kind == tokNumber
}

// unitAfterName reports whether a unit of time follows the name or call after INTERVAL.
func (p *parser) unitAfterName() bool {
	k := p.i + 2
	for p.toks[k].code == oDot && k+2 < len(p.toks) {
		k += 2
		p.steps++
	}
	if mate := int(p.toks[k].mate); mate > k && mate+1 < len(p.toks) {
		k = mate + 1
	}
	return p.toks[k].kind == tokWord && timeUnit(p.textOf(&p.toks[k]))
}

// interval reads INTERVAL value unit, INTERVAL 'value unit', INTERVAL 'value' unit TO unit.
func (p *parser) interval() Expr {
	start := p.start()
	p.next()
	iv := &Interval{}
	if p.cur().kind == tokString {
		iv.X = p.stringLiteral()
	} else {
		iv.X = p.unary()
	}
	if p.cur().kind == tokWord && timeUnit(p.text()) {
		from := p.i
		p.next()
		if p.at(oLparen) {
			p.skip()
		}
		if p.at(wTo) && timeUnit(p.textOf(p.ahead(1))) {
			p.next()
			p.next()
			if p.at(oLparen) {
				p.skip()
			}
		}
		iv.Unit = p.words(from, p.i)
	}
	iv.Span = p.from(start)
	return iv
}

// timeUnit reports whether a word is a unit of time.
func timeUnit(s string) bool {
	if len(s) < 1 || len(s) > 12 {
		return false
	}
	switch strings.TrimSuffix(strings.ToLower(s), "s") {
	case "year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond",
		"yyyy", "yy", "mon", "mm", "dd", "d", "hh", "mi", "ss", "m", "h", "min", "sec", "isoweek", "decade", "century":
		return true
	}
	return false
}

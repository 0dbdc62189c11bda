package sqlparts

import (
	"strings"
	"unicode"
)

// primary reads an operand and the postfix operators after it: ::type, :path, [index], .field.
func (p *parser) primary() Expr {
	start := p.start()
	e := p.operand()
	for {
		switch p.cur().code {
		case oColons:
			if !p.grow() {
				return p.carry(start, "chain is too long: carried as text")
			}
			p.next()
			c := &Cast{X: e, Type: p.typeName()}
			c.Span = p.from(start)
			e = c
		case oLbracket:
			if !p.indexable(e) || !p.grow() {
				return e
			}
			e = p.index(e, start)
		case oDot:
			t := p.ahead(1)
			if t.kind != tokWord && t.kind != tokQuoted && t.kind != tokDouble && t.code != oStar && t.kind != tokString {
				return e
			}
			if l, ok := e.(*Literal); ok && l.Kind == Number {
				return e
			}
			if !p.grow() {
				return p.carry(start, "chain is too long: carried as text")
			}
			p.next()
			if p.accept(oStar) {
				s := &Star{Qualifier: e}
				p.starModifiers(s)
				s.Span = p.from(start)
				return s
			}
			if p.ahead(1).code == oLparen && p.dialect == DuckDB { // x.f(y): a call with x as its first argument
				s := p.start()
				c := p.call(s, Name{p.ident()})
				c.Args = append([]Expr{e}, c.Args...)
				c.Start = start
				e = c
				continue
			}
			f := &Field{X: e, Name: p.ident()}
			f.Span = p.from(start)
			e = f
		case oColon:
			if !p.syntax.path || p.slice > 0 || isString(e) || !p.pathFollows() {
				return e
			}
			if !p.grow() {
				return p.carry(start, "chain is too long: carried as text")
			}
			p.next()
			e = p.path(e, start)
		case oLparen: // Oracle's and Snowflake's outer join mark: x (+)
			if _, ok := e.(*Column); ok && p.ahead(1).code == oPlus && p.ahead(2).code == oRparen {
				p.skip()
				e = &Unary{Span: p.from(start), Op: "(+)", X: e}
				continue
			}
			return e
		default:
			return e
		}
	}
}

// indexable reports whether [ after e is an index. It is not one in dialects that quote names with brackets, or after a
// number, a star or an interval.
func (p *parser) indexable(e Expr) bool {
	switch e := e.(type) {
	case *Literal:
		return e.Kind == String && p.syntax.brackets != bracketName
	case *Star, *Interval:
		return false
	}
	return p.syntax.brackets != bracketName
}

// index reads [i], [from:to], [from:to:step].
func (p *parser) index(x Expr, start int32) Expr {
	open := p.i
	ix := &Index{X: x}
	p.next()
	p.slice++
	if !p.at(oColon) && !p.at(oRbracket) {
		ix.I = p.expr()
	}
	if p.accept(oColon) {
		ix.Slice = true
		if !p.at(oRbracket) && !p.at(oColon) {
			ix.To = p.expr()
		}
	}
	p.slice--
	p.expect(open, "text in an index was not read")
	ix.Span = p.from(start)
	return ix
}

// pathFollows reports whether the tokens after a colon start a path: a name, a string in Snowflake, or a bracket.
func (p *parser) pathFollows() bool {
	switch t := p.ahead(1); t.kind {
	case tokWord, tokQuoted, tokDouble:
		return true
	case tokString:
		return p.dialect == Snowflake
	default:
		return t.code == oLbracket
	}
}

// path parses the names after a colon: a.b."c". Indexes and the names after them become separate nodes.
func (p *parser) path(x Expr, start int32) Expr {
	pt := &Path{X: x}
	if p.at(oLbracket) { // x:['a']: an index on the path's root
		pt.Span = p.from(start)
		return pt
	}
	first := p.cur()
	pt.Text = pathKey(p.ident().Text)
	if p.at(oDot) && (first.kind == tokWord || first.kind == tokQuoted || first.kind == tokDouble) {
		var b strings.Builder
		b.WriteString(pt.Text)
		for p.at(oDot) && (p.ahead(1).kind == tokWord || p.ahead(1).kind == tokQuoted || p.ahead(1).kind == tokDouble) {
			p.next()
			b.WriteByte('.')
			b.WriteString(pathKey(p.ident().Text))
		}
		pt.Text = b.String()
	}
	pt.Span = p.from(start)
	return pt
}

// pathKey returns a name of a path as [Path] stores it: in double quotes unless it is a plain word.
func pathKey(name string) string {
	for i, r := range name {
		if r != '_' && r != '$' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return name
}

// operand reads an expression without operators.
func (p *parser) operand() Expr {
	t := p.cur()
	switch t.kind {
	case tokNumber:
		l := p.literals.new()
		l.Span, l.Kind, l.Text = Span{t.start, t.end}, Number, p.text()
		p.next()
		return l
	case tokString:
		return p.stringLiteral()
	case tokParam:
		return p.param()
	case tokQuoted, tokDouble:
		return p.name()
	case tokWord:
		return p.wordOperand(t)
	case tokOp:
		switch t.code {
		case oLparen:
			return p.parenOrLambda()
		case oStar:
			s := &Star{}
			start := t.start
			p.next()
			p.starModifiers(s)
			s.Span = p.from(start)
			return s
		case oLbracket:
			return p.array(t.start, "")
		case oLbrace:
			return p.object(t.start)
		case oQuestion, oColon, oPercent:
			if e := p.placeholder(); e != nil {
				return e
			}
		}
	}
	return p.missing()
}

// missing returns a placeholder for a missing operand, with a note. It skips a token that cannot start anything, so
// that parsing continues.
func (p *parser) missing() Expr {
	start := p.start()
	if t := p.cur(); !p.ends() && t.code != oComma && (t.kind != tokWord || !reserved[t.code]) {
		p.skip()
	}
	return p.raw(start, "operand expected")
}

// stringLiteral parses a string, and the strings directly after it if the dialect joins adjacent strings.
func (p *parser) stringLiteral() Expr {
	t := p.cur()
	start := t.start
	l := p.literals.new()
	l.Kind, l.Text = String, p.stringOf(t)
	switch c := p.sql[t.start] | 0x20; {
	case c == 'x':
		l.Kind, l.Text = Bytes, "x"+quoted(l.Text)
	case c == 'b', c == 'r' && p.sql[t.start+1]|0x20 == 'b':
		l.Kind, l.Text = Bytes, "b"+quoted(l.Text)
	}
	p.next()
	if p.syntax.adjacent && p.cur().kind == tokString && l.Kind == String {
		var b strings.Builder
		b.WriteString(l.Text)
		for p.cur().kind == tokString {
			b.WriteString(p.stringOf(p.cur()))
			p.next()
		}
		l.Text = b.String()
	}
	l.Span = p.from(start)
	return l
}

func (p *parser) param() Expr {
	t := p.cur()
	e := &Param{Span: Span{t.start, t.end}, Text: p.text()}
	p.next()
	return e
}

// placeholder parses ?, :name, %s or %(name)s; it returns nil if the current token starts none of them.
func (p *parser) placeholder() Expr {
	start := p.start()
	n := p.ahead(1)
	switch {
	case p.at(oQuestion):
		p.next()
		if t := p.cur(); t.kind == tokNumber && t.start == p.from(start).End {
			p.next()
		}
	case p.at(oColon) && (n.kind == tokWord || n.kind == tokNumber) && n.start == p.cur().end:
		p.next()
		p.next()
	case p.at(oPercent) && n.kind == tokWord && n.start == p.cur().end && n.end == n.start+1:
		p.next()
		p.next()
	case p.at(oPercent) && n.code == oLparen && n.start == p.cur().end && p.ahead(3).code == oRparen &&
		p.ahead(4).kind == tokWord:
		p.next()
		p.skip()
		p.next()
	default:
		return nil
	}
	s := p.from(start)
	return &Param{Span: s, Text: p.sql[s.Start:s.End]}
}

// wordOperand reads an operand that starts with a word.
func (p *parser) wordOperand(t *token) Expr {
	next := p.ahead(1)
	if t.code == 0 {
		if next.kind == tokString && typedLiteral(p.textOf(t)) {
			return p.typed()
		}
		return p.name()
	}
	paren := next.code == oLparen
	switch t.code {
	case wNull, wTrue, wFalse:
		if !paren && next.code != oDot {
			l := p.literals.new()
			l.Span, l.Kind, l.Text = Span{t.start, t.end}, Bool, boolText[t.code]
			if t.code == wNull {
				l.Kind = Null
			}
			p.next()
			return l
		}
	case wCase:
		if next.code != oDot && next.code != oComma {
			return p.caseOf()
		}
	case wCast, wTryCast, wSafeCast:
		if paren {
			return p.cast()
		}
	case wConvert, wTryConvert:
		if paren && (p.dialect == TSQL || p.dialect == MySQL || p.dialect == Redshift) {
			return p.convert()
		}
	case wExists:
		if paren {
			return p.exists()
		}
	case wInterval:
		if p.intervalFollows(next) {
			return p.interval()
		}
	case wArray:
		switch {
		case next.code == oLbracket:
			start := t.start
			p.next()
			return p.array(start, "")
		case next.code == oLess:
			return p.typedList(Array)
		}
	case wStruct:
		if paren || next.code == oLess {
			return p.typedList(Struct)
		}
	case wMap:
		if next.code == oLbrace {
			start := t.start
			p.next()
			return p.object(start)
		}
	case wRow:
		if paren {
			return p.row()
		}
	case wExtract, wTrim, wPosition, wOverlay, wSubstring, wSubstr:
		if paren {
			return p.special(t)
		}
	case wCurrentDate, wCurrentTime, wCurrentTimestamp, wCurrentUser, wCurrentRole, wCurrentSchema, wCurrentCatalog,
		wLocaltime, wLocaltimestamp, wSessionUser:
		if !paren && next.code != oDot {
			c := p.calls.new()
			c.Span, c.Name = Span{t.start, t.end}, p.oneName()
			return c
		}
	case wDate, wTime, wTimestamp, wDatetime, wJson:
		if next.kind == tokString ||
			(next.code == wWith || next.code == wWithout) && p.ahead(2).code == wTime && p.ahead(3).code == wZone &&
				p.ahead(4).kind == tokString {
			return p.typed()
		}
	case wApproximate:
		if p.dialect == Redshift && next.kind == tokWord && p.ahead(2).code == oLparen { // APPROXIMATE COUNT(DISTINCT x)
			return p.prefix("approximate", precUnary)
		}
	case wLambda:
		if p.dialect == DuckDB && next.kind == tokWord {
			return p.lambdaWord()
		}
	case wNot:
		return p.prefix("not", precIs)
	case wDistinct:
		if !reserved[next.code] || next.code == 0 { // in odd places: f((DISTINCT x))
			return p.prefix("distinct", precOr)
		}
	case wSelect, wWith:
		if p.startsQuery() { // a query without its parentheses, as in ARRAY_AGG(SELECT …)
			start := t.start
			q := p.query()
			return &Subquery{Span: p.from(start), Query: q}
		}
	case wTable:
		if p.beginsName(p.i+1) && next.code == 0 {
			start := t.start
			q := p.term()
			return &Subquery{Span: p.from(start), Query: q}
		}
	case wAny, wAll, wSome:
		if paren { // a quantifier without an operator
			return p.name()
		}
	}
	if reserved[t.code] && !(paren && callable[t.code]) && next.code != oDot && !p.reservedAsColumn(t.code, next) {
		return p.missing()
	}
	return p.name()
}

// reservedAsColumn reports whether the reserved word c is a column here, where an operand is required, because the
// dialect does not reserve the word.
func (p *parser) reservedAsColumn(c code, next *token) bool {
	switch p.dialect {
	case Postgres, DuckDB:
		return columnWord[c] && next.kind != tokNumber && next.kind != tokString && next.code != oLparen
	case BigQuery, Databricks, Redshift:
	default:
		return false
	}
	if c != wInsert && c != wUpdate && c != wDelete && c != wDrop {
		return false
	}
	return next.kind == tokEOF || next.code == oSemicolon || next.code == oComma || next.code == wFrom ||
		next.code == wAs || isCloser(next.code)
}

var boolText = map[code]string{wNull: "null", wTrue: "true", wFalse: "false"}

// oneName reads one word as a name.
func (p *parser) oneName() Name {
	m := p.idents.mark()
	p.idents.push(p.ident())
	return Name(p.idents.cut(m))
}

// name parses an expression that starts with a name: a column, a qualified star, a call or a lambda.
func (p *parser) name() Expr {
	start := p.start()
	m := p.idents.mark()
	p.idents.push(p.ident())
	for p.at(oDot) {
		switch t := p.ahead(1); {
		case t.kind == tokWord, t.kind == tokQuoted, t.kind == tokDouble, t.kind == tokParam:
			p.next()
			p.idents.push(p.ident())
			continue
		case t.code == oStar:
			c := p.column(start, m)
			p.next()
			p.next()
			s := &Star{Qualifier: c}
			p.starModifiers(s)
			s.Span = p.from(start)
			return s
		case t.code == oDot: // db..table.column
			p.next()
			continue
		}
		break
	}
	switch p.cur().code {
	case oLparen:
		if t := p.ahead(1); t.code == oPlus && p.ahead(2).code == oRparen {
			break
		}
		n := Name(p.idents.cut(m))
		return p.call(start, n)
	case oArrow:
		if len(p.idents.stack) == m+1 && p.syntax.lambda && p.ahead(1).kind != tokString {
			params := p.idents.cut(m)
			return p.lambda(start, params)
		}
	}
	return p.column(start, m)
}

func (p *parser) column(start int32, mark int) *Column {
	c := p.columns.new()
	p.count.columns++
	c.id = p.count.columns
	c.Name = Name(p.idents.cut(mark))
	c.Span = p.from(start)
	c.double = int(start) < len(p.sql) && p.sql[start] == '"'
	return c
}

// lambda parses -> and the body of a lambda, whose parameters were read.
func (p *parser) lambda(start int32, params []Ident) Expr {
	p.next()
	l := &Lambda{Params: params, X: p.expr()}
	l.Span = p.from(start)
	return l
}

// lambdaWord reads DuckDB's lambda x, y: body.
func (p *parser) lambdaWord() Expr {
	start := p.start()
	p.next()
	m := p.idents.mark()
	for {
		p.idents.push(p.ident())
		if !p.accept(oComma) {
			break
		}
	}
	params := p.idents.cut(m)
	p.accept(oColon)
	l := &Lambda{Params: params, X: p.expr()}
	l.Span = p.from(start)
	return l
}

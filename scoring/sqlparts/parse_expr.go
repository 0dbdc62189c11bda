package sqlparts

// The precedences of operators, loosest first. Where dialects differ, infixAt and compareLevel return the dialect's.
const (
	precNone uint8 = iota
	precAssign
	precOr
	precXor
	precAnd
	precNot
	precIs      // IS, where it binds less tightly than comparisons
	precCompare // comparisons, and IS, IN, BETWEEN and LIKE unless the dialect has a separate level
	precMatch   // IN, BETWEEN and LIKE, or < and its like, where they bind more tightly
	precBit     // | & << >> # and other operators
	precBitXor  // ^ in dialects with separate levels for bit operators
	precBitAnd  //
	precShift   //
	precSum     // + -
	precProduct // * / % DIV
	precPower   // ^ **
	precConcat  // || where it binds tightest, -> and ->>
	precUnary   // - + ~
	precPostfix // AT TIME ZONE, COLLATE
)

// infix describes how an infix operator is parsed.
type infix struct {
	prec uint8
	op   Op
	read func(*parser, Expr, int32) Expr // for predicates; nil for a plain binary operator
}

var infixes [lastCode]infix

func init() {
	set := func(prec uint8, op Op, codes ...code) {
		for _, c := range codes {
			infixes[c] = infix{prec: prec, op: op}
		}
	}
	set(precAssign, ":=", oAssign)
	set(precOr, "or", wOr)
	set(precXor, "xor", wXor)
	set(precAnd, "and", wAnd)
	set(precCompare, "=", oEqual, oEqual2)
	set(precCompare, "<>", oNotEqual, oLessMore, oCaretEqual)
	set(precCompare, "<", oLess)
	set(precCompare, "<=", oLessEqual, oNotMore)
	set(precCompare, ">", oMore)
	set(precCompare, ">=", oMoreEqual, oNotLess)
	set(precCompare, "is not distinct from", oNullSafe)
	set(precCompare, "overlaps", wOverlaps)
	set(precBit, "|", oBar)
	set(precBit, "&", oAmp)
	set(precBit, "#", oHash)
	set(precBit, "<<", oShiftLeft)
	set(precBit, ">>", oShiftRight)
	set(precBit, "&&", oAmp2)
	set(precBit, "@>", oContains)
	set(precBit, "<@", oContained)
	set(precBit, "?", oQuestion)
	set(precBit, "?|", oQuestionBar)
	set(precBit, "?&", oQuestionAmp)
	set(precBit, "@@", oAt2)
	set(precBit, "@?", oAtQuestion)
	set(precBit, "^@", oCaretAt)
	set(precBit, "~", oTilde)
	set(precBit, "~*", oTildeStar)
	set(precBit, "!~", oNotTilde)
	set(precBit, "!~*", oNotTildeStar)
	set(precBit, "<->", oDistance)
	set(precBit, "#>", oHashMore)
	set(precBit, "#>>", oHashMore2)
	set(precBit, "||", oConcat)
	set(precSum, "+", oPlus)
	set(precSum, "-", oMinus)
	set(precProduct, "*", oStar)
	set(precProduct, "/", oSlash)
	set(precProduct, "%", oPercent, wMod)
	set(precProduct, "//", oSlash2)
	set(precProduct, "div", wDiv)
	set(precPower, "^", oCaret)
	set(precPower, "**", oStar2)
	set(precConcat, "->", oArrow)
	set(precConcat, "->>", oArrow2)
	set(precPostfix, "collate", wCollate)

	predicate := func(read func(*parser, Expr, int32) Expr, codes ...code) {
		for _, c := range codes {
			infixes[c] = infix{prec: precCompare, read: read}
		}
	}
	predicate((*parser).is, wIs)
	predicate((*parser).isNull, wIsnull, wNotnull)
	predicate((*parser).negatable, wNot, wIn, wBetween, wLike, wIlike, wRlike, wRegexp, wGlob, wMatch, wSimilar, wMember,
		oLikeTilde, oIlikeTilde, oNotLikeTilde, oNotIlikeTilde)
	infixes[wAt] = infix{prec: precPostfix, read: (*parser).atTimeZone}
	infixes[wOperator] = infix{prec: precBit, read: (*parser).namedOperator}
}

// expr reads an expression of any precedence.
func (p *parser) expr() Expr {
	height, ok := p.enter()
	if !ok {
		return p.tooDeep()
	}
	e := p.binary(precAssign)
	p.leave(height)
	return e
}

// tooDeep keeps an expression that is nested too deeply as raw text: the bracket and its content if one starts here,
// else everything up to the end of the enclosing bracket.
func (p *parser) tooDeep() Expr {
	start := p.start()
	if p.cur().mate > int32(p.i) {
		p.skip()
		return p.raw(start, "nested too deeply: carried as text")
	}
	return p.carry(start, "nested too deeply: carried as text")
}

// infixAt returns the infix operator at the current token and its precedence in this dialect. The precedence is 0 if
// the token is not an operator here.
func (p *parser) infixAt() (*infix, uint8) {
	t := p.cur()
	in := &infixes[t.code]
	switch t.code {
	case 0:
		return in, 0
	case oConcat: // OR in MySQL
		return in, p.syntax.concat
	case oCaret:
		switch {
		case p.dialect == TSQL:
			return in, precSum
		case p.dialect == MySQL:
			return in, precPower
		case p.syntax.caretXor:
			return in, precBitXor
		}
	case oBar, oAmp, oShiftLeft, oShiftRight:
		switch {
		case p.dialect == TSQL:
			return in, precSum
		case p.syntax.caretXor:
			return in, [...]uint8{precBit, precBitAnd, precShift, precShift}[bitLevel(t.code)]
		}
	case oLikeTilde, oIlikeTilde, oNotLikeTilde, oNotIlikeTilde:
		if p.dialect == Postgres || p.dialect == Redshift || p.dialect == DuckDB {
			return in, precBit
		}
	case oArrow, oArrow2:
		if p.dialect == Postgres || p.dialect == Redshift {
			return in, precBit
		}
	case oAmp2:
		if p.dialect == MySQL {
			return in, precAnd
		}
	case wNot:
		switch p.ahead(1).code {
		case wIn, wBetween, wLike, wIlike, wRlike, wRegexp, wGlob, wMatch, wSimilar, wNull:
			return in, p.compareLevel(p.ahead(1).code)
		}
		return in, 0
	case wAt:
		if n := p.ahead(1).code; n != wTime && n != wLocal {
			return in, 0
		}
	case wSimilar:
		if p.ahead(1).code != wTo {
			return in, 0
		}
	case wMember:
		if p.ahead(1).code != wOf {
			return in, 0
		}
	case wOperator:
		if p.ahead(1).code != oLparen {
			return in, 0
		}
	case wMatch, wGlob, wDiv, wMod, wXor, wOverlaps, wRegexp, wRlike, wIsnull, wNotnull:
		// also names in some dialects: as operators, they need an operand after them
		if t.code != wIsnull && t.code != wNotnull && !p.operandFollows() {
			return in, 0
		}
	}
	if in.prec == precCompare {
		return in, p.compareLevel(t.code)
	}
	return in, in.prec
}

// compareLevel returns the precedence of a comparison or predicate in this dialect.
func (p *parser) compareLevel(c code) uint8 {
	switch p.dialect {
	case Postgres, Redshift, DuckDB:
		switch c {
		case wIs, wIsnull, wNotnull, wNull:
			return precIs
		case wIn, wBetween, wLike, wIlike, wSimilar, wGlob, wRlike, wRegexp:
			return precMatch
		}
	case SQLite:
		switch c {
		case oLess, oLessEqual, oMore, oMoreEqual, oNotLess, oNotMore:
			return precMatch
		}
	case MySQL:
		switch c {
		case wIn, wBetween, wLike, wRlike, wRegexp, wMember:
			return precMatch
		}
	default:
	}
	return precCompare
}

// beyond parses the right operand of a comparison or predicate: an expression of operators that bind more tightly than
// c.
func (p *parser) beyond(c code) Expr { return p.binary(p.compareLevel(c) + 1) }

func bitLevel(c code) int {
	switch c {
	case oAmp:
		return 1
	case oShiftLeft, oShiftRight:
		return 2
	}
	return 0
}

// operandFollows reports whether the next token may start an operand.
func (p *parser) operandFollows() bool { return beginsOperand(p.ahead(1)) }

func beginsOperand(t *token) bool {
	switch t.kind {
	case tokWord:
		return !reserved[t.code] || t.code == wCase || t.code == wNot || t.code == wAll || t.code == wAny
	case tokQuoted, tokDouble, tokString, tokNumber, tokParam:
		return true
	default:
		switch t.code {
		case oLparen, oLbracket, oLbrace, oMinus, oPlus, oTilde, oBang, oQuestion, oColon, oPercent:
			return true
		}
		return false
	}
}

// binary reads an operand and the infix operators after it that bind at least as tightly as min.
func (p *parser) binary(min uint8) Expr {
	start := p.start()
	left := p.unary()
	for {
		in, prec := p.infixAt()
		if prec < min || prec == precNone {
			return left
		}
		if !p.grow() {
			return p.carry(start, "chain is too long: carried as text")
		}
		switch {
		case prec == precAnd || prec == precOr:
			left = p.logic(left, prec, start)
		case in.read != nil:
			left = in.read(p, left, start)
		default:
			left = p.infix(left, in.op, prec, start)
		}
	}
}

// logic reads the rest of a chain of AND or of OR.
func (p *parser) logic(left Expr, prec uint8, start int32) Expr {
	m := p.exprs.mark()
	p.exprs.push(left)
	height := p.height
	for {
		_, next := p.infixAt()
		if next != prec {
			break
		}
		p.next()
		p.height = 0
		p.exprs.push(p.binary(prec + 1))
		height = max(height, p.height)
	}
	p.height = height + 1
	l := p.logics.new()
	l.Or = prec == precOr
	l.Args = p.exprs.cut(m)
	l.Span = p.from(start)
	return l
}

// infix reads a plain binary operator and its right operand.
func (p *parser) infix(left Expr, op Op, prec uint8, start int32) Expr {
	compares := prec == precCompare || prec == precMatch
	height := p.height
	p.height = 0
	p.next()
	b := p.binaries.new()
	b.Op, b.L = op, left
	if compares && (p.at(wAny) || p.at(wAll) || p.at(wSome)) && p.ahead(1).code == oLparen {
		b.Quantifier = "any"
		if p.at(wAll) {
			b.Quantifier = "all"
		}
		p.next()
		b.R = p.primary()
	} else if prec == precAssign {
		b.R = p.expr()
	} else {
		b.R = p.binary(prec + 1)
	}
	p.height = max(height, p.height)
	if compares {
		b.R = p.valueOf(b.R, left)
	}
	b.Span = p.from(start)
	if _, star := b.R.(*Star); star {
		p.noteAt(b.Start, b.End, "star as an operand")
	}
	return b
}

// valueOf returns e, or a string literal if e is an unqualified double-quoted name that the dialect may read as a
// string. e is in a place for a value, such as the right side of a comparison whose left side is left. If left is
// double-quoted too, e stays a name.
func (p *parser) valueOf(e, left Expr) Expr {
	c := p.doubleQuoted(e)
	if c == nil || left != nil && p.doubleQuotedIn(left) {
		return e
	}
	return &Literal{Span: c.Span, Kind: String, Text: c.Name[0].Text}
}

// doubleQuoted returns e if it is an unqualified double-quoted name and the dialect may read such a name as a string;
// else nil.
func (p *parser) doubleQuoted(e Expr) *Column {
	if !p.syntax.maybeInDouble {
		return nil
	}
	c, ok := e.(*Column)
	if !ok || len(c.Name) != 1 || !c.Name[0].Quoted || p.sql[c.Start] != '"' {
		return nil
	}
	return c
}

// doubleQuotedIn reports whether e is a name whose last part is in double quotes.
func (p *parser) doubleQuotedIn(e Expr) bool {
	c, ok := e.(*Column)
	return ok && c.Name.Last().Quoted && c.End > 0 && p.sql[c.End-1] == '"'
}

// unary parses prefix operators and their operand.
func (p *parser) unary() Expr {
	t := p.cur()
	switch t.code {
	case 0:
		return p.primary()
	case wNot:
		if n := p.ahead(1); n.code == oLparen || n.code != oComma && n.kind != tokEOF {
			return p.prefix("not", precIs)
		}
	case oBang:
		return p.prefix("not", precUnary)
	case oMinus:
		return p.prefix("-", precUnary)
	case oPlus:
		return p.prefix("+", precUnary)
	case oTilde:
		if p.dialect == Postgres || p.dialect == Redshift || p.dialect == DuckDB {
			return p.prefix("~", precBit+1)
		}
		return p.prefix("~", precUnary)
	case wPrior: // of CONNECT BY
		if p.dialect != Postgres && p.dialect != DuckDB && p.operandFollows() {
			return p.prefix("prior", precUnary)
		}
	case wConnectByRoot:
		if p.operandFollows() {
			return p.prefix("connect_by_root", precUnary)
		}
	case wBinary: // MySQL: BINARY x is a cast
		if n := p.ahead(1).code; p.dialect == MySQL && p.operandFollows() && n != oLparen {
			start := t.start
			p.next()
			c := &Cast{X: p.primary(), Type: "binary"}
			c.Span = p.from(start)
			return c
		}
	}
	return p.primary()
}

func (p *parser) prefix(op Op, prec uint8) Expr {
	start := p.start()
	height, ok := p.enter()
	if !ok {
		return p.tooDeep()
	}
	p.next()
	u := &Unary{Op: op, X: p.binary(prec)}
	u.Span = p.from(start)
	p.leave(height)
	return u
}

// is parses IS [NOT] NULL, TRUE …, and IS [NOT] DISTINCT FROM.
func (p *parser) is(left Expr, start int32) Expr {
	p.next()
	not := p.accept(wNot)
	if p.accept2(wDistinct, wFrom) {
		b := p.binaries.new()
		b.Op, b.L, b.R = "is distinct from", left, p.beyond(wIs)
		if not {
			b.Op = "is not distinct from"
		}
		b.R = p.valueOf(b.R, left)
		b.Span = p.from(start)
		return b
	}
	e := &Is{X: left, Not: not}
	if p.at(wUnknown) || p.at(wJson) {
		t := p.cur()
		e.What = &Column{Span: Span{t.start, t.end}, Name: Name{p.ident()}}
		for p.isWord("object") || p.isWord("array") || p.isWord("scalar") || p.at(wValue) {
			p.next()
		}
	} else {
		switch p.cur().code {
		case wNull, wTrue, wFalse:
			if p.dialect != SQLite { // SQLite allows any value here
				e.What = p.primary()
				break
			}
			fallthrough
		default:
			e.What = p.beyond(wIs)
		}
	}
	e.Span = p.from(start)
	return e
}

// isNull reads ISNULL and NOTNULL after an operand.
func (p *parser) isNull(left Expr, start int32) Expr {
	not := p.at(wNotnull)
	t := p.cur()
	p.next()
	return &Is{Span: p.from(start), X: left, Not: not,
		What: &Literal{Span: Span{t.start, t.end}, Kind: Null, Text: "null"}}
}

// negatable reads IN, BETWEEN and the pattern predicates, with NOT before them.
func (p *parser) negatable(left Expr, start int32) Expr {
	not := p.accept(wNot)
	switch c := p.cur().code; c {
	case wNull: // SQLite: x NOT NULL
		t := p.cur()
		p.next()
		return &Is{Span: p.from(start), X: left, Not: true,
			What: &Literal{Span: Span{t.start, t.end}, Kind: Null, Text: "null"}}
	case wIn:
		return p.in(left, not, start)
	case wBetween:
		p.next()
		b := &Between{Not: not, X: left}
		if b.Symmetric = p.accept(wSymmetric); !b.Symmetric {
			p.accept(wAsymmetric)
		}
		b.Low = p.valueOf(p.beyond(wBetween), left)
		if p.accept(wAnd) {
			b.High = p.valueOf(p.beyond(wBetween), left)
		} else {
			b.High = &Literal{Span: p.from(p.start()), Kind: Null, Text: "null"}
			p.noteAt(start, p.from(start).End, "BETWEEN without AND")
		}
		b.Span = p.from(start)
		return b
	default:
		return p.like(left, not, c, start)
	}
}

// patternOps are the canonical names of the pattern predicates and MEMBER OF.
var patternOps = [lastCode]Op{wLike: "like", wIlike: "ilike", wRlike: "rlike", wRegexp: "regexp", wGlob: "glob",
	wMatch:   "match",
	wSimilar: "similar to", wMember: "member of", oLikeTilde: "like", oIlikeTilde: "ilike", oNotLikeTilde: "like",
	oNotIlikeTilde: "ilike"}

func (p *parser) like(left Expr, not bool, c code, start int32) Expr {
	l := &Like{Op: patternOps[c], Not: not || c == oNotLikeTilde || c == oNotIlikeTilde, X: left}
	p.next()
	if c == wSimilar || c == wMember {
		p.next()
	}
	if (p.at(wAny) || p.at(wAll) || p.at(wSome)) && p.ahead(1).code == oLparen {
		l.Quantifier = "any"
		if p.at(wAll) {
			l.Quantifier = "all"
		}
		p.next()
		l.Pattern = p.primary()
	} else {
		l.Pattern = p.valueOf(p.beyond(wLike), left)
	}
	if p.accept(wEscape) {
		l.Escape = p.binary(precBit)
	}
	l.Span = p.from(start)
	return l
}

// in reads IN (list), IN (query), IN UNNEST(…), IN expression.
func (p *parser) in(left Expr, not bool, start int32) Expr {
	p.next()
	e := &In{Not: not, X: left}
	if !p.at(oLparen) {
		e.Of = p.beyond(wIn)
		e.Span = p.from(start)
		return e
	}
	open := p.i
	height, ok := p.enter()
	if !ok {
		e.Of = p.tooDeep()
		e.Span = p.from(start)
		return e
	}
	if p.startsQuery() && p.ahead(1).code != oLparen {
		p.next()
		e.Query = p.query()
	} else {
		p.next()
		e.List = p.exprList(open)
		for i, x := range e.List {
			e.List[i] = p.valueOf(x, nil)
		}
		if len(e.List) == 1 {
			if s, ok := e.List[0].(*Subquery); ok && p.toks[open+1].code == oLparen {
				e.List, e.Query = nil, s.Query // IN ((SELECT …))
			}
		}
		if e.List == nil && e.Query == nil {
			e.List = []Expr{}
		}
	}
	p.expect(open, "text in a list was not read")
	p.leave(height)
	e.Span = p.from(start)
	return e
}

func (p *parser) atTimeZone(left Expr, start int32) Expr {
	p.next()
	b := p.binaries.new()
	b.Op, b.L = "at time zone", left
	if p.accept(wLocal) {
		b.Op = "at"
		b.R = &Column{Span: p.from(start), Name: Name{{Text: "local"}}}
	} else {
		p.next()
		p.accept(wZone)
		b.R = p.unary()
	}
	b.Span = p.from(start)
	return b
}

// namedOperator reads Postgres' OPERATOR(schema.+).
func (p *parser) namedOperator(left Expr, start int32) Expr {
	p.next()
	open := p.i
	p.next()
	op := p.words(p.i, int(p.toks[open].mate))
	p.i = int(p.toks[open].mate)
	p.expect(open, "")
	b := p.binaries.new()
	b.Op, b.L, b.R = Op("operator("+op+")"), left, p.binary(precBit+1)
	b.Span = p.from(start)
	return b
}

package sqlparts

import (
	"slices"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/halt"
	"github.com/badger-eval/badger/scoring/sqlparts/internal/count"
)

// maxDepth limits the depth of a tree, counting both nesting and the length of chains. Anything deeper is kept as
// raw text.
const maxDepth = 1000

// stepsBetweenLooks is the number of tokens between two checks of the stop signal. They take less than a millisecond.
const stepsBetweenLooks = 4096

// parser parses tokens into a tree. It passes every token once, except for a few bounded lookaheads, and skips text by
// bracket pairs.
type parser struct {
	sql     string
	dialect Dialect
	syntax  *syntax
	toks    []token
	i       int
	notes   []Note

	depth  int     // nesting depth at the current position
	height int     // of the tallest subtree finished at this nesting depth
	slice  int     // > 0 inside x[…] and {…}, where a colon does not start a path
	steps  int     // number of tokens passed, by which tests measure the work
	count  numbers // of the nodes created so far

	runFrom, runTo int // token range of the last run of opening parentheses that startsQuery passed

	effects Effect // of statements nested in the current one

	stop *halt.Signal // checked every stepsBetweenLooks tokens; may be nil

	alloc
}

// alloc holds the memory from which nodes and lists are allocated.
type alloc struct {
	columns  arena[Column]
	literals arena[Literal]
	binaries arena[Binary]
	calls    arena[Call]
	items_   arena[Item]
	sources_ arena[Source]
	queries  arena[Query]
	selects  arena[Select]
	logics   arena[Logic]
	idents   list[Ident]
	exprs    list[Expr]
	items    list[*Item]
	sources  list[*Source]
	orders   list[*OrderItem]
	orders_  arena[OrderItem]
	ctes     list[*CTE]
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

// Parse parses SQL text. It never fails: text that it does not understand is kept as raw text or skipped, and a
// note reports it. Time is linear in the length of the input, and depth is bounded. Input beyond 1 GiB is ignored.
func Parse(sql string, dialect Dialect) *Script { return parseUntil(sql, dialect, nil) }

// parseUntil is like [Parse], but panics as [halt.Signal.Check] does if stop is set while it parses. stop may be nil.
func parseUntil(sql string, dialect Dialect, stop *halt.Signal) *Script {
	if int(dialect) >= len(syntaxes) {
		dialect = Generic
	}
	count.Parses.Add(1)
	return parse(sql, dialect, dialect.syntax(), stop)
}

func parse(sql string, dialect Dialect, x *syntax, stop *halt.Signal) *Script {
	p := parsers.Get().(*parser)
	p.stop = stop
	s := p.parse(sql, dialect, x)
	p.reset()
	parsers.Put(p)
	return s
}

func (p *parser) parse(sql string, dialect Dialect, x *syntax) *Script {
	text := sql
	if len(text) > maxText {
		text = text[:maxText]
	}
	l := lexer{sql: text, syntax: x, guess: x == Generic.syntax(), toks: p.toks[:0]}
	if need := len(text)/4 + 16; cap(l.toks) < need {
		l.toks = make([]token, 0, need)
	}
	l.lex()
	p.stop.Check()
	p.sql, p.dialect, p.syntax, p.toks, p.notes = text, dialect, l.syntax, l.toks, l.notes
	if len(text) < len(sql) {
		p.noteAt(maxText, maxText, "text is too long: the rest was not read")
	}
	s := &Script{SQL: sql, Dialect: dialect, Statements: p.script(), syntax: x, stop: p.stop}
	s.numbers = p.count
	slices.SortStableFunc(p.notes, func(a, b Note) int { return int(a.Start - b.Start) })
	s.Notes = p.notes
	link(s)
	return s
}

// reset prepares the parser for another text and drops all references to this one.
func (p *parser) reset() {
	toks := p.toks[:0]
	if cap(toks) > 1<<16 {
		toks = nil
	}
	a := alloc{idents: p.idents, exprs: p.exprs, items: p.items, sources: p.sources, orders: p.orders, ctes: p.ctes}
	a.idents.reset()
	a.exprs.reset()
	a.items.reset()
	a.sources.reset()
	a.orders.reset()
	a.ctes.reset()
	*p = parser{toks: toks, alloc: a}
}

// cur returns the current token.
func (p *parser) cur() *token { return &p.toks[p.i] }

// ahead returns the token n places after the current one, or the last token.
func (p *parser) ahead(n int) *token {
	if p.i+n < len(p.toks) {
		return &p.toks[p.i+n]
	}
	return &p.toks[len(p.toks)-1]
}

// next moves to the next token. It stays at the last one.
func (p *parser) next() {
	if p.i < len(p.toks)-1 {
		p.i++
		if p.steps++; p.steps%stepsBetweenLooks == 0 {
			p.stop.Check()
		}
	}
}

// at reports whether the current token is the word or operator.
func (p *parser) at(c code) bool { return p.toks[p.i].code == c }

// at2 reports whether the current token is a and the next one b.
func (p *parser) at2(a, b code) bool { return p.at(a) && p.ahead(1).code == b }

// accept skips the current token if it is c, and reports whether it is.
func (p *parser) accept(c code) bool {
	if p.toks[p.i].code != c {
		return false
	}
	p.next()
	return true
}

// accept2 skips the current and the next token if they are a and b, and reports whether they are.
func (p *parser) accept2(a, b code) bool {
	if !p.at2(a, b) {
		return false
	}
	p.next()
	p.next()
	return true
}

// acceptAny skips the current token if it is one of the words, and reports whether it is.
func (p *parser) acceptAny(words ...code) bool {
	for _, w := range words {
		if p.accept(w) {
			return true
		}
	}
	return false
}

// text returns the current token's text.
func (p *parser) text() string { return p.textOf(p.cur()) }

func (p *parser) textOf(t *token) string { return p.sql[t.start:t.end] }

// isWord reports whether the current token is this word, in any case. It is for words that have no code.
func (p *parser) isWord(lower string) bool {
	return p.cur().kind == tokWord && strings.EqualFold(p.text(), lower)
}

// start returns the position of the current token.
func (p *parser) start() int32 { return p.toks[p.i].start }

// from returns the span from start to the end of the token before the current one.
func (p *parser) from(start int32) Span {
	if p.i == 0 {
		return Span{start, start}
	}
	return Span{start, max(start, p.toks[p.i-1].end)}
}

func (p *parser) noteAt(start, end int32, what string) {
	if len(p.notes) < maxNotes {
		p.notes = append(p.notes, Note{Span{start, end}, what})
	}
}

// enter increases the nesting depth and reports whether that is allowed. If it is, leave must be called with the
// returned height.
func (p *parser) enter() (height int, ok bool) {
	if p.depth >= maxDepth {
		return 0, false
	}
	p.depth++
	height, p.height = p.height, 0
	return height, true
}

func (p *parser) leave(height int) {
	p.depth--
	p.height = max(height, p.height+1)
}

// grow makes the current tree one level taller, as each operator of a chain does, and reports whether that is allowed.
func (p *parser) grow() bool {
	if p.depth+p.height >= maxDepth {
		return false
	}
	p.height++
	return true
}

// skip skips the current token. If it is an opening bracket, it also skips the bracket's content and closing bracket.
func (p *parser) skip() {
	if t := p.cur(); t.mate > int32(p.i) {
		p.i = int(t.mate)
		p.steps++
		if !isCloser(p.cur().code) {
			return
		}
	}
	p.next()
}

// ends reports whether the current token ends any construct: a semicolon, a closing bracket, a pipe operator, GO or the
// end of the input.
func (p *parser) ends() bool {
	return p.statementEnds() || p.at(oPipe) || isCloser(p.cur().code)
}

// carry skips to the end of the enclosing bracket, pipe operator or statement, and returns the text from start as raw
// text with the note what.
func (p *parser) carry(start int32, what string) *Raw {
	for !p.ends() {
		p.skip()
	}
	return p.raw(start, what)
}

// raw returns the text from start up to the current token as a raw expression, and adds the note what.
func (p *parser) raw(start int32, what string) *Raw {
	r := &Raw{Span: p.from(start)}
	r.Text = p.flat(r.Span)
	p.noteAt(r.Start, r.End, what)
	return r
}

// flat returns the text of the tokens that end within the span and before the current one: words in lower case,
// single spaces.
func (p *parser) flat(s Span) string {
	k := p.i
	for k > 0 && p.toks[k-1].start >= s.Start {
		k--
	}
	return p.words(k, p.i)
}

// words returns the text of tokens from to to: words in lower case, names in the quotes that Format uses, single
// spaces, none around dots and inside parentheses.
func (p *parser) words(from, to int) string {
	var b strings.Builder
	for k := from; k < to; k++ {
		t := &p.toks[k]
		p.steps++
		if k > from && spaceBetween(&p.toks[k-1], t) {
			b.WriteByte(' ')
		}
		switch t.kind {
		case tokWord:
			b.WriteString(strings.ToLower(p.textOf(t)))
		case tokQuoted:
			var name printer
			name.name(p.identOf(t))
			b.Write(name.buf)
		default:
			b.WriteString(p.textOf(t))
		}
	}
	return b.String()
}

// spaceBetween reports whether joined text has a space between two tokens.
func spaceBetween(a, b *token) bool {
	switch {
	case a.kind == tokNumber && b.code == oDot:
		return true
	case a.code == oHash, a.code == oLparen, a.code == oDot, a.code == oLbracket, a.code == oColons,
		a.code == oLess && a.end == b.start,
		b.code == oComma, b.code == oRparen, b.code == oDot, b.code == oRbracket, b.code == oColons, b.code == oSemicolon:
		return false
	case b.code == oLparen:
		return a.kind != tokWord && a.kind != tokQuoted || reserved[a.code]
	case b.code == oLbracket, b.code == oLess, b.code == oMore:
		return a.end < b.start
	}
	return true
}

// expect moves to the closing bracket of the opening bracket at index open, and skips it. If there are tokens before
// it, they are skipped with the note what.
func (p *parser) expect(open int, what string) {
	end := int(p.toks[open].mate)
	if p.i < end {
		start := p.start()
		p.i = end
		p.steps++
		p.noteAt(start, p.from(start).End, what)
	}
	if p.i == end && isCloser(p.cur().code) && p.cur().mate == int32(open) {
		p.next()
	}
}

func isCloser(c code) bool { return c == oRparen || c == oRbracket || c == oRbrace }

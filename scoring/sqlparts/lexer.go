package sqlparts

import (
	"strings"
	"unicode/utf8"
)

// tokenKind is the kind of a token. A token's code identifies the word or operator.
type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokWord             // a keyword or an unquoted name; code is 0 if the word is not in the parser's grammar
	tokQuoted           // a quoted name
	tokDouble           // "x" in a dialect that reads it as a name or a string
	tokString           // a string of any kind, including its prefix
	tokNumber
	tokParam // a placeholder or variable
	tokOp    // an operator or bracket
	tokHint  // /*+ … */
	tokBad   // a character that starts no token
)

// token is a span of the input. For an opening bracket, mate is the index of the token that ends its content: the
// closing bracket or, if that is missing, the token before which the content ends. Brackets never span a semicolon, so
// that no statement is hidden in an unclosed one.
type token struct {
	kind       tokenKind
	code       code
	start, end int32
	mate       int32
}

const (
	maxText  = 1 << 30 // maximum number of input bytes that are read
	maxNotes = 100     // how many notes are kept
)

type lexer struct {
	sql    string
	syntax *syntax
	guess  bool // generic dialect: ambiguous text is classified by its appearance
	pos    int
	toks   []token
	open   []int32 // indexes of the tokens of unclosed brackets
	opened [3]int  // number of unclosed ( [ {
	bang   bool    // inside /*! … */
	notes  []Note

	noJinja bool // the rest of the input has no }}
}

// newLexer returns a lexer for sql in a dialect. Input beyond maxText bytes is ignored.
func newLexer(sql string, dialect Dialect) lexer {
	return lexer{sql: sql[:min(len(sql), maxText)], syntax: dialect.syntax(), guess: dialect == Generic}
}

// lex splits the input into tokens. The last one is tokEOF.
func (l *lexer) lex() {
	if i := strings.IndexByte(l.sql, 0); i >= 0 { // some engines end the input at a NUL, even in a comment
		l.note(i, i+1, "NUL character")
	}
	for {
		l.space()
		if l.pos >= len(l.sql) {
			break
		}
		l.token()
	}
	l.closeAll()
	n := int32(len(l.sql))
	l.toks = append(l.toks, token{kind: tokEOF, start: n, end: n})
}

func (l *lexer) note(start, end int, what string) {
	if len(l.notes) < maxNotes {
		l.notes = append(l.notes, Note{Span{int32(start), int32(end)}, what})
	}
}

// at returns the byte n places ahead, or 0 past the end of the input.
func (l *lexer) at(n int) byte {
	if l.pos+n < len(l.sql) {
		return l.sql[l.pos+n]
	}
	return 0
}

func (l *lexer) emit(kind tokenKind, c code, end int) {
	l.toks = append(l.toks, token{kind: kind, code: c, start: int32(l.pos), end: int32(end)})
	l.pos = end
}

// space skips white space and comments.
func (l *lexer) space() {
	for l.pos < len(l.sql) {
		switch c := l.sql[l.pos]; {
		case class[c] == clsSpace:
			l.pos++
		case c == '-' && l.at(1) == '-' && l.dashes():
			l.line()
		case c == '#' && l.hash():
			l.line()
		case c == '/' && l.at(1) == '*':
			l.comment()
		case c == '/' && l.at(1) == '/' && l.syntax.slashes && (l.pos == 0 || l.sql[l.pos-1] != ':'): // not in file://
			l.line()
		case c == '*' && l.bang && l.at(1) == '/':
			l.bang = false
			l.pos += 2
		case c == '{' && (l.at(1) == '%' || l.at(1) == '#'):
			l.template()
		case c >= utf8.RuneSelf:
			n := wideSpace(l.sql[l.pos:])
			if n == 0 {
				return
			}
			l.pos += n
		default:
			return
		}
	}
}

// dashes reports whether -- starts a comment here.
func (l *lexer) dashes() bool {
	return !l.syntax.dashSpace || l.at(2) <= ' ' || l.at(2) == 0x7f
}

// hash reports whether # starts a comment here.
func (l *lexer) hash() bool {
	return l.syntax.hash || l.guess && class[l.at(1)] == clsSpace && (l.pos == 0 || class[l.sql[l.pos-1]] == clsSpace)
}

// line skips a comment that ends with the line.
func (l *lexer) line() {
	start := l.pos
	for l.pos = start + 1; ; l.pos++ {
		l.pos = l.lineEnd(l.pos)
		if l.pos >= len(l.sql) {
			l.pos = len(l.sql)
			return
		}
		if !l.syntax.lineGoesOn || l.sql[l.pos] != '\n' || l.sql[l.pos-1] != '\\' || l.sql[start] != '-' {
			l.pos++
			return
		}
	}
}

// lineEnd returns the position of the first character from i on that ends a line comment, or len(l.sql) if there is
// none.
func (l *lexer) lineEnd(i int) int {
	end := len(l.sql)
	if i >= end {
		return end
	}
	if n := strings.IndexByte(l.sql[i:], '\n'); n >= 0 {
		end = i + n
	}
	if l.syntax.carriage {
		if n := strings.IndexByte(l.sql[i:end], '\r'); n >= 0 {
			end = i + n
		}
	}
	return end
}

// comment skips /* … */. An optimizer hint becomes a token. Of comments that MySQL executes, only the opening sign is
// skipped, so that their content becomes tokens.
func (l *lexer) comment() {
	start := l.pos
	if n := l.executed(); n > 0 {
		l.pos += n
		for l.pos < len(l.sql) && isDigit(l.sql[l.pos]) {
			l.pos++
		}
		l.bang = true
		return
	}
	depth, i, from := 1, start+2, start+2 // from: the earliest start of the next /* or */
	for depth > 0 {
		j := strings.IndexByte(l.sql[i:], '*')
		if j < 0 {
			l.note(start, len(l.sql), "unterminated comment")
			l.pos = len(l.sql)
			return
		}
		i += j + 1
		switch {
		case l.syntax.nested && i-2 >= from && l.sql[i-2] == '/':
			depth++
			from = i
		case i < len(l.sql) && l.sql[i] == '/':
			depth--
			i++
			from = i
		}
	}
	if l.sql[start+2] == '+' && len(l.toks) > 0 && takesHint(l.toks[len(l.toks)-1].code) {
		if hint := l.sql[start+3 : i-2]; strings.ContainsAny(hint, "'`\\;#$") || strings.Contains(hint, "--") ||
			strings.Contains(hint, "//") {
			l.note(start, i, "a hint that may end elsewhere") // some engines cut it into tokens
		}
		l.emit(tokHint, 0, i)
	}
	l.pos = i
}

// executed returns the length of the opening sign of a comment that MySQL (/*!) or MariaDB (/*M!) executes, or 0 for
// any other comment.
func (l *lexer) executed() int {
	switch {
	case !l.syntax.bang:
	case l.at(2) == '!':
		return 3
	case l.at(2)|0x20 == 'm' && l.at(3) == '!':
		return 4
	}
	return 0
}

// template skips a template's statement or comment, {% … %} or {# … #}, and adds a note.
func (l *lexer) template() {
	stop := "%}"
	if l.at(1) == '#' {
		stop = "#}"
	}
	start := l.pos
	i := strings.Index(l.sql[l.pos+2:], stop)
	if i < 0 {
		l.pos = len(l.sql)
		l.note(start, l.pos, "unterminated template")
		return
	}
	l.pos += i + 4
	l.note(start, l.pos, "template text skipped")
}

// wideSpace returns the length of the Unicode space at the start of s, or 0: no-break and typographic spaces, the
// ideographic space, zero-width marks and the byte order mark, all of which get into SQL by copying.
func wideSpace(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == 0x85, r == 0xA0, r == 0x1680, r == 0x3000, r == 0xFEFF, r >= 0x2000 && r <= 0x200F, r == 0x2028, r == 0x2029,
		r == 0x202F, r == 0x205F, r == 0x2060:
		return n
	}
	return 0
}

// token reads one token; l.pos is at its first byte.
func (l *lexer) token() {
	c := l.sql[l.pos]
	switch class[c] {
	case clsLetter:
		l.word()
	case clsDigit:
		l.number()
	case clsQuote:
		l.quote(c)
	case clsOpen, clsClose:
		l.bracket(c)
	case clsOp:
		l.operator(c)
	default:
		l.note(l.pos, l.pos+1, "unexpected character")
		l.emit(tokBad, 0, l.pos+1)
	}
}

// word reads a name or keyword, or a string with a prefix of letters.
func (l *lexer) word() {
	i, h := l.pos, uint32(wordSeed)
	for i < len(l.sql) && isNamePart(l.sql[i]) {
		if l.sql[i] >= utf8.RuneSelf && wideSpace(l.sql[i:]) > 0 {
			break
		}
		h = (h ^ uint32(l.sql[i]|0x20)) * wordPrime
		i++
	}
	if i-l.pos == 1 && l.sql[l.pos]|0x20 == 'u' && strings.HasPrefix(l.sql[i:], `&"`) && !l.syntax.stringInDouble {
		l.note(l.pos, i+2, "Unicode escapes of a name were not read")
	}
	if i < len(l.sql) && i-l.pos <= 2 && (l.sql[i] == '\'' || l.sql[i] == '"' || l.sql[i] == '&') && l.prefixed(i) {
		return
	}
	l.emit(tokWord, wordCode(h, l.sql[l.pos:i]), i)
}

// number reads a number: 1, 1.5, .5, 1e10, 0x1f, 1_000, 10L. In some dialects a name may start with digits.
func (l *lexer) number() {
	i := l.pos
	if l.afterDot() { // dataset.20200101_t
		for i < len(l.sql) && isNamePart(l.sql[i]) {
			i++
		}
		l.emit(tokWord, 0, i)
		return
	}
	if l.sql[i] == '0' && (l.at(1) == 'x' || l.at(1) == 'X') && isHex(l.at(2)) {
		for i += 2; i < len(l.sql) && isHex(l.sql[i]); i++ {
		}
		l.emit(tokNumber, 0, i)
		return
	}
	i = l.digits(i)
	whole := i
	if i < len(l.sql) && l.sql[i] == '.' && (i+1 >= len(l.sql) || l.sql[i+1] != '.') {
		i = l.digits(i + 1)
	}
	if i < len(l.sql) && (l.sql[i] == 'e' || l.sql[i] == 'E') {
		j := i + 1
		if j < len(l.sql) && (l.sql[j] == '+' || l.sql[j] == '-') {
			j++
		}
		if j < len(l.sql) && isDigit(l.sql[j]) {
			i = l.digits(j)
		}
	}
	if i == whole && l.syntax.digitName && i < len(l.sql) && isNamePart(l.sql[i]) {
		for i < len(l.sql) && isNamePart(l.sql[i]) {
			i++
		}
		if suffix := strings.ToLower(l.sql[whole:i]); suffix == "l" || suffix == "bd" || suffix == "d" || suffix == "s" ||
			suffix == "y" || suffix == "f" {
			l.emit(tokNumber, 0, i)
			return
		}
		l.emit(tokWord, 0, i)
		return
	}
	l.emit(tokNumber, 0, i)
}

// digits returns the position after the digits from i on, and the single underscores between them.
func (l *lexer) digits(i int) int {
	for i < len(l.sql) &&
		(isDigit(l.sql[i]) || l.sql[i] == '_' && i+1 < len(l.sql) && isDigit(l.sql[i+1]) && i > 0 && isDigit(l.sql[i-1])) {
		i++
	}
	return i
}

// afterDot reports whether the previous tokens are a name and a dot, without space between them and before l.pos.
func (l *lexer) afterDot() bool {
	n := len(l.toks)
	if n < 2 || l.toks[n-1].code != oDot || int(l.toks[n-1].end) != l.pos {
		return false
	}
	k := l.toks[n-2].kind
	return (k == tokWord || k == tokQuoted || k == tokDouble) && l.toks[n-2].end == l.toks[n-1].start
}

// bracket reads a bracket and pairs it. A closing bracket closes the nearest unclosed one of its kind, and ends the
// content of those opened after that one, with a note for each. One without an opening bracket gets a note and no mate.
func (l *lexer) bracket(c byte) {
	if c == '[' && l.bracketedName() {
		return
	}
	if c == '{' && l.at(1) == '{' && l.jinja() {
		return
	}
	k := len(l.toks)
	switch c {
	case '(', '[', '{':
		code, kind := oLparen, 0
		if c == '[' {
			code, kind = oLbracket, 1
		} else if c == '{' {
			code, kind = oLbrace, 2
		}
		l.open = append(l.open, int32(k))
		l.opened[kind]++
		l.emit(tokOp, code, l.pos+1)
	default:
		code, kind := oRparen, 0
		if c == ']' {
			code, kind = oRbracket, 1
		} else if c == '}' {
			code, kind = oRbrace, 2
		}
		l.emit(tokOp, code, l.pos+1)
		if l.opened[kind] == 0 {
			l.note(l.pos-1, l.pos, "bracket closes nothing")
			return
		}
		for {
			o := l.open[len(l.open)-1]
			l.open = l.open[:len(l.open)-1]
			l.toks[o].mate = int32(k)
			which := bracketKind(l.toks[o].code)
			if l.opened[which]--; which == kind {
				l.toks[k].mate = o
				return
			}
			l.unclosed(o)
		}
	}
}

func bracketKind(c code) int {
	switch c {
	case oLbracket:
		return 1
	case oLbrace:
		return 2
	}
	return 0
}

// closeAll ends the content of every unclosed bracket before the next token, with a note for each.
func (l *lexer) closeAll() {
	for _, o := range l.open {
		l.toks[o].mate = int32(len(l.toks))
		l.unclosed(o)
	}
	l.open, l.opened = l.open[:0], [3]int{}
}

// unclosed adds a note that a bracket is not closed.
func (l *lexer) unclosed(open int32) {
	l.note(int(l.toks[open].start), int(l.toks[open].end), "bracket is not closed")
}

// character classes of bytes
const (
	clsBad uint8 = iota
	clsSpace
	clsLetter
	clsDigit
	clsQuote
	clsOpen
	clsClose
	clsOp
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch b := byte(c); {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '_', b >= utf8.RuneSelf:
			t[c] = clsLetter
		case isDigit(b):
			t[c] = clsDigit
		case strings.IndexByte(" \t\r\n\v\f", b) >= 0:
			t[c] = clsSpace
		case strings.IndexByte("'\"`", b) >= 0:
			t[c] = clsQuote
		case strings.IndexByte("([{", b) >= 0:
			t[c] = clsOpen
		case strings.IndexByte(")]}", b) >= 0:
			t[c] = clsClose
		case strings.IndexByte("+-*/%^&|~!<>=.,;:?@#$", b) >= 0:
			t[c] = clsOp
		}
	}
	return t
}()

// isNamePart reports whether a name may continue with c.
func isNamePart(c byte) bool { return class[c] == clsLetter || class[c] == clsDigit || c == '$' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

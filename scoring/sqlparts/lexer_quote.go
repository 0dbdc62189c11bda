package sqlparts

import "strings"

// prefixed reads a string whose prefix ends at i, such as r'…', b'…', rb'…', x'…', e'…', n'…' or u&'…'. It reports
// whether the dialect has such strings.
func (l *lexer) prefixed(i int) bool {
	prefix := strings.ToLower(l.sql[l.pos:i])
	quote := l.sql[i]
	if quote == '&' {
		if prefix != "u" || i+1 >= len(l.sql) || l.sql[i+1] != '\'' {
			return false
		}
		i, quote = i+1, '\''
	}
	if quote == '"' && !l.syntax.stringInDouble {
		return false
	}
	escapes := l.syntax.backslash
	switch prefix {
	case "n", "x", "u":
	case "b":
	case "e":
		if !escapes && !l.syntax.escapePrefix {
			return false
		}
		escapes = true
	case "r", "rb", "br":
		if !l.syntax.rawPrefix {
			return false
		}
		if l.syntax.rawQuote {
			l.emit(tokString, 0, l.rawEnd(i, quote))
			return true
		}
		// A backslash stays in a raw string, and keeps the quote after it from ending it.
	default:
		return false
	}
	l.emit(tokString, 0, l.stringEnd(i, quote, escapes))
	return true
}

// rawEnd returns the end of the raw string whose opening quote is at i. The next quote ends it, even after a backslash.
func (l *lexer) rawEnd(i int, quote byte) int {
	if n := strings.IndexByte(l.sql[i+1:], quote); n >= 0 {
		return i + n + 2
	}
	l.note(i, len(l.sql), "unterminated quote")
	return len(l.sql)
}

// stringEnd returns the end of the string whose opening quote is at i, including strings on later lines that continue
// it.
func (l *lexer) stringEnd(i int, quote byte, backslash bool) int {
	if l.syntax.triple && strings.HasPrefix(l.sql[i:], triples[quote]) {
		return l.tripleEnd(i, triples[quote], backslash)
	}
	for {
		end, closed := quoteEnd(l.sql, i, quote, backslash)
		if !closed {
			l.note(i, len(l.sql), "unterminated quote")
			return end
		}
		if i = -1; l.syntax.continued && quote == '\'' {
			i = continuation(l.sql, end)
		}
		if i < 0 {
			return end
		}
	}
}

// quoteEnd returns the end of the quoted text whose opening quote is at i; closed reports whether it has a closing
// quote. A doubled quote is an escaped quote.
func quoteEnd(sql string, i int, quote byte, backslash bool) (end int, closed bool) {
	for j := i + 1; j < len(sql); j++ {
		switch c := sql[j]; {
		case c == quote:
			if j+1 >= len(sql) || sql[j+1] != quote {
				return j + 1, true
			}
			j++
		case c == '\\' && backslash:
			j++
		}
	}
	return len(sql), false
}

// continuation returns the position of the quote that continues a string which ended before i, or -1 if there is none.
// Between the two are only white space and -- comments, with at least one line break.
func continuation(sql string, i int) int {
	broken := false
	for i < len(sql) {
		switch c := sql[i]; {
		case c == '\n' || c == '\r':
			broken = true
			i++
		case class[c] == clsSpace:
			i++
		case c == '-' && strings.HasPrefix(sql[i:], "--"):
			n := strings.IndexAny(sql[i:], "\r\n")
			if n < 0 {
				return -1
			}
			i += n
		case c == '\'' && broken:
			return i
		default:
			return -1
		}
	}
	return -1
}

var triples = [256]string{'\'': `'''`, '"': `"""`}

func (l *lexer) tripleEnd(i int, triple string, backslash bool) int {
	for j := i + 3; j < len(l.sql); j++ {
		if l.sql[j] == '\\' && backslash {
			j++
		} else if l.sql[j] == triple[0] && strings.HasPrefix(l.sql[j:], triple) {
			return j + 3
		}
	}
	l.note(i, len(l.sql), "unterminated quote")
	return len(l.sql)
}

// quote reads a string or a quoted name.
func (l *lexer) quote(c byte) {
	switch {
	case c == '\'':
		l.emit(tokString, 0, l.stringEnd(l.pos, c, l.syntax.backslash))
	case c == '"' && l.syntax.stringInDouble:
		l.emit(tokString, 0, l.stringEnd(l.pos, c, l.syntax.backslash))
	case c == '"' && l.syntax.maybeInDouble:
		l.emit(tokDouble, 0, l.nameEnd('"'))
	case c == '"' && l.syntax.textInDouble:
		l.emit(tokQuoted, 0, l.stringEnd(l.pos, c, l.syntax.backslash))
	case c == '`' && l.syntax.nameBackslash:
		l.emit(tokQuoted, 0, l.escapedNameEnd())
	case c == '"' || c == '`':
		l.emit(tokQuoted, 0, l.nameEnd(c))
	}
}

// nameEnd returns the end of the quoted name that starts here; a doubled quote is an escaped quote.
func (l *lexer) nameEnd(quote byte) int {
	j := l.pos + 1
	for {
		k := strings.IndexByte(l.sql[j:], quote)
		if k < 0 {
			l.note(l.pos, len(l.sql), "unterminated quote")
			return len(l.sql)
		}
		if j += k + 1; j >= len(l.sql) || l.sql[j] != quote {
			return j
		}
		j++
	}
}

// escapedNameEnd returns the end of the name in backticks that starts here. A backslash escapes a quote, and a
// doubled quote ends the name.
func (l *lexer) escapedNameEnd() int {
	for j := l.pos + 1; j < len(l.sql); j++ {
		switch l.sql[j] {
		case '\\':
			j++
		case '`':
			return j + 1
		}
	}
	l.note(l.pos, len(l.sql), "unterminated quote")
	return len(l.sql)
}

// jinja reads a template's expression {{ … }} and reports whether there is one: the text after {{ starts with a letter,
// unlike that of a nested struct literal.
func (l *lexer) jinja() bool {
	i := l.pos + 2
	for i < len(l.sql) && (class[l.sql[i]] == clsSpace || l.sql[i] == '-') {
		i++
	}
	if l.noJinja || i >= len(l.sql) || class[l.sql[i]] != clsLetter {
		return false
	}
	n := strings.Index(l.sql[i:], "}}")
	if n < 0 {
		l.noJinja = true
		return false
	}
	l.emit(tokParam, 0, i+n+2)
	return true
}

// bracketedName reads a name in square brackets and reports whether [ starts one here.
func (l *lexer) bracketedName() bool {
	switch l.syntax.brackets {
	case bracketArray:
		return false
	case bracketGuess, bracketHides:
		if !l.looksBracketed() && (l.syntax.brackets == bracketGuess || !l.bracketHides()) {
			return false
		}
	}
	j := l.pos + 1
	for {
		k := strings.IndexByte(l.sql[j:], ']')
		if k < 0 {
			l.note(l.pos, len(l.sql), "unterminated quote")
			l.emit(tokQuoted, 0, len(l.sql))
			return true
		}
		if j += k + 1; j >= len(l.sql) || l.sql[j] != ']' || l.syntax.bracketOnce {
			l.emit(tokQuoted, 0, j)
			return true
		}
		j++
	}
}

// bracketHides reports whether a string, a quoted name or a comment would start between [ and the next ].
func (l *lexer) bracketHides() bool {
	n := strings.IndexByte(l.sql[l.pos:], ']')
	if n < 0 {
		return true
	}
	in := l.sql[l.pos+1 : l.pos+n]
	return strings.ContainsAny(in, "'\"`$#[") || strings.Contains(in, "--") || strings.Contains(in, "/*") ||
		strings.Contains(in, "//")
}

// looksBracketed reports whether [ starts a quoted name in a dialect that uses brackets for both names and arrays:
// it follows no operand and encloses one short line that is a name and not a list.
func (l *lexer) looksBracketed() bool {
	if n := len(l.toks); n > 0 {
		switch t := l.toks[n-1]; {
		case (t.code == oMore || t.code == oShiftRight) && int(t.end) == l.pos: // ARRAY<t>[…]
			return false
		case t.code == wArray, t.code == oRparen, t.code == oRbracket, t.code == oRbrace, t.kind == tokString,
			t.kind == tokParam:
			return false
		case (t.kind == tokWord || t.kind == tokQuoted || t.kind == tokDouble) && (t.code == 0 || !reserved[t.code]):
			return false
		}
	}
	if class[l.at(1)] != clsLetter {
		return false
	}
	for n := 1; n <= 128; n++ {
		switch c := l.at(n); {
		case c == ']':
			return true
		case !isNamePart(c) && c != ' ' && c != '-' && c != '#' && c != '/' && c != '&' && c != '%':
			return false
		}
	}
	return false
}

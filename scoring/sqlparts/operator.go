package sqlparts

import "strings"

// operator reads an operator, a placeholder or a dollar string; l.pos is at its first byte.
func (l *lexer) operator(c byte) {
	switch c {
	case '.':
		if isDigit(l.at(1)) && !l.operandBefore() {
			l.number()
			return
		}
	case ':':
		if l.suffixed() {
			return
		}
	case ';':
		l.closeAll()
	case '$':
		l.dollar()
		return
	case '@':
		if l.suffixed() || l.variable() {
			return
		}
	case '#':
		if l.suffixed() {
			return
		}
		if class[l.at(1)] == clsLetter || l.at(1) == '#' { // T-SQL's temporary tables
			l.emit(tokWord, 0, l.nameFrom(l.pos+1))
			return
		}
	}
	for _, o := range operators[c] {
		if strings.HasPrefix(l.sql[l.pos:], o.text) && !l.commentWithin(len(o.text)) {
			l.emit(tokOp, o.code, l.pos+len(o.text))
			return
		}
	}
	l.note(l.pos, l.pos+1, "unexpected character")
	l.emit(tokBad, 0, l.pos+1)
}

// commentWithin reports whether a comment starts inside the next n characters, after the first. An operator never
// extends into a comment.
func (l *lexer) commentWithin(n int) bool {
	for k := 1; k < n; k++ {
		if next := l.at(k + 1); l.at(k) == '-' && next == '-' || l.at(k) == '/' && next == '*' {
			return true
		}
	}
	return false
}

// operandBefore reports whether the previous token directly precedes l.pos and may be followed by a dot.
func (l *lexer) operandBefore() bool {
	n := len(l.toks)
	if n == 0 || int(l.toks[n-1].end) != l.pos {
		return false
	}
	t := l.toks[n-1]
	return t.kind == tokWord || t.kind == tokQuoted || t.kind == tokDouble || t.code == oRparen || t.code == oRbracket
}

// nameFrom returns the end of the name whose remaining characters start at i.
func (l *lexer) nameFrom(i int) int {
	for i < len(l.sql) && (isNamePart(l.sql[i]) || l.sql[i] == '#') {
		i++
	}
	return i
}

// maxVariable is the maximum length of ${name}.
const maxVariable = 128

// dollar reads the parameters $1, $name and ${name}, and the dollar-quoted strings $$ … $$ and $tag$ … $tag$.
func (l *lexer) dollar() {
	if l.suffixed() {
		return
	}
	if l.at(1) == '{' {
		for n := 2; n <= maxVariable; n++ {
			if l.at(n) == '}' {
				l.emit(tokParam, 0, l.pos+n+1)
				return
			}
		}
	}
	i := l.pos + 1
	for i < len(l.sql) && isNamePart(l.sql[i]) && l.sql[i] != '$' {
		i++
	}
	tagged := i > l.pos+1
	if i < len(l.sql) && l.sql[i] == '$' &&
		(!tagged && l.syntax.dollarString || tagged && l.syntax.dollarTag && !isDigit(l.sql[l.pos+1])) {
		tag := l.sql[l.pos : i+1]
		j := strings.Index(l.sql[i+1:], tag)
		if j < 0 {
			l.note(l.pos, len(l.sql), "unterminated quote")
			l.emit(tokString, 0, len(l.sql))
			return
		}
		l.emit(tokString, 0, i+1+j+len(tag))
		return
	}
	if tagged {
		l.emit(tokParam, 0, i)
		return
	}
	l.note(l.pos, i, "unexpected character")
	l.emit(tokBad, 0, i)
}

// suffixed reads SQLite's parameters $x(…), @x(…), #x(…) and :x(…) and reports whether there is one. Such a parameter
// extends to the first closing parenthesis, including quotes and comments, and contains no white space.
func (l *lexer) suffixed() bool {
	if !l.syntax.suffix {
		return false
	}
	i := l.pos + 1
	for i < len(l.sql) && (isNamePart(l.sql[i]) || i > l.pos+1 && strings.HasPrefix(l.sql[i:], "::")) {
		if l.sql[i] == ':' {
			i++
		}
		i++
	}
	if i == l.pos+1 || i >= len(l.sql) || l.sql[i] != '(' {
		return false
	}
	for ; i < len(l.sql) && l.sql[i] != ')'; i++ {
		if class[l.sql[i]] == clsSpace {
			return false
		}
	}
	if i == len(l.sql) {
		return false
	}
	l.note(l.pos, i+1, "a parameter with a suffix")
	l.emit(tokParam, 0, i+1)
	return true
}

// stageEnd returns the end of the Snowflake stage or path, such as "a name"/path, whose remaining characters start at
// i.
func (l *lexer) stageEnd(i int) int {
	for i < len(l.sql) {
		switch c := l.sql[i]; {
		case c == '"':
			end, closed := quoteEnd(l.sql, i, '"', false)
			if !closed {
				l.note(i, end, "unterminated quote")
			}
			i = end
		case c == '-' && strings.HasPrefix(l.sql[i:], "--"), c == '/' && strings.HasPrefix(l.sql[i:], "/*"):
			return i
		case isNamePart(c), strings.IndexByte("./~%-=", c) >= 0:
			i++
		default:
			return i
		}
	}
	return i
}

// variable reads @x, @@x or @stage/path and reports whether there is one.
func (l *lexer) variable() bool {
	i := l.pos + 1
	if l.syntax.stage && (class[l.at(1)] == clsLetter || l.at(1) == '~' || l.at(1) == '%' || l.at(1) == '"') {
		i = l.stageEnd(i)
		l.emit(tokParam, 0, i)
		return true
	}
	if l.at(1) == '@' {
		i++
	}
	if i >= len(l.sql) || class[l.sql[i]] != clsLetter && l.sql[i] != '`' {
		return false
	}
	if l.sql[i] == '`' {
		j := strings.IndexByte(l.sql[i+1:], '`')
		if j < 0 {
			return false
		}
		i += j + 2
	} else {
		i = l.nameFrom(i)
	}
	l.emit(tokParam, 0, i)
	return true
}

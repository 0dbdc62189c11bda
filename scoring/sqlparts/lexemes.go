package sqlparts

import "strings"

// Lexeme is a token of SQL text: a word, a name, a constant or an operator.
type Lexeme struct {
	Text  string // as written, but keywords in lower case
	Value string // in lower case: a word, or the content of a quoted name or string; empty for an operator
}

// Lexemes returns the lexemes of SQL text in order, without white space, comments and a final semicolon. Two inputs
// whose lexemes have the same Text are the same query.
func Lexemes(sql string, dialect Dialect) []Lexeme {
	l := newLexer(sql, dialect)
	l.lex()
	p := parser{sql: l.sql, dialect: dialect, syntax: l.syntax}
	out := make([]Lexeme, 0, len(l.toks))
	for i := range l.toks {
		t := &l.toks[i]
		x := Lexeme{Text: p.textOf(t)}
		switch t.kind {
		case tokEOF:
			continue
		case tokWord:
			x.Value = strings.ToLower(x.Text)
			if t.code != 0 && (i == 0 || l.toks[i-1].code != oColon && l.toks[i-1].code != oDot) {
				x.Text = x.Value
			}
		case tokQuoted, tokDouble:
			x.Value = strings.ToLower(p.identOf(t).Text)
		case tokString:
			x.Value = strings.ToLower(p.stringOf(t))
		case tokNumber, tokParam:
			x.Value = strings.ToLower(x.Text)
		}
		out = append(out, x)
	}
	for len(out) > 0 && out[len(out)-1].Text == ";" {
		out = out[:len(out)-1]
	}
	return out
}

// OneSpace returns SQL with each white space outside of strings, quoted names and comments collapsed to one blank,
// and without white space and a semicolon at the end. It keeps a line break that ends a comment.
func OneSpace(sql string, dialect Dialect) string {
	l := newLexer(sql, dialect)
	l.lex()
	var b strings.Builder
	end := 0
	for i := range l.toks {
		t := &l.toks[i]
		between := sql[end:t.start]
		switch gap := strings.TrimSpace(between); {
		case gap != "": // a comment
			b.WriteString(" " + strings.ReplaceAll(gap, "\r\n", "\n") + "\n")
		case between != "":
			b.WriteByte(' ')
		}
		b.WriteString(sql[t.start:t.end])
		end = int(t.end)
	}
	b.WriteString(sql[end:])
	return strings.TrimRight(strings.TrimSpace(b.String()), "; ")
}

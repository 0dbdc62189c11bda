package sqlparts

import "strings"

// TokenKind is the kind of a [Token].
type TokenKind uint8

// The kinds of tokens.
const (
	TokenWord      TokenKind = iota // a keyword or an unquoted name
	TokenName                       // a quoted name; in a dialect where "x" may be either, also a string
	TokenString                     // a string of any kind, including its prefix
	TokenNumber                     // a number
	TokenParameter                  // a placeholder, a variable or an expression of a template
	TokenSign                       // an operator, a bracket, a comma, or a character that starts no token
	TokenComment                    // comments in a row, or statements of a template such as {% x %}
)

// Token is a span of SQL text other than white space. Only white space is between two tokens.
type Token struct {
	Span
	Kind    TokenKind
	Keyword bool   // a word of the parser's grammar, such as SELECT
	Value   string // equal for two spellings of the same word, name or constant
}

// Tokens splits SQL text into tokens, including comments and a final semicolon. Unlike [Lexemes] it omits only
// white space, so that the text can be formatted.
func Tokens(sql string, dialect Dialect) []Token {
	if int(dialect) >= len(syntaxes) {
		dialect = Generic
	}
	l := newLexer(sql, dialect)
	l.lex()
	return tokensOf(&l, dialect)
}

// TokenReadings splits SQL text in every way in which an engine of the dialect, with default settings, may split it:
// first as [Tokens] does, then in the other ways. A check that must not miss an effect of the text examines all of
// them.
func TokenReadings(sql string, dialect Dialect) [][]Token {
	if int(dialect) >= len(syntaxes) {
		dialect = Generic
	}
	own := newLexer(sql, dialect)
	own.lex()
	out := [][]Token{tokensOf(&own, dialect)}
	for _, l := range own.others(otherReadings[dialect], nil) {
		out = append(out, tokensOf(&l, dialect))
	}
	return out
}

// Bare returns the SQL of the tokens without the content of strings, quoted names and comments: a string is ”, a
// quoted name "", a comment a blank.
func Bare(sql string, tokens []Token) string {
	var b strings.Builder
	end := 0
	for _, t := range tokens {
		b.WriteString(sql[end:t.Start])
		text := sql[t.Start:t.End]
		switch {
		case t.Kind == TokenString:
			text = "''"
		case t.Kind == TokenName:
			text = `""`
		case t.Kind == TokenComment && !strings.HasPrefix(text, "{"): // the engine does not run statements of a template
			text = " "
		}
		b.WriteString(text)
		end = int(t.End)
	}
	b.WriteString(sql[end:])
	return b.String()
}

func tokensOf(l *lexer, dialect Dialect) []Token {
	sql := l.sql
	p := parser{sql: sql, dialect: dialect, syntax: l.syntax}
	out := make([]Token, 0, len(l.toks))
	end := 0
	for i := range l.toks {
		t := &l.toks[i]
		out = appendComment(out, sql, end, int(t.start))
		end = int(t.end)
		if t.kind == tokEOF {
			break
		}
		x := Token{Span: Span{t.start, t.end}, Kind: TokenSign, Value: p.textOf(t)}
		switch t.kind {
		case tokWord:
			x.Kind, x.Value = TokenWord, strings.ToLower(x.Value)
			x.Keyword = t.code != 0 && (i == 0 || l.toks[i-1].code != oColon && l.toks[i-1].code != oDot)
		case tokQuoted, tokDouble:
			x.Kind, x.Value = TokenName, strings.ToLower(p.identOf(t).Text)
		case tokString:
			x.Kind, x.Value = TokenString, p.stringOf(t)
		case tokNumber:
			x.Kind, x.Value = TokenNumber, strings.ToLower(x.Value)
		case tokParam:
			x.Kind = TokenParameter
		case tokHint:
			x.Kind = TokenComment
		}
		out = append(out, x)
	}
	return out
}

// appendComment appends the text between two tokens as one comment token, unless it is only white space.
func appendComment(out []Token, sql string, from, to int) []Token {
	for from < to && spaceAt(sql, from) > 0 {
		from += spaceAt(sql, from)
	}
	if from == to {
		return out
	}
	gap := strings.TrimRight(sql[from:to], " \t\r\n\f\v")
	return append(out, Token{Span: Span{int32(from), int32(from + len(gap))}, Kind: TokenComment, Value: gap}) //nolint:gosec // within maxText
}

// spaceAt returns the length of the white-space character at an offset, or 0 if there is none.
func spaceAt(sql string, at int) int {
	if class[sql[at]] == clsSpace {
		return 1
	}
	return wideSpace(sql[at:])
}

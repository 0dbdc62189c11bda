package sqlparts

// Mention is a name in SQL text: an unquoted word, keywords included, or a quoted name, with the parts that dots
// join to it.
type Mention struct {
	Span
	Name   Name
	Called bool // an opening parenthesis follows
}

// Mentions returns every name in SQL text in order, without parsing. Names in comments and strings are not
// included. It serves checks that must not miss a name in text that the parser kept as raw text or skipped.
func Mentions(sql string, dialect Dialect) []Mention {
	if int(dialect) >= len(syntaxes) {
		dialect = Generic
	}
	return mentions(newLexer(sql, dialect), dialect)
}

// Mentions returns, as [Mentions] does, every name between two offsets of the script that are between tokens. It splits
// the text by the script's dialect and lexical rules.
func (s *Script) Mentions(from, to int) []Mention { return mentions(s.lexer(from, to), s.Dialect) }

func mentions(l lexer, dialect Dialect) []Mention {
	l.lex()
	p := parser{sql: l.sql, dialect: dialect, syntax: l.syntax, toks: l.toks}
	var out []Mention
	for ; p.cur().kind != tokEOF; p.i++ {
		if !p.atName() {
			continue
		}
		m := Mention{Span: Span{p.start(), p.cur().end}, Name: Name{p.identOf(p.cur())}}
		for p.ahead(1).code == oDot {
			p.i++
			for p.ahead(1).code == oDot { // database..table
				p.i++
			}
			if p.i++; !p.atName() {
				p.i--
				break
			}
			m.Name, m.End = append(m.Name, p.identOf(p.cur())), p.cur().end
		}
		m.Called = p.ahead(1).code == oLparen
		out = append(out, m)
	}
	return out
}

// atName reports whether the current token is a word or a quoted name.
func (p *parser) atName() bool {
	k := p.cur().kind
	return k == tokWord || k == tokQuoted || k == tokDouble
}

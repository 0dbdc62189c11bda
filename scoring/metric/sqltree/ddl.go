package sqltree

import (
	"slices"
	"strings"
)

// ReadSchema reads DDL: CREATE TABLE with its columns, keys and references, ALTER TABLE … ADD of
// keys, CREATE UNIQUE INDEX. What it does not understand it passes over; a text without any table
// gives a schema that is not stated.
func ReadSchema(ddl string) *Schema {
	r := ddlReader{toks: ddlTokens(ddl)}
	s := &Schema{}
	for r.i < len(r.toks) {
		switch {
		case r.accept("create"):
			r.create(s)
		case r.accept("alter"):
			r.alter(s)
		default:
			r.i++
		}
	}
	s.Stated = len(s.Tables) > 0
	return s
}

// ddlToken is a word, a name without its quotes, a literal or a punctuation mark; words are in
// lower case.
type ddlToken struct {
	text   string
	quoted bool
	word   bool
}

type ddlReader struct {
	toks []ddlToken
	i    int
}

// accept passes the words if they come next.
func (r *ddlReader) accept(words ...string) bool {
	for k, w := range words {
		if r.i+k >= len(r.toks) || r.toks[r.i+k].quoted || r.toks[r.i+k].text != w {
			return false
		}
	}
	r.i += len(words)
	return true
}

// name reads a qualified name and returns its last part.
func (r *ddlReader) name() (string, bool) {
	last, ok := "", false
	for r.i < len(r.toks) && r.toks[r.i].word {
		last, ok = strings.ToLower(r.toks[r.i].text), true
		if r.i++; !r.accept(".") {
			break
		}
	}
	return last, ok
}

func (r *ddlReader) create(s *Schema) {
	unique := false
	for {
		switch {
		case r.accept("table"):
			r.accept("if", "not", "exists")
			if name, ok := r.name(); ok && r.accept("(") {
				r.columns(s, name)
			}
			return
		case r.accept("unique"):
			unique = true
		case r.accept("index"):
			r.index(s, unique)
			return
		case r.i < len(r.toks) && r.toks[r.i].word && !r.toks[r.i].quoted && !slices.Contains([]string{"view", "function", "schema", "database", "create", "alter"}, r.toks[r.i].text):
			r.i++ // OR REPLACE, TEMPORARY, TRANSIENT, EXTERNAL, CLUSTERED …
		default:
			return
		}
	}
}

func (r *ddlReader) index(s *Schema, unique bool) {
	for r.i < len(r.toks) && r.toks[r.i].text != ";" {
		if r.accept("on") {
			name, ok := r.name()
			if columns := r.list(); ok && unique && len(columns) == 1 {
				s.table(name).unique[columns[0]] = true
			}
			return
		}
		r.i++
	}
}

func (r *ddlReader) alter(s *Schema) {
	if !r.accept("table") {
		return
	}
	r.accept("if", "exists")
	r.accept("only")
	name, ok := r.name()
	for ok && r.i < len(r.toks) && r.toks[r.i].text != ";" {
		if r.accept("add") {
			r.constraint(s.table(name))
			continue
		}
		r.i++
	}
}

// columns reads the elements of CREATE TABLE up to the closing bracket.
func (r *ddlReader) columns(s *Schema, name string) {
	t := s.table(name)
	t.defined++
	for r.i < len(r.toks) && !r.accept(")") {
		if !r.constraint(t) {
			r.column(t)
		}
		r.skipTo(",")
	}
}

// skipTo passes the mark, or stops before the bracket that closes what is being read.
func (r *ddlReader) skipTo(mark string) {
	for depth := 0; r.i < len(r.toks); r.i++ {
		switch t := r.toks[r.i]; {
		case t.quoted:
		case t.text == "(":
			depth++
		case t.text == ")":
			if depth == 0 {
				return
			}
			depth--
		case t.text == mark && depth == 0:
			r.i++
			return
		}
	}
}

// constraint reads a constraint of the table, and reports whether one came.
func (r *ddlReader) constraint(t *Table) bool {
	if r.accept("constraint") {
		r.name()
	}
	switch {
	case r.accept("primary", "key"):
		r.key(t, r.listAfterWords())
	case r.accept("unique"):
		if columns := r.listAfterWords(); len(columns) == 1 {
			t.unique[columns[0]] = true
		}
	case r.accept("foreign", "key"):
		columns := r.listAfterWords()
		if r.accept("references") {
			to, _ := r.name()
			targets := r.list()
			for i, c := range columns {
				target := c
				if i < len(targets) {
					target = targets[i]
				}
				t.foreign[c] = Column{to, target}
			}
		}
	case r.accept("check"), r.accept("exclude"), r.accept("index"), r.accept("key"), r.accept("fulltext"), r.accept("period"):
	default:
		return false
	}
	return true
}

func (r *ddlReader) key(t *Table, columns []string) {
	t.Primary = columns
	if len(columns) == 1 {
		t.unique[columns[0]], t.notNull[columns[0]] = true, true
	}
}

func (r *ddlReader) column(t *Table) {
	name, ok := r.name()
	if !ok {
		r.i++
		return
	}
	t.add(name)
	if r.i < len(r.toks) && r.toks[r.i].word && !r.toks[r.i].quoted {
		t.types[name] = r.toks[r.i].text
	}
	for depth := 0; r.i < len(r.toks); {
		switch tok := r.toks[r.i]; {
		case tok.quoted:
			r.i++
		case tok.text == "(":
			depth++
			r.i++
		case tok.text == ")" && depth == 0, tok.text == "," && depth == 0:
			return
		case tok.text == ")":
			depth--
			r.i++
		case depth > 0:
			r.i++
		case r.accept("not", "null"):
			t.notNull[name], t.stated[name] = true, true
		case r.accept("primary", "key"):
			r.key(t, []string{name})
		case r.accept("unique"):
			t.unique[name] = true
		case r.accept("references"):
			to, _ := r.name()
			target := name
			if targets := r.list(); len(targets) > 0 {
				target = targets[0]
			}
			t.foreign[name] = Column{to, target}
		default:
			r.i++
		}
	}
}

// listAfterWords reads a list of names that words such as CLUSTERED may stand before.
func (r *ddlReader) listAfterWords() []string {
	for r.i < len(r.toks) && r.toks[r.i].word && r.toks[r.i].text != "references" {
		r.i++
	}
	return r.list()
}

// list reads (a, b DESC) and returns the names.
func (r *ddlReader) list() []string {
	if !r.accept("(") {
		return nil
	}
	var out []string
	for r.i < len(r.toks) && !r.accept(")") {
		if name, ok := r.name(); ok {
			out = append(out, name)
		}
		r.skipTo(",")
	}
	return out
}

func ddlTokens(s string) []ddlToken {
	var toks []ddlToken
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c <= ' ':
			i++
		case strings.HasPrefix(s[i:], "--"):
			i = after(s, i, "\n")
		case strings.HasPrefix(s[i:], "/*"):
			i = after(s, i+2, "*/")
		case c == '"' || c == '`' || c == '[' || c == '\'':
			text, end := quoted(s, i)
			toks = append(toks, ddlToken{text: text, quoted: true, word: c != '\''})
			i = end
		case c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			start := i
			for i < len(s) && (s[i] == '_' || s[i] == '$' || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || s[i] >= 0x80) {
				i++
			}
			toks = append(toks, ddlToken{text: strings.ToLower(s[start:i]), word: true})
		default:
			toks = append(toks, ddlToken{text: s[i : i+1]})
			i++
		}
	}
	return toks
}

func after(s string, from int, mark string) int {
	if j := strings.Index(s[from:], mark); j >= 0 {
		return from + j + len(mark)
	}
	return len(s)
}

// quoted reads a quoted name or string at i; a doubled closing quote stands for itself.
func quoted(s string, i int) (text string, end int) {
	closing := s[i]
	if closing == '[' {
		closing = ']'
	}
	var b strings.Builder
	for i++; i < len(s); i++ {
		if s[i] == closing {
			if i+1 >= len(s) || s[i+1] != closing {
				return b.String(), i + 1
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), len(s)
}

package sqltree

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// column resolves a name.
func (b *builder) column(c *sqlparts.Column, sc *scope) *Expr {
	b.schema.Halt.Check()
	name := func(i int) string { return strings.ToLower(c.Name[i].Text) }
	if len(c.Name) == 1 {
		e := b.unqualified(name(0), sc)
		if e.Op == OpColumn && e.Table == "" && c.Name[0].Quoted && b.schema.Stated {
			return &Expr{Op: OpString, Text: c.Name[0].Text} // SQLite and MySQL read "x" as text where no column has the name
		}
		return e
	}
	outwards := ""
	for at := sc; at != nil; at = at.outer {
		for i := range len(c.Name) - 1 {
			for _, s := range at.sources {
				if s.alias == name(i) {
					e := b.of(s, name(i+1))
					if len(at.sources) > 0 && outwards != "" {
						e.Table = outwards + e.Table
					}
					for k := i + 2; k < len(c.Name); k++ {
						e = &Expr{Op: "field", Text: name(k), Args: []*Expr{e}}
					}
					return e
				}
			}
		}
		if at.selects {
			outwards += "^"
		}
	}
	// No source has the name: a field of a column, or a table that is not there.
	e := b.unqualified(name(0), sc)
	for i := 1; i < len(c.Name); i++ {
		e = &Expr{Op: "field", Text: name(i), Args: []*Expr{e}}
	}
	return e
}

// of is a column of a source.
func (b *builder) of(s *Source, name string) *Expr {
	if s.Table != "" {
		b.schema.learn(s.Table, name)
	}
	e := &Expr{Op: OpColumn, Table: s.id, Text: name}
	if s.Query != nil {
		e.Text = s.columns().text(name)
	}
	return e
}

// made is the columns that a query makes, as those who read from it see them.
type made struct {
	items map[string]*Expr  // those with a name
	texts map[string]string // what they are, as far as it was asked
	names map[string]bool
	whole bool // there is no star, whose columns are not known
}

// columns are the columns of a derived table or common table expression.
func (s *Source) columns() *made {
	if s.made != nil {
		return s.made
	}
	q := s.Query
	for q.Set != "" {
		q = q.Terms[0]
	}
	m := &made{items: itemsByName(s.Query), texts: map[string]string{}, names: map[string]bool{}, whole: true}
	for i, n := range q.names {
		m.names[n] = true
		m.whole = m.whole && (i >= len(q.Items) || q.Items[i].Op != OpStar)
	}
	s.made = m
	return m
}

// text names a column by what it is, and not by what it is called; one that is not known, by its name.
func (m *made) text(name string) string {
	it := m.items[name]
	if it == nil {
		return name
	}
	text, ok := m.texts[name]
	if !ok {
		text = shortened(it.String())
		m.texts[name] = text
	}
	return text
}

// shortened is a text that stands for a long one, so that names of columns of columns do not grow.
func shortened(s string) string {
	if len(s) <= 48 {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// unqualified resolves a name without qualifier: to an alias of the select list where that comes
// first, to the first source that is known to have the column, to the only one that may have it,
// outwards, or else to an alias.
func (b *builder) unqualified(name string, sc *scope) *Expr {
	outwards := ""
	for at := sc; at != nil; at = at.outer {
		alias := at.aliases[name]
		if alias != nil && at.first && outwards == "" {
			return alias.clone()
		}
		var maybe []*Source
		for _, s := range at.sources {
			has, known := b.has(s, name)
			if has {
				e := b.of(s, name)
				e.Table = outwards + e.Table
				return e
			}
			if !known {
				maybe = append(maybe, s)
			}
		}
		if alias != nil && outwards == "" {
			return alias.clone()
		}
		if len(maybe) == 1 && (at.outer == nil || len(at.sources) == 1) {
			e := b.of(maybe[0], name)
			e.Table = outwards + e.Table
			return e
		}
		if len(maybe) > 0 {
			return &Expr{Op: OpColumn, Table: outwards + "?", Text: name}
		}
		if at.selects {
			outwards += "^"
		}
	}
	return &Expr{Op: OpColumn, Text: name}
}

// has tells whether a source has a column; known is false where that is not known.
func (b *builder) has(s *Source, name string) (has, known bool) {
	if s.Table != "" {
		return b.schema.has(s.Table, name)
	}
	if s.Query == nil {
		return false, false
	}
	m := s.columns()
	return m.names[name], m.names[name] || m.whole
}

package sqltree

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// column resolves a name; if it is uncertain, to the likeliest column.
func (b *builder) column(c *sqlparts.Column, sc *scope) *Expr {
	b.schema.Halt.Check()
	ms, doubt := b.bound.Means(c)
	if len(ms) == 0 {
		return fields(&Expr{Op: opColumn, Text: strings.ToLower(c.Name[0].Text)}, c.Name[1:])
	}
	m := &ms[0]
	if doubt != sqlparts.Sure && m.Kind == sqlparts.QuotedText && !b.schema.Stated {
		return &Expr{Op: opColumn, Text: strings.ToLower(c.Name[0].Text)}
	}
	return fields(b.meant(m, c.Name[max(0, len(c.Name)-1-m.Fields)], sc), c.Name[len(c.Name)-m.Fields:])
}

func fields(e *Expr, names sqlparts.Name) *Expr {
	for _, id := range names {
		e = &Expr{Op: "field", Text: strings.ToLower(id.Text), Args: []*Expr{e}}
	}
	return e
}

// meant is the expression that a meaning is.
func (b *builder) meant(m *sqlparts.Meaning, id sqlparts.Ident, sc *scope) *Expr {
	name := strings.ToLower(id.Text)
	switch m.Kind {
	case sqlparts.MergedColumn:
		l, r := b.meant(&m.Merged.Left, m.Merged.Name, sc), b.meant(&m.Merged.Right, m.Merged.Name, sc)
		switch m.Merged.Join {
		case sqlparts.RightJoin:
			return r
		case sqlparts.FullJoin:
			return &Expr{Op: opCall, Text: "coalesce", Args: []*Expr{l, r}}
		}
		return l
	case sqlparts.SelectAlias:
		for at := sc; at != nil; at = at.outer {
			if e := at.items[m.Item]; e != nil {
				return e.clone()
			}
			if at.output != nil && m.Index >= 0 && m.Index < len(at.output) {
				return at.output[m.Index].clone()
			}
		}
	case sqlparts.QuotedText:
		return &Expr{Op: opString, Text: id.Text}
	case sqlparts.PartOfDate:
		return &Expr{Op: opLiteral, Text: name}
	case sqlparts.BaseColumn, sqlparts.QueryColumn, sqlparts.RowOfSource:
		of := m.Source
		if len(m.Among) > 0 {
			of = m.Among[0]
		}
		outwards := ""
		for at := sc; at != nil; at = at.outer {
			for _, s := range at.sources {
				if s.of != of {
					continue
				}
				if len(m.Among) > 0 {
					return &Expr{Op: opColumn, Table: outwards + "?", Text: name}
				}
				e := s.column(name)
				e.Table = outwards + e.Table
				return e
			}
			if at.selects {
				outwards += "^"
			}
		}
	}
	return &Expr{Op: opColumn, Text: name}
}

// column is a column of a source.
func (s *Source) column(name string) *Expr {
	e := &Expr{Op: opColumn, Table: s.id, Text: name}
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
	whole bool // there is no star with unknown columns
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
		m.whole = m.whole && (i >= len(q.Items) || q.Items[i].Op != opStar)
	}
	s.made = m
	return m
}

// text names a column by its definition, not by its alias; an unknown one by its name.
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

// shortened returns a short digest of a long string, so that names of columns of columns do not grow.
func shortened(s string) string {
	if len(s) <= 48 {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

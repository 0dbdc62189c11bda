package sqltree

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// column builds the expression that a name means; if its meaning is uncertain, the likeliest one.
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

// meant builds the expression for one meaning of a name.
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

// column returns the column of the source with the name.
func (s *Source) column(name string) *Expr {
	e := &Expr{Op: opColumn, Table: s.id, Text: name}
	if s.Query != nil {
		e.Text = s.columns().text(name)
	}
	return e
}

// made holds the output columns of a query for the queries that read from it.
type made struct {
	items map[string]*Expr  // the named columns
	texts map[string]string // results of text so far
	names map[string]bool
	whole bool // no column is a star, so that names lists all of them
}

// columns returns the columns of a derived table or common table expression. It is for sources with a Query.
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

// text returns a name for a column that depends on its definition, not on its alias. It returns the name of an unknown
// column unchanged.
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

// shortened returns s, or a digest of s if it is long, so that names made from definitions of columns do not grow.
func shortened(s string) string {
	if len(s) <= 48 {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

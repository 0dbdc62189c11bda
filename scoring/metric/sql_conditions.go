package metric

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// conditionsOf are the atomic conditions that decide which rows a query uses, wherever they stand:
// WHERE, HAVING, QUALIFY and joins, in subqueries and common table expressions too. The conditions
// by which tables are joined are not among them, be they in ON or in WHERE; see joinsOf.
func conditionsOf(q *sqlparts.Query) []sqlparts.Condition {
	var all []sqlparts.Condition
	sqlparts.Walk(q, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Select:
			own := *n
			own.From = nil // tables are not asked for
			own.Where, _ = apart(n.Where, len(n.From) > 1)
			c := sqlparts.Extract(&sqlparts.Query{Body: &own})
			all = append(append(all, c.Where...), c.Having...)
		case *sqlparts.Source:
			for _, e := range restrictions(n.On) {
				all = append(all, conditionsIn(e)...)
			}
		}
		return true
	})
	slices.SortFunc(all, func(a, b sqlparts.Condition) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(all)
}

// joinsOf are the comparisons of columns with columns by which a query joins tables, wherever it
// does, as sorted texts without the tables' names: id = customer_id for ON, USING and WHERE alike.
func joinsOf(q *sqlparts.Query) []string {
	var all []sqlparts.Condition
	sqlparts.Walk(q, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Select:
			_, links := apart(n.Where, len(n.From) > 1)
			for _, e := range links {
				all = append(all, conditionsIn(e)...)
			}
		case *sqlparts.Source:
			for _, e := range comparisonsOfColumns(n.On) {
				all = append(all, conditionsIn(e)...)
			}
			for _, name := range n.Using {
				key := &sqlparts.Column{Name: sqlparts.Name{name}}
				all = append(all, conditionsIn(&sqlparts.Binary{Op: "=", L: key, R: key})...)
			}
		}
		return true
	})
	return conditionTexts(all)
}

// conditionsIn takes one condition apart.
func conditionsIn(e sqlparts.Expr) []sqlparts.Condition {
	return sqlparts.Extract(&sqlparts.Query{Body: &sqlparts.Select{Where: e}}).Where
}

// apart sets the equalities in a WHERE that join tables apart from the rest of it, which may be
// nil. Equal columns of different qualifiers join; those without qualifiers do where several tables
// are read.
func apart(e sqlparts.Expr, several bool) (rest sqlparts.Expr, links []sqlparts.Expr) {
	switch e := e.(type) {
	case *sqlparts.Logic:
		if e.Or {
			break
		}
		var kept []sqlparts.Expr
		for _, a := range e.Args {
			r, l := apart(a, several)
			if links = append(links, l...); r != nil {
				kept = append(kept, r)
			}
		}
		switch len(kept) {
		case 0:
			return nil, links
		case 1:
			return kept[0], links
		}
		return &sqlparts.Logic{Span: e.Span, Args: kept}, links
	case *sqlparts.Binary:
		l, left := e.L.(*sqlparts.Column)
		r, right := e.R.(*sqlparts.Column)
		if e.Op != "=" || !left || !right {
			break
		}
		if len(l.Name) > 1 && len(r.Name) > 1 {
			several = !strings.EqualFold(l.Name[len(l.Name)-2].Text, r.Name[len(r.Name)-2].Text)
		}
		if several {
			return nil, []sqlparts.Expr{e}
		}
	}
	return e, nil
}

// comparisonsOfColumns are the parts of a join's condition that compare columns with columns.
func comparisonsOfColumns(on sqlparts.Expr) []sqlparts.Expr {
	switch e := on.(type) {
	case *sqlparts.Logic:
		if e.Or {
			break
		}
		var out []sqlparts.Expr
		for _, a := range e.Args {
			out = append(out, comparisonsOfColumns(a)...)
		}
		return out
	case *sqlparts.Binary:
		if hasColumn(e.L) && hasColumn(e.R) {
			return []sqlparts.Expr{e}
		}
	}
	return nil
}

// restrictions are the other parts.
func restrictions(on sqlparts.Expr) []sqlparts.Expr {
	switch e := on.(type) {
	case nil:
		return nil
	case *sqlparts.Logic:
		if e.Or {
			break
		}
		var out []sqlparts.Expr
		for _, a := range e.Args {
			out = append(out, restrictions(a)...)
		}
		return out
	case *sqlparts.Binary:
		if hasColumn(e.L) && hasColumn(e.R) {
			return nil
		}
	}
	return []sqlparts.Expr{on}
}

func hasColumn(e sqlparts.Expr) bool {
	found := false
	sqlparts.Walk(e, func(n sqlparts.Node) bool {
		_, column := n.(*sqlparts.Column)
		found = found || column
		return !found
	})
	return found
}

func conditionTexts(list []sqlparts.Condition) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.String()
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// bindingConditions are those of conditionsOf that every row of the result has passed: parts of an
// AND in WHERE, QUALIFY or HAVING of the final SELECT, or in the condition of an inner join, and
// likewise in the derived tables and common table expressions it reads through inner joins. One
// side of an OR, the condition of an outer join, and an arm of a set operation bind nothing.
func bindingConditions(q *sqlparts.Query) map[string]bool {
	b := binding{found: map[string]bool{}, read: map[*sqlparts.Query]bool{}}
	b.query(q, nil)
	return b.found
}

type binding struct {
	found map[string]bool
	read  map[*sqlparts.Query]bool // so that none is read twice, however often it is named, nor by itself
}

func (b *binding) query(q *sqlparts.Query, outer []*sqlparts.CTE) {
	if q == nil || b.read[q] {
		return
	}
	b.read[q] = true
	named := append(slices.Clone(q.With), outer...)
	switch body := q.Body.(type) {
	case *sqlparts.Query:
		b.query(body, named)
	case *sqlparts.Select:
		for _, e := range []sqlparts.Expr{body.Where, body.Having, body.Qualify} {
			b.conjuncts(e)
		}
		b.sources(body.From, named)
	}
}

func (b *binding) sources(from []*sqlparts.Source, named []*sqlparts.CTE) {
	if slices.ContainsFunc(from, func(s *sqlparts.Source) bool {
		return !slices.Contains([]sqlparts.JoinKind{sqlparts.FirstSource, sqlparts.CommaJoin, sqlparts.InnerJoin, sqlparts.CrossJoin, sqlparts.LeftJoin}, s.Join)
	}) {
		return // rows of either side may come without a partner, or only without one
	}
	for _, s := range from {
		if s.Join == sqlparts.LeftJoin {
			continue
		}
		for _, e := range restrictions(s.On) {
			b.conjuncts(e)
		}
		b.query(s.Query, named)
		b.sources(s.Nested, named)
		if len(s.Table) == 1 {
			at := slices.IndexFunc(named, func(c *sqlparts.CTE) bool { return strings.EqualFold(c.Name.Text, s.Table[0].Text) })
			if at >= 0 {
				b.query(named[at].Query, slices.Concat(named[:at], named[at+1:]))
			}
		}
	}
}

func (b *binding) conjuncts(e sqlparts.Expr) {
	if l, ok := e.(*sqlparts.Logic); ok {
		if !l.Or {
			for _, a := range l.Args {
				b.conjuncts(a)
			}
		}
		return
	}
	if e == nil {
		return
	}
	atoms := conditionsIn(e)
	if len(atoms) == 1 { // NOT of an AND is an OR
		b.found[atoms[0].String()] = true
	}
}

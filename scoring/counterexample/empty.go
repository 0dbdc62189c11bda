package counterexample

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// empty reports whether a query certainly returns no row on any database: its condition is never true, or it joins an
// empty source. If this holds for both queries, their empty results are not due to the databases that were tried.
func empty(q *sqlparts.Query) bool {
	switch b := q.Body.(type) {
	case *sqlparts.Query:
		return empty(b)
	case *sqlparts.SetOp:
		return emptySet(b)
	case *sqlparts.Select:
		return emptySelect(b)
	}
	return false
}

// emptySet reports whether a set operation certainly returns no row.
func emptySet(b *sqlparts.SetOp) bool {
	none := empty(b.Terms[0])
	for i, t := range b.Terms[1:] {
		switch b.Ops[i].Kind {
		case sqlparts.Union:
			none = none && empty(t)
		case sqlparts.Intersect:
			none = none || empty(t)
		case sqlparts.Except:
		}
	}
	return none
}

func emptySelect(b *sqlparts.Select) bool {
	if b.Group == nil { // an aggregate of no rows is a row
		for _, it := range b.Items {
			aggregates := false
			walkSelect(it.Expr, func(call *sqlparts.Call) { aggregates = aggregates || isAggregate(call) })
			if aggregates {
				return false
			}
		}
		if b.Having != nil {
			return false
		}
	} else if slices.ContainsFunc(b.Group.Items,
		func(e sqlparts.Expr) bool { _, sets := e.(*sqlparts.Grouping); return sets }) {
		return false
	}
	return b.Where != nil && never(b.Where) || emptyFrom(b.From)
}

// emptyFrom reports whether the joins in FROM certainly produce no row.
func emptyFrom(list []*sqlparts.Source) bool {
	none := false
	for i, src := range list {
		x := src.Query != nil && empty(src.Query) || src.Nested != nil && emptyFrom(src.Nested)
		switch {
		case i == 0:
			none = x
		case src.Join == sqlparts.LeftJoin:
		case src.Join == sqlparts.RightJoin:
			none = x
		case src.Join == sqlparts.FullJoin:
			none = none && x
		case src.Join == sqlparts.CommaJoin, src.Join == sqlparts.CrossJoin, src.Join == sqlparts.InnerJoin:
			none = none || x || src.On != nil && never(src.On)
		}
	}
	return none
}

// never reports whether a condition is certainly true for no row: it is FALSE or NULL, equates two different numbers,
// or requires a column to have two values.
func never(e sqlparts.Expr) bool {
	parts := []sqlparts.Expr{e}
	if l, ok := e.(*sqlparts.Logic); ok {
		if l.Or {
			return !slices.ContainsFunc(l.Args, func(a sqlparts.Expr) bool { return !never(a) })
		}
		parts = l.Args
	}
	values := map[string]string{}
	for _, part := range parts {
		switch part := part.(type) {
		case *sqlparts.Literal:
			if part.Kind == sqlparts.Bool && part.Text == "false" || part.Kind == sqlparts.Null {
				return true
			}
		case *sqlparts.Logic:
			if never(part) {
				return true
			}
		case *sqlparts.Binary:
			if part.Op != "=" || part.Quantifier != "" {
				continue
			}
			l, r := wholeNumberOf(part.L), wholeNumberOf(part.R)
			if l != "" && r != "" && l != r {
				return true
			}
			if col, ok := part.L.(*sqlparts.Column); ok && r != "" {
				name := columnText(col)
				if was, ok := values[name]; ok && was != r {
					return true
				}
				values[name] = r
			}
		case *sqlparts.Is:
			col, ok := part.X.(*sqlparts.Column)
			l, null := part.What.(*sqlparts.Literal)
			if ok && null && l.Kind == sqlparts.Null && !part.Not {
				if _, ok := values[columnText(col)]; ok {
					return true
				}
			}
		}
	}
	return false
}

func columnText(c *sqlparts.Column) string { return strings.ToLower(nameOf(c.Name)) }

// wholeNumberOf returns the digits of an unsigned integer literal without leading zeros, or "" for any other
// expression.
func wholeNumberOf(e sqlparts.Expr) string {
	l, ok := e.(*sqlparts.Literal)
	if !ok || l.Kind != sqlparts.Number || strings.Trim(l.Text, "0123456789") != "" {
		return ""
	}
	if text := strings.TrimLeft(l.Text, "0"); text != "" {
		return text
	}
	return "0"
}

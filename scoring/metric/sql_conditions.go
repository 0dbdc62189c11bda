package metric

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// conditionsOf returns the atomic conditions that select the rows of a query: in WHERE, HAVING, QUALIFY and joins,
// including subqueries and common table expressions, without duplicates. It omits the conditions that join tables;
// see joinsOf.
func conditionsOf(q *sqlparts.Query) []sqlparts.Predicate {
	all := slices.DeleteFunc(sqlparts.Predicates(q), func(p sqlparts.Predicate) bool { return p.Joins })
	slices.SortStableFunc(all, func(a, b sqlparts.Predicate) int { return strings.Compare(a.String(), b.String()) })
	return slices.CompactFunc(all, func(a, b sqlparts.Predicate) bool { return a.String() == b.String() })
}

// joinsOf returns the equalities by which a query joins tables, at any level, as sorted strings without the tables'
// names: id = customer_id for ON and for WHERE, id = id for USING.
func joinsOf(q *sqlparts.Query) []string {
	return conditionTexts(slices.DeleteFunc(sqlparts.Predicates(q), func(p sqlparts.Predicate) bool { return !p.Joins }))
}

func conditionTexts(list []sqlparts.Predicate) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].String()
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// bindingConditions returns the conditions of conditionsOf that every row of the result satisfies: parts of an AND in
// WHERE, QUALIFY or HAVING, or in an inner join, of the final SELECT and of the queries that it reads through inner
// joins. Conditions of outer joins and in set operations are not among them.
func bindingConditions(q *sqlparts.Query) map[string]bool {
	b := binding{passed: map[sqlparts.Node]bool{}, read: map[*sqlparts.Query]bool{}}
	b.query(q, nil)
	found := map[string]bool{}
	for _, p := range sqlparts.Predicates(q) {
		if p.Binding && !p.Joins && b.passed[p.In] {
			found[p.String()] = true
		}
	}
	return found
}

type binding struct {
	passed map[sqlparts.Node]bool   // nodes whose conditions every row of the result satisfies
	read   map[*sqlparts.Query]bool // queries that were visited: each is visited once, also if it is recursive
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
		b.passed[body] = true
		b.sources(body.From, named)
	}
}

func (b *binding) sources(from []*sqlparts.Source, named []*sqlparts.CTE) {
	if slices.ContainsFunc(from, func(s *sqlparts.Source) bool {
		return !slices.Contains(
			[]sqlparts.JoinKind{sqlparts.FirstSource, sqlparts.CommaJoin, sqlparts.InnerJoin, sqlparts.CrossJoin,
				sqlparts.LeftJoin}, s.Join)
	}) {
		return // an outer or anti join: its rows need not satisfy the conditions
	}
	for _, s := range from {
		if s.Join == sqlparts.LeftJoin {
			continue
		}
		b.passed[s] = true
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

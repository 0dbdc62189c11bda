package sqltree

import (
	"slices"
	"strings"
)

// Rules selects differences between queries that are significant in addition to those of the published rules.
type Rules struct {
	ColumnOrder bool // the order of the select list is significant; the published rules ignore it
}

// equivalent reports whether two trees are the same query under the rules. It changes both trees.
func equivalent(a, b *Query, schema *Schema, rules Rules) bool {
	n := Normalizer{schema, rules}
	return n.Normalize(a).String() == n.Normalize(b).String()
}

// Normalizer converts trees to a normal form. Trees that are the same query under the rules get the same normal form.
type Normalizer struct {
	Schema *Schema
	Rules  Rules
}

// columns is the way in which the columns of a query are used in its context, which decides whether their order is
// significant.
type columns uint8

const (
	delivered columns = iota // as the result: the order is significant if Rules.ColumnOrder is set
	positions                // by position, as in a set operation or IN
	named                    // by name
)

// maxRounds is the maximum number of times that the rules are applied to one SELECT.
const maxRounds = 8

// Normalize returns the normal form of a query. It changes q.
func (n *Normalizer) Normalize(q *Query) *Query {
	return n.query(q, delivered)
}

func (n *Normalizer) query(q *Query, use columns) *Query {
	n.Schema.Halt.Check()
	for i, t := range q.Terms {
		q.Terms[i] = n.query(t, positions)
	}
	for _, s := range q.From {
		if s.Query != nil {
			s.Query = n.query(s.Query, named)
		}
	}
	q.each(func(e **Expr) { n.subqueries(*e) })
	if q.Set != "" {
		if q = n.setOp(q); q.Set != "" {
			q.each(func(e **Expr) { rewrite(e, n.expr) })
			n.sortTerms(q, use)
			return q
		}
	}
	before := ""
	for range maxRounds {
		n.selectOnce(q)
		after := q.String()
		if after == before {
			break
		}
		before = after
	}
	n.sortSelect(q, use)
	return q
}

// subqueries normalizes the queries inside an expression. In queries of IN it drops DISTINCT and ORDER BY, in those of
// EXISTS also the select list, because these have no effect there.
func (n *Normalizer) subqueries(e *Expr) {
	if e == nil {
		return
	}
	if e.Query != nil {
		e.Query = n.query(e.Query, positions)
	}
	for i, a := range e.Args {
		n.subqueries(a)
		if a == nil || a.Op != opQuery {
			continue
		}
		q := a.Query
		switch base := strings.TrimPrefix(e.Op, "not "); {
		case base == "exists" && q.Set == "" && len(q.Group) == 0 && !slices.ContainsFunc(q.Items, aggregates):
			q.Items, q.Distinct = []*Expr{number("1")}, false
		case base == "in" && i > 0:
			q.Distinct = false
		default:
			continue
		}
		if q.Limit == nil && q.Offset == nil {
			q.Order = nil
		}
	}
}

// rules returns the rules for a SELECT in the order in which they are applied.
func (n *Normalizer) rules() []func(q *Query) {
	return []func(q *Query){
		n.joinedConditions, substrings, n.sameTable, n.joinSubqueries, n.antiJoin, n.uselessJoin, n.equalColumns, n.distinct,
		n.groups, n.counts, n.notNull, n.extremeOfAll, n.extremeFirst, n.orderKeys, n.stars,
	}
}

// selectOnce applies every rule once to a SELECT, without its nested queries.
func (n *Normalizer) selectOnce(q *Query) {
	q.each(func(e **Expr) { rewrite(e, n.expr) })
	for _, rule := range n.rules() {
		n.Schema.Halt.Check()
		rule(q)
	}
	q.each(func(e **Expr) { rewrite(e, ordered) })
	for _, e := range []**Expr{&q.Where, &q.Having, &q.Qualify} {
		if *e != nil && isTrue(*e) {
			*e = nil
		}
	}
}

// sortSelect sorts parts of a SELECT whose order is not significant: the sources of inner joins, grouping keys and,
// unless its order is significant, the select list.
func (n *Normalizer) sortSelect(q *Query, use columns) {
	if allInner(q) {
		sortSources(q)
		numberSources(q, n.Schema.Halt)
	}
	if n.free(use) {
		sortExprs(q.Items)
	}
	sortExprs(q.Group)
	q.Group = slices.CompactFunc(q.Group, func(a, b *Expr) bool { return a.String() == b.String() })
}

// free reports whether the order of columns is not significant.
func (n *Normalizer) free(use columns) bool { return use != positions && !n.Rules.ColumnOrder }

func sortExprs(list []*Expr) {
	keys := make(map[*Expr]string, len(list))
	for _, e := range list {
		keys[e] = e.String()
	}
	slices.SortStableFunc(list, func(a, b *Expr) int { return strings.Compare(keys[a], keys[b]) })
}

func allInner(q *Query) bool {
	return !slices.ContainsFunc(q.From, func(s *Source) bool { return s.Join != "inner" })
}

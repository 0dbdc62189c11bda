package sqltree

import (
	"slices"
	"strings"
)

// Rules selects the harmless differences between two queries in addition to those of the published rules.
type Rules struct {
	ColumnOrder bool // the order of the select list counts; the published rules ignore it
}

// equivalent reports whether two trees are the same query under the rules. The trees are changed.
func equivalent(a, b *Query, schema *Schema, rules Rules) bool {
	n := Normalizer{schema, rules}
	return n.Normalize(a).String() == n.Normalize(b).String()
}

// Normalizer brings trees into a normal form: trees that the rules make equal get the same.
type Normalizer struct {
	Schema *Schema
	Rules  Rules
}

// columns is the meaning of the order of a query's columns in its context.
type columns uint8

const (
	delivered columns = iota // they are the result: their order is significant if the rules make it so
	positions                // they meet others by position: in a set operation, in IN
	named                    // they are used by name
)

// maxRounds bounds how often the rules of one SELECT are tried again after one of them changed
// something.
const maxRounds = 8

// Normalize returns the normal form of a query, which is changed.
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

// subqueries normalizes the queries inside an expression. In IN and EXISTS neither duplicates nor
// order count, in EXISTS no column does.
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

// rules are those of a SELECT, in the order in which they apply.
func (n *Normalizer) rules() []func(q *Query) {
	return []func(q *Query){
		n.joinedConditions, substrings, n.sameTable, n.joinSubqueries, n.antiJoin, n.uselessJoin, n.equalColumns, n.distinct,
		n.groups, n.counts, n.notNull, n.extremeOfAll, n.extremeFirst, n.orderKeys, n.stars,
	}
}

// selectOnce applies every rule to a SELECT once.
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

// sortSelect puts what has no order into one: the select list unless its order counts, groups, and
// the sources of inner joins.
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

// free reports whether the order of columns means nothing.
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

package sqltree

import (
	"slices"
	"strings"
)

// setOp returns the SELECT to which rules 3, 5 and 21 convert a set operation, or q if none applies.
func (n *Normalizer) setOp(q *Query) *Query {
	if len(q.Terms) < 2 || len(q.Order) > 0 || q.Limit != nil || q.Offset != nil {
		return q
	}
	first := q.Terms[0]
	if q.Set == "union" || q.Set == "intersect" { // rule 21
		same := true
		for _, t := range q.Terms[1:] {
			same = same && t.String() == first.String()
		}
		if same && first.Set == "" && first.Limit == nil && first.Offset == nil {
			first.Distinct = true
			n.distinct(first)
			return first
		}
	}
	if len(q.Terms) != 2 || !plain(first) {
		return q
	}
	second := q.Terms[1]
	c, ok := first.Items[0].column()
	if !ok || !n.Schema.Unique(c) || len(first.Items) != 1 {
		return q
	}
	switch {
	case q.Set == "except" && n.Schema.NotNull(c) && len(first.From) == 1: // rule 5
		second.moveIn()
		first.Where = conjunction(first.Where, op("not in", first.Items[0].clone(), &Expr{Op: opQuery, Query: second}))
		return n.query(first, positions)
	// rule 3
	case (q.Set == "intersect" || q.Set == "union") && plain(second) && len(first.From) == 1 && len(second.From) == 1 &&
		first.Where != nil && second.Where != nil && second.From[0].Table == first.From[0].Table &&
		second.Items[0].String() == first.Items[0].String() && len(second.Items) == 1:
		join := map[string]string{"intersect": "and", "union": "or"}[q.Set]
		first.Where = op(join, first.Where, second.Where)
		return n.query(first, positions)
	}
	return q
}

// moveIn rewrites the columns of a query that moves into a nested query: its references to enclosing queries are one
// query further out.
func (q *Query) moveIn() {
	q.columns(func(e *Expr, depth int) {
		if strings.HasPrefix(e.Table, strings.Repeat("^", depth+1)) {
			e.Table = "^" + e.Table
		}
	})
}

// plain reports whether a query is a SELECT with only items without aggregates, sources, DISTINCT and WHERE.
func plain(q *Query) bool {
	return q.Set == "" && len(q.Items) > 0 && len(q.Group) == 0 && q.Having == nil && q.Qualify == nil &&
		len(q.Order) == 0 && q.Limit == nil &&
		q.Offset == nil && len(q.Extra) == 0 && !slices.ContainsFunc(q.Items, aggregates)
}

// sortTerms sorts the operands of UNION and INTERSECT, and the columns of all operands unless their order is
// significant.
func (n *Normalizer) sortTerms(q *Query, use columns) {
	if n.free(use) {
		q.sortColumns()
	}
	if strings.HasPrefix(q.Set, "union") || strings.HasPrefix(q.Set, "intersect") {
		slices.SortStableFunc(q.Terms, func(a, b *Query) int { return strings.Compare(a.String(), b.String()) })
	}
}

// sortColumns sorts the columns of a set operation of SELECTs, those of each operand in the same way.
func (q *Query) sortColumns() {
	width := len(q.Terms[0].Items)
	for _, t := range q.Terms {
		if t.Set != "" || len(t.Items) != width {
			return
		}
	}
	keys, order := make([]string, width), make([]int, width)
	for i := range width {
		texts := make([]string, len(q.Terms))
		for k, t := range q.Terms {
			texts[k] = t.Items[i].String()
		}
		if q.Set != "except" && q.Set != "except all" {
			slices.Sort(texts)
		}
		keys[i], order[i] = strings.Join(texts, "\x00"), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	for _, t := range q.Terms {
		sorted := make([]*Expr, width)
		for i, from := range order {
			sorted[i] = t.Items[from]
		}
		t.Items = sorted
	}
}

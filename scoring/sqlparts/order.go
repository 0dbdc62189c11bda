package sqlparts

import "strconv"

// ordersRows reports whether SQL text specifies the order of its result's rows: the last query has an ORDER BY that
// applies to its whole result, and its first key that is not constant is not random. An ORDER BY in a derived table or
// CTE does not count: no standard and no warehouse guarantees that this order is kept.
func ordersRows(sql string, dialect Dialect) bool {
	s := Parse(sql, dialect)
	for i := len(s.Statements) - 1; i >= 0; i-- {
		if st := s.Statements[i]; st.Kind == KindQuery && st.Query != nil {
			return st.Query.Ordered()
		}
	}
	return false
}

// Ordered reports whether the query specifies the order of its rows; see [ordersRows].
func (q *Query) Ordered() bool {
	order := q.Order()
	s := firstSelect(q)
	for _, o := range order {
		switch e := o.Expr.(type) {
		case *Literal:
			if s != nil && e.Kind == Number && positioned(s, e) == nil && hasStar(s) || s != nil && positioned(s, e) != nil {
				return true
			}
			if s == nil && e.Kind == Number { // a position in VALUES or in text that was not understood
				return true
			}
		case *Subquery, *Param:
		default:
			return !random(e)
		}
	}
	return false
}

func hasStar(s *Select) bool {
	for _, it := range s.Items {
		if _, ok := it.Expr.(*Star); ok {
			return true
		}
	}
	return false
}

// Order returns the ORDER BY of the whole query: its own or, if it has none, that of the query inside its parentheses.
func (q *Query) Order() []*OrderItem {
	for q != nil {
		if len(q.OrderBy) > 0 {
			return q.OrderBy
		}
		inner, ok := q.Body.(*Query)
		if !ok {
			return nil
		}
		q = inner
	}
	return nil
}

// RowLimit returns the maximum number of rows that the query returns by its LIMIT, TOP or FETCH, or those of the query
// inside its parentheses, if that is a plain number. ok is false if there is none, if it is a percentage, or if ties
// may exceed it.
func (q *Query) RowLimit() (n int64, ok bool) {
	for q != nil {
		if l := q.Limit; l != nil && l.Count != nil && !l.Percent && !l.WithTies {
			if c, isLiteral := l.Count.(*Literal); isLiteral && c.Kind == Number {
				if v, err := strconv.ParseInt(c.Text, 10, 64); err == nil && (!ok || v < n) {
					n, ok = v, true
				}
			}
		}
		inner, isQuery := q.Body.(*Query)
		if !isQuery {
			return n, ok
		}
		q = inner
	}
	return n, ok
}

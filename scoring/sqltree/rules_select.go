package sqltree

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/halt"
)

// distinct is rule 2: it drops DISTINCT if the select list contains a key of the only table, or all grouping keys,
// since the rows are then unique. COUNT(DISTINCT key) becomes COUNT(key).
func (n *Normalizer) distinct(q *Query) {
	if len(q.From) != 1 || len(q.From[0].Mods) > 0 {
		return
	}
	key := func(e *Expr) bool {
		c, ok := e.column()
		return ok && c.Table == q.From[0].Table && n.Schema.Unique(c)
	}
	if q.Distinct && (len(q.Group) == 0 && slices.ContainsFunc(q.Items, key)) {
		q.Distinct = false
	}
	q.each(func(e **Expr) {
		rewrite(e, func(x *Expr) *Expr {
			if isCount(x) && x.Args[0].Op == opDistinct && len(x.Args[0].Args) == 1 && key(x.Args[0].Args[0]) {
				return &Expr{Op: opCall, Text: "count", Args: x.Args[0].Args}
			}
			return x
		})
	})
	if q.Distinct && len(q.Group) > 0 && len(q.Items) > 0 && sameSet(q.Items, q.Group) {
		q.Distinct = false // groups differ already
	}
}

func sameSet(a, b []*Expr) bool {
	return !slices.ContainsFunc(b, func(x *Expr) bool {
		return !slices.ContainsFunc(a, func(y *Expr) bool { return x.String() == y.String() })
	})
}

// groups is rule 4: it drops the other columns of a table from GROUP BY if a key of the table is in GROUP BY.
func (n *Normalizer) groups(q *Query) {
	keyed := map[string]string{} // id of a source to its key in GROUP BY
	classes := q.equalities()
	for _, g := range q.Group {
		if c, ok := g.column(); ok && n.Schema.Unique(c) && keyed[g.Table] == "" {
			keyed[g.Table] = c.Name
		}
		for _, other := range classes[columnKey(g)] { // a column that must equal a key is a key too
			if c, ok := other.column(); ok && n.Schema.Unique(c) && keyed[other.Table] == "" {
				keyed[other.Table] = c.Name
			}
		}
	}
	q.Group = slices.DeleteFunc(q.Group, func(g *Expr) bool {
		key, ok := keyed[g.Table]
		return ok && g.Op == opColumn && g.Text != key
	})
}

func columnKey(e *Expr) string { return e.Table + "\x00" + e.Text }

// equalities returns, for each column, the columns that an equality in WHERE requires to be equal to it.
func (q *Query) equalities() map[string][]*Expr {
	m := map[string][]*Expr{}
	for _, c := range conjuncts(q.Where) {
		if c.Op == "=" && c.Args[0].local() && c.Args[1].local() {
			a, b := columnKey(c.Args[0]), columnKey(c.Args[1])
			m[a], m[b] = append(m[a], c.Args[1]), append(m[b], c.Args[0])
		}
	}
	return m
}

// counts is rule 6: COUNT of a number, or of a column that is never NULL, becomes COUNT(*). It also applies rules 8 and
// 9 again.
func (n *Normalizer) counts(q *Query) {
	never := n.neverNull(q)
	q.each(func(e **Expr) {
		rewrite(e, func(x *Expr) *Expr {
			if isCount(x) && (x.Args[0].Op == opNumber || never(x.Args[0])) {
				return &Expr{Op: opCall, Text: "count", Args: []*Expr{op(opRows)}}
			}
			if isCount(x) && x.Args[0].Op == opCase && len(x.Args[0].Args) == 2 && never(x.Args[0].Args[1]) {
				return n.countCase(&Expr{Op: opCall, Text: "count", Args: []*Expr{op(opCase, x.Args[0].Args[0], number("1"))}})
			}
			if x.Op == "/" {
				return n.average(x)
			}
			return x
		})
	})
}

// neverNull returns a function that reports whether a column has no NULL in any row of the query: by the schema, if all
// joins are inner, or because a condition that every row satisfies compares the column.
func (n *Normalizer) neverNull(q *Query) func(*Expr) bool {
	inner := allInner(q)
	compared := map[string]bool{}
	for _, c := range conjuncts(q.Where) {
		if _, ok := comparisons[c.Op]; ok || c.Op == "like" || c.Op == "in" {
			for _, a := range c.Args {
				if a.local() {
					compared[columnKey(a)] = true
				}
			}
		}
		if _, ok := c.columnOf("is not"); ok && c.Args[1].Op == opNull {
			compared[columnKey(c.Args[0])] = true
		}
	}
	return func(e *Expr) bool {
		if compared[columnKey(e)] && e.local() {
			return true
		}
		c, ok := e.column()
		return ok && inner && n.Schema.NotNull(c)
	}
}

// notNull is rule 7: it drops x IS NOT NULL if x is never NULL. It drops one condition per call.
func (n *Normalizer) notNull(q *Query) {
	if q.Where == nil || !allInner(q) {
		return
	}
	list := conjuncts(q.Where)
	for i, c := range list {
		n.Schema.Halt.Check()
		if _, ok := c.columnOf("is not"); !ok || c.Args[1].Op != opNull {
			continue
		}
		others := *q
		others.Where = conjunction(slices.Delete(slices.Clone(list), i, i+1)...)
		if n.neverNull(&others)(c.Args[0]) {
			q.Where = others.Where
			return
		}
	}
}

// extremeOfAll is rule 1: WHERE k = (SELECT MAX(k) FROM t), in a query of t with the unique column k, becomes ORDER BY
// k DESC LIMIT 1; MIN likewise.
func (n *Normalizer) extremeOfAll(q *Query) {
	if len(q.Order) > 0 || q.Limit != nil || q.Offset != nil || len(q.Group) > 0 || len(q.From) != 1 ||
		slices.ContainsFunc(q.Items, aggregates) {
		return
	}
	list := conjuncts(q.Where)
	if len(list) != 1 || list[0].Op != "=" {
		return
	}
	x, sub := list[0].Args[0], list[0].Args[1]
	if x.Op == opQuery {
		x, sub = sub, x
	}
	c, ok := x.column()
	if !ok || sub.Op != opQuery || !n.Schema.Unique(c) {
		return
	}
	s := sub.Query
	if s.Set != "" || len(s.Items) != 1 || len(s.From) != 1 || s.From[0].Table != c.Table || s.Where != nil ||
		len(s.Group) > 0 || s.Having != nil || s.Limit != nil {
		return
	}
	e := s.Items[0]
	if e.Op != opCall || e.Text != "max" && e.Text != "min" || len(e.Args) != 1 {
		return
	}
	if inner, ok := e.Args[0].column(); !ok || inner != c {
		return
	}
	q.Where = nil
	q.Order, q.Limit = []Key{{Expr: x, Desc: e.Text == "max"}}, number("1")
}

// extremeFirst is rule 10: SELECT x … ORDER BY x LIMIT 1 becomes SELECT MIN(x), with DESC MAX(x).
func (n *Normalizer) extremeFirst(q *Query) {
	if len(q.Order) != 1 || q.Limit == nil || q.Limit.Op != opNumber || q.Limit.Text != "1" || q.Offset != nil ||
		len(q.Group) > 0 || q.Distinct {
		return
	}
	key := q.Order[0].Expr
	at := slices.IndexFunc(q.Items, func(e *Expr) bool { return e.String() == key.String() })
	if at < 0 || key.Op != opColumn || slices.ContainsFunc(q.Items, aggregates) {
		return
	}
	name := "min"
	if q.Order[0].Desc {
		name = "max"
	}
	q.Items[at] = &Expr{Op: opCall, Text: name, Args: []*Expr{q.Items[at]}}
	q.Order, q.Limit = nil, nil
}

// orderKeys is rule 17: ORDER BY JULIANDAY(x) becomes ORDER BY x.
func (n *Normalizer) orderKeys(q *Query) {
	for i, k := range q.Order {
		if e := k.Expr; e.Op == opCall && e.Text == "julianday" && len(e.Args) == 1 {
			q.Order[i].Expr = e.Args[0]
		}
	}
}

// stars is rule 11: a star is replaced by its columns if the schema states them.
func (n *Normalizer) stars(q *Query) {
	var items []*Expr
	for _, it := range q.Items {
		if it.Op != opStar || it.Text != "" {
			items = append(items, it)
			continue
		}
		var columns []*Expr
		known := true
		for _, s := range q.From {
			if it.Table != "" && s.id != it.Table {
				continue
			}
			t := n.Schema.Tables[s.Table]
			if s.Table == "" || !n.Schema.Stated || t == nil || len(s.Mods) > 0 {
				known = false
				break
			}
			for _, c := range t.Columns {
				columns = append(columns, &Expr{Op: opColumn, Table: s.id, Text: c})
			}
		}
		if !known {
			columns = []*Expr{it}
			if len(q.From) == 1 {
				it.Table = ""
			}
		}
		items = append(items, columns...)
	}
	q.Items = items
}

// sortSources sorts the sources of inner joins into an order that does not depend on how they were written, and
// renumbers those without a table.
func sortSources(q *Query) {
	keys := map[*Source]string{}
	for _, s := range q.From {
		keys[s] = string(s.appendTo(nil))
	}
	slices.SortStableFunc(q.From, func(a, b *Source) int { return strings.Compare(keys[a], keys[b]) })
	ids := map[string]string{}
	for _, s := range q.From {
		if s.Table == "" {
			ids[s.id] = "$" + strconv.Itoa(len(ids)+1)
		}
	}
	q.rename(ids)
}

// numberSources numbers the sources over one table independently of how they were written. If a table has two or three
// sources, it tries all numberings and keeps that whose text sorts first; for more it changes nothing.
func numberSources(q *Query, stop *halt.Signal) {
	byTable := map[string][]string{}
	var tables []string
	for _, s := range q.From {
		if s.Table != "" {
			if byTable[s.Table] == nil {
				tables = append(tables, s.Table)
			}
			byTable[s.Table] = append(byTable[s.Table], s.id)
		}
	}
	for _, t := range tables {
		ids := byTable[t]
		if len(ids) < 2 || len(ids) > 3 {
			continue
		}
		best, text := map[string]string{}, ""
		for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0},
			{2, 0, 1}}[:len(ids)*(len(ids)-1)] {
			stop.Check()
			renamed := map[string]string{}
			for i := range ids {
				renamed[ids[i]] = ids[order[i]]
			}
			try := q.clone()
			try.rename(renamed)
			try.each(func(e **Expr) { rewrite(e, ordered) })
			sortSources(try)
			sortExprs(try.Items)
			if s := try.String(); text == "" || s < text {
				best, text = renamed, s
			}
		}
		q.rename(best)
		q.each(func(e **Expr) { rewrite(e, ordered) })
		sortSources(q)
	}
}

// rename replaces the ids of sources, also in the columns that refer to them.
func (q *Query) rename(ids map[string]string) {
	if len(ids) == 0 {
		return
	}
	for _, s := range q.From {
		if id, ok := ids[s.id]; ok {
			s.id = id
		}
	}
	q.columns(func(e *Expr, depth int) {
		carets := strings.Repeat("^", depth)
		if rest, ok := strings.CutPrefix(e.Table, carets); ok {
			if id, ok := ids[rest]; ok {
				e.Table = carets + id
			}
		}
	})
}

package sqltree

import (
	"slices"
	"strconv"
	"strings"
)

// joinedConditions moves the conditions of joins to WHERE if all joins are inner, which does not change the result.
func (n *Normalizer) joinedConditions(q *Query) {
	if !allInner(q) {
		return
	}
	all := []*Expr{q.Where}
	for _, s := range q.From {
		if s.On != nil {
			all = append(all, s.On)
			s.On = nil
		}
	}
	if len(all) > 1 {
		q.Where = conjunction(all...)
	}
}

// joinSubqueries is rule 13: x IN (SELECT key FROM t WHERE …) becomes a join with t, and so does x = (SELECT … FROM t
// WHERE key = constant), since at most one row of t matches.
func (n *Normalizer) joinSubqueries(q *Query) {
	// * would gain columns
	if !allInner(q) || slices.ContainsFunc(q.Items, func(e *Expr) bool { return e.Op == opStar && e.Table == "" }) {
		return
	}
	var where []*Expr
	for _, c := range conjuncts(q.Where) {
		n.Schema.Halt.Check()
		if (c.Op == "in" || c.Op == "=") && len(c.Args) == 2 {
			x, sub := c.Args[0], c.Args[1]
			if c.Op == "=" && x.Op == opQuery {
				x, sub = sub, x
			}
			if _, ok := x.column(); ok && sub.Op == opQuery && n.joinable(sub.Query, c.Op == "=") {
				where = append(where, q.absorb(x, sub.Query)...)
				continue
			}
		}
		where = append(where, c)
	}
	q.Where = conjunction(where...)
}

// joinable reports whether a subquery only selects and filters one column of one table and returns each value at most
// once. scalar means that it must return at most one row.
func (n *Normalizer) joinable(q *Query, scalar bool) bool {
	if q.Set != "" || len(q.From) != 1 || q.From[0].Table == "" || len(q.From[0].Mods) > 0 || len(q.Items) != 1 ||
		len(q.Group) > 0 ||
		q.Having != nil || q.Qualify != nil || q.Limit != nil || q.Offset != nil || len(q.Extra) > 0 {
		return false
	}
	col, ok := q.Items[0].column()
	if !ok || col.Table != q.From[0].Table {
		return false
	}
	if !scalar {
		return n.Schema.Unique(col)
	}
	if w := q.Where; w != nil && w.Op == "=" {
		for i := range w.Args {
			key, ok := w.Args[i].column()
			if ok && key.Table == q.From[0].Table && n.Schema.Unique(key) && constant(w.Args[1-i]) {
				return true
			}
		}
	}
	return false
}

func constant(e *Expr) bool { return e.Op == opNumber || e.Op == opString || e.Op == opLiteral }

// absorb adds the table of the subquery sub to the sources of q. It returns x = its item and its conditions, for the
// WHERE of q.
func (q *Query) absorb(x *Expr, sub *Query) []*Expr {
	s := *sub.From[0]
	old := s.id
	s.id, s.Join = q.freshID(s.Table), "inner"
	move := func(e *Expr) *Expr {
		e.moveOut(0, old, s.id)
		return e
	}
	q.From = append(q.From, &s)
	return append([]*Expr{op("=", x, move(sub.Items[0]))}, conjuncts(moved(sub.Where, move))...)
}

func moved(e *Expr, move func(*Expr) *Expr) *Expr {
	if e == nil {
		return nil
	}
	return move(e)
}

// freshID returns an unused id for a further source over the table.
func (q *Query) freshID(table string) string {
	id := table
	for i := 2; slices.ContainsFunc(q.From, func(s *Source) bool { return s.id == id }); i++ {
		id = table + "#" + strconv.Itoa(i)
	}
	return id
}

// moveOut rewrites the columns of an expression that moves from its query to the enclosing one. Those of the source old
// get the source id, and those of enclosing queries are one query nearer. depth is the depth of the expression below
// its query.
func (e *Expr) moveOut(depth int, old, id string) {
	carets := strings.Repeat("^", depth)
	e.columnsAt(depth, func(c *Expr, at int) {
		own := strings.Repeat("^", at-depth) + carets
		switch rest, ok := strings.CutPrefix(c.Table, own); {
		case !ok:
		case rest == old:
			c.Table = own + id
		case strings.HasPrefix(rest, "^"):
			c.Table = own + rest[1:]
		}
	})
}

// sameTable is rule 20: t.key IN (SELECT key FROM t WHERE c), in a query of t, becomes c.
func (n *Normalizer) sameTable(q *Query) {
	for i, c := range conjuncts(q.Where) {
		if c.Op != "in" || len(c.Args) != 2 || c.Args[1].Op != opQuery {
			continue
		}
		sub := c.Args[1].Query
		outer, ok := c.Args[0].column()
		if !ok || !n.joinable(sub, false) || sub.From[0].Table != outer.Table {
			continue
		}
		if inner, _ := sub.Items[0].column(); inner != outer {
			continue
		}
		list := conjuncts(q.Where)
		if sub.Where != nil {
			sub.Where.moveOut(0, sub.From[0].id, c.Args[0].Table)
		}
		list = slices.Replace(list, i, i+1, conjuncts(sub.Where)...)
		q.Where = conjunction(list...)
		return
	}
}

// antiJoin is rule 25: a LEFT JOIN b ON a.x = b.y WHERE b.y IS NULL becomes a WHERE a.x NOT IN (SELECT y FROM b).
func (n *Normalizer) antiJoin(q *Query) {
	if len(q.From) != 2 || q.From[1].Join != "left" || q.From[1].Table == "" || q.From[1].On == nil ||
		q.From[1].On.Op != "=" {
		return
	}
	b := q.From[1]
	x, y := b.On.Args[0], b.On.Args[1]
	if x.Table == b.id {
		x, y = y, x
	}
	yc, ok := y.column()
	if _, isColumn := x.column(); !isColumn || !ok || y.Table != b.id || x.Table != q.From[0].id {
		return
	}
	list := conjuncts(q.Where)
	at := slices.IndexFunc(list, func(c *Expr) bool {
		z, ok := c.columnOf("is")
		return ok && c.Args[0].Table == b.id && c.Args[1].Op == opNull && (z == yc || n.Schema.NotNull(z))
	})
	if at < 0 {
		return
	}
	rest := slices.Delete(slices.Clone(list), at, at+1)
	others := *q
	others.From = q.From[:1]
	others.Where = conjunction(rest...)
	if others.uses(b.id, "") {
		return
	}
	sub := &Query{Items: []*Expr{{Op: opColumn, Table: b.Table, Text: y.Text}},
		From: []*Source{{Join: "inner", Table: b.Table, id: b.Table}}}
	q.From = q.From[:1]
	q.Where = conjunction(append(rest, op("not in", x, &Expr{Op: opQuery, Query: sub}))...)
}

// columnOf returns the column that is the first operand of the expression. It returns false if the operator is not name
// or the operand is not a column.
func (e *Expr) columnOf(name string) (Column, bool) {
	if e.Op != name {
		return Column{}, false
	}
	return e.Args[0].column()
}

// uses reports whether the query or a nested one refers to the source id, except by the column except.
func (q *Query) uses(id, except string) bool {
	used := false
	q.columns(func(e *Expr, depth int) {
		table := strings.TrimPrefix(e.Table, strings.Repeat("^", depth))
		switch {
		case e.Op == opStar:
			used = used || table == id || table == "" && depth == 0
		case table == id && len(e.Table)-len(table) == depth && e.Text != except:
			used = true
		}
	})
	return used
}

// uselessJoin is rule 14: it drops a table that is joined by its primary key to a foreign key if no other column of the
// table is used.
func (n *Normalizer) uselessJoin(q *Query) {
	if !allInner(q) || len(q.From) < 2 {
		return
	}
	list := conjuncts(q.Where)
	for i, c := range list {
		n.Schema.Halt.Check()
		if c.Op != "=" {
			continue
		}
		for k := range 2 {
			key, ok := c.Args[k].column()
			foreign, ok2 := c.Args[1-k].column()
			if !ok || !ok2 || c.Args[k].Table == c.Args[1-k].Table {
				continue
			}
			to, ok := n.Schema.References(foreign)
			t := n.Schema.Tables[key.Table]
			if !ok || to != key || t == nil || len(t.Primary) != 1 || t.Primary[0] != key.Name {
				continue
			}
			id := c.Args[k].Table
			rest := *q
			rest.Where = conjunction(slices.Delete(slices.Clone(list), i, i+1)...)
			if rest.uses(id, key.Name) {
				continue
			}
			q.Where = rest.Where
			q.From = slices.DeleteFunc(slices.Clone(q.From), func(s *Source) bool { return s.id == id })
			q.replaceColumn(id, key.Name, c.Args[1-k])
			if n.Schema.Stated { // a row with NULL as the foreign key has no match
				q.Where = conjunction(q.Where, op("is not", c.Args[1-k].clone(), null))
			}
			return
		}
	}
}

// replaceColumn replaces the column name of the source id by another column, including in nested queries.
func (q *Query) replaceColumn(id, name string, with *Expr) {
	table, text := with.Table, with.Text
	q.columns(func(e *Expr, depth int) {
		if carets := strings.Repeat("^", depth); e.Op == opColumn && e.Table == carets+id && e.Text == name {
			e.Table, e.Text = carets+table, text
		}
	})
}

// equalColumns is rule 19: columns that inner joins require to be equal are all replaced by the first of them by name.
func (n *Normalizer) equalColumns(q *Query) {
	if !allInner(q) {
		return
	}
	type colID struct{ table, name string }
	parent := map[colID]colID{}
	var find func(c colID) colID
	find = func(c colID) colID {
		if p, ok := parent[c]; ok && p != c {
			root := find(p)
			parent[c] = root
			return root
		}
		return c
	}
	less := func(a, b colID) bool { return a.table < b.table || a.table == b.table && a.name < b.name }
	var rest []*Expr
	for _, c := range conjuncts(q.Where) {
		if c.Op == "=" && len(c.Args) == 2 && c.Args[0].local() && c.Args[1].local() {
			a, b := find(colID{c.Args[0].Table, c.Args[0].Text}), find(colID{c.Args[1].Table, c.Args[1].Text})
			if less(b, a) {
				a, b = b, a
			}
			parent[a], parent[b] = a, a
			continue
		}
		rest = append(rest, c)
	}
	if len(parent) == 0 {
		return
	}
	members := make([]colID, 0, len(parent))
	for c := range parent {
		members = append(members, c)
	}
	slices.SortFunc(members, func(a, b colID) int { return strings.Compare(a.table+"\x00"+a.name, b.table+"\x00"+b.name) })
	q.Where = conjunction(rest...)
	q.columns(func(e *Expr, depth int) {
		carets := strings.Repeat("^", depth)
		table, ok := strings.CutPrefix(e.Table, carets)
		if c := (colID{table, e.Text}); ok && e.Op == opColumn && parent[c] != (colID{}) {
			root := find(c)
			e.Table, e.Text = carets+root.table, root.name
		}
	})
	all := []*Expr{q.Where}
	for _, c := range members {
		if root := find(c); root != c {
			all = append(all,
				op("=", &Expr{Op: opColumn, Table: root.table, Text: root.name}, &Expr{Op: opColumn, Table: c.table, Text: c.name}))
		}
	}
	q.Where = conjunction(all...)
}

// local reports whether the expression is a column of a source in its own query.
func (e *Expr) local() bool {
	return e.Op == opColumn && e.Table != "" && e.Table[0] != '^' && e.Table != "?"
}

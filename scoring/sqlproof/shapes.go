package sqlproof

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// plainRows reports whether a query only selects, joins and filters: without set operation, groups, window functions,
// DISTINCT, limit and aggregates.
func (q *block) plainRows(d sqlparts.Dialect) bool {
	return q.set == "" && q.rows == nil && !q.distinct && len(q.distinctOn) == 0 && !q.grouped && len(q.having) == 0 &&
		q.limit == nil && q.offset == nil && !q.windowed() &&
		!slices.ContainsFunc(q.items, func(e *expr) bool { return !rowWise(e, d) })
}

// onlyGrouped reports whether g has GROUP BY without grouping sets and, apart from that, at most WHERE, HAVING and
// ORDER BY.
func (n *normalizer) onlyGrouped(g *block) bool {
	return g != nil && g.set == "" && g.rows == nil && g.grouped && len(g.group) > 0 && !n.sets(g) && !g.distinct &&
		len(g.distinctOn) == 0 && g.limit == nil && g.offset == nil && !g.windowed() && g.shared == 0
}

// mentions reports whether an expression, including its nested queries, refers to one of the sources.
func mentions(e *expr, sources []*source) bool { return usesAny([]*expr{e}, sources) }

// itemUses returns how often the query uses each item of the source s. ok is false if it also refers to s in another
// way.
func itemUses(q *block, s *source) (items map[int]int, ok bool) {
	items, ok = map[int]int{}, true
	q.deep(func(e *expr) {
		switch {
		case slices.Contains(e.srcs, s), e.op == "stars":
			ok = false
		case e.src != s:
		case e.op == opItem:
			items[atoi(e.text)]++
		default:
			ok = false
		}
	})
	return items, ok
}

// splice merges a derived table that, after other rules, only selects and filters into the query, as the builder does
// for those written so. It reports whether it did.
func (n *normalizer) splice(q *block) bool {
	if q.set != "" || q.rows != nil {
		return false
	}
	for i, s := range q.core {
		g := s.block
		if g == nil || g.shared != 0 || !g.spliceable(n.Dialect) || slices.ContainsFunc(g.items, isStar) {
			continue
		}
		if used, ok := itemUses(q, s); !ok ||
			slices.ContainsFunc(keysOf(used),
				func(k int) bool { return k >= len(g.items) || g.items[k].op == "unused" || g.items[k].has(isQuery) }) {
			continue
		}
		if n.copied += copies(q, s); n.copied > maxCopied {
			return false
		}
		q.core = slices.Concat(q.core[:i], g.core, q.core[i+1:])
		q.left = append(slices.Clip(g.left), q.left...)
		q.where = append(slices.Clip(q.where), g.where...)
		q.replace(func(e *expr) *expr {
			if e.src == s && e.op == opItem {
				return g.items[atoi(e.text)].clone()
			}
			return e
		})
		n.mark(&q.join)
		return true
	}
	return false
}

func keysOf(m map[int]int) (keys []int) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// oneSided converts a FULL JOIN to a LEFT JOIN if a condition drops the rows without a match on one side. It reports
// whether it did.
func (n *normalizer) oneSided(q *block) bool {
	set := strictAll(q.where)
	for i, s := range q.core {
		f := s.full
		if f == nil {
			continue
		}
		for k, side := range []*join{&f.l, &f.r} {
			other := []*join{&f.r, &f.l}[k]
			sources := side.sources()
			hit := false
			for _, c := range set {
				hit = hit || slices.Contains(sources, c.src)
			}
			if !hit {
				continue
			}
			q.core = slices.Concat(q.core[:i], side.core, q.core[i+1:])
			q.left = append(append(slices.Clip(side.left), q.left...), &attach{*other, f.on})
			q.where = append(slices.Clip(q.where), side.where...)
			for _, x := range sources {
				delete(n.nullable, x)
			}
			n.mark(&q.join)
			return true
		}
	}
	return false
}

// sameRow drops a table that is joined with the same table by a key, and uses the other one's columns. It reports
// whether it did.
func (n *normalizer) sameRow(q *block) bool {
	for i, c := range q.where {
		if c.op != "=" || !n.total() || c.args[0].op != opColumn || c.args[1].op != opColumn {
			continue
		}
		a, b := c.args[0].src, c.args[1].src
		if a == b || a.table == "" || a.table != b.table || c.args[0].text != c.args[1].text ||
			strings.Contains(a.table, " ") || n.special(c.args[0]) || !slices.Contains(q.core, a) ||
			!slices.Contains(q.core, b) || !n.unique(c.args[0]) {
			continue
		}
		if f, _ := n.familyOf(c.args[0]); f == doubleNumber || f == unknownFamily || f == otherType {
			continue
		}
		plain := true
		q.deep(func(e *expr) {
			plain = plain && !(e.src == b && e.op != opColumn || slices.Contains(e.srcs, b) || e.op == "stars")
		})
		if !plain {
			continue
		}
		q.where = append(slices.Concat(q.where[:i], q.where[i+1:]), negation(node(opIsNull, c.args[0].clone())))
		q.core = slices.DeleteFunc(slices.Clone(q.core), func(s *source) bool { return s == b })
		q.replace(func(e *expr) *expr {
			if e.src == b {
				e = e.clone()
				e.src = a
			}
			return e
		})
		return true
	}
	return false
}

// distinctWindows converts SELECT DISTINCT with aggregates over partitions to GROUP BY, if the other items are exactly
// the partition keys. It reports whether it did.
func (n *normalizer) distinctWindows(q *block) bool {
	if !q.distinct || q.grouped || len(q.qualify) > 0 || len(q.distinctOn) > 0 || q.limit != nil || len(q.order) > 0 ||
		len(q.core) == 0 {
		return false
	}
	var keys []*expr
	ids := map[string]bool{}
	for _, e := range q.items {
		if isStar(e) || e.has(isQuery) {
			return false
		}
		if rowWise(e, n.Dialect) {
			keys = append(keys, e)
			ids[e.id()] = true
		}
	}
	some := false
	for _, e := range q.items {
		if rowWise(e, n.Dialect) {
			continue
		}
		if e.op != opOver || e.text != "" || e.args[0].op != opCall || !groupAggregates[e.args[0].text] {
			return false
		}
		seen := map[string]bool{}
		for _, a := range e.args[1:] {
			if a.op != "partition" || !ids[a.args[0].id()] {
				return false
			}
			seen[a.args[0].id()] = true
		}
		if len(seen) != len(ids) {
			return false
		}
		some = true
	}
	if !some || len(keys) == 0 {
		return false
	}
	q.distinct, q.grouped = false, true
	for _, k := range keys {
		q.group = append(q.group, k.clone())
	}
	for i, e := range q.items {
		if e.op == opOver {
			q.items[i] = e.args[0]
		}
	}
	return true
}

// groupAggregates are aggregates whose value over a partition equals that over a group with the same rows, and that
// ignore NULLs, except for COUNT(*).
var groupAggregates = map[string]bool{"sum": true, "count": true, "avg": true, "min": true, "max": true}

// distinctOnRows converts DISTINCT ON to the condition ROW_NUMBER() = 1 over the same keys and order. It reports
// whether it did.
func (n *normalizer) distinctOnRows(q *block) bool {
	if len(q.distinctOn) == 0 || q.grouped || q.windowed() || len(q.order) < len(q.distinctOn) {
		return false
	}
	on := map[string]bool{}
	for _, e := range q.distinctOn {
		if !rowWise(e, n.Dialect) || e.has(isQuery) {
			return false
		}
		on[e.id()] = true
	}
	seen := map[string]bool{}
	rest := 0
	for rest < len(q.order) && on[q.order[rest].e.id()] {
		seen[q.order[rest].e.id()] = true
		rest++
	}
	if len(seen) != len(on) {
		return false
	}
	over := node(opOver, &expr{op: opCall, text: "row_number"})
	for _, e := range q.distinctOn {
		over.args = append(over.args, node("partition", e.clone()))
	}
	for _, k := range q.order[rest:] {
		if k.e.has(isQuery) {
			return false
		}
		text := k.nulls
		if k.desc {
			text = "desc " + text
		}
		over.args = append(over.args, &expr{op: "key", text: text, args: []*expr{k.e.clone()}})
	}
	if rest == len(q.order) {
		return false // any row of each
	}
	q.distinct, q.distinctOn, q.order = false, nil, slices.Clip(q.order[:rest])
	q.qualify = append(q.qualify, compare("=", over, wholeConstant(1)))
	return true
}

// keyOfGroup replaces a grouping column by the unique column of another table to which it is joined. It reports whether
// it did.
func (n *normalizer) keyOfGroup(q *block) bool {
	if !q.grouped || n.sets(q) {
		return false
	}
	for _, g := range q.group {
		if g.op != opColumn || !slices.Contains(q.core, g.src) {
			continue
		}
		for _, c := range q.where {
			if c.op != "=" {
				continue
			}
			for k := range 2 {
				a, key := c.args[k], c.args[1-k]
				if a.id() != g.id() || key.op != opColumn || key.src == g.src || !slices.Contains(q.core, key.src) ||
					!n.oneType(a, key) || n.unique(g) || !n.unique(key) || !n.holds(key) {
					continue
				}
				id := g.id()
				q.clauses(func(e **expr) {
					replace(e, func(x *expr) *expr {
						if x.op == opColumn && x.id() == id {
							return key.clone()
						}
						return x
					})
				})
				return true
			}
		}
	}
	return false
}

// groupToExists drops GROUP BY a key of some tables, and moves the other tables into EXISTS, if only columns of the
// keyed tables are used and repeated rows have no effect. It reports whether it did.
func (n *normalizer) groupToExists(q *block) bool {
	if !q.grouped || n.sets(q) || !n.repeats(q) || len(q.left) > 0 || len(q.items) == 0 {
		return false
	}
	var kept, gone []*source
	for _, s := range q.core {
		keyed := s.table != "" &&
			slices.ContainsFunc(q.group,
				func(g *expr) bool { return g.op == opColumn && g.src == s && n.unique(g) && n.notNull(g) })
		if keyed {
			kept = append(kept, s)
		} else {
			gone = append(gone, s)
		}
	}
	if len(kept) == 0 {
		return false
	}
	used := false
	q.clauses(func(e **expr) {
		(*e).deep(func(x *expr) { used = used || x.op == "stars" || len(x.srcs) > 0 || x.op == opUnknown })
		used = used || mentions(*e, gone)
	})
	if used {
		return false
	}
	q.grouped, q.group = false, nil
	q.where = append(slices.Clip(q.where), q.having...)
	q.having = nil
	if len(gone) == 0 {
		return true
	}
	sub := &block{join: join{core: gone}}
	var rest []*expr
	for _, c := range q.where {
		if mentions(c, gone) {
			sub.where = append(sub.where, c)
		} else {
			rest = append(rest, c)
		}
	}
	q.core = kept
	n.query(sub)
	q.where = append(rest, &expr{op: opExists, sub: sub})
	return true
}

// existsToGroup replaces a table by the grouped foreign key of a table that refers to it, if only its key is used and
// EXISTS requires a referring row. It reports whether it did.
func (n *normalizer) existsToGroup(q *block) bool {
	if q.grouped || len(q.core) != 1 || len(q.left) > 0 || q.core[0].table == "" || len(q.items) == 0 ||
		!q.plainRows(n.Dialect) || strings.Contains(q.core[0].table, " ") {
		return false
	}
	t := q.core[0]
	for i, c := range q.where {
		if c.op != opExists || !c.sub.spliceable(n.Dialect) || len(c.sub.items) > 0 {
			continue
		}
		for k, on := range c.sub.where {
			if on.op != "=" {
				continue
			}
			for side := range 2 {
				pk, fk := on.args[side], on.args[1-side]
				kc, ok := n.column(pk)
				fc, ok2 := n.column(fk)
				if !ok || !ok2 || pk.src != t || !slices.Contains(c.sub.core, fk.src) {
					continue
				}
				if to, ok := n.schema.References(fc); !ok || to != kc || !n.schema.Distinct(kc) || !n.oneType(pk, fk) {
					continue
				}
				only := true
				q.deep(func(e *expr) {
					only = only &&
						!(e.src == t && !(e.op == opColumn && e.text == pk.text) || slices.Contains(e.srcs, t) || e.op == "stars")
				})
				if !only {
					continue
				}
				n.relies[fc.Table+"."+fc.Name+" refers to "+kc.Table] = true
				sub := c.sub
				q.where = slices.Concat(q.where[:i], q.where[i+1:], sub.where[:k], sub.where[k+1:],
					[]*expr{negation(node(opIsNull, fk.clone()))})
				q.core, q.left = sub.core, sub.left
				q.replace(func(e *expr) *expr {
					if e.src == t {
						return fk.clone()
					}
					return e
				})
				q.grouped, q.group = true, []*expr{fk.clone()}
				n.mark(&q.join)
				return true
			}
		}
	}
	return false
}

// distinctJoin converts a derived table of distinct rows to EXISTS if its columns are used only in equalities of the
// join, and all of them are. It reports whether it did.
func (n *normalizer) distinctJoin(q *block) bool {
	if len(q.core) < 2 || q.set != "" {
		return false
	}
	for i, s := range q.core {
		g := s.block
		if !n.onlyGrouped(g) || len(g.having) > 0 || len(g.core) == 0 {
			continue
		}
		used, ok := itemUses(q, s)
		if !ok || len(used) == 0 {
			continue
		}
		var conds, rest []*expr
		covered := map[string]bool{}
		total := 0
		for _, c := range q.where {
			match := false
			for k := range 2 {
				if c.op != "=" || match {
					break
				}
				x, other := c.args[k], c.args[1-k]
				if x.op != opItem || x.src != s || mentions(other, []*source{s}) || other.has(isQuery) {
					continue
				}
				item := g.items[atoi(x.text)]
				if item.op != opColumn || !n.matchesOnce(item, other) && !n.oneType(item, other) {
					continue
				}
				covered[item.id()], match = true, true
				total++
				conds = append(conds, compare("=", other, item.clone()))
			}
			if !match {
				rest = append(rest, c)
			}
		}
		uses := 0
		for _, times := range used {
			uses += times
		}
		if uses != total || slices.ContainsFunc(g.group, func(e *expr) bool { return !covered[e.id()] }) {
			continue
		}
		sub := *g
		sub.grouped, sub.group, sub.items, sub.names, sub.order = false, nil, nil, nil, nil
		sub.where = append(slices.Clip(g.where), conds...)
		q.core = slices.Concat(q.core[:i], q.core[i+1:])
		n.query(&sub)
		q.where = append(rest, &expr{op: opExists, sub: &sub})
		return true
	}
	return false
}

// distinctInside drops DISTINCT, or an equivalent GROUP BY, of a derived table if repeated rows have no effect. It
// reports whether it did.
func (n *normalizer) distinctInside(q *block) bool {
	if q.set != "" || !n.repeats(q) {
		return false
	}
	for _, s := range q.sources() {
		g := s.block
		if g != nil && g.set == "" && g.distinct && len(g.distinctOn) == 0 && g.limit == nil && g.offset == nil &&
			g.shared == 0 && !g.windowed() && !g.grouped {
			g.distinct, g.order = false, nil
			n.query(g)
			return true
		}
		if n.onlyGrouped(g) && len(g.having) == 0 &&
			!slices.ContainsFunc(g.items, func(e *expr) bool { return !rowWise(e, n.Dialect) }) {
			g.grouped, g.group, g.order = false, nil, nil
			n.query(g)
			return true
		}
	}
	return false
}

// groupedCounts converts an aggregate of a over a derived table with distinct rows of keys and a to an aggregate of
// DISTINCT a without the derived table. It reports whether it did.
func (n *normalizer) groupedCounts(q *block) bool {
	if q.set != "" || len(q.core) != 1 || len(q.left) > 0 || len(q.where) > 0 || q.windowed() || n.sets(q) || q.distinct ||
		len(q.distinctOn) > 0 || len(q.items) == 0 {
		return false
	}
	s := q.core[0]
	g := s.block
	if !n.onlyGrouped(g) || len(g.having) > 0 || len(g.core) == 0 ||
		slices.ContainsFunc(g.items, func(e *expr) bool { return !rowWise(e, n.Dialect) }) ||
		slices.ContainsFunc(g.group, func(e *expr) bool { return e.has(isQuery) }) {
		return false
	}
	if _, ok := itemUses(q, s); !ok {
		return false
	}
	keys := map[string]bool{} // grouping keys of the outer query
	for _, e := range q.group {
		if e.op != opItem || e.src != s {
			return false
		}
		keys[g.items[atoi(e.text)].id()] = true
	}
	var counted *expr // the only column that the outer query does not group by
	for _, e := range g.group {
		if keys[e.id()] {
			continue
		}
		if counted != nil {
			return false
		}
		counted = e
	}
	if counted == nil {
		return false
	}
	never := n.notNull(counted) || strictAll(g.where)[counted.id()] != nil
	good, some := true, false
	check := func(e *expr) {
		var look func(e *expr)
		look = func(e *expr) {
			switch {
			case e == nil:
			case e.op == opCall && sqlparts.IsAggregate(e.text):
				some = true
				x := e.args
				rows := len(x) == 1 && x[0].op == "rows"
				of := len(x) == 1 && x[0].op == opItem && x[0].src == s && g.items[atoi(x[0].text)].id() == counted.id()
				good = good && groupAggregates[e.text] && (of || rows && never && e.text == "count")
			case e.op == opItem && e.src == s:
				good = good && keys[g.items[atoi(e.text)].id()]
			case e.sub != nil:
				good = false
			default:
				for _, a := range e.args {
					look(a)
				}
			}
		}
		look(e)
	}
	q.clauses(func(e **expr) {
		if !slices.Contains(q.group, *e) {
			check(*e)
		}
	})
	if !good || !some {
		return false
	}
	q.clauses(func(e **expr) {
		replace(e, func(x *expr) *expr {
			switch {
			case x.op == opCall && sqlparts.IsAggregate(x.text):
				if x.text == "min" || x.text == "max" {
					return &expr{op: opCall, text: x.text, args: []*expr{counted.clone()}}
				}
				return &expr{op: opCall, text: x.text, args: []*expr{node("distinct", counted.clone())}}
			case x.op == opItem && x.src == s:
				return g.items[atoi(x.text)].clone()
			}
			return x
		})
	})
	q.join = g.join
	return true
}

// partitionRows moves a condition of QUALIFY that uses only partition keys of all window functions to WHERE or HAVING.
// It reports whether it did.
func (n *normalizer) partitionRows(q *block) bool {
	if len(q.qualify) == 0 || q.set != "" || n.sets(q) {
		return false
	}
	var common map[string]bool
	inside := false
	q.clauses(func(e **expr) {
		(*e).each(func(x *expr) bool {
			inside = inside || x.sub != nil
			if x.op != opOver {
				return true
			}
			own := map[string]bool{}
			for _, a := range x.args[1:] {
				if a.op == "partition" {
					own[a.args[0].id()] = true
				}
			}
			if common == nil {
				common = own
			}
			for id := range common {
				if !own[id] {
					delete(common, id)
				}
			}
			return true
		})
	})
	if len(common) == 0 || inside {
		return false
	}
	for i, c := range q.qualify {
		if c.has(isWindow) || !rowWise(c, n.Dialect) || !c.grouped(common) {
			continue
		}
		q.qualify = slices.Concat(q.qualify[:i], q.qualify[i+1:])
		if q.grouped {
			q.having = append(slices.Clip(q.having), c)
		} else {
			q.where = append(slices.Clip(q.where), c)
		}
		return true
	}
	return false
}

// firstRows rewrites conditions that keep the first rows: DENSE_RANK() = 1 as RANK() = 1, a frame of ROWS as the
// default one if no two rows tie, and ROW_NUMBER() <= n as a limit if the query has the same order. It reports whether
// it changed any.
func (n *normalizer) firstRows(q *block) bool {
	changed := false
	for _, c := range q.qualify {
		for k := range 2 {
			if len(c.args) != 2 || c.op != "=" && c.op != "<=" {
				break
			}
			x := c.args[k]
			if v, ok := wholeNumber(c.args[1-k]); !ok || v != 1 || x.op != opOver {
				continue
			}
			if c.op == "<=" && k == 0 && rankNames[x.args[0].text] {
				c.op, changed = "=", true
			}
			if c.op == "=" && x.args[0].text == "dense_rank" {
				x.args[0].text, changed = "rank", true
			}
		}
	}
	if q.set != "" || len(q.core) != 1 || len(q.left) > 0 || q.grouped || len(q.distinctOn) > 0 {
		return changed
	}
	q.clauses(func(e **expr) {
		(*e).each(func(x *expr) bool {
			if x.op == opOver && x.text == "rows between unbounded preceding and current row" &&
				slices.ContainsFunc(x.args[1:], func(a *expr) bool {
					return a.op == "key" && n.unique(a.args[0]) && n.notNull(a.args[0])
				}) && groupAggregates[x.args[0].text] {
				x.text, changed = "", true
			}
			return true
		})
	})
	if changed || len(q.qualify) != 1 || q.limit != nil || q.offset != nil || q.distinct || len(q.order) == 0 {
		return changed
	}
	c := q.qualify[0]
	if len(c.args) != 2 || c.args[0].op != opOver || c.op != "<=" || c.args[0].args[0].text != "row_number" ||
		len(c.args[0].args) != len(q.order)+1 {
		return false
	}
	if v, ok := wholeNumber(c.args[1]); !ok || v < 1 {
		return false
	}
	for i, k := range q.order {
		text := k.nulls
		if k.desc {
			text = "desc " + text
		}
		a := c.args[0].args[i+1]
		if a.op != "key" || strings.TrimSpace(a.text) != strings.TrimSpace(text) && !n.notNull(k.e) ||
			strings.HasPrefix(a.text, "desc") != k.desc || a.args[0].id() != k.e.id() {
			return false
		}
	}
	windows := 0
	q.clauses(func(e **expr) {
		(*e).each(func(x *expr) bool {
			if x.op == opOver {
				windows++
			}
			return true
		})
	})
	if windows != 1 {
		return false
	}
	q.qualify, q.limit, q.limitMods = nil, c.args[1], ""
	return true
}

// partitions converts an aggregate over a whole partition, or a condition RANK() = 1 or on such an aggregate in
// QUALIFY, to a correlated subquery. It reports whether it did.
func (n *normalizer) partitions(q *block) bool {
	if q.set != "" || !q.windowed() || q.grouped || q.distinct || len(q.distinctOn) > 0 || len(q.core) == 0 ||
		!n.total() || n.copied > maxCopied || slices.ContainsFunc(q.where, func(c *expr) bool { return c.has(isQuery) }) {
		return false
	}
	sources := q.sources()
	if slices.ContainsFunc(sources, func(s *source) bool { return s.table == "" || strings.Contains(s.table, " ") }) {
		return false
	}
	set := strictAll(q.where)
	of := func(over *expr, call *expr) *expr {
		c := &block{join: q.join, items: []*expr{call}, names: []string{""}}
		to := map[*source]*source{}
		sub := n.copyBlock(c, to)
		for _, p := range over.args[1:] {
			if p.op == "partition" {
				sub.where = append(sub.where, compare("=", n.copyExpr(p.args[0], to), p.args[0].clone()))
			}
		}
		n.query(sub)
		return &expr{op: opQuery, sub: sub}
	}
	whole := func(x *expr, keys int) bool {
		found := 0
		for _, a := range x.args[1:] {
			switch a.op {
			case "partition":
				p := a.args[0]
				if f, _ := n.familyOf(p); p.op != opColumn || f == unknownFamily || f == otherType || f == doubleNumber ||
					n.nullable[p.src] || !n.notNull(p) && set[p.id()] == nil {
					return false
				}
			case "key":
				found++
			}
		}
		return found == keys && x.text == "" &&
			!slices.ContainsFunc(x.args[0].args, func(a *expr) bool { return a.has(isQuery) })
	}
	changed := false
	for i := range q.items {
		n.eachWindow(&q.items[i], func(x *expr) *expr {
			if !groupAggregates[x.args[0].text] || x.args[0].op != opCall || len(x.args[0].args) != 1 || !whole(x, 0) ||
				n.copied > maxCopied {
				return x
			}
			changed = true
			return of(x, x.args[0].clone())
		})
	}
	if changed {
		return true
	}
	for i, c := range q.qualify {
		if len(c.args) != 2 || c.op != "=" && c.op != "<" && c.op != "<=" && c.op != "<>" {
			continue
		}
		for k := range 2 {
			x, other := c.args[k], c.args[1-k]
			if x.op != opOver || other.has(isWindow) || other.has(isQuery) || len(x.args[0].args) > 1 {
				continue
			}
			var y *expr
			if v, ok := wholeNumber(other); ok && v == 1 && c.op == "=" && x.args[0].text == "rank" && whole(x, 1) {
				key := x.args[len(x.args)-1]
				if e := key.args[0]; e.op == opColumn && n.notNull(e) && rowWise(e, n.Dialect) {
					best := "min"
					if strings.HasPrefix(key.text, "desc") {
						best = "max"
					}
					y = compare("=", e.clone(), of(x, &expr{op: opCall, text: best, args: []*expr{e.clone()}}))
				}
			} else if groupAggregates[x.args[0].text] && x.args[0].op == opCall && whole(x, 0) && rowWise(other,
				n.Dialect) && len(x.args[0].args) == 1 {
				args := slices.Clone(c.args)
				args[k] = of(x, x.args[0].clone())
				y = node(c.op, args...)
				if !slices.ContainsFunc(args[:], func(a *expr) bool { return a.op == opQuery }) {
					y = nil
				}
			}
			if y == nil {
				continue
			}
			windows := 0
			q.clauses(func(e **expr) {
				(*e).each(func(x *expr) bool {
					if x.op == opOver {
						windows++
					}
					return true
				})
			})
			if windows != 1 { // another window function would see fewer rows
				return false
			}
			q.qualify = slices.Concat(q.qualify[:i], q.qualify[i+1:])
			q.where = append(slices.Clip(q.where), y)
			return true
		}
	}
	return false
}

// eachWindow replaces every window function in an expression by the result of change.
func (n *normalizer) eachWindow(e **expr, change func(*expr) *expr) {
	if *e == nil {
		return
	}
	if (*e).op == opOver {
		*e = change(*e)
		return
	}
	for i := range (*e).args {
		n.eachWindow(&(*e).args[i], change)
	}
}

// ownRow drops EXISTS (a row of the same table with conditions that the row itself satisfies), and converts NOT EXISTS
// (a row with a greater or lesser value) to x = (SELECT MAX(x) or MIN(x)). It reports whether it did.
func (n *normalizer) ownRow(q *block) bool {
	if q.set != "" || q.rows != nil {
		return false
	}
	comparable := func(c *expr) bool {
		f, _ := n.familyOf(c)
		return c.op == opColumn && n.total() && !n.special(c) && f != unknownFamily && f != otherType && f != doubleNumber
	}
	for i, c := range q.where {
		not := c.op == opNot
		e := c
		if not {
			e = c.args[0]
		}
		if e.op != opExists || !e.sub.spliceable(n.Dialect) || len(e.sub.items) > 0 || len(e.sub.core) != 1 ||
			len(e.sub.left) > 0 || e.sub.core[0].table == "" || strings.Contains(e.sub.core[0].table, " ") {
			continue
		}
		x := e.sub.core[0]
		for _, s := range q.core {
			if s.table != x.table {
				continue
			}
			pairOf := func(w *expr) (own, other *expr, first bool) { // columns of the same name
				if len(w.args) != 2 || w.args[0].op != opColumn || w.args[1].op != opColumn || w.args[0].text != w.args[1].text {
					return nil, nil, false
				}
				for k := range 2 {
					if w.args[k].src == s && w.args[1-k].src == x && comparable(w.args[k]) {
						return w.args[k], w.args[1-k], k == 0
					}
				}
				return nil, nil, false
			}
			if not {
				if len(e.sub.where) != 1 || e.sub.where[0].op != "<" {
					continue
				}
				own, other, first := pairOf(e.sub.where[0])
				if own == nil || !n.notNull(own) {
					continue
				}
				best := map[bool]string{true: "max", false: "min"}[first]
				sub := &block{join: join{core: []*source{x}}, items: []*expr{{op: opCall, text: best, args: []*expr{other}}},
					names: []string{""}}
				n.query(sub)
				q.where = slices.Clone(q.where)
				q.where[i] = compare("=", own.clone(), &expr{op: opQuery, sub: sub})
				return true
			}
			var nulls []*expr
			fits := true
			for _, w := range e.sub.where {
				if own, _, _ := pairOf(w); own != nil && w.op == "=" {
					nulls = append(nulls, negation(node(opIsNull, own.clone())))
					continue
				}
				if w.has(isQuery) {
					fits = false
					break
				}
				same := n.copyExpr(w, map[*source]*source{x: s}).id()
				fits = fits && slices.ContainsFunc(q.where, func(o *expr) bool { return o.id() == same })
			}
			if fits {
				q.where = append(slices.Concat(q.where[:i], q.where[i+1:]), nulls...)
				return true
			}
		}
	}
	return false
}

// matched converts a LEFT JOIN to an inner join, or a FULL JOIN to a LEFT JOIN, if a foreign key that is not NULL
// guarantees that every row has a match. It reports whether it did.
func (n *normalizer) matched(q *block) bool {
	refers := func(on []*expr, from, to *source) bool {
		if len(on) != 1 || on[0].op != "=" || from.table == "" || to.table == "" ||
			strings.Contains(from.table+to.table, " ") {
			return false
		}
		for k := range 2 {
			fc, ok := n.column(on[0].args[k])
			kc, ok2 := n.column(on[0].args[1-k])
			if !ok || !ok2 || on[0].args[k].src != from || on[0].args[1-k].src != to || !n.schema.Holds(fc) {
				continue
			}
			if ref, ok := n.schema.References(fc); ok && ref == kc {
				n.relies[fc.Table+"."+fc.Name+" refers to "+kc.Table] = true
				n.relies[fc.Table+"."+fc.Name+" is not null"] = true
				return true
			}
		}
		return false
	}
	alone := func(j *join) bool { return len(j.core) == 1 && len(j.left) == 0 && len(j.where) == 0 }
	for i, a := range q.left {
		if !alone(&a.right) {
			continue
		}
		for _, s := range q.core {
			if refers(a.on, s, a.right.core[0]) {
				q.left = slices.Concat(q.left[:i], q.left[i+1:])
				q.core = append(slices.Clip(q.core), a.right.core[0])
				q.where = append(slices.Clip(q.where), a.on...)
				delete(n.nullable, a.right.core[0])
				n.mark(&q.join)
				return true
			}
		}
	}
	for i, s := range q.core {
		f := s.full
		if f == nil || !alone(&f.l) || !alone(&f.r) {
			continue
		}
		for k, side := range []*join{&f.l, &f.r} {
			other := []*join{&f.r, &f.l}[k]
			if !refers(f.on, other.core[0], side.core[0]) { // every row of the other has a match here
				continue
			}
			q.core = slices.Concat(q.core[:i], side.core, q.core[i+1:])
			q.left = append(slices.Clip(q.left), &attach{*other, f.on})
			delete(n.nullable, side.core[0])
			n.mark(&q.join)
			return true
		}
	}
	return false
}

// soleFilter moves the condition that all aggregates of a query without groups share to its WHERE. The condition is
// that of a CASE, or that the aggregated value is not NULL. It reports whether it did.
func (n *normalizer) soleFilter(q *block) bool {
	if q.set != "" || q.rows != nil || q.grouped || len(q.having) > 0 || q.distinct || len(q.distinctOn) > 0 ||
		q.windowed() || q.limit != nil || q.offset != nil || len(q.order) > 0 || len(q.items) == 0 || len(q.core) == 0 {
		return false
	}
	var cond *expr
	var calls []*expr
	same, plain := true, true
	var look func(e *expr)
	look = func(e *expr) {
		switch {
		case e == nil:
		case e.op == opCall && sqlparts.IsAggregate(e.text):
			if !groupAggregates[e.text] || len(e.args) != 1 || e.args[0].has(isQuery) {
				plain = false
				return
			}
			x := e.args[0]
			var own *expr
			switch {
			case x.op == opCase && len(x.args) == 2:
				own = x.args[0]
			case x.op == "distinct" && len(x.args) == 1 && rowWise(x.args[0], n.Dialect):
				own = negation(node(opIsNull, x.args[0].clone()))
			case x.op != "rows" && x.op != "distinct" && rowWise(x, n.Dialect):
				own = negation(node(opIsNull, x.clone()))
			default:
				plain = false
				return
			}
			if cond == nil {
				cond = own
			}
			same = same && cond.id() == own.id()
			calls = append(calls, e)
		case e.src != nil, len(e.srcs) > 0, e.op == opUnknown, e.sub != nil, e.op == "stars":
			plain = false
		default:
			for _, a := range e.args {
				look(a)
			}
		}
	}
	for _, e := range q.items {
		look(e)
	}
	if cond == nil || !same || !plain {
		return false
	}
	if cond.op == opNot && cond.args[0].op == opIsNull {
		x := cond.args[0].args[0]
		if n.notNull(x) || strictAll(q.where)[x.id()] != nil || x.op == opNumber || x.op == opString {
			return false
		}
		if x.op != opColumn && x.op != opItem &&
			slices.ContainsFunc(q.where, func(c *expr) bool { return c.id() == cond.id() }) {
			return false
		}
		q.where = append(slices.Clip(q.where), cond)
		return true
	}
	q.where = append(slices.Clip(q.where), conjuncts(cond.clone())...)
	for _, c := range calls {
		x := c.args[0].args[1]
		if c.text == "count" && (x.op == opNumber || x.op == opString) {
			x = node("rows")
		}
		c.args = []*expr{x}
	}
	return true
}

// oneRow replaces the columns of a derived table with exactly one row, an aggregate without groups, by subqueries. It
// reports whether it did.
func (n *normalizer) oneRow(q *block) bool {
	if q.set != "" || q.rows != nil {
		return false
	}
	one := func(s *source) bool {
		g := s.block
		if g == nil || g.set != "" || g.rows != nil || g.grouped || len(g.having) > 0 || len(g.qualify) > 0 ||
			g.limit != nil || g.offset != nil || g.distinct || len(g.distinctOn) > 0 || g.windowed() || g.shared != 0 ||
			len(g.core) == 0 {
			return false
		}
		return slices.ContainsFunc(g.items, func(e *expr) bool { return aggregates(e, n.Dialect) }) &&
			allOne(g.items, n.Dialect) && !slices.ContainsFunc(g.items, isStar)
	}
	put := func(s *source) bool {
		if _, ok := itemUses(q, s); !ok {
			return false
		}
		if slices.ContainsFunc(q.group, func(e *expr) bool { return mentions(e, []*source{s}) }) {
			return false
		}
		q.replace(func(e *expr) *expr {
			if e.src != s {
				return e
			}
			return &expr{op: opQuery, sub: n.copyOf(s.block, atoi(e.text))}
		})
		return true
	}
	for i, s := range q.core {
		if len(q.core) < 2 || !one(s) {
			continue
		}
		if before := q.core; true {
			q.core = slices.Concat(q.core[:i], q.core[i+1:])
			if !put(s) {
				q.core = before
				continue
			}
			return true
		}
	}
	for i, a := range q.left {
		if len(a.right.core) != 1 || len(a.right.left) > 0 || len(a.right.where) > 0 || len(a.on) > 0 ||
			!one(a.right.core[0]) {
			continue
		}
		before := q.left
		q.left = slices.Concat(q.left[:i], q.left[i+1:])
		if !put(a.right.core[0]) {
			q.left = before
			continue
		}
		return true
	}
	return false
}

// copyOf returns a copy of a query with copies of its sources and without ORDER BY. If item is not negative, the copy
// has only that item.
func (n *normalizer) copyOf(q *block, item int) *block {
	c := n.copyBlock(q, map[*source]*source{})
	if item >= 0 {
		c.items, c.names = []*expr{c.items[item]}, []string{""}
	}
	c.order = nil
	return c
}

func (n *normalizer) copyBlock(q *block, to map[*source]*source) *block {
	c := *q
	n.copied += 20
	c.terms = nil
	for _, t := range q.terms {
		c.terms = append(c.terms, n.copyBlock(t, to))
	}
	c.join = n.copyJoin(&q.join, to)
	list := func(in []*expr) (out []*expr) {
		for _, e := range in {
			out = append(out, n.copyExpr(e, to))
		}
		return out
	}
	c.items, c.distinctOn, c.group, c.having, c.qualify = list(q.items), list(q.distinctOn), list(q.group), list(q.having),
		list(q.qualify)
	c.names = slices.Clone(q.names)
	c.limit, c.offset = n.copyExpr(q.limit, to), n.copyExpr(q.offset, to)
	c.order = nil
	for _, k := range q.order {
		k.e = n.copyExpr(k.e, to)
		c.order = append(c.order, k)
	}
	c.rows = nil
	for _, r := range q.rows {
		c.rows = append(c.rows, list(r))
	}
	return &c
}

func (n *normalizer) copyJoin(j *join, to map[*source]*source) join {
	var c join
	for _, s := range j.core {
		c.core = append(c.core, n.copySource(s, to))
	}
	for _, a := range j.left {
		right := n.copyJoin(&a.right, to)
		b := &attach{right: right}
		for _, e := range a.on {
			b.on = append(b.on, n.copyExpr(e, to))
		}
		c.left = append(c.left, b)
	}
	for _, e := range j.where {
		c.where = append(c.where, n.copyExpr(e, to))
	}
	return c
}

func (n *normalizer) copySource(s *source, to map[*source]*source) *source {
	n.ids++
	c := *s
	c.id = firstCopy + n.ids
	to[s] = &c
	if n.nullable[s] {
		n.nullable[&c] = true
	}
	if s.block != nil {
		c.block = n.copyBlock(s.block, to)
	}
	c.call = n.copyExpr(s.call, to)
	if f := s.full; f != nil {
		g := &full{l: n.copyJoin(&f.l, to), r: n.copyJoin(&f.r, to)}
		for _, e := range f.on {
			g.on = append(g.on, n.copyExpr(e, to))
		}
		c.full = g
	}
	return &c
}

// firstCopy is a number greater than all source numbers that the builder assigns.
const firstCopy = 1 << 24

func (n *normalizer) copyExpr(e *expr, to map[*source]*source) *expr {
	if e == nil {
		return nil
	}
	n.copied++
	c := *e
	if s := to[e.src]; s != nil {
		c.src = s
	}
	c.srcs = slices.Clone(e.srcs)
	for i, s := range c.srcs {
		if o := to[s]; o != nil {
			c.srcs[i] = o
		}
	}
	c.args = slices.Clone(e.args)
	for i, a := range c.args {
		c.args[i] = n.copyExpr(a, to)
	}
	if e.sub != nil {
		c.sub = n.copyBlock(e.sub, to)
	}
	return &c
}

// nullIfNone are aggregates that return NULL for no rows.
var nullIfNone = map[string]bool{"sum": true, "avg": true, "min": true, "max": true}

// groupedJoin replaces the columns of a derived table with GROUP BY that is joined by all its grouping keys by
// correlated subqueries. It reports whether it did.
func (n *normalizer) groupedJoin(q *block) bool {
	if q.set != "" || q.rows != nil {
		return false
	}
	for i, s := range q.core {
		if len(q.core) > 1 &&
			n.groupedSource(q, s, &q.where, nil, func() { q.core = slices.Concat(q.core[:i], q.core[i+1:]) }) {
			return true
		}
	}
	for i, a := range q.left {
		if len(a.right.core) == 1 && len(a.right.left) == 0 && len(a.right.where) == 0 &&
			n.groupedSource(q, a.right.core[0], &a.on, a, func() { q.left = slices.Concat(q.left[:i], q.left[i+1:]) }) {
			return true
		}
	}
	return false
}

func (n *normalizer) groupedSource(q *block, s *source, conds *[]*expr, left *attach, remove func()) bool {
	g := s.block
	if !n.onlyGrouped(g) || left != nil && len(g.having) > 0 || len(g.core) == 0 || n.copied > maxCopied ||
		slices.ContainsFunc(q.group, func(e *expr) bool { return mentions(e, []*source{s}) }) {
		return false
	}
	used, ok := itemUses(q, s)
	if !ok {
		return false
	}
	type pair struct{ key, outer *expr }
	var pairs []pair
	var rest []*expr
	covered := map[string]bool{}
	for _, c := range *conds {
		match := false
		for k := range 2 {
			if c.op != "=" || match {
				break
			}
			x, other := c.args[k], c.args[1-k]
			if x.op != opItem || x.src != s || mentions(other, []*source{s}) || other.has(isQuery) || mentionsAny(other, g) {
				continue
			}
			key := g.items[atoi(x.text)]
			if key.op != opColumn || covered[key.id()] ||
				!slices.ContainsFunc(g.group, func(e *expr) bool { return e.id() == key.id() }) ||
				!n.matchesOnce(key, other) && !n.oneType(key, other) {
				continue
			}
			match, covered[key.id()] = true, true
			used[atoi(x.text)]--
			pairs = append(pairs, pair{key, other})
		}
		if !match {
			rest = append(rest, c)
		}
	}
	if len(covered) != len(distinctIDs(g.group)) || left != nil && len(rest) > 0 {
		return false
	}
	// all other used columns must be aggregates
	counts := false
	for item, times := range used {
		if times <= 0 {
			continue
		}
		x := g.items[item]
		if x.op != opCall || len(x.args) != 1 || !nullIfNone[x.text] && x.text != "count" || x.args[0].has(isQuery) {
			return false
		}
		counts = counts || x.text == "count"
	}
	if left != nil && counts { // a row without a match has NULL, not 0
		zero := 0
		q.deep(func(e *expr) {
			if e.op == opCall && e.text == "coalesce" && len(e.args) == 2 && e.args[0].src == s && e.args[0].op == opItem &&
				g.items[atoi(e.args[0].text)].text == "count" && isZero(e.args[1]) {
				zero++
			}
		})
		all := 0
		for item, times := range used {
			if g.items[item].text == "count" && g.items[item].op == opCall {
				all += times
			}
		}
		if zero != all {
			return false
		}
	}
	keys := distinctIDs(g.group)
	for _, c := range g.having {
		if !n.plainAggregates(c, keys) {
			return false
		}
	}
	exists := left == nil && !slices.ContainsFunc(g.having, needsRow)
	if exists {
		for _, c := range strictAll(rest) {
			exists = exists && !(c.src == s && c.op == opItem && nullIfNone[g.items[atoi(c.text)].text])
		}
	}
	sub := func(item int) *block {
		c := *g
		c.grouped, c.group, c.having = false, nil, nil
		c.where = slices.Clip(g.where)
		for _, p := range pairs {
			c.where = append(c.where, compare("=", p.outer.clone(), p.key.clone()))
		}
		return n.copyOf(&c, item)
	}
	for _, c := range g.having {
		c = c.clone()
		n.rewrite(&c, func(x *expr) *expr {
			if x.op != opCall || !sqlparts.IsAggregate(x.text) {
				return x
			}
			g.items = append(slices.Clip(g.items), x)
			y := sub(len(g.items) - 1)
			n.query(y)
			return &expr{op: opQuery, sub: y}
		})
		rest = append(rest, c)
	}
	*conds = rest
	remove()
	q.replace(func(e *expr) *expr {
		switch {
		case e.src == s && e.op == opItem:
			x := sub(atoi(e.text))
			n.query(x)
			return &expr{op: opQuery, sub: x}
		case left != nil && e.op == opCall && e.text == "coalesce" && len(e.args) == 2 && e.args[0].op == opQuery &&
			isZero(e.args[1]) && len(e.args[0].sub.items) == 1 && e.args[0].sub.items[0].op == opCall &&
			e.args[0].sub.items[0].text == "count" && e.args[0].sub.set == "" && !e.args[0].sub.grouped &&
			e.args[0].sub.limit == nil && len(e.args[0].sub.having) == 0:
			return e.args[0]
		}
		return e
	})
	if exists {
		x := sub(-1)
		x.items, x.names = nil, nil
		n.query(x)
		q.where = append(slices.Clip(q.where), &expr{op: opExists, sub: x})
	}
	return true
}

// plainAggregates reports whether a condition consists of simple aggregates with one argument, scalar functions and
// constants.
func (n *normalizer) plainAggregates(e *expr, keys map[string]bool) bool {
	switch {
	case e == nil:
		return true
	case e.op == opCall && sqlparts.IsAggregate(e.text):
		return groupAggregates[e.text] && len(e.args) == 1 && !e.args[0].has(isQuery)
	case e.src != nil, len(e.srcs) > 0, e.op == opUnknown, e.sub != nil, e.op == "stars", e.op == opOver, e.op == "filter",
		e.op == "within", e.op == opCall && !scalar(e.text, n.Dialect):
		return false
	}
	return !slices.ContainsFunc(e.args, func(a *expr) bool { return !n.plainAggregates(a, keys) })
}

// needsRow reports whether a comparison of an aggregate is certainly not true for a group without rows.
func needsRow(e *expr) bool {
	if len(e.args) != 2 || e.op != "=" && e.op != "<>" && e.op != "<" && e.op != "<=" {
		return false
	}
	for k, a := range e.args {
		if a.op != opCall {
			continue
		}
		if nullIfNone[a.text] {
			return true
		}
		c, ok := wholeNumber(e.args[1-k])
		if a.text == "count" && ok &&
			(k == 1 && (e.op == "<=" && c > 0 || e.op == "<" && c >= 0) || e.op == "=" && c != 0 || e.op == "<>" && c == 0) {
			return true
		}
	}
	return false
}

// groupedIn converts x IN (SELECT k … GROUP BY k HAVING …) to a join with that query as a derived table. It reports
// whether it did.
func (n *normalizer) groupedIn(q *block) bool {
	if q.set != "" || q.rows != nil || len(q.core) == 0 {
		return false
	}
	for i, c := range q.where {
		if c.op != opIn || len(c.args) != 2 || c.args[1].sub == nil {
			continue
		}
		g, x := c.args[1].sub, c.args[0]
		if !n.onlyGrouped(g) || len(g.having) == 0 || len(g.items) != 1 || len(g.group) != 1 ||
			g.items[0].id() != g.group[0].id() || g.items[0].op != opColumn || x.has(isQuery) ||
			!n.matchesOnce(g.items[0], x) && !n.oneType(g.items[0], x) {
			continue
		}
		if slices.ContainsFunc(g.having, func(c *expr) bool { return !n.plainAggregates(c, nil) }) {
			continue
		}
		n.ids++
		s := &source{id: firstCopy + n.ids, block: g}
		q.core = append(slices.Clip(q.core), s)
		q.where = slices.Concat(q.where[:i], q.where[i+1:], []*expr{compare("=", x, itemOf(s, 0))})
		return true
	}
	return false
}

func isZero(e *expr) bool { return e.op == opNumber && e.text == "0" }

// mentionsAny reports whether an expression refers to one of the sources of a query.
func mentionsAny(e *expr, g *block) bool { return mentions(e, g.sources()) }

func distinctIDs(list []*expr) map[string]bool {
	m := map[string]bool{}
	for _, e := range list {
		m[e.id()] = true
	}
	return m
}

// groupByKey converts a query that groups by a key of some tables and aggregates rows of the others to one without
// groups, whose aggregates are correlated subqueries. It reports whether it did.
func (n *normalizer) groupByKey(q *block) bool {
	if !q.grouped || n.sets(q) || q.windowed() || q.distinct || len(q.distinctOn) > 0 || len(q.left) > 1 ||
		len(q.items) == 0 || n.copied > maxCopied {
		return false
	}
	var kept, gone []*source
	for _, s := range q.core {
		if s.table != "" &&
			slices.ContainsFunc(q.group,
				func(g *expr) bool { return g.op == opColumn && g.src == s && n.unique(g) && n.notNull(g) }) {
			kept = append(kept, s)
		} else {
			gone = append(gone, s)
		}
	}
	if len(kept) == 0 || (len(gone) == 0) == (len(q.left) == 0) ||
		slices.ContainsFunc(gone, func(s *source) bool { return s.full != nil || s.call != nil }) {
		return false
	}
	left := len(gone) == 0
	inside := join{core: gone}
	if left {
		inside = q.left[0].right
		inside.where = slices.Concat(inside.where, q.left[0].on)
		gone = inside.sources()
	} else {
		for _, c := range q.where {
			if mentions(c, gone) {
				inside.where = append(inside.where, c)
			}
		}
	}
	good, some := true, false
	var look func(e *expr)
	look = func(e *expr) {
		switch {
		case e == nil:
		case e.op == opCall && sqlparts.IsAggregate(e.text):
			some = true
			good = good && groupAggregates[e.text] && len(e.args) == 1 && n.inGone(e, gone, kept, left)
		case e.sub != nil, e.op == "stars", len(e.srcs) > 0, e.op == opUnknown, e.src != nil && slices.Contains(gone, e.src):
			good = false
		default:
			if e.op == opCall && !scalar(e.text, n.Dialect) || e.op == "filter" || e.op == "within" ||
				strings.HasSuffix(e.op, " nulls") {
				good = false
			}
			for _, a := range e.args {
				look(a)
			}
		}
	}
	q.clauses(func(e **expr) { look(*e) })
	if !good || !some {
		return false
	}
	certain := slices.ContainsFunc(q.having, needsRow)
	sub := func(item *expr) *block {
		c := block{join: inside}
		if item != nil {
			c.items, c.names = []*expr{item}, []string{""}
		}
		x := n.copyOf(&c, -1)
		for _, s := range x.sources() {
			delete(n.nullable, s)
		}
		n.query(x)
		return x
	}
	q.clauses(func(e **expr) {
		n.rewrite(e, func(x *expr) *expr {
			if x.op == opCall && sqlparts.IsAggregate(x.text) {
				return &expr{op: opQuery, sub: sub(x)}
			}
			return x
		})
	})
	if left {
		q.left = nil
	} else {
		var rest []*expr
		for _, c := range q.where {
			if !mentions(c, gone) {
				rest = append(rest, c)
			}
		}
		q.core, q.where = kept, rest
		if !certain {
			q.where = append(q.where, &expr{op: opExists, sub: sub(nil)})
		}
	}
	q.where = append(slices.Clip(q.where), q.having...)
	q.grouped, q.group, q.having = false, nil, nil
	return true
}

// inGone reports whether the argument of an aggregate uses only columns of the sources gone. missed reports whether an
// outer join adds rows of NULLs; then the aggregate must ignore these.
func (n *normalizer) inGone(e *expr, gone, kept []*source, missed bool) bool {
	x := e.args[0]
	if x.op == "rows" {
		return !missed
	}
	if x.op == "distinct" && len(x.args) == 1 {
		x = x.args[0]
	}
	if x.op == "distinct" || !rowWise(x, n.Dialect) || x.has(isQuery) || mentions(x, kept) || !mentions(x, gone) {
		return false
	}
	if !missed {
		return true
	}
	set := map[string]*expr{}
	if x.op == opCase && len(x.args) == 2 {
		strict(x.args[0], set)
	} else {
		strictValue(x, set)
	}
	for _, c := range set {
		if slices.Contains(gone, c.src) {
			return true
		}
	}
	return false
}

// valueByKey converts a subquery in the select list or ORDER BY that looks up a value by a key to a LEFT JOIN. It
// reports whether it did.
func (n *normalizer) valueByKey(q *block) bool {
	if q.set != "" || q.rows != nil || len(q.core) == 0 {
		return false
	}
	var found **expr
	look := func(e **expr) {
		var in func(e **expr)
		in = func(e **expr) {
			if *e == nil || found != nil {
				return
			}
			if x := *e; x.op == opQuery && n.looksUp(q, x.sub) {
				found = e
				return
			}
			for i := range (*e).args {
				in(&(*e).args[i])
			}
		}
		in(e)
	}
	for i := range q.items {
		look(&q.items[i])
	}
	for i := range q.order {
		look(&q.order[i].e)
	}
	if found == nil {
		return false
	}
	sub := (*found).sub
	*found = sub.items[0]
	q.left = append(slices.Clip(q.left), &attach{right: join{core: sub.core}, on: sub.where})
	n.mark(&q.join)
	return true
}

// looksUp reports whether sub returns a column of the row of a table that a key determines, so that q can join the
// table.
func (n *normalizer) looksUp(q, sub *block) bool {
	if !sub.spliceable(n.Dialect) || len(sub.items) != 1 || len(sub.core) != 1 || len(sub.left) > 0 ||
		sub.core[0].table == "" || sub.items[0].op != opColumn || sub.items[0].src != sub.core[0] || sub.shared != 0 {
		return false
	}
	if slices.ContainsFunc(sub.where, func(c *expr) bool { return c.has(isQuery) }) || q.grouped ||
		slices.ContainsFunc(q.items, func(e *expr) bool { return aggregates(e, n.Dialect) }) {
		return false
	}
	own := q.join.sources()
	outside := false
	deepAll(sub.where, func(e *expr) {
		outside = outside || e.op == opUnknown || len(e.srcs) > 0 ||
			e.src != nil && e.src != sub.core[0] && !slices.Contains(own, e.src)
	})
	return !outside && n.keyed(sub.core[0], sub.where)
}

// inTerms converts x IN (q UNION r) to x IN (q) OR x IN (r), and x IN (SELECT constant) to x = constant; nil for other
// conditions. NULL and false must be equivalent where e is.
func (n *normalizer) inTerms(e *expr) *expr {
	if len(e.args) != 2 || e.args[1].sub == nil {
		return nil
	}
	sub, x := e.args[1].sub, e.args[0]
	if sub.limit != nil || sub.offset != nil || sub.shared != 0 || x.has(isQuery) {
		return nil
	}
	if sub.set == "union" || sub.set == "union all" {
		var all []*expr
		for _, t := range sub.terms {
			if t.limit != nil || t.offset != nil || len(t.items) != 1 || isStar(t.items[0]) {
				return nil
			}
			all = append(all, node(opIn, x.clone(), &expr{op: opQuery, sub: t}))
		}
		for i, in := range all {
			if y, ok := n.filter(in); ok {
				all[i] = y
			}
		}
		return disjunction(all)
	}
	if sub.set == "" && sub.rows == nil && len(sub.core) == 0 && len(sub.left) == 0 && len(sub.where) == 0 &&
		!sub.grouped && len(sub.having) == 0 && len(sub.items) == 1 &&
		(sub.items[0].op == opNumber || sub.items[0].op == opString) {
		return compare("=", x, sub.items[0])
	}
	return nil
}

// overTerms moves the filters and columns of a query that reads only a UNION into the operands of the UNION. It reports
// whether it did.
func (n *normalizer) overTerms(q *block) bool {
	if q.set != "" || len(q.core) != 1 || len(q.left) > 0 || q.core[0].block == nil || len(q.order) > 0 ||
		q.limit != nil || q.offset != nil || q.windowed() || len(q.items) == 0 || len(q.distinctOn) > 0 ||
		len(q.having) > 0 || q.shared != 0 {
		return false
	}
	s := q.core[0]
	g := s.block
	if g.shared != 0 || g.limit != nil || g.offset != nil || g.set != "union all" && g.set != "union" ||
		slices.ContainsFunc(g.items, isStar) {
		return false
	}
	if slices.ContainsFunc(g.terms, func(t *block) bool {
		return t.set != "" || t.limit != nil || t.offset != nil || len(t.items) != len(g.items) ||
			slices.ContainsFunc(t.items, isStar)
	}) {
		return false
	}
	// each operand must have the same types, so that an expression of a column has the same value before and after
	if _, ok := itemUses(q, s); !ok {
		return false
	}
	whole := len(q.items) == len(g.items)
	for i, e := range q.items {
		if e.op != opItem || e.src != s {
			return false
		}
		whole = whole && atoi(e.text) == i
	}
	distinct := q.distinct || q.grouped && !n.sets(q) && n.onlyGroups(q)
	if q.grouped && !distinct || q.grouped && q.distinct || g.set == "union" && !whole || distinct && !whole {
		return false
	}
	if len(q.where) == 0 && !distinct {
		return false // the rule unwrap applies instead
	}
	for _, c := range q.where {
		if c.has(isQuery) || !rowWise(c, n.Dialect) || !n.filtersAlike(c, g, s) {
			return false
		}
	}
	out := &block{set: g.set, names: q.names, shared: q.shared}
	if distinct {
		out.set = "union"
	}
	for _, t := range g.terms {
		if n.copied > maxCopied {
			return false
		}
		n.ids++
		at := &source{id: firstCopy + n.ids, block: t}
		w := &block{join: join{core: []*source{at}}}
		move := func(e *expr) *expr {
			e = e.clone()
			replace(&e, func(x *expr) *expr {
				if x.src == s {
					x.src = at
				}
				return x
			})
			return e
		}
		for _, e := range q.items {
			w.items, w.names = append(w.items, move(e)), append(w.names, "")
		}
		for _, c := range q.where {
			w.where = append(w.where, move(c))
		}
		n.query(w)
		out.terms = append(out.terms, w)
	}
	for k := range q.items {
		out.items = append(out.items, g.items[k])
	}
	*q = *out
	n.setOp(q)
	return true
}

// filtersAlike reports whether a condition on columns of the set operation g has the same value for the columns of each
// operand: the columns certainly have the same type in all operands.
func (n *normalizer) filtersAlike(c *expr, g *block, s *source) bool {
	alike := true
	c.deep(func(e *expr) {
		if e.src != s {
			return
		}
		first := ""
		for i, t := range g.terms {
			_, typ := n.familyOf(t.items[atoi(e.text)])
			if i == 0 {
				first = typ
			}
			if col, ok := n.column(t.items[atoi(e.text)]); typ == "" || typ != first || !ok || n.schema.Special(col) {
				alike = false
			}
		}
	})
	return alike
}

// mergeTerms merges operands of a UNION that read the same tables into one with OR, and operands of a UNION ALL only if
// their conditions exclude each other. If one operand remains, it replaces the set operation.
func (n *normalizer) mergeTerms(q *block) {
	if q.set != "union" && q.set != "union all" {
		return
	}
	plain := func(t *block) bool {
		if t.set != "" || !t.plainRows(n.Dialect) || len(t.core) == 0 || len(t.left) > 0 || len(t.order) > 0 ||
			t.shared != 0 || slices.ContainsFunc(t.items, func(e *expr) bool { return isStar(e) || e.has(isQuery) }) {
			return false
		}
		names := map[string]bool{}
		for _, s := range t.core {
			if s.table == "" || names[s.table] || strings.Contains(s.table, " ") {
				return false
			}
			names[s.table] = true
		}
		return !slices.ContainsFunc(t.where, func(c *expr) bool { return c.has(isQuery) })
	}
	var out []*block
next:
	for _, t := range q.terms {
		if plain(t) && n.copied < maxCopied {
			for _, o := range out {
				if plain(o) && n.mergeTerm(o, t, q.set == "union") {
					continue next
				}
			}
		}
		out = append(out, t)
	}
	if len(out) == len(q.terms) {
		return
	}
	if q.terms = out; len(out) > 1 || len(q.order) > 0 || q.limit != nil || q.offset != nil || q.shared != 0 {
		return
	}
	one := *out[0]
	one.distinct = q.set == "union"
	if len(q.names) == len(one.items) {
		one.names = q.names
	}
	*q = one
	n.query(q)
}

// mergeTerm merges the operand t into o by OR, and reports whether it did. They must have the same tables and items
// and, unless distinct is set, conditions that exclude each other.
func (n *normalizer) mergeTerm(o, t *block, distinct bool) bool {
	if len(o.core) != len(t.core) || len(o.items) != len(t.items) {
		return false
	}
	to := map[*source]*source{}
	for _, s := range t.core {
		i := slices.IndexFunc(o.core, func(x *source) bool { return x.table == s.table })
		if i < 0 {
			return false
		}
		to[s] = o.core[i]
	}
	for i := range o.items {
		if o.items[i].id() != n.copyExpr(t.items[i], to).id() {
			return false
		}
	}
	var where []*expr
	for _, c := range t.where {
		where = append(where, n.copyExpr(c, to))
	}
	if !distinct && !excluding(o.where, where) {
		return false
	}
	if len(o.where) == 0 || len(where) == 0 {
		o.where = nil
		return true
	}
	both := disjunction([]*expr{conjunction(o.where), conjunction(where)})
	o.where = conjuncts(both)
	return true
}

// excluding reports whether no row satisfies both lists of conditions, because they require one expression to equal
// different constants.
func excluding(a, b []*expr) bool {
	for _, c := range a {
		x, values := listed(c)
		if x == nil {
			continue
		}
		for _, d := range b {
			y, others := listed(d)
			if y == nil || x.id() != y.id() || values[0].op != others[0].op {
				continue
			}
			apart := true
			for _, v := range values {
				for _, o := range others {
					apart = apart && differ(v, o)
				}
			}
			if apart {
				return true
			}
		}
	}
	return false
}

// differ reports whether two constants differ in every collation: whole numbers, or strings of plain letters and
// digits.
func differ(a, b *expr) bool {
	if a.op == opNumber {
		x, ok := wholeNumber(a)
		y, ok2 := wholeNumber(b)
		return ok && ok2 && x != y
	}
	plain := func(s string) bool {
		return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789") == ""
	}
	return plain(a.text) && plain(b.text) && !strings.EqualFold(a.text, b.text)
}

// membership converts INTERSECT to SELECT DISTINCT with EXISTS, and EXCEPT to one with NOT EXISTS, if of any two
// compared columns at least one is never NULL.
func (n *normalizer) membership(q *block) {
	if q.set != "intersect" && q.set != "except" || len(q.terms) != 2 || len(q.order) > 0 || q.limit != nil ||
		q.offset != nil || q.shared != 0 {
		return
	}
	l, r := q.terms[0], q.terms[1]
	for _, t := range q.terms {
		if t.set != "" || !t.plainRows(n.Dialect) || len(t.core) == 0 || len(t.order) > 0 || t.shared != 0 ||
			len(t.items) != len(l.items) {
			return
		}
	}
	var conds []*expr
	for i, a := range l.items {
		b := r.items[i]
		if !n.oneType(a, b) || !n.notNull(a) && !n.notNull(b) {
			return
		}
		if f, _ := n.familyOf(a); f == doubleNumber || f == unknownFamily || f == otherType {
			return
		}
		conds = append(conds, compare("=", a.clone(), b))
	}
	sub := *r
	sub.items, sub.names = nil, nil
	sub.where = append(slices.Clip(r.where), conds...)
	one := *l
	one.distinct = true
	one.where = append(slices.Clip(l.where), maybeNot(&expr{op: opExists, sub: &sub}, q.set == "except"))
	if len(q.names) == len(one.items) {
		one.names = q.names
	}
	*q = one
	n.query(q)
}

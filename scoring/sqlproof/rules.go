package sqlproof

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqltree"
)

// normalizer applies the rules to each query of a tree, until none changes it or maxRounds is reached.
type normalizer struct {
	rules
	schema   *sqltree.Schema
	nullable map[*source]bool // sources whose rows an outer join may fill with NULLs
	relies   map[string]bool  // facts of the schema that the rules used
	copied   int              // number of nodes copied in place of names
	ids      int              // number of sources created by rules
}

// maxRounds is the maximum number of times that the rules are applied to one query.
const maxRounds = 12

func (n *normalizer) query(q *block) {
	for _, t := range q.terms {
		n.query(t)
	}
	n.mark(&q.join)
	for _, s := range q.sources() {
		if s.block != nil {
			n.query(s.block)
		}
	}
	q.all(func(e **expr) { n.inside(*e) })
	if q.set != "" {
		n.setOp(q)
		return
	}
	for range maxRounds {
		n.schema.Halt.Check()
		if !n.once(q) {
			break
		}
	}
	n.keys(q)
}

// mark records the sources that outer joins may fill with NULLs.
func (n *normalizer) mark(j *join) {
	for _, s := range j.core {
		if s.full != nil {
			for _, x := range append(s.full.l.sources(), s.full.r.sources()...) {
				n.nullable[x] = true
			}
		}
	}
	for _, a := range j.left {
		for _, x := range a.right.sources() {
			n.nullable[x] = true
		}
	}
}

// inside normalizes the queries inside an expression. In queries of IN and EXISTS it also drops DISTINCT, ORDER BY and
// other parts that only affect the order or repetition of rows.
func (n *normalizer) inside(e *expr) {
	e.each(func(x *expr) bool {
		if x.sub == nil {
			for i, a := range x.args {
				if x.op == opIn && i == 1 && a.sub != nil && a.sub.set == "" {
					a.sub.distinct = a.sub.distinct && len(a.sub.distinctOn) > 0
					n.unordered(a.sub)
				}
			}
			return true
		}
		if q := x.sub; x.op == opExists && q.set == "" {
			if l := q.limit; l != nil && l.op == opNumber && l.text != "0" && strings.Trim(l.text, "0123456789") == "" &&
				q.offset == nil && q.limitMods == "" {
				q.limit = nil
			}
			n.unordered(q)
			if q.limit == nil && len(q.having) == 0 &&
				(q.grouped && !n.sets(q) && allOne(q.items, n.Dialect) ||
					!slices.ContainsFunc(q.items, func(e *expr) bool { return !isStar(e) && !rowWise(e, n.Dialect) })) && len(
				q.qualify) == 0 {
				q.items, q.names, q.distinct, q.distinctOn, q.grouped, q.group = nil, nil, false, nil, false, nil
			}
		}
		n.query(x.sub)
		return true
	})
}

// unordered drops the ORDER BY of a query without LIMIT, OFFSET and DISTINCT ON, whose rows do not depend on it.
func (n *normalizer) unordered(q *block) {
	if q.limit == nil && q.offset == nil && len(q.distinctOn) == 0 {
		q.order = nil
	}
}

// sets reports whether a query groups by grouping sets.
func (n *normalizer) sets(q *block) bool {
	return slices.ContainsFunc(q.group,
		func(e *expr) bool { return e.has(func(x *expr) bool { return x.op == "grouping" }) })
}

// setOp merges nested set operations of one kind into one, drops parts of operands that have no effect, and applies the
// rules for set operations.
func (n *normalizer) setOp(q *block) {
	var terms []*block
	for i, t := range q.terms {
		n.unordered(t)
		if q.set == "union" || q.set == "intersect" || q.set == "except" {
			if t.set == "" && len(t.distinctOn) == 0 && t.limit == nil && t.offset == nil {
				t.distinct = false
				if t.grouped && !n.sets(t) && n.onlyGroups(t) && len(t.having) == 0 {
					t.grouped, t.group = false, nil
				}
			}
		}
		bare := len(t.order) == 0 && t.limit == nil && t.offset == nil
		if bare && (t.set == q.set && (i == 0 || !strings.HasPrefix(q.set, "except")) ||
			q.set == "union" && t.set == "union all") {
			terms = append(terms, t.terms...)
			continue
		}
		terms = append(terms, t)
	}
	q.terms = terms
	n.mergeTerms(q)
	n.membership(q)
}

// onlyGroups reports whether the items of a grouped query and its grouping keys are the same set, so that GROUP BY is
// equivalent to DISTINCT.
func (n *normalizer) onlyGroups(q *block) bool {
	in := func(list []*expr, x *expr) bool {
		id := x.id()
		return slices.ContainsFunc(list, func(e *expr) bool { return e.id() == id })
	}
	return len(q.items) > 0 && !slices.ContainsFunc(q.items, func(x *expr) bool { return !in(q.group, x) }) &&
		!slices.ContainsFunc(q.group, func(x *expr) bool { return !in(q.items, x) })
}

// once applies every rule once, and reports whether one changed something.
func (n *normalizer) once(q *block) bool {
	changed := false
	for _, rule := range []func(*block) bool{
		n.simplify, n.filters, n.unwrap, n.splice, n.oneSided, n.matched, n.innerForLeft, n.antiJoin, n.uselessLeft,
		n.sameRow, n.uselessInner, n.distinctWindows, n.distinctOnRows, n.distinct, n.groups,
		n.keyOfGroup, n.groupToExists, n.havingRows, n.qualified, n.partitionRows, n.firstRows, n.partitions, n.ownRow,
		n.semiJoins, n.existsToGroup, n.distinctJoin, n.distinctInside, n.groupedCounts,
		n.notNulls, n.counts, n.soleFilter, n.oneRow, n.groupedIn, n.groupedJoin, n.groupByKey, n.valueByKey, n.overTerms,
		n.prune,
	} {
		n.schema.Halt.Check()
		if rule(q) {
			changed = true
		}
	}
	return changed
}

// filters simplifies WHERE, HAVING, QUALIFY and join conditions, where NULL and false are equivalent: among others, it
// splits them at AND and converts IN to EXISTS. It reports whether it changed any.
func (n *normalizer) filters(q *block) bool {
	changed := false
	lists := []*[]*expr{&q.where, &q.having, &q.qualify}
	for _, a := range q.left {
		lists = append(lists, &a.on)
	}
	for _, list := range lists {
		var out []*expr
		for _, e := range *list {
			for _, c := range conjuncts(e) {
				if isTrue(c) || n.always(q, c) {
					changed = true
					continue
				}
				if x, ok := n.filter(c); ok {
					c, changed = x, true
				}
				out = append(out, c)
			}
		}
		if months, ok := n.months(out); ok {
			out, changed = months, true
		}
		if narrow, ok := n.bounds(out); ok {
			out, changed = narrow, true
		}
		*list = out
	}
	return changed
}

func (n *normalizer) filter(e *expr) (*expr, bool) {
	switch e.op {
	case opOr, opAnd:
		changed := false
		for i, a := range e.args {
			if x, ok := n.filter(a); ok {
				e.args[i], changed = x, true
			}
		}
		if x := n.held(e); x != nil {
			return x, true
		}
		return e, changed
	case opIn:
		if x := n.inTerms(e); x != nil {
			return x, true
		}
		if x := n.existsFor(e); x != nil {
			return x, true
		}
	case opNot:
		in := e.args[0]
		if in.op != opIn || len(in.args) != 2 || in.args[1].sub == nil {
			return e, false
		}
		sub := in.args[1].sub
		if len(sub.items) != 1 || !n.notNull(in.args[0]) ||
			!n.notNull(sub.items[0]) && strictAll(sub.where)[sub.items[0].id()] == nil {
			return e, false
		}
		if x := n.existsFor(in); x != nil {
			return negation(x), true
		}
	default:
		if x := n.held(e); x != nil {
			return x, true
		}
	}
	return e, false
}

// existsFor returns EXISTS (SELECT … WHERE y = x) for x IN (SELECT y …). It returns nil if the subquery does more than
// select, filter and join.
func (n *normalizer) existsFor(e *expr) *expr {
	if len(e.args) != 2 || e.args[1].sub == nil {
		return nil
	}
	sub := e.args[1].sub
	if sub.grouped && !n.sets(sub) && n.onlyGroups(sub) && len(sub.having) == 0 && sub.limit == nil && sub.offset == nil {
		sub.grouped, sub.group = false, nil
	}
	if !sub.spliceable(n.Dialect) || sub.shared != 0 {
		return nil
	}
	xs := []*expr{e.args[0]}
	if e.args[0].op == "list" && strings.HasPrefix(e.args[0].text, "0 ") {
		xs = e.args[0].args
	}
	if len(xs) != len(sub.items) || slices.ContainsFunc(sub.items, isStar) || slices.ContainsFunc(sub.items, isQuery) {
		return nil
	}
	for i, x := range xs {
		sub.where = append(sub.where, compare("=", x, sub.items[i]))
	}
	sub.items, sub.names = nil, nil
	n.query(sub)
	return &expr{op: opExists, sub: sub}
}

// column returns the table and name of a column of a base table. It returns false for other expressions and without a
// schema.
func (n *normalizer) column(e *expr) (sqltree.Column, bool) {
	if e == nil || e.op != opColumn || e.src.last == "" || !n.schema.Stated {
		return sqltree.Column{}, false
	}
	return sqltree.Column{Table: e.src.last, Name: e.text}, true
}

// notNull reports whether an expression is certainly never NULL, such as a constant, a count, or a column that the
// schema declares so and whose rows no outer join fills with NULLs.
func (n *normalizer) notNull(e *expr) bool {
	switch e.op {
	case opNumber, opString:
		return true
	case opCall:
		return e.text == "count" || e.text == "coalesce" && slices.ContainsFunc(e.args, n.notNull)
	case opOver:
		return rankNames[e.args[0].text]
	case opExists:
		return true
	case opItem:
		b := e.src.block
		return b != nil && b.set == "" && b.rows == nil && !n.nullable[e.src] && !n.sets(b) && atoi(e.text) < len(b.items) &&
			n.notNull(b.items[atoi(e.text)])
	}
	c, ok := n.column(e)
	if !ok || n.nullable[e.src] || !n.schema.Holds(c) {
		return false
	}
	n.relies[c.Table+"."+c.Name+" is not null"] = true
	return true
}

// unique reports whether the expression is a column whose values the schema states to be unique in its table.
func (n *normalizer) unique(e *expr) bool {
	c, ok := n.column(e)
	if !ok || !n.schema.Distinct(c) || strings.Contains(e.src.table, " sample ") {
		return false
	}
	n.relies[c.Table+"."+c.Name+" is unique"] = true
	return true
}

// strict adds to out the columns that are not NULL in any row for which the condition is true.
func strict(e *expr, out map[string]*expr) {
	switch e.op {
	case "=", "<>", "<", "<=":
		strictValue(e.args[0], out)
		strictValue(e.args[1], out)
	case "like ", "ilike ", opIn:
		strictValue(e.args[0], out)
	case opNot:
		switch x := e.args[0]; x.op {
		case opIsNull, "like ", "ilike ":
			strictValue(x.args[0], out)
		case opIn:
			if len(x.args) != 2 || x.args[1].sub == nil {
				strictValue(x.args[0], out)
			}
		}
	case opAnd:
		for _, a := range e.args {
			strict(a, out)
		}
	case opOr:
		var common map[string]*expr
		for i, a := range e.args {
			m := map[string]*expr{}
			strict(a, m)
			if i == 0 {
				common = m
				continue
			}
			for k := range common {
				if m[k] == nil {
					delete(common, k)
				}
			}
		}
		for k, v := range common {
			out[k] = v
		}
	}
}

// strictValue adds to out the columns of e for which a NULL makes the value of e NULL.
func strictValue(e *expr, out map[string]*expr) {
	switch e.op {
	case opColumn, opItem, opUnder:
		out[e.id()] = e
	case "+", "-", "*", "/", "%", "unary -", "cast":
		for _, a := range e.args {
			strictValue(a, out)
		}
	}
}

func strictAll(list []*expr) map[string]*expr {
	m := map[string]*expr{}
	for _, e := range list {
		strict(e, m)
	}
	return m
}

// unwrap merges a SELECT that only selects and filters columns of one derived table into that table's query. It reports
// whether it did.
func (n *normalizer) unwrap(q *block) bool {
	if len(q.core) != 1 || len(q.left) > 0 || q.core[0].block == nil || q.grouped || len(q.having) > 0 || q.distinct ||
		len(q.distinctOn) > 0 || q.windowed() || len(q.items) == 0 {
		return false
	}
	s := q.core[0]
	g := s.block
	if g.shared != 0 || g.set != "" && len(q.where) > 0 || g.rows != nil || !allOne(g.items, n.Dialect) {
		return false
	}
	for _, e := range q.items {
		if !e.each(func(x *expr) bool { return x.op != opCall || scalar(x.text, n.Dialect) }) {
			return false
		}
	}
	sub := false
	starred := false
	correlated := func(e *expr) bool { // an aggregate moved into a subquery would aggregate the subquery's rows
		return e.has(func(x *expr) bool {
			found := false
			if x.sub != nil {
				x.sub.deep(func(y *expr) { found = found || y.src == s || slices.Contains(y.srcs, s) })
			}
			return found
		})
	}
	q.clauses(func(e **expr) { sub = sub || correlated(*e) })
	for _, e := range q.where {
		sub = sub || correlated(e)
	}
	q.clauses(func(e **expr) {
		starred = starred || (*e).has(func(x *expr) bool {
			return x.src == s && x.op != opItem && !(x.op == opStar && isStar(g.items[atoi(x.text)])) || x.op == opUnknown
		})
	})
	for _, e := range q.where {
		starred = starred || e.has(func(x *expr) bool { return x.src == s && x.op != opItem || x.op == opUnknown })
	}
	if sub || starred || len(g.distinctOn) > 0 && len(q.where) > 0 {
		return false
	}
	if g.limit != nil || g.offset != nil {
		if len(q.where) > 0 || len(q.order) > 0 && !n.sameOrder(q, g, s) || q.limit != nil || q.offset != nil {
			return false
		}
	} else if len(g.order) > 0 && len(q.order) == 0 || len(g.distinctOn) > 0 && (len(q.order) > 0 || q.limit != nil) {
		return false
	}
	if g.set != "" {
		// the same columns in the same order: the set operation itself
		if len(q.items) != len(g.items) {
			return false
		}
		for i, e := range q.items {
			if e.src != s || atoi(e.text) != i {
				return false
			}
		}
	}
	if g.distinct {
		// DISTINCT inside: all columns must be kept, unchanged
		if len(q.items) != len(g.items) ||
			slices.ContainsFunc(q.items, func(e *expr) bool { return e.src != s || e.op != opItem && e.op != opStar }) {
			return false
		}
		seen := map[int]bool{}
		for _, e := range q.items {
			seen[atoi(e.text)] = true
		}
		if len(seen) != len(g.items) || len(q.where) > 0 {
			return false
		}
	}
	if !g.grouped && g.set == "" {
		// an aggregate without groups produces one row; at least one must stay for that
		one := func(e *expr) bool { return aggregates(e, n.Dialect) }
		kept := slices.ContainsFunc(q.items, func(e *expr) bool {
			return e.has(func(x *expr) bool { return x.src == s && x.op == opItem && one(g.items[atoi(x.text)]) })
		})
		if !kept && (slices.ContainsFunc(g.items, one) || len(g.having) > 0) {
			return false
		}
	}
	if n.copied += copies(q, s); n.copied > maxCopied {
		return false
	}
	change := func(x *expr) *expr {
		if x.src == s && (x.op == opItem || x.op == opStar) {
			return g.items[atoi(x.text)].clone()
		}
		return x
	}
	q.all(func(e **expr) { replace(e, change) })
	merged := *g
	if g.set == "" {
		merged.items, merged.names = q.items, q.names
	} else {
		merged.names = q.names
	}
	if len(q.where) > 0 {
		if g.windowed() {
			merged.qualify = append(merged.qualify, q.where...)
		} else if g.grouped || slices.ContainsFunc(g.items, func(e *expr) bool { return !rowWise(e, n.Dialect) }) {
			merged.having = append(merged.having, q.where...)
		} else {
			merged.where = append(merged.where, q.where...)
		}
	}
	if len(q.order) > 0 {
		merged.order = q.order
	}
	if g.limit == nil && g.offset == nil {
		merged.limit, merged.offset, merged.limitMods = q.limit, q.offset, q.limitMods
	}
	merged.shared = q.shared
	*q = merged
	return true
}

// sameOrder reports whether q sorts the rows of its source s in the same order as g, the query of that source.
func (n *normalizer) sameOrder(q, g *block, s *source) bool {
	return slices.EqualFunc(q.order, g.order, func(a, b key) bool {
		return a.e.op == opItem && a.e.src == s && a.desc == b.desc && g.items[atoi(a.e.text)].id() == b.e.id() &&
			(a.nulls == b.nulls || (a.nulls == "" || b.nulls == "") && n.Dialect != sqlparts.Generic)
	})
}

// copies returns the number of nodes that are copied if every use of a column of s in the query is replaced by the
// column's expression.
func copies(q *block, s *source) (nodes int) {
	sizes := map[int]int{}
	q.all(func(e **expr) {
		(*e).deep(func(x *expr) {
			if x.src != s || x.op != opItem && x.op != opStar {
				return
			}
			item := atoi(x.text)
			if sizes[item] == 0 {
				sizes[item] = s.block.items[item].size()
			}
			nodes += sizes[item]
		})
	})
	return nodes
}

// innerForLeft converts a LEFT JOIN to an inner join if a condition drops the added rows.
func (n *normalizer) innerForLeft(q *block) bool {
	if len(q.left) == 0 {
		return false
	}
	set := strictAll(q.where)
	for i, a := range q.left {
		n.schema.Halt.Check()
		sources := a.right.sources()
		hit := false
		for _, c := range set {
			hit = hit || slices.Contains(sources, c.src)
		}
		if !hit {
			continue
		}
		q.left = slices.Concat(q.left[:i], a.right.left, q.left[i+1:])
		q.core = append(slices.Clip(q.core), a.right.core...)
		q.where = append(append(slices.Clip(q.where), a.on...), a.right.where...)
		for _, s := range sources {
			delete(n.nullable, s)
		}
		n.mark(&q.join)
		return true
	}
	return false
}

// usedOutside reports whether a query uses the sources anywhere other than in the attachment a and in the conditions
// except.
func (q *block) usedOutside(sources []*source, a *attach, except map[*expr]bool) bool {
	found := false
	look := func(e *expr) {
		found = found || e.src != nil && slices.Contains(sources, e.src) ||
			slices.ContainsFunc(e.srcs, func(s *source) bool { return slices.Contains(sources, s) }) || e.op == "stars"
	}
	q.clauses(func(e **expr) { (*e).deep(look) })
	for _, e := range q.where {
		if !except[e] {
			e.deep(look)
		}
	}
	for _, s := range q.core {
		if slices.Contains(sources, s) {
			continue
		}
		one := join{core: []*source{s}}
		one.deep(look)
	}
	for _, o := range q.left {
		if o != a {
			o.right.deep(look)
			deepAll(o.on, look)
		}
	}
	return found
}

// antiJoin converts a LEFT JOIN that keeps only the rows without a match to NOT EXISTS.
func (n *normalizer) antiJoin(q *block) bool {
	for i, a := range q.left {
		n.schema.Halt.Check()
		if len(a.right.left) > 0 {
			continue
		}
		on := strictAll(a.on)
		except := map[*expr]bool{}
		for _, c := range q.where {
			if c.op != opIsNull || c.args[0].src == nil || !slices.Contains(a.right.core, c.args[0].src) {
				continue
			}
			x := c.args[0]
			if on[x.id()] != nil || n.holds(x) {
				except[c] = true
			}
		}
		if len(except) == 0 || q.usedOutside(a.right.sources(), a, except) {
			continue
		}
		sub := &block{join: a.right}
		sub.where = append(slices.Clip(sub.where), a.on...)
		for _, s := range sub.sources() {
			delete(n.nullable, s)
		}
		n.query(sub)
		q.left = slices.Concat(q.left[:i], q.left[i+1:])
		q.where = append(slices.DeleteFunc(slices.Clone(q.where), func(e *expr) bool { return except[e] }),
			negation(&expr{op: opExists, sub: sub}))
		return true
	}
	return false
}

// holds reports whether the schema declares the column e NOT NULL. Outer joins may still make it NULL.
func (n *normalizer) holds(e *expr) bool {
	c, ok := n.column(e)
	if ok && n.schema.Holds(c) {
		n.relies[c.Table+"."+c.Name+" is not null"] = true
		return true
	}
	return false
}

// keyed reports whether one of the conditions requires a unique column of s to equal an expression without s, so that
// at most one row of s satisfies them.
func (n *normalizer) keyed(s *source, conditions []*expr) bool {
	for _, c := range conditions {
		if c.op != "=" {
			continue
		}
		for k := range 2 {
			if c.args[k].op == opColumn && c.args[k].src == s && !uses(c.args[1-k:2-k], s) &&
				n.matchesOnce(c.args[k], c.args[1-k]) && n.unique(c.args[k]) {
				return true
			}
		}
	}
	return false
}

// uselessLeft drops a LEFT JOIN of a base table whose columns are not used and that finds at most one row, or whose
// repeated rows have no effect. It reports whether it did.
func (n *normalizer) uselessLeft(q *block) bool {
	for i, a := range q.left {
		n.schema.Halt.Check()
		if len(a.right.core) != 1 || len(a.right.left) > 0 || a.right.core[0].table == "" ||
			q.usedOutside(a.right.sources(), a, nil) {
			continue
		}
		if n.repeats(q) || n.keyed(a.right.core[0], a.on) {
			q.left = slices.Concat(q.left[:i], q.left[i+1:])
			return true
		}
	}
	return false
}

// repeats reports whether repetitions of rows before grouping have no effect on the result of the query.
func (n *normalizer) repeats(q *block) bool {
	if q.limit != nil && !q.grouped || q.windowed() {
		return false
	}
	if len(q.items) == 0 && !q.grouped { // of EXISTS
		return true
	}
	if !q.grouped || n.sets(q) {
		return false
	}
	plain := true
	q.clauses(func(e **expr) { plain = plain && rowWise(*e, n.Dialect) })
	return plain
}

// uselessInner drops an inner join of a foreign key with the key of its table if no other column of that table is used.
// It reports whether it did.
func (n *normalizer) uselessInner(q *block) bool {
	if len(q.core) < 2 {
		return false
	}
	for i, c := range q.where {
		n.schema.Halt.Check()
		if c.op != "=" {
			continue
		}
		for k := range 2 {
			pk, fk := c.args[k], c.args[1-k]
			kc, ok := n.column(pk)
			fc, ok2 := n.column(fk)
			if !ok || !ok2 || pk.src == fk.src || !slices.Contains(q.core, pk.src) || !slices.Contains(q.core, fk.src) ||
				strings.Contains(pk.src.table, " ") {
				continue
			}
			if to, ok := n.schema.References(fc); !ok || to != kc || !n.schema.Distinct(kc) {
				continue
			}
			rest := *q
			rest.where = slices.Concat(q.where[:i], q.where[i+1:])
			s := pk.src
			only, used := true, false
			check := func(e *expr) {
				used = used || e.src == s
				if e.src == s && !(e.op == opColumn && e.text == pk.text) || slices.Contains(e.srcs, s) || e.op == "stars" {
					only = false
				}
			}
			rest.deep(check)
			if !only || used && !n.oneType(pk, fk) {
				continue
			}
			n.relies[fc.Table+"."+fc.Name+" refers to "+kc.Table] = true
			q.where = append(rest.where, negation(node(opIsNull, fk.clone())))
			q.core = slices.DeleteFunc(slices.Clone(q.core), func(x *source) bool { return x == s })
			q.replace(func(e *expr) *expr {
				if e.src == s {
					return fk.clone()
				}
				return e
			})
			return true
		}
	}
	return false
}

// distinct converts DISTINCT to GROUP BY, or drops it if the groups differ already. It reports whether it did.
func (n *normalizer) distinct(q *block) bool {
	if !q.distinct || len(q.distinctOn) > 0 || len(q.items) == 0 || slices.ContainsFunc(q.items, isStar) ||
		slices.ContainsFunc(q.items, func(e *expr) bool { return e.op == "unused" }) {
		return false
	}
	if q.grouped {
		in := map[string]bool{}
		for _, e := range q.items {
			in[e.id()] = true
		}
		if n.sets(q) || !allOne(q.items, n.Dialect) ||
			slices.ContainsFunc(q.group, func(e *expr) bool { return !in[e.id()] }) {
			return false
		}
		q.distinct = false
		return true
	}
	if q.windowed() ||
		slices.ContainsFunc(q.items, func(e *expr) bool { return !rowWise(e, n.Dialect) || e.has(isQuery) }) {
		return false
	}
	q.distinct, q.grouped = false, true
	for _, e := range q.items {
		q.group = append(q.group, e.clone())
	}
	return true
}

// groups drops columns from GROUP BY that a key in it determines, and the grouping itself if every group is one row. It
// reports whether it did.
func (n *normalizer) groups(q *block) bool {
	if !q.grouped || n.sets(q) {
		return false
	}
	keyOf := map[*source]*expr{}
	for _, g := range q.group {
		if g.op == opColumn && keyOf[g.src] == nil && slices.Contains(q.core, g.src) && g.src.table != "" && n.unique(g) &&
			n.notNull(g) {
			keyOf[g.src] = g
		}
	}
	if len(keyOf) == 0 {
		return false
	}
	before := len(q.group)
	kept := slices.DeleteFunc(slices.Clone(q.group), func(g *expr) bool {
		k := keyOf[g.src]
		return g.op == opColumn && k != nil && k.text != g.text
	})
	if len(q.core) == 1 && len(q.left) == 0 && !q.windowed() {
		plain := len(q.having) == 0
		q.clauses(func(e **expr) { plain = plain && rowWise(*e, n.Dialect) })
		if plain {
			q.grouped, q.group = false, nil
			return true
		}
	}
	q.group = kept
	return len(kept) != before
}

// havingRows moves a condition on grouping keys from HAVING to WHERE, and reports whether it did.
func (n *normalizer) havingRows(q *block) bool {
	if !q.grouped || n.sets(q) || len(q.group) == 0 {
		return false
	}
	in := map[string]bool{}
	for _, g := range q.group {
		in[g.id()] = true
	}
	for i, c := range q.having {
		n.schema.Halt.Check()
		if !rowWise(c, n.Dialect) || c.has(isQuery) || !c.grouped(in) {
			continue
		}
		q.having = slices.Concat(q.having[:i], q.having[i+1:])
		q.where = append(slices.Clip(q.where), c)
		return true
	}
	return false
}

// grouped reports whether the expression consists of grouping keys, whose ids are in in, and constants.
func (e *expr) grouped(in map[string]bool) bool {
	if in[e.id()] {
		return true
	}
	if e.src != nil || len(e.srcs) > 0 || e.op == opUnknown || e.op == "stars" {
		return false
	}
	return !slices.ContainsFunc(e.args, func(a *expr) bool { return !a.grouped(in) })
}

// qualified moves the conditions of QUALIFY to HAVING or WHERE if the query has no window functions. It reports whether
// it did.
func (n *normalizer) qualified(q *block) bool {
	if len(q.qualify) == 0 {
		return false
	}
	window := false
	q.clauses(func(e **expr) { window = window || (*e).has(isWindow) })
	if window {
		return false
	}
	if q.grouped || slices.ContainsFunc(q.items, func(e *expr) bool { return !rowWise(e, n.Dialect) }) {
		q.having = append(slices.Clip(q.having), q.qualify...)
	} else {
		q.where = append(slices.Clip(q.where), q.qualify...)
	}
	q.qualify = nil
	return true
}

// semiJoins converts an EXISTS condition to an inner join if it finds at most one row, or if repeated rows have no
// effect. It reports whether it did.
func (n *normalizer) semiJoins(q *block) bool {
	once := n.repeats(q)
	for i, c := range q.where {
		n.schema.Halt.Check()
		if c.op != opExists || len(c.sub.core) == 0 {
			continue
		}
		sub := c.sub
		if !sub.spliceable(n.Dialect) || len(sub.items) > 0 {
			continue
		}
		if !once && (len(sub.core) != 1 || len(sub.left) > 0 || sub.core[0].table == "" || !n.keyed(sub.core[0], sub.where)) {
			continue
		}
		q.where = append(slices.Concat(q.where[:i], q.where[i+1:]), sub.where...)
		q.core = append(slices.Clip(q.core), sub.core...)
		q.left = append(slices.Clip(q.left), sub.left...)
		return true
	}
	return false
}

// notNulls drops IS NOT NULL conditions that follow from other conditions or from the schema, one at a time.
func (n *normalizer) notNulls(q *block) bool {
	for i, c := range q.where {
		n.schema.Halt.Check()
		if c.op != opNot || c.args[0].op != opIsNull {
			continue
		}
		x := c.args[0].args[0]
		rest := slices.Concat(q.where[:i], q.where[i+1:])
		if n.notNull(x) || strictAll(rest)[x.id()] != nil {
			q.where = rest
			return true
		}
	}
	return false
}

// counts converts COUNT(x) to COUNT(*) if x is never NULL, and COUNT(DISTINCT x) to COUNT(x) if x is unique. It reports
// whether it changed any.
func (n *normalizer) counts(q *block) bool {
	changed := false
	var set map[string]*expr
	one := len(q.core) == 1 && len(q.left) == 0
	q.clauses(func(e **expr) {
		replace(e, func(x *expr) *expr {
			if x.op != opCall || x.text != "count" || len(x.args) != 1 {
				return x
			}
			a := x.args[0]
			if a.op == "distinct" && len(a.args) == 1 && one && a.args[0].op == opColumn && a.args[0].src == q.core[0] &&
				n.unique(a.args[0]) {
				a, changed = a.args[0], true
				x = &expr{op: opCall, text: "count", args: []*expr{a}}
			}
			if a.op == "rows" || a.op == "distinct" || a.sub != nil {
				return x
			}
			if set == nil {
				set = strictAll(q.where)
			}
			if n.notNull(a) && (a.src == nil || slices.Contains(q.core, a.src)) || set[a.id()] != nil {
				changed = true
				return &expr{op: opCall, text: "count", args: []*expr{node("rows")}}
			}
			return x
		})
	})
	return changed
}

// prune marks items of derived tables that the query does not use as unused, and drops an ORDER BY of derived tables
// that has no effect. It reports whether it changed any.
func (n *normalizer) prune(q *block) bool {
	changed := false
	for _, s := range q.sources() {
		n.schema.Halt.Check()
		g := s.block
		if g == nil || g.set != "" || g.distinct || g.rows != nil || g.shared != 0 {
			continue
		}
		used, all := map[int]bool{}, false
		q.deep(func(e *expr) {
			switch {
			case slices.Contains(e.srcs, s), e.op == "stars":
				all = true
			case e.src != s:
			case e.op == opItem:
				used[atoi(e.text)] = true
			case e.op == opStar, e.op == opUnder:
				all = true
			default:
				all = true
			}
		})
		if all || q.set != "" {
			continue
		}
		if !g.grouped && slices.ContainsFunc(g.items, func(e *expr) bool { return aggregates(e, n.Dialect) }) {
			// an aggregate without groups makes one row; without it there would be more
			continue
		}
		some := false
		for i, e := range g.items {
			if !used[i] && e.op != "unused" && !isStar(e) && oneValue(e, n.Dialect) {
				g.items[i], some = node("unused"), true
			}
		}
		if some {
			changed = true
			n.query(g)
		}
	}
	// the order inside a derived table has no effect if its rows are joined, grouped or sorted again
	ordered := false
	q.clauses(func(e **expr) {
		ordered = ordered || (*e).has(n.ordered)
	})
	if sources := q.sources(); !ordered &&
		(len(sources) > 1 || q.grouped || len(q.order) > 0 ||
			slices.ContainsFunc(q.items, func(e *expr) bool { return aggregates(e, n.Dialect) })) {
		for _, s := range sources {
			if s.block != nil && len(s.block.order) > 0 && s.block.limit == nil && s.block.offset == nil &&
				len(s.block.distinctOn) == 0 {
				s.block.order, changed = nil, true
			}
		}
	}
	return changed
}

// keys drops sort keys that have no effect: repeated ones, constants, those after a unique key, and all if the query
// returns one row.
func (n *normalizer) keys(q *block) {
	seen := map[string]bool{}
	var out []key
	for _, k := range q.order {
		id := k.e.id()
		if seen[id] || k.e.op == opNumber || k.e.op == opString || k.e.op == opNull {
			continue
		}
		seen[id] = true
		if n.notNull(k.e) {
			k.nulls = ""
		}
		out = append(out, k)
		if len(q.core) == 1 && len(q.left) == 0 && !q.grouped && q.set == "" && q.core[0].table != "" && n.unique(k.e) &&
			n.notNull(k.e) {
			break // no two rows are equal
		}
	}
	if q.order = out; !q.grouped && q.limit == nil && q.offset == nil && len(q.items) > 0 && q.set == "" &&
		!q.windowed() && allOne(q.items, n.Dialect) &&
		slices.ContainsFunc(q.items, func(e *expr) bool { return aggregates(e, n.Dialect) }) &&
		n.Dialect != sqlparts.Generic {
		q.order = nil // one row
	}
}

package sqltree

import (
	"slices"
	"strings"
)

// SetMatch is the exact set match of Spider (Yu et al. 2018, section 5; taoyds/spider evaluation.py with its values
// and DISTINCT switched off): the parts of two queries are compared as sets, with the columns of foreign keys
// replaced by those they refer to. It returns the names of the parts that differ, none if the queries match. If no
// schema is stated, columns that a join compares as equal count as a foreign key.
func SetMatch(gold, pred *Query, schema *Schema) []string {
	m := &setMatcher{foreign: map[Column]Column{}}
	if schema.Stated {
		m.statedKeys(schema)
	} else {
		m.joinedKeys(gold)
		m.joinedKeys(pred)
	}
	return m.differences(chainOf(gold), chainOf(pred), tablesOf(gold), tablesOf(pred))
}

// tablesOf returns the base tables of a query's first SELECT. Foreign keys are replaced only in columns of these
// tables, also in the SELECTs combined with it by set operations.
func tablesOf(q *Query) map[string]bool {
	tables := map[string]bool{}
	for _, s := range chainOf(q).q.From {
		tables[s.Table] = true
	}
	return tables
}

type setMatcher struct {
	foreign map[Column]Column // maps a column to the column that represents it
}

// chain is a SELECT and the chain that a set operation combines with it. As in Spider's parser, a UNION b EXCEPT c is a
// UNION (b EXCEPT c).
type chain struct {
	q     *Query
	order []Key
	limit *Expr
	op    string // union, intersect, except; empty at the end
	next  *chain
}

func chainOf(q *Query) *chain {
	if q.Set == "" {
		return &chain{q: q, order: q.Order, limit: q.Limit}
	}
	head := chainOf(q.Terms[0])
	name, _, _ := strings.Cut(q.Set, " ")
	for _, t := range q.Terms[1:] {
		last := head.last()
		last.op, last.next = name, chainOf(t)
	}
	if last := head.last(); len(q.Order) > 0 || q.Limit != nil { // they belong to the last SELECT
		last.order, last.limit = q.Order, q.Limit
	}
	return head
}

func (c *chain) last() *chain {
	for c.next != nil {
		c = c.next
	}
	return c
}

// differences returns the names of the parts in which two chains differ.
func (m *setMatcher) differences(gold, pred *chain, goldTables, predTables map[string]bool) (parts []string) {
	differ := func(part string, same bool) {
		if !same {
			parts = append(parts, part)
		}
	}
	g, p := gold.q, pred.q
	gu := func(e *Expr) string { return m.unit(e, goldTables).String() }
	pu := func(e *Expr) string { return m.unit(e, predTables).String() }
	differ("select", sameTexts(units(g.Items, gu), units(p.Items, pu)))
	gw, gc := m.conditions(g.Where, gu, false)
	pw, pc := m.conditions(p.Where, pu, false)
	differ("where", sameTexts(gw, pw))
	differ("and/or", sameTexts(set(gc), set(pc)))
	name := func(tables map[string]bool) func(*Expr) string {
		return func(e *Expr) string {
			if e = m.unit(e, tables); e.Op == opColumn {
				return e.Text
			}
			return e.String()
		}
	}
	differ("group", sameTexts(units(g.Group, name(goldTables)), units(p.Group, name(predTables))))
	if len(g.Group) > 0 || len(p.Group) > 0 {
		gh, gch := m.conditions(g.Having, gu, false)
		ph, pch := m.conditions(p.Having, pu, false)
		differ("having",
			slices.Equal(units(g.Group, gu), units(p.Group, pu)) && slices.Equal(gh, ph) && slices.Equal(gch, pch))
	}
	if len(gold.order) > 0 || len(pred.order) > 0 {
		differ("order",
			len(gold.order) > 0 && slices.Equal(units(keys(gold.order), gu), units(keys(pred.order), pu)) &&
				direction(gold.order) == direction(pred.order) &&
				(gold.limit == nil) == (pred.limit == nil))
	}
	switch {
	case gold.op != pred.op:
		parts = append(parts, "set operations")
	case gold.next != nil:
		differ("set operations", len(m.differences(gold.next, pred.next, goldTables, predTables)) == 0)
	}
	differ("keywords", sameTexts(m.keywords(gold), m.keywords(pred)))
	differ("tables", sameTexts(m.tables(g), m.tables(p)))
	return parts
}

// unit returns a copy of an expression with foreign keys replaced and without DISTINCT.
func (m *setMatcher) unit(e *Expr, tables map[string]bool) *Expr {
	x := e.clone()
	rewrite(&x, func(e *Expr) *Expr {
		if c, ok := e.column(); ok {
			if to, ok := m.foreign[c]; ok && tables[c.Table] {
				c = to
			}
			return &Expr{Op: opColumn, Table: c.Table, Text: c.Name}
		}
		if e.Op == opCall && len(e.Args) > 0 && e.Args[0] != nil && e.Args[0].Op == opDistinct {
			return &Expr{Op: opCall, Text: e.Text, Args: append(slices.Clone(e.Args[0].Args), e.Args[1:]...)}
		}
		if e.Op == opRows || e.Op == opStar {
			return op(opStar)
		}
		return e
	})
	return x
}

func units(list []*Expr, unit func(*Expr) string) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = unit(e)
	}
	return out
}

func keys(order []Key) []*Expr {
	out := make([]*Expr, len(order))
	for i, k := range order {
		out[i] = k.Expr
	}
	return out
}

func direction(order []Key) string {
	if len(order) > 0 && order[len(order)-1].Desc {
		return "desc"
	}
	return "asc"
}

// conditions splits a condition at AND and OR, in the order of the SQL, and returns the atoms and the operators between
// them. Values are omitted unless values is set; a nested query as a value is kept, without normalization.
func (m *setMatcher) conditions(e *Expr, unit func(*Expr) string, values bool) (atoms, between []string) {
	if e == nil {
		return nil, nil
	}
	if e.Op == "and" || e.Op == "or" {
		for i, a := range e.Args {
			as, bs := m.conditions(a, unit, values)
			if i > 0 {
				between = append(between, e.Op)
			}
			atoms, between = append(atoms, as...), append(between, bs...)
		}
		return atoms, between
	}
	if e.Op == "not" {
		atoms, between = m.conditions(e.Args[0], unit, values)
		for i := range atoms {
			atoms[i] = "not " + atoms[i]
		}
		return atoms, between
	}
	name, rest := e.Op, e.Args
	text := name
	if len(rest) > 0 && (predicate(name)) {
		text += " " + unit(rest[0])
		rest = rest[1:]
	}
	for _, a := range rest {
		switch {
		case a == nil:
		case a.Op == opQuery:
			text += " " + m.nested(chainOf(a.Query), values)
		case values || !predicate(name):
			text += " " + unit(a)
		}
	}
	return []string{text}, nil
}

// predicate reports whether an operator compares its first operand with values, possibly negated: a comparison, IN,
// LIKE, ILIKE or BETWEEN.
func predicate(name string) bool {
	base := strings.TrimPrefix(name, "not ")
	_, comparison := comparisons[base]
	return comparison || base == "in" || base == "like" || base == "between" || base == "ilike"
}

// nested returns a nested query as a string that keeps the written order of all parts, so that it equals only that of a
// query in the same order. Values are omitted unless values is set; those of queries in FROM are kept.
func (m *setMatcher) nested(c *chain, values bool) string {
	plain := func(e *Expr) string {
		x := e.clone()
		rewrite(&x, func(e *Expr) *Expr {
			if c, ok := e.column(); ok {
				return &Expr{Op: opColumn, Table: c.Table, Text: c.Name}
			}
			if e.Op == opRows {
				return op(opStar)
			}
			return e
		})
		return x.String()
	}
	var b strings.Builder
	write := func(part string, texts ...string) { b.WriteString(part + "(" + strings.Join(texts, ",") + ")") }
	q := c.q
	items := make([]string, len(q.Items))
	for i, e := range q.Items {
		items[i] = plain(e)
	}
	write("select"+map[bool]string{true: " distinct"}[q.Distinct], items...)
	write("from", m.tables(q)...)
	for _, s := range q.From {
		atoms, between := m.conditions(s.On, plain, values)
		write("on", append(atoms, between...)...)
	}
	where, between := m.conditions(q.Where, plain, values)
	write("where", append(where, between...)...)
	group := make([]string, len(q.Group))
	for i, e := range q.Group {
		group[i] = plain(e)
	}
	write("group", group...)
	having, between := m.conditions(q.Having, plain, values)
	write("having", append(having, between...)...)
	for _, k := range c.order {
		write("order", plain(k.Expr), direction(c.order))
	}
	if c.limit != nil {
		write("limit", plain(c.limit))
	}
	if c.next != nil {
		write(c.op, m.nested(c.next, values))
	}
	return b.String()
}

// tables returns the sources of a query: base tables by name, others as strings.
func (m *setMatcher) tables(q *Query) []string {
	out := make([]string, len(q.From))
	for i, s := range q.From {
		switch {
		case s.Table != "":
			out[i] = s.Table
		case s.Query != nil:
			out[i] = m.nested(chainOf(s.Query), true)
		default:
			out[i] = s.Call.String()
		}
	}
	return out
}

// keywords returns the keywords of a SELECT that Spider's script compares.
func (m *setMatcher) keywords(c *chain) []string {
	q := c.q
	words := map[string]bool{
		"where": q.Where != nil, "group": len(q.Group) > 0, "having": q.Having != nil, "limit": c.limit != nil,
		c.op: c.op != "",
	}
	if len(c.order) > 0 {
		words["order"], words[direction(c.order)] = true, true
	}
	conditions := []*Expr{q.Where, q.Having}
	for _, s := range q.From {
		conditions = append(conditions, s.On)
	}
	for _, e := range conditions {
		atoms, between := m.conditions(e, func(*Expr) string { return "" }, false)
		if slices.Contains(between, "or") {
			words["or"] = true
		}
		for _, a := range atoms {
			rest, not := strings.CutPrefix(a, "not ")
			word, _, _ := strings.Cut(rest, " ")
			if words["not"] = words["not"] || not; word == "in" || word == "like" {
				words[word] = true
			}
		}
	}
	var out []string
	for w, on := range words {
		if on {
			out = append(out, w)
		}
	}
	return out
}

// sameTexts reports whether two lists are equal as multisets.
func sameTexts(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func set(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// statedKeys treats every column of a foreign key and the column that it refers to as equal.
func (m *setMatcher) statedKeys(schema *Schema) {
	var pairs [][2]Column
	for name, t := range schema.Tables {
		for column, to := range t.foreign {
			pairs = append(pairs, [2]Column{{name, column}, to})
		}
	}
	m.equate(pairs)
}

// joinedKeys treats columns as equal that a join condition of a query equates.
func (m *setMatcher) joinedKeys(q *Query) {
	var pairs [][2]Column
	for c := chainOf(q); c != nil; c = c.next {
		for _, s := range c.q.From {
			for _, e := range conjuncts(s.On) {
				if e.Op != "=" || len(e.Args) != 2 {
					continue
				}
				a, ok := e.Args[0].column()
				b, ok2 := e.Args[1].column()
				if ok && ok2 && a.Table != "?" && b.Table != "?" {
					pairs = append(pairs, [2]Column{a, b})
				}
			}
		}
	}
	m.equate(pairs)
}

// equate merges pairs of equal columns into classes. Each class is represented by its first column by name.
func (m *setMatcher) equate(pairs [][2]Column) {
	find := func(c Column) Column {
		for {
			to, ok := m.foreign[c]
			if !ok || to == c {
				return c
			}
			c = to
		}
	}
	for _, p := range pairs {
		a, b := find(p[0]), find(p[1])
		if b.Table < a.Table || b.Table == a.Table && b.Name < a.Name {
			a, b = b, a
		}
		m.foreign[a], m.foreign[b] = a, a
	}
	for c := range m.foreign {
		m.foreign[c] = find(c)
	}
}

package counterexample

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// scope is the scope of a select: its sources and the enclosing scope. [sqlparts.Bound] resolves names; a scope maps
// the resolved columns to names in the engine.
type scope struct {
	parent  *scope
	sources []*source
	merged  map[*sqlparts.MergedSource]expr
	items   []*sqlparts.Item // elements of the select list
	group   *grouping
	keys    []sqlparts.Expr // the keys of GROUP BY while they are translated; else nil
	inside  bool            // whether the arguments of an aggregate or a key of GROUP BY are being translated
	windows []*sqlparts.WindowDef
}

// source is a translated element of FROM.
type source struct {
	of      *sqlparts.Source
	table   *Table
	alias   string // alias in the engine
	columns []output
	element *nest  // for UNNEST: the array element that the name of the source refers to
	steps   string // in a recursive query: the engine's column that counts the steps, which the query cannot read
}

// find returns the column of a source with a name, or nil.
func (src *source) find(name string) *output { return columnNamed(src.columns, name) }

func columnNamed(columns []output, name string) *output {
	for i := range columns {
		if strings.EqualFold(columns[i].name, name) {
			return &columns[i]
		}
	}
	return nil
}

// sourceOf returns the translated source, and the scope that contains it, or nil if it is not visible from s.
func (s *scope) sourceOf(of *sqlparts.Source) (*scope, *source) {
	for at := s; at != nil && of != nil; at = at.parent {
		for _, src := range at.sources {
			if src.of == of {
				return at, src
			}
		}
	}
	return nil, nil
}

// columnRef returns the translation of a column name: a column of a source, a field of one, an element of an array,
// or an alias of the select list.
func (c *transpiler) columnRef(s *scope, e *sqlparts.Column) expr {
	if x, ok := c.own[e]; ok {
		return c.read(s, x)
	}
	ms, doubt := c.bound.Means(e)
	m, other := c.decide(e, ms, doubt)
	if other != nil {
		at, src := s.sourceOf(other.Source)
		switch o := c.columnOf(src, other, partOf(e, other)); {
		case o == nil:
		case at.inside && at.keys == nil && aggregated(m.Item): // an aggregate within an aggregate: the name is the column
			m = other
		case !c.hides(at, m.Item, other, o):
			if c.open = true; c.variant == 1 {
				m = other
			}
		}
	}
	if m != nil {
		if x, ok := c.meant(s, e, m); ok {
			return x
		}
	}
	if c.learn {
		return expr{sql: "NULL", kind: Null}
	}
	refuse("the column %s, which no table of the schema has", e.Name.Last().Text)
	return expr{}
}

// decide returns the meaning m of a name among ms, or nil if the dialect has none of them. If it is uncertain which
// of two meanings the dialect chooses, other is the second one.
func (c *transpiler) decide(e *sqlparts.Column, ms []sqlparts.Meaning,
	doubt sqlparts.Certainty) (m, other *sqlparts.Meaning) {
	if len(ms) == 0 {
		return nil, nil
	}
	m = &ms[0]
	if doubt == sqlparts.Ambiguous && !c.learn {
		refuse("the name %s, which means several columns", e.Name.Last().Text)
	}
	if doubt != sqlparts.Unsure {
		return m, nil
	}
	if !c.learn && (len(ms) == 1 && m.Kind == sqlparts.SelectAlias || !m.Known && (m.Column != nil || m.Index >= 0)) {
		return nil, nil // an alias that the dialect does not allow there, or a column in another letter case
	}
	for i := range ms {
		o := &ms[i]
		switch {
		case m.Kind == sqlparts.SelectAlias && o.Kind != m.Kind && o.Known && o.Outer == m.Outer:
			return m, o
		case m.Known || !o.Known || o.Outer != m.Outer:
		case o.Kind == sqlparts.SelectAlias && c.readsName(o.Item, e.Name[0]): // an alias of an expression with the column
		case o.Kind == sqlparts.SelectAlias, o.Kind == sqlparts.QuotedText:
			// preferred to a column that no table is known to have
			return o, nil
		}
	}
	return m, nil
}

// readsName reports whether an element of a select list reads a column named id.
func (c *transpiler) readsName(it *sqlparts.Item, id sqlparts.Ident) bool {
	found := false
	if it != nil {
		sqlparts.Walk(it.Expr, func(n sqlparts.Node) bool {
			if col, ok := n.(*sqlparts.Column); ok && strings.EqualFold(col.Name.Last().Text, id.Text) {
				ms, _ := c.bound.Means(col)
				found = found || len(ms) > 0 && ms[0].Kind != sqlparts.PartOfDate
			}
			return !found
		})
	}
	return found
}

// partOf returns the part of a qualified name that is the column name, without the fields after it.
func partOf(e *sqlparts.Column, m *sqlparts.Meaning) sqlparts.Ident {
	return e.Name[max(0, len(e.Name)-1-m.Fields)]
}

// meant returns the translation of a name with the meaning m; ok is false if m cannot be translated.
func (c *transpiler) meant(s *scope, e *sqlparts.Column, m *sqlparts.Meaning) (x expr, ok bool) {
	if m.Fields > 0 && !c.dotted() {
		return x, false
	}
	id := partOf(e, m)
	at, src := s.sourceOf(m.Source)
	switch m.Kind {
	case sqlparts.BaseColumn, sqlparts.QueryColumn:
		if len(m.Among) > 0 {
			if at, src, ok = c.oneOf(s, m.Among, id.Text); !ok {
				return expr{sql: "NULL", kind: Null}, c.learn
			}
		}
		o := c.columnOf(src, m, id)
		if o == nil {
			return x, false
		}
		x = o.expr
	case sqlparts.MergedColumn:
		for at = s; at != nil && !ok; at = at.parent {
			if x, ok = at.merged[m.Merged]; ok {
				break
			}
		}
		if !ok {
			return x, false
		}
	case sqlparts.SelectAlias:
		for at = s; at != nil; at = at.parent {
			if m.Item != nil && slices.Contains(at.items, m.Item) {
				return c.expr(at, m.Item.Expr), true
			}
		}
		return x, false
	case sqlparts.RowOfSource:
		switch {
		case src == nil:
			return x, false
		case src.element != nil:
			x = c.within(*src.element)
		case src.table == nil && src.of.Call != nil && len(src.columns) > 0:
			x = src.columns[0].expr
		default:
			return x, false
		}
	case sqlparts.Variable:
		v := c.variables[strings.ToLower(id.Text)]
		if v == nil {
			return x, false
		}
		return c.expr(&scope{}, v), true
	case sqlparts.QuotedText:
		return c.literal(&sqlparts.Literal{Kind: sqlparts.String, Text: id.Text}), true
	default:
		return x, false
	}
	if m.Fields > 0 {
		if x.nest == nil {
			return x, false
		}
		for _, f := range e.Name[len(e.Name)-m.Fields:] {
			x = c.field(x, f.Text)
		}
		return c.grouped(at, x), true
	}
	return c.read(at, x), true
}

// read records that a column is read, and returns its translation after grouping (see [transpiler.grouped]).
func (c *transpiler) read(at *scope, x expr) expr {
	c.use(x.column)
	c.seen = append(c.seen, x.near...)
	return c.grouped(at, x)
}

// columnOf returns the column of a source that a meaning refers to, or nil. While learning, an unknown column is
// added.
func (c *transpiler) columnOf(src *source, m *sqlparts.Meaning, id sqlparts.Ident) *output {
	if src == nil {
		return nil
	}
	if m.Kind == sqlparts.QueryColumn && m.Index >= 0 && m.Source == src.of &&
		c.bound.Reads(src.of).Kind < sqlparts.ReadsWrite {
		if made, whole := c.bound.Output(src.of); whole && len(made) == len(src.columns) {
			return &src.columns[m.Index]
		}
	}
	if o := src.find(id.Text); o != nil || !c.learn {
		return o
	}
	return c.learnColumn(src, id.Text)
}

// oneOf returns the one of several sources that has a column with this name. While learning, if none is known to have
// it, it returns the only one that may, or after some passes the first or the last (lastOfAll). Otherwise ok is
// false.
func (c *transpiler) oneOf(s *scope, among []*sqlparts.Source, name string) (at *scope, src *source, ok bool) {
	var open []*sqlparts.Source
	for _, of := range among {
		at, src = s.sourceOf(of)
		if src == nil {
			continue
		}
		if src.find(name) != nil {
			return at, src, true
		}
		if src.open() != nil {
			open = append(open, of)
		}
	}
	if !c.learn || len(open) == 0 || len(open) > 1 && !c.settle {
		return nil, nil, false
	}
	c.schema.unsure = c.schema.unsure || len(open) > 1
	one := open[0]
	if c.lastOfAll {
		one = open[len(open)-1]
	}
	at, src = s.sourceOf(one)
	return at, src, true
}

// using returns the join conditions of USING or NATURAL, and records the merged columns.
func (c *transpiler) using(s *scope, src *sqlparts.Source) []string {
	merged, whole := c.bound.Merged(src)
	if !whole {
		merged = c.natural(s, src)
	}
	var on []string
	for _, m := range merged {
		l, okL := c.side(s, &m.Left, m)
		r, okR := c.side(s, &m.Right, m)
		if !okL || !okR || m.Doubt == sqlparts.Ambiguous {
			if c.learn {
				continue
			}
			refuse("a join USING a column that a side does not have, or has twice")
		}
		on = append(on, c.compare("=", l, r).sql)
		if s.merged == nil {
			s.merged = map[*sqlparts.MergedSource]expr{}
		}
		switch m.Join {
		case sqlparts.RightJoin:
			l = r
		case sqlparts.FullJoin:
			args, both := c.alignKinds([]expr{l, r})
			both.sql = "coalesce(" + args[0].sql + ", " + args[1].sql + ")"
			l = both
		}
		s.merged[m] = l
	}
	return on
}

// natural returns the merged columns of a natural join of tables whose columns are not all known. A column that is
// known only on one side may also exist on the other: the first inferred schema assumes that all such columns do, the
// second one (lastOfAll) that none does.
func (c *transpiler) natural(s *scope, src *sqlparts.Source) []*sqlparts.MergedSource {
	merged, _ := c.bound.Merged(src)
	n := len(s.sources) - 1
	one, others := s.sources[n], s.sources[:n]
	known, whole := c.bound.Output(src)
	if !whole && n == 1 {
		one, others = s.sources[0], s.sources[1:]
		known, whole = c.bound.Output(one.of)
	}
	if !whole || !c.schema.Inferred || src.Nested != nil {
		refuse("a natural join of tables whose columns are not known")
	}
	if c.schema.unsure = true; c.lastOfAll {
		return merged
	}
	merged = slices.Clone(merged)
	among := make([]*sqlparts.Source, len(others))
	for i, o := range others {
		among[i] = o.of
	}
	for i, o := range known {
		if slices.ContainsFunc(merged,
			func(m *sqlparts.MergedSource) bool { return strings.EqualFold(m.Name.Text, o.Name.Text) }) {
			continue
		}
		left, right := sqlparts.Meaning{Kind: sqlparts.QueryColumn, Source: one.of, Index: i},
			sqlparts.Meaning{Kind: sqlparts.QueryColumn, Index: -1, Among: among}
		if one.of == src {
			left, right = right, left
		}
		merged = append(merged, &sqlparts.MergedSource{Name: o.Name, Join: src.Join, Left: left, Right: right})
	}
	return merged
}

// side returns the column on one side of a merged column of USING. In the expansion of a star, the merged column m
// takes its place.
func (c *transpiler) side(s *scope, side *sqlparts.Meaning, m *sqlparts.MergedSource) (x expr, ok bool) {
	if side.Merged != nil {
		x, ok = s.merged[side.Merged]
		for _, src := range s.sources {
			for i := range src.columns {
				if src.columns[i].merged == side.Merged {
					src.columns[i].merged = m
				}
			}
		}
		return x, ok
	}
	_, src := s.sourceOf(side.Source)
	if len(side.Among) > 0 {
		among := side.Among
		for _, of := range side.Among { // prefer the table whose key it is by its name
			if _, src := s.sourceOf(of); c.learn && src != nil && src.table != nil &&
				keyName(src.table.Name, strings.ToLower(m.Name.Text)) {
				among = []*sqlparts.Source{of}
			}
		}
		if _, src, ok = c.oneOf(s, among, m.Name.Text); !ok {
			return x, false
		}
	}
	o := c.columnOf(src, side, m.Name)
	if o == nil {
		return x, false
	}
	c.use(o.column)
	o.merged, o.right = m, side == &m.Right
	return o.expr, true
}

// base returns the table that a source reads.
func (c *transpiler) base(src *sqlparts.Source) *Table {
	if c.tables++; c.tables > maxTables {
		refuse("more than %d tables in FROM", maxTables)
	}
	b := c.bound.Reads(src).Table
	name := c.dialect.Path(src.Table)
	if other := b.Apart(); other != nil {
		if def, _ := b.Listed(); def == nil && !c.schema.Inferred ||
			c.schema.Inferred && c.mayBe(b.Root().Name, other.Root().Name) {
			refuse("%s and %s: of which schema the table is, is not known", nameOf(name), nameOf(other.Name))
		}
	}
	if _, several := b.Listed(); several {
		refuse("two tables of this name: %s", nameOf(name))
	}
	t := c.schema.tableOf(b)
	if t == nil && c.learn && c.schema.Inferred {
		t = &Table{Name: name.Last().Text}
		c.schema.Tables = append(c.schema.Tables, t)
		c.schema.tables[b.Root()] = t
	}
	if t == nil && slices.ContainsFunc(c.schema.views, func(v sqlparts.Name) bool { return c.mayBe(v, name) }) {
		refuse("the view %s: only tables are read", name.Last().Text)
	}
	if t == nil {
		refuse("the table %s, which the schema does not have", name.Last().Text)
	}
	for _, o := range c.schema.Tables {
		if o != t && o.read && !o.element && (meansTable(name.Last().Text, o.Name) || meansTable(o.Name, name.Last().Text)) {
			refuse("a wildcard that means several tables, and one of them: %s and %s", nameOf(name), o.Name)
		}
	}
	t.read = true
	return t
}

// tableOf returns the schema's table for a table that queries read, or nil if there is none.
func (s *Schema) tableOf(b *sqlparts.BoundTable) *Table {
	if s.Inferred {
		return s.tables[b.Root()]
	}
	def, _ := b.Listed()
	return s.stated[def]
}

func (c *transpiler) mayBe(a, b sqlparts.Name) bool {
	may, _ := c.dialect.SameTable(a, b)
	return may
}

// recurses reports whether node n, in the body of cte, reads cte.
func recurses(b *sqlparts.Bound, n sqlparts.Node, cte *sqlparts.CTE) bool {
	found := false
	sqlparts.Walk(n, func(n sqlparts.Node) bool {
		if src, ok := n.(*sqlparts.Source); ok && src.Table != nil {
			r := b.Reads(src)
			found = found || r.Kind == sqlparts.ReadsItself && r.CTE == cte
		}
		return !found
	})
	return found
}

// aggregated reports whether an element of a select list contains an aggregate.
func aggregated(it *sqlparts.Item) (found bool) {
	if it != nil {
		walkSelect(it.Expr, func(call *sqlparts.Call) { found = found || isAggregate(call) })
	}
	return found
}

// hides reports whether a name certainly refers to the alias of a select element although a column has the same name:
// with the column, the dialect would reject the query, because the column is not grouped by.
func (c *transpiler) hides(at *scope, alias *sqlparts.Item, column *sqlparts.Meaning, o *output) bool {
	switch {
	case at.keys != nil: // a name in GROUP BY itself
		return o.kind == Nested || o.kind == List || !c.groupedBy(alias.Expr, at.keys, column)
	case at.group == nil || at.inside:
		return false
	}
	return !slices.ContainsFunc(at.group.keys, func(k expr) bool { return k.sql == o.sql }) && !c.choosesRows(at, o.expr)
}

// groupedBy reports whether every column in an expression is one of the keys or the column too.
func (c *transpiler) groupedBy(e sqlparts.Expr, keys []sqlparts.Expr, too *sqlparts.Meaning) bool {
	all := true
	sqlparts.Walk(e, func(n sqlparts.Node) bool {
		if col, ok := n.(*sqlparts.Column); ok {
			ms, _ := c.bound.Means(col)
			if len(ms) == 0 || ms[0].Kind == sqlparts.PartOfDate {
				return all
			}
			one := ms[0].Source == too.Source && ms[0].Merged == too.Merged && ms[0].Column == too.Column &&
				ms[0].Index == too.Index
			all = all && (one || slices.ContainsFunc(keys, func(k sqlparts.Expr) bool {
				key, ok := k.(*sqlparts.Column)
				ks, _ := c.bound.Means(key)
				return ok && len(ks) > 0 && ks[0].Source == ms[0].Source && ks[0].Merged == ms[0].Merged &&
					strings.EqualFold(key.Name.Last().Text, col.Name.Last().Text)
			}))
		}
		return all
	})
	return all
}

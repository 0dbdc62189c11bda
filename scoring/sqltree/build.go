package sqltree

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// maxQueries is the maximum number of queries in a tree. Common table expressions that each read the previous one twice
// double their number with each step.
const maxQueries = 2000

// Text is a query of a script whose names are resolved.
type Text struct {
	*sqlparts.Bound
	Query *sqlparts.Query
}

// Build returns the trees of several queries over one database, bound together. whole is false if a tree is incomplete,
// because some common table expressions would have made it too large.
func Build(schema *Schema, texts ...Text) (trees []*Query, whole bool) {
	trees, whole = make([]*Query, len(texts)), true
	queries := make([]*sqlparts.Query, len(texts))
	for i, t := range texts {
		queries[i] = t.Query
	}
	apart := namedApart(queries)
	for i, t := range texts {
		b := builder{bound: t.Bound, schema: schema, apart: apart, dialect: t.Query.Dialect()}
		trees[i] = b.query(t.Query, nil)
		whole = whole && b.queries <= maxQueries
	}
	return trees, whole
}

type builder struct {
	bound   *sqlparts.Bound
	schema  *Schema
	apart   map[string]bool // last names that several tables have, which only qualifiers distinguish
	dialect sqlparts.Dialect
	queries int
}

// namedApart returns the last names for which the queries read several tables with different qualifiers. An unqualified
// name is compatible with any qualifiers.
func namedApart(queries []*sqlparts.Query) map[string]bool {
	whole, apart := map[string]string{}, map[string]bool{}
	for _, q := range queries {
		if q == nil {
			continue
		}
		sqlparts.Walk(q, func(n sqlparts.Node) bool {
			if s, ok := n.(*sqlparts.Source); ok && len(s.Table) > 1 {
				path := dotted(s.Table)
				last := strings.ToLower(s.Table.Last().Text)
				switch known := whole[last]; {
				case known == "" || strings.HasSuffix(path, "."+known):
					whole[last] = path
				case known != path && !strings.HasSuffix(known, "."+path):
					apart[last] = true
				}
			}
			return true
		})
	}
	return apart
}

// dotted returns a name in lower case with its parts separated by dots.
func dotted(n sqlparts.Name) string {
	parts := make([]string, len(n))
	for i, id := range n {
		parts[i] = strings.ToLower(id.Text)
	}
	return strings.Join(parts, ".")
}

// scope resolves names at a place in a query.
type scope struct {
	outer   *scope
	ctes    []*sqlparts.CTE
	sources []*Source
	items   map[*sqlparts.Item]*Expr // expressions of the select list, as far as it was built
	output  []*Expr                  // the columns, if the query is not a SELECT
	windows []*sqlparts.WindowDef
	selects bool // belongs to a SELECT: columns of the outer scope are one query further out
}

// query builds the tree of a query. Names that it does not define are resolved in the scope outer.
func (b *builder) query(q *sqlparts.Query, outer *scope) *Query {
	if b.queries++; b.queries > maxQueries || q == nil {
		return &Query{Items: []*Expr{{Op: opRaw, Text: "unread"}}}
	}
	if len(q.With) > 0 {
		outer = &scope{outer: outer, ctes: q.With}
	}
	var out *Query
	inner := outer
	switch body := q.Body.(type) {
	case *sqlparts.Query:
		out = b.query(body, outer)
		// a parenthesized query with its own clauses
		if len(out.Order) > 0 && (len(q.OrderBy) > 0 || q.Limit != nil) || out.Limit != nil || out.Offset != nil {
			out = &Query{Items: []*Expr{{Op: opStar}}, From: []*Source{{Join: "inner", Query: out, id: "$1"}}, names: out.names}
		}
	case *sqlparts.SetOp:
		out = b.setOp(body, outer)
		inner = &scope{outer: outer, output: outputOf(out)}
	case *sqlparts.Select:
		out, inner = b.selectOf(body, outer)
	case *sqlparts.Values:
		out = &Query{values: true}
		inner = &scope{outer: outer, selects: true}
		for _, row := range body.Rows {
			out.Items = append(out.Items, op("row", b.exprs(row, inner)...))
		}
	default:
		out = &Query{Items: []*Expr{{Op: opRaw}}}
	}
	if inner == nil {
		inner = &scope{}
	}
	if inner.items == nil && inner.output == nil {
		inner = &scope{outer: inner, output: outputOf(out)}
	}
	for _, o := range q.OrderBy {
		out.Order = append(out.Order, b.key(o, inner, out.Items))
	}
	if l := q.Limit; l != nil {
		out.Limit = b.optional(l.Count, inner)
		if l.Percent || l.WithTies {
			out.Limit = op("limit", out.Limit)
			out.Limit.Text = strings.TrimSpace(
				map[bool]string{true: "percent"}[l.Percent] + map[bool]string{true: " with ties"}[l.WithTies])
		}
		if out.Offset = b.optional(l.Offset, inner); out.Offset != nil && out.Offset.Op == opNumber &&
			out.Offset.Text == "0" {
			out.Offset = nil
		}
	}
	return out
}

// setOp builds a chain of set operations. A run of the same operator, except EXCEPT, is one node.
func (b *builder) setOp(body *sqlparts.SetOp, outer *scope) *Query {
	var out *Query
	for i, t := range body.Terms {
		term := b.query(t, outer)
		if i == 0 {
			out = term
			continue
		}
		o := body.Ops[i-1]
		name := map[sqlparts.SetKind]string{sqlparts.Union: "union", sqlparts.Intersect: "intersect",
			sqlparts.Except: "except"}[o.Kind]
		if o.All {
			name += " all"
		}
		if o.ByName {
			name += " by name"
		}
		if out.Set == name && o.Kind != sqlparts.Except && i > 1 {
			out.Terms = append(out.Terms, term)
			continue
		}
		out = &Query{Set: name, Terms: []*Query{out, term}, names: out.names}
	}
	return out
}

// outputOf returns the columns of a query, those of the first operand of a set operation.
func outputOf(q *Query) []*Expr {
	for q.Set != "" {
		q = q.Terms[0]
	}
	return q.Items
}

// itemsByName returns the columns of a query by their names; of several with one name, the first.
func itemsByName(q *Query) map[string]*Expr {
	for q.Set != "" {
		q = q.Terms[0]
	}
	m := map[string]*Expr{}
	for i, name := range q.names {
		if name != "" && m[name] == nil && i < len(q.Items) {
			m[name] = q.Items[i]
		}
	}
	return m
}

func (b *builder) selectOf(s *sqlparts.Select, outer *scope) (*Query, *scope) {
	out := &Query{Distinct: s.Distinct}
	sc := &scope{outer: outer, selects: true, items: map[*sqlparts.Item]*Expr{}, windows: s.Windows}
	for _, src := range s.From {
		b.source(src, sc, out)
	}
	for _, it := range s.Items {
		e := b.expr(it.Expr, sc)
		name := strings.ToLower(it.Alias.Text)
		sc.items[it] = e
		if name == "" && e.Op == opColumn {
			if c, ok := it.Expr.(*sqlparts.Column); ok {
				name = strings.ToLower(c.Name.Last().Text)
			}
		}
		out.Items, out.names = append(out.Items, e), append(out.names, name)
	}
	if s.As != "" {
		out.Extra = append(out.Extra, &Expr{Op: "as", Text: s.As})
	}
	for _, e := range s.DistinctOn {
		out.Extra = append(out.Extra, op("distinct on", b.expr(e, sc)))
	}
	out.Where = b.optional(s.Where, sc)
	if s.Group != nil {
		if s.Group.All {
			for _, it := range out.Items {
				if !aggregates(it) && it.Op != opStar {
					out.Group = append(out.Group, it.clone())
				}
			}
		}
		for _, e := range s.Group.Items {
			out.Group = append(out.Group, b.groupItem(e, sc, out.Items))
		}
		if s.Group.Distinct {
			out.Extra = append(out.Extra, op("group by distinct"))
		}
	}
	out.Having, out.Qualify = b.optional(s.Having, sc), b.optional(s.Qualify, sc)
	for _, e := range s.Connect {
		out.Extra = append(out.Extra, op("connect", b.expr(e, sc)))
	}
	for _, e := range s.Extra {
		out.Extra = append(out.Extra, op("extra", b.expr(e, sc)))
	}
	return out, sc
}

// groupItem builds a grouping expression; a position is replaced by its item.
func (b *builder) groupItem(e sqlparts.Expr, sc *scope, items []*Expr) *Expr {
	if it := positioned(e, items); it != nil {
		return it.clone()
	}
	return b.expr(e, sc)
}

func (b *builder) key(o *sqlparts.OrderItem, sc *scope, items []*Expr) Key {
	k := Key{Desc: o.Desc,
		Nulls: [...]string{sqlparts.NullsDefault: "", sqlparts.NullsFirst: "first", sqlparts.NullsLast: "last"}[o.Nulls]}
	if it := positioned(o.Expr, items); it != nil {
		k.Expr = it.clone()
	} else {
		k.Expr = b.expr(o.Expr, sc)
	}
	return k
}

// positioned returns the item whose position e is, as a number in GROUP BY or ORDER BY; nil if e is not a valid
// position or a star precedes the item.
func positioned(e sqlparts.Expr, items []*Expr) *Expr {
	l, ok := e.(*sqlparts.Literal)
	if !ok || l.Kind != sqlparts.Number {
		return nil
	}
	n, err := strconv.Atoi(l.Text)
	if err != nil || n < 1 || n > len(items) {
		return nil
	}
	for _, it := range items[:n] {
		if it.Op == opStar {
			return nil
		}
	}
	return items[n-1]
}

var joins = map[sqlparts.JoinKind]string{
	sqlparts.FirstSource: "inner", sqlparts.CommaJoin: "inner", sqlparts.InnerJoin: "inner", sqlparts.CrossJoin: "inner",
	sqlparts.LeftJoin: "left", sqlparts.RightJoin: "right", sqlparts.FullJoin: "full", sqlparts.SemiJoin: "semi",
	sqlparts.AntiJoin: "anti",
}

// source adds one element of FROM, or those of a parenthesised join, to the query and the scope.
func (b *builder) source(src *sqlparts.Source, sc *scope, out *Query) {
	s := &Source{of: src, Join: joins[src.Join], alias: strings.ToLower(src.Alias.Text)}
	for _, m := range []struct {
		on   bool
		name string
	}{{src.Natural, "natural"}, {src.Asof, "asof"}, {src.Positional, "positional"}} {
		if m.on {
			s.Join += " " + m.name
		}
	}
	switch {
	case len(src.Nested) > 0:
		before := len(out.From)
		for _, n := range src.Nested {
			b.source(n, sc, out)
		}
		if len(out.From) > before {
			out.From[before].Join = s.Join
			s = out.From[len(out.From)-1]
		}
	case src.Query != nil:
		s.Query = b.query(src.Query, b.around(src, sc))
		b.add(s, "", sc, out)
	case len(src.Table) > 0:
		b.tableSource(src, s, sc, out)
	case src.Call != nil:
		s.Call = b.expr(src.Call, sc)
		b.add(s, "", sc, out)
	default:
		s.Call = &Expr{Op: opRaw, Text: "source"}
		if src.Raw != nil {
			s.Call.Text = src.Raw.Text
		}
		b.add(s, "", sc, out)
	}
	if len(src.Columns) > 0 && (s.Query == nil || s.Query.values) {
		s.Mods = append(s.Mods, &Expr{Op: "columns", Text: dotted(sqlparts.Name(src.Columns))})
	}
	for i, c := range src.Columns {
		if s.Query != nil && i < len(s.Query.Items) {
			if s.Query.names == nil {
				s.Query.names = make([]string, len(s.Query.Items))
			}
			s.Query.names[i] = strings.ToLower(c.Text)
		}
	}
	s.made = nil
	b.modifiers(src, s, sc)
	if src.On != nil {
		s.On = conjunction(s.On, b.expr(src.On, sc))
	}
	if src.Match != nil {
		s.Mods = append(s.Mods, op("match", b.expr(src.Match, sc)))
	}
	if merged, _ := b.bound.Merged(src); len(src.Using) > 0 {
		for _, m := range merged {
			s.On = conjunction(s.On, op("=", b.meant(&m.Left, m.Name, sc), b.meant(&m.Right, m.Name, sc)))
		}
	}
}

// around returns the scope in which a derived table is resolved: that outside the select, and the preceding sources if
// it is lateral.
func (b *builder) around(src *sqlparts.Source, sc *scope) *scope {
	if src.Lateral || b.dialect == sqlparts.DuckDB { // LATERAL is implied
		return sc
	}
	return &scope{outer: sc.outer, selects: true}
}

func (b *builder) modifiers(src *sqlparts.Source, s *Source, sc *scope) {
	if src.Only {
		s.Mods = append(s.Mods, op("only"))
	}
	if src.Version != nil {
		s.Mods = append(s.Mods, op("version", b.expr(src.Version, sc)))
	}
	if src.Sample != nil {
		s.Mods = append(s.Mods, op("sample", b.expr(src.Sample, sc)))
	}
	if len(src.Pivots) > 0 || src.Recognize != nil { // as written, without alias and join condition
		bare := *src
		bare.On, bare.Using, bare.Alias, bare.Version, bare.Sample = nil, nil, sqlparts.Ident{}, nil, nil
		s.Mods = append(s.Mods, &Expr{Op: "pivot", Text: sqlparts.Format(&bare)})
	}
}

// tableSource adds a table, or the common table expression that its name means.
func (b *builder) tableSource(src *sqlparts.Source, s *Source, sc *scope, out *Query) {
	name := strings.ToLower(src.Table.Last().Text)
	reads := b.bound.Reads(src)
	if cte := reads.CTE; cte != nil {
		if at := sc.outer.defining(cte); at != nil {
			if s.alias == "" {
				s.alias = name
			}
			switch {
			case reads.Kind == sqlparts.ReadsItself:
				s.Call = &Expr{Op: opRaw, Text: "recursion"}
			case cte.Query == nil:
				s.Call = &Expr{Op: opRaw, Text: "write"}
				if w := cte.Write; w != nil {
					s.Call.Text += " " + string(w.Kind) + " " + dotted(w.Target)
				}
			default:
				s.Query = b.query(cte.Query, &scope{outer: at, selects: true})
				for i, c := range cte.Columns {
					if i < len(s.Query.Items) {
						if s.Query.names == nil {
							s.Query.names = make([]string, len(s.Query.Items))
						}
						s.Query.names[i] = strings.ToLower(c.Text)
					}
				}
			}
			b.add(s, "", sc, out)
			return
		}
	}
	if s.alias == "" {
		s.alias = name
	}
	if len(src.Table) > 1 && b.apart[name] {
		name = dotted(src.Table)
	}
	s.Table = name
	b.add(s, name, sc, out)
}

// defining returns the scope of the WITH clause that defines a common table expression; nil for a table that an earlier
// statement creates.
func (sc *scope) defining(c *sqlparts.CTE) *scope {
	for ; sc != nil; sc = sc.outer {
		if slices.Contains(sc.ctes, c) {
			return sc
		}
	}
	return nil
}

// add assigns an id to a source and adds it to the query and the scope. The id is the table's name, with a number if
// the table occurs again; sources without a table are numbered.
func (b *builder) add(s *Source, table string, sc *scope, out *Query) {
	if s.alias == "" {
		s.alias = table
	}
	n := 1
	for _, other := range sc.sources {
		if other.Table == table {
			n++
		}
	}
	switch {
	case table == "":
		s.id = "$" + strconv.Itoa(n)
	case n == 1:
		s.id = table
	default:
		s.id = table + "#" + strconv.Itoa(n)
	}
	sc.sources = append(sc.sources, s)
	out.From = append(out.From, s)
}

// Unknown reports whether a query names a column that is in none of the tables of the stated schema from which it
// reads. It is false if no schema is stated.
func (s *Schema) Unknown(q *Query) bool {
	unknown := false
	if s.Stated {
		q.columns(func(e *Expr, _ int) {
			table, _, _ := strings.Cut(strings.TrimLeft(e.Table, "^"), "#")
			if has, known := s.has(table, e.Text); e.Op == opColumn && (table == "" || known && !has) {
				unknown = true
			}
		})
	}
	return unknown
}

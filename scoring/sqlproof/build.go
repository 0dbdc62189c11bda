package sqlproof

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqltree"
)

// maxBlocks is the maximum number of queries in a tree. Common table expressions that each read the previous one twice
// double their number with each step.
const maxBlocks = 1000

// maxCopied is the maximum number of nodes that may be copied in place of names. Queries that each use a column of the
// next one twice would double the tree with each query.
const maxCopied = 100_000

// builder converts a query to a tree. If it meets an unsupported construct, it records the reason in why and continues;
// then Same returns no proof.
type builder struct {
	rules
	sql    string
	bound  *sqlparts.Bound
	schema *sqltree.Schema
	relies map[string]bool
	used   map[*sqlparts.CTE][]*block
	ctes   []*sqlparts.CTE // in the order in which they are first used
	ids    int
	blocks int
	copied int // number of nodes copied in place of names
	marks  int // number of ? placeholders
	why    string
}

// scope resolves names at a place in a query.
type scope struct {
	outer   *scope
	ctes    []*sqlparts.CTE
	entries []*entry
	merged  map[*sqlparts.MergedSource]*expr // columns of USING
	list    *list
	windows []*sqlparts.WindowDef
}

// list is the select list of a query as far as it was built, or, in out, the output of a set operation, VALUES or a
// query in parentheses.
type list struct {
	items map[*sqlparts.Item]*expr
	late  bool // the clauses built now follow the grouping of rows
	out   *block
}

// entry is one name in FROM.
type entry struct {
	of    *sqlparts.Source
	alias string
	src   *source
	items []*expr // of a derived table; nil for a table or a function
	names []string
	value bool // the alias may mean a value, such as the elements of UNNEST

	byName map[string]*expr // the first item of each name; built on first use
	stars  []*expr
}

func (b *builder) fail(why string) {
	if b.why == "" {
		b.why = why
	}
}

func (b *builder) source() *source {
	b.ids++
	return &source{id: b.ids}
}

// query builds the tree of a query. Names that it does not define are resolved in the scope outer.
func (b *builder) query(q *sqlparts.Query, outer *scope) *block {
	if b.blocks++; b.blocks > maxBlocks || q == nil {
		b.fail("too many queries")
		return &block{}
	}
	if len(q.With) > 0 {
		outer = &scope{outer: outer, ctes: q.With}
		for _, c := range q.With {
			if c.Write != nil || c.Query == nil {
				b.fail("a common table expression that is not a query")
			}
		}
	}
	var out *block
	inner := &scope{outer: outer}
	switch body := q.Body.(type) {
	case *sqlparts.Query:
		inside := b.query(body, outer)
		if len(q.OrderBy) == 0 && q.Limit == nil {
			return inside
		}
		out = b.wrap(inside)
	case *sqlparts.SetOp:
		out = b.setOp(body, outer)
	case *sqlparts.Select:
		return b.selectOf(body, q, outer)
	case *sqlparts.Values:
		out = b.values(body, inner)
	default:
		b.fail("a body that is no SELECT")
		return &block{}
	}
	inner.list = &list{out: out}
	b.orderLimit(q, out, inner)
	return out
}

// maxValues limits the rows of VALUES that are converted to separate queries.
const maxValues = 100

// values builds VALUES. If there are few rows, the result is a UNION ALL with a SELECT for each row.
func (b *builder) values(v *sqlparts.Values, sc *scope) *block {
	out := &block{}
	few := len(v.Rows) <= maxValues && len(v.Rows[0]) > 0
	for _, row := range v.Rows {
		few = few && len(row) == len(v.Rows[0])
		out.rows = append(out.rows, b.exprs(row, sc))
	}
	for i := range len(out.rows[0]) {
		out.items, out.names = append(out.items, &expr{op: opLit, text: "values " + strconv.Itoa(i)}),
			append(out.names, valuesName(b.Dialect, i))
	}
	if !few {
		return out
	}
	for i := range out.items {
		out.items[i] = &expr{op: opLit, text: "column " + strconv.Itoa(i)}
	}
	for _, row := range out.rows {
		out.terms = append(out.terms, &block{items: row, names: out.names})
	}
	if out.rows = nil; len(out.terms) == 1 {
		return out.terms[0]
	}
	out.set = "union all"
	return out
}

// valuesName returns a dialect's name for column i of VALUES, or "" if it is unknown.
func valuesName(d sqlparts.Dialect, i int) string {
	switch d {
	case sqlparts.DuckDB:
		return "col" + strconv.Itoa(i)
	case sqlparts.Postgres, sqlparts.SQLite, sqlparts.Snowflake:
		return "column" + strconv.Itoa(i+1)
	}
	return ""
}

// orderLimit adds ORDER BY, LIMIT and OFFSET of q to its block out. sc resolves the names of the sort keys.
func (b *builder) orderLimit(q *sqlparts.Query, out *block, sc *scope) {
	for _, o := range q.OrderBy {
		out.order = append(out.order, b.sortKey(o, out, sc))
	}
	l := q.Limit
	if l == nil {
		return
	}
	plain := &scope{outer: sc.outer}
	if l.Count != nil {
		out.limit = b.expr(l.Count, plain)
	}
	if l.Offset != nil {
		if out.offset = b.expr(l.Offset, plain); out.offset.op == opNumber && out.offset.text == "0" {
			out.offset = nil
		}
	}
	if l.Percent {
		out.limitMods += " percent"
	}
	if l.WithTies {
		out.limitMods += " with ties"
	}
}

func (b *builder) sortKey(o *sqlparts.OrderItem, out *block, sc *scope) key {
	k := key{desc: o.Desc,
		nulls: [...]string{sqlparts.NullsDefault: "", sqlparts.NullsFirst: "first", sqlparts.NullsLast: "last"}[o.Nulls]}
	if k.nulls == "" {
		k.nulls = b.nulls(k.desc)
	}
	if out != nil {
		if n, ok := position(o.Expr); ok {
			if n < 1 || n > len(out.items) || slices.ContainsFunc(out.items[:n], isStar) {
				b.fail("a position in ORDER BY that is not known")
				return k
			}
			k.e = out.items[n-1].clone()
			return k
		}
	}
	k.e = b.expr(o.Expr, sc)
	return k
}

func isStar(e *expr) bool { return e.op == opStar || e.op == "stars" }

func position(e sqlparts.Expr) (int, bool) {
	l, ok := e.(*sqlparts.Literal)
	if !ok || l.Kind != sqlparts.Number {
		return 0, false
	}
	n, err := strconv.Atoi(l.Text)
	return n, err == nil
}

// setOp builds a chain of set operations.
func (b *builder) setOp(body *sqlparts.SetOp, outer *scope) *block {
	var out *block
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
			b.fail("a set operation by name")
		}
		if slices.ContainsFunc(term.items, isStar) || slices.ContainsFunc(out.items, isStar) {
			// the number of columns is unknown: the operands as a whole stand for them
			out = &block{set: name, terms: []*block{out, term}, items: []*expr{{op: "stars"}}, names: []string{""}}
			continue
		}
		next := &block{set: name, terms: []*block{out, term}, names: out.names}
		for k := range out.items {
			next.items = append(next.items, &expr{op: opLit, text: "column " + strconv.Itoa(k)})
		}
		out = next
	}
	return out
}

// wrap returns SELECT of all columns FROM the query q.
func (b *builder) wrap(q *block) *block {
	s := b.source()
	s.block = q
	out := &block{join: join{core: []*source{s}}, names: slices.Clone(q.names)}
	for i := range q.items {
		out.items = append(out.items, itemOf(s, i))
	}
	return out
}

func itemOf(s *source, i int) *expr {
	if isStar(s.block.items[i]) {
		return &expr{op: opStar, text: strconv.Itoa(i), src: s}
	}
	return &expr{op: opItem, text: strconv.Itoa(i), src: s}
}

func (b *builder) selectOf(s *sqlparts.Select, q *sqlparts.Query, outer *scope) *block {
	out := &block{distinct: s.Distinct}
	sc := &scope{outer: outer, list: &list{items: map[*sqlparts.Item]*expr{}}, windows: s.Windows}
	if s.Into != nil || s.As != "" || len(s.Connect) > 0 || len(s.Extra) > 0 {
		b.fail("a clause of SELECT without a meaning here")
	}
	plainOnly := slices.ContainsFunc(s.From,
		func(f *sqlparts.Source) bool { return f.Join == sqlparts.RightJoin || f.Join == sqlparts.FullJoin })
	for i, group := range b.commaGroups(s.From) {
		var one join
		for k, src := range group {
			b.from(src, sc, &one, i == 0 && k == 0, plainOnly)
		}
		out.core, out.left, out.where = append(out.core, one.core...), append(out.left, one.left...),
			append(out.where, one.where...)
	}
	for _, it := range s.Items {
		b.item(it, sc, out)
	}
	for _, e := range s.DistinctOn {
		out.distinctOn = append(out.distinctOn, b.expr(e, sc))
	}
	if s.Where != nil {
		out.where = append(out.where, conjuncts(b.expr(s.Where, sc))...)
	}
	sc.list.late = true
	if s.Group != nil {
		b.groupBy(s.Group, sc, out)
	}
	if s.Having != nil {
		out.having = conjuncts(b.expr(s.Having, sc))
	}
	if s.Qualify != nil {
		out.qualify = conjuncts(b.expr(s.Qualify, sc))
	}
	b.orderLimit(q, out, sc)
	return out
}

// commaGroups splits FROM at its commas, since JOIN binds tighter than the comma. It does not split in SQLite, which
// joins from left to right. It fails for outer joins after a comma in dialects whose rule is unknown.
func (b *builder) commaGroups(from []*sqlparts.Source) (groups [][]*sqlparts.Source) {
	if len(from) == 0 {
		return nil
	}
	start := 0
	for i, src := range from {
		switch {
		case src.Join == sqlparts.CommaJoin && i > start && b.Dialect != sqlparts.SQLite:
			groups, start = append(groups, from[start:i]), i
		case start > 0 && (src.Join == sqlparts.RightJoin || src.Join == sqlparts.FullJoin) &&
			(b.Dialect == sqlparts.BigQuery || b.Dialect == sqlparts.Generic):
			b.fail("an outer join behind a comma")
		}
	}
	return append(groups, from[start:])
}

// item adds an element of the select list to out.
func (b *builder) item(it *sqlparts.Item, sc *scope, out *block) {
	if star, ok := it.Expr.(*sqlparts.Star); ok {
		b.star(star, sc, out)
		return
	}
	e := b.expr(it.Expr, sc)
	sc.list.items[it] = e
	name := ""
	if it.Alias.Text != "" {
		name = b.fold(it.Alias, false)
	} else if c, ok := it.Expr.(*sqlparts.Column); ok {
		name = b.fold(c.Name.Last(), false)
	}
	out.items, out.names = append(out.items, e), append(out.names, name)
}

// star adds the expansion of a star to out: the columns that are known, else a star for all columns of each source.
func (b *builder) star(s *sqlparts.Star, sc *scope, out *block) {
	if len(s.Replace)+len(s.Rename) > 0 || s.Like != nil {
		b.fail("a star with modifiers")
	}
	entries := sc.entries
	if s.Qualifier != nil {
		c, ok := s.Qualifier.(*sqlparts.Column)
		if !ok {
			b.fail("a star of an expression")
			return
		}
		ms, doubt := b.bound.Means(c)
		var e *entry
		if len(ms) == 1 && doubt == sqlparts.Sure && ms[0].Kind == sqlparts.RowOfSource {
			e = sc.entryOf(ms[0].Source)
		}
		if e == nil {
			x := b.expr(c, sc)
			out.items, out.names = append(out.items, &expr{op: "stars", args: []*expr{x}}), append(out.names, "")
			return
		}
		entries = []*entry{e}
	} else if len(sc.merged) > 0 || len(entries) == 0 {
		b.fail("a star whose columns are merged")
	}
	except := map[string]bool{}
	for _, id := range s.Except {
		except[b.fold(id, false)] = true
	}
	for _, e := range entries {
		items, names := b.columnsOf(e)
		for i := range items {
			switch {
			case isStar(items[i]) && len(except) > 0:
				b.fail("a star with exceptions whose columns are not known")
			case except[names[i]]:
				continue
			}
			out.items, out.names = append(out.items, items[i].clone()), append(out.names, names[i])
		}
	}
}

// columnsOf returns the columns of an entry and their names. It returns a star if they are unknown.
func (b *builder) columnsOf(e *entry) (items []*expr, names []string) {
	if e.items != nil {
		return e.items, e.names
	}
	if t := b.table(e.src); t != nil {
		for _, c := range t.Columns {
			items, names = append(items, &expr{op: opColumn, text: c, src: e.src}), append(names, c)
		}
		return items, names
	}
	return []*expr{{op: opStar, src: e.src}}, []string{""}
}

// table returns the schema's definition of a base table, or nil if it has no certain one.
func (b *builder) table(s *source) *sqltree.Table {
	if s == nil || s.last == "" {
		return nil
	}
	return b.schema.Tables[s.last]
}

// stated returns the lower-case last name of a table whose columns the schema certainly defines, or "" if it does not.
func (b *builder) stated(r *sqlparts.BoundTable) string {
	if r.Def == nil {
		return ""
	}
	last := strings.ToLower(r.Def.Name.Last().Text)
	if t := b.schema.Tables[last]; t == nil || t.Doubtful || len(t.Columns) == 0 {
		return ""
	}
	return last
}

func (b *builder) groupBy(g *sqlparts.GroupBy, sc *scope, out *block) {
	out.grouped = true
	if g.Distinct {
		b.fail("GROUP BY DISTINCT")
	}
	if g.All {
		for _, it := range out.items {
			if isStar(it) || it.has(isQuery) {
				b.fail("GROUP BY ALL of a star")
			}
			if !aggregates(it, b.Dialect) {
				out.group = append(out.group, it.clone())
			}
		}
		if len(out.group) == 0 {
			out.grouped = false
		}
	}
	for _, e := range g.Items {
		if n, ok := position(e); ok {
			if n < 1 || n > len(out.items) || slices.ContainsFunc(out.items[:n], isStar) {
				b.fail("a position in GROUP BY that is not known")
				continue
			}
			out.group = append(out.group, out.items[n-1].clone())
			continue
		}
		out.group = append(out.group, b.expr(e, sc))
	}
}

var joinNames = map[sqlparts.JoinKind]string{
	sqlparts.FirstSource: "inner", sqlparts.CommaJoin: "inner", sqlparts.InnerJoin: "inner", sqlparts.CrossJoin: "inner",
	sqlparts.LeftJoin: "left", sqlparts.RightJoin: "right", sqlparts.FullJoin: "full", sqlparts.SemiJoin: "semi",
	sqlparts.AntiJoin: "anti",
}

// from builds one element of FROM and joins it to those in to. plainOnly is set if a RIGHT or FULL JOIN is in the same
// FROM.
func (b *builder) from(src *sqlparts.Source, sc *scope, to *join, first, plainOnly bool) {
	b.schema.Halt.Check()
	kind := joinNames[src.Join]
	if _, whole := b.bound.Merged(src); !whole || src.Asof || src.Positional || src.Match != nil || len(src.Pivots) > 0 ||
		src.Recognize != nil || src.Raw != nil || src.FromString {
		b.fail("a join without a meaning here")
	}
	before := len(sc.entries)
	right := b.element(src, sc, plainOnly || kind != "inner")
	var on []*expr
	if src.On != nil {
		if first {
			b.fail("a condition without a join")
		}
		on = conjuncts(b.expr(src.On, sc))
	}
	merged, _ := b.bound.Merged(src)
	for _, m := range merged {
		on = append(on, b.using(m, sc))
	}
	switch kind {
	case "inner":
		to.core, to.left = append(to.core, right.core...), append(to.left, right.left...)
		to.where = append(append(to.where, right.where...), on...)
	case "left":
		on, right.where = append(on, right.where...), nil
		to.left = append(to.left, &attach{right, on})
	case "right":
		left := *to
		on, left.where = append(on, left.where...), nil
		*to = join{core: right.core, left: append(right.left, &attach{left, on}), where: right.where}
	case "full":
		s := b.source()
		s.full = &full{l: *to, r: right, on: on}
		*to = join{core: []*source{s}}
	default: // semi, anti
		if len(src.Using) > 0 {
			b.fail("USING in a semi-join")
		}
		s := &block{join: right, items: []*expr{{op: opNumber, text: "1"}}, names: []string{""}}
		s.where = append(s.where, on...)
		sc.entries = sc.entries[:before]
		e := &expr{op: opExists, sub: s}
		if kind == "anti" {
			e = negation(e)
		}
		to.where = append(to.where, e)
	}
}

// element builds one element of FROM and adds its names to sc. plain means that an outer join may set its columns to
// NULL, so that a derived table is merged only if its items are plain columns.
func (b *builder) element(src *sqlparts.Source, sc *scope, plain bool) join {
	alias := ""
	if src.Alias.Text != "" {
		alias = b.fold(src.Alias, false)
	}
	switch {
	case len(src.Nested) > 0:
		if alias != "" || len(src.Columns) > 0 || src.Version != nil || src.Sample != nil {
			b.fail("a nested join with a name or a sample")
		}
		var out join
		inner := &scope{outer: sc.outer, ctes: sc.ctes}
		for i, n := range src.Nested {
			b.from(n, inner, &out, i == 0,
				plain || slices.ContainsFunc(src.Nested,
					func(f *sqlparts.Source) bool { return f.Join == sqlparts.RightJoin || f.Join == sqlparts.FullJoin }))
		}
		if len(inner.merged) > 0 {
			b.fail("USING in a nested join")
		}
		sc.entries = append(sc.entries, inner.entries...)
		return out
	case src.Query != nil:
		if src.Version != nil || src.Sample != nil || src.Only || src.Offset.Text != "" {
			b.fail("a sample of a derived table")
		}
		around := &scope{outer: sc.outer}
		if src.Lateral || b.Dialect == sqlparts.DuckDB { // LATERAL is implied
			around = sc
		}
		return b.derived(b.query(src.Query, around), src, alias, sc, plain)
	case len(src.Table) > 0:
		reads := b.bound.Reads(src)
		if reads.Doubt != sqlparts.Sure {
			b.fail("a source that may be another")
		}
		if reads.CTE != nil {
			cte, at := reads.CTE, sc.outer.defining(reads.CTE)
			if b.unlike(reads, src) {
				b.fail("a common table expression that reads itself")
			} else {
				name := b.fold(src.Table[0], true)
				if src.Version != nil || src.Sample != nil {
					b.fail("a sample of a common table expression")
				}
				q := b.query(cte.Query, at)
				if b.used[cte] == nil {
					b.ctes = append(b.ctes, cte)
				}
				b.used[cte] = append(b.used[cte], q)
				for i, c := range cte.Columns {
					if i < len(q.names) {
						if i == 0 {
							q.names = slices.Clone(q.names)
						}
						q.names[i] = b.fold(c, false)
					}
				}
				if alias == "" {
					alias = strings.ToLower(name)
				}
				return b.derived(q, src, alias, sc, plain)
			}
		}
		s := b.source()
		path := b.path(src.Table)
		if reads.Array != nil { // FROM t, t.items: an UNNEST without the word
			s.call = &expr{op: "elements", args: []*expr{b.meant(reads.Array, &sqlparts.Column{Name: src.Table}, sc)}}
			sc.entries = append(sc.entries, &entry{of: src, alias: alias, src: s, value: true})
			if alias == "" || len(src.Columns) > 0 || src.Offset.Text != "" || src.Version != nil || src.Sample != nil {
				b.fail("an array in FROM that is more than its elements")
			}
			return join{core: []*source{s}}
		}
		if reads.Table == nil {
			b.fail("a source that was not read")
			return join{core: []*source{s}}
		}
		root := reads.Table.Root()
		s.table, s.last = dotted(b.path(root.Name)), b.stated(reads.Table)
		if src.Only {
			b.fail("a table without those that inherit from it")
		}
		if root != reads.Table {
			b.relies[dotted(path)+" is "+s.table] = true
		}
		e := &entry{of: src, alias: alias, src: s}
		for _, x := range []struct {
			name string
			e    sqlparts.Expr
		}{{"version", src.Version}, {"sample", src.Sample}} {
			if x.e != nil {
				s.table += " " + x.name + " " + sqlparts.Format(x.e)
				if !constantText(x.e) {
					b.fail("a version or sample that is not constant")
				}
			}
		}
		if src.Offset.Text != "" {
			b.fail("an offset of a table")
		}
		if len(src.Columns) > 0 {
			t := b.table(s)
			if t == nil || len(t.Columns) < len(src.Columns) {
				b.fail("columns of a table renamed")
			} else {
				for i, c := range t.Columns {
					name := c
					if i < len(src.Columns) {
						name = b.fold(src.Columns[i], false)
					}
					e.items, e.names = append(e.items, &expr{op: opColumn, text: c, src: s}), append(e.names, name)
				}
			}
		}
		sc.entries = append(sc.entries, e)
		return join{core: []*source{s}}
	case src.Call != nil:
		s := b.source()
		s.call = b.expr(src.Call, sc)
		e := &entry{of: src, alias: alias, src: s, value: true}
		for i, c := range src.Columns {
			e.items, e.names = append(e.items, &expr{op: opColumn, text: "#" + strconv.Itoa(i), src: s}),
				append(e.names, b.fold(c, false))
		}
		if src.Offset.Text != "" {
			e.items, e.names = append(e.items, &expr{op: "offset", src: s}), append(e.names, b.fold(src.Offset, false))
			if alias != "" && len(src.Columns) == 0 {
				e.items, e.names = append(e.items, &expr{op: opRow, src: s}), append(e.names, alias)
			}
		}
		if src.Version != nil || src.Sample != nil {
			b.fail("a sample of a function")
		}
		sc.entries = append(sc.entries, e)
		return join{core: []*source{s}}
	}
	b.fail("a source that was not read")
	return join{core: []*source{b.source()}}
}

func constantText(e sqlparts.Expr) bool {
	constant := true
	sqlparts.Walk(e, func(n sqlparts.Node) bool {
		switch n.(type) {
		case *sqlparts.Raw, *sqlparts.Query, *sqlparts.Param:
			constant = false
		}
		return constant
	})
	return constant
}

// path returns the case-folded parts of a table's name.
func (b *builder) path(n sqlparts.Name) []string {
	var out []string
	for _, id := range n {
		if b.Dialect == sqlparts.BigQuery && id.Quoted {
			out = append(out, strings.Split(id.Text, ".")...)
			continue
		}
		out = append(out, b.fold(id, true))
	}
	return out
}

// dotted joins the parts of a name with dots. A dot inside a part is written as "." in quotes, so that different names
// give different strings.
func dotted(path []string) string {
	if slices.ContainsFunc(path, func(part string) bool { return strings.Contains(part, ".") }) {
		path = slices.Clone(path)
		for i, part := range path {
			path[i] = strings.ReplaceAll(part, ".", `"."`)
		}
	}
	return strings.Join(path, ".")
}

// derived adds the derived table q to sc and returns its join. If possible, that is the join of q itself, merged into
// the outer query; otherwise q is a separate source.
func (b *builder) derived(q *block, src *sqlparts.Source, alias string, sc *scope, plain bool) join {
	columns := src.Columns
	names := slices.Clone(q.names)
	for i, c := range columns {
		if i < len(names) {
			names[i] = b.fold(c, false)
		}
	}
	if len(columns) > 0 && slices.ContainsFunc(q.items, isStar) {
		b.fail("columns of a star renamed")
	}
	e := &entry{of: src, alias: alias, names: names}
	if q.spliceable(b.Dialect) &&
		(!plain || !slices.ContainsFunc(q.items,
			func(e *expr) bool { return e.op != opColumn && e.op != opItem && e.op != opStar && e.op != opUnder })) {
		e.items = q.items
		if len(e.items) == 0 {
			e.items = []*expr{}
		}
		sc.entries = append(sc.entries, e)
		return q.join
	}
	s := b.source()
	s.block = q
	e.src, e.items = s, make([]*expr, len(q.items))
	for i := range q.items {
		e.items[i] = itemOf(s, i)
	}
	sc.entries = append(sc.entries, e)
	return join{core: []*source{s}}
}

// spliceable reports whether a query consists only of sources, conditions and row-wise expressions, so that it can
// be merged into the outer query.
func (q *block) spliceable(d sqlparts.Dialect) bool {
	if q.set != "" || q.rows != nil || q.distinct || len(q.distinctOn) > 0 || q.grouped || len(q.having) > 0 ||
		len(q.order) > 0 || q.limit != nil || q.offset != nil || q.windowed() || len(q.core) == 0 {
		return false
	}
	return !slices.ContainsFunc(q.items, func(e *expr) bool { return !rowWise(e, d) })
}

// defining returns the scope of the WITH clause that defines a common table expression, or nil if it is not visible.
func (sc *scope) defining(c *sqlparts.CTE) *scope {
	for ; sc != nil; sc = sc.outer {
		if slices.Contains(sc.ctes, c) {
			return sc
		}
	}
	return nil
}

// unlike reports whether a common table expression is unsupported: it is or may be recursive, or is not a query.
func (b *builder) unlike(r sqlparts.Reading, src *sqlparts.Source) bool {
	return r.Kind != sqlparts.ReadsQuery || r.CTE.Query == nil ||
		b.Dialect == sqlparts.Generic && readsName(r.CTE.Query, b.fold(src.Table[0], false), b)
}

// readsName reports whether a query reads a table of that name anywhere.
func readsName(q *sqlparts.Query, name string, b *builder) bool {
	found := false
	if q == nil {
		return false
	}
	sqlparts.Walk(q, func(n sqlparts.Node) bool {
		if s, ok := n.(*sqlparts.Source); ok && len(s.Table) == 1 && b.fold(s.Table[0], false) == name {
			found = true
		}
		return !found
	})
	return found
}

package sqlparts

import (
	"sort"
	"strings"
)

// Tables are the full names of the base tables the query reads anywhere, as first written, in the
// order of the text. Tables of common table expressions that are never read count too. Names are
// the same if they are equal in any case.
func Tables(q *Query) []Name {
	if q == nil {
		return nil
	}
	var found []*Source
	r := resolver{dialect: q.dialect, all: true, table: func(s *Source) { found = append(found, s) }}
	r.run(q)
	sort.SliceStable(found, func(i, j int) bool { return found[i].Start < found[j].Start })
	var out []Name
	seen := map[string]bool{}
	for _, s := range found {
		var key strings.Builder
		for _, id := range s.Table {
			key.WriteString(strings.ToLower(id.Text))
			key.WriteByte(0)
		}
		if !seen[key.String()] {
			seen[key.String()] = true
			out = append(out, s.Table)
		}
	}
	return out
}

// baseTables are the last names of the base tables a query reads, common table expressions only if
// they are reached.
func baseTables(q *Query) []string {
	var names []string
	r := resolver{dialect: q.dialect, table: func(s *Source) {
		names = append(names, strings.ToLower(s.Table.Last().Text))
	}}
	r.run(q)
	return set(names)
}

// cteList is the common table expressions of one WITH clause.
type cteList struct {
	ctes  []*CTE
	index map[string]int // the last of each name, made when there are many
	prev  []int          // the one before of the same name, -1 if none
}

// manyCTEs is the number from which on names are looked up in a map.
const manyCTEs = 16

// find is the index of the last one of the first n that has the name, -1 if none.
func (l *cteList) find(name string, n int) int {
	if len(l.ctes) <= manyCTEs {
		for i := n - 1; i >= 0; i-- {
			if c := l.ctes[i].Name.Text; len(c) == len(name) && strings.EqualFold(c, name) {
				return i
			}
		}
		return -1
	}
	if l.index == nil {
		l.index, l.prev = make(map[string]int, len(l.ctes)), make([]int, len(l.ctes))
		for i, c := range l.ctes {
			key := strings.ToLower(c.Name.Text)
			l.prev[i] = -1
			if p, ok := l.index[key]; ok {
				l.prev[i] = p
			}
			l.index[key] = i
		}
	}
	i, ok := l.index[strings.ToLower(name)]
	if !ok {
		return -1
	}
	for i >= n {
		i = l.prev[i]
	}
	return i
}

// scope is what names of tables mean at a place in a query: the first n common table expressions of
// a WITH clause, or the sources of a select, and whatever the scope around it says.
type scope struct {
	ctes      *cteList
	n         int
	recursive bool
	sources   []sourceInfo
	asked     map[string]bool // columns without qualifier that were looked for: whether a source may have them
	view      *view           // what the sources offer to such columns
	outer     *scope
}

// sourceInfo is a source and what it turned out to be.
type sourceInfo struct {
	*Source
	base  bool
	query *Query // of a derived table or common table expression
	cte   *CTE
}

// cte is the common table expression a name means, and the scope and index it is defined by.
func (s *scope) cte(name string) (*CTE, *scope, int) {
	for ; s != nil; s = s.outer {
		if s.ctes != nil {
			if i := s.ctes.find(name, s.n); i >= 0 {
				return s.ctes.ctes[i], s, i
			}
		}
	}
	return nil, nil, 0
}

// maxSources is how many sources of a scope are looked at for the owner of a name.
const maxSources = 256

// array tells whether a dotted name in FROM is an array of a source in view: FROM t, t.items.
func (s *scope) array(n Name) bool {
	for ; s != nil; s = s.outer {
		for i := len(s.sources) - 1; i >= max(0, len(s.sources)-maxSources); i-- {
			if s.sources[i].named(n[0].Text) {
				return true
			}
		}
	}
	return false
}

// named tells whether a source goes by the name: its alias or, without one, its table's last name.
func (s *Source) named(name string) bool {
	if s.Alias.Text != "" {
		return strings.EqualFold(s.Alias.Text, name)
	}
	return len(s.Table) > 0 && strings.EqualFold(s.Table.Last().Text, name)
}

// resolver goes through a query and finds out what its names mean.
type resolver struct {
	dialect Dialect
	all     bool          // read every common table expression, not only those that are reached
	table   func(*Source) // called for every base table
	columns *columnReader // nil: columns are of no interest

	reached map[*CTE]bool
	queue   []pendingCTE
}

// pendingCTE is a reached common table expression that is still to be read, and the scope of its
// body.
type pendingCTE struct {
	query *Query
	scope *scope
}

// run goes through the query and, one after the other, the common table expressions it reaches.
func (r *resolver) run(q *Query) {
	r.query(q, nil)
	for len(r.queue) > 0 {
		c := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.query(c.query, c.scope)
	}
}

// query goes through a query and returns the scope of its select, nil if it is no single select.
func (r *resolver) query(q *Query, outer *scope) *scope {
	if q == nil {
		return nil
	}
	sc := outer
	if len(q.created) > 0 && outer == nil { // their own queries see them by the scope they are read in
		sc = r.with(q.created, false, sc)
	}
	if len(q.With) > 0 {
		sc = r.with(q.With, q.Recursive, sc)
	}
	var in *scope
	switch b := q.Body.(type) {
	case *Query:
		in = r.query(b, sc)
	case *Select:
		in = r.sel(b, sc)
	case *SetOp:
		for _, t := range b.Terms {
			r.query(t, sc)
		}
	case *Values:
		for _, row := range b.Rows {
			for _, e := range row {
				r.expr(e, sc, nil)
			}
		}
	}
	at := in
	if at == nil {
		at = sc
	}
	for _, o := range q.OrderBy {
		if _, isSet := q.Body.(*SetOp); isSet && r.columns != nil {
			continue // names of output columns
		}
		r.expr(o.Expr, at, firstSelect(q))
	}
	if r.columns != nil {
		r.columns.finish(q, in)
	}
	return in
}

// with makes the scope of a WITH clause.
func (r *resolver) with(ctes []*CTE, recursive bool, outer *scope) *scope {
	sc := &scope{ctes: &cteList{ctes: ctes}, n: len(ctes), recursive: recursive, outer: outer}
	for i, c := range ctes {
		if c.Write != nil { // always run, and what it returns is the target's
			if len(c.Write.Target) > 0 {
				r.table(&Source{Span: c.Write.Span, Table: c.Write.Target})
			}
			r.query(c.Write.Query, sc)
		}
		if r.all {
			r.query(c.Query, r.inside(sc, i, recursive))
		}
	}
	return sc
}

// inside is the scope of the body of the i-th common table expression: it sees those before it, all
// of them if the clause is recursive, and itself where recursion needs no word.
func (r *resolver) inside(sc *scope, i int, recursive bool) *scope {
	n := i
	if recursive {
		n = len(sc.ctes.ctes)
	} else if r.dialect == TSQL || r.dialect == Snowflake {
		if q := sc.ctes.ctes[i].Query; q != nil {
			if _, ok := q.Body.(*SetOp); ok {
				n++
			}
		}
	}
	return &scope{ctes: sc.ctes, n: n, outer: sc.outer, recursive: recursive}
}

// reach makes sure that a common table expression is read.
func (r *resolver) reach(c *CTE, sc *scope, i int) {
	if r.all || r.reached[c] {
		return
	}
	if r.reached == nil {
		r.reached = map[*CTE]bool{}
	}
	r.reached[c] = true
	if c.Query != nil {
		r.queue = append(r.queue, pendingCTE{c.Query, r.inside(sc, i, sc.recursive)})
	}
}

// sel goes through a select and returns its scope.
func (r *resolver) sel(s *Select, outer *scope) *scope {
	sc := &scope{outer: outer}
	for _, src := range s.From {
		r.source(src, sc)
	}
	for _, src := range s.From {
		r.sourceExprs(src, sc)
	}
	for _, e := range s.DistinctOn {
		r.expr(e, sc, nil)
	}
	for _, it := range s.Items {
		if r.columns != nil {
			r.columns.lateral = s
			if star, ok := it.Expr.(*Star); ok {
				r.columns.star(star, sc)
			}
		}
		r.expr(it.Expr, sc, nil)
	}
	if r.columns != nil {
		r.columns.lateral = nil
	}
	r.expr(s.Where, sc, nil)
	if s.Group != nil {
		for _, e := range s.Group.Items {
			r.expr(e, sc, s)
		}
	}
	r.expr(s.Having, sc, s)
	r.expr(s.Qualify, sc, s)
	for _, d := range s.Windows {
		r.window(d.Window, sc)
	}
	for _, e := range s.Connect {
		r.expr(e, sc, nil)
	}
	for _, e := range s.Extra {
		r.expr(e, sc, s)
	}
	return sc
}

// source finds out what a source is and adds it to the scope of its select.
func (r *resolver) source(src *Source, sc *scope) {
	info := sourceInfo{Source: src}
	switch {
	case src.Table != nil:
		if c, at, i := r.cteOf(src, sc); c != nil {
			info.cte, info.query = c, c.Query
			r.reach(c, at, i)
		} else if len(src.Table) == 1 || !r.arrays() || !sc.array(src.Table) {
			info.base = true
			r.table(src)
		} else if r.columns != nil {
			r.columns.column(&Column{Span: src.Span, Name: src.Table}, sc, nil)
		}
	case src.Query != nil:
		info.query = src.Query
		r.query(src.Query, sc)
	}
	for _, n := range src.Nested {
		r.source(n, sc)
	}
	if src.Nested == nil {
		sc.sources = append(sc.sources, info)
	}
}

// cteOf is the common table expression a source reads, nil if none.
func (r *resolver) cteOf(src *Source, sc *scope) (*CTE, *scope, int) {
	if len(src.Table) != 1 || src.FromString {
		return nil, nil, 0
	}
	return sc.cte(src.Table[0].Text)
}

// arrays tells whether FROM t, t.items reads an array in the dialect.
func (r *resolver) arrays() bool {
	return r.dialect == BigQuery || r.dialect == Redshift || r.dialect == Generic
}

// sourceExprs goes through the expressions of a source.
func (r *resolver) sourceExprs(src *Source, sc *scope) {
	if src.Call != nil {
		r.expr(src.Call, sc, nil)
	}
	for _, n := range src.Nested {
		r.sourceExprs(n, sc)
	}
	r.expr(src.Match, sc, nil)
	r.expr(src.On, sc, nil)
	for _, p := range src.Pivots {
		for _, it := range p.Values {
			r.expr(it.Expr, sc, nil)
		}
		for _, e := range p.For {
			r.expr(e, sc, nil)
		}
		for _, it := range p.In {
			if _, isColumn := it.Expr.(*Column); !isColumn || p.Unpivot {
				r.expr(it.Expr, sc, nil)
			}
		}
	}
	if m := src.Recognize; m != nil {
		for _, e := range m.Partition {
			r.expr(e, sc, nil)
		}
		for _, o := range m.OrderBy {
			r.expr(o.Expr, sc, nil)
		}
	}
	if r.columns != nil {
		r.columns.using(src, sc)
	}
}

func (r *resolver) window(w *Window, sc *scope) {
	if w == nil {
		return
	}
	for _, e := range w.Partition {
		r.expr(e, sc, nil)
	}
	for _, o := range w.OrderBy {
		r.expr(o.Expr, sc, nil)
	}
}

// expr goes through an expression: its subqueries and, if they are of interest, its columns. If s
// is set, names may be aliases of its items.
func (r *resolver) expr(e Expr, sc *scope, s *Select) {
	if e == nil {
		return
	}
	if r.columns != nil {
		r.columns.expr(e, sc, s)
		return
	}
	Walk(e, func(n Node) bool {
		if q, ok := n.(*Query); ok {
			r.query(q, sc)
			return false
		}
		return true
	})
}

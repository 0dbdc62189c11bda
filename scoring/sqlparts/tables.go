package sqlparts

import (
	"sort"
	"strings"
)

// Tables returns the full names of the base tables that the query reads anywhere, in the order of the text. Names that
// differ only in case are returned once, as first written. Tables that only unused common table expressions read are
// included.
func Tables(q *Query) []Name {
	if q == nil {
		return nil
	}
	var found []*Source
	r := tableReader{dialect: q.dialect, all: true, table: func(s *Source) { found = append(found, s) }}
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

// baseTables returns the last names of the base tables that a query reads, in lower case and sorted. It ignores common
// table expressions that are never read.
func baseTables(q *Query) []string {
	var names []string
	r := tableReader{dialect: q.dialect, table: func(s *Source) {
		names = append(names, strings.ToLower(s.Table.Last().Text))
	}}
	r.run(q)
	return set(names)
}

// cteList holds the common table expressions of one WITH clause.
type cteList struct {
	ctes  []*CTE
	index map[string]int // index of the last one with each name; built only for long lists
	prev  []int          // index of the previous one with the same name; -1 if none
}

// manyCTEs is the number of common table expressions above which a map is used to find them.
const manyCTEs = 16

// find returns the index of the last of the first n elements that has the name, or -1 if none has.
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

// maxSources is the maximum number of sources of a frame that are searched for the first part of a dotted name in FROM.
const maxSources = 256

// array reports whether a dotted name in FROM is an array of a source in scope, as in FROM t, t.items.
func (f *frame) array(d Dialect, n Name) bool {
	for ; f != nil; f = f.outer {
		for i := len(f.sources) - 1; i >= max(0, len(f.sources)-maxSources); i-- {
			if f.sources[i].named(d, n[0]) != different {
				return true
			}
		}
	}
	return false
}

// tableReader finds the base tables of a query by the rules of [Bind], without resolving columns, which costs far less.
type tableReader struct {
	dialect Dialect
	all     bool          // read every common table expression, not only those that the query uses
	table   func(*Source) // called for every base table

	reached map[*CTE]bool
	queue   []pendingCTE
}

// pendingCTE is a used common table expression that must still be read, and the frame of its body.
type pendingCTE struct {
	query *Query
	frame *frame
}

// run reads the query and then, one after another, the common table expressions that it uses.
func (r *tableReader) run(q *Query) {
	var outer *frame
	if len(q.created) > 0 {
		outer = r.with(q.created, nil, nil)
	}
	r.query(q, outer)
	for len(r.queue) > 0 {
		c := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.query(c.query, c.frame)
	}
}

func (r *tableReader) query(q *Query, outer *frame) {
	if q == nil {
		return
	}
	if len(q.With) > 0 {
		outer = r.with(q.With, q, outer)
	}
	at := outer
	switch b := q.Body.(type) {
	case *Query:
		r.query(b, outer)
	case *Select:
		at = r.sel(b, outer)
	case *SetOp:
		for _, t := range b.Terms {
			r.query(t, outer)
		}
	case *Values:
		for _, row := range b.Rows {
			for _, e := range row {
				r.node(e, outer)
			}
		}
	}
	for _, o := range q.OrderBy {
		r.node(o.Expr, at)
	}
}

// with returns the frame of a WITH clause, and reads its data-modifying statements. owner is nil for tables that
// earlier statements created.
func (r *tableReader) with(ctes []*CTE, owner *Query, outer *frame) *frame {
	f := &frame{outer: outer, ctes: &cteList{ctes: ctes}, n: len(ctes), skip: -1, owner: owner}
	for i, c := range ctes {
		if c.Write != nil { // always run; its rows are those of the target table
			if len(c.Write.Target) > 0 {
				r.table(&Source{Span: c.Write.Span, Table: c.Write.Target})
			}
			r.query(c.Write.Query, f)
		}
		if r.all {
			r.query(c.Query, r.inside(f, i))
		}
	}
	return f
}

// inside returns the frame of the body of the i-th common table expression of a frame.
func (r *tableReader) inside(f *frame, i int) *frame {
	in := &frame{outer: f.outer, ctes: f.ctes, n: i, skip: -1, owner: f.owner}
	if f.owner != nil {
		in.n, in.skip = r.dialect.bodySees(f.owner, i)
	}
	return in
}

// reach queues the body of a common table expression to be read, once.
func (r *tableReader) reach(c *CTE, f *frame) {
	if r.all || r.reached[c] {
		return
	}
	if r.reached == nil {
		r.reached = map[*CTE]bool{}
	}
	r.reached[c] = true
	if c.Query != nil {
		for i, o := range f.ctes.ctes {
			if o == c {
				r.queue = append(r.queue, pendingCTE{c.Query, r.inside(f, i)})
			}
		}
	}
}

func (r *tableReader) sel(s *Select, outer *frame) *frame {
	f := &frame{outer: outer}
	r.from(s.From, f)
	r.nodes(s.DistinctOn, f)
	for _, it := range s.Items {
		r.node(it.Expr, f)
	}
	r.node(s.Where, f)
	if s.Group != nil {
		r.nodes(s.Group.Items, f)
	}
	r.node(s.Having, f)
	r.node(s.Qualify, f)
	for _, d := range s.Windows {
		r.node(d, f)
	}
	r.nodes(s.Connect, f)
	r.nodes(s.Extra, f)
	return f
}

func (r *tableReader) from(list []*Source, f *frame) {
	for _, src := range list {
		switch {
		case src.Table != nil:
			c, at := (*CTE)(nil), (*frame)(nil)
			if len(src.Table) == 1 && !src.FromString {
				c, at = f.outer.cte(r.dialect, src.Table[0])
			}
			switch {
			case c != nil:
				r.reach(c, at)
			case len(src.Table) == 1 || !r.dialect.arrays() || !f.array(r.dialect, src.Table):
				r.table(src)
			}
		case src.Query != nil:
			r.query(src.Query, f)
		case src.Call != nil:
			r.node(src.Call, f)
		}
		r.from(src.Nested, f)
		if src.Nested == nil && r.dialect.arrays() {
			s := newSource(src, r.dialect)
			f.sources = append(f.sources, &s)
		}
		r.node(src.Match, f)
		r.node(src.On, f)
		for _, p := range src.Pivots {
			r.node(p, f)
		}
		if src.Recognize != nil {
			r.node(src.Recognize, f)
		}
	}
}

func (r *tableReader) nodes(list []Expr, f *frame) {
	for _, e := range list {
		r.node(e, f)
	}
}

// node reads the queries inside a node.
func (r *tableReader) node(e Node, f *frame) {
	if e == nil {
		return
	}
	Walk(e, func(n Node) bool {
		if q, ok := n.(*Query); ok {
			r.query(q, f)
			return false
		}
		return true
	})
}

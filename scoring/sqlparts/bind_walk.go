package sqlparts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/halt"
)

// binder walks the queries of a script and resolves their names.
type binder struct {
	dialect Dialect
	tables  *tables
	bound   *Bound
	buffers
	script uint64  // a bit set with the script's bit, as in BoundTable.scripts
	params []Ident // of the enclosing lambdas
	aside  bool    // columns bound now are not counted by [Bound.Columns], as in LIMIT
	aliases
	variables []Ident
	open      []*CTE   // CTEs whose bodies are being bound
	listed    int      // number of columns that stars were expanded to
	made      *cteList // tables that earlier statements create from queries
	looks     halt.Every

	frames  *frame // unused frames for reuse, linked by outer
	outputs arena[output]
	columns list[OutputColumn]
}

// newBinder returns a binder for a script whose nodes have numbers up to n. If b is not nil, it must be the result of
// an earlier pass that was not returned to a caller; its memory is reused.
func newBinder(d Dialect, t *tables, n numbers, b *Bound) *binder {
	if b == nil {
		b = &Bound{slots: make([]slot, n.columns+1), meanings: make([]Meaning, 0, n.columns),
			sources: make([]boundSource, n.sources+1), outputs: make([]*output, n.queries+1)}
	} else {
		clear(b.slots)
		clear(b.sources)
		clear(b.outputs)
		b.meanings, b.merged = b.meanings[:0], nil
	}
	return &binder{dialect: d, tables: t, looks: halt.Every{Signal: t.stop, N: 16}, bound: b, script: 1}
}

// newFrame returns an empty frame inside outer. [binder.done] recycles it.
func (r *binder) newFrame(outer *frame) *frame {
	if f := r.frames; f != nil {
		r.frames = f.outer
		*f = frame{outer: outer, sources: f.sources[:0], merged: f.merged[:0], offer: offer{known: f.offer.known[:0]}}
		return f
	}
	return &frame{outer: outer}
}

func (r *binder) done(f *frame) { f.outer, r.frames = r.frames, f }

// clause is the part of a query that contains a name. It decides whether the aliases of the select list are
// visible.
type clause uint8

const (
	noClause clause = iota
	inSelect
	inWhere
	inGroup
	inHaving
	inQualify
	inOrder
	inExtra
)

// frame holds the names visible at a place in a query: common table expressions, or the sources of a select, and
// the names of the enclosing frame.
type frame struct {
	outer   *frame
	ctes    *cteList
	n, skip int    // the first n of ctes are visible, except the one at skip
	owner   *Query // the query with the WITH clause; nil if ctes are tables created by earlier statements

	isSelect bool
	sources  []*boundSource
	from     int // index of the first source that an ON sees
	merged   []*MergedSource
	unmerged bool // a natural join may merge unknown columns
	query    *Query
	sel      *Select
	clause   clause
	offer    offer
	names    map[string][]*boundSource // the first indexed elements of sources, by name
	indexed  int
}

// offer holds the sources of a frame in which an unqualified name is looked up. Those in open may have any column.
type offer struct {
	from, to int            // range of the visible sources
	known    []*boundSource // sources with known columns
	open     []*Source
}

func (f *frame) offers() *offer {
	o := &f.offer
	if o.from != f.from || o.to > len(f.sources) || o.to == 0 {
		*o = offer{from: f.from, to: f.from, known: o.known[:0]}
	}
	for _, s := range f.sources[o.to:] {
		if s.hidden {
			continue
		}
		if s.hasKnown() {
			o.known = append(o.known, s)
		}
		if s.mayHaveMore() {
			o.open = append(o.open, s.Source)
		}
	}
	o.to = len(f.sources)
	return o
}

// manyNames is the number of sources from which a map is used to find them by name.
const manyNames = 32

// called returns the sources that may have the name id. If there are few sources, it returns all of them.
func (f *frame) called(id Ident) []*boundSource {
	if len(f.sources) < manyNames {
		return f.sources
	}
	if f.names == nil {
		f.names = map[string][]*boundSource{}
	}
	for _, s := range f.sources[f.indexed:] {
		key := strings.ToLower(s.name.Text)
		f.names[key] = append(f.names[key], s)
		if group := strings.ToLower(s.group.Text); group != "" && group != key {
			f.names[group] = append(f.names[group], s)
		}
	}
	f.indexed = len(f.sources)
	return f.names[strings.ToLower(id.Text)]
}

// query binds the names of a query. Names that it does not define are looked up in the frame outer.
func (r *binder) query(q *Query, outer *frame) {
	if q == nil || r.bound.output(q) != nil {
		return
	}
	r.looks.Step()
	if outer == nil {
		r.variables = q.declared
		if len(q.created) > 0 { // the statements that create them are bound already
			if r.made == nil || len(r.made.ctes) < len(q.created) {
				r.made = &cteList{ctes: q.created}
			}
			outer = &frame{ctes: r.made, n: len(q.created), skip: -1}
		}
	}
	if len(q.With) > 0 {
		outer = r.with(q, outer)
		defer r.done(outer)
	}
	switch b := q.Body.(type) {
	case *Query:
		r.query(b, outer)
		r.bound.outputs[q.id] = r.bound.output(b)
		r.orderOutput(q, outer)
	case *Select:
		r.sel(b, q, outer)
	case *SetOp:
		for i, t := range b.Terms {
			r.query(t, outer)
			if i == 0 {
				r.bound.outputs[q.id] = r.bound.output(t) // a recursive term reads this output
			}
		}
		r.setOutput(b, q)
		r.orderOutput(q, outer)
	case *Values:
		for _, row := range b.Rows {
			r.exprs(row, outer)
		}
		o := &output{whole: true}
		if len(b.Rows) > 0 {
			for i := range b.Rows[0] {
				o.columns = append(o.columns, OutputColumn{Name: Ident{Text: valuesName(r.dialect, i)}})
			}
		}
		r.bound.outputs[q.id] = o
		r.orderOutput(q, outer)
	default:
		r.bound.outputs[q.id] = &output{}
	}
	if l := q.Limit; l != nil {
		aside := r.aside
		r.aside = true
		r.expr(l.Count, outer, false)
		r.expr(l.Offset, outer, false)
		r.aside = aside
	}
}

// valuesName returns a dialect's name for column i of VALUES, or "" if it has no name.
func valuesName(d Dialect, i int) string {
	switch d {
	case DuckDB:
		return "col" + strconv.Itoa(i)
	case MySQL:
		return "column_" + strconv.Itoa(i)
	case Databricks:
		return "col" + strconv.Itoa(i+1)
	case Postgres, SQLite, Snowflake:
		return "column" + strconv.Itoa(i+1)
	}
	return ""
}

// setOutput stores the output columns of a chain of set operations: those of its first term. The list is marked
// incomplete if an operator matches columns by name.
func (r *binder) setOutput(b *SetOp, q *Query) {
	o := r.bound.output(b.Terms[0])
	for _, op := range b.Ops {
		if op.ByName && o != nil {
			o = &output{columns: o.columns}
		}
	}
	r.bound.outputs[q.id] = o
}

// orderOutput binds the sort keys after a set operation, VALUES or a query in parentheses, which name columns of
// the output.
func (r *binder) orderOutput(q *Query, outer *frame) {
	for _, o := range q.OrderBy {
		c, ok := o.Expr.(*Column)
		if !ok || len(c.Name) != 1 {
			aside := r.aside
			r.aside = true
			r.expr(o.Expr, outer, false)
			r.aside = aside
			continue
		}
		var m []Meaning
		doubt := Unsure
		if out := r.bound.output(q); out != nil {
			if at, h := out.find(r.dialect, c.Name[0]); h > may {
				m = []Meaning{{Kind: SelectAlias, Known: true, Index: at, Item: out.columns[at].Item}}
				if doubt = Sure; h != holds {
					doubt = Ambiguous
				}
			}
		}
		aside := r.aside
		r.aside = true
		r.set(c, m, doubt)
		r.aside = aside
	}
}

// with returns the frame of the query's WITH clause, after binding the queries in it.
func (r *binder) with(q *Query, outer *frame) *frame {
	f := r.newFrame(outer)
	f.ctes, f.owner = &cteList{ctes: q.With}, q
	for i, c := range q.With {
		if c.Write != nil {
			f.n, f.skip = len(q.With), -1
			r.query(c.Write.Query, f)
			continue
		}
		f.n, f.skip = r.dialect.bodySees(q, i)
		r.open = append(r.open, c)
		r.query(c.Query, f)
		r.open = r.open[:len(r.open)-1]
	}
	f.n, f.skip = len(q.With), -1
	return f
}

// bodySees returns which common table expressions the body of the i-th one sees: the first n, except the one at
// skip (-1: no exception). These are the preceding ones; with RECURSIVE, all; and also the i-th itself if the
// dialect allows recursion without the keyword.
func (d Dialect) bodySees(q *Query, i int) (n, skip int) {
	set := false
	if body := q.With[i].Query; body != nil {
		_, set = body.Body.(*SetOp)
	}
	switch {
	case d == SQLite:
		if set || q.Recursive {
			return len(q.With), -1
		}
		return len(q.With), i
	case q.Recursive && d == DuckDB: // not the ones after it
		if set {
			return i + 1, -1
		}
		return i, -1
	case q.Recursive:
		return len(q.With), -1
	case (d == TSQL || d == Snowflake) && set:
		return i + 1, -1
	}
	return i, -1
}

// cte returns the common table expression that a name means, and the frame that defines it; nil if there is none.
func (f *frame) cte(d Dialect, id Ident) (c *CTE, at *frame) {
	for ; f != nil; f = f.outer {
		if f.ctes == nil {
			continue
		}
		for n := f.n; ; {
			i := f.ctes.find(id.Text, n)
			if i < 0 {
				break
			}
			if i != f.skip && d.likeness(id, f.ctes.ctes[i].Name, false) != different {
				return f.ctes.ctes[i], f
			}
			n = i
		}
	}
	return nil, nil
}

// sel binds the names of a select and of the ORDER BY of its query, and stores the query's output.
func (r *binder) sel(s *Select, q *Query, outer *frame) {
	f := r.newFrame(outer)
	defer r.done(f)
	f.isSelect, f.query, f.sel = true, q, s
	if f.sources == nil {
		f.sources = make([]*boundSource, 0, max(4, len(s.From)))
	}
	r.from(s.From, f)
	f.from, f.clause = 0, noClause
	if r.dialect == SQLite { // an ON also sees the tables after it
		r.conditions(s.From, f)
	}
	f.clause = inOrder
	for _, e := range s.DistinctOn {
		r.expr(e, f, true)
	}
	f.clause = inSelect
	for _, it := range s.Items {
		r.expr(it.Expr, f, false)
	}
	f.clause = inWhere
	r.expr(s.Where, f, false)
	f.clause = inGroup
	if s.Group != nil {
		for _, e := range s.Group.Items {
			r.key(e, f)
		}
	}
	f.clause = inHaving
	r.expr(s.Having, f, false)
	f.clause = inQualify
	r.expr(s.Qualify, f, false)
	f.clause = noClause
	for _, d := range s.Windows {
		r.window(d.Window, f)
	}
	r.exprs(s.Connect, f)
	f.clause = inExtra
	r.exprs(s.Extra, f)
	r.bound.outputs[q.id] = r.selectOutput(s, f)
	f.clause = inOrder
	for _, o := range q.OrderBy {
		r.expr(o.Expr, f, true)
	}
	f.clause = noClause
}

// key binds an element of GROUP BY, in which a name alone may be an alias.
func (r *binder) key(e Expr, f *frame) {
	switch e := e.(type) {
	case *Grouping:
		for _, a := range e.Args {
			r.key(a, f)
		}
	case *List:
		for _, it := range e.Items {
			r.key(it.Expr, f)
		}
	default:
		r.expr(e, f, true)
	}
}

// from binds the sources of a FROM list and adds them to the frame of their select.
func (r *binder) from(list []*Source, f *frame) {
	for _, src := range list {
		r.source(src, f)
	}
}

func (r *binder) source(src *Source, f *frame) {
	r.looks.Step()
	before := len(f.sources)
	bs := &r.bound.sources[src.id]
	*bs = newSource(src, r.dialect)
	if src.Join == CommaJoin && r.dialect.joinsFirst() {
		f.from = before
	}
	around := f.outer
	if src.Lateral || r.dialect == DuckDB {
		around = f
	}
	switch {
	case src.Nested != nil:
		bs.reading.Kind = ReadsJoin
		from := f.from
		if f.from = before; !r.dialect.joinsFirst() {
			f.from = from
		}
		r.from(src.Nested, f)
		f.from = from
		if src.Alias.Text != "" {
			for _, in := range f.sources[before:] {
				in.group = src.Alias
			}
			f.names, f.indexed = nil, 0
		}
	case src.Table != nil:
		r.table(bs, f)
	case src.Query != nil:
		bs.reading = Reading{Kind: ReadsQuery, Query: src.Query}
		r.query(src.Query, around)
		bs.made = r.bound.output(src.Query)
	case src.Call != nil:
		bs.reading.Kind, bs.open = ReadsFunction, true
		from := f.from
		f.from = 0
		r.expr(src.Call, f, false)
		f.from = from
		bs.made = functionOutput(src.Call)
	default:
		bs.reading.Kind, bs.open = ReadsText, true
	}
	if src.Nested == nil {
		r.shape(bs, f)
		f.sources = append(f.sources, bs)
	}
	if src.Natural || len(src.Using) > 0 {
		r.merge(bs, f, before)
	}
	if r.dialect != SQLite {
		r.on(src, f)
	}
	if src.Join == SemiJoin || src.Join == AntiJoin {
		for _, in := range f.sources[before:] {
			in.hidden = true
		}
		f.offer.to = 0
	}
}

// joinsFirst reports whether JOIN binds tighter than the comma, so that an ON does not see the sources
// before the comma.
func (d Dialect) joinsFirst() bool { return d == Postgres || d == MySQL || d == TSQL }

func (r *binder) on(src *Source, f *frame) {
	r.expr(src.Match, f, false)
	r.expr(src.On, f, false)
}

func (r *binder) conditions(list []*Source, f *frame) {
	for _, src := range list {
		r.conditions(src.Nested, f)
		r.on(src, f)
	}
}

// table binds a table name in FROM: to a common table expression, an array column or a base table.
func (r *binder) table(bs *boundSource, f *frame) {
	src := bs.Source
	if len(src.Table) == 1 && !src.FromString {
		if c, _ := f.outer.cte(r.dialect, src.Table[0]); c != nil {
			bs.reading = Reading{Kind: ReadsQuery, CTE: c, Query: c.Query}
			switch o := r.bound.output(c.Query); {
			case c.Query == nil:
				bs.reading.Kind, bs.open = ReadsWrite, true
			case r.inside(c):
				bs.reading.Kind = ReadsItself
				bs.made = o
				bs.open = o == nil
			default:
				bs.made = o
				bs.open = o == nil
			}
			if bs.made != nil && len(c.Columns) > 0 {
				bs.made = bs.made.renamed(c.Columns)
			}
			return
		}
	}
	if len(src.Table) > 1 && r.dialect.arrays() {
		if m, doubt := r.path(src.Table, f); m != nil {
			bs.reading, bs.open = Reading{Kind: ReadsFunction, Array: m, Doubt: doubt}, true
			return
		}
	}
	t := r.tables.of(r.dialect, src.Table)
	t.scripts |= r.script
	bs.reading = Reading{Kind: ReadsTable, Table: t}
}

// arrays reports whether FROM t, t.items reads an array in the dialect.
func (d Dialect) arrays() bool { return d == BigQuery || d == Redshift || d == Generic }

// path returns the column that a dotted name in FROM such as t.items reads, if t is a visible source; nil if none is.
func (r *binder) path(n Name, f *frame) (*Meaning, Certainty) {
	for at := f; at != nil; at = at.outer {
		for i := len(at.sources) - 1; i >= max(0, len(at.sources)-maxSources); i-- {
			s := at.sources[i]
			if s.named(r.dialect, n[0]) == different {
				continue
			}
			m, h := s.column(r.dialect, n[1])
			m.Fields = len(n) - 2
			if h != holds {
				return &m, Unsure
			}
			return &m, Sure
		}
	}
	return nil, Unsure
}

// inside reports whether the body of a common table expression is being read.
func (r *binder) inside(c *CTE) bool { return slices.Contains(r.open, c) }

// renamed returns a copy of the output with the names of a column list. Names beyond a star replace its unknown
// columns.
func (o *output) renamed(names []Ident) *output {
	out := &output{columns: slices.Clone(o.columns), whole: o.whole, unnamed: o.unnamed}
	stars := slices.IndexFunc(o.columns, func(c OutputColumn) bool { return c.Star })
	for i, n := range names {
		switch {
		case stars >= 0 && i >= stars: // columns that come from a star
			out.columns = append(out.columns[:min(i, len(out.columns))], OutputColumn{Name: n})
		case i < len(out.columns):
			out.columns[i].Name = n
		}
	}
	if stars >= 0 && len(names) > stars {
		out.columns = out.columns[:min(len(out.columns), len(names))]
		out.whole = false
	}
	return out
}

// functionOutput returns the known columns of a function in FROM, which only FLATTEN has.
func functionOutput(c *Call) *output {
	o := &output{}
	if strings.EqualFold(c.Name.Last().Text, "flatten") {
		for _, name := range []string{"seq", "key", "path", "index", "value", "this"} {
			o.columns = append(o.columns, OutputColumn{Name: Ident{Text: name}})
		}
	}
	return o
}

// shape applies the clauses after a source in FROM: column names, offset, time travel, sample, pivot.
func (r *binder) shape(bs *boundSource, f *frame) {
	src := bs.Source
	if len(src.Columns) > 0 {
		switch {
		case bs.reading.Kind == ReadsTable:
			columns, whole := bs.output()
			bs.made = (&output{columns: columns, whole: whole}).renamed(src.Columns)
			bs.open = !whole
		case bs.made != nil && bs.reading.Kind != ReadsFunction:
			bs.made = bs.made.renamed(src.Columns)
		default:
			bs.made = &output{}
			for _, c := range src.Columns {
				bs.made.columns = append(bs.made.columns, OutputColumn{Name: c})
			}
		}
	}
	if bs.reading.Kind == ReadsQuery && bs.made != nil && !bs.made.whole &&
		!slices.ContainsFunc(bs.made.columns, func(c OutputColumn) bool { return c.Star }) {
		bs.open = true // no star represents the other columns
	}
	if bs.made != nil && slices.ContainsFunc(bs.made.columns, func(c OutputColumn) bool { return c.Star }) {
		bs.open = true
	}
	if src.Offset.Text != "" {
		made := &output{}
		if bs.made != nil {
			made.columns = slices.Clone(bs.made.columns)
		}
		made.columns = append(made.columns, OutputColumn{Name: src.Offset})
		bs.made = made
		bs.open = true
	}
	aside := r.aside
	r.aside = true
	r.expr(src.Version, f, false)
	r.expr(src.Sample, f, false)
	r.aside = aside
	if len(src.Pivots) > 0 || src.Recognize != nil {
		r.pivot(bs, f)
	}
}

// pivot binds the names in a pivot or MATCH_RECOGNIZE over one source, and replaces the source's columns by those that
// the operation returns, as far as they are known.
func (r *binder) pivot(bs *boundSource, f *frame) {
	in := &frame{outer: f.outer, isSelect: true, sources: []*boundSource{bs}}
	for _, p := range bs.Pivots {
		for _, it := range p.Values {
			r.expr(it.Expr, in, false)
		}
		r.exprs(p.For, in)
		for _, it := range p.In {
			if _, isColumn := it.Expr.(*Column); !isColumn || p.Unpivot {
				r.expr(it.Expr, in, false)
			}
		}
		r.exprs(p.Group, in)
	}
	if m := bs.Recognize; m != nil {
		r.exprs(m.Partition, in)
		for _, o := range m.OrderBy {
			r.expr(o.Expr, in, false)
		}
	}
	made := &output{}
	if m := bs.Recognize; m != nil && m.Alias.Text != "" {
		bs.name = m.Alias
	}
	for _, p := range bs.Pivots {
		if p.Alias.Text != "" {
			bs.name = p.Alias
		}
		for _, c := range p.Columns {
			made.columns = append(made.columns, OutputColumn{Name: c})
		}
	}
	if bs.reading.Kind != ReadsTable && bs.made != nil {
		made.columns = append(made.columns, bs.made.columns...)
	}
	bs.made, bs.open = made, true
}

// exprs binds expressions that are not whole sort or grouping keys.
func (r *binder) exprs(list []Expr, f *frame) {
	for _, e := range list {
		r.expr(e, f, false)
	}
}

func (r *binder) window(w *Window, f *frame) {
	if w == nil {
		return
	}
	r.exprs(w.Partition, f)
	for _, o := range w.OrderBy {
		r.expr(o.Expr, f, false)
	}
}

// expr binds the names of an expression. bare reports whether the expression is a sort or grouping key. Such a key that
// is a single name may be an alias of the select list.
func (r *binder) expr(e Expr, f *frame, bare bool) {
	if e == nil {
		return
	}
	if c, ok := e.(*Column); ok {
		r.column(c, f, bare)
		return
	}
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Query:
			r.query(n, f)
			return false
		case *Column:
			r.column(n, f, false)
		case *Star:
			if c, ok := n.Qualifier.(*Column); ok {
				r.starOf(c, f)
			} else {
				r.expr(n.Qualifier, f, false)
			}
			for _, it := range n.Replace {
				r.expr(it.Expr, f, false)
			}
			return false
		case *Lambda:
			m := len(r.params)
			r.params = append(r.params, n.Params...)
			r.expr(n.X, f, false)
			r.params = r.params[:m]
			return false
		case *Special:
			for i, a := range n.Args {
				if c, ok := a.(*Column); ok && i == 0 && n.Name == "extract" {
					r.set(c, []Meaning{{Kind: PartOfDate, Known: true}}, Sure)
					continue
				}
				r.expr(a, f, false)
			}
			return false
		case *Call:
			if len(n.Args) > 1 && dateFunction(n.Name.Last().Text) {
				r.dateCall(n, f)
				return false
			}
		case *Binary:
			if n.Op == "collate" || n.Op == "at" {
				r.expr(n.L, f, false)
				return false
			}
		}
		return true
	})
}

// dateCall binds the arguments of a date function. At most one of them is a date part: a word such as DAY, or
// WEEK(MONDAY).
func (r *binder) dateCall(c *Call, f *frame) {
	part := -1
	for i, a := range c.Args {
		switch a := a.(type) {
		case *Column:
			if len(a.Name) == 1 && !a.Name[0].Quoted && datePart(a.Name[0].Text) && (part < 0 || len(a.Name[0].Text) > 2) {
				if part < 0 && i > 0 && len(a.Name[0].Text) <= 2 {
					continue // a date part of one or two letters is only the first argument
				}
				part = i
			}
		case *Call: // WEEK(MONDAY)
			if len(a.Name) == 1 && strings.EqualFold(a.Name[0].Text, "week") {
				part = i
			}
		}
	}
	for i, a := range c.Args {
		if i != part {
			r.expr(a, f, false)
			continue
		}
		Walk(a, func(n Node) bool {
			if word, ok := n.(*Column); ok {
				r.set(word, []Meaning{{Kind: PartOfDate, Known: true}}, Sure)
			}
			return true
		})
	}
	for _, o := range c.OrderBy {
		r.expr(o.Expr, f, false)
	}
	r.expr(c.Limit, f, false)
	r.expr(c.Having, f, false)
	for _, o := range c.Within {
		r.expr(o.Expr, f, false)
	}
	r.expr(c.Filter, f, false)
	r.window(c.Over, f)
}

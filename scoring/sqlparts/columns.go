package sqlparts

import (
	"slices"
	"sort"
	"strings"
)

// ColumnRef is a column of a base table that a query uses somewhere. Names are in lower case and
// without qualifiers.
type ColumnRef struct {
	Table  string   // the base table's last name; empty if the text alone does not tell
	Column string   // * for all columns
	Among  []string // if Table is empty: the tables it may belong to, sorted
}

// Columns are the columns of base tables the query uses anywhere, in common table expressions and
// subqueries too, sorted, each once. Aliases are resolved; columns that a derived table or common
// table expression makes are not counted again where they are read, nor are aliases of the select
// list, fields below a column, elements of UNNEST and FLATTEN, parameters of lambdas, and words
// like DAY among the arguments of date functions. A name without qualifier belongs to the only
// table in view; if there are several, Among lists them, for a reader who knows the schema to
// decide.
func Columns(q *Query) []ColumnRef {
	if q == nil {
		return nil
	}
	r := &resolver{dialect: q.dialect, all: true, table: func(*Source) {}}
	r.columns = &columnReader{resolver: r, outputs: map[*Query]*outputs{}, seen: map[columnKey]bool{},
		declared: q.declared}
	r.run(q)
	out := r.columns.refs
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		if a.Table != b.Table {
			return a.Table < b.Table
		}
		if a.Column != b.Column {
			return a.Column < b.Column
		}
		return strings.Join(a.Among, ",") < strings.Join(b.Among, ",")
	})
	return out
}

// outputs are the columns a query makes: those with names, and the base tables all of whose columns
// it passes on.
type outputs struct {
	names map[string]bool
	stars []string
}

// columnKey is a column with all the tables that it may belong to.
type columnKey struct{ column, tables string }

// columnReader gathers the columns of base tables.
type columnReader struct {
	*resolver
	outputs map[*Query]*outputs
	refs    []ColumnRef
	seen    map[columnKey]bool
	params  []Ident // of the lambdas around
	aliases
	lateral  *Select // whose list is being read, where items may use aliases of others
	declared []Ident
}

// expr reads the columns of an expression.
func (r *columnReader) expr(e Expr, sc *scope, s *Select) {
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Query:
			lateral := r.lateral
			r.resolver.query(n, sc)
			r.lateral = lateral
			return false
		case *Column:
			r.column(n, sc, s)
		case *Star:
			for _, it := range n.Replace {
				r.expr(it.Expr, sc, s)
			}
			return false
		case *Lambda:
			m := len(r.params)
			r.params = append(r.params, n.Params...)
			r.expr(n.X, sc, s)
			r.params = r.params[:m]
			return false
		case *Special:
			for i, a := range n.Args {
				if i > 0 || n.Name != "extract" {
					r.expr(a, sc, s)
				}
			}
			return false
		case *Call:
			if len(n.Args) > 1 && dateFunction(n.Name.Last().Text) {
				r.dateCall(n, sc, s)
				return false
			}
		case *Binary:
			if n.Op == "collate" || n.Op == "at" {
				r.expr(n.L, sc, s)
				return false
			}
		case *Is:
			r.expr(n.X, sc, s)
			if _, word := n.What.(*Column); !word {
				r.expr(n.What, sc, s)
			}
			return false
		}
		return true
	})
}

// dateCall reads the arguments of a date function, except the one that is a word like DAY.
func (r *columnReader) dateCall(c *Call, sc *scope, s *Select) {
	part := -1
	for i, a := range c.Args {
		switch a := a.(type) {
		case *Column:
			if len(a.Name) == 1 && !a.Name[0].Quoted && datePart(a.Name[0].Text) && (part < 0 || len(a.Name[0].Text) > 2) {
				if part < 0 && i > 0 && len(a.Name[0].Text) <= 2 {
					continue // one or two letters are a part only in front
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
			r.expr(a, sc, s)
		}
	}
	r.window(c.Over, sc)
}

// column finds out whose column a name is.
func (r *columnReader) column(c *Column, sc *scope, s *Select) {
	first := c.Name[0].Text
	for _, p := range r.params {
		if strings.EqualFold(p.Text, first) {
			return
		}
	}
	if len(c.Name) > 1 {
		for at := sc; at != nil; at = at.outer {
			for k := range c.Name[:len(c.Name)-1] {
				if src := at.source(c.Name[k].Text); src != nil {
					r.qualified(src, c.Name[k+1].Text)
					return
				}
			}
		}
	}
	if len(c.Name) == 1 && (s != nil && r.aliases.find(s, c) != nil || r.lateralAlias(c) || r.variable(first)) {
		return
	}
	for at := sc; at != nil; at = at.outer {
		if at.sources != nil && r.unqualified(first, at) {
			return
		}
	}
}

// lateralAlias tells whether a name in a select list is the alias of another item, where the
// dialect allows that.
func (r *columnReader) lateralAlias(c *Column) bool {
	switch r.dialect {
	case Snowflake, Redshift, Databricks, DuckDB:
	default:
		return false
	}
	if r.lateral == nil {
		return false
	}
	it := r.aliases.find(r.lateral, c)
	return it != nil && it.End <= c.Start
}

// variable tells whether an earlier statement declared a variable of the name.
func (r *columnReader) variable(name string) bool {
	for _, v := range r.declared {
		if strings.EqualFold(v.Text, name) {
			return true
		}
	}
	return false
}

// source is the source of the scope that goes by a name, nil if none.
func (s *scope) source(name string) *sourceInfo {
	for i := range s.sources[:min(len(s.sources), maxSources)] {
		if s.sources[i].named(name) {
			return &s.sources[i]
		}
	}
	return nil
}

// qualified counts a column of a source.
func (r *columnReader) qualified(src *sourceInfo, column string) {
	switch {
	case src.base:
		r.add(column, src.Table.Last().Text)
	case src.query != nil:
		if o := r.outputsOf(src); o != nil && !o.names[strings.ToLower(column)] {
			r.add(column, o.stars...)
		}
	}
}

// outputsOf are the columns of a derived table or common table expression, nil if they are not
// known or renamed.
func (r *columnReader) outputsOf(src *sourceInfo) *outputs {
	if len(src.Columns) > 0 || src.cte != nil && len(src.cte.Columns) > 0 {
		return nil
	}
	return r.outputs[src.query]
}

// unqualified counts a column without qualifier if a source of the scope may have it, and reports
// whether one may.
func (r *columnReader) unqualified(column string, sc *scope) bool {
	name := strings.ToLower(column)
	if found, asked := sc.asked[name]; asked {
		return found
	}
	if sc.asked == nil {
		sc.asked = map[string]bool{}
	}
	sc.asked[name] = r.owners(name, sc)
	return sc.asked[name]
}

// owners counts a column for the sources of a scope that may have it.
func (r *columnReader) owners(name string, sc *scope) bool {
	v := r.view(sc)
	if v.made[name] || slices.ContainsFunc(v.outputs, func(o *outputs) bool { return o.names[name] }) {
		return true
	}
	if len(v.tables.names) == 0 {
		return v.unknown
	}
	r.addOf(name, v.tables)
	return true
}

// view is what the sources of a scope offer to names without qualifier.
type view struct {
	sources int             // how many there were when it was made
	made    map[string]bool // columns that sources make themselves
	outputs []*outputs      // of derived tables and common table expressions
	tables  tableSet        // of which any column may be
	unknown bool            // the columns of a source are not known
}

func (r *columnReader) view(sc *scope) *view {
	sources := sc.sources[:min(len(sc.sources), maxSources)]
	if sc.view != nil && sc.view.sources == len(sources) {
		return sc.view
	}
	v := &view{sources: len(sources), made: map[string]bool{}}
	var tables []string
	for i := range sources {
		src := &sources[i]
		src.makes(v.made)
		switch {
		case src.base:
			tables = append(tables, src.Table.Last().Text)
		case src.query != nil:
			if o := r.outputsOf(src); o != nil {
				v.outputs = append(v.outputs, o)
				tables = append(tables, o.stars...)
			} else {
				v.unknown = true
			}
		}
	}
	v.tables = tablesOf(tables)
	sc.view = v
	return v
}

// makes notes the columns that a source itself makes: alias columns, elements and positions of
// arrays.
func (s *Source) makes(names map[string]bool) {
	add := func(ids ...Ident) {
		for _, id := range ids {
			if id.Text != "" {
				names[strings.ToLower(id.Text)] = true
			}
		}
	}
	add(s.Alias, s.Offset)
	add(s.Columns...)
	for _, p := range s.Pivots {
		add(p.Columns...)
	}
	if s.Call != nil && strings.EqualFold(s.Call.Name.Last().Text, "flatten") {
		for _, name := range []string{"value", "key", "index", "path", "seq", "this"} {
			names[name] = true
		}
	}
}

// star counts all columns of the tables a star stands for.
func (r *columnReader) star(s *Star, sc *scope) {
	if c, ok := s.Qualifier.(*Column); ok {
		for at := sc; at != nil; at = at.outer {
			if src := at.source(c.Name.Last().Text); src != nil {
				if src.base {
					r.add("*", src.Table.Last().Text)
				}
				return
			}
		}
		return
	}
	if s.Qualifier == nil {
		for i := range sc.sources {
			if src := &sc.sources[i]; src.base {
				r.add("*", src.Table.Last().Text)
			}
		}
	}
}

// using counts the columns of USING as the joined table's.
func (r *columnReader) using(src *Source, sc *scope) {
	for _, c := range src.Using {
		for i := range sc.sources {
			if info := &sc.sources[i]; info.Source == src {
				r.qualified(info, c.Text)
			}
		}
	}
}

// add counts a column of one of the tables.
func (r *columnReader) add(column string, tables ...string) {
	r.addOf(column, tablesOf(tables))
}

// tableSet is names of tables in lower case, sorted, and all of them as one text.
type tableSet struct {
	names []string
	text  string
}

func tablesOf(tables []string) tableSet {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = strings.ToLower(t)
	}
	names = set(names)
	return tableSet{names, strings.Join(names, "\x00")}
}

func (r *columnReader) addOf(column string, tables tableSet) {
	ref := ColumnRef{Column: strings.ToLower(column)}
	switch len(tables.names) {
	case 0:
		return
	case 1:
		ref.Table = tables.names[0]
	default:
		ref.Among = tables.names
	}
	key := columnKey{ref.Column, tables.text}
	if !r.seen[key] {
		r.seen[key] = true
		r.refs = append(r.refs, ref)
	}
}

// finish notes the columns a query makes; sc is the scope of its select.
func (r *columnReader) finish(q *Query, sc *scope) {
	o := &outputs{names: map[string]bool{}}
	s, _ := q.Body.(*Select)
	switch b := q.Body.(type) {
	case *Query:
		r.outputs[q] = r.outputs[b]
		return
	case *SetOp:
		r.outputs[q] = r.outputs[b.Terms[0]]
		return
	case nil, *Values:
		return
	}
	for _, it := range s.Items {
		switch e := it.Expr.(type) {
		case *Star:
			for i := range sc.sources {
				src := &sc.sources[i]
				if c, ok := e.Qualifier.(*Column); ok && !src.named(c.Name.Last().Text) {
					continue
				}
				r.pass(src, o)
			}
		case *Column:
			if it.Alias.Text == "" {
				o.names[strings.ToLower(e.Name.Last().Text)] = true
			}
		}
		if it.Alias.Text != "" {
			o.names[strings.ToLower(it.Alias.Text)] = true
		}
	}
	o.stars = set(o.stars)
	r.outputs[q] = o
}

// pass adds all columns of a source to the outputs.
func (r *columnReader) pass(src *sourceInfo, o *outputs) {
	switch {
	case src.base:
		o.stars = append(o.stars, src.Table.Last().Text)
	case src.query != nil:
		if in := r.outputsOf(src); in != nil && in != o {
			for n := range in.names {
				o.names[n] = true
			}
			o.stars = append(o.stars, in.stars...)
		}
	}
	for _, c := range src.Columns {
		o.names[strings.ToLower(c.Text)] = true
	}
}

package sqlparts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/halt"
)

// ColumnRef is a column of a base table that a query uses somewhere. Names are in lower case and
// without qualifiers.
type ColumnRef struct {
	Table  string   // the base table's last name; empty if unknown
	Column string   // * for all columns
	Among  []string // if Table is empty: the tables it may belong to, sorted
}

// Columns returns [Bound.Columns] of a single query without a schema.
func Columns(q *Query) []ColumnRef {
	if q == nil {
		return nil
	}
	return bindQuery(q).Columns(q)
}

// Columns returns the columns of base tables that the query uses, sorted and without duplicates. Columns used in
// common table expressions and subqueries are included, and aliases are resolved. Not included are output columns
// of derived tables and common table expressions, aliases of the select list, fields below a column, elements of
// UNNEST and FLATTEN, parameters of lambdas, and words like DAY among the arguments of date functions. If several
// tables may have a name, Among lists those of the innermost query that has any.
func (b *Bound) Columns(q *Query) []ColumnRef {
	if q == nil {
		return nil
	}
	c := columnReader{Bound: b}
	if b.Script != nil {
		c.stop = b.stop
	}
	for _, made := range q.created {
		c.read(made.Query)
	}
	c.read(q)
	slices.SortFunc(c.refs, func(a, b ColumnRef) int {
		if by := cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Column, b.Column)); by != 0 {
			return by
		}
		c.stop.Check()
		return strings.Compare(strings.Join(a.Among, ","), strings.Join(b.Among, ","))
	})
	return c.refs
}

// columnKey is a column's name with the joined names of all tables that it may belong to.
type columnKey struct{ column, tables string }

// columnReader collects the columns of base tables to which the names of a query refer.
type columnReader struct {
	*Bound
	refs []ColumnRef
	seen map[columnKey]bool   // keys of refs; built only for many refs
	stop *halt.Signal         // stops work that takes too long; may be nil
	sets map[*Source]tableSet // tables of a list of sources that may have any column, by its first source
}

func (r *columnReader) read(q *Query) {
	if q == nil {
		return
	}
	Walk(q, func(n Node) bool {
		switch n := n.(type) {
		case *Column:
			if int(n.id) < len(r.slots) && r.slots[n.id].bound && !r.slots[n.id].aside {
				r.column(n)
			}
		case *Star:
			r.star(n)
		case *Select:
			for _, it := range n.Items {
				if star, ok := it.Expr.(*Star); ok && star.Qualifier == nil {
					r.all(n.From)
				}
			}
		case *Source:
			for _, m := range r.merged[n] {
				if !n.Natural {
					r.add(m.Name.Text, r.owners(&m.Right))
				}
			}
			if bs := r.source(n); bs != nil && bs.reading.Array != nil {
				r.add(n.Table[1].Text, r.owners(bs.reading.Array))
			}
		}
		return true
	})
}

// all adds * for every base table among the sources.
func (r *columnReader) all(list []*Source) {
	for _, s := range list {
		r.all(s.Nested)
		if bs := r.source(s); bs != nil && bs.reading.Kind == ReadsTable {
			r.add("*", tableSet{names: bs.reading.Table.last[:], text: bs.reading.Table.last[0]})
		}
	}
}

// star adds * for the base table that qualifies a star.
func (r *columnReader) star(n *Star) {
	c, ok := n.Qualifier.(*Column)
	if !ok {
		return
	}
	ms, _ := r.Means(c)
	for _, m := range ms {
		if bs := r.source(m.Source); m.Kind == RowOfSource && bs != nil && bs.reading.Kind == ReadsTable {
			r.add("*", tableSet{names: bs.reading.Table.last[:], text: bs.reading.Table.last[0]})
		}
	}
}

// column adds a column reference with the base tables that may have it.
func (r *columnReader) column(c *Column) {
	r.stop.Check()
	ms, _ := r.Means(c)
	if len(ms) == 0 {
		return
	}
	var tables tableSet
	for i := range ms {
		if ms[i].Outer == ms[0].Outer { // only meanings in the innermost query that has any
			tables = tables.with(r.owners(&ms[i]))
		}
	}
	switch ms[0].Kind {
	case BaseColumn, QueryColumn, MergedColumn:
		r.add(c.Name[max(0, len(c.Name)-1-ms[0].Fields)].Text, tables)
	}
}

// owners returns the base tables that may have the column with the meaning m.
func (r *columnReader) owners(m *Meaning) tableSet {
	switch m.Kind {
	case MergedColumn:
		switch m.Merged.Join {
		case RightJoin:
			return r.owners(&m.Merged.Right)
		case FullJoin:
			return r.owners(&m.Merged.Left).with(r.owners(&m.Merged.Right))
		}
		return r.owners(&m.Merged.Left)
	case BaseColumn, QueryColumn:
	default:
		return tableSet{}
	}
	if len(m.Among) == 0 {
		return r.through(m.Source, m.Index)
	}
	set := r.sets[m.Among[0]]
	if set.of > len(m.Among) {
		set = tableSet{}
	}
	for _, s := range m.Among[set.of:] { // as FROM continues, those that may have a column get more
		r.stop.Check()
		set = set.with(r.through(s, -1))
	}
	set.of = len(m.Among)
	if r.sets == nil {
		r.sets = map[*Source]tableSet{}
	}
	r.sets[m.Among[0]] = set
	return set
}

// through returns the base tables from which column at of a source comes through stars. If at is -1, it returns all
// tables whose columns reach the source through stars.
func (r *columnReader) through(s *Source, at int) tableSet {
	bs := r.source(s)
	for depth := 0; bs != nil && depth < maxDepth; depth++ {
		if bs.reading.Kind == ReadsTable {
			return tableSet{names: bs.reading.Table.last[:], text: bs.reading.Table.last[0]}
		}
		columns, _ := bs.output()
		if at < 0 || at >= len(columns) {
			var names []string
			for _, c := range columns {
				if c.Star {
					names = append(names, r.through(c.From, -1).names...)
				}
			}
			return tablesOf(names...)
		}
		c := columns[at]
		if c.From == nil || c.Merged != nil {
			return tableSet{}
		}
		bs, at = r.source(c.From), c.Index
		if c.Star {
			at = -1
		}
	}
	return tableSet{}
}

// tableSet holds lowercase table names, sorted, and the same names joined into one string.
type tableSet struct {
	names []string
	text  string
	of    int // number of sources whose tables are included
}

func tablesOf(tables ...string) tableSet {
	if len(tables) == 1 {
		return tableSet{names: tables, text: tables[0]}
	}
	names := set(slices.Clone(tables))
	return tableSet{names: names, text: strings.Join(names, "\x00")}
}

// with returns the union of two sets.
func (s tableSet) with(o tableSet) tableSet {
	switch {
	case len(s.names) == 0:
		return o
	case len(o.names) == 0 || s.text == o.text:
		return s
	case len(o.names) == 1:
		if _, has := slices.BinarySearch(s.names, o.names[0]); has {
			return s
		}
	}
	return tablesOf(slices.Concat(s.names, o.names)...)
}

func (r *columnReader) add(column string, tables tableSet) {
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
	switch {
	case r.seen != nil && r.seen[key]:
		return
	case r.seen != nil:
		r.seen[key] = true
	case slices.ContainsFunc(r.refs, func(o ColumnRef) bool {
		return o.Column == ref.Column && o.Table == ref.Table && slices.Equal(o.Among, ref.Among)
	}):
		return
	case len(r.refs) == manyColumns:
		r.seen = map[columnKey]bool{key: true}
		for _, o := range r.refs {
			r.seen[columnKey{o.Column, cmp.Or(o.Table, strings.Join(o.Among, "\x00"))}] = true
		}
	case r.refs == nil:
		r.refs = make([]ColumnRef, 0, 8)
	}
	r.refs = append(r.refs, ref)
}

package sqlparts

import (
	"strings"
)

// Bound is a script with its names resolved as far as the text and the schema allow. It is created once for each
// script, is never changed, and may be used by several goroutines. It is a side table: the tree is not modified.
type Bound struct {
	*Script
	Schema *Schema

	slots    []slot // by the number of the column
	meanings []Meaning
	sources  []boundSource // by the number of the source
	outputs  []*output     // by the number of the query
	merged   map[*Source][]*MergedSource
}

// slot holds the binding of one column reference: meanings[from:to].
type slot struct {
	from, to int32
	doubt    Certainty
	bound    bool
	aside    bool // in a place whose columns [Bound.Columns] does not count, such as LIMIT
}

// noSchema is the schema without tables, which [Bind] uses if none is given.
var noSchema Schema

// Bind resolves the names of the scripts of one case. A column that one query certainly attributes to a table is a
// column of that table in all scripts, unless the schema contradicts this. A nil schema means that it is unknown. Names
// follow the rules of each script's dialect. If the dialect is unknown and dialects or settings differ, all possible
// meanings are listed.
func Bind(schema *Schema, scripts ...*Script) []*Bound {
	if schema == nil {
		schema = &noSchema
	}
	t := &tables{schema: schema}
	if len(scripts) > 0 {
		t.stop = scripts[0].stop
	}
	out := make([]*Bound, len(scripts))
	bind := func() {
		t.doubted = t.doubted[:0]
		for i, s := range scripts {
			r := newBinder(s.Dialect, t, s.numbers, out[i])
			r.script = uint64(1) << (i % 64)
			r.bound.Script, r.bound.Schema = s, schema
			if q := s.Final(); q != nil && len(q.created) > 0 {
				r.made = &cteList{ctes: q.created}
			}
			for _, st := range s.Statements {
				r.query(st.Query, nil)
			}
			out[i] = r.bound
		}
	}
	bind()
	if t.unify(); t.parted || t.settles() {
		bind() // columns found by the first pass resolve names that it left unresolved
	}
	return out
}

// bindQuery binds a query as if it were its whole script.
func bindQuery(q *Query) *Bound {
	t := &tables{schema: &noSchema}
	var n numbers
	for _, c := range q.created {
		n.of(c.Query)
	}
	n.of(q)
	var b *Bound
	for round := 0; ; round++ {
		r := newBinder(q.dialect, t, n, b)
		if len(q.created) > 0 {
			r.made = &cteList{ctes: q.created}
		}
		for _, c := range q.created {
			r.query(c.Query, nil)
		}
		r.query(q, nil)
		if b = r.bound; round > 0 || !t.settles() {
			return b
		}
	}
}

// Means returns the possible meanings of a column reference, the likeliest first, and how certain they are.
func (b *Bound) Means(c *Column) ([]Meaning, Certainty) {
	if int(c.id) >= len(b.slots) || !b.slots[c.id].bound {
		return nil, Unsure
	}
	s := b.slots[c.id]
	return b.meanings[s.from:s.to:s.to], s.doubt
}

// Reads returns what a source of FROM reads: a table, a query, a function, a join or text that was not understood.
func (b *Bound) Reads(s *Source) Reading {
	if bs := b.source(s); bs != nil {
		return bs.reading
	}
	return Reading{Kind: ReadsText, Doubt: Unsure}
}

// Merged returns the columns that USING or NATURAL of the source s merges with columns of the sources before it. whole
// is false if the list may be incomplete.
func (b *Bound) Merged(s *Source) (columns []*MergedSource, whole bool) {
	bs := b.source(s)
	return b.merged[s], !s.Natural || bs != nil && bs.natural
}

// Output returns the output columns of a query or a source, with stars expanded if their columns are known. whole
// reports whether the list is complete and in order. If not, a column with Star represents the unknown ones.
func (b *Bound) Output(n Node) (columns []OutputColumn, whole bool) {
	switch n := n.(type) {
	case *Query:
		if o := b.output(n); o != nil {
			return o.columns, o.whole
		}
	case *Source:
		if bs := b.source(n); bs != nil {
			return bs.output()
		}
	}
	return nil, false
}

// of raises n to the highest numbers of the nodes in the query.
func (n *numbers) of(q *Query) {
	Walk(q, func(x Node) bool {
		switch x := x.(type) {
		case *Column:
			n.columns = max(n.columns, x.id)
		case *Source:
			n.sources = max(n.sources, x.id)
		case *Query:
			n.queries = max(n.queries, x.id)
		}
		return true
	})
}

// source returns the binding of a source, or nil if it belongs to another script.
func (b *Bound) source(s *Source) *boundSource {
	if s == nil || int(s.id) >= len(b.sources) || b.sources[s.id].Source != s {
		return nil
	}
	return &b.sources[s.id]
}

// output returns the output columns of a query, or nil if they were not determined.
func (b *Bound) output(q *Query) *output {
	if q == nil || int(q.id) >= len(b.outputs) {
		return nil
	}
	return b.outputs[q.id]
}

// output is the list of output columns of a query.
type output struct {
	columns []OutputColumn
	whole   bool
	unnamed bool           // a column has neither an alias nor a known name, so that the engine invents one
	index   map[string]int // index of the first column of each lower-case name; built only for many columns
	again   map[string]bool
}

// manyColumns is the number of columns above which a map is used to find them.
const manyColumns = 16

// holding is how certainly a source has a column of a given name.
type holding uint8

const (
	lacks     holding = iota
	otherCase         // it has a column whose name differs only in letter case, which the dialect distinguishes
	may
	doubtful // it has a column that may have the name, or several that have it
	holds
)

// find returns the index of the column with the name, and how certain the match is; -1 if there is none.
func (o *output) find(d Dialect, id Ident) (at int, h holding) {
	if len(o.columns) > manyColumns && o.index == nil {
		o.index, o.again = map[string]int{}, map[string]bool{}
		for i := range o.columns {
			if name := strings.ToLower(o.columns[i].Name.Text); name != "" {
				if _, ok := o.index[name]; ok {
					o.again[name] = true
				} else {
					o.index[name] = i
				}
			}
		}
	}
	at = -1
	look := func(i int) {
		switch l := d.likeness(id, o.columns[i].Name, false); {
		case l == different && at < 0:
			at, h = i, otherCase
		case l == different:
		case at >= 0 && h > otherCase:
			if d != SQLite && d != DuckDB { // these engines use the first column
				h = doubtful
			}
		default:
			at, h = i, holds
		}
	}
	if o.index != nil {
		name := strings.ToLower(id.Text)
		i, ok := o.index[name]
		if !ok {
			return -1, lacks
		}
		if !o.again[name] {
			look(i)
			return at, h
		}
	}
	for i := range o.columns {
		if n := o.columns[i].Name.Text; len(n) == len(id.Text) && n != "" && strings.EqualFold(n, id.Text) {
			look(i)
		}
	}
	return at, h
}

// boundSource is a source of FROM with the result of binding it.
type boundSource struct {
	*Source
	reading Reading
	made    *output // its output columns; nil if they are not known, or if it is a base table without renamed columns
	open    bool    // it may have more columns than those known
	natural bool    // for NATURAL: the columns of both sides are known
	hidden  bool    // the right side of a semi-join or anti-join, which later clauses cannot see
	name    Ident   // its alias or name; empty if it has none
	group   Ident   // the alias of the enclosing parenthesized join
}

// named compares the source's own name with id.
func (s *boundSource) named(d Dialect, id Ident) likeness {
	if len(s.name.Text) != len(id.Text) || s.name.Text == "" {
		return different
	}
	return d.likeness(id, s.name, false)
}

// newSource returns a source with its name: its alias or, without one, the last part of its table's name.
func newSource(src *Source, d Dialect) boundSource {
	s := boundSource{Source: src, name: src.Alias}
	if s.name.Text == "" && len(src.Table) > 0 {
		s.name = src.Table.Last()
		if d == BigQuery && s.name.Quoted {
			s.name.Text = s.name.Text[strings.LastIndexByte(s.name.Text, '.')+1:]
		}
	}
	return s
}

// goesBy compares the source's name with a name that may have several parts.
func (s *boundSource) goesBy(d Dialect, n Name) likeness {
	if len(n) == 1 {
		return s.named(d, n[0])
	}
	if s.Alias.Text != "" || len(s.Table) == 0 || s.reading.Kind != ReadsTable {
		return different
	}
	if d.names(d.Path(n), d.Path(s.Table)) == different {
		return different
	}
	return s.named(d, n.Last()) // a part that only one of the names has is compatible with the other
}

// output returns the output columns of a source, and reports whether they are all of its columns, in order.
func (s *boundSource) output() ([]OutputColumn, bool) {
	if s.made != nil {
		return s.made.columns, s.made.whole && !s.open
	}
	if s.reading.Kind != ReadsTable {
		return nil, false
	}
	if t := s.reading.Table; t.sure && !s.open {
		columns := make([]OutputColumn, len(t.listed.Columns))
		for i, c := range t.listed.Columns {
			columns[i] = OutputColumn{Name: c.Name, From: s.Source, Index: i, Column: c}
		}
		return columns, true
	}
	return []OutputColumn{{Star: true, From: s.Source}}, false
}

// column returns the meaning of the name as a column of the source, and how certainly the source has it.
func (s *boundSource) column(d Dialect, id Ident) (m Meaning, h holding) {
	m = Meaning{Kind: QueryColumn, Source: s.Source, Index: -1}
	if s.made != nil {
		var at int
		if at, h = s.made.find(d, id); h > otherCase || h == otherCase && !s.open {
			m.Index, m.Known, m.Item = at, h > may, s.made.columns[at].Item
			if s.reading.Kind == ReadsTable {
				m.Kind, m.Column = BaseColumn, s.made.columns[at].Column
			}
			return m, h
		}
	}
	if s.reading.Kind == ReadsTable {
		m.Kind = BaseColumn
		if s.made == nil {
			m.Column, h = s.reading.Table.column(d, id)
			if m.Known = h > may; h > otherCase {
				return m, h
			}
		}
	}
	if s.open || s.reading.Kind == ReadsTable && !s.reading.Table.sure {
		return m, may
	}
	return m, h
}

// hasKnown reports whether at least one column of the source is known.
func (s *boundSource) hasKnown() bool {
	if s.made != nil {
		return len(s.made.columns) > 0
	}
	return s.reading.Kind == ReadsTable && (s.reading.Table.listed != nil || s.reading.Table.root.learned.any())
}

// mayHaveMore reports whether the source may have columns in addition to the known ones.
func (s *boundSource) mayHaveMore() bool {
	return s.open || s.reading.Kind == ReadsTable && !s.reading.Table.sure
}

// column returns the definition of the table's column with the name, and how certainly the table has it. The definition
// is nil if only a query shows that the column exists.
func (t *BoundTable) column(d Dialect, id Ident) (c *ColumnDef, h holding) {
	name := strings.ToLower(id.Text)
	if t.listed != nil {
		if t.columns == nil {
			t.columns = make(map[string][]*ColumnDef, len(t.listed.Columns))
			for _, c := range t.listed.Columns {
				key := strings.ToLower(c.Name.Text)
				t.columns[key] = append(t.columns[key], c)
			}
		}
		for _, o := range t.columns[name] {
			switch l := d.likeness(id, o.Name, false); {
			case l == same && !o.Alike:
				return o, holds
			case l > different && (h > otherCase || o.Alike):
				h = doubtful
			case l > different:
				c, h = o, holds
			case h == lacks:
				c, h = o, otherCase
			}
		}
	}
	if h <= otherCase && !t.sure && t.root.learned.has(d, id) {
		return nil, holds
	}
	return c, h
}

package sqlparts

import (
	"slices"
	"strings"
)

// Bound is a script whose names are known as far as the text and the schema tell. It is made once for
// each text, is never changed, and may be used by several goroutines. It is a side table: the tree
// stays as the parser made it.
type Bound struct {
	*Script
	Schema *Schema

	slots    []slot // by the number of the column
	meanings []Meaning
	readings map[*Source]*boundSource
	outputs  map[*Query]*output
	merged   map[*Source][]*MergedSource
}

// slot is what is known of one column's name: meanings[from:to].
type slot struct {
	from, to int32
	doubt    Doubt
	bound    bool
	aside    bool // in a clause that reads no column of a table
}

// Bind finds out what the names of scripts mean. They are of one case: a column that one query certainly
// gives to a table is a column of that table in all of them, where the schema does not say otherwise. A
// nil schema knows nothing. The rules of names are those of each script's dialect; where dialects or
// settings differ and the dialect is not known, all that may be meant is listed.
func Bind(schema *Schema, scripts ...*Script) []*Bound {
	if schema == nil {
		schema = &Schema{}
	}
	t := &tables{schema: schema, byPath: map[string]*BoundTable{}}
	out := make([]*Bound, len(scripts))
	bind := func() {
		t.doubted = nil
		for i, s := range scripts {
			r := newBinder(s.Dialect, t, int(s.columns))
			r.bound.Script, r.bound.Schema = s, schema
			if q := s.Final(); q != nil {
				r.made = &cteList{ctes: q.created}
			}
			for _, st := range s.Statements {
				r.query(st.Query, nil)
			}
			out[i] = r.bound
			t.named = append(t.named, r.named)
		}
	}
	bind()
	if t.unify(); t.parted || t.settles() {
		bind() // what was learned of the tables settles what was open
	}
	return out
}

// bindQuery binds a query that stands for its whole script.
func bindQuery(q *Query) *Bound {
	t := &tables{schema: &Schema{}, byPath: map[string]*BoundTable{}}
	for round := 0; ; round++ {
		r := newBinder(q.dialect, t, 0)
		r.made = &cteList{ctes: q.created}
		for _, c := range q.created {
			r.query(c.Query, nil)
		}
		r.query(q, nil)
		if round > 0 || !t.settles() {
			return r.bound
		}
	}
}

// Means lists what a column's name may mean, the likeliest first, and how far that is certain.
func (b *Bound) Means(c *Column) ([]Meaning, Doubt) {
	if int(c.id) >= len(b.slots) || !b.slots[c.id].bound {
		return nil, Unsure
	}
	s := b.slots[c.id]
	return b.meanings[s.from:s.to:s.to], s.doubt
}

// Reads tells what a source of FROM reads.
func (b *Bound) Reads(s *Source) Reading {
	if bs := b.readings[s]; bs != nil {
		return bs.reading
	}
	return Reading{Kind: ReadsText, Doubt: Unsure}
}

// Merged are the columns that USING or NATURAL makes where the source joins those before it. whole is
// false if that cannot be told of all of them.
func (b *Bound) Merged(s *Source) (columns []*MergedSource, whole bool) {
	bs := b.readings[s]
	return b.merged[s], !s.Natural || bs != nil && bs.natural
}

// Output lists the columns of a query or a source, stars replaced if that is known. whole tells that
// these are all of them, in this order; else a column with Star stands for what is not known.
func (b *Bound) Output(n Node) (columns []OutputColumn, whole bool) {
	switch n := n.(type) {
	case *Query:
		if o := b.outputs[n]; o != nil {
			return o.columns, o.whole
		}
	case *Source:
		if bs := b.readings[n]; bs != nil {
			return bs.output()
		}
	}
	return nil, false
}

// output is the columns of a query.
type output struct {
	columns []OutputColumn
	whole   bool
	unnamed bool           // an engine makes a name for one of them
	index   map[string]int // the first of each name in lower case, made when there are many
	again   map[string]bool
}

// manyColumns is the number from which on columns are looked up in a map.
const manyColumns = 16

// holding reports whether a source has a column.
type holding uint8

const (
	lacks     holding = iota
	otherCase         // one that differs in case alone, which the dialect tells apart
	may
	doubtful // it has one that may be of the name, or several
	holds
)

// find is the column of a name, -1 if there is none.
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
			if d != SQLite && d != DuckDB { // which take the first
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

// boundSource is a source of FROM and what it turned out to be.
type boundSource struct {
	*Source
	reading Reading
	made    *output // what it makes; of a base table, nil if its columns keep their names
	open    bool    // it may have columns besides
	natural bool    // of a natural join: its columns are known
	hidden  bool    // behind an ON that follows a semi-join
	name    Ident   // that it goes by; empty if it has none
	group   Ident   // the alias of the parenthesised join around
}

// named tells how surely a source goes by a name.
func (s *boundSource) named(d Dialect, id Ident) likeness {
	if len(s.name.Text) != len(id.Text) || s.name.Text == "" {
		return different
	}
	return d.likeness(id, s.name, false)
}

// newSource is a source with its name: its alias or, without one, its table's last name.
func newSource(src *Source, d Dialect) *boundSource {
	s := &boundSource{Source: src, name: src.Alias}
	if s.name.Text == "" && len(src.Table) > 0 {
		s.name = src.Table.Last()
		if d == BigQuery && s.name.Quoted {
			s.name.Text = s.name.Text[strings.LastIndexByte(s.name.Text, '.')+1:]
		}
	}
	return s
}

// goesBy tells the same of a name of several parts.
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
	return s.named(d, n.Last()) // parts that one of them lacks may be anything
}

// output lists the columns of a source.
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

// column reports whether a source has a column of the name.
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

// hasKnown reports whether a source has columns that are known.
func (s *boundSource) hasKnown() bool {
	if s.made != nil {
		return len(s.made.columns) > 0
	}
	return s.reading.Kind == ReadsTable && (s.reading.Table.listed != nil || len(s.reading.Table.root.learned) > 0)
}

// mayHaveMore reports whether columns of a source are not known.
func (s *boundSource) mayHaveMore() bool {
	return s.open || s.reading.Kind == ReadsTable && !s.reading.Table.sure
}

// column finds a column of a table.
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
	if _, ok := t.root.learned[d.Fold(id, false)]; ok && h <= otherCase && !t.sure {
		return nil, holds
	}
	return c, h
}

// tables are the base tables that scripts of one case read.
type tables struct {
	schema  *Schema
	byPath  map[string]*BoundTable
	named   []map[string]bool // the paths that each script names
	doubted []Ident           // names that were left open
	parted  bool              // scripts tell tables of one name apart, of which the schema has one
}

// of is the table of a name.
func (t *tables) of(d Dialect, n Name) *BoundTable {
	n = d.Path(n)
	path := d.Fold(n.Last(), true)
	if len(n) > 1 {
		parts := make([]string, len(n))
		for i, id := range n {
			parts[i] = d.Fold(id, true)
		}
		path = strings.Join(parts, "\x00")
	}
	b := t.byPath[path]
	if b == nil {
		b = &BoundTable{Name: n, path: path, last: []string{strings.ToLower(n.Last().Text)}}
		b.root = b
		b.listed, b.Def, b.several = t.defined(d, n)
		b.sure = b.Def != nil && len(b.Def.Columns) > 0
		t.byPath[path] = b
	}
	return b
}

// defined is the table that the schema has of a name, nil if it has none, and the same if that is
// certain: its name fits no other, and its definition was read whole.
func (t *tables) defined(d Dialect, n Name) (listed, sure *Table, several bool) {
	fits := 0
	for _, o := range t.schema.Tables {
		switch d.names(n, o.Name) {
		case same:
			if listed = o; fits < 2 {
				fits = 1
			}
			if len(n) == len(o.Name) {
				return o, t.certain(o), false
			}
		case perhaps:
			listed = o
			fits++
		}
	}
	if fits != 1 {
		return listed, nil, fits > 1
	}
	return listed, t.certain(listed), false
}

func (t *tables) certain(o *Table) *Table {
	if t.schema.Doubt != "" || o.Doubt != "" {
		return nil
	}
	return o
}

// settles reports whether a name that was left open is one that a table was learned to have.
func (t *tables) settles() bool {
	if len(t.doubted) == 0 {
		return false
	}
	learned := map[string]bool{}
	for _, b := range t.byPath {
		for _, id := range b.learned {
			learned[strings.ToLower(id.Text)] = true
		}
	}
	return len(learned) > 0 && slices.ContainsFunc(t.doubted, func(id Ident) bool { return learned[strings.ToLower(id.Text)] })
}

// learn notes that a table has a column, as a query says.
func (t *tables) learn(d Dialect, b *BoundTable, id Ident) {
	if b.sure {
		return
	}
	name := d.Fold(id, false)
	if _, ok := b.root.learned[name]; ok {
		return
	}
	if b.root.learned == nil {
		b.root.learned = map[string]Ident{}
	}
	b.root.learned[name] = id
}

// unify takes a table that is named without its schema or catalog for the one table of that name with
// one, unless one script names both. A name of which there are several
// tables is certainly none that the schema has without saying where.
func (t *tables) unify() {
	if len(t.byPath) < 2 {
		return
	}
	for path, b := range t.byPath {
		var whole []*BoundTable
		together := false
		for other, o := range t.byPath {
			if len(other) > len(path) && strings.HasSuffix(other, path) && other[len(other)-len(path)-1] == 0 {
				whole = append(whole, o)
				together = together || slices.ContainsFunc(t.named, func(paths map[string]bool) bool { return paths[path] && paths[other] })
			}
		}
		if len(whole) == 1 && !together {
			b.root, b.Name = whole[0], whole[0].Name
		}
	}
	for _, b := range t.byPath { // of three, the second may be named in part too
		for b.root.root != b.root {
			b.root = b.root.root
		}
		b.Name = b.root.Name
		for name, id := range b.learned {
			if b.root == b {
				break
			}
			if b.root.learned == nil {
				b.root.learned = map[string]Ident{}
			}
			b.root.learned[name] = id
		}
	}
	roots := map[string]*BoundTable{}
	for _, b := range t.byPath {
		if o := roots[b.last[0]]; o != nil && o != b.root {
			t.part(b, o)
			t.part(o, b.root)
		}
		roots[b.last[0]] = b.root
	}
}

// part notes that scripts tell a table from another of its name.
func (t *tables) part(b, other *BoundTable) {
	if b.listed != nil && len(b.Name) != len(b.listed.Name) {
		t.parted = t.parted || b.Def != nil
		b.Def, b.listed, b.sure = nil, nil, false
	}
	b.apart = other
}

// Root is the table that a shorter name is taken for; itself where it is taken for none.
func (t *BoundTable) Root() *BoundTable { return t.root }

// Apart is another table of this last name that scripts read; nil if there is none.
func (t *BoundTable) Apart() *BoundTable {
	if t.root.apart != nil {
		return t.root.apart
	}
	return t.apart
}

// Listed is the definition that the schema has for the table, certain or not; nil if it has none. several
// reports that it has more than one that the name fits.
func (t *BoundTable) Listed() (def *Table, several bool) { return t.listed, t.several }

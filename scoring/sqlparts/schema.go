package sqlparts

import "strings"

// Schema holds the tables that DDL defines. Its users need opposite guarantees: a proof may use only what certainly
// holds, and a counterexample must respect whatever may hold. So each uncertain fact is marked.
type Schema struct {
	Dialect Dialect
	Tables  []*Table
	Views   []Name
	Types   []string // types and domains that the DDL makes, in lower case
	Other   []string // statements that may change the rows of any table, such as a trigger
	Doubt   string   // why nothing of any table is certain; empty if that is not so
}

// Table is one table, with its keys, foreign keys and checks.
type Table struct {
	Name    Name
	Columns []*ColumnDef
	Keys    []*Key // the primary key first
	Foreign []*ForeignKey
	Checks  []Expr
	Other   []string // constraints that were not understood, and may restrict the table further
	Doubt   string   // why its definition is not certain, columns included; empty if it is

	text      string // of the definition
	inherited bool   // other tables' rows are its rows, too
}

// ColumnDef is one column of a table.
type ColumnDef struct {
	Name    Ident
	Type    string // as declared, in lower case; empty if it is not known
	NotNull bool   // it may be that it holds no NULL
	Sure    bool   // and that is certain
	Note    string // what is special about its values, such as a collation
	Alike   bool   // the table may have another column of the same name

	stated bool // NOT NULL is written, so that it stays when a key goes
}

// Key is a set of columns that is unique among a table's rows, except for NULLs.
type Key struct {
	Columns []*ColumnDef
	Primary bool
	Sure    bool // false: of some rows only, perhaps dropped, or perhaps of another table
	name    string
}

// ForeignKey is columns whose values are those of another table's columns, but for NULLs.
type ForeignKey struct {
	Columns []*ColumnDef
	To      *Table
	Target  []*ColumnDef
	Sure    bool
	name    string
}

// Fold returns the canonical form of an identifier: lower case if the dialect ignores its case. A name that differs
// from its unquoted form in the dialect keeps its case. table reports whether it names a table.
func (d Dialect) Fold(id Ident, table bool) string {
	switch d {
	case Postgres, Redshift, Generic:
		if id.Quoted {
			return id.Text
		}
	case Snowflake:
		if id.Quoted && id.Text != strings.ToUpper(id.Text) {
			return `"` + id.Text
		}
	case BigQuery, MySQL:
		if table {
			return id.Text
		}
	}
	return strings.ToLower(id.Text)
}

// Path returns the parts of a table's name: BigQuery has several in one pair of quotes.
func (d Dialect) Path(n Name) Name {
	if d != BigQuery {
		return n
	}
	var out Name
	for _, id := range n {
		for part := range strings.SplitSeq(id.Text, ".") {
			out = append(out, Ident{Text: part, Quoted: id.Quoted})
		}
	}
	return out
}

// likeness reports whether two identifiers mean the same.
type likeness uint8

const (
	different likeness = iota
	perhaps            // settings of the engine decide
	same
)

func (d Dialect) likeness(a, b Ident, table bool) likeness {
	switch {
	case !strings.EqualFold(a.Text, b.Text):
		return different
	case d.foldAlike(a, b, table):
		return same
	case d == Postgres, d == Snowflake:
		return different
	}
	return perhaps
}

// foldAlike reports whether [Dialect.Fold] makes one of two identifiers that differ in case at most.
func (d Dialect) foldAlike(a, b Ident, table bool) bool {
	if a.Text == b.Text && a.Quoted == b.Quoted {
		return true
	}
	switch d {
	case Postgres, Redshift, Generic:
		if a.Quoted != b.Quoted {
			if b.Quoted {
				a = b
			}
			return a.Text == strings.ToLower(a.Text)
		}
		return !a.Quoted
	case Snowflake:
		own := func(id Ident) bool { return id.Quoted && id.Text != strings.ToUpper(id.Text) }
		return own(a) == own(b) && (!own(a) || a.Text == b.Text)
	case BigQuery, MySQL:
		return !table || a.Text == b.Text
	}
	return true
}

// names reports whether two names of tables mean one: parts that one of them lacks may be anything.
func (d Dialect) names(a, b Name) likeness {
	out := same
	if len(a) != len(b) {
		out = perhaps
	}
	for i := 1; i <= min(len(a), len(b)); i++ {
		out = min(out, d.likeness(a[len(a)-i], b[len(b)-i], true))
	}
	return out
}

// SameTable reports whether two names may mean one table, and whether they must: parts that one of
// them lacks may be anything.
func (d Dialect) SameTable(a, b Name) (may, must bool) {
	l := d.names(a, b)
	return l > different, l == same
}

// Column finds a column by name. sure is false if the table may have another of that name, or
// where settings decide whether it is the same name.
func (t *Table) Column(d Dialect, name Ident) (c *ColumnDef, sure bool) {
	for _, o := range t.Columns {
		if l := d.likeness(name, o.Name, false); l > different && (c == nil || l == same) {
			c, sure = o, l == same && !o.Alike
		}
	}
	return c, sure
}

// markUncertain notes that the definition of the table is not certain.
func (t *Table) markUncertain(why string) {
	if t.Doubt == "" {
		t.Doubt = why
	}
}

// noteOther notes that the table may have constraints that were not understood.
func (t *Table) noteOther(what string) {
	if len(t.Other) < maxNotes {
		t.Other = append(t.Other, what)
	}
}

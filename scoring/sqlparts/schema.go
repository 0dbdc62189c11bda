package sqlparts

import "strings"

// Schema holds the tables that DDL defines. Its users need opposite guarantees: a proof may use only facts that are
// certain, and a counterexample must respect all facts that may hold. So each uncertain fact is marked.
type Schema struct {
	Dialect Dialect
	Tables  []*Table
	Views   []Name
	Types   []string // types and domains that the DDL creates, in lower case
	Other   []string // statements that may change the rows of any table, such as a trigger
	Doubt   string   // why no definition is certain; empty if the definitions are read completely
}

// Table is one table, with its keys, foreign keys and checks.
type Table struct {
	Name    Name
	Columns []*ColumnDef
	Keys    []*Key // the primary key first
	Foreign []*ForeignKey
	Checks  []Expr
	Other   []string // constraints that were not understood, and may restrict the table further
	Doubt   string   // why its definition, including its columns, is not certain; empty if it is certain

	text      string // the text of the definition
	inherited bool   // a query of it also returns rows of the tables that inherit from it
}

// ColumnDef is one column of a table.
type ColumnDef struct {
	Name    Ident
	Type    string // as declared, in lower case; empty if it is not known
	NotNull bool   // the column certainly or possibly holds no NULL
	Sure    bool   // NotNull is certain
	Note    string // a special property of its values, such as a collation
	Alike   bool   // the table may have another column of the same name

	stated bool // NOT NULL is declared, so that it holds without the primary key too
}

// Key is a set of columns whose values are unique among a table's rows. Rows with a NULL in one of the columns are
// exempt.
type Key struct {
	Columns []*ColumnDef
	Primary bool
	Sure    bool // false: it may hold only for some rows, be dropped, or be of another table
	name    string
}

// ForeignKey states that the values of Columns occur in the columns Target of the table To, unless one is NULL.
type ForeignKey struct {
	Columns []*ColumnDef
	To      *Table
	Target  []*ColumnDef
	Sure    bool
	name    string
}

// Fold returns a form of an identifier that is equal for identifiers that mean the same in the dialect: in lower case
// where the dialect ignores case. table reports whether the identifier names a table.
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

// Path returns the parts of a table's name. In BigQuery it splits a part at its dots, since one pair of quotes may
// enclose several parts.
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

// likeness is whether two identifiers mean the same.
type likeness uint8

const (
	different likeness = iota
	perhaps            // it depends on settings of the engine, or on parts that one of the names lacks
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

// foldAlike reports whether [Dialect.Fold] returns the same for two identifiers that differ at most in letter case.
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

// names returns whether two table names mean the same table. If one has fewer parts, the result is at most perhaps.
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

// SameTable reports whether two names may mean the same table, and whether they must. Parts that one of them lacks may
// have any value.
func (d Dialect) SameTable(a, b Name) (may, must bool) {
	l := d.names(a, b)
	return l > different, l == same
}

// Column returns the column with the name, or nil. sure is false if the table may have another column of that name, or
// if settings decide whether the names are equal.
func (t *Table) Column(d Dialect, name Ident) (c *ColumnDef, sure bool) {
	for _, o := range t.Columns {
		if l := d.likeness(name, o.Name, false); l > different && (c == nil || l == same) {
			c, sure = o, l == same && !o.Alike
		}
	}
	return c, sure
}

// markUncertain records why the definition of the table is not certain. The first reason is kept.
func (t *Table) markUncertain(why string) {
	if t.Doubt == "" {
		t.Doubt = why
	}
}

// noteOther records that the table has or may have a constraint that was not understood.
func (t *Table) noteOther(what string) {
	if len(t.Other) < maxNotes {
		t.Other = append(t.Other, what)
	}
}

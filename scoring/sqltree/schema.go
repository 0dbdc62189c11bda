package sqltree

import (
	"strings"

	"github.com/badger-eval/badger/internal/halt"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Schema holds the known tables of a database. Names are in lower case, without qualifiers.
type Schema struct {
	Tables map[string]*Table
	// Stated reports that the schema was given and is complete: a table that is not in it has no columns. Otherwise
	// columns are those that queries name, and keys are assumed by their names (see [Schema.Unique]).
	Stated bool
	// Halt stops computations with the schema when it is set; it may be nil.
	Halt *halt.Signal

	from *sqlparts.Schema
}

// Table is one table.
type Table struct {
	Name     sqlparts.Name // as in the definition
	Columns  []string      // in the order of the table
	Primary  []string      // the columns of the primary key
	Doubtful bool          // its columns may differ, and nothing else about it is known

	types   map[string]string
	special map[string]bool // columns with a nondefault comparison
	has     map[string]bool // set of the names in Columns
	unique  map[string]bool
	notNull map[string]bool   // columns without NULL, including primary keys of SQLite, which rarely contain NULL
	stated  map[string]bool   // columns that certainly contain no NULL
	foreign map[string]Column // columns of foreign keys to the columns to which they refer
}

// Column names a column of a base table.
type Column struct{ Table, Name string }

func (s *Schema) table(name string) *Table {
	t := s.Tables[name]
	if t == nil {
		t = &Table{unique: map[string]bool{}, notNull: map[string]bool{}, stated: map[string]bool{},
			foreign: map[string]Column{}, types: map[string]string{}, special: map[string]bool{}, has: map[string]bool{}}
		if s.Tables == nil {
			s.Tables = map[string]*Table{}
		}
		s.Tables[name] = t
	}
	return t
}

// add adds a column, unless the table has it or has maxColumns columns.
func (t *Table) add(column string) {
	if !t.has[column] && len(t.Columns) < maxColumns {
		t.Columns, t.has[column] = append(t.Columns, column), true
	}
}

// Has reports whether the table has a column.
func (t *Table) Has(column string) bool { return t.has[column] }

// maxColumns is the maximum number of columns that are recorded for a table.
const maxColumns = 10_000

// has reports whether a table has a column. known is false if the table's columns are not certainly known.
func (s *Schema) has(table, column string) (has, known bool) {
	t := s.Tables[table]
	if t != nil && t.has[column] {
		return true, true
	}
	return false, s.Stated && t != nil && !t.Doubtful
}

// Unique reports whether no two rows of the table have the same value in the column. If no schema is stated, a column
// is assumed to be the key of its table if its name is id, or the singular or plural name of the table followed by id:
// customer_id of customers.
func (s *Schema) Unique(c Column) bool {
	if t := s.Tables[c.Table]; s.Stated {
		return t != nil && t.unique[c.Name]
	}
	return keyName(c)
}

// NotNull reports whether the column is never NULL in its table. If no schema is stated, a column is assumed to be the
// key of its table as in [Schema.Unique], and not NULL.
func (s *Schema) NotNull(c Column) bool {
	if t := s.Tables[c.Table]; s.Stated {
		return t != nil && t.notNull[c.Name]
	}
	return keyName(c)
}

// Holds reports whether the schema states with certainty that the column is never NULL.
func (s *Schema) Holds(c Column) bool {
	t := s.Tables[c.Table]
	return s.Stated && t != nil && t.stated[c.Name]
}

// Distinct reports whether the schema states that no two rows of the table have the same value in the column.
func (s *Schema) Distinct(c Column) bool { return s.Stated && s.Unique(c) }

// Type returns the first word of the column's type in the schema, in lower case and without the part in parentheses; ""
// if it is unknown.
func (s *Schema) Type(c Column) string {
	if t := s.Tables[c.Table]; t != nil {
		return t.types[c.Name]
	}
	return ""
}

// Special reports whether the schema notes something special about the column's values, such as a collation.
func (s *Schema) Special(c Column) bool {
	t := s.Tables[c.Table]
	return t != nil && t.special[c.Name]
}

// References returns the column to which the foreign key c refers. It returns false if c is not a foreign key.
func (s *Schema) References(c Column) (Column, bool) {
	if t := s.Tables[c.Table]; t != nil {
		to, ok := t.foreign[c.Name]
		return to, ok
	}
	return Column{}, false
}

func keyName(c Column) bool {
	if c.Name == "id" {
		return true
	}
	rest, ok := strings.CutSuffix(c.Name, "id")
	if !ok {
		return false
	}
	rest = strings.TrimRight(rest, "_")
	return rest != "" && (rest == c.Table || rest == singular(c.Table))
}

// singular returns the singular of an English noun, judging by its ending.
func singular(s string) string {
	switch {
	case strings.HasSuffix(s, "ies"):
		return s[:len(s)-3] + "y"
	case strings.HasSuffix(s, "sses"), strings.HasSuffix(s, "ches"), strings.HasSuffix(s, "xes"):
		return s[:len(s)-2]
	case strings.HasSuffix(s, "s") && !strings.HasSuffix(s, "ss"):
		return s[:len(s)-1]
	}
	return s
}

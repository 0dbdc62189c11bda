package counterexample

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// ReadSchema reads DDL as [schemaOf] does.
func ReadSchema(ddl string, d sqlparts.Dialect) *Schema {
	return schemaOf(sqlparts.ReadSchema(ddl, d), d)
}

// schemaOf returns what may hold of the tables of a schema, certain or not, as a database has to
// respect it.
func schemaOf(from *sqlparts.Schema, d sqlparts.Dialect) *Schema {
	s := &Schema{bad: from.Doubt, views: from.Views}
	if len(from.Besides) > 0 {
		s.bad = from.Besides[0]
	}
	tables := map[*sqlparts.Table]*Table{}
	columns := map[*sqlparts.ColumnDef]*Column{}
	all := func(defs []*sqlparts.ColumnDef) (out []*Column) {
		for _, c := range defs {
			out = append(out, columns[c])
		}
		return out
	}
	for _, def := range from.Tables {
		t := &Table{Name: def.Name.Last().Text, names: def.Name, Checks: def.Checks, bad: def.Doubt}
		if len(def.Besides) > 0 {
			t.refuse(def.Besides[0])
		}
		for _, c := range def.Columns {
			col := &Column{Name: c.Name.Text, Declared: c.Type, NotNull: c.NotNull, table: t}
			col.typed(d)
			if base, _, _ := strings.Cut(c.Type, "("); slices.Contains(from.Types, strings.TrimSpace(base)) {
				col.bad = "values of type " + base
			}
			if c.Note != "" {
				col.bad = c.Note
			}
			if c.Alike { // names differ in the engine by more than case
				t.refuse("two columns of the name " + c.Name.Text)
			}
			columns[c] = col
			t.Columns = append(t.Columns, col)
		}
		for _, k := range def.Keys {
			t.Unique = append(t.Unique, all(k.Columns))
		}
		tables[def] = t
		s.Tables = append(s.Tables, t)
	}
	for _, def := range from.Tables {
		for _, f := range def.Foreign {
			t := tables[def]
			t.Foreign = append(t.Foreign, Foreign{Columns: all(f.Columns), To: tables[f.To], Target: all(f.Target)})
		}
	}
	return s
}

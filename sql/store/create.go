package store

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// Create is everything that creates badger's schema, tables and views in a warehouse. All
// statements can be run again.
func Create(d driver.Dialect) []string {
	out := []string{createSchema()}
	for i := range Tables {
		out = append(out, Tables[i].Create(d))
	}
	out = append(out, Indexes(d)...)
	for i := range Views {
		out = append(out, Views[i].Create(Reader{Dialect: d}))
	}
	return append(out, MarkVersion(d))
}

// createSchema creates the schema.
func createSchema() string { return "CREATE SCHEMA IF NOT EXISTS " + Schema }

// Create creates the table.
func (t *Table) Create(d driver.Dialect) string {
	cols := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		cols[i] = c.Name + " " + d.Types[c.Type]
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (%s)", t.FullName(), strings.Join(cols, ", "))
}

// addColumn adds a column that a table of an earlier version lacks.
func (t *Table) addColumn(d driver.Dialect, c Column) string {
	return "ALTER TABLE " + t.FullName() + " ADD COLUMN " + c.Name + " " + d.Types[c.Type]
}

// Indexes create unique indexes on the keys of the tables that only badger writes, where the
// warehouse has indexes. The tables that users fill get none: an index would refuse rows that a run
// reports by name.
func Indexes(d driver.Dialect) []string {
	if d.KeyIndex == nil {
		return nil
	}
	var out []string
	for _, t := range Tables {
		if !t.Input {
			out = append(out, d.KeyIndex(Schema, t.Name, t.Key))
		}
	}
	return out
}

// Create creates the view, or replaces it.
func (v *View) Create(r Reader) string {
	return fmt.Sprintf("CREATE OR REPLACE VIEW %s.%s AS %s", Schema, v.Name, v.Query(r))
}

// replaceViewsAtOnce replaces the existing views, all or none, in PostgreSQL. It cannot replace a view whose columns
// changed: it drops that one first, with the later views, which may read it. A view that is read by a user's view
// cannot be dropped, and need not be if that user's view reads none of the replaced ones.
func replaceViewsAtOnce(r Reader) string {
	var b strings.Builder
	b.WriteString("DO $badger$ BEGIN\n")
	for i := range Views {
		create := Views[i].Create(r) + ";\n"
		b.WriteString("BEGIN\n  " + create + "EXCEPTION WHEN invalid_table_definition THEN\n")
		for j := len(Views) - 1; j > i; j-- {
			b.WriteString("  BEGIN " + Views[j].Drop() + "; EXCEPTION WHEN dependent_objects_still_exist THEN NULL; END;\n")
		}
		b.WriteString("  " + Views[i].Drop() + ";\n  " + create + "END;\n")
	}
	b.WriteString("END $badger$")
	return b.String()
}

// Drop drops the view.
func (v *View) Drop() string { return "DROP VIEW IF EXISTS " + Schema + "." + v.Name }

package store

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// Create returns all statements that create badger's schema, tables and views in a warehouse. All can be run again.
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

// createSchema returns the statement that creates the schema.
func createSchema() string { return "CREATE SCHEMA IF NOT EXISTS " + Schema }

// Create returns the statement that creates the table.
func (t *Table) Create(d driver.Dialect) string {
	cols := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		cols[i] = c.Name + " " + d.Types[c.Type]
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (%s)", t.FullName(), strings.Join(cols, ", "))
}

// addColumn returns the statement that adds a column to a table of an earlier version.
func (t *Table) addColumn(d driver.Dialect, c Column) string {
	return "ALTER TABLE " + t.FullName() + " ADD COLUMN " + c.Name + " " + d.Types[c.Type]
}

// Indexes returns the statements that create unique indexes on the keys of the tables that only badger writes; nil if
// the warehouse has no indexes. Tables that users fill get none, as an index would reject rows that a run reports as
// invalid.
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

// Create returns the statement that creates or replaces the view.
func (v *View) Create(r Reader) string {
	return fmt.Sprintf("CREATE OR REPLACE VIEW %s.%s AS %s", Schema, v.Name, v.Query(r))
}

// replaceViewsAtOnce returns a statement that replaces all existing views, or none, in PostgreSQL. PostgreSQL cannot
// replace a view whose columns changed: that one is dropped first, and the later views with it, as they may use it. A
// later view that a user's view uses cannot be dropped, and is kept if it uses none of the dropped ones.
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

// Drop returns the statement that drops the view.
func (v *View) Drop() string { return "DROP VIEW IF EXISTS " + Schema + "." + v.Name }

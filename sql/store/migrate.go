package store

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// Version is the version of the tables as [Tables] describes them. Every change of them raises it.
const Version = 6

// Migration is what brings tables to a version where adding tables and columns is not enough, which
// every installation does by itself. All of it may be done again: one that failed half-way is
// finished by the next.
type Migration struct {
	Version int64
	Doc     string
	Retype  []string // TABLE.COLUMN: their type becomes that of Tables, and values stay
	// Statements are what else is to be done in a dialect; nil is nothing.
	Statements func(d driver.Dialect) []string
}

// Migrations are all of them, the lowest first. Version 1 is the tables of the first release, which
// had no table schema_version.
var Migrations = []Migration{
	{
		Version: 2, Doc: "Results are text, an inline result or a reference; the first tables took JSON only.",
		Retype: []string{"golden_set.gold_result", "agent_runs.result"},
	},
	{
		Version: 3,
		Doc:     "A label names the version of the agent; the index on the key without it would refuse a second version's label.",
		Statements: func(d driver.Dialect) []string {
			if d.KeyIndex == nil {
				return nil
			}
			return []string{"DROP INDEX IF EXISTS " + Schema + ".human_labels_key"}
		},
	},
	{Version: 4, Doc: "Scores record the question and its accepted answers, so that a golden set that changed is seen."},
	{Version: 5,
		Doc: "Labels given in the web report have tables of their own, and the views count them beside human_labels."},
	{Version: 6, Doc: "The batches that someone accepted as a baseline have a table."},
}

// retype changes the type of a column to that of its description and keeps the values; "" if the
// warehouse cannot.
func (t *Table) retype(d driver.Dialect, c *Column) string {
	if d.Retype == nil {
		return ""
	}
	var drops []string
	for i := len(Views) - 1; i >= 0; i-- {
		drops = append(drops, Views[i].Drop())
	}
	return d.Retype(t.FullName(), c.Name, d.Types[c.Type], drops)
}

// MarkVersion writes the version of tables that a script created, without fingerprints of the views.
func MarkVersion(d driver.Dialect) string {
	return fmt.Sprintf("INSERT INTO %[1]s (version, reached_at) SELECT %[2]d, CURRENT_TIMESTAMP FROM (SELECT 1 AS one) o WHERE NOT EXISTS (SELECT 1 FROM %[1]s WHERE version >= %[2]d)",
		TableNamed("schema_version").FullName(), Version)
}

// Statement is one of an upgrade.
type Statement struct {
	SQL   string
	Table string // which it changes; "" for views
	// Optional reports that the table may be a user's own, which is unchanged if the statement fails.
	Optional bool
}

// upgrade brings what was found to the present version, as far as tables go: views are created after
// it. Nothing needs to be done where it is empty.
func (f *Found) upgrade(d driver.Dialect) (out []Statement) {
	created := false
	for i := range Tables {
		t := &Tables[i]
		there, is := f.Tables[t.Name]
		if !is {
			created = true
			out = append(out, Statement{t.Create(d), t.Name, false})
			continue
		}
		for _, c := range t.Columns {
			if _, has := there[c.Name]; !has {
				out = append(out, Statement{t.addColumn(d, c), t.Name, t.Input})
			}
		}
	}
	old := f.Version > 0 && f.Version < Version
	if old {
		for i := range Migrations {
			if m := &Migrations[i]; m.Version > f.Version {
				out = append(out, m.statements(d, f)...)
			}
		}
	}
	if created || old {
		for _, sql := range Indexes(d) {
			out = append(out, Statement{SQL: sql})
		}
	}
	return out
}

func (m *Migration) statements(d driver.Dialect, f *Found) (out []Statement) {
	dropped := d.ViewsAtOnce // Retype drops them if it must
	for _, name := range m.Retype {
		t, c := named(name)
		has, there := f.Tables[t.Name][c.Name]
		sql := t.retype(d, c)
		if !there || has.Type == c.Type || sql == "" {
			continue
		}
		if !dropped { // a view may use the column
			for i := len(Views) - 1; i >= 0; i-- {
				out = append(out, Statement{SQL: Views[i].Drop()})
			}
			dropped = true
		}
		out = append(out, Statement{sql, t.Name, t.Input})
	}
	if m.Statements != nil {
		for _, sql := range m.Statements(d) {
			out = append(out, Statement{SQL: sql})
		}
	}
	return out
}

// named is a column by TABLE.COLUMN.
func named(name string) (*Table, *Column) {
	table, column, _ := strings.Cut(name, ".")
	t := TableNamed(table)
	return t, t.column(column)
}

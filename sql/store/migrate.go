package store

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// Version is the version of the tables that [Tables] describes. Every change of them increases it.
const Version = 8

// Migration upgrades tables to a version that needs more than new tables and columns, which every installation adds. It
// is idempotent: after a failure, the next installation completes it.
type Migration struct {
	Version int64
	Doc     string
	Retype  []string // TABLE.COLUMN, whose types become those in Tables; values are kept
	// Statements returns further statements of the migration; it may be nil.
	Statements func(d driver.Dialect) []string
}

// Migrations lists all migrations, the lowest version first. Version 1 is the tables of the first release, which had no
// table schema_version.
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
	{Version: 7, Doc: "The schedule and its alerts have tables, and the log names the batch. Deletions are recorded in a table. " +
		"Runs record when their answers were given, so that batches of case files have a date. " +
		"Answers have the earlier turns of their conversation, and views count right turns."},
	{Version: 8, Doc: "Answers have the tokens and the money that they took, and a view has the cost of right answers. " +
		"Answers and golden answers have charts, and answers the passages that were retrieved. " +
		"The verdicts of judges on sentinel cases have a table. Scores record the answer."},
}

// retype returns the statement that changes a column's type to that in its description and keeps the values; "" if the
// warehouse has none.
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

// MarkVersion returns the statement that records the version of tables created by a script, without fingerprints of the
// views.
func MarkVersion(d driver.Dialect) string {
	return fmt.Sprintf("INSERT INTO %[1]s (version, reached_at) SELECT %[2]d, CURRENT_TIMESTAMP FROM (SELECT 1 AS one) o WHERE NOT EXISTS (SELECT 1 FROM %[1]s WHERE version >= %[2]d)",
		TableNamed("schema_version").FullName(), Version)
}

// Statement is a statement of an upgrade.
type Statement struct {
	SQL   string
	Table string // the table that it changes; "" for views and indexes
	// Optional reports that failure is ignored, as the table may be a user's own.
	Optional bool
}

// upgrade returns the statements that bring the tables to the current version; views are created after them. It is
// empty if the tables are current.
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
	dropped := d.ViewsAtOnce // Retype drops views if necessary
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

// named returns the table and the column of TABLE.COLUMN.
func named(name string) (*Table, *Column) {
	table, column, _ := strings.Cut(name, ".")
	t := TableNamed(table)
	return t, t.column(column)
}

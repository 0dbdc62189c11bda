package store

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// look returns a query without rows whose result shows the table's columns and types.
func (t *Table) look() string { return "SELECT * FROM " + t.FullName() + " WHERE 1 = 0" }

// Drop returns the statement that drops the table.
func (t *Table) Drop() string { return "DROP TABLE " + t.FullName() }

// TryWrite returns statements that change no row and fail if the table must not be written to.
func (t *Table) TryWrite() []string {
	full, column := t.FullName(), t.Columns[0].Name
	return []string{
		"INSERT INTO " + full + " (" + column + ") SELECT " + column + " FROM " + full + " WHERE 1 = 0",
		"UPDATE " + full + " SET " + column + " = " + column + " WHERE 1 = 0",
	}
}

// fillKey returns the statement that replaces NULL in the keys of a run's rows with the empty string, which MERGE
// distinguishes. The run's ID is the parameter.
func (t *Table) fillKey(d driver.Dialect) string {
	var set, null []string
	for _, name := range t.Key {
		if name != "eval_run_id" {
			set = append(set, name+" = COALESCE("+name+", '')")
			null = append(null, name+" IS NULL")
		}
	}
	return "UPDATE " + t.FullName() + " SET " + strings.Join(set, ", ") + " WHERE eval_run_id = " + d.Param(1) + " AND (" +
		strings.Join(null, " OR ") + ")"
}

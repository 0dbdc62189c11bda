package store

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// look is a query of no rows that shows a table's columns and their types.
func (t *Table) look() string { return "SELECT * FROM " + t.FullName() + " WHERE 1 = 0" }

// Drop drops the table.
func (t *Table) Drop() string { return "DROP TABLE " + t.FullName() }

// TryWrite are statements that change no row: they fail where the table may not be written to.
func (t *Table) TryWrite() []string {
	full, column := t.FullName(), t.Columns[0].Name
	return []string{
		"INSERT INTO " + full + " (" + column + ") SELECT " + column + " FROM " + full + " WHERE 1 = 0",
		"UPDATE " + full + " SET " + column + " = " + column + " WHERE 1 = 0",
	}
}

// fillKey replaces NULL in the key of a run's rows by the empty string that it stands for: a MERGE distinguishes
// them. The run's name is the parameter.
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

package store

import (
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
)

// The statements that package connectors runs over badger's tables. Those that read cases are in
// cases.go. Each names its columns in the order in which its reader takes them.

// Look is a query of no rows that shows a table's columns and their types.
func (t *Table) Look() string { return "SELECT * FROM " + t.FullName() + " WHERE 1 = 0" }

// All reads columns of a whole table.
func (t *Table) All(columns, order string) string {
	return "SELECT " + columns + " FROM " + t.FullName() + " ORDER BY " + order
}

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

// FillKey replaces NULL in the key of a run's rows by the empty string that it stands for: a MERGE distinguishes
// them. The run's name is the parameter.
func (t *Table) FillKey(d driver.Dialect) string {
	var set, null []string
	for _, name := range t.Key {
		if name != "eval_run_id" {
			set = append(set, name+" = COALESCE("+name+", '')")
			null = append(null, name+" IS NULL")
		}
	}
	return "UPDATE " + t.FullName() + " SET " + strings.Join(set, ", ") + " WHERE eval_run_id = " + d.Param(1) + " AND (" + strings.Join(null, " OR ") + ")"
}

// RowsOfRun chooses the rows of eval_runs of a run, whose name is the parameter: what follows the
// columns of the statement.
func RowsOfRun(d driver.Dialect) string {
	return `
FROM badger.eval_runs WHERE eval_run_id = ` + d.Param(1) + " ORDER BY agent_name, agent_version, batch_id"
}

// LatestRuns reads the names of the runs, when they started and whether all of their rows are done,
// the latest first.
func LatestRuns() string {
	return `SELECT eval_run_id, MAX(eval_run_date) AS started, MIN(CASE WHEN status = 'done' THEN 1 ELSE 0 END) AS done
FROM badger.eval_runs GROUP BY eval_run_id ORDER BY 2 DESC, 1 DESC`
}

// Versions reads the versions of the tables, the highest first.
func Versions() string {
	return "SELECT version, badger, views FROM badger.schema_version ORDER BY version DESC"
}

// JudgesNamed reads the versions of promoted judges: all, or those of the name that is the parameter.
func JudgesNamed(d driver.Dialect, one bool) string {
	where := ""
	if one {
		where = " WHERE name = " + d.Param(1)
	}
	return "SELECT name, version, kind, source, hash, promoted_at, promoted_by, tested FROM badger.judges" + where + " ORDER BY name, version"
}

// AssessmentFilter chooses assessments. Empty fields choose all.
type AssessmentFilter struct {
	ID            string
	IDs           []string // any of these; what scores rest on
	RequestHashes []string // any of these; what the ledger asks for
	Kind          string
	Backend       string
}

// Assessments reads the assessments that a filter chooses, the oldest first.
func Assessments(d driver.Dialect, f AssessmentFilter) (query string, args []any) {
	param := func(v any) string {
		args = append(args, v)
		return d.Param(len(args))
	}
	var conds []string
	for _, c := range []struct{ column, value string }{{"assessment_id", f.ID}, {"kind", f.Kind}, {"backend", f.Backend}} {
		if c.value != "" {
			conds = append(conds, c.column+" = "+param(c.value))
		}
	}
	if len(f.IDs) > 0 {
		conds = append(conds, "assessment_id IN ("+params(d, &args, f.IDs)+")")
	}
	if len(f.RequestHashes) > 0 {
		conds = append(conds, "request_hash IN ("+params(d, &args, f.RequestHashes)+")")
	}
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	return `SELECT assessment_id, kind, backend, model, prompt_version, request_hash, reply, tokens_in, tokens_out, latency_ms, created_at, detail, payer
FROM badger.assessments` + where + " ORDER BY created_at, assessment_id", args
}

// PaidBy sums calls and tokens of the assessments that were recorded for a payer from a time on, by
// backend and model.
func PaidBy(d driver.Dialect, payer string, from time.Time) (query string, args []any) {
	sum := func(column string) string {
		return "CAST(COALESCE(SUM(" + column + "), 0) AS " + d.Types[driver.BigInt] + ")"
	}
	return "SELECT backend, model, " + sum("1") + ", " + sum("tokens_in") + ", " + sum("tokens_out") + " FROM badger.assessments WHERE payer = " + d.Param(1) +
		" AND created_at >= " + d.Param(2) + " GROUP BY backend, model ORDER BY backend, model", []any{payer, from.UTC()}
}

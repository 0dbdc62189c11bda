package demo

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// setVersion is the version of the golden set, as stored in golden_set.set_version.
const setVersion = "demo-1"

// annotator is the name under which [Annotate] stores its labels.
const annotator = "demo expert"

// The columns of the tables, in the order of the values that execute and Annotate write.
const (
	goldenColumns = "case_id, question, evidence, schema_ddl, dialect, gold_sql, gold_result, expected_tools, expected_clarifications, expected_behaviour, tags, set_version"
	runColumns    = "agent_name, agent_version, batch_id, case_id, interpretation, sql, result, sql_error, tool_calls, response, latency_ms, gold_latency_ms, ran_at, tokens_in, tokens_out, cost_usd, chart"
	labelColumns  = "case_id, agent_name, batch_id, annotator, verdict, note, labelled_at, agent_version"
)

// Populate executes the gold query of every case and the query of every answer on the warehouse of [Build], and writes
// the golden set and the answers to the existing tables <schema>.golden_set and <schema>.agent_runs. Lists and results
// are JSON text. Queries that would destroy data are stored but not executed: they have neither a result nor an error.
// Latencies and times are part of the data. Rows of an earlier call are replaced.
func Populate(ctx context.Context, db *sql.DB, schema string) error {
	golden, runs, err := execute(ctx, db)
	if err != nil {
		return err
	}
	if err := replace(ctx, db, schema, table{"golden_set", goldenColumns, "case_id, set_version"}, golden); err != nil {
		return err
	}
	return replace(ctx, db, schema, table{"agent_runs", runColumns, "agent_name, batch_id, case_id"}, runs)
}

// Annotate writes a label for every answer, pass or fail with the reason, to the existing table <schema>.human_labels.
// Rows of an earlier call are replaced.
func Annotate(ctx context.Context, db *sql.DB, schema string) error {
	var rows [][]any
	for _, a := range Answers() {
		verdict := "fail"
		if a.Human.Label {
			verdict = "pass"
		}
		rows = append(rows,
			[]any{a.CaseID, a.Agent.Name, a.Agent.BatchID, annotator, verdict, a.Note.Why, a.Agent.RanAt, a.Agent.Version})
	}
	return replace(ctx, db, schema,
		table{"human_labels", labelColumns, "case_id, agent_name, agent_version, batch_id, annotator"}, rows)
}

// execute runs the queries that may run, and returns the rows of golden_set and agent_runs.
func execute(ctx context.Context, db *sql.DB) (golden, runs [][]any, err error) {
	s, err := openSession(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	defer s.close()
	for _, c := range Golden() {
		var query, result any
		if c.Gold != nil {
			snap, err := s.execute(ctx, c.Gold.SQL)
			if err != nil {
				return nil, nil, fmt.Errorf("gold query of case %s: %w", c.ID, err)
			}
			query, result = c.Gold.SQL, jsonText(snap)
		}
		golden = append(golden,
			[]any{c.ID, c.Question, textOrNull(c.Evidence), SchemaDDL(c.Tag("domain")), c.Dialect, query, result,
				jsonText(list(c.Expected.Tools)), jsonText(list(c.Expected.Clarifications)), c.Expected.Behaviour, jsonText(c.Tags),
				setVersion})
	}
	for _, a := range Answers() {
		var result, sqlError, goldLatency any
		if a.Note.Execution == Runs || a.Note.Execution == Fails {
			snap, err := s.execute(ctx, a.Agent.SQL)
			var refused *QueryError
			switch {
			case err == nil:
				result = jsonText(snap)
			case errors.As(err, &refused):
				sqlError = refused.Text
			default:
				return nil, nil, fmt.Errorf("query of case %s, version %s: %w", a.CaseID, a.Agent.Version, err)
			}
		}
		if a.Gold.LatencyMS > 0 {
			goldLatency = a.Gold.LatencyMS
		}
		runs = append(runs,
			[]any{a.Agent.Name, a.Agent.Version, a.Agent.BatchID, a.CaseID, a.Agent.Interpretation, textOrNull(a.Agent.SQL),
				result, sqlError,
				jsonText(a.Agent.ToolCalls), a.Agent.Response, a.Agent.LatencyMS, goldLatency, a.Agent.RanAt,
				numberOrNull(a.Agent.TokensIn), numberOrNull(a.Agent.TokensOut), numberOrNull(a.Agent.CostUSD),
				textOrNull(string(a.Agent.Chart))})
	}
	return golden, runs, nil
}

// table describes a table to write: its columns, and those of its key, both separated by ", ".
type table struct{ name, columns, key string }

// replace deletes the rows with the keys of the given rows, then inserts these in a second transaction: DuckDB keeps
// the deleted keys of a table with a primary key until the transaction ends.
func replace(ctx context.Context, db *sql.DB, schema string, t table, rows [][]any) error {
	name := quote(schema) + "." + t.name
	at := map[string]int{}
	for i, c := range strings.Split(t.columns, ", ") {
		at[c] = i
	}
	keys := strings.Split(t.key, ", ")
	insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", name, t.columns, strings.Repeat(", ?", len(at)-1))
	remove := fmt.Sprintf("DELETE FROM %s WHERE (%s) = (?%s)", name, t.key, strings.Repeat(", ?", len(keys)-1))
	keyOf := func(row []any) []any {
		out := make([]any, len(keys))
		for i, k := range keys {
			out[i] = row[at[k]]
		}
		return out
	}
	if err := forEach(ctx, db, remove, rows, keyOf); err != nil {
		return failed(err, "deleting earlier rows of %s", t.name)
	}
	if err := forEach(ctx, db, insert, rows, func(row []any) []any { return row }); err != nil {
		return failed(err, "writing %s", t.name)
	}
	return nil
}

// forEach runs a statement once for every row, in one transaction; args returns its parameters.
func forEach(ctx context.Context, db *sql.DB, statement string, rows [][]any, args func(row []any) []any) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it has nothing to do
	stmt, err := tx.PrepareContext(ctx, statement)
	if err != nil {
		return err
	}
	defer stmt.Close() //nolint:errcheck // the transaction decides
	for _, row := range rows {
		if _, err := stmt.ExecContext(ctx, args(row)...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// jsonText encodes a value as JSON without HTML escapes.
func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // lists of strings and snapshots always encode
		panic(errcode.New(errcode.Internal, "demo: %w", err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// list returns s, or an empty slice for nil, which JSON encodes as [] instead of null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// numberOrNull returns the number that n points to, or nil. A decimal is returned as text, so that it stays exact.
func numberOrNull[T int64 | json.Number](n *T) any {
	if n == nil {
		return nil
	}
	switch n := any(*n).(type) {
	case json.Number:
		return n.String()
	default:
		return n
	}
}

// quote returns name as a quoted SQL identifier.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

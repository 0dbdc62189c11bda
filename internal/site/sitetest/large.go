//go:build !no_duckdb

package sitetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Size is the size of a large store.
type Size struct {
	Cases   int
	Metrics int // at most as many as the small store has: 60
	Runs    int // of versions 1.0, 2.0, 1.1, 2.1, … of the agent; 0 is 1
}

// Large creates a store of the given size in a temporary directory of the test. Its rows repeat those of the small
// store with other case IDs and figures. 6 million scores take about 20 seconds.
func Large(tb testing.TB, s Size) *store.Store {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "large.duckdb")
	if err := s.Fill(tb.Context(), path); err != nil {
		tb.Fatal(err)
	}
	return Open(tb, path)
}

// Wide creates a store with one case, [WideCase], in the run [Plain]. Its two results have rows x columns; every
// hundredth cell differs, and the rows have another order. Wide returns the path of the file.
func Wide(tb testing.TB, rows, columns int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "wide.duckdb")
	w := Open(tb, path)
	defer w.Close()
	if err := fillWide(tb.Context(), w, rows, columns); err != nil {
		tb.Fatal(err)
	}
	return path
}

// WideCase is the ID of the case in a store that [Wide] creates.
const WideCase = "wide"

func fillWide(ctx context.Context, w *store.Store, rows, columns int) error {
	if err := w.Install(ctx); err != nil {
		return err
	}
	result := func(answer bool) (*scoring.Table, error) {
		out := make([]scoring.Column, columns)
		for c := range out {
			kind := scoring.Int64
			if c%2 == 1 {
				kind = scoring.String
			}
			b := scoring.NewBuilder(fmt.Sprintf("column %d", c+1), kind, rows)
			for i := range rows {
				r := i
				if answer {
					r = rows - 1 - i
				}
				v := int64(r*columns+c) * 7919
				if answer && c > 0 && (r*columns+c)%100 == 0 {
					v++
				}
				if kind == scoring.Int64 {
					b.AppendInt(v)
				} else if err := b.AppendText(kind, fmt.Appendf(nil, "text %d of some length", v)); err != nil {
					return nil, err
				}
			}
			out[c] = b.Column()
		}
		return scoring.NewTable(out...)
	}
	gold, err := result(false)
	if err != nil {
		return err
	}
	pred, err := result(true)
	if err != nil {
		return err
	}
	c := &scoring.Case{
		ID: WideCase, Question: "Show everything.", Dialect: "duckdb",
		Golds: []scoring.Query{{SQL: "SELECT * FROM t", Result: scoring.Result{Table: gold}, Ran: true}},
		Pred:  scoring.Query{SQL: "SELECT * FROM t ORDER BY 1 DESC", Result: scoring.Result{Table: pred}, Ran: true},
		Agent: scoring.Agent{Name: Plain.Agent, Version: Plain.Version, BatchID: Plain.Batch},
	}
	if err := w.WriteCases(ctx, "v1", []*scoring.Case{c}); err != nil {
		return err
	}
	r := Run{ID: Plain.ID, Started: began, Metrics: []string{"hybrid_ex", "relation", "verdict", "row_f1"}}
	return r.Score(ctx, w)
}

// RunID returns the eval_run_id of run i of a large store, counted from 0. Its agent is atlas, its version
// [AgentVersion] and its batch [BatchID].
func RunID(i int) string { return fmt.Sprintf("large-%d", i+1) }

// AgentVersion returns the agent version whose answers run i of a large store scored.
func AgentVersion(i int) string { return fmt.Sprintf("%d.%d", i%2+1, i/2) }

// BatchID returns the batch whose answers run i of a large store scored.
func BatchID(i int) string { return fmt.Sprintf("night-%02d", i+1) }

// CaseID returns the ID of case i of a large store, counted from 0.
func CaseID(i int) string { return fmt.Sprintf("case-%06d", i) }

// Fill creates the store in a file, which must not exist yet.
func (s Size) Fill(ctx context.Context, path string) error {
	original, err := small()
	if err != nil {
		return err
	}
	w, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Install(ctx); err != nil {
		return err
	}
	from := path + ".small"
	if err := os.WriteFile(from, original, 0o600); err != nil {
		return err
	}
	defer os.Remove(from) //nolint:errcheck // what is left is a temporary file
	// One call is one session, and a database is attached to a session. The columns are taken from the
	// tables, so that a new one needs nothing here.
	statements := []string{"ATTACH '" + strings.ReplaceAll(from, "'", "''") + "' AS small (READ_ONLY)", templates,
		fmt.Sprintf(keep, s.Metrics)}
	insert := func(table, columns, rows string) {
		statements = append(statements,
			"INSERT INTO badger."+table+" BY NAME SELECT t.* EXCLUDE (k) REPLACE ("+columns+") FROM "+rows)
	}
	c := fmt.Sprintf("range(%d) c ", s.Cases)
	const id = "printf('case-%06d', c.range) AS case_id"
	insert("golden_set", id+", t.question || ' (' || c.range || ')' AS question",
		c+"JOIN golden t ON t.k = c.range % cases()")
	for i := range max(1, s.Runs) {
		version := fmt.Sprintf("'%s' AS agent_version, '%s' AS batch_id", AgentVersion(i), BatchID(i))
		of := fmt.Sprintf("t.k = c.range %% cases() AND t.agent_version = '%d.0'", i%2+1)
		insert("agent_runs", id+", "+version, c+"JOIN runs t ON "+of)
		insert("human_labels", id+", "+version, c+"JOIN labels t ON "+of+" WHERE c.range % 10 = 0")
		insert("scores", fmt.Sprintf(`%s, %s, '%s' AS eval_run_id,
			CASE WHEN t.passed IS DISTINCT FROM true AND t.value BETWEEN 0 AND 1 THEN t.value * (1 - (c.range %% 997) / 10000) ELSE t.value END AS value,
			CASE WHEN t.status = 'ok' THEN regexp_replace(t.reason, '[0-9]+', (c.range %% 211)::VARCHAR) ELSE t.reason END AS reason`, id, version, RunID(i)),
			c+"JOIN scored t ON "+of)
		insert("eval_runs",
			fmt.Sprintf("'%s' AS eval_run_id, %s, t.eval_run_date + INTERVAL (%d) DAY AS eval_run_date", RunID(i), version, i),
			fmt.Sprintf("begun t WHERE t.agent_version = '%d.0'", i%2+1))
	}
	if err := w.Exec(ctx, strings.Join(append(statements, "DETACH small"), ";\n")); err != nil {
		return errcode.New(errcode.Of(err), "making a store of %d cases: %w", s.Cases, err)
	}
	return nil
}

// templates creates temporary tables with the rows of the small store; k numbers its cases.
const templates = `
CREATE TEMP TABLE cases AS SELECT case_id, row_number() OVER (ORDER BY case_id) - 1 AS k FROM small.badger.golden_set;
CREATE TEMP MACRO cases() AS (SELECT count(*) FROM cases);
CREATE TEMP TABLE golden AS SELECT g.*, k FROM small.badger.golden_set g JOIN cases USING (case_id);
CREATE TEMP TABLE runs AS SELECT r.*, k FROM small.badger.agent_runs r JOIN cases USING (case_id) WHERE batch_id LIKE 'atlas%';
CREATE TEMP TABLE labels AS SELECT l.*, k FROM small.badger.human_labels l JOIN cases USING (case_id) WHERE batch_id LIKE 'atlas%';
CREATE TEMP TABLE begun AS SELECT r.*, 0 AS k FROM small.badger.eval_runs r WHERE eval_run_id LIKE 'night-%';
CREATE TEMP TABLE scored AS SELECT s.*, k FROM small.badger.scores s JOIN cases USING (case_id) WHERE eval_run_id LIKE 'night-%'`

// keep deletes the scores of all but the given number of metrics. Those that most pages show are kept first.
const keep = `DELETE FROM scored WHERE metric NOT IN
	(SELECT metric FROM (SELECT DISTINCT metric FROM scored) ORDER BY metric NOT IN ('hybrid_ex', 'verdict', 'relation'), metric LIMIT %d)`

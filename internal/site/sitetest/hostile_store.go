//go:build !no_duckdb

package sitetest

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// HostileStore creates a store in which every string is one of [Hostile]: questions, queries, names, cells, errors,
// judge replies, notes, and the names of cases, runs, agents, batches, tags and people. Case i is named after string i
// (see [HostileText.Called]). All cases are answered in the run [Plain], and those that [HasOwnRun] again in a separate
// run with such names. It returns the path of the file, which the test may change.
func HostileStore(tb testing.TB) string {
	tb.Helper()
	original, err := hostileStore()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "hostile.duckdb")
	if err := os.WriteFile(path, original, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// HasOwnRun reports whether case i of the hostile store is also answered in a separate run: one in four cases, or all
// if tests are thorough. Each run takes further statements to score and to show.
func HasOwnRun(i int) bool { return sample.Takes(i, len(Hostile()), 4) }

var hostileStore = sync.OnceValues(func() ([]byte, error) { return made(fillHostile) })

func fillHostile(ctx context.Context, w *store.Store, _ *sql.DB) error {
	if err := w.Install(ctx); err != nil {
		return err
	}
	texts := Hostile()
	at := func(i int) string { return texts[i%len(texts)].Text }
	called := func(i int) string { return texts[i%len(texts)].Called() }
	var cases []*scoring.Case
	var labels []store.Label
	for i := range texts {
		for _, plain := range []bool{true, false} {
			if !plain && !HasOwnRun(i) {
				continue
			}
			c, err := hostileCase(at, called(i), i)
			if err != nil {
				return err
			}
			c.Agent.Name, c.Agent.Version, c.Agent.BatchID = Plain.Agent, Plain.Version, Plain.Batch
			if !plain {
				c.Agent.Name, c.Agent.Version, c.Agent.BatchID = called(i), called(i+1), called(i+2)
			}
			cases = append(cases, c)
			for n, verdict := range []string{"pass", "fail"} {
				labels = append(labels,
					store.Label{AnswerID: c.AnswerID(), Annotator: at(i + n), Verdict: verdict, Note: at(i + 2 + n),
						At: began.Add(time.Duration(i) * time.Minute)})
			}
		}
	}
	if err := w.WriteCases(ctx, at(0), cases); err != nil {
		return err
	}
	if err := w.WriteLabels(ctx, labels...); err != nil {
		return err
	}
	metrics := append(
		[]string{"ex_bird", "soft_f1_bird", "row_f1", "component_f1", "component_f1_tables", "tool_recall", "schema_link_f1",
			"sql_safety"}, judged...)
	judge := &Judge{Says: func(asked uint64) string { return at(int(asked % uint64(len(texts)))) }, Malformed: 20}
	r := Run{ID: Plain.ID, Started: began, Metrics: metrics, Judge: judge}
	if err := r.Score(ctx, w); err != nil {
		return err
	}
	// The rows of other agents become separate runs, of the day after.
	return w.Exec(ctx, `
		UPDATE badger.scores SET eval_run_id = agent_name, scored_at = scored_at + INTERVAL 1 DAY WHERE agent_name <> 'atlas';
		UPDATE badger.eval_runs SET eval_run_id = agent_name, eval_run_date = eval_run_date + INTERVAL 1 DAY, judge = agent_name, mode = agent_name WHERE agent_name <> 'atlas';
		UPDATE badger.assessments SET model = (SELECT first(agent_name) FROM badger.eval_runs WHERE length(agent_name) < 200) WHERE kind = 'llm_ex'`)
}

// hostileCase returns case i. In some cases the results are equal, in others the answer has other rows and names, and
// in some its query failed.
func hostileCase(at func(int) string, id string, i int) (*scoring.Case, error) {
	gold, err := resultOf([]string{at(i), at(i + 1)}, []string{at(i), at(i + 1), at(i + 2)}, 3)
	if err != nil {
		return nil, err
	}
	pred, rows := gold, 3
	if i%3 > 0 {
		if i%3 == 2 {
			rows = 2
		}
		if pred, err = resultOf([]string{at(i + 3), at(i + 4), at(i + 5)}, []string{at(i), at(i + 1), at(i + 3)},
			rows); err != nil {
			return nil, err
		}
	}
	arguments, err := json.Marshal(map[string]string{at(i): at(i + 1)})
	if err != nil {
		return nil, err
	}
	c := &scoring.Case{
		ID: id, Question: at(i), Evidence: at(i + 1), Schema: "CREATE TABLE t (a TEXT); " + at(i+2), Database: at(i),
		Dialect: "duckdb", Tags: []string{at(i), at(i + 1), "tier:" + at(i)},
		Golds: []scoring.Query{
			{SQL: "SELECT a FROM t WHERE a = '" + at(i) + "'", Result: scoring.Result{Table: gold}, Ran: true}},
		Pred: scoring.Query{SQL: "SELECT b FROM t WHERE " + at(i) + " = " + at(i+1), Result: scoring.Result{Table: pred},
			Ran: true},
		Agent: scoring.Agent{Interpretation: at(i + 1), Response: at(i),
			ToolCalls: []scoring.ToolCall{{Name: at(i), Arguments: arguments}}},
	}
	if i%10 == 0 {
		c.Golds = append(c.Golds, scoring.Query{SQL: at(i + 6), Result: scoring.Result{Table: pred}, Ran: true})
	}
	if i%11 == 5 {
		c.Pred.Result, c.Pred.Error = scoring.Result{}, at(i)
	}
	return c, nil
}

// resultOf returns a result with columns of the given names and the given number of rows, filled with cells in
// rotation.
func resultOf(names, cells []string, rows int) (*scoring.Table, error) {
	columns := make([]scoring.Column, len(names))
	for c := range names {
		b := scoring.NewBuilder(strings.ToValidUTF8(names[c], "\ufffd"), scoring.String, rows)
		for r := range rows {
			if err := b.AppendText(scoring.String, []byte(strings.ToValidUTF8(cells[(r+c)%len(cells)], "\ufffd"))); err != nil {
				return nil, err
			}
		}
		columns[c] = b.Column()
	}
	return scoring.NewTable(columns...)
}

//go:build !no_duckdb

package sitetest

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/demo"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// Open opens the database file at path, and closes it when the test ends.
func Open(tb testing.TB, path string) *store.Store {
	tb.Helper()
	w, err := open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { w.Close() })
	return w
}

func open(ctx context.Context, path string) (*store.Store, error) {
	conn, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	return store.New(connectors.New(conn, duckdb.Dialect)), nil
}

// Shared returns the small store, which all tests that call Shared read together, with what it remembers. It cannot be
// written to. A test that writes, or that counts queries, calls [Small].
func Shared(tb testing.TB) *store.Store {
	tb.Helper()
	w, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// IsShared reports whether w is the store that [Shared] returns.
func IsShared(w *store.Store) bool { return w != nil && w == sharedStore.Load() }

var sharedStore atomic.Pointer[store.Store]

// shared opens the small store for reading, once per process. Its file is removed immediately, and the engine still
// reads it: no test knows that it is the last one.
var shared = sync.OnceValues(func() (*store.Store, error) {
	original, err := small()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sitetest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is a temporary file
	path := filepath.Join(dir, "small.duckdb")
	if err := os.WriteFile(path, original, 0o600); err != nil {
		return nil, err
	}
	o := duckdb.Options{Threads: threads()}
	o.ReadOnly = true
	conn, err := duckdb.OpenWith(context.Background(), path, o)
	if err != nil {
		return nil, err
	}
	w := store.New(connectors.New(conn, duckdb.Dialect))
	sharedStore.Store(w)
	return w, nil
})

func openFile(ctx context.Context, path string) (*duckdb.Conn, error) {
	return duckdb.OpenWith(ctx, path, duckdb.Options{Threads: threads()})
}

// threads returns the number of the engine's threads: one, since for small tables a second one costs more than it
// saves. In thorough tests the engine chooses, which is 0.
func threads() int {
	if sample.Thorough() {
		return 0
	}
	return 1
}

// Small returns the path of a copy of the small store, which the test may change: the demonstration's golden set, both
// versions of its agent, the second of them in two batches, runs with and without a judge, and labels of three people.
func Small(tb testing.TB) string {
	tb.Helper()
	original, err := small()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "small.duckdb")
	if err := os.WriteFile(path, original, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// small returns the content of the small store's file, created once per process.
var small = sync.OnceValues(func() ([]byte, error) { return made(fillSmall) })

// made returns the content of the file of a store that fill has filled.
func made(fill func(context.Context, *store.Store, *sql.DB) error) ([]byte, error) {
	dir, err := os.MkdirTemp("", "sitetest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is a temporary file
	path := filepath.Join(dir, "made.duckdb")
	ctx := context.Background()
	conn, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	w := store.New(connectors.New(conn, duckdb.Dialect))
	if err := errors.Join(fill(ctx, w, conn.DB()), w.Close()); err != nil {
		return nil, fmt.Errorf("making a store: %w", err)
	}
	return os.ReadFile(path)
}

// Made returns a function that opens a copy of a store, which the test may change: one whose tables are installed, and
// that fill has filled, once per process. fill may be nil.
func Made(fill func(context.Context, *store.Store) error) func(tb testing.TB) *store.Store {
	content := sync.OnceValues(func() ([]byte, error) {
		return made(func(ctx context.Context, w *store.Store, _ *sql.DB) error {
			if err := w.Install(ctx); err != nil || fill == nil {
				return err
			}
			return fill(ctx, w)
		})
	})
	return func(tb testing.TB) *store.Store {
		tb.Helper()
		original, err := content()
		if err != nil {
			tb.Fatal(err)
		}
		path := filepath.Join(tb.TempDir(), "made.duckdb")
		if err := os.WriteFile(path, original, 0o600); err != nil {
			tb.Fatal(err)
		}
		return Open(tb, path)
	}
}

func fillSmall(ctx context.Context, w *store.Store, db *sql.DB) error {
	if err := demo.Build(ctx, db, nil); err != nil {
		return err
	}
	if err := w.Install(ctx); err != nil {
		return err
	}
	if err := demo.Populate(ctx, db, store.Schema); err != nil {
		return err
	}
	if err := demo.Annotate(ctx, db, store.Schema); err != nil {
		return err
	}
	if err := w.Exec(ctx, rerun); err != nil {
		return err
	}
	if err := w.WriteLabels(ctx, secondLabels()...); err != nil {
		return err
	}
	for i, r := range []Run{
		{ID: "night-1.0", Filter: store.Filter{By: scoring.By{Version: "1.0"}}},
		{ID: "night-2.0", Filter: store.Filter{By: scoring.By{Version: "2.0", Batch: "atlas-2.0"}}},
		{ID: "judged-1.0", Filter: store.Filter{By: scoring.By{Version: "1.0"}}, Metrics: judged,
			Judge: &Judge{Malformed: 12}},
		{ID: "judged", Filter: store.Filter{By: scoring.By{Batch: Rerun}}, Metrics: judged, Judge: &Judge{Malformed: 12}},
	} {
		r.Started = began.AddDate(0, 0, i)
		if err := r.Score(ctx, w); err != nil {
			return fmt.Errorf("run %s: %w", r.ID, err)
		}
	}
	return w.WriteRuns(ctx,
		store.Run{RunID: scoring.RunID{ID: "under-way", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: Rerun}},
			Started: began.AddDate(0, 0, -1), Mode: "both", Judge: "none", Status: "running"},
		store.Run{RunID: scoring.RunID{ID: "cut-short", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "atlas-1.0"}},
			Started: began.AddDate(0, 0, -2), Mode: "both", Judge: "none", Status: "stopped"})
}

// Plain is the run with all cases in a hostile or wide store; its names are harmless.
var Plain = store.Run{RunID: scoring.RunID{ID: "plain", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "b1"}}}

// began is the start time of the first run of the small store.
var began = time.Date(2025, 1, 14, 6, 0, 0, 0, time.UTC)

// Rerun is the second batch of answers of atlas 2.0.
const Rerun = "2025-01-17"

// judged are the metrics of the runs with a judge.
var judged = []string{"hybrid_ex", "relation", "verdict", "rose", "flex", "llm_ex", "sql_judge_equivalent",
	"faithfulness", "geval_relevance", "intent_resolution", "refusal", "syntactic_accuracy", "latency_overhead"}

// rerun adds a second batch of answers of atlas 2.0, with special cases: some queries failed, some results are
// unreadable, one answer is missing, one result is long and one is full of values that are hard to display.
const rerun = `
INSERT INTO badger.agent_runs BY NAME SELECT * REPLACE ('` + Rerun + `' AS batch_id, ran_at + INTERVAL 3 DAY AS ran_at) FROM badger.agent_runs WHERE agent_version = '2.0';
UPDATE badger.agent_runs SET result = '{"columns": [{"name": "n", "type": "BIGINT"}], "rows": [[1], [' WHERE batch_id = '` + Rerun + `' AND case_id IN ('retail-03', 'bank-03');
UPDATE badger.agent_runs SET result = NULL, sql_error = 'Catalog Error: Table with name order does not exist! Did you mean "orders"?' WHERE batch_id = '` + Rerun + `' AND case_id IN ('retail-04', 'bank-05');
DELETE FROM badger.agent_runs WHERE batch_id = '` + Rerun + `' AND case_id = 'bank-07';
UPDATE badger.golden_set SET gold_result = '{"columns": [{"name": "id", "type": "BIGINT"}, {"name": "name", "type": "VARCHAR"}, {"name": "amount", "type": "DECIMAL(18,2)"}], "rows": [' ||
	(SELECT string_agg('[' || i || ', "customer ' || i || '", "' || printf('%d.%02d', i * 7919 % 100000, i % 100) || '"]', ', ' ORDER BY i) FROM range(700) t(i)) || ']}' WHERE case_id = 'retail-05';
UPDATE badger.agent_runs SET result = '{"columns": [{"name": "customer_id", "type": "BIGINT"}, {"name": "customer", "type": "VARCHAR"}, {"name": "total", "type": "DECIMAL(18,2)"}, {"name": "note", "type": "VARCHAR"}], "rows": [' ||
	(SELECT string_agg('[' || i || ', "customer ' || i || '", "' || printf('%d.%02d', i * 7919 % 100000, CASE WHEN i % 9 = 0 THEN 1 ELSE 0 END + i % 100) || '", null]', ', ' ORDER BY hash(i)) FROM range(20, 720) t(i)) || ']}'
	WHERE batch_id = '` + Rerun + `' AND case_id = 'retail-05';
UPDATE badger.golden_set SET gold_result = '` + hardGold + `' WHERE case_id = 'retail-06';
UPDATE badger.agent_runs SET result = '` + hardAnswer + `' WHERE batch_id = '` + Rerun + `' AND case_id = 'retail-06';
UPDATE badger.golden_set SET alternatives = json_array(json_object('sql', 'SELECT 1 AS n', 'result', '{"columns": [{"name": "n", "type": "BIGINT"}], "rows": [[1]]}')) WHERE case_id IN ('retail-01', 'retail-08')`

// Results with values that a page must distinguish: NULL, the empty string, white space, invisible characters, all
// digits of numbers.
const (
	hardGold = `{"columns": [{"name": "key", "type": "BIGINT"}, {"name": "text", "type": "VARCHAR"}, {"name": "exact", "type": "DECIMAL(38,10)"}, {"name": "double", "type": "DOUBLE"}, {"name": "at", "type": "TIMESTAMP"}], "rows": [
		[9223372036854775807, null, "12345678901234567890.0123456789", 0.1, "2024-03-31 02:30:00"], [2, "", "0.5000000000", 1e300, null], [3, " two  spaces ", "-1.0000000000", "NaN", "2024-01-01 00:00:00"],
		[4, "zero\u200bwidth", null, 2.5, "2024-01-02 00:00:00.000001"], [5, "tab\tand\nline", "10.0000000000", -0.0, "2024-01-03 00:00:00"], [6, "Grüße, 你好, שלום, 🦡", "7.0000000000", 1, "2024-01-04 00:00:00"]]}`
	hardAnswer = `{"columns": [{"name": "Key", "type": "BIGINT"}, {"name": "text", "type": "VARCHAR"}, {"name": "exact", "type": "DECIMAL(38,10)"}, {"name": "share", "type": "VARCHAR"}], "rows": [
		[9223372036854775807, "", "12345678901234567890.0123456780", "10%"], [2, null, "0.5000000000", "20%"], [3, "two spaces", "-1.0000000000", "30%"],
		[4, "zerowidth", "1.0000000000", "x"], [6, "Grüße, 你好, שלום, 🦡", "7.0000000000", "y"], [7, "extra", "8.0000000000", "z"]]}`
)

// secondLabels returns labels of two more annotators, kim and lee. Some differ from the demonstration's expert's and
// from each other.
func secondLabels() (out []store.Label) {
	verdict := func(pass bool) string {
		if pass {
			return "pass"
		}
		return "fail"
	}
	for i, a := range demo.Answers() {
		id := scoring.AnswerID{CaseID: a.CaseID,
			By: scoring.By{Agent: a.Agent.Name, Version: a.Agent.Version, Batch: a.Agent.BatchID}}
		at := began.Add(time.Duration(i) * time.Minute)
		if i%3 == 0 {
			out = append(out,
				store.Label{AnswerID: id, Annotator: "kim", Verdict: verdict(a.Human.Label != (i%15 == 0)),
					Note: "Checked against the ledger.", At: at})
		}
		if i%7 == 0 {
			l := store.Label{AnswerID: id, Annotator: "lee", Verdict: verdict(a.Human.Label), At: at}
			if i%14 == 0 {
				l.Verdict, l.Note = "unsure", "The question can be read in two ways."
			}
			out = append(out, l)
		}
	}
	return out
}

// Run describes an evaluation run that Score executes.
type Run struct {
	ID      string
	Filter  store.Filter // the answers to score; zero: all
	Started time.Time
	Metrics []string // empty: all that need no judge
	Judge   *Judge   // nil: none; its calls are stored as assessments
}

// Score scores the answers in the warehouse and stores the run with its scores, as badger run does.
func (r *Run) Score(ctx context.Context, w *store.Store) error {
	o := scoring.EngineOptions{Snapshots: w}
	name, said := "none", replies{at: r.Started}
	if r.Judge != nil {
		stack, err := judgebackend.NewStack(r.Judge, &judgebackend.StackOptions{Record: said.put, KeepRequests: true})
		if err != nil {
			return err
		}
		o.Judge, name = stack, "openai:judge-1"
	}
	engine, err := scoring.NewEngine(metric.All(), &o)
	if err != nil {
		return err
	}
	metrics := r.Metrics
	versions := map[string]int{}
	for _, m := range engine.Metrics() {
		if len(r.Metrics) == 0 && m.Needs&scoring.FieldJudge == 0 {
			metrics = append(metrics, m.Name)
		}
		versions[m.Name] = m.Version
	}
	l := &ledger{w: w, run: r, tallies: map[store.Run]*tally{}}
	if _, err := (batch.Runner{Engine: engine, Metrics: metrics, Ordered: true}).Run(ctx, r.ID, source{w, r.Filter},
		l); err != nil {
		return err
	}
	if err := w.WriteAssessments(ctx, said.rows...); err != nil {
		return err
	}
	runs := make([]store.Run, 0, len(l.tallies))
	for run, t := range l.tallies {
		run.Started, run.Mode, run.Judge, run.Status, run.Config = r.Started, "both", name, "done", "{}"
		run.Versions, run.Counts = text(map[string]any{"badger": "test", "metrics": versions}), text(t.statuses)
		run.Tokens = text(map[string]int64{"calls": t.calls, "in": t.in, "out": t.out})
		run.Cost = text(map[string]int64{"calls": t.calls, "tokens_in": t.in, "tokens_out": t.out})
		runs = append(runs, run)
	}
	return w.WriteRuns(ctx, runs...)
}

// replies collects the assessments of a judge, which are stored in one call: one statement for each would take most of
// the time.
type replies struct {
	at   time.Time
	mu   sync.Mutex
	rows []judgebackend.Assessment
}

func (r *replies) put(_ context.Context, a judgebackend.Assessment) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.Put = r.at
	r.rows = append(r.rows, a)
	return nil
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings and numbers
	}
	return string(b)
}

// source is a [batch.Source] of the answers in a store.
type source struct {
	w      *store.Store
	filter store.Filter
}

func (s source) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for a, err := range s.w.Cases(ctx, s.filter) {
			item := batch.Item{AnswerID: a.AnswerID, Place: fmt.Sprint(a.AnswerID),
				Load: func(context.Context) (*scoring.Case, error) { return a.Case, a.Err }}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// ledger stores scores in badger's tables and counts them.
type ledger struct {
	w       *store.Store
	run     *Run
	tallies map[store.Run]*tally
}

// tally counts the scores of one row of eval_runs by status, and their judge calls and tokens.
type tally struct {
	statuses       map[scoring.Status]int
	calls, in, out int64
}

func (l *ledger) Held(ctx context.Context, run string) iter.Seq2[scoring.Row, error] {
	return func(yield func(scoring.Row, error) bool) {
		for r, err := range l.w.Scores(ctx, run) {
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func (l *ledger) Remove(context.Context, string, []scoring.AnswerID) error { return nil }

func (l *ledger) Append(ctx context.Context, run string, rows []scoring.Row) error {
	out := make([]scoring.Row, len(rows))
	for i := range rows {
		key := store.Run{RunID: scoring.RunID{ID: run, By: rows[i].By}}
		t := l.tallies[key]
		if t == nil {
			t = &tally{statuses: map[scoring.Status]int{}}
			l.tallies[key] = t
		}
		t.statuses[rows[i].Score.Status]++
		if u := rows[i].Score.Usage; u != nil {
			t.calls, t.in, t.out = t.calls+int64(u.Calls), t.in+int64(u.TokensIn), t.out+int64(u.TokensOut)
		}
		out[i] = rows[i]
	}
	return l.w.WriteScores(ctx, run, scoring.Config{}.Hash(), l.run.Started, out)
}

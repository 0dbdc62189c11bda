//go:build !no_duckdb

package sitetest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/demo"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	badgersql "github.com/badger-eval/badger/sql"
)

// Open opens a database of the test's own.
func Open(tb testing.TB, path string) *connectors.Warehouse {
	tb.Helper()
	w, err := open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { w.Close() })
	return w
}

func open(ctx context.Context, path string) (*connectors.Warehouse, error) {
	conn, err := duckdb.OpenFile(ctx, path, driver.Options{})
	if err != nil {
		return nil, err
	}
	return connectors.New(conn, duckdb.Dialect), nil
}

// Small is a copy of the small store: the demonstration's golden set and both versions of its agent.
// It returns the path of the file, which belongs to the test.
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

// small is the file of the small store, made once in a process.
var small = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sitetest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is a temporary file
	path := filepath.Join(dir, "small.duckdb")
	if err := fillSmall(context.Background(), path); err != nil {
		return nil, fmt.Errorf("making the small store: %w", err)
	}
	return os.ReadFile(path)
})

func fillSmall(ctx context.Context, path string) error {
	conn, err := duckdb.OpenFile(ctx, path, driver.Options{})
	if err != nil {
		return err
	}
	w := connectors.New(conn, duckdb.Dialect)
	defer w.Close()
	if err := demo.Build(ctx, conn.DB(), nil); err != nil {
		return err
	}
	if err := w.Install(ctx); err != nil {
		return err
	}
	if err := demo.Populate(ctx, conn.DB(), badgersql.Schema); err != nil {
		return err
	}
	if err := demo.Annotate(ctx, conn.DB(), badgersql.Schema); err != nil {
		return err
	}
	for i, version := range []string{"1.0", "2.0"} {
		r := Run{ID: "night-" + version, Filter: connectors.Filter{Version: version}, Started: began.AddDate(0, 0, i)}
		if err := r.Score(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// began is when the first run of the small store started.
var began = time.Date(2025, 1, 14, 6, 0, 0, 0, time.UTC)

// Run is an evaluation to make.
type Run struct {
	ID      string
	Filter  connectors.Filter // which answers it scores; none: all
	Started time.Time
	Metrics []string // none: all that ask no judge
}

// Score scores the answers in the warehouse and stores the run with its scores, as badger run does.
func (r *Run) Score(ctx context.Context, w *connectors.Warehouse) error {
	engine, err := scoring.NewEngine(metric.All(), &scoring.EngineOptions{Snapshots: w})
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
	l := &ledger{w: w, run: r, counts: map[connectors.Run]map[scoring.Status]int{}}
	if _, err := (batch.Runner{Engine: engine, Metrics: metrics, Ordered: true}).Run(ctx, r.ID, source{w, r.Filter}, l); err != nil {
		return err
	}
	for run, counts := range l.counts {
		run.Started, run.Mode, run.Judge, run.Status, run.Config = r.Started, "both", "none", "done", "{}"
		run.Versions, run.Counts = text(map[string]any{"badger": "test", "metrics": versions}), text(counts)
		run.Tokens, run.Cost = `{"calls":0,"in":0,"out":0}`, `{"calls":0,"tokens_in":0,"tokens_out":0}`
		if err := w.WriteRuns(ctx, run); err != nil {
			return err
		}
	}
	return nil
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of texts and numbers
	}
	return string(b)
}

// source yields the answers of a warehouse.
type source struct {
	w      *connectors.Warehouse
	filter connectors.Filter
}

func (s source) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for a, err := range s.w.Cases(ctx, s.filter) {
			item := batch.Item{AnswerID: a.AnswerID, Place: fmt.Sprint(a.AnswerID), Load: func(context.Context) (*scoring.Case, error) { return a.Case, a.Err }}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// ledger keeps scores in the warehouse's tables and counts them.
type ledger struct {
	w      *connectors.Warehouse
	run    *Run
	counts map[connectors.Run]map[scoring.Status]int
}

func (l *ledger) Held(ctx context.Context, run string) iter.Seq2[batch.Row, error] {
	return func(yield func(batch.Row, error) bool) {
		for r, err := range l.w.Scores(ctx, run) {
			if !yield(batch.Row(r), err) || err != nil {
				return
			}
		}
	}
}

func (l *ledger) Append(ctx context.Context, run string, rows []batch.Row) error {
	out := make([]connectors.ScoreRow, len(rows))
	for i := range rows {
		key := connectors.Run{ID: run, Agent: rows[i].Agent, AgentVersion: rows[i].Version, BatchID: rows[i].Batch}
		if l.counts[key] == nil {
			l.counts[key] = map[scoring.Status]int{}
		}
		l.counts[key][rows[i].Score.Status]++
		out[i] = connectors.ScoreRow(rows[i])
	}
	return l.w.WriteScores(ctx, run, scoring.Config{}.Hash(), l.run.Started, out)
}

//go:build !no_duckdb

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/demo"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

type demoCommand struct {
	Dir  string `default:"badger-demo" placeholder:"DIR" help:"Directory to write to (default ${default})."`
	Full bool   `help:"Print everything (every metric, and calls of the functions from SQL)."`
	JSON bool   `help:"Print one JSON document."`
	terminalFlags
}

// Run builds the demonstration database, scores both versions of the agent and prints the report.
func (c *demoCommand) Run(ctx context.Context, p process) error {
	if err := os.MkdirAll(c.Dir, 0o750); err != nil {
		return errcode.New(errcode.PermissionDenied, "--dir: %w", err)
	}
	path := filepath.Join(c.Dir, "demo.duckdb")
	for _, old := range []string{path, path + ".wal"} { // remove an earlier demonstration
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errcode.New(errcode.PermissionDenied, "--dir: %w", err)
		}
	}
	start := p.now()
	over, end := "", "\n"
	if isTerminal(p.stderr) { // the report needs the room
		over, end = "\r\x1b[K", ""
	}
	step := func(what string) {
		fmt.Fprintf(p.stderr, "%s%6.2f s  %s%s", over, p.now().Sub(start).Seconds(), what, end)
	}
	conn, err := duckdb.OpenFile(ctx, path, driver.Options{})
	if err != nil {
		return err
	}
	w := store.New(connectors.New(conn, duckdb.Dialect))
	defer w.Close()
	if err := demo.Build(ctx, conn.DB(), step); err != nil {
		return err
	}
	if err := w.Install(ctx); err != nil {
		return err
	}
	step("run the golden set and the answers of atlas 1.0 and 2.0")
	if err := demo.Populate(ctx, conn.DB(), store.Schema); err != nil {
		return err
	}
	if err := demo.Annotate(ctx, conn.DB(), store.Schema); err != nil {
		return err
	}
	engine, err := scoring.NewEngine(standardMetrics(), &scoring.EngineOptions{Snapshots: snapshots{Warehouse: w}})
	if err != nil {
		return err
	}
	metrics, err := evaluation.ChooseMetrics(engine, []string{scoring.AllMetrics}, "both",
		func(*scoring.Metric) bool { return false })
	if err != nil {
		return err
	}
	summary := evaluation.NewSummary(engine, metrics, "")
	working, stop, ended := interruptible(ctx, p.stderr)
	defer ended()
	var outcome batch.Outcome
	for _, v := range []string{"1.0", "2.0"} {
		step("score atlas " + v)
		e := evaluation.Run{
			ID: demoRun(v), Mode: "both", Version: version(), Engine: engine, Metrics: metrics, Warehouse: w, Summary: summary,
			Source: &cases.Warehouse{Tables: w, Filter: store.Filter{By: scoring.By{Version: v}}}, Now: p.now, Notes: p.stderr,
			Stop: stop,
		}
		o, err := e.Evaluate(working)
		if err != nil {
			return err
		}
		outcome.Done += o.Done
		outcome.Failed += o.Failed
		outcome.Scores += o.Scores
	}
	step("write the report")
	page := filepath.Join(c.Dir, "report.html")
	pages := pagesOf{process: p, w: w, quiet: true, run: demoRun("2.0"), baseline: demoRun("1.0"), all: true}
	if err := pages.write(ctx, page); err != nil {
		return err
	}
	if err := w.Exec(ctx, "CHECKPOINT"); err != nil { // the file must be complete before its size is printed
		return err
	}
	end = "\n"
	step(fmt.Sprintf("done: %s, each a question to a version; %s", printable.Count(outcome.Done, "case"), printable.Count(outcome.Scores, "score")))
	if err := summary.Close(""); err != nil {
		return err
	}
	of := store.OfRun{RunID: scoring.RunID{ID: demoRun("2.0")}}
	f := summary.Figures
	if f.Batches, f.EarlierBatches, err = evaluation.Batches(ctx, w, of, f.Primary); err != nil {
		return err
	}
	if c.JSON {
		return summary.WriteJSON(p.stdout)
	}
	if c.Full {
		if err := summary.Render(p.stdout, c.options(p)); err != nil {
			return err
		}
		if err := c.callFromSQL(ctx, conn, w, p); err != nil {
			return err
		}
	} else if err := summary.Figures.RenderBrief(p.stdout, c.options(p)); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "\nOpen %s in a browser. The database (%s) says more:\n"+
		"  badger view --db duckdb:%[3]s\n"+
		"  badger report --db duckdb:%[3]s --against %[4]s\n"+
		"  badger sql --db %[3]s \"SELECT * FROM badger.agreement\"\n"+
		"  badger demo --full\n", page, fileSize(path), path, demoRun("1.0"))
	return nil
}

// demoRun returns the ID of the run that scores the given version of the demonstration's agent.
func demoRun(version string) string { return "demo-atlas-" + version }

// callFromSQL runs a query that calls scoring functions, and prints the query, its duration and the result.
func (*demoCommand) callFromSQL(ctx context.Context, conn *duckdb.Conn, w *store.Store, p process) error {
	if err := registerFunctions(ctx, conn, w, nil, functionsConfig{}); err != nil {
		return err
	}
	const query = `SELECT r.case_id, r.agent_version AS version, round(hybrid_ex(g.gold_result, r.result), 3) AS hybrid_ex, ex_bird(g.gold_result, r.result) AS ex_bird
FROM badger.agent_runs r JOIN badger.golden_set g USING (case_id)
WHERE r.sql_error IS NULL AND hybrid_ex(g.gold_result, r.result) <> ex_bird(g.gold_result, r.result)
ORDER BY r.agent_version, r.case_id LIMIT 6`
	begin := time.Now()
	t, err := w.Query(ctx, query)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "\nThe same functions, called from SQL (%d ms):\n\n%s\n\n", time.Since(begin).Milliseconds(),
		query)
	printTable(p.stdout, t, 40)
	return nil
}

func fileSize(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "in memory"
	}
	return fmt.Sprintf("%.1f MB", float64(info.Size())/1e6)
}

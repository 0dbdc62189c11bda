//go:build !no_duckdb

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
)

// functionsConfig configures the functions, and counts their calls that return NULL.
type functionsConfig struct {
	configuration
	nulls *nullCalls // nil: they are not counted
}

// openWithFunctions opens an embedded database in which SQL can call every scoring function. The judge, if configured,
// caches its replies there unless only is set. The caller closes it after the database.
func openWithFunctions(ctx context.Context, p process, path string, only bool,
	config functionsConfig) (*store.Store, *judging.Judges, error) {
	conn, err := duckdb.OpenFile(ctx, path, driver.Options{ReadOnly: only})
	if err != nil {
		return nil, nil, err
	}
	w := store.New(connectors.New(conn, duckdb.Dialect))
	judge, err := openJudgeFor(ctx, p, w, only, config.configuration)
	if err == nil {
		err = registerFunctions(ctx, conn, w, judge, config)
	}
	if err != nil {
		_ = w.Close()
		_ = judge.Close()
		return nil, nil, err
	}
	return w, judge, nil
}

func openJudgeFor(ctx context.Context, p process, w *store.Store, only bool,
	config configuration) (*judging.Judges, error) {
	s := p.judging()
	if config.Judge.Asked() && !only {
		if err := w.Install(ctx); err != nil {
			return nil, err
		}
		s.Scores = w
	}
	return config.Judge.Open(ctx, s)
}

func registerFunctions(ctx context.Context, conn *duckdb.Conn, w *store.Store, judge *judging.Judges,
	config functionsConfig) error {
	metrics, err := withJudges(ctx, config.Judges, w)
	if err != nil {
		return err
	}
	options, err := config.Metrics.engineConfig()
	if err != nil {
		return err
	}
	resolver := snapshots{Warehouse: w}
	resolver.Allow(config.Results.Files)
	engine, err := scoring.NewEngine(metrics,
		&scoring.EngineOptions{Snapshots: resolver, Judge: judge.Backend(), Judges: judge.ByMetric(),
			ByTag: judge.ByTag(), Config: options})
	if err != nil {
		return errcode.AsUsage(err)
	}
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Version: version(), Judge: judge.Name()})
	if err != nil {
		return err
	}
	functions := catalogue.Functions()
	var scalars []driver.Scalar
	for i := range functions {
		fn := &functions[i]
		for arity := fn.Required(); arity <= len(fn.Params); arity++ { // an overload for every optional argument
			scalars = append(scalars, scalarOf(catalogue, fn, arity, config.nulls))
		}
	}
	return conn.RegisterScalar(ctx, scalars...)
}

// scalarOf returns a function of the catalogue, with arity arguments, as a scalar function of the engine. The
// engine sees JSON results as VARCHAR.
func scalarOf(catalogue *udf.Catalogue, fn *udf.Function, arity int, nulls *nullCalls) driver.Scalar {
	s := driver.Scalar{Name: fn.Name, Result: fn.Result, Volatile: fn.Volatile}
	if s.Result == udf.JSON {
		s.Result = udf.VARCHAR
	}
	for _, p := range fn.Params[:arity] {
		s.Params = append(s.Params, p.Type)
	}
	s.Eval = func(ctx context.Context, args []udf.Column, out *udf.Column) error {
		batch := &udf.Batch{Rows: out.Len(), Args: make([]udf.Column, len(args)), Explain: nulls != nil}
		for k := range args {
			batch.Args[k] = args[k].KeepTexts()
		}
		result, err := catalogue.Call(ctx, fn, batch)
		if err == nil {
			out.CopyFrom(result)
			nulls.add(fn, batch.Problems)
		}
		return err
	}
	return s
}

// nullCalls counts the calls that returned NULL, so that a query says why. The functions whose names end in _json
// return the reason themselves.
type nullCalls struct {
	mu    sync.Mutex
	calls map[string]*nullCall
}

type nullCall struct {
	calls  int
	status scoring.Status
	reason string // that of the first call
}

// add counts the rows of a call without a value. It does nothing if c is nil.
func (c *nullCalls) add(fn *udf.Function, problems []udf.Problem) {
	if c == nil || fn.Result == udf.JSON || len(problems) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[string]*nullCall{}
	}
	n := c.calls[fn.Name]
	if n == nil {
		n = &nullCall{status: problems[0].Status, reason: problems[0].Reason}
		c.calls[fn.Name] = n
	}
	n.calls += len(problems)
}

// print writes a line for each function that returned NULL.
func (c *nullCalls) print(w io.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.calls)) {
		n := c.calls[name]
		as := ""
		if n.calls > 1 {
			as = " the first"
		}
		fmt.Fprintf(w, "note: %s of %s returned NULL,%s as %s: %s\n", printable.Count(n.calls, "call"), name, as,
			strings.ReplaceAll(string(n.status), "_", " "), printable.Text(n.reason))
	}
}

//go:build !no_duckdb

package main

import (
	"context"
	"log/slog"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
)

// openWithFunctions opens an embedded database in which SQL can call every scoring function.
//
// The judge, if the configuration names one, keeps its answers in the database where that can be
// written; it is closed after the database.
func openWithFunctions(ctx context.Context, p process, path string, only bool, config configuration) (*connectors.Warehouse, *judging, error) {
	conn, err := duckdb.OpenFile(ctx, path, driver.Options{ReadOnly: only})
	if err != nil {
		return nil, nil, err
	}
	w := connectors.New(conn, duckdb.Dialect)
	judge, err := openJudgeFor(ctx, p, w, only, config)
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

func openJudgeFor(ctx context.Context, p process, w *connectors.Warehouse, only bool, config configuration) (*judging, error) {
	s := judgeSurroundings{process: p, log: slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	if config.Judge.asked() && !only {
		if err := w.Install(ctx); err != nil {
			return nil, err
		}
		s.scores = w
	}
	return config.Judge.open(ctx, s)
}

func registerFunctions(ctx context.Context, conn *duckdb.Conn, w *connectors.Warehouse, judge *judging, config configuration) error {
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
	engine, err := scoring.NewEngine(metrics, &scoring.EngineOptions{Counterexamples: smallDatabases, Snapshots: resolver, Judge: judge.Backend(), Judges: judge.Judges(), Config: options})
	if err != nil {
		return errcode.AsUsage(err)
	}
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Version: version(), Judge: judge.Name()})
	if err != nil {
		return err
	}
	functions := catalogue.Functions()
	var out []duckdb.Function
	for i := range functions {
		fn := &functions[i]
		for arity := fn.Required(); arity <= len(fn.Params); arity++ { // an overload for every optional argument
			f := duckdb.Function{Name: fn.Name, Result: duckType(fn.Result), Volatile: fn.Volatile, Call: caller(catalogue, fn, arity)}
			for _, p := range fn.Params[:arity] {
				f.Params = append(f.Params, duckType(p.Type))
			}
			out = append(out, f)
		}
	}
	return conn.Register(ctx, out)
}

func duckType(t udf.Type) driver.Type {
	switch t {
	case udf.DOUBLE:
		return driver.Double
	case udf.BIGINT:
		return driver.BigInt
	case udf.BOOLEAN:
		return driver.Boolean
	}
	return driver.Text
}

// caller calls a function of the catalogue with chunks of the engine's.
func caller(catalogue *udf.Catalogue, fn *udf.Function, arity int) func(ctx context.Context, rows int, args [][]any, out []any) error {
	return func(ctx context.Context, rows int, args [][]any, out []any) error {
		batch := udf.NewBatch(fn, arity, rows)
		for k := range args {
			col := &batch.Args[k]
			for i, v := range args[k] {
				switch x := v.(type) {
				case string:
					col.SetText(i, x)
				case float64:
					col.SetFloat(i, x)
				case int64:
					col.SetInt(i, x)
				case bool:
					col.SetBool(i, x)
				default:
					col.SetNull(i)
				}
			}
		}
		res, err := catalogue.Call(ctx, fn, batch)
		if err != nil {
			return err
		}
		for i := range out {
			switch {
			case res.Nulls[i]:
			case res.Type == udf.DOUBLE:
				out[i] = res.Floats[i]
			case res.Type == udf.BIGINT:
				out[i] = res.Ints[i]
			case res.Type == udf.BOOLEAN:
				out[i] = res.Bools[i]
			default:
				out[i] = res.Texts[i]
			}
		}
		return nil
	}
}

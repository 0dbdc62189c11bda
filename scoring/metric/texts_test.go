package metric

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/counterexample"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqlparts/sqlpartstest"
)

// closed is an engine that opens no database, so that a search reads the queries and ends.
type closed struct{}

func (closed) Open(context.Context, []string) (counterexample.Session, error) {
	return nil, errors.New("closed")
}

// All metrics together parse each text of a case once, whatever they do with it, and leave the trees
// as they were. A query with BETWEEN and IN of one value is one that relation writes anew for itself.
func TestTextsAreParsedOnceAndKept(t *testing.T) {
	const ddl = "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, b INT); CREATE TABLE u (t_id INT REFERENCES t (id), x VARCHAR(9))"
	const gold = "WITH w AS (SELECT a, count(*) AS n FROM t JOIN u ON t.id = u.t_id AND u.x IN ('q') WHERE b BETWEEN 1 AND 9 GROUP BY a) SELECT a, n FROM w ORDER BY n DESC LIMIT 2"
	two := scoring.ParseResultText([]byte(`{"columns":["a","n"],"types":["BIGINT","BIGINT"],"rows":[[1,3],[2,2]]}`))
	if two.Table == nil {
		t.Fatal("the result is not read")
	}
	type pair struct{ gold, pred, dialect string }
	pairs := []pair{
		{gold, "SELECT t.a, count(*) AS n FROM t, u WHERE id = t_id AND x = 'q' AND NOT (b < 1 OR b > 9) GROUP BY 1 ORDER BY 2 DESC LIMIT 2", "sqlite"},
		{gold, "SELECT a, n FROM w WHERE a NOT BETWEEN 1 AND (SELECT max(b) FROM t WHERE a IN (1)) ORDER BY n", "duckdb"},
		{"SELECT 1", "SELECT 1", "postgres"},
		{gold, gold + " -- the same", "bigquery"},
		{gold, "this is no query", "snowflake"},
	}
	for _, in := range realPairs(t)[:40] {
		pairs = append(pairs, pair{in.Gold.SQL, in.Pred.SQL, in.Case.Dialect})
	}
	for _, p := range pairs {
		scripts := func(in *scoring.Input) (out [2]*sqlparts.Script) {
			return [2]*sqlparts.Script{script(in, goldSide), script(in, predSide)}
		}
		var first [2]*sqlparts.Script
		probe := func(name string, look func(*scoring.Input)) scoring.Metric {
			return scoring.Metric{Name: name, Version: 1, Group: "sql", Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero, Needs: scoring.FieldGoldSQL | scoring.FieldPredSQL, Summary: "s", Range: "0 or 1", Formula: "f", Source: "own", Gaming: "g", Example: "e",
				Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
					look(in)
					return scoring.OK(1, ""), nil
				}}
		}
		all := append([]scoring.Metric{probe("probe_first", func(in *scoring.Input) { first = scripts(in) })}, With(Tools{Counterexamples: counterexample.Local{Engine: closed{}}})...)
		all = append(all, probe("probe_last", func(in *scoring.Input) {
			if scripts(in) != first {
				t.Error("the scripts are others at the end")
			}
		}))
		engine, err := scoring.NewEngine(all, nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range all {
			names = append(names, all[i].Name)
		}
		c := &scoring.Case{ID: "c", Dialect: p.dialect, Schema: ddl, Question: "Which two are the most frequent?", Golds: []scoring.Query{{SQL: p.gold, Result: two}}, Pred: scoring.Query{SQL: p.pred, Result: two}}
		texts := int64(2)
		if p.gold == p.pred {
			texts = 1
		}
		before := sqlpartstest.Parses()
		if _, err := engine.Score(t.Context(), c, names...); err != nil {
			t.Fatal(err)
		}
		if n := sqlpartstest.Parses() - before; n != texts {
			t.Errorf("%s and %s: %d texts were parsed, want %d", p.gold, p.pred, n, texts)
		}
		for i, text := range []string{p.gold, p.pred} {
			if fresh := sqlparts.Parse(text, sqlparts.DialectOf(p.dialect)); !reflect.DeepEqual(first[i].Statements, fresh.Statements) {
				t.Errorf("a metric changed the tree of %s", text)
			}
		}
	}
}

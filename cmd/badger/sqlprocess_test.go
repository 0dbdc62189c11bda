//go:build linux && !no_duckdb

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/counterexample"
)

// Queries that would take gigabytes or minutes end with a reason, and the program continues; what
// this program itself takes does not grow.
func TestSQLJudgesAreBounded(t *testing.T) {
	engine := judgeSQL.(*sqlJudges)
	for _, tc := range []struct{ why, query string }{
		{"a text repeated", "SELECT length(repeat('a', 4000000000))"},
		{"a text that doubles", "WITH RECURSIVE d AS (SELECT 'aaaaaaaa' AS s, 0 AS n UNION ALL SELECT s || s, n + 1 FROM d WHERE n < 40) SELECT max(length(s)) FROM d"},
		{"a list", "SELECT len(range(3000000000))"},
		{"texts collected", "SELECT length(string_agg(repeat('a', 1000000), '')) FROM range(100000)"},
		{"a result", "SELECT repeat('a', 2000000)"},
	} {
		_, err := judgeSQL.EvaluateSQL(t.Context(), tc.query, nil)
		if code := errcode.Of(err); code != errcode.ResourceExhausted {
			t.Errorf("%s: %v, want resource_exhausted", tc.why, err)
		}
		if got, err := judgeSQL.EvaluateSQL(t.Context(), "SELECT 42 AS v", nil); err != nil || got.Columns[0].Value(0).Int() != 42 {
			t.Fatalf("%s: afterwards: %v", tc.why, err)
		}
	}
	var idle []*sqlProcess
	for len(engine.idle) > 0 {
		idle = append(idle, <-engine.idle)
	}
	if len(idle) == 0 {
		t.Fatal("no process was kept")
	}
	for _, p := range idle {
		engine.idle <- p
	}
	{ // what runs one value for long is killed
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := judgeSQL.EvaluateSQL(ctx, "SELECT sum(hash(a.range * b.range)) FROM range(10000000) a, range(10000000) b", nil)
		if errcode.Of(err) != errcode.DeadlineExceeded || !strings.Contains(err.Error(), "stopped") {
			t.Errorf("a query that runs for ever: %v", err)
		}
		if !slices.ContainsFunc(idle, func(p *sqlProcess) bool { return p.cmd.ProcessState != nil }) {
			t.Error("its process is still there")
		}
	}
}

// Queries of a pair whose texts double, or that join everything with everything, end with a reason, and
// the program continues.
func TestCounterexamplesAreBounded(t *testing.T) {
	finder := judgeSQL.(*sqlJudges)
	const ddl = "CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT NOT NULL)"
	doubling := "WITH a0 AS (SELECT s || 'aaaaaaaa' AS s FROM t)"
	for i := range 36 {
		doubling += fmt.Sprintf(", a%d AS (SELECT s || s AS s FROM a%d)", i+1, i)
	}
	everything := "SELECT count(*) FROM t"
	for i := range 20 {
		everything += fmt.Sprintf(" JOIN t t%d ON t%d.id + t.id > 0", i, i)
	}
	for _, tc := range []struct{ why, query string }{
		{"a text that doubles", doubling + " SELECT length(s) FROM a36"},
		{"everything joined", everything},
	} {
		p := &counterexample.Problem{Gold: tc.query, Pred: tc.query + " WHERE 1 = 1", Dialect: "sqlite", Schema: ddl, Time: 2000}
		o, err := finder.Find(t.Context(), p)
		if err != nil || o.Found || o.Why == "" {
			t.Errorf("%s: %+v, %v, want a reason", tc.why, o, err)
		}
		p = &counterexample.Problem{Gold: "SELECT s FROM t", Pred: "SELECT DISTINCT s FROM t", Dialect: "sqlite", Schema: ddl}
		if o, err := finder.Find(t.Context(), p); err != nil || !o.Found {
			t.Fatalf("%s: afterwards: %+v, %v", tc.why, o, err)
		}
	}
}

// Values go to the engine and come back exactly.
func TestSQLJudgesSeeExactValues(t *testing.T) {
	table := scoring.ParseResultText([]byte(`{"columns":[{"name":"d","type":"DECIMAL(38,2)"},{"name":"n","type":"BIGINT"},{"name":"t","type":"TIMESTAMP"},{"name":"s","type":"VARCHAR"}],
		"rows":[["123456789012345678901234567890123456.78","9007199254740993","2024-01-02 03:04:05.123456","it's"],[null,null,null,null]]}`)).Table
	if table == nil {
		t.Fatal("the table cannot be read")
	}
	got, err := judgeSQL.EvaluateSQL(t.Context(), "SELECT * FROM result", map[string]*scoring.Table{"result": table})
	if err != nil {
		t.Fatal(err)
	}
	for c := range table.Columns {
		for r := range table.Rows() {
			if a, b := fmt.Sprint(table.Columns[c].Value(r)), fmt.Sprint(got.Columns[c].Value(r)); a != b {
				t.Errorf("column %s, row %d: %s came back as %s", table.Columns[c].Name, r, a, b)
			}
		}
	}
}

// A result without rows is a table with its columns, on both sides of the process.
func TestSQLJudgesSeeResultsWithoutRows(t *testing.T) {
	table := func(text string) *scoring.Table {
		t.Helper()
		r, err := scoring.ParseResult([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	typed := table(`{"columns":[{"name":"k","type":"VARCHAR"},{"name":"d","type":"DECIMAL(38,2)"},{"name":"t","type":"TIMESTAMP"}],"rows":[]}`)
	untyped := table(`{"columns":["k","d"],"rows":[]}`)
	rows := table(`{"columns":[{"name":"k","type":"VARCHAR"},{"name":"d","type":"DECIMAL(38,2)"},{"name":"t","type":"TIMESTAMP"}],"rows":[["a","1.50",null],["b","2.25",null]]}`)
	for _, c := range []struct {
		why, query, want string
		tables           map[string]*scoring.Table
	}{
		{"none", "SELECT count(*) || ' rows, ' || count(d + 1) AS v FROM result", "[0 rows, 0]", map[string]*scoring.Table{"result": typed}},
		{"none, of unknown types", "SELECT count(*) || ' rows, ' || count(d) AS v FROM result", "[0 rows, 0]", map[string]*scoring.Table{"result": untyped}},
		{"none in gold only", "SELECT count(*) - (SELECT count(*) FROM gold_result) AS v FROM result", "[2]", map[string]*scoring.Table{"gold_result": typed, "result": rows}},
		{"none in the result only", "SELECT (SELECT sum(d) FROM gold_result) - count(*) AS v FROM result", "[3.75]", map[string]*scoring.Table{"gold_result": rows, "result": typed}},
		{"none returned", "SELECT k, d FROM result WHERE d > 100", "[]", map[string]*scoring.Table{"result": rows}},
		{"some", "SELECT sum(d) AS v FROM result", "[3.75]", map[string]*scoring.Table{"result": rows}},
	} {
		got, err := judgeSQL.EvaluateSQL(t.Context(), c.query, c.tables)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		values := []string{}
		for i := range got.Rows() {
			values = append(values, fmt.Sprint(got.Columns[0].Value(i)))
		}
		if fmt.Sprint(values) != c.want {
			t.Errorf("%s: %v, want %s", c.why, values, c.want)
		}
	}
}

// The process sees nothing of the environment.
func TestSQLProcessHasNoSecrets(t *testing.T) {
	t.Setenv("BADGER_TEST_SECRET", "hunter2")
	p, err := startSQLProcess()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { p.kill(); p.end() }()
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.cmd.Process.Pid))
	if err != nil {
		t.Skip(err)
	}
	if strings.Contains(string(env), "hunter2") {
		t.Error("the environment goes along")
	}
}

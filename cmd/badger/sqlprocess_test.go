//go:build linux && !no_duckdb

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Queries that would take gigabytes or minutes end with a reason, and the program goes on; what
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
	select { // what runs one value for long is killed
	case p := <-engine.idle:
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		engine.idle <- p
		_, err := judgeSQL.EvaluateSQL(ctx, "SELECT sum(hash(a.range * b.range)) FROM range(10000000) a, range(10000000) b", nil)
		if errcode.Of(err) != errcode.DeadlineExceeded || !strings.Contains(err.Error(), "stopped") {
			t.Errorf("a query that runs for ever: %v", err)
		}
		if p.cmd.ProcessState == nil {
			t.Error("its process is still there")
		}
	default:
		t.Error("no process was kept")
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

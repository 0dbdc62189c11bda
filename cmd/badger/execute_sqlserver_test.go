//go:build !no_sqlserver && !no_duckdb

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	fake "github.com/badger-eval/badger/connectors/fake/sqlserver"
	"github.com/badger-eval/badger/connectors/sqlserver"
)

func TestRunExecutesOnSQLServer(t *testing.T) {
	server := fake.Start(t)
	if err := server.Engine.Exec(t.Context(), "CREATE TABLE price AS SELECT * FROM (VALUES (1, 0.1, 'new'), (2, 2.5, 'used')) AS t (id, amount, kind)"); err != nil {
		t.Fatal(err)
	}
	server.Answer(sqlserver.Dialect.RoleQuery, fake.Answer{Query: "SELECT '' AS what, true AS refused WHERE 1 = 0"})
	dir := t.TempDir()
	text, want := "", map[string]string{}
	for _, tc := range []struct{ id, gold, agent, want string }{
		{"right", "SELECT amount FROM price WHERE kind = 'new'", "SELECT [amount] FROM price WHERE id = 1", "1 1"},
		{"wrong", "SELECT COUNT(*) FROM price", "SELECT COUNT(*) FROM price WHERE amount > 1", "0 1"},
		{"no such table", "SELECT amount FROM price", "SELECT amount FROM prices", "0 0"},
		{"a syntax error", "SELECT amount FROM price", "SELEC amount FROM price", "0 0"},
		{"writes", "SELECT amount FROM price", "SELECT amount FROM price DELETE FROM price", "0 0"},
		{"tells of the host", "SELECT 1", "SELECT SERVERPROPERTY('MachineName')", "0 0"},
		{"endless", "SELECT 1", "SELECT COUNT(*) FROM (SELECT sqrt(a.i * b.i) AS r FROM range(1000000000) AS a(i), range(1000000) AS b(i)) AS t", "0 0"},
	} {
		line, err := json.Marshal(map[string]any{"case_id": tc.id, "question": "?", "gold": map[string]any{"sql": tc.gold}, "agent": map[string]any{"sql": tc.agent}})
		if err != nil {
			t.Fatal(err)
		}
		text += string(line) + "\n"
		want[tc.id] = tc.want
	}
	cases, scores := filepath.Join(dir, "cases.jsonl"), filepath.Join(dir, "scores.jsonl")
	if err := os.WriteFile(cases, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(more ...string) (int, string) {
		code, _, log := badger(t, append([]string{
			"run", "--cases", cases, "--metrics", "ex_bird,syntactic_accuracy", "--quiet", "--snapshots", "none", "--execute-timeout", "2s", "--execute-functions", "range",
		}, more...)...)
		return code, log
	}
	url := "sqlserver://reader@" + server.Addr + "/shop"
	if code, log := run("--no-to", "--scores", scores, "--execute", url); code != exitDone {
		t.Fatalf("exit %d: %s", code, log)
	}
	scored(t, scores, want)
	if code, log := run("--to", url); code == exitDone || !strings.Contains(log, "does not write to it") {
		t.Errorf("--to: exit %d, %s", code, log)
	}
	server.Answer(sqlserver.Dialect.RoleQuery, fake.Answer{Query: "SELECT 'has the permission INSERT on the database' AS what, true AS refused"})
	if code, log := run("--no-to", "--execute", url); code == exitDone || !strings.Contains(log, "has the permission INSERT") {
		t.Errorf("a role that writes: exit %d, %s", code, log)
	}
}

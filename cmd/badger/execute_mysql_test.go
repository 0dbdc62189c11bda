//go:build !no_mysql && !no_duckdb

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/fake/mariadb"
)

func TestRunExecutesOnMariaDB(t *testing.T) {
	server := mariadb.Start(t)
	server.Exec(t, "CREATE DATABASE shop", "CREATE DATABASE school", "SET sql_mode = ''",
		"CREATE TABLE school.pupil (id INT PRIMARY KEY, grade INT)", "INSERT INTO school.pupil VALUES (1, 3), (2, 3), (3, 4)", "USE shop",
		"CREATE TABLE price (id BIGINT UNSIGNED PRIMARY KEY, amount DECIMAL(30, 10) NOT NULL, since DATE, open TIME, sold BOOLEAN, kind ENUM('new', 'used'))",
		"INSERT INTO price VALUES (1, 0.1, '2024-02-29', '08:00:00', TRUE, 'new'), (18446744073709551615, 12345678901234567890.0000000001, '0000-00-00', '100:00:00', FALSE, 'used')",
		"CREATE USER reader", "GRANT SELECT ON shop.* TO reader", "GRANT SELECT ON school.* TO reader")
	dir := t.TempDir()
	text, want := "", map[string]string{}
	for _, tc := range []struct{ id, database, gold, agent, want string }{
		{"right, with a string in double quotes", "shop", "SELECT amount FROM price WHERE kind = 'new'", `SELECT amount FROM price WHERE kind = "new"`, "1 1"},
		{"the last digit", "shop", "SELECT amount FROM price", "SELECT amount + 0.0000000001 FROM price", "0 1"},
		{"numbers beyond 2^63", "shop", "SELECT id FROM price ORDER BY id", "SELECT id FROM price WHERE id >= 1", "1 1"},
		{"a date of zeros", "shop", "SELECT since FROM price", "SELECT since FROM price WHERE since IS NOT NULL", "1 1"},
		{"a date of zeros, and none", "shop", "SELECT since FROM price", "SELECT NULLIF(since, '0000-00-00') FROM price", "0 1"},
		{"times", "shop", "SELECT open FROM price", "SELECT TIME(open) FROM price", "1 1"},
		{"truth is a number", "shop", "SELECT sold FROM price", "SELECT amount < 1 FROM price", "1 1"},
		{"another database", "school", "SELECT grade, COUNT(*) FROM pupil GROUP BY grade", "SELECT grade, COUNT(id) FROM pupil GROUP BY 1", "1 1"},
		{"no such table", "shop", "SELECT amount FROM price", "SELECT amount FROM prices", "0 0"},
		{"no such column", "shop", "SELECT amount FROM price", "SELECT sum FROM price", "0 0"},
		{"a syntax error", "shop", "SELECT amount FROM price", "SELEC amount FROM price", "0 0"},
		{"writes", "shop", "SELECT amount FROM price", "DELETE FROM price", "0 0"},
		{"a file", "shop", "SELECT 1", "SELECT amount INTO OUTFILE '/tmp/badger' FROM price", "0 0"},
		{"tells of the host", "shop", "SELECT 1", "SELECT variable_value FROM information_schema.global_variables", "0 0"},
		{"endless", "shop", "SELECT 1", "SELECT COUNT(*) FROM seq_1_to_1000000 AS a, seq_1_to_1000000 AS b WHERE a.seq * b.seq = 7.5", "0 0"},
		{"no such database", "none", "SELECT 1", "SELECT 1", "failed not_applicable"},
	} {
		line, err := json.Marshal(map[string]any{"case_id": tc.id, "database": tc.database, "question": "?", "gold": map[string]any{"sql": tc.gold}, "agent": map[string]any{"sql": tc.agent}})
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
		code, _, log := badger(t, append([]string{"run", "--cases", cases, "--metrics", "ex_bird,syntactic_accuracy", "--quiet", "--snapshots", "none", "--execute-timeout", "2s"}, more...)...)
		return code, log
	}
	url := strings.Replace(server.TCP("reader", "{database}"), "mysql:", "mariadb:", 1)
	if code, log := run("--no-to", "--scores", scores, "--execute", url); code != exitDone {
		t.Fatalf("exit %d: %s", code, log)
	}
	scored(t, scores, want)

	if code, log := run("--no-to", "--execute", server.URL("root", "shop")); code == exitDone || !strings.Contains(log, "has the privilege FILE") {
		t.Errorf("as root: exit %d, %s", code, log)
	}
	if code, log := run("--to", server.URL("reader", "shop")); code == exitDone || !strings.Contains(log, "does not write to them") {
		t.Errorf("--to: exit %d, %s", code, log)
	}
	if _, out, log := badger(t, "doctor", "--execute", server.URL("reader", "shop")); !strings.Contains(out, "the role can only read") {
		t.Errorf("doctor: %s %s", out, log)
	}

	// The definitions of tables are those of SHOW CREATE TABLE.
	line := `{"case_id":"a","question":"?","gold":{"sql":"SELECT COUNT(amount) FROM price"},"agent":{"sql":"SELECT COUNT(*) FROM price"}}`
	if err := os.WriteFile(cases, []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, log := badger(t, "run", "--cases", cases, "--metrics", "counterexample", "--quiet", "--snapshots", "none", "--no-to", "--scores", scores, "--execute", server.URL("reader", "shop"), "--execute-schema", "--execute-statistics")
	if text := readFile(t, scores); code != exitDone || !strings.Contains(text, `"schema_from":"warehouse"`) || !strings.Contains(text, `"passed":true`) || !strings.Contains(log, "executed 4 queries") {
		t.Errorf("exit %d: %s\n%s", code, log, text)
	}
}

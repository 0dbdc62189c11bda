//go:build !no_duckdb && !no_postgres

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// executedCases are answers without results about a table of three orders.
const executedCases = `{"case_id": "right", "dialect": "%", "question": "How many?", "gold": {"sql": "SELECT count(*) AS n FROM orders"}, "agent": {"name": "a", "version": "1", "sql": "SELECT sum(1) AS n FROM orders;"}}
{"case_id": "wrong", "dialect": "%", "question": "How many?", "gold": {"sql": "SELECT count(*) AS n FROM orders"}, "agent": {"name": "a", "version": "1", "sql": "SELECT max(id) + 4 AS n FROM orders"}}
{"case_id": "agent fails", "dialect": "%", "question": "How many?", "gold": {"sql": "SELECT count(*) AS n FROM orders"}, "agent": {"name": "a", "version": "1", "sql": "SELECT nobody FROM orders"}}
{"case_id": "gold fails", "dialect": "%", "question": "How many?", "gold": {"sql": "SELECT nobody FROM orders"}, "agent": {"name": "a", "version": "1", "sql": "SELECT count(*) AS n FROM orders"}}
{"case_id": "drops", "dialect": "%", "question": "How many?", "gold": {"sql": "SELECT count(*) AS n FROM orders"}, "agent": {"name": "a", "version": "1", "sql": "SELECT count(*) FROM orders; DROP TABLE orders"}}
{"case_id": "given", "dialect": "%", "question": "How many?", "gold": {"sql": "SELECT 1/0", "result": {"columns": ["n"], "rows": [[3]]}}, "agent": {"name": "a", "version": "1", "sql": "DROP TABLE orders", "result": {"columns": ["n"], "rows": [[3]]}}}
`

// The queries of cases without results run in the warehouse; what came of each is in the scores. A
// resumed run takes what was kept, and so does one that runs nothing.
func TestRunExecutes(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		execute(t, url, "CREATE TABLE orders (id INT)", "INSERT INTO orders VALUES (1), (2), (3)")
		dir := t.TempDir()
		cases := filepath.Join(dir, "cases.jsonl")
		if err := os.WriteFile(cases, []byte(strings.ReplaceAll(executedCases, "%", engineOf(url).name)), 0o600); err != nil {
			t.Fatal(err)
		}
		kept := filepath.Join(dir, "kept")
		scores := func(name string, more ...string) (string, string) {
			t.Helper()
			path := filepath.Join(dir, name)
			args := append([]string{"run", "--cases", cases, "--metrics", "ex_bird,syntactic_accuracy", "--no-to", "--scores", path, "--quiet", "--snapshots", kept}, more...)
			code, out, log := badger(t, args...)
			if code != exitDone {
				t.Fatalf("exit %d: %s%s", code, out, log)
			}
			return readFile(t, path), log
		}
		reads := reader(t, url)
		first, log := scores("1.jsonl", "--execute", reads)
		got := map[string]string{}
		for line := range strings.Lines(first) {
			var s struct {
				CaseID string   `json:"case_id"`
				Metric string   `json:"metric"`
				Status string   `json:"status"`
				Value  *float64 `json:"value"`
				Reason string   `json:"reason"`
			}
			if err := json.Unmarshal([]byte(line), &s); err != nil {
				t.Fatal(err)
			}
			said := s.Status
			if s.Value != nil && *s.Value == 1 {
				said = "1"
			} else if s.Value != nil {
				said = "0"
			}
			if got[s.CaseID] += " " + said; s.CaseID == "gold fails" && s.Metric == "ex_bird" && !strings.Contains(s.Reason, "the gold query failed") {
				t.Errorf("whose fault is not said: %s", s.Reason)
			}
		}
		for id, want := range map[string]string{
			"right": " 1 1", "wrong": " 0 1", "agent fails": " 0 0", "gold fails": " not_applicable 1", "drops": " 0 0", "given": " 1 1",
		} {
			if got[id] != want {
				t.Errorf("case %s: %s, want %s", id, got[id], want)
			}
		}
		for _, want := range []string{"executed 4 queries", `1 of the gold queries failed, such as case "gold fails"`, `1 of the agent queries failed, such as case "agent fails"`, `1 of the agent queries were rejected: each is not a query, calls a function that does not exist, or would do more than read, such as case "drops"`} {
			if !strings.Contains(log, want) {
				t.Errorf("%q is not told: %s", want, log)
			}
		}
		if n := ask(t, url, "SELECT count(*) FROM orders"); strings.TrimSpace(n) != "3" {
			t.Errorf("the table has %s rows", n)
		}
		execute(t, url, "DELETE FROM orders")
		again, log := scores("2.jsonl", "--execute-kept")
		if again != first || !strings.Contains(log, "executed 0 queries, took the kept results of 5") {
			t.Errorf("from kept results: %s\n%s\nwant\n%s", log, again, first)
		}
		if anew, _ := scores("3.jsonl", "--execute", reads); anew == first {
			t.Error("a new run sees the data as they are now")
		}
	})
}

// What is wrong is said before anything is run.
func TestRunExecutesIsChecked(t *testing.T) {
	dir := t.TempDir()
	shop := "duckdb:" + filepath.Join(dir, "shop.duckdb")
	execute(t, shop, "CREATE TABLE orders (id INT)")
	cases := filepath.Join(dir, "cases.jsonl")
	if err := os.WriteFile(cases, []byte(strings.ReplaceAll(executedCases, "%", "duckdb")), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, tc := range []struct {
		why  string
		args []string
		code int
		log  string
	}{
		{"limits without a URL", []string{"--execute-rows", "5"}, exitUsage, "expected a URL with --execute-rows"},
		{"the database that is written", []string{"--execute", shop, "--to", shop}, exitUsage, "name another database with --to, or --no-to"},
		{"a database that is not there", []string{"--execute", "duckdb:none.duckdb", "--no-to"}, exitFail, `database "none.duckdb" does not exist`},
		{"nothing kept", []string{"--execute-kept", "--snapshots", "none-there", "--no-to"}, exitUsage, "no directory"},
		{"kept nowhere", []string{"--execute-kept", "--snapshots", "none", "--no-to"}, exitUsage, "expected a directory of kept results"},
		{"statistics that are kept, of no warehouse", []string{"--execute-kept", "--snapshots", ".", "--execute-statistics", "--no-to"}, exitUsage, "expected a URL with --execute-schema or --execute-statistics"},
		{"an unknown scheme", []string{"--execute", "oracle:x", "--no-to"}, exitUsage, "expected a URL that begins with"},
	} {
		code, _, log := badger(t, append([]string{"run", "--cases", cases, "--metrics", "ex_bird", "--quiet"}, tc.args...)...)
		if code == exitDone || tc.code == exitUsage && code != exitUsage || !strings.Contains(log, tc.log) {
			t.Errorf("%s: exit %d, %s; want %d, %q", tc.why, code, log, tc.code, tc.log)
		}
	}
	// Each case has its own database; a name that leads elsewhere is not put into the URL.
	text := `{"case_id": "1", "database": "shop", "question": "?", "dialect": "duckdb", "gold": {"sql": "SELECT count(*) FROM orders"}, "agent": {"sql": "SELECT 0"}}
{"case_id": "2", "database": "../shop", "question": "?", "dialect": "duckdb", "gold": {"sql": "SELECT count(*) FROM orders"}, "agent": {"sql": "SELECT 0"}}
`
	if err := os.WriteFile(cases, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, log := badger(t, "run", "--cases", cases, "--metrics", "ex_bird", "--quiet", "--no-to", "--execute", "duckdb:"+dir+"/{database}.duckdb")
	if code != exitDone || !strings.Contains(out, "1/2") || !strings.Contains(log, "expected a name of letters, digits") {
		t.Errorf("exit %d: %s%s", code, out, log)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "snapshots", "*.json")); len(files) != 2 {
		t.Errorf("%d results kept in ./snapshots, want 2", len(files))
	}
}

// PostgreSQL refuses what the check of the text would let through, and what is beyond the limit of
// rows is not fetched.
func TestPostgresOnlyReads(t *testing.T) {
	url := emptyPostgres(t)
	execute(t, url, "CREATE TABLE orders (id INT)", "CREATE SEQUENCE s", "CREATE FUNCTION wipe() RETURNS INT LANGUAGE sql AS 'DELETE FROM orders RETURNING 1'", "INSERT INTO orders VALUES (1)")
	w, err := openWarehouse(t.Context(), url, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, sql := range []string{
		"DELETE FROM orders", "WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x", "SELECT nextval('s')", "SELECT wipe()", "SELECT * INTO u FROM orders", "SELECT 1; DROP TABLE orders",
		"COMMIT; DELETE FROM orders", "COPY orders TO '/tmp/badger-never'", "SELECT * FROM orders FOR UPDATE",
	} {
		if table, err := w.QueryWithin(t.Context(), 10, 1<<20, sql); err == nil {
			t.Errorf("%q was run: %s", sql, table.AppendJSON(nil))
		}
	}
	if _, err := w.QueryWithin(t.Context(), 10, 1<<20, "SELECT generate_series(1, 1000000000)"); err == nil {
		t.Error("a result beyond the limit was read")
	}
	if n := ask(t, url, "SELECT count(*) FROM orders"); strings.TrimSpace(n) != "1" {
		t.Errorf("the table has %s rows", n)
	}
}

// badger doctor examines the role that queries of cases would be run with.
func TestDoctorExaminesTheRoleOfExecute(t *testing.T) {
	onEngines(t, func(t *testing.T, url string) {
		execute(t, url, "CREATE TABLE orders (id INT)")
		if code, out, log := badger(t, "doctor", "--execute", reader(t, url)); code != exitDone || !strings.Contains(out, "role of --execute") {
			t.Errorf("a reader: exit %d: %s%s", code, out, log)
		}
		if engineOf(url).name == "duckdb" {
			return
		}
		if code, out, log := badger(t, "doctor", "--execute", url); code != exitGate || !strings.Contains(out, "is a superuser") || !strings.Contains(out, "CREATE ROLE") {
			t.Errorf("a superuser: exit %d: %s%s", code, out, log)
		}
	})
}

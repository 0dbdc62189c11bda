//go:build !no_duckdb

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Scores must not go where they are lost.
func TestDatabasesThatKeepNothing(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cases := file("cases.jsonl", `{"case_id":"a","gold":{"sql":"SELECT 1"},"agent":{"sql":"SELECT 1"}}`+"\n")
	run := func(to string) []string {
		return []string{"run", "--cases", cases, "--metrics", "ex_bird", "--quiet", "--to", to}
	}
	for _, tc := range []struct {
		args []string
		code int
		says string
	}{
		{run("duckdb:"), exitUsage, "--to: duckdb: an in-memory database is lost"},
		{run("duckdb::memory:"), exitUsage, "--to: duckdb: an in-memory database is lost"},
		{run("duckdb:" + file("scores.csv", "a,b\n1,2\n")), exitFail, `--to: duckdb: "scores.csv" is not a DuckDB database`},
		{run("duckdb:" + file("old.jsonl", "{}\n")), exitFail, "; --scores FILE writes scores to a file"},
		{run("duckdb:" + cases), exitUsage, "is a case file of this command, expected a database"},
		{run("foo:bar"), exitUsage, "--to: expected a URL that begins with one of "},
		{run("foo:bar"), exitUsage, ", found foo:"},
		{run("user:secret@host"), exitUsage, "--to: expected a URL that begins with one of "},
		{[]string{"install", "--warehouse", "duckdb", "--apply", "duckdb:"}, exitUsage, "an in-memory database is lost"},
		{[]string{"install", "--warehouse", "duckdb", "--diff", "duckdb::memory:"}, exitUsage, "an in-memory database is lost"},
		{[]string{"install", "--warehouse", "duckdb", "--apply", "duckdb:" + cases}, exitFail, `"cases.jsonl" is not a DuckDB database`},
		{[]string{"queue", "new", "--db", "duckdb:"}, exitUsage, "an in-memory database is always empty"},
		{[]string{"run", "--source", "duckdb:", "--quiet"}, exitUsage, "an in-memory database is always empty"},
		{[]string{"report", "--db", "duckdb:"}, exitUsage, "an in-memory database is always empty"},
		{[]string{"view", "--db", "duckdb::memory:"}, exitUsage, "an in-memory database is always empty"},
		{[]string{"queue", "list", "--db", "duckdb:"}, exitUsage, "an in-memory database is always empty"},
		{[]string{"compare", "--db", "duckdb:"}, exitUsage, "an in-memory database is always empty"},
	} {
		fails(t, tc.code, tc.says, tc.args...)
	}
}

//go:build !no_duckdb

package execution_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/connectors/sqlite"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/execution"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// shop is a database with a table t of three rows, opened only to read.
func shop(t *testing.T) *store.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.duckdb")
	c, err := duckdb.OpenFile(t.Context(), path, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(t.Context(), "CREATE TABLE t AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, NULL)) v(id, name); CREATE SEQUENCE s; CREATE MACRO tax(x) AS x * 1.2"); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c, err = duckdb.OpenWith(t.Context(), path, duckdb.Options{Options: driver.Options{ReadOnly: true}, Confined: true, MemoryLimit: "200MB", TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	w := store.New(connectors.New(c, duckdb.Dialect))
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// counted counts the queries that reach a warehouse.
type counted struct {
	execution.Warehouse
	mu      sync.Mutex
	queries []string
}

func (c *counted) QueryWithin(ctx context.Context, rows, bytes int64, query string, args ...any) (*scoring.Table, error) {
	c.mu.Lock()
	c.queries = append(c.queries, query)
	c.mu.Unlock()
	return c.Warehouse.QueryWithin(ctx, rows, bytes, query, args...)
}

func executor(w execution.Warehouse) *execution.Executor {
	return &execution.Executor{
		Open:   func(context.Context, string) (execution.Warehouse, error) { return w, nil },
		Limits: execution.Limits{Rows: 1000, Bytes: 1 << 20, Timeout: 10 * time.Minute}, Now: time.Now,
	}
}

func caseOf(gold, agent string) *scoring.Case {
	return &scoring.Case{ID: "c", Golds: []scoring.Query{{SQL: gold}}, Pred: scoring.Query{SQL: agent}}
}

// What is no single query that only reads never reaches the engine.
func TestRefused(t *testing.T) {
	w := &counted{Warehouse: shop(t)}
	file := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(file, []byte("a\nhidden\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := executor(w)
	for _, sql := range []string{
		"COPY t TO '" + file + "'", "COPY (SELECT 1) TO '" + file + "'", "ATTACH 'x.db'", "PRAGMA database_list", "PRAGMA enable_profiling", "SELECT * INTO u FROM t",
		"WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone", "SELECT 1; DROP TABLE t", "SELECT 1; SELECT 2", "/* SELECT */ DROP TABLE t", "-- SELECT\nDELETE FROM t",
		"SELECT nextval('s')", "SELECT * FROM read_csv('" + file + "')", "SELECT * FROM '" + file + "'", "FROM read_text('" + file + "')", "SELECT getenv('HOME')", "SET memory_limit = '90%'",
		"EXPLAIN ANALYZE DELETE FROM t", "EXPLAIN SELECT 1", "SHOW TABLES", "DESCRIBE t", "INSTALL httpfs", "LOAD httpfs", "CALL pragma_version()", "BEGIN", "COMMIT", "VACUUM", "CHECKPOINT",
		"EXECUTE x", "PREPARE x AS SELECT 1", "EXPORT DATABASE 'x'", "IMPORT DATABASE 'x'", "USE memory", "SELECT query('DROP TABLE t')", "SELECT * FROM query('SELECT 1')", "SELECT * FROM glob('/*')",
		"SELECT pg_terminate_backend(1)", "CREATE TABLE u AS SELECT 1", "sorry, I cannot", "SELECT tax(1)", "SELECT * FROM sniff_csv('" + file + "')", "SELECT 1 \x00; DROP TABLE t",
	} {
		c := caseOf("SELECT 1 AS n", sql)
		if err := e.Fill(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if c.Pred.Result.Table != nil || c.Pred.Error == "" && c.Pred.Result.Err == nil {
			t.Errorf("%q was run", sql)
		}
		if c.Golds[0].Result.Table == nil {
			t.Errorf("%q: the gold query has no result: %v %s", sql, c.Golds[0].Result.Err, c.Golds[0].Error)
		}
	}
	for _, q := range w.queries {
		if q != "SELECT 1 AS n" && !strings.Contains(q, "FROM duckdb_functions()") && !strings.Contains(q, "json_serialize_sql(") {
			t.Errorf("%q was sent", q)
		}
	}
}

// The engine itself refuses what the check of the text would let through.
func TestTheEngineRefusesToo(t *testing.T) {
	w := shop(t)
	file := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(file, []byte("a\nhidden\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"DELETE FROM t", "DROP TABLE t", "CREATE TABLE u AS SELECT 1", "COPY t TO '" + file + "'", "SELECT * FROM read_csv('" + file + "')", "SELECT * FROM '" + file + "'", "ATTACH '" + file + ".db'",
		"SET memory_limit = '90%'", "SET enable_external_access = true", "INSTALL httpfs", "SELECT * FROM glob('/*')",
	} {
		if table, err := w.QueryWithin(t.Context(), 10, 1<<20, sql); err == nil {
			t.Errorf("%q was run: %s", sql, table.AppendJSON(nil))
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "a\nhidden\n" {
		t.Errorf("the file is changed: %q %v", text, err)
	}
}

// Whose fault it is that there is no result, and what the metrics make of it.
func TestOutcomes(t *testing.T) {
	cell := "100000000" // the engine makes a constant several times while it plans
	if sample.Thorough() {
		cell = "1000000000"
	}
	for _, tc := range []struct {
		why, gold, agent string
		limits           execution.Limits
		goldError        bool
		agentError       string       // the message of a failed query
		agentResult      errcode.Code // of a result that cannot be read
	}{
		{"both return", "SELECT count(*) FROM t", "SELECT 3 AS n", execution.Limits{}, false, "", errcode.OK},
		{"the agent's query fails", "SELECT 1", "SELECT nam FROM t", execution.Limits{}, false, "nam", errcode.OK},
		{"the agent's table is not there", "SELECT 1", "SELECT * FROM orders", execution.Limits{}, false, "orders", errcode.OK},
		{"the gold query fails", "SELECT nam FROM t", "SELECT 1", execution.Limits{}, true, "", errcode.OK},
		{"the agent's query fails on a value", "SELECT 1", "SELECT name::INT FROM t", execution.Limits{}, false, "onver", errcode.OK},
		{"an endless query", "SELECT 1", "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c WHERE a.range + b.range * c.range = 7", execution.Limits{Timeout: 300 * time.Millisecond}, false, "longer than the 300ms", errcode.OK},
		{"an endless recursion", "SELECT 1", "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r", execution.Limits{Timeout: 300 * time.Millisecond}, false, "longer than the 300ms", errcode.OK},
		{"too many rows", "SELECT 1", "SELECT * FROM range(1000000000000)", execution.Limits{}, false, "", errcode.ResourceExhausted},
		{"too many bytes", "SELECT 1", "SELECT repeat('x', 5000) FROM range(900)", execution.Limits{}, false, "", errcode.ResourceExhausted},
		{"one cell of " + cell + " bytes", "SELECT 1", "SELECT repeat('x', " + cell + ")", execution.Limits{}, false, "",
			errcode.ResourceExhausted},
		{"as many rows as are allowed", "SELECT 1", "SELECT * FROM range(1000)", execution.Limits{}, false, "", errcode.OK},
		{"a literal of a type with a unit", "SELECT 1", "SELECT TIMESTAMP_S '2024-01-01 00:00:00' AS a, TIMETZ '12:00:00+02' AS b", execution.Limits{}, false, "", errcode.OK},
		{"an unknown function is nobody's failure", "SELECT 1", "SELECT tax(id) FROM t", execution.Limits{}, false, "", errcode.PermissionDenied},
		{"a function that the database does not have", "SELECT 1", "SELECT revenue_of(id) FROM t", execution.Limits{}, false, "no function revenue_of()", errcode.OK},
		{"one of several", "SELECT 1", "SELECT tax(main.revenue_of(id)) FROM t", execution.Limits{}, false, "no function main.revenue_of()", errcode.OK},
		{"what DuckDB reads and badger does not", "SELECT 1", "SELECT 5!", execution.Limits{}, false, "", errcode.PermissionDenied},
		{"prose", "SELECT 1", "I'm sorry, I can't", execution.Limits{}, false, "cannot be read as one query", errcode.OK},
		{"a misspelt keyword", "SELECT 1", "SELEC 1", execution.Limits{}, false, "cannot be read as one query", errcode.OK},
		{"half an expression", "SELECT 1", "SELECT 1 +", execution.Limits{}, false, "cannot be read as one query", errcode.OK},
		{"an open parenthesis", "SELECT 1", "SELECT count(* FROM t", execution.Limits{}, false, "cannot be read as one query", errcode.OK},
		{"prose in place of gold", "see the wiki", "SELECT 1", execution.Limits{}, true, "", errcode.OK},
		{"an invented function in gold", "SELECT revenue_of(1)", "SELECT 1", execution.Limits{}, true, "", errcode.OK},
		{"an unknown function in gold", "SELECT tax(1)", "SELECT 1", execution.Limits{}, false, "", errcode.OK},
		{"no query", "SELECT 1", "DROP TABLE t", execution.Limits{}, false, "drops: DROP", errcode.OK},
	} {
		e := executor(shop(t))
		if tc.limits.Timeout > 0 {
			e.Limits.Timeout = tc.limits.Timeout
			e.Limits.Rows = 1
		}
		c := caseOf(tc.gold, tc.agent)
		if err := e.Fill(t.Context(), c); err != nil {
			t.Fatalf("%s: %v", tc.why, err)
		}
		gold, pred := &c.Golds[0], &c.Pred
		if (gold.Error != "") != tc.goldError || (gold.Result.Err != nil) != strings.Contains(tc.gold, "tax(") {
			t.Errorf("%s: gold: error %q, result %v", tc.why, gold.Error, gold.Result.Err)
		}
		if (pred.Error != "") != (tc.agentError != "") || !strings.Contains(pred.Error, tc.agentError) {
			t.Errorf("%s: agent: error %q, want %q", tc.why, pred.Error, tc.agentError)
		}
		if code := errcode.Of(pred.Result.Err); pred.Result.Err != nil && code != tc.agentResult || pred.Result.Err == nil && tc.agentResult != errcode.OK {
			t.Errorf("%s: agent: result %v, want %s", tc.why, pred.Result.Err, tc.agentResult)
		}
		if tc.agentError == "" && tc.agentResult == errcode.OK && pred.Result.Table == nil {
			t.Errorf("%s: no result", tc.why)
		}
		if text := strings.Join(e.Lines(), "\n"); tc.goldError != (strings.Contains(text, "of the gold queries failed") || strings.Contains(text, "of the gold queries were rejected")) || (tc.agentError != "" || tc.agentResult != errcode.OK) != strings.Contains(text, "of the agent queries") {
			t.Errorf("%s: told: %s", tc.why, text)
		}
	}
}

// A result that is given is not made again, a query is run once, and what is kept is the same when
// it is taken from there.
func TestKept(t *testing.T) {
	w := &counted{Warehouse: shop(t)}
	dir := t.TempDir()
	run := func(set func(*execution.Executor)) []*scoring.Case {
		t.Helper()
		store, err := execution.OpenStore(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		e := executor(w)
		e.Store = store
		set(e)
		given := caseOf("SELECT id FROM t ORDER BY id", "SELECT name FROM t")
		given.Pred.Error = "it failed elsewhere"
		cases := []*scoring.Case{caseOf("SELECT id, name FROM t ORDER BY id", "SELECT sum(id) / 3.0 AS x FROM t"), caseOf("SELECT id, name FROM t ORDER BY id", "SELECT nam FROM t"), given}
		var wg sync.WaitGroup
		for _, c := range cases {
			wg.Go(func() {
				if err := e.Fill(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return cases
	}
	first := run(func(*execution.Executor) {})
	if len(w.queries) != 4 {
		t.Errorf("sent %q, want four different queries once", w.queries)
	}
	if got := string(first[0].Golds[0].Result.Table.AppendJSON(nil)); !strings.Contains(got, `[3,null]`) {
		t.Errorf("result %s", got)
	}
	for why, set := range map[string]func(*execution.Executor){
		"resumed":   func(e *execution.Executor) { e.KeptFirst = true },
		"kept only": func(e *execution.Executor) { e.KeptOnly = true; e.Open = nil },
	} {
		again := run(set)
		if len(w.queries) != 4 {
			t.Errorf("%s: %d queries sent", why, len(w.queries)-4)
		}
		for i := range again {
			a, b := first[i], again[i]
			if a.Pred.Error != b.Pred.Error || string(a.Golds[0].Result.Table.AppendJSON(nil)) != string(b.Golds[0].Result.Table.AppendJSON(nil)) {
				t.Errorf("%s: case %d differs", why, i)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files kept, want 3: %v", len(files), err)
	}
	info, err := os.Stat(files[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read a kept result: %v %v", info.Mode(), err)
	}
	for _, f := range files { // damage is seen, and is nobody's wrong answer
		if err := os.WriteFile(f, []byte(`{"columns":["x"],"rows":[[1]]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range run(func(e *execution.Executor) { e.KeptOnly = true }) {
		if errcode.Of(c.Golds[0].Result.Err) != errcode.DataLoss {
			t.Errorf("a damaged result: %v", c.Golds[0].Result.Err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "executions.jsonl"), []byte("{\"key\": \"torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(w.queries)
	run(func(e *execution.Executor) { e.KeptFirst = true })
	if len(w.queries)-before != 4 {
		t.Errorf("a torn index: %d queries sent, want 4 again", len(w.queries)-before)
	}
	for _, c := range run(func(e *execution.Executor) { e.KeptOnly = true })[:1] {
		if c.Golds[0].Result.Table == nil {
			t.Errorf("what was added behind a torn line is not read: %v", c.Golds[0].Result.Err)
		}
	}
}

// brokenWarehouse is one that does not answer.
type brokenWarehouse struct{}

func (brokenWarehouse) Dialect() string     { return "duckdb" }
func (brokenWarehouse) SQL() driver.Dialect { return duckdb.Dialect }

func (brokenWarehouse) QueryWithin(context.Context, int64, int64, string, ...any) (*scoring.Table, error) {
	return nil, errcode.New(errcode.Unavailable, "the network is down")
}

// failing fails each query with an error.
type failing struct{ err error }

func (failing) Dialect() string     { return "postgres" }
func (failing) SQL() driver.Dialect { return driver.Dialect{Name: "postgres"} }

func (f failing) QueryWithin(context.Context, int64, int64, string, ...any) (*scoring.Table, error) {
	return nil, errcode.New(errcode.Of(f.err), "query: %w", f.err)
}

// Whose failure an error of the warehouse is: what badger does not read, and what the warehouse limits,
// is never the query's.
func TestWhoseFailureAnErrorIs(t *testing.T) {
	for _, tc := range []struct {
		why          string
		err          error
		own          bool // the query's
		ran          bool
		says, silent string
	}{
		{"a value that is not read", errcode.Unread("column 1: a time is too far away"), false, true, "badger does not read", "larger"},
		{"what the server does not offer", errcode.New(errcode.Unimplemented, "the server does not offer that"), true, true, "offer", "badger"},
		{"a damaged value", errcode.New(errcode.DataLoss, "a value is not what its type says"), false, false, "value", "larger"},
		{"a driver that broke down", errcode.New(errcode.Internal, "the driver broke down"), false, false, "broke down", "larger"},
		{"too many sessions", errcode.New(errcode.Unavailable, "too many sessions"), false, false, "sessions", "larger"},
		{"a quota", errcode.New(errcode.FailedPrecondition, "a quota is used up"), false, false, "quota", "larger"},
		{"a large result", errcode.New(errcode.ResourceExhausted, "more than the allowed 5 rows"), false, true, "larger", "quota"},
		{"the server's own limit of time", errcode.New(errcode.DeadlineExceeded, "statement_timeout"), true, true, "statement_timeout", "1m0s"},
	} {
		e := executor(failing{tc.err})
		c := caseOf("SELECT 1", "SELECT 2")
		if err := e.Fill(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		text := c.Pred.Error
		if c.Pred.Result.Err != nil {
			text = c.Pred.Result.Err.Error()
		}
		if (c.Pred.Error != "") != tc.own || c.Pred.Ran != tc.ran || !strings.Contains(text, tc.says) || strings.Contains(text, tc.silent) {
			t.Errorf("%s: error %q, result %v, ran %v", tc.why, c.Pred.Error, c.Pred.Result.Err, c.Pred.Ran)
		}
	}
}

// A warehouse that is away fails the scores, which can be made again; it makes no query wrong.
func TestAwayIsNobodysFault(t *testing.T) {
	for why, open := range map[string]func(context.Context, string) (execution.Warehouse, error){
		"the query": func(context.Context, string) (execution.Warehouse, error) { return brokenWarehouse{}, nil },
		"opening": func(context.Context, string) (execution.Warehouse, error) {
			return nil, errcode.New(errcode.Unavailable, "the network is down")
		},
	} {
		e := executor(nil)
		e.Open = open
		c := caseOf("SELECT 1", "SELECT 2")
		if err := e.Fill(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if c.Pred.Error != "" || c.Golds[0].Error != "" || errcode.Of(c.Pred.Result.Err) != errcode.Unavailable || c.Pred.Ran {
			t.Errorf("%s: %+v", why, c.Pred)
		}
	}
	e := executor(brokenWarehouse{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Fill(ctx, caseOf("SELECT 1", "SELECT 2")); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended run: %v", err)
	}
}

// tellTale is a warehouse that says of each query that it was asked.
type tellTale struct {
	dialect string
	queries []string
}

func (w *tellTale) Dialect() string { return w.dialect }

func (w *tellTale) SQL() driver.Dialect {
	for _, d := range []driver.Dialect{duckdb.Dialect, postgres.Dialect, postgres.RedshiftDialect, sqlite.Dialect} {
		if d.Name == w.dialect {
			return d
		}
	}
	return driver.Dialect{Name: w.dialect}
}

func (w *tellTale) QueryWithin(_ context.Context, _, _ int64, query string, _ ...any) (*scoring.Table, error) {
	w.queries = append(w.queries, query)
	return scoring.ParseResult([]byte(`{"columns":["n"],"rows":[[0]]}`))
}

// What is no query is the agent's error on every warehouse. A query that badger cannot read whole, and
// a function, are its error only where the database can be asked.
func TestWhoseErrorByDialect(t *testing.T) {
	for _, tc := range []struct {
		dialect, sql string
		error        string // of the agent's query; "": a result that cannot be read
		asks         string // what the warehouse is asked
	}{
		{"postgres", "SELECT revenue_of(1)", "no function revenue_of()", "pg_catalog.pg_proc"},
		{"snowflake", "SELECT revenue_of(1)", "", ""},
		{"bigquery", "SELECT revenue_of(1)", "", ""},
		{"databricks", "SELECT revenue_of(1)", "", ""},
		{"duckdb", "SELECT 1 +", "cannot be read as one query", "json_serialize_sql"},
		{"postgres", "SELECT 1 +", "", ""},
		{"sqlite", "SELECT revenue_of(1)", "no function revenue_of()", "pragma_function_list"},
		{"sqlite", "SELECT 1 +", "", ""},
		{"snowflake", "SELECT count(* FROM x", "", ""},
		{"snowflake", "SELECT 1; SELECT 2", "only reads", ""},
		{"bigquery", "the answer is 12", "cannot be read as one query", ""},
	} {
		w := &tellTale{dialect: tc.dialect}
		c := caseOf("", tc.sql)
		c.Golds = nil
		if err := executor(w).Fill(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if (c.Pred.Error == "") != (tc.error == "") || !strings.Contains(c.Pred.Error, tc.error) {
			t.Errorf("%s: %s: error %q, want %q", tc.dialect, tc.sql, c.Pred.Error, tc.error)
		}
		if tc.error == "" && (c.Pred.Result.Err == nil || !strings.Contains(c.Pred.Result.Err.Error(), "revenue_of()") && !strings.Contains(c.Pred.Result.Err.Error(), "cannot read it whole")) {
			t.Errorf("%s: %s: %v", tc.dialect, tc.sql, c.Pred.Result.Err)
		}
		if asked := strings.Join(w.queries, "\n"); (asked == "") != (tc.asks == "") || !strings.Contains(asked, tc.asks) {
			t.Errorf("%s: %s: asked %q", tc.dialect, tc.sql, asked)
		}
	}
}

// What tells of the host, its files and the settings is never sent.
func TestTheHostIsNotAsked(t *testing.T) {
	for dialect, queries := range map[string][]string{
		"duckdb": {
			"SELECT * FROM duckdb_databases()", "SELECT path FROM duckdb_databases", "SELECT * FROM DuckDB_Settings()", "SELECT current_setting('temp_directory')", "FROM duckdb_secrets()",
			"SELECT (SELECT max(value) FROM main.duckdb_settings())", "SELECT * FROM pragma_database_list", "WITH x AS (SELECT * FROM \"duckdb_settings\"()) SELECT * FROM x",
		},
		"postgres": {
			"SELECT current_setting('data_directory')", "SELECT * FROM pg_settings", "SELECT * FROM pg_catalog.pg_settings", "SELECT pg_read_file('x')", "SELECT pg_read_binary_file('x')",
			"SELECT inet_server_addr()", "SELECT * FROM pg_hba_file_rules", "SELECT query FROM pg_stat_activity", "SELECT pg_ls_dir('.')", "SELECT version()",
		},
		"redshift": {"SELECT current_setting('search_path')", "SELECT * FROM pg_settings"},
		"sqlite": {
			"SELECT file FROM pragma_database_list", "SELECT * FROM pragma_database_list()", "SELECT * FROM pragma_compile_options", "SELECT sqlite_version()", "SELECT sqlite_source_id()",
		},
	} {
		for _, sql := range queries {
			w := &tellTale{dialect: dialect}
			c := caseOf("", sql)
			c.Golds = nil
			if err := executor(w).Fill(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if c.Pred.Error == "" || slices.Contains(w.queries, sql) {
				t.Errorf("%s: %s: error %q, result %v, sent %q", dialect, sql, c.Pred.Error, c.Pred.Result.Err, w.queries)
			}
		}
	}
	w := &tellTale{dialect: "duckdb"}
	if err := executor(w).Fill(t.Context(), caseOf("SELECT pg_settings, version FROM t", "SELECT count(*) FROM information_schema.tables")); err != nil || len(w.queries) != 2 {
		t.Errorf("columns and tables of data: %v, sent %q", err, w.queries)
	}
}

// What runs is the SQL in a text as agents give it.
func TestWrappedSQL(t *testing.T) {
	w := &counted{Warehouse: shop(t)}
	e := executor(w)
	c := caseOf("```sql\nSELECT count(*) AS n FROM t\n```", "Here is the SQL: SELECT count(name) AS n FROM t")
	if err := e.Fill(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(w.queries, []string{"SELECT count(*) AS n FROM t", "SELECT count(name) AS n FROM t"}) {
		t.Errorf("sent %q", w.queries)
	}
	c = caseOf("SELECT 1", "```sql\nDELETE FROM t\n```")
	if err := e.Fill(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.Pred.Error, "writes") {
		t.Errorf("a DELETE in a fence: %q, want that it writes", c.Pred.Error)
	}
	c = caseOf("SELECT 1", "SELECT * FROM {{ table }}")
	if err := e.Fill(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if c.Pred.Result.Table != nil {
		t.Error("a template was run")
	}
}

// An executor that forgets runs a query again when it is needed again, so that changed data are seen.
func TestForget(t *testing.T) {
	for _, forget := range []bool{false, true} {
		w := &counted{Warehouse: shop(t)}
		e := executor(w)
		e.Forget = forget
		for range 3 {
			c := caseOf("", "SELECT COUNT(*) AS n FROM t")
			if err := e.Fill(t.Context(), c); err != nil || c.Pred.Result.Table == nil {
				t.Fatal(err, c.Pred.Error)
			}
		}
		if want := map[bool]int{false: 1, true: 3}[forget]; len(w.queries) != want {
			t.Errorf("forget %t: %d queries are run, want %d", forget, len(w.queries), want)
		}
	}
}

// Whether a role reads a table is known from trying, and an unreachable warehouse is none that cannot read it.
func TestExposes(t *testing.T) {
	e := executor(shop(t))
	for name, want := range map[string]bool{"t": true, "badger.golden_set": false} {
		if got, err := e.Exposes(t.Context(), "", name); got != want || err != nil {
			t.Errorf("%s: %t, %v, want %t", name, got, err, want)
		}
	}
	away := errcode.New(errcode.Unavailable, "away")
	for _, e := range []*execution.Executor{executor(failing{away}), {Open: func(context.Context, string) (execution.Warehouse, error) { return nil, away }}} {
		if got, err := e.Exposes(t.Context(), "", "t"); got || err == nil {
			t.Errorf("an unreachable warehouse: %t, %v", got, err)
		}
	}
}

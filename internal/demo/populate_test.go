package demo_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/demo"
	"github.com/badger-eval/badger/internal/errcode"
)

// tables is the part of badger's own tables that the demonstration writes, with keys, and JSON
// where a warehouse may have it.
const tables = `CREATE SCHEMA badger;
	CREATE TABLE badger.golden_set (case_id VARCHAR, question VARCHAR, evidence VARCHAR, schema_ddl VARCHAR, dialect VARCHAR, gold_sql VARCHAR, gold_result VARCHAR,
		expected_tools JSON, expected_clarifications JSON, expected_behaviour VARCHAR, tags JSON, set_version VARCHAR, PRIMARY KEY (case_id));
	CREATE TABLE badger.agent_runs (agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, case_id VARCHAR, interpretation VARCHAR, sql VARCHAR, result VARCHAR, sql_error VARCHAR,
		tool_calls JSON, response VARCHAR, latency_ms DOUBLE, gold_latency_ms DOUBLE, conversation_id VARCHAR, turn INTEGER, ran_at TIMESTAMP, tokens_in BIGINT, tokens_out BIGINT, cost_usd DECIMAL(38, 12), chart VARCHAR, PRIMARY KEY (agent_name, batch_id, case_id));
	CREATE TABLE badger.human_labels (case_id VARCHAR, agent_name VARCHAR, batch_id VARCHAR, annotator VARCHAR, verdict VARCHAR, note VARCHAR, labelled_at TIMESTAMP, agent_version VARCHAR)`

// open makes an empty database; the file "" means one in memory.
func open(t testing.TB, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t testing.TB, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func scalar[T any](t testing.TB, db *sql.DB, query string) (v T) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// dump returns a query's rows as lines of text.
func dump(t testing.TB, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// warehouse is one database in memory, built and populated once for all tests that only read it.
var warehouse = sync.OnceValues(func() (*sql.DB, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if err := demo.Build(ctx, db, nil); err != nil {
		return nil, err
	}
	if _, err := db.Exec(tables); err != nil {
		return nil, err
	}
	return db, demo.Populate(ctx, db, "badger")
})

func built(t testing.TB) *sql.DB {
	t.Helper()
	db, err := warehouse()
	if err != nil {
		t.Fatal(err)
	}
	return db
}

const (
	goldenDump = "SELECT to_json(g)::VARCHAR FROM badger.golden_set g ORDER BY case_id"
	runsDump   = "SELECT to_json(r)::VARCHAR FROM badger.agent_runs r ORDER BY batch_id, case_id"
)

func TestPopulateIsTheSameEverywhere(t *testing.T) {
	memory := built(t)
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "demo.duckdb")
	file := open(t, path)
	// A different number of threads, time zone and order of NULLs must not show.
	exec(t, file, "SET threads = 4")
	exec(t, file, "SET TimeZone = 'America/New_York'")
	if err := demo.Build(ctx, file, nil); err != nil {
		t.Fatal(err)
	}
	exec(t, file, tables)
	if err := demo.Populate(ctx, file, "badger"); err != nil {
		t.Fatal(err)
	}
	golden, runs := dump(t, file, goldenDump), dump(t, file, runsDump)
	if d := cmp.Diff(dump(t, memory, goldenDump), golden); d != "" {
		t.Errorf("golden_set differs between a database in memory and one in a file:\n%s", d)
	}
	if d := cmp.Diff(dump(t, memory, runsDump), runs); d != "" {
		t.Errorf("agent_runs differs between a database in memory and one in a file:\n%s", d)
	}
	if got := scalar[int](t, file, "SELECT current_setting('threads')"); got != 4 {
		t.Errorf("threads = %d after populating, want the 4 from before", got)
	}

	// Read back from disk, with compressed columns and statistics, and over the rows of the first
	// time.
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	file = open(t, path)
	if err := demo.Populate(ctx, file, "badger"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(golden, dump(t, file, goldenDump)); d != "" {
		t.Errorf("golden_set differs after reopening:\n%s", d)
	}
	if d := cmp.Diff(runs, dump(t, file, runsDump)); d != "" {
		t.Errorf("agent_runs differs after reopening:\n%s", d)
	}
}

func TestPopulateStoresWhatTheFilesSay(t *testing.T) {
	db := built(t)
	for _, tc := range []struct {
		why, query string
		want       int
	}{
		{"every case once", "SELECT count(*) FROM badger.golden_set", len(demo.Golden())},
		{"a gold result exactly where there is a gold query", "SELECT count(*) FROM badger.golden_set WHERE (gold_sql IS NULL) <> (gold_result IS NULL)", 0},
		{"a gold query exactly where an answer is expected", "SELECT count(*) FROM badger.golden_set WHERE (gold_sql IS NOT NULL) <> (expected_behaviour = 'answer')", 0},
		{"every case knows its tables", "SELECT count(*) FROM badger.golden_set WHERE schema_ddl NOT LIKE 'CREATE TABLE%'", 0},
		{"both versions answer every case", "SELECT count(*) FROM badger.agent_runs", 2 * len(demo.Golden())},
		{"versions are told apart by batch", "SELECT count(DISTINCT batch_id || agent_version) FROM badger.agent_runs", 2},
		{"a result and an error exclude each other", "SELECT count(*) FROM badger.agent_runs WHERE result IS NOT NULL AND sql_error IS NOT NULL", 0},
		{"without SQL there is neither", "SELECT count(*) FROM badger.agent_runs WHERE sql IS NULL AND (result IS NOT NULL OR sql_error IS NOT NULL)", 0},
		{"gold latency exactly for questions with a gold query", "SELECT count(*) FROM badger.agent_runs JOIN badger.golden_set USING (case_id) WHERE (gold_sql IS NULL) <> (gold_latency_ms IS NULL)", 0},
		{"every answer took time", "SELECT count(*) FROM badger.agent_runs WHERE latency_ms < 100", 0},
		{"all but one answer have tokens and a cost, or none of them", "SELECT count(*) FROM badger.agent_runs WHERE tokens_in > 0 AND tokens_out > 0 AND cost_usd > 0", 2*len(demo.Golden()) - 1},
		{"cost is a price for each token of the version", "SELECT count(*) FROM badger.agent_runs WHERE cost_usd <> CASE agent_version WHEN '1.0' THEN (tokens_in * 40 + tokens_out * 160)::DECIMAL(38, 12) / 100000000 ELSE (tokens_in * 110 + tokens_out * 440)::DECIMAL(38, 12) / 100000000 END", 0},
		{"lists are JSON lists", "SELECT count(*) FROM badger.golden_set WHERE json_type(expected_tools) <> 'ARRAY' OR json_type(tags) <> 'ARRAY' OR json_type(expected_clarifications) <> 'ARRAY'", 0},
		{"results are objects with columns and rows", "SELECT count(*) FROM badger.agent_runs WHERE result IS NOT NULL AND json_keys(result) <> ['columns', 'rows']", 0},
	} {
		if got := scalar[int](t, db, tc.query); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.why, got, tc.want)
		}
	}
}

func TestDestructiveStatementsAreNeverExecuted(t *testing.T) {
	db := built(t)
	never := 0
	for _, a := range demo.Answers() {
		if a.Note.Execution != demo.Never {
			continue
		}
		never++
		where := "WHERE case_id = '" + a.CaseID + "' AND agent_version = '" + a.Agent.Version + "'"
		if got := scalar[int](t, db, "SELECT count(*) FROM badger.agent_runs "+where+" AND sql IS NOT NULL AND result IS NULL AND sql_error IS NULL"); got != 1 {
			t.Errorf("case %s: a destructive statement must be stored without result and error", a.CaseID)
		}
		if _, err := demo.Execute(context.Background(), db, a.Agent.SQL); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("case %s: Execute must refuse it, got %v", a.CaseID, err)
		}
	}
	if never < 3 {
		t.Errorf("%d destructive statements, want at least 3", never)
	}
	for table, want := range map[string]int{"retail.orders": 20000, "bank.transactions": 30000} {
		if got := scalar[int](t, db, "SELECT count(*) FROM "+table); got != want {
			t.Errorf("%s has %d rows, want all %d", table, got, want)
		}
	}
	if scalar[int](t, db, "SELECT count(*) FROM retail.orders WHERE status = 'cancelled'") == 0 || scalar[int](t, db, "SELECT count(*) FROM retail.returns") == 0 {
		t.Error("the rows that the statements would remove must still be there")
	}
}

func TestAnnotate(t *testing.T) {
	db := open(t, "")
	exec(t, db, tables)
	for range 2 { // the second time replaces the first
		if err := demo.Annotate(context.Background(), db, "badger"); err != nil {
			t.Fatal(err)
		}
	}
	accepted := 0
	for _, a := range demo.Answers() {
		if a.Human.Label {
			accepted++
		}
	}
	if got := scalar[int](t, db, "SELECT count(*) FROM badger.human_labels"); got != len(demo.Answers()) {
		t.Errorf("%d labels, want one for each of %d answers", got, len(demo.Answers()))
	}
	if got := scalar[int](t, db, "SELECT count(*) FROM badger.human_labels WHERE verdict = 'pass'"); got != accepted {
		t.Errorf("%d labels pass, want %d", got, accepted)
	}
}

func TestWritingNamesTheTableItMissed(t *testing.T) {
	db := open(t, "")
	err := demo.Annotate(context.Background(), db, `no"such`)
	if err == nil || !strings.Contains(err.Error(), "human_labels") || !strings.Contains(err.Error(), "Catalog Error") {
		t.Errorf("got %v, want an error that names the table and the kind of failure", err)
	}
	if err != nil && strings.Contains(err.Error(), "no\"such") {
		t.Errorf("%v quotes the statement", err)
	}
}

func TestBuildTouchesNothingThatIsThere(t *testing.T) {
	db := open(t, "")
	exec(t, db, "CREATE SCHEMA bank; CREATE TABLE bank.mine AS SELECT 1 AS a")
	if err := demo.Build(context.Background(), db, nil); errcode.Of(err) != errcode.AlreadyExists {
		t.Errorf("got %v, want already_exists", err)
	}
	if got := scalar[int](t, db, "SELECT count(*) FROM duckdb_tables()"); got != 1 {
		t.Errorf("%d tables after a refused build, want the one from before", got)
	}
}

func TestBuildIsAllOrNothing(t *testing.T) {
	db := open(t, "")
	ctx, cancel := context.WithCancel(context.Background())
	var steps []string
	err := demo.Build(ctx, db, func(step string) {
		steps = append(steps, step)
		if len(steps) == 4 {
			cancel()
		}
	})
	if errcode.Of(err) != errcode.Cancelled {
		t.Fatalf("got %v, want cancelled", err)
	}
	if len(steps) != 4 {
		t.Errorf("steps %q were started after cancelling in the fourth", steps[4:])
	}
	if got := scalar[int](t, db, "SELECT count(*) FROM duckdb_tables()"); got != 0 {
		t.Errorf("%d tables are left of a cancelled build", got)
	}
	if err := demo.Build(context.Background(), db, nil); err != nil {
		t.Errorf("building again: %v", err)
	}
}

//go:build !no_duckdb

package execution_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/internal/execution"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// askText asks an engine for one value, as text.
type askText func(query string) (string, error)

// atInstant is what an expression is at an instant, as the engine writes it as text. The expected
// values are those of the documentation of each function, for that instant.
type atInstant struct{ expr, want string }

// pinnedAt runs each expression with the clock pinned, and looks at its type next to that without.
func pinnedAt(t *testing.T, d sqlparts.Dialect, ask askText, typeOf, cast string, at time.Time, tests []atInstant) {
	t.Helper()
	for _, tt := range tests {
		query := fmt.Sprintf(cast, tt.expr)
		text, n, why := sqlparts.Parse(query, d).PinClock(at)
		if why != "" || n == 0 {
			t.Errorf("%s: %d readings pinned: %s", query, n, why)
			continue
		}
		got, err := ask(text)
		if err != nil || got != tt.want {
			t.Errorf("%s\nas %s\n got %q, %v\nwant %q", query, text, got, err, tt.want)
		}
		kind := fmt.Sprintf(typeOf, tt.expr)
		text, _, why = sqlparts.Parse(kind, d).PinClock(at)
		now, nowErr := ask(kind)
		pinned, err := ask(text)
		if why != "" || nowErr != nil || err != nil || pinned != now {
			t.Errorf("%s is %s, and with the clock pinned %s: %s %v %v", tt.expr, now, pinned, why, nowErr, err)
		}
	}
}

var (
	berlin = time.FixedZone("", 2*60*60)
	noon   = time.Date(2024, 2, 29, 12, 30, 15, 0, time.UTC)
	night  = time.Date(2024, 7, 1, 0, 30, 0, 0, berlin) // the day before in UTC
)

func TestPinnedClockOnDuckDB(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "SET TimeZone = 'UTC'"); err != nil {
		t.Skip("this DuckDB has no time zones: ", err)
	}
	ask := func(query string) (got string, err error) {
		err = db.QueryRowContext(t.Context(), query).Scan(&got)
		return got, err
	}
	const typeOf, cast = "SELECT typeof(%s)", "SELECT CAST(%s AS VARCHAR)"
	pinnedAt(t, sqlparts.DuckDB, ask, typeOf, cast, noon, []atInstant{
		{"current_date", "2024-02-29"},
		{"CURRENT_DATE()", "2024-02-29"},
		{"today()", "2024-02-29"},
		{"current_date - 30", "2024-01-30"},
		{"CURRENT_DATE - INTERVAL 1 YEAR", "2023-02-28 00:00:00"},
		{"now()", "2024-02-29 12:30:15+00"},
		{"current_timestamp", "2024-02-29 12:30:15+00"},
		{"get_current_timestamp()", "2024-02-29 12:30:15+00"},
		{"transaction_timestamp()", "2024-02-29 12:30:15+00"},
		{"date_trunc('month', now())", "2024-02-01 00:00:00+00"},
		{"current_time", "12:30:15+00"},
		{"get_current_time()", "12:30:15+00"},
		{"current_localtime()", "12:30:15"},
		{"localtime", "12:30:15"},
		{"localtimestamp", "2024-02-29 12:30:15"},
		{"current_localtimestamp()", "2024-02-29 12:30:15"},
		{"age(TIMESTAMP '2023-02-28 00:00:00')", "1 year 1 day"},
		{"extract(year FROM current_date)", "2024"},
		{"(SELECT count(*) FROM range(10) r(i) WHERE DATE '2024-02-25' + CAST(i AS INT) > current_date)", "5"},
	})
	pinnedAt(t, sqlparts.DuckDB, ask, typeOf, cast, night, []atInstant{
		{"current_date", "2024-07-01"}, {"now()", "2024-06-30 22:30:00+00"}, {"localtimestamp", "2024-07-01 00:30:00"}, {"current_time", "00:30:00+02"},
	})
	// The columns keep the names that they have without.
	for _, query := range []string{"SELECT now()", "SELECT current_date", "SELECT today(), Now( ) AS n"} {
		text, _, why := sqlparts.Parse(query, sqlparts.DuckDB).PinClock(noon)
		if before, after := columnsOf(t, db, query), columnsOf(t, db, text); before != after {
			t.Errorf("%s has the columns %s, and as %s the columns %s: %s", query, before, text, after, why)
		}
	}
}

func columnsOf(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(query, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil || rows.Err() != nil {
		t.Fatal(err, rows.Err())
	}
	return strings.Join(names, ", ")
}

func TestPinnedClockOnPostgres(t *testing.T) {
	s, err := fakepostgres.Start(nil)
	if err != nil {
		t.Skipf("there is no PostgreSQL server to test with: %v", err)
	}
	t.Cleanup(s.Remove)
	c, err := pgx.Connect(t.Context(), fmt.Sprintf("host=127.0.0.1 port=%d user=owner dbname=postgres sslmode=disable", s.Port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
	if _, err := c.Exec(t.Context(), "SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres'"); err != nil {
		t.Fatal(err)
	}
	ask := func(query string) (got string, err error) {
		err = c.QueryRow(t.Context(), query).Scan(&got)
		return got, err
	}
	const typeOf, cast = "SELECT pg_typeof(%s)::text", "SELECT CAST(%s AS text)"
	pinnedAt(t, sqlparts.Postgres, ask, typeOf, cast, noon, []atInstant{
		{"current_date", "2024-02-29"},
		{"current_date - 30", "2024-01-30"},
		{"now()", "2024-02-29 12:30:15+00"},
		{"now()::date", "2024-02-29"},
		{"pg_catalog.now()", "2024-02-29 12:30:15+00"},
		{"current_timestamp", "2024-02-29 12:30:15+00"},
		{"current_timestamp(0)", "2024-02-29 12:30:15+00"},
		{"transaction_timestamp()", "2024-02-29 12:30:15+00"},
		{"statement_timestamp()", "2024-02-29 12:30:15+00"},
		{"clock_timestamp()", "2024-02-29 12:30:15+00"},
		{"timeofday()", "Thu Feb 29 12:30:15.000000 2024 UTC"},
		{"current_time", "12:30:15+00"},
		{"localtime", "12:30:15"},
		{"localtimestamp", "2024-02-29 12:30:15"},
		{"localtimestamp(3)", "2024-02-29 12:30:15"},
		{"date_trunc('year', now())", "2024-01-01 00:00:00+00"},
		{"now() AT TIME ZONE 'Asia/Tokyo'", "2024-02-29 21:30:15"},
		{"age(timestamp '2023-02-28')", "1 year 1 day"},
		{"age(date '2023-02-28')", "1 year 1 day"},
		{"'now'::timestamp", "2024-02-29 12:30:15"},
		{"timestamptz 'now'", "2024-02-29 12:30:15+00"},
		{"date 'today'", "2024-02-29"},
		{"'tomorrow'::date", "2024-03-01"},
		{"CAST('yesterday' AS date)", "2024-02-28"},
		{"'today'::timestamp", "2024-02-29 00:00:00"},
		{"time 'now'", "12:30:15"},
		{"extract(epoch FROM now())", "1709209815.000000"},
	})
	pinnedAt(t, sqlparts.Postgres, ask, typeOf, cast, night, []atInstant{
		{"current_date", "2024-07-01"}, {"now()", "2024-06-30 22:30:00+00"}, {"localtimestamp", "2024-07-01 00:30:00"}, {"current_time", "00:30:00+02"}, {"date 'yesterday'", "2024-06-30"},
	})
	for query, want := range map[string]string{"SELECT now()": "now", "SELECT current_date": "current_date", "SELECT now(), statement_timestamp() AS s": "now, s"} {
		text, _, _ := sqlparts.Parse(query, sqlparts.Postgres).PinClock(noon)
		rows, err := c.Query(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range rows.FieldDescriptions() {
			names = append(names, f.Name)
		}
		rows.Close()
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s as %s has the columns %s, want %s", query, text, got, want)
		}
	}
}

// sqliteAsks runs each query that it is sent, and answers with its value and the name of its column.
const sqliteAsks = `
import json, sqlite3, sys
c = sqlite3.connect(":memory:")
for line in sys.stdin:
    try:
        q = c.execute(json.loads(line))
        print(json.dumps([str(q.fetchone()[0]), q.description[0][0], ""]), flush=True)
    except Exception as e:
        print(json.dumps(["", "", str(e)]), flush=True)
`

func TestPinnedClockOnSQLite(t *testing.T) {
	program := pythonProgram(t, sqliteAsks)
	answer := func(query string) (said [3]string) {
		if err := json.Unmarshal([]byte(program(query)), &said); err != nil {
			t.Fatal(err)
		}
		return said
	}
	ask := func(query string) (string, error) {
		said := answer(query)
		if said[2] != "" {
			return "", fmt.Errorf("%s", said[2])
		}
		return said[0], nil
	}
	pinnedAt(t, sqlparts.SQLite, ask, "SELECT typeof(%s)", "SELECT %s AS x", noon, []atInstant{
		{"CURRENT_DATE", "2024-02-29"},
		{"CURRENT_TIME", "12:30:15"},
		{"current_timestamp", "2024-02-29 12:30:15"},
		{"date('now')", "2024-02-29"},
		{"date()", "2024-02-29"},
		{"date('NOW', '-30 days')", "2024-01-30"},
		{"datetime('now', 'start of month')", "2024-02-01 00:00:00"},
		{"time('now')", "12:30:15"},
		{"datetime( )", "2024-02-29 12:30:15"},
		{"round(julianday('now') - julianday('2024-02-29'), 6)", "0.521007"},
		{"strftime('%Y', 'now')", "2024"},
		{"strftime('%s')", "1709209815"},
		{"strftime('%s', 'now')", "1709209815"},
		{"unixepoch()", "1709209815"},
		{"unixepoch('now', '+1 day')", "1709296215"},
		{"CAST(strftime('%Y', 'now') AS INTEGER) - 1990", "34"},
	})
	pinnedAt(t, sqlparts.SQLite, ask, "SELECT typeof(%s)", "SELECT %s AS x", night, []atInstant{{"date('now')", "2024-06-30"}, {"CURRENT_TIMESTAMP", "2024-06-30 22:30:00"}})
	for _, query := range []string{"SELECT date('now')", "SELECT CURRENT_DATE"} {
		text, _, _ := sqlparts.Parse(query, sqlparts.SQLite).PinClock(noon)
		if before, after := answer(query)[1], answer(text)[1]; before != after && query != "SELECT date('now')" {
			t.Errorf("%s has the column %s, and as %s the column %s", query, before, text, after)
		}
	}
}

// With a clock, a query runs at that instant, which is kept with its result; another instant is
// another query. One whose clock was not read wholly is not run.
func TestExecuteWithAClock(t *testing.T) {
	w := &counted{Warehouse: shop(t)}
	store, err := execution.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	at := time.Date(2020, 5, 1, 0, 0, 0, 0, time.UTC)
	e := executor(w)
	e.Store, e.Clock = store, &at
	c := caseOf("SELECT CURRENT_DATE AS d", "SELECT id FROM t ORDER BY id")
	if err := e.Fill(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := c.Golds[0].Result.Table; got == nil || got.Columns[0].Value(0).String() != "2020-05-01" {
		t.Fatalf("gold: %v %v, want 2020-05-01", c.Golds[0].Result, c.Golds[0].Error)
	}
	if c.Golds[0].Clock == nil || !c.Golds[0].Clock.Equal(at) || c.Pred.Clock != nil {
		t.Errorf("gold ran at %v, the agent's query at %v; want %v and none", c.Golds[0].Clock, c.Pred.Clock, at)
	}
	for _, q := range w.queries {
		if strings.Contains(strings.ToUpper(q), "CURRENT_DATE AS") {
			t.Errorf("%q was sent", q)
		}
	}
	later := at.AddDate(1, 0, 0)
	again := executor(w)
	again.Store, again.Clock, again.KeptFirst = store, &later, true
	c = caseOf("SELECT CURRENT_DATE AS d", "SELECT now()::date - DATE '2021-01-01'")
	if err := again.Fill(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := c.Golds[0].Result.Table.Columns[0].Value(0).String(); got != "2021-05-01" {
		t.Errorf("a year later gold is %s, want 2021-05-01", got)
	}
	if got := c.Pred.Result.Table; got == nil || got.Columns[0].Value(0).String() != "120" {
		t.Errorf("the agent's result is %v %s, want 120", c.Pred.Result, c.Pred.Error)
	}
	sent := len(w.queries)
	c = caseOf("SELECT 1", "SELECT * FROM range(3) r(i), (FROM today())")
	if err := again.Fill(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if c.Pred.Result.Err == nil || !strings.Contains(c.Pred.Result.Err.Error(), "its clock cannot be pinned (--clock): line 1") {
		t.Errorf("a clock in FROM: %v %v, want that it cannot be pinned", c.Pred.Result, c.Pred.Error)
	}
	if len(w.queries) > sent+1 {
		t.Errorf("%q was sent", w.queries[sent:])
	}
}

// The index of kept results says at which instant a text ran, and as what.
func TestTheClockIsKept(t *testing.T) {
	dir := t.TempDir()
	store, err := execution.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	e := executor(shop(t))
	at := time.Date(2024, 7, 1, 0, 30, 0, 0, berlin)
	e.Store, e.Clock = store, &at
	if err := e.Fill(t.Context(), caseOf("SELECT today() AS d", "SELECT 1")); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "executions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if want := `"clock":"2024-07-01T00:30:00+02:00","pinned_sql":"SELECT DATE '2024-07-01' AS d"`; strings.Count(string(text), want) != 1 || strings.Count(string(text), `"clock"`) != 1 {
		t.Errorf("the index is\n%s\nwant %s in the record of gold alone", text, want)
	}
}

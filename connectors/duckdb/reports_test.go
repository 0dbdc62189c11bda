package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
)

// Values that clients and tools were publicly reported to read wrongly, by the report.
func TestReportedValues(t *testing.T) {
	for _, tc := range []struct{ report, setting, query, want string }{
		{"marcboeker/go-duckdb#305: UNION gives no rows", "", "SELECT 1 AS v UNION SELECT 2 ORDER BY v", "INT64: 1|2"},
		{"marcboeker/go-duckdb#185: UHUGEINT is no known type", "", "SELECT 340282366920938463463374607431768211455::UHUGEINT AS v", "DECIMAL: 340282366920938463463374607431768211455"},
		{"duckdb/duckdb#11833: UHUGEINT has no type of Arrow", "", "SELECT [1::UHUGEINT, NULL] AS v", `JSON: "[1,null]"`},
		{"duckdb/duckdb#24091: VARIANT has no type of Arrow", "", "SELECT {'a': [1, NULL]}::VARIANT AS v", `JSON: "{\"a\":[1,null]}"`},
		{"duckdb/duckdb-wasm#2189: a column of VARIANT ends the query", "", "SELECT v FROM (VALUES (1::VARIANT), (NULL)) AS t(v)", `JSON: "1"|NULL`},
		{"TablePlus/TablePlus#3872: VARIANT is a type without a name", "", "SELECT 'x'::VARIANT AS v", `JSON: "\"x\""`},
		{"TableProApp/TablePro#427: TIMETZ is NULL", "", "SELECT '12:00:00+05:30'::TIMETZ AS v", `STRING: "12:00:00+05:30"`},
		{"TableProApp/TablePro#427: TIMESTAMPTZ is NULL", "", "SELECT '2026-03-22T12:00:00Z'::TIMESTAMPTZ AS v", "TIMESTAMPTZ: 2026-03-22 12:00:00Z"},
		{"spiceai/spiceai#13899: the machine's zone changes instants", "SET TimeZone = 'America/New_York'", "SELECT '2024-07-01 12:00:00+00'::TIMESTAMPTZ AS v", "TIMESTAMPTZ: 2024-07-01 12:00:00Z"},
		{"beekeeper-studio/beekeeper-studio#3274: timestamps are shown as microseconds", "", "SELECT {'at': TIMESTAMP '2025-01-03 08:49:50'} AS v", `JSON: "{\"at\":\"2025-01-03 08:49:50\"}"`},
		{"duckdb/duckdb#8143: infinite timestamps end the query", "", "SELECT unnest(['infinity'::TIMESTAMP, '-infinity', '2024-02-29 12:00:00']) AS v", "TIMESTAMP: 5881580-07-11 00:00:00|-5877641-06-24 00:00:00|2024-02-29 12:00:00"},
		{"duckdb/duckdb#23821: infinite timestamps of milliseconds end the query", "", "SELECT unnest(['infinity'::TIMESTAMP_MS, '-infinity']) AS v", "TIMESTAMP: 5881580-07-11 00:00:00|-5877641-06-24 00:00:00"},
		{"duckdb/duckdb#23821: infinite timestamps of seconds", "", "SELECT unnest(['infinity'::TIMESTAMP_S, '-infinity']) AS v", "TIMESTAMP: 5881580-07-11 00:00:00|-5877641-06-24 00:00:00"},
		{"duckdb/duckdb#15596, #23833: infinite timestamps of nanoseconds are in 2262", "", "SELECT unnest(['infinity'::TIMESTAMP_NS, '-infinity']) AS v", "TIMESTAMP: 5881580-07-11 00:00:00|-5877641-06-24 00:00:00"},
		{"duckdb/pg_duckdb#629: infinite dates are days", "", "SELECT unnest(['infinity'::DATE, '-infinity']) AS v", "DATE: 5881580-07-11|-5877641-06-24"},
		{"duckdb/duckdb-wasm#1696, duckdb/duckdb-rs#350: the months of an interval are microseconds", "", "SELECT INTERVAL '1 year 5 days 12 minutes 13 seconds 8 microseconds' AS v", `STRING: "1 year 5 days 00:12:13.000008"`},
		{"duckdb/duckdb#6507: a month of an interval is 30 days", "", "SELECT [INTERVAL 1 MONTH, INTERVAL 30 DAY, INTERVAL '-2 months 1 day -04:05'] AS v", `JSON: "[\"1 month\",\"30 days\",\"-2 months 1 day -04:05:00\"]"`},
		{"duckdb/duckdb-rs#519, duckdb/duckdb-java#104: the first bit of a UUID is another", "", "SELECT unnest([UUID '550e8400-e29b-41d4-a716-446655440000', 'a0a34a0a-1794-47b6-b45c-0ac68cc03702']) AS v", `STRING: "550e8400-e29b-41d4-a716-446655440000"|"a0a34a0a-1794-47b6-b45c-0ac68cc03702"`},
		{"duckdb/duckdb-rs#519: and of one inside", "", "SELECT {'u': UUID 'a0a34a0a-1794-47b6-b45c-0ac68cc03702'} AS v", `JSON: "{\"u\":\"a0a34a0a-1794-47b6-b45c-0ac68cc03702\"}"`},
		{"duckdb/duckdb#9482: lists of decimals cannot be read", "", "SELECT {'a': [1.5::DECIMAL(4,1)], 'b': [-1.25::DECIMAL(9,2)], 'c': [12345678901.5::DECIMAL(18,3), NULL], 'd': [-12345678901234567890123456789012345.678::DECIMAL(38,3)]} AS v", `JSON: "{\"a\":[1.5],\"b\":[-1.25],\"c\":[12345678901.500,null],\"d\":[-12345678901234567890123456789012345.678]}"`},
		{"duckdb/duckdb#3955: decimals in structs in lists", "", "SELECT [{'d': 1.33::DOUBLE}, {'d': 10.0}] AS v", `JSON: "[{\"d\":1.33},{\"d\":10}]"`},
		{"duckdb/duckdb#5547: structs of a long result are those of other rows", "", "SELECT count(*) AS v FROM (SELECT i, {'a': i} AS s FROM range(131075) AS t(i)) WHERE s.a <> i", "INT64: 0"},
	} {
		t.Run(tc.report, func(t *testing.T) {
			w := open(t, ":memory:", driver.Options{})
			if tc.setting != "" {
				if err := w.Exec(context.Background(), tc.setting); err != nil {
					if strings.Contains(err.Error(), "icu") || strings.Contains(err.Error(), "TimeZone") {
						t.Skipf("this build of the engine knows no zones: %v", err)
					}
					t.Fatal(err)
				}
			}
			res, err := w.Query(context.Background(), tc.query)
			if err != nil {
				t.Fatal(err)
			}
			if got := drivertest.Show(res); got != `"v" `+tc.want+"\n" {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

// The structs of a long result are read here, each with its row.
func TestReportedLongResult(t *testing.T) {
	w := open(t, ":memory:", driver.Options{})
	res, err := w.Query(context.Background(), "SELECT i AS v, {'a': i} AS s FROM range(131075) AS t(i) ORDER BY i DESC")
	if err != nil {
		t.Fatal(err)
	}
	for row := range res.Rows() {
		if v, s := res.Columns[0].Value(row).String(), res.Columns[1].Value(row).Text(); s != `{"a":`+v+`}` {
			t.Fatalf("duckdb/duckdb#5547: row %d: %s beside %s", row, s, v)
		}
	}
}

// An enumeration of more words than one byte, and than two, counts.
func TestReportedEnumerations(t *testing.T) {
	for _, words := range []int{255, 256, 257, 65536, 65537} {
		if words == 65536 && !sample.Thorough() {
			continue // 65537 has the same words and one more
		}
		t.Run(fmt.Sprintf("duckdb/duckdb-go#157: the words of an enumeration of %d are others", words), func(t *testing.T) {
			w := open(t, ":memory:", driver.Options{})
			if err := w.Exec(context.Background(), fmt.Sprintf("CREATE TYPE word AS ENUM (SELECT 'w' || i FROM range(%d) AS t(i))", words)); err != nil {
				t.Fatal(err)
			}
			res, err := w.Query(context.Background(), fmt.Sprintf("SELECT ('w' || i)::word AS v, {'e': [('w' || i)::word]} AS s FROM range(%d) AS t(i) ORDER BY i", words))
			if err != nil {
				t.Fatal(err)
			}
			for row := range res.Rows() {
				if v, s := res.Columns[0].Value(row).Text(), res.Columns[1].Value(row).Text(); v != fmt.Sprint("w", row) || s != fmt.Sprintf(`{"e":["w%d"]}`, row) {
					t.Fatalf("row %d: %s and %s", row, v, s)
				}
			}
		})
	}
}

// Calls that are given up end at once, and the next one is not ended with them.
func TestReportedCancelling(t *testing.T) {
	t.Run("duckdb/duckdb-go#172, duckdb/duckdb#15925: a query that is given up runs on, or holds the next up", func(t *testing.T) {
		w := open(t, ":memory:", driver.Options{})
		begun := time.Now()
		for range 10 {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			_, err := w.Query(ctx, "SELECT sum(a.i * b.i) AS v FROM range(1000000) AS a(i), range(1000000) AS b(i)")
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%v, want deadline exceeded", err)
			}
			if res, err := w.Query(context.Background(), "SELECT 1 AS v"); err != nil || drivertest.Show(res) != "\"v\" INT64: 1\n" {
				t.Fatalf("the next query: %v", err)
			}
		}
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("ten queries of 20 ms took %v", took)
		}
	})
}

// A query may make a text of one byte, which is none. It is an error of the query, whatever the engine's own
// functions do with it, and the next one runs.
func TestReportedTextThatIsNone(t *testing.T) {
	w := open(t, ":memory:", driver.Options{})
	for _, query := range []string{"SELECT printf('%c', 255) AS v", "SELECT [printf('%c', 255)] AS v", "SELECT {'a': printf('%c', 255)} AS v", "SELECT MAP {printf('%c', 255): 1} AS v", "SELECT printf('%c', 255)::VARIANT AS v",
		"SELECT strip_accents(printf('%c', 255)) AS v", "SELECT printf('%-5c', 255) COLLATE NOCASE.NOACCENT = 'a' AS v", "SELECT nfc_normalize(regexp_extract('é', '\\C')) AS v"} {
		t.Run("duckdb/duckdb#25189: "+query, func(t *testing.T) {
			if res, err := w.Query(context.Background(), query); errcode.Of(err) != errcode.InvalidArgument {
				t.Errorf("%+v, %v, want invalid_argument", res, err)
			}
			if res, err := w.Query(context.Background(), "SELECT 1 AS v"); err != nil || drivertest.Show(res) != "\"v\" INT64: 1\n" {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// After an assertion of its own has failed, the engine refuses every statement. The database is opened again.
func TestReportedInvalidated(t *testing.T) {
	w := open(t, filepath.Join(t.TempDir(), "a.duckdb"), driver.Options{})
	if err := w.Exec(context.Background(), "CREATE TABLE t AS SELECT i AS v FROM range(10) AS t(i)"); err != nil {
		t.Fatal(err)
	}
	t.Run("rilldata/rill#2591, duckdb/duckdb#5614: every query fails after one that the engine broke down on", func(t *testing.T) {
		for range 3 {
			if _, err := w.Query(context.Background(), breaks); errcode.Of(err) != errcode.InvalidArgument {
				t.Errorf("%v, want invalid_argument", err)
			}
			if res, err := w.Query(context.Background(), "SELECT count(*) AS v FROM t"); err != nil || drivertest.Show(res) != "\"v\" INT64: 10\n" {
				t.Errorf("afterwards: %v", err)
			}
		}
	})
}

// A file that a process left that was ended may have a log which the engine takes over only where it may write.
func TestReportedLogs(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	w := open(t, filepath.Join(dir, "a.duckdb"), driver.Options{})
	for _, sql := range []string{"CREATE TABLE t (id INTEGER PRIMARY KEY, grp INTEGER)", "INSERT INTO t VALUES (1, 10), (2, 20), (3, 10)", "CREATE INDEX idx ON t(grp)"} {
		if err := w.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.duckdb", "a.duckdb.wal"} { // as they are when the process is ended now
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "b"+name[1:]), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("duckdb/duckdb#24103: a file whose log holds an index is not opened by who only reads", func(t *testing.T) {
		read := func() error {
			c, err := duckdb.OpenFile(ctx, filepath.Join(dir, "b.duckdb"), driver.Options{ReadOnly: true})
			if err != nil {
				return err
			}
			defer c.Close() //nolint:errcheck // only read
			got, err := c.QueryText(ctx, "SELECT count(*)::VARCHAR FROM t WHERE grp = 10")
			if err == nil && got != "2" {
				t.Errorf("%s rows, want 2", got)
			}
			return err
		}
		if err := read(); err != nil && (errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), "without mode=ro")) {
			t.Errorf("%v, want failed precondition and what to do", err)
		}
		c, err := duckdb.OpenFile(ctx, filepath.Join(dir, "b.duckdb"), driver.Options{}) // what the error says
		if err != nil {
			t.Fatal(err)
		}
		c.Close() //nolint:errcheck // it is read next
		if err := read(); err != nil {
			t.Error(err)
		}
	})
}

package duckdb_test

import (
	"context"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
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

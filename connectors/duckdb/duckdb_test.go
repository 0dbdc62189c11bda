package duckdb_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
)

func open(t *testing.T, path string, o driver.Options) *store.Store {
	t.Helper()
	var mux connectors.Mux
	mux.Register(duckdb.Scheme, duckdb.Open)
	w, err := mux.Open(context.Background(), "duckdb:"+path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return store.New(w)
}

func TestValuesComeBackExactly(t *testing.T) {
	w := open(t, ":memory:", driver.Options{})
	for _, tc := range []struct{ sql, typ, want string }{
		{"SELECT 9223372036854775807::BIGINT", "INT64", "9223372036854775807"},
		{"SELECT 170141183460469231731687303715884105727::HUGEINT", "DECIMAL", "170141183460469231731687303715884105727"},
		{"SELECT 18446744073709551615::UBIGINT", "DECIMAL", "18446744073709551615"},
		{"SELECT 12345678901234567890123456789012345.678::DECIMAL(38,3)", "DECIMAL", "12345678901234567890123456789012345.678"},
		{"SELECT 0.1::FLOAT", "FLOAT64", "0.1"},
		{"SELECT 'nan'::DOUBLE", "FLOAT64", "NaN"},
		{"SELECT '-inf'::DOUBLE", "FLOAT64", "-Infinity"},
		{"SELECT DATE '0044-03-15'", "DATE", "0044-03-15"},
		{"SELECT DATE '1969-12-31'", "DATE", "1969-12-31"},
		{"SELECT TIME '23:59:59.999999'", "TIME", "23:59:59.999999"},
		{"SELECT TIMESTAMP_NS '2024-02-29 12:34:56.123456789'", "TIMESTAMP", "2024-02-29 12:34:56.123456789"},
		{"SELECT TIMESTAMP '1901-01-01 00:00:00.000001'", "TIMESTAMP", "1901-01-01 00:00:00.000001"},
		{"SELECT TIMESTAMPTZ '2024-06-01 12:00:00+02'", "TIMESTAMPTZ", "2024-06-01 10:00:00Z"},
		{"SELECT TRUE", "BOOL", "true"},
		{"SELECT '\\x00\\xFF'::BLOB", "BYTES", "00ff"},
		{"SELECT 'naïve 🦡'", "STRING", "naïve 🦡"},
		{"SELECT 'a' || chr(0) || 'b'", "STRING", "a\x00b"},
		{"SELECT {'a': 1, 'b': [1, NULL]}", "JSON", `{"a":1,"b":[1,null]}`},
		{"SELECT [1.5, 2]::DECIMAL(4,1)[]", "JSON", "[1.5,2.0]"},
		{"SELECT '{\"k\": 1}'::JSON", "JSON", `{"k": 1}`},
		{"SELECT 'ok'::ENUM('ok','no')", "STRING", "ok"},
		{"SELECT UUID 'ffffffff-0000-4000-8000-00000000000f'", "STRING", "ffffffff-0000-4000-8000-00000000000f"},
		{"SELECT INTERVAL 3 DAY", "STRING", "3 days"},
		{"SELECT NULL", "INT64", "NULL"}, // the engine gives NULL the type INTEGER,
	} {
		res, err := w.Query(context.Background(), tc.sql)
		if err != nil {
			t.Errorf("%s: %v", tc.sql, err)
			continue
		}
		c := &res.Columns[0]
		if got := c.Value(0).String(); res.Rows() != 1 || got != tc.want || c.Type.String() != tc.typ {
			t.Errorf("%s: %s %q, want %s %q", tc.sql, c.Type, got, tc.typ, tc.want)
		}
	}
	res, err := w.Query(context.Background(), `SELECT 1 AS a, 'x' AS a, 2 AS " " WHERE FALSE`)
	if err != nil || res.Rows() != 0 || len(res.Columns) != 3 || res.Columns[1].Name != "a" {
		t.Errorf("no rows, repeated and blank names: %+v, %v", res, err)
	}
}

// Infinity has no place among Arrow's nanoseconds: its rows come in microseconds, or not at all where
// nanoseconds would be lost.
func TestInfiniteNanoseconds(t *testing.T) {
	ctx := context.Background()
	w := open(t, ":memory:", driver.Options{})
	res, err := w.Query(ctx, "SELECT a, i FROM (VALUES (1, TIMESTAMP_NS '2024-02-29 12:34:56.123456'), (2, 'infinity'), (3, NULL), (4, '-infinity')) AS t(i, a) ORDER BY i")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := drivertest.Show(res), "\"a\" TIMESTAMP: 2024-02-29 12:34:56.123456|5881580-07-11 00:00:00|NULL|-5877641-06-24 00:00:00\n\"i\" INT64: 1|2|3|4\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	res, err = w.Query(ctx, "SELECT CASE WHEN i = 3000 THEN 'infinity'::TIMESTAMP_NS ELSE TIMESTAMP_NS '2024-02-29 12:34:56.123456789' END AS a FROM range(5000) AS t(i) WHERE i < 2000 OR i = 3000 ORDER BY i DESC LIMIT 1")
	if err != nil || res.Columns[0].Value(0).String() != "5881580-07-11 00:00:00" {
		t.Errorf("alone: %v, %v", res, err)
	}
	for _, query := range []string{
		"SELECT * FROM (VALUES ('infinity'::TIMESTAMP_NS), (TIMESTAMP_NS '2024-02-29 12:34:56.123456789'))",
		"SELECT ['infinity'::TIMESTAMP_NS]", "SELECT {'a': '-infinity'::TIMESTAMP_NS}",
	} {
		if res, err := w.Query(ctx, query); errcode.Of(err) != errcode.Unimplemented || !strings.Contains(err.Error(), "cast") {
			t.Errorf("%s: %v, %v, want unimplemented and what to do", query, res, err)
		}
	}
}

func TestErrorsAreCodedAndNameThePlace(t *testing.T) {
	ctx := context.Background()
	w := open(t, ":memory:", driver.Options{})
	for _, tc := range []struct {
		why, ref string
		want     errcode.Code
	}{
		{"a table that is not there", "table:nothing", errcode.NotFound},
		{"a schema that is not there", "table:no.thing", errcode.NotFound},
		{"no table name", "table:a; DROP TABLE b", errcode.InvalidArgument},
		{"a kind nobody knows", "url:x", errcode.InvalidArgument},
		{"results are not kept", "query:01ab", errcode.Unimplemented},
		{"tables have no versions", "table:t@3", errcode.Unimplemented},
	} {
		if _, err := w.ReadSnapshot(ctx, tc.ref); errcode.Of(err) != tc.want {
			t.Errorf("%s: %v (%v), want %v", tc.why, err, errcode.Of(err), tc.want)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := w.Query(cancelled, "SELECT 1"); errcode.Of(err) != errcode.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := w.Query(ctx, "SELEC 1"); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("syntax: %v", err)
	}
	var mux connectors.Mux
	mux.Register(duckdb.Scheme, duckdb.Open)
	if _, err := mux.Open(ctx, "duckdb:"+filepath.Join(t.TempDir(), "none.duckdb"), driver.Options{ReadOnly: true}); errcode.Of(err) != errcode.NotFound || !strings.Contains(err.Error(), "none.duckdb") {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := mux.Open(ctx, "oracle:x", driver.Options{}); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "duckdb:") {
		t.Errorf("an unknown scheme: %v", err)
	}
	_ = w.Close()
	if _, err := w.Query(ctx, "SELECT 1"); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("closed: %v", err)
	}
}

func TestInstallTwiceAndFunctions(t *testing.T) {
	ctx := context.Background()
	w := open(t, filepath.Join(t.TempDir(), "w.duckdb"), driver.Options{})
	for range 2 {
		if err := w.Install(ctx); err != nil {
			t.Fatal(err)
		}
	}
	c, err := duckdb.OpenFile(ctx, ":memory:", driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.RegisterScalar(ctx, sameText, driver.Scalar{
		Name: "breaks", Params: []columnar.Type{columnar.VARCHAR}, Result: columnar.DOUBLE,
		Eval: func(context.Context, []columnar.Column, *columnar.Column) error { panic("boom") },
	})
	if err != nil {
		t.Fatal(err)
	}
	w = store.New(connectors.New(c, duckdb.Dialect))
	got, err := w.Query(ctx, "SELECT sum(s), count(s), count(*) - count(s) FROM (SELECT same('k' || (i % 3), CASE WHEN i % 10 = 0 THEN NULL ELSE 'k1' END) AS s FROM range(10000) t(i))")
	if err != nil {
		t.Fatal(err)
	}
	sum, n, nulls := got.Columns[0].Value(0).Float(), got.Columns[1].Value(0).Int(), got.Columns[2].Value(0).Int()
	if sum != 3000 || n != 9000 || nulls != 1000 { // i % 3 = 1 for 3,333 of 10,000, of which 333 end in 0
		t.Errorf("sum %v of %d, %d NULL; want 3000 of 9000 and 1000 NULL", sum, n, nulls)
	}
	if got, err := w.Query(ctx, "SELECT breaks('x')"); err != nil || !got.Columns[0].IsNull(0) {
		t.Errorf("a row that panics: %v, %v, want NULL", got, err)
	}
}

// sameText is a function that tells, as 1 or 0, whether two texts are equal.
var sameText = driver.Scalar{
	Name: "same", Params: []columnar.Type{columnar.VARCHAR, columnar.VARCHAR}, Result: columnar.DOUBLE,
	Eval: func(_ context.Context, args []columnar.Column, out *columnar.Column) error {
		for i := range out.Floats {
			switch {
			case args[0].IsNull(i) || args[1].IsNull(i):
				out.SetNull(i)
			case args[0].Texts[i] == args[1].Texts[i]:
				out.Floats[i] = 1
			}
		}
		return nil
	},
}

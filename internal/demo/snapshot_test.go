package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/badger-eval/badger/internal/demo"
	"github.com/badger-eval/badger/internal/errcode"
)

func TestExecuteKeepsValuesExact(t *testing.T) {
	db := open(t, "")
	for _, tc := range []struct{ why, expr, typ, want string }{
		{"NULL", "NULL::INTEGER", "INTEGER", "null"},
		{"boolean", "true", "BOOLEAN", "true"},
		{"small integers are numbers", "-7::TINYINT", "TINYINT", "-7"},
		{"2^53 is the last safe number", "9007199254740992", "BIGINT", "9007199254740992"},
		{"beyond 2^53 as text", "9007199254740993", "BIGINT", `"9007199254740993"`},
		{"and below -2^53", "-9007199254740993", "BIGINT", `"-9007199254740993"`},
		{"the largest UBIGINT", "18446744073709551615::UBIGINT", "UBIGINT", `"18446744073709551615"`},
		{"a small HUGEINT is a number", "42::HUGEINT", "HUGEINT", "42"},
		{"a large HUGEINT is text", "170141183460469231731687303715884105727::HUGEINT", "HUGEINT", `"170141183460469231731687303715884105727"`},
		{"decimals keep all places", "12.50::DECIMAL(18, 2)", "DECIMAL(18,2)", `"12.50"`},
		{"zero too", "0::DECIMAL(18, 2)", "DECIMAL(18,2)", `"0.00"`},
		{"below one", "-0.05::DECIMAL(4, 2)", "DECIMAL(4,2)", `"-0.05"`},
		{"38 digits", "-12345678901234567890123456789012345.678::DECIMAL(38, 3)", "DECIMAL(38,3)", `"-12345678901234567890123456789012345.678"`},
		{"scale 0", "5::DECIMAL(9, 0)", "DECIMAL(9,0)", `"5"`},
		{"doubles in shortest form", "0.1::DOUBLE + 0.2::DOUBLE", "DOUBLE", "0.30000000000000004"},
		{"floats in the shortest form of a float", "0.1::FLOAT", "FLOAT", "0.1"},
		{"not a number", "'nan'::DOUBLE", "DOUBLE", `"NaN"`},
		{"infinity", "'-inf'::DOUBLE", "DOUBLE", `"-Infinity"`},
		{"text without web escapes", "'a<b & \"ü\"'", "VARCHAR", `"a<b & \"ü\""`},
		{"date", "DATE '2024-02-29'", "DATE", `"2024-02-29"`},
		{"time", "TIME '23:59:00.5'", "TIME", `"23:59:00.5"`},
		{"timestamp", "TIMESTAMP '2024-03-31 02:30:00'", "TIMESTAMP", `"2024-03-31 02:30:00"`},
		{"microseconds", "TIMESTAMP '2024-03-31 02:30:00.000001'", "TIMESTAMP", `"2024-03-31 02:30:00.000001"`},
		{"timestamp with time zone, in UTC", "TIMESTAMPTZ '2024-03-31 02:30:00+02'", "TIMESTAMP WITH TIME ZONE", `"2024-03-31 00:30:00+00"`},
		{"bytes", `'\x00\xFF'::BLOB`, "BLOB", `"00ff"`},
		{"UUID", "'0f8fad5b-d9cb-469f-a165-70867728950e'::UUID", "UUID", `"0f8fad5b-d9cb-469f-a165-70867728950e"`},
	} {
		got, err := demo.Execute(context.Background(), db, "SELECT "+tc.expr+` AS "A b"`)
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		cell := encode(t, got.Rows[0][0])
		if got.Columns[0] != (demo.Column{Name: "A b", Type: tc.typ}) || cell != tc.want {
			t.Errorf("%s: %s is %s of type %q in column %q, want %s of type %q in \"A b\"", tc.why, tc.expr, cell, got.Columns[0].Type, got.Columns[0].Name, tc.want, tc.typ)
		}
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func TestExecuteOnlyReads(t *testing.T) {
	db := open(t, "")
	exec(t, db, "CREATE SEQUENCE s; CREATE TABLE t AS SELECT 1 AS a")
	for _, tc := range []struct {
		why, query string
		want       errcode.Code
		refused    bool // by the database, not by us
	}{
		{"writing", "INSERT INTO t VALUES (2)", errcode.InvalidArgument, false},
		{"writing and returning rows", "DELETE FROM t RETURNING a", errcode.InvalidArgument, false},
		{"a read before a write", "SELECT 1; DROP TABLE t", errcode.InvalidArgument, false},
		{"a write before a read", "DROP TABLE t; SELECT 1", errcode.InvalidArgument, false},
		{"settings", "SET threads = 2", errcode.InvalidArgument, false},
		{"nothing at all", " -- nothing", errcode.InvalidArgument, false},
		{"a SELECT that writes", "SELECT nextval('s')", errcode.InvalidArgument, true},
		{"syntax", "SELEC 1", errcode.InvalidArgument, true},
		{"a missing column", "SELECT b FROM t", errcode.InvalidArgument, true},
		{"a failure at run time", "SELECT CAST('x' || a AS INTEGER) FROM t", errcode.InvalidArgument, true},
		{"nested types", "SELECT [1, 2]", errcode.Unimplemented, false},
	} {
		_, err := demo.Execute(context.Background(), db, tc.query)
		var q *demo.QueryError
		if errcode.Of(err) != tc.want || errors.As(err, &q) != tc.refused {
			t.Errorf("%s: got %v (code %v, query error %v), want code %v, query error %v", tc.why, err, errcode.Of(err), errors.As(err, &q), tc.want, tc.refused)
		}
		if err != nil && (strings.Contains(err.Error(), "LINE 1") || strings.Contains(err.Error(), tc.query)) {
			t.Errorf("%s: the message quotes the query: %v", tc.why, err)
		}
	}
	if got := scalar[int](t, db, "SELECT count(*) FROM t"); got != 1 {
		t.Errorf("%d rows after all, want the one from before", got)
	}
	got, err := demo.Execute(context.Background(), db, "SELECT a FROM t WHERE a > 5;")
	if err != nil || len(got.Columns) != 1 || got.Rows == nil || len(got.Rows) != 0 {
		t.Errorf("an empty result keeps its columns: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := demo.Execute(ctx, db, "SELECT 1"); errcode.Of(err) != errcode.Cancelled {
		t.Errorf("a cancelled context gives %v", err)
	}
}

// Overlapping calls must each bring back the setting of the user, not of the other.
func TestExecuteInParallelKeepsSettings(t *testing.T) {
	db := open(t, "")
	exec(t, db, "SET threads = 3")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := demo.Execute(context.Background(), db, "SELECT count(*) FROM range(100000)"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := scalar[int](t, db, "SELECT current_setting('threads')"); got != 3 {
		t.Errorf("threads = %d afterwards, want the 3 from before", got)
	}
}

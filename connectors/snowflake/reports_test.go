package snowflake_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/internal/errcode"
)

// Values that drivers and tools were publicly reported to read wrongly, by the report: as the protocol sends
// them, in one batch or several.
func TestReportedValues(t *testing.T) {
	list := func(values ...string) []string { return values }
	const year9999 = "253402300799.000000000"
	for _, tc := range []struct {
		report string
		sent   fakesnowflake.Result
		want   string
	}{
		{"snowflakedb/snowflake-connector-python#1388: NULL in an ARRAY is undefined", column("array", 0, 0, list("[\n  1,\n  undefined\n]")), `JSON: "[\n  1,\n  null\n]"`},
		{"snowflakedb/snowpark-java-scala#103: NULL in an OBJECT is no JSON", column("object", 0, 0, list(`{"a":undefined}`)), `JSON: "{\"a\":null}"`},
		{"snowflakedb/SnowAlert#578: undefined beside texts of that word", column("variant", 0, 0, list(`["undefined",undefined]`)), `JSON: "[\"undefined\",null]"`},
		{"snowflakedb/snowflake-connector-python#1868: the year 9999 among nanoseconds", column("timestamp_ntz", 0, 9, list("1709251199.123456789", year9999)), "TIMESTAMP: 2024-02-29 23:59:59.123456789|9999-12-31 23:59:59"},
		{"snowflakedb/snowflake-connector-python#1378: the year 9999 is 1816", column("timestamp_tz", 0, 9, list(year9999+" 1440")), "TIMESTAMPTZ: 9999-12-31 23:59:59Z"},
		{"PostHog/posthog#61842: batches in nanoseconds and in microseconds", column("timestamp_ntz", 0, 9, list("1709251199.123456789"), list(year9999), list("-0.000000001")), "TIMESTAMP: 2024-02-29 23:59:59.123456789|9999-12-31 23:59:59|1969-12-31 23:59:59.999999999"},
		{"spiceai/spiceai#6083: TIMESTAMP_NTZ(0) comes as integers", column("timestamp_ntz", 0, 0, list("1709251199", "NULL")), "TIMESTAMP: 2024-02-29 23:59:59|NULL"},
		{"snowflakedb/gosnowflake#879: integers where a struct is expected", column("timestamp_ltz", 0, 3, list("1709251199.123")), "TIMESTAMPTZ: 2024-02-29 23:59:59.123Z"},
		{"snowflakedb/gosnowflake#1137: text where native Arrow is expected", column("map", 0, 0, list(`{"k":1}`)), `JSON: "{\"k\":1}"`},
		{"snowflakedb/gosnowflake#523: TIME(5) is off by its scale", column("time", 0, 5, list("86399.99999")), "TIME: 23:59:59.99999"},
		{"snowflakedb/gosnowflake#523: TIME(7) is off by its scale", column("time", 0, 7, list("86399.9999999")), "TIME: 23:59:59.9999999"},
		{"snowflakedb/gosnowflake#523: TIMESTAMP_NTZ(1) is off by its scale", column("timestamp_ntz", 0, 1, list("253402300799.9")), "TIMESTAMP: 9999-12-31 23:59:59.9"},
		{"snowflakedb/gosnowflake#910: years before 1678 and after 2262 wrap", column("timestamp_ntz", 0, 9, list("-9246096000.000000000", "9246182400.000000000")), "TIMESTAMP: 1677-01-01 00:00:00|2263-01-01 00:00:00"},
		{"snowflakedb/gosnowflake#1049: an hour of new year's day in another zone is refused", column("timestamp_tz", 0, 9, list("1609464294.000000000 1860")), "TIMESTAMPTZ: 2021-01-01 01:24:54Z"},
		{"apache/arrow-adbc#2811: the last days of 9999 are in 1816", column("timestamp_ntz", 0, 9, list("253402214400.000000000", "253402128000.000000000")), "TIMESTAMP: 9999-12-31 00:00:00|9999-12-30 00:00:00"},
		{"snowflakedb/libsnowflakeclient#221: timestamps of precision 0 are in 1899", column("timestamp_tz", 0, 0, list("1593561600 1440")), "TIMESTAMPTZ: 2020-07-01 00:00:00Z"},
		{"snowflakedb/gosnowflake#1835: NUMBER(20,10) goes through a binary float", column("fixed", 20, 10, list("1234567890.1234567890")), "DECIMAL: 1234567890.1234567890"},
		{"snowflakedb/gosnowflake#1835: NUMBER(18,4) goes through a binary float", column("fixed", 18, 4, list("12345678901234.5678")), "DECIMAL: 12345678901234.5678"},
		{"snowflakedb/gosnowflake#878, #1079: integers beyond 2^53 with a scale are refused", column("fixed", 38, 19, list("0.1", "-0.9223372036854775807")), "DECIMAL: 0.1000000000000000000|-0.9223372036854775807"},
		{"apache/arrow-adbc#1242: NUMBER(38,0) is its low 64 bits", column("fixed", 38, 0, list("9999999999999999999", "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999")), "DECIMAL: 9999999999999999999|99999999999999999999999999999999999999|-99999999999999999999999999999999999999"},
		{"apache/arrow-adbc#1020: small numbers and large ones in one column", column("fixed", 38, 0, list("1"), list("12345678901234567890123456789012345678"), list("NULL"), list("300")), "DECIMAL: 1|12345678901234567890123456789012345678|NULL|300"},
		{"snowflakedb/snowflake-connector-python#1568: NUMBER with a scale is an integer where the first part is empty", column("fixed", 32, 4, nil, list("1.5")), "DECIMAL: 1.5000"},
		{"snowflakedb/gosnowflake#1068: nothing is read where the first part is empty", column("text", 0, 0, nil, list("a"), nil, list("b")), `STRING: "a"|"b"`},
		{"snowflakedb/gosnowflake#996, #1219: no rows are an error, or have no columns", column("fixed", 38, 0, nil), "INT64:"},
		{"snowflakedb/snowflake-connector-python#1800: no rows of a time have no columns", column("timestamp_tz", 0, 9, nil), "TIMESTAMPTZ:"},
		{"airbytehq/airbyte#4316: NaN and infinities are NULL", column("real", 0, 0, list("NaN", "inf", "-inf", "NULL")), "FLOAT64: NaN|Infinity|-Infinity|NULL"},
		{"snowflakedb/snowflake-connector-nodejs#1295: numbers inside a VARIANT lose digits", column("variant", 0, 0, list(`{"id":9007199254740993,"n":12345678901234567890123456789012345678,"d":0.1234567890123456789}`)), `JSON: "{\"id\":9007199254740993,\"n\":12345678901234567890123456789012345678,\"d\":0.1234567890123456789}"`},
	} {
		t.Run(tc.report, func(t *testing.T) {
			s := fakesnowflake.New(t)
			s.Answer("SELECT c FROM t", tc.sent)
			if got, err := show(opened(t, s).Query(ctx, "SELECT c FROM t")); err != nil || got != `"C" `+tc.want+"\n" {
				t.Errorf("%s, %v, want %s", got, err, tc.want)
			}
		})
	}
}

// Names of columns are those that Snowflake sends, as often as it does.
func TestReportedNames(t *testing.T) {
	for report, names := range map[string][]string{
		"snowflakedb/snowflake-connector-nodejs#114, #970: of columns of one name all but one are lost": {"KEY", "FOO", "KEY", "FOO"},
		"snowflakedb/snowflake-sqlalchemy#73, #157: the case of names is another":                       {"COL1", "Col2", "col3", "_col"},
		"snowflakedb/snowflake-sqlalchemy#267: names with quotes, points and reserved words":            {"user", `a"b`, "a.b", ""},
	} {
		t.Run(report, func(t *testing.T) {
			s := fakesnowflake.New(t)
			sent := fakesnowflake.Result{Rows: [][]fakesnowflake.Cell{cells("1", "2", "3", "4")}}
			for _, name := range names {
				sent.Columns = append(sent.Columns, fakesnowflake.Column{Name: name, Type: "fixed", Precision: 38})
			}
			s.Answer("SELECT names", sent)
			want := ""
			for i, name := range names {
				want += fmt.Sprintf("%q INT64: %d\n", name, i+1)
			}
			if got, err := show(opened(t, s).Query(ctx, "SELECT names")); err != nil || got != want {
				t.Errorf("%s, %v, want %s", got, err, want)
			}
		})
	}
}

// What was reported of sessions and of results that are under way.
func TestReportedSessions(t *testing.T) {
	t.Run("snowflakedb/gosnowflake#646: a statement that was given up runs on", func(t *testing.T) {
		s := fakesnowflake.New(t)
		hangs := column("fixed", 38, 0, []string{"1"})
		hangs.Hangs = true
		s.Answer("SELECT slow", hangs)
		c := opened(t, s)
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		if _, err := show(c.Query(short, "SELECT slow")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want deadline exceeded", err)
		}
		for begun := time.Now(); s.Count(fakesnowflake.Cancel) == 0; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > 5*time.Second {
				t.Fatal("Snowflake was not told to stop")
			}
		}
	})
	for _, code := range []string{"390114", "390111", "390112"} {
		t.Run("snowflakedb/gosnowflake#160: the session has ended, error "+code, func(t *testing.T) {
			s := fakesnowflake.New(t)
			s.Answer("SELECT c FROM t", column("fixed", 38, 0, []string{"1"}))
			c := opened(t, s)
			s.Script(fakesnowflake.Query, fakesnowflake.Step{Error: &fakesnowflake.Error{Code: code, Message: "Authentication token has expired. The user must authenticate again."}})
			if got, err := show(c.Query(ctx, "SELECT c FROM t")); err != nil || got != "\"C\" INT64: 1\n" {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	dir := t.TempDir() // whose name has no mark of a URL's fragment
	t.Run("snowflakedb/snowflake-connector-python#2095: the OAuth token has expired, and a new one is there", func(t *testing.T) {
		s := fakesnowflake.New(t)
		s.Token = "first"
		file := filepath.Join(dir, "token")
		write := func(token string) {
			if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("first")
		s.Answer("SELECT c FROM t", column("fixed", 38, 0, []string{"1"}))
		c := open(t, regexp.MustCompile(`password_\w+=[^&]*`).ReplaceAllString(urlOf(s), "token_file="+file), driver.Options{})
		defer c.Close()
		s.Token = "second"
		s.ForgetSessions()
		if _, err := show(c.Query(ctx, "SELECT c FROM t")); errcode.Of(err) != errcode.Unauthenticated {
			t.Errorf("with the old token: %v, want unauthenticated", err)
		}
		write("second")
		if got, err := show(c.Query(ctx, "SELECT c FROM t")); err != nil || got != "\"c\" INT64: 1\n" {
			t.Errorf("with the new token: %s, %v", got, err)
		}
	})
	t.Run("snowflakedb/snowflake-jdbc#1941: the link of a part has expired", func(t *testing.T) {
		s := fakesnowflake.New(t)
		s.Answer("SELECT n, s FROM t", numbered(80))
		c := opened(t, s)
		s.Script(fakesnowflake.Chunk, fakesnowflake.Step{}, fakesnowflake.Step{Status: 403}, fakesnowflake.Step{Status: 403})
		r, err := c.Query(ctx, "SELECT n, s FROM t")
		if err := wantNumbered(r, err, 80); err != nil {
			t.Error(err)
		}
	})
}

// If the account does not answer, a call ends with its context all the same.
func TestReportedStalls(t *testing.T) {
	t.Parallel() // it waits
	t.Run("snowflakedb/gosnowflake#1806: a call returns long after its deadline", func(t *testing.T) {
		t.Parallel()
		s := fakesnowflake.New(t)
		hangs := column("fixed", 38, 0, []string{"1"})
		hangs.Hangs = true
		s.Answer("SELECT slow", hangs)
		c := open(t, urlOf(s), driver.Options{})
		s.Script(fakesnowflake.Cancel, fakesnowflake.Step{Stall: true}, fakesnowflake.Step{Stall: true}, fakesnowflake.Step{Stall: true})
		s.Script(fakesnowflake.End, fakesnowflake.Step{Stall: true}, fakesnowflake.Step{Stall: true}, fakesnowflake.Step{Stall: true})
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		begun := time.Now()
		_, err := show(c.Query(short, "SELECT slow"))
		if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took > 7*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		begun = time.Now()
		if err := c.Close(); err != nil || time.Since(begun) > 7*time.Second {
			t.Errorf("closing: %v after %v", err, time.Since(begun))
		}
	})
	t.Run("snowflakedb/gosnowflake#1789: a part that stalls cuts the result off", func(t *testing.T) {
		t.Parallel()
		for _, step := range []fakesnowflake.Step{{Stall: true}, {Stall: true, Truncate: 100}} {
			s := fakesnowflake.New(t)
			s.Answer("SELECT numbered", numbered(50))
			c := opened(t, s)
			s.Script(fakesnowflake.Chunk, fakesnowflake.Step{}, step, step, step, step, step, step, step, step)
			short, cancel := context.WithTimeout(ctx, time.Second)
			begun := time.Now()
			r, err := c.Query(short, "SELECT numbered")
			err = wantNumbered(r, err, 50)
			if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took > 7*time.Second {
				t.Errorf("%v after %v", err, took)
			}
			cancel()
		}
	})
}

// SHOW answers in JSON, with text for every type.
func TestReportedJSON(t *testing.T) {
	t.Run("snowflakedb/gosnowflake#1110, snowflakedb/drivers#497: cells of SHOW, and columns of nothing but NULL, are not read", func(t *testing.T) {
		s := fakesnowflake.New(t)
		s.Answer("SHOW TABLES", fakesnowflake.Result{JSON: true, Columns: []fakesnowflake.Column{
			{Name: "created_on", Type: "timestamp_ltz", Scale: 3}, {Name: "comment", Type: "text"}, {Name: "rows", Type: "fixed", Precision: 38}, {Name: "dropped_on", Type: "timestamp_ltz", Scale: 3}, {Name: "flag", Type: "boolean"}, {Name: "v", Type: "variant"},
		}, Rows: [][]fakesnowflake.Cell{cells("1710000000.123000000", "", "NULL", "NULL", "true", "NULL"), cells("1710000000.000000000", "NULL", "NULL", "NULL", "NULL", `{"a":undefined}`)}})
		const want = `"created_on" TIMESTAMPTZ: 2024-03-09 16:00:00.123Z|2024-03-09 16:00:00Z
"comment" STRING: ""|NULL
"rows" INT64: NULL|NULL
"dropped_on" TIMESTAMPTZ: NULL|NULL
"flag" BOOL: true|NULL
"v" JSON: NULL|"{\"a\":null}"
`
		if got, err := show(opened(t, s).Query(ctx, "SHOW TABLES")); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	})
}

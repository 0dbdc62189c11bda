package databricks_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	fakedatabricks "github.com/badger-eval/badger/connectors/fake/databricks"
	"github.com/badger-eval/badger/internal/errcode"
)

// Values that drivers and tools were publicly reported to read wrongly, by the report: as native Arrow, a row a
// line, or as text of a type.
func TestReportedValues(t *testing.T) {
	of := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	native := func(t arrow.DataType, sql string, values ...string) fakedatabricks.Result {
		b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{of("v", t)}, nil))
		defer b.Release()
		for _, v := range values {
			if err := b.UnmarshalJSON([]byte(`{"v":` + v + `}`)); err != nil {
				panic(err)
			}
		}
		r := fakedatabricks.Result{Record: b.NewRecord()}
		if sql != "" {
			r.Types = []string{sql}
		}
		return r
	}
	berlin, wall := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"}, &arrow.TimestampType{Unit: arrow.Microsecond}
	wide := &arrow.Decimal128Type{Precision: 38, Scale: 18}
	for _, tc := range []struct {
		report string
		sent   fakedatabricks.Result
		want   string
	}{
		{"databricks/databricks-sql-python#517: dates in an ARRAY of STRUCT come without quotes", native(arrow.ListOf(arrow.StructOf(of("d", arrow.FixedWidthTypes.Date32))), "ARRAY<STRUCT<d:DATE>>", `[{"d":"2011-11-01"},null]`), `JSON: "[{\"d\":\"2011-11-01\"},null]"`},
		{"databricks/databricks-jdbc#1250: instants and bytes inside a STRUCT are written otherwise than outside", native(arrow.StructOf(of("t", berlin), of("n", wall), of("b", arrow.BinaryTypes.Binary)), "STRUCT<t:TIMESTAMP,n:TIMESTAMP_NTZ,b:BINARY>", `{"t":"2024-06-01 10:00:00","n":"2024-06-01 10:00:00","b":"AP8="}`), `JSON: "{\"t\":\"2024-06-01 10:00:00Z\",\"n\":\"2024-06-01 10:00:00\",\"b\":\"00ff\"}"`},
		{"databricks/databricks-sql-nodejs#151: NULL of type TIMESTAMP is 1970", native(berlin, "TIMESTAMP", "null", `"2024-06-01 10:00:00"`), "TIMESTAMPTZ: NULL|2024-06-01 10:00:00Z"},
		{"databricks/databricks-sql-nodejs#188: NULL of type DECIMAL is 0", native(wide, "DECIMAL(38,18)", "null", `"0"`), "DECIMAL: NULL|0.000000000000000000"},
		{"databricks/databricks-sql-go#370: decimals inside an ARRAY are doubles", native(arrow.ListOf(wide), "ARRAY<DECIMAL(38,18)>", `["12345678901234567890.123456789012345678","99999999999999999999.999999999999999999",null]`), `JSON: "[12345678901234567890.123456789012345678,99999999999999999999.999999999999999999,null]"`},
		{"databricks/databricks-sql-go#126: NULL in a MAP is 0", native(arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), "MAP<STRING,INT>", `[{"key":"red","value":1},{"key":"green","value":null}]`), `JSON: "{\"red\":1,\"green\":null}"`},
		{"databricks/databricks-sql-go#126: a STRUCT of nothing but NULL fails", native(arrow.StructOf(of("a", arrow.PrimitiveTypes.Int32), of("b", arrow.BinaryTypes.String)), "STRUCT<a:INT,b:STRING>", `{"a":null,"b":null}`, "null"), `JSON: "{\"a\":null,\"b\":null}"|NULL`},
		{"databricks/databricks-sql-python#295: TIMESTAMP_NTZ is no known type", native(wall, "TIMESTAMP_NTZ", `"2023-12-31 12:00:00"`), "TIMESTAMP: 2023-12-31 12:00:00"},
		{"databricks/databricks-jdbc#835: intervals are of no known type", text([]string{"v"}, []string{"INTERVAL YEAR TO MONTH"}, "1-2", "-0-1", null), `STRING: "1-2"|"-0-1"|NULL`},
		{"cube-js/cube#6768: NULL of type DECIMAL comes as text and is 0", text([]string{"v"}, []string{"DECIMAL(10,2)"}, null, "1.10"), "DECIMAL: NULL|1.10"},
	} {
		t.Run(tc.report, func(t *testing.T) {
			s := start(t)
			s.Answer("SELECT v", tc.sent)
			c := open(t, s.URL(), options)
			defer c.Close() //nolint:errcheck // nothing follows
			if got, err := show(c.Query(ctx, "SELECT v")); err != nil || got != `"v" `+tc.want+"\n" {
				t.Errorf("%s, %v, want %s", got, err, tc.want)
			}
		})
	}
}

// Text that a type says is JSON and that is none is no value.
func TestReportedTextThatIsNoJSON(t *testing.T) {
	t.Run("databricks/databricks-sql-python#517: dates come without quotes from a service that sends text", func(t *testing.T) {
		s := start(t)
		s.Answer("SELECT v", text([]string{"v"}, []string{"ARRAY<STRUCT<d:DATE,e:INT>>"}, `[{"d":2011-11-01,"e":null}]`))
		c := open(t, s.URL(), options)
		defer c.Close() //nolint:errcheck // nothing follows
		if got, err := show(c.Query(ctx, "SELECT v")); err == nil || !strings.Contains(err.Error(), "JSON") {
			t.Errorf("%s, %v, want an error that says that it is no JSON", got, err)
		}
	})
}

// A keyed merge that another statement was faster than is done again.
func TestReportedConcurrentAppend(t *testing.T) {
	t.Run("delta-io/delta#445: ConcurrentAppendException", func(t *testing.T) {
		s := start(t)
		c := open(t, s.URL("retries=3"), options)
		defer c.Close() //nolint:errcheck // nothing follows
		if err := c.Exec(ctx, "CREATE TABLE t (k STRING, n BIGINT)"); err != nil {
			t.Fatal(err)
		}
		rows := rowsOf(0, 10)
		defer rows.Release()
		s.Script("ExecuteStatement", step{}, step{Fault: &fakedatabricks.Fault{State: "2D521", Message: "[DELTA_CONCURRENT_APPEND] ConcurrentAppendException: Files were added to the root of the table by a concurrent update."}})
		if n, err := c.Merge(ctx, "t", []string{"k"}, rows); err != nil || n != 10 {
			t.Errorf("%d rows, %v", n, err)
		}
		if got, err := show(c.Query(ctx, "SELECT COUNT(*) AS n FROM t")); err != nil || got != "\"n\" INT64: 10\n" {
			t.Errorf("%s, %v", got, err)
		}
	})
}

// A statement that writes is run once, whatever its answer.
func TestReportedDoubling(t *testing.T) {
	for _, reply := range []struct {
		what string
		step step
		want errcode.Code
	}{
		{"HTTP status 503", step{Status: 503, Obey: true}, errcode.Unavailable},
		{"HTTP status 502", step{Status: 502, Obey: true}, errcode.Unavailable},
		{"nothing", step{Lose: true}, errcode.Unavailable},
		{"HTTP status 503 and Retry-After", step{Status: 503, RetryAfter: 1}, errcode.OK},
	} {
		t.Run("trinodb/trino#16934, databricks/dbt-databricks#1315, databricks/databricks-sql-python#756: a statement is run again that was answered with "+reply.what, func(t *testing.T) {
			s := start(t)
			c := open(t, s.URL("retries=3"), options)
			defer c.Close() //nolint:errcheck // nothing follows
			if err := c.Exec(ctx, "CREATE TABLE t (n BIGINT)"); err != nil {
				t.Fatal(err)
			}
			s.Script("ExecuteStatement", reply.step) // which the service obeys, or refuses and says when to come again
			if err := c.Exec(ctx, "INSERT INTO t VALUES (1)"); c.ErrorCode(err) != reply.want {
				t.Errorf("%v, want %v", err, reply.want)
			}
			if got, err := c.QueryText(ctx, "SELECT CAST(COUNT(*) AS STRING) FROM t"); err != nil || got != "1" {
				t.Errorf("%s rows, %v, want one", got, err)
			}
		})
	}
}

// Results that are not whole do not look whole.
func TestReportedResults(t *testing.T) {
	t.Run("databricks/databricks-sql-python#383: no rows of many are read", func(t *testing.T) {
		for _, direct := range []bool{false, true} {
			for _, files := range []bool{false, true} {
				s := start(t)
				s.Direct, s.Files = direct, files
				c := open(t, s.URL(), options)
				if err := numbers(c, 151_653); err != nil {
					t.Errorf("direct %v, files %v: %v", direct, files, err)
				}
				c.Close() //nolint:errcheck // nothing follows
			}
		}
	})
	t.Run("databricks/databricks-sql-go#254: the error of a later page is not told", func(t *testing.T) {
		s := start(t)
		s.Direct, s.PageRows = false, 2048
		c := open(t, s.URL("retries=1"), options)
		defer c.Close() //nolint:errcheck // nothing follows
		s.Script("FetchResults", step{}, step{}, step{Status: 500}, step{Status: 500}, step{Status: 500}, step{Status: 500})
		if err := numbers(c, 20_000); c.ErrorCode(err) != errcode.Unavailable {
			t.Errorf("%v, want unavailable", err)
		}
	})
	t.Run("databricks/databricks-jdbc#1351: nobody says that a kept result was cut off", func(t *testing.T) {
		s := start(t)
		c := open(t, s.URL(), options)
		defer c.Close() //nolint:errcheck // nothing follows
		s.Keep(id, fakedatabricks.Kept{SQL: "SELECT i FROM range(10) AS t(i)", Truncated: true})
		if got, err := snapshot(c, "query:"+id); c.ErrorCode(err) != errcode.DataLoss {
			t.Errorf("%s, %v, want data loss", got, err)
		}
	})
}

// What ends elsewhere ends here, with an error.
func TestReportedEnds(t *testing.T) {
	t.Run("databricks/databricks-sql-python#470: a query that is cancelled at the service is waited for for ever", func(t *testing.T) {
		for _, direct := range []bool{false, true} {
			s := start(t)
			s.Direct = direct
			s.Answer("SELECT slow", fakedatabricks.Result{Hangs: true})
			c := open(t, s.URL(), options)
			go func() {
				for s.Count("ExecuteStatement") == 0 {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(300 * time.Millisecond)
				s.Halt()
			}()
			got, err := show(c.Query(ctx, "SELECT slow"))
			if code := c.ErrorCode(err); code != errcode.Unavailable {
				t.Errorf("%s, %v (%v)", got, err, code)
			}
			c.Close() //nolint:errcheck // nothing follows
		}
	})
	t.Run("databricks/databricks-sql-nodejs#297: a file whose content was changed on its way", func(t *testing.T) {
		s := start(t)
		s.Files, s.FileRows = true, 2048
		c := open(t, s.URL(), options)
		defer c.Close() //nolint:errcheck // nothing follows
		s.Script("file", step{}, step{Corrupt: true})
		if err := numbers(c, 20_000); c.ErrorCode(err) != errcode.DataLoss {
			t.Errorf("%v, want data loss", err)
		}
	})
}

// A warehouse that starts gives sessions out before it has them. Statements that it does not take are sent again,
// whatever they do.
func TestReportedStart(t *testing.T) {
	for report, fault := range map[string]fakedatabricks.Fault{
		"lightdash/lightdash#27953: the session is not there, in words without a condition":              {Message: "requirement failed: Session handle: SessionHandle [c1d8a9c0-0000-4000-8000-000000000000] has not been initialized or had already closed."},
		"lightdash/lightdash#28654: nodes boot, and operations fail inside an answer of HTTP status 200": {Message: "Couldn't create directory /local_disk0/tmp/5c1/_resources"},
		"databricks/databricks-sql-python#400: Invalid SessionHandle":                                    {Handle: true, Message: "Invalid SessionHandle: SessionHandle [c1d8a9c0]"},
	} {
		t.Run(report, func(t *testing.T) {
			s := start(t)
			c := open(t, s.URL(), options)
			defer c.Close() //nolint:errcheck // nothing follows
			if err := c.Exec(ctx, "CREATE TABLE t (n BIGINT)"); err != nil {
				t.Fatal(err)
			}
			times := 3
			if fault.Handle { // a new session is asked for once
				times = 1
			}
			refused := slices.Repeat([]step{{Fault: &fault}}, times)
			s.Script("ExecuteStatement", refused...)
			if err := c.Exec(ctx, "INSERT INTO t VALUES (1)"); err != nil {
				t.Error(err)
			}
			s.Script("ExecuteStatement", refused...)
			if got, err := c.QueryText(ctx, "SELECT CAST(COUNT(*) AS STRING) FROM t"); err != nil || got != "1" {
				t.Errorf("%s rows, %v, want one", got, err)
			}
		})
	}
}

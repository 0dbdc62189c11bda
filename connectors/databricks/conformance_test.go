package databricks_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fakedatabricks "github.com/badger-eval/badger/connectors/fake/databricks"
	"github.com/badger-eval/badger/internal/errcode"
)

var ctx = context.Background()

// The suite against the server of our own, for each way in which a result may be sent.
func TestConformance(t *testing.T) {
	ways := map[string]func(s *fakedatabricks.Server){
		"files": func(*fakedatabricks.Server) {},
		"pages": func(s *fakedatabricks.Server) { s.Direct, s.Files, s.PageRows = false, false, 700 },
		"plain": func(s *fakedatabricks.Server) { s.LZ4, s.FileRows, s.Extra = false, 2048, true },
	}
	drivertest.RunWays(t, slices.Sorted(maps.Keys(ways)), func(way string) drivertest.Harness {
		return harness(func(t *testing.T) string {
			s := start(t)
			ways[way](s)
			return s.URL()
		})
	})
}

func harness(newURL func(t *testing.T) string) drivertest.Harness {
	return drivertest.Harness{
		Name: "databricks", Dialect: databricks.Dialect, Features: databricks.Features,
		Spelled: map[string]string{drivertest.OtherTypes: "CREATE TABLE others (id BIGINT, n DECIMAL(38, 9), d DATE, h STRING, w TIMESTAMP_NTZ, b BINARY, u DECIMAL(38, 0))"},
		Open: func(t *testing.T, mem memory.Allocator) driver.Conn {
			return open(t, newURL(t), driver.Options{Mem: mem})
		},
		OpenReadOnly: func(t *testing.T, mem memory.Allocator) driver.Conn {
			url := newURL(t)
			c := open(t, url, driver.Options{})
			if err := c.Exec(ctx, "CREATE TABLE present AS SELECT 1 AS a"); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, url, driver.Options{ReadOnly: true, Mem: mem})
		},
		Slow: "SELECT a.i, sqrt(a.i * b.i) AS r FROM range(1000000000) AS a(i), range(1000000) AS b(i)",
	}
}

// start starts a server that knows the results of types that the embedded engine lacks.
func start(t testing.TB) *fakedatabricks.Server {
	t.Helper()
	s := fakedatabricks.New(t)
	s.Answer(`SELECT INTERVAL '1-2' YEAR .*`, text([]string{"a", "b", "c", "d"}, []string{"INTERVAL YEAR TO MONTH", "INTERVAL YEAR TO MONTH", "INTERVAL DAY TO SECOND", "INTERVAL DAY TO SECOND"},
		"1-2", "-0-1", "1 02:03:04.500000000", null))
	s.Answer(`SELECT l FROM \(VALUES \(3, array\(1L, .*`, text([]string{"l"}, []string{"ARRAY<BIGINT>"}, "[]", null, "[1,2,null]", "[9223372036854775807]"))
	s.Answer(`SELECT map\('x', 1.*`, text([]string{"a", "b", "c", "d"}, []string{"MAP<STRING,INT>", "MAP<INT,STRING>", "MAP<VOID,VOID>", "MAP<STRING,INT>"}, `{"x":1,"y":null}`, `{"1":"one","2":"two"}`, "{}", null))
	s.Answer(`SELECT named_struct\('a'.*`, text([]string{"s", "z"}, []string{"STRUCT<a:DECIMAL(38,2)>", "STRUCT<a:INT>"}, `{"a":12345678901234567890.12,"n":null,"d":["2024-02-29"]}`, null))
	s.Answer("SELECT NULL AS a", void("a"))
	return s
}

// void is a result of one NULL without a type.
func void(name string) fakedatabricks.Result {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{{Name: name, Type: arrow.Null, Nullable: true}}, nil))
	defer b.Release()
	b.Field(0).AppendNull()
	return fakedatabricks.Result{Record: b.NewRecord()}
}

const null = "\x00null"

// text is a canned result whose values come as text, row by row.
func text(names, types []string, cells ...string) fakedatabricks.Result {
	fields := make([]arrow.Field, len(names))
	for i, n := range names {
		fields[i] = arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	defer b.Release()
	for i, c := range cells {
		to := b.Field(i % len(names)).(*array.StringBuilder)
		if c == null {
			to.AppendNull()
		} else {
			to.Append(c)
		}
	}
	return fakedatabricks.Result{Record: b.NewRecord(), Types: types}
}

func open(t testing.TB, url string, o driver.Options) *databricks.Conn {
	t.Helper()
	c, _, err := databricks.Open(ctx, url, o)
	if err != nil {
		t.Fatal(err)
	}
	conn := c.(*databricks.Conn)
	databricks.Hasten(conn)
	return conn
}

// options are those of a connection that may write.
var options = driver.Options{}

// Nested values arrive as Arrow has them, and become JSON here with the digits they have; or as
// text, from services that send it.
func TestNestedValues(t *testing.T) {
	const want = "\"l\" JSON: \"[1,2,null]\"|NULL|\"[]\"\n\"s\" JSON: \"{\\\"a\\\":12345678901234567890.12,\\\"d\\\":[\\\"2024-02-29\\\"]}\"|NULL|NULL\n\"m\" JSON: \"{\\\"x\\\":1}\"|NULL|\"{}\"\n"
	for name, files := range map[string]bool{"files": true, "pages": false} {
		s := start(t)
		s.Files = files
		c := open(t, s.URL(), options)
		got, err := show(c.Query(ctx, `SELECT l, s, m FROM (VALUES (1, [1, 2, NULL], {'a': 12345678901234567890.12::DECIMAL(38, 2), 'd': [DATE '2024-02-29']}, MAP {'x': 1}), (2, NULL, NULL, NULL), (3, [], NULL, MAP {})) AS t(i, l, s, m) ORDER BY i`))
		if err != nil || got != want {
			t.Errorf("%s: got\n%s%v\nwant\n%s", name, got, err, want)
		}
		c.Close() //nolint:errcheck // nothing follows
	}
}

// Times of day come as text from a service that sends them so, and are exact to the microsecond.
func TestTimes(t *testing.T) {
	s := start(t)
	s.Answer("SELECT good", text([]string{"a", "b"}, []string{"TIME(6)", "TIME"}, "00:00:00", "23:59:59.999999", "12:30:00.5", null))
	s.Answer("SELECT bad", text([]string{"a"}, []string{"TIME(6)"}, "24:00:00"))
	c := open(t, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	r, err := c.Query(ctx, "SELECT good")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var got []any
	for r.Next() {
		for _, col := range r.Record().Columns() {
			times, ok := col.(*array.Time64)
			if !ok || times.DataType().(*arrow.Time64Type).Unit != arrow.Microsecond {
				t.Fatalf("a column of type %v, want times of microseconds", col.DataType())
			}
			for i := range times.Len() {
				if times.IsNull(i) {
					got = append(got, nil)
				} else {
					got = append(got, int64(times.Value(i)))
				}
			}
		}
	}
	if want := []any{int64(0), int64(45_000_500_000), int64(86_399_999_999), nil}; r.Err() != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, r.Err(), want)
	}
	if _, err := show(c.Query(ctx, "SELECT bad")); errcode.Of(err) != errcode.DataLoss {
		t.Errorf("24:00:00: %v, want data_loss", err)
	}
}

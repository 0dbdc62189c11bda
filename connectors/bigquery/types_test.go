package bigquery_test

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fakebigquery "github.com/badger-eval/badger/connectors/fake/bigquery"
	"github.com/badger-eval/badger/internal/arrowtable"
)

// Types beyond those of the suite, as the REST API and as the Storage Read API send them: both give
// the same values.
func TestTypesBothWays(t *testing.T) {
	const query = "SELECT special"
	picos := int64(12)
	dates := arrow.StructOf(arrow.Field{Name: "start", Type: arrow.FixedWidthTypes.Date32, Nullable: true}, arrow.Field{Name: "end", Type: arrow.FixedWidthTypes.Date32, Nullable: true})
	instants := arrow.StructOf(arrow.Field{Name: "start", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true}, arrow.Field{Name: "end", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true})
	inner := arrow.StructOf(
		arrow.Field{Name: "n", Type: &arrow.Decimal128Type{Precision: 38, Scale: 9}, Nullable: true},
		arrow.Field{Name: "j", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"google:sqlType:json"})},
		arrow.Field{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
	)
	schema := &bq.TableSchema{Fields: []*bq.TableFieldSchema{
		{Name: "days", Type: "RANGE", RangeElementType: &bq.TableFieldSchemaRangeElementType{Type: "DATE"}},
		{Name: "span", Type: "RANGE", RangeElementType: &bq.TableFieldSchemaRangeElementType{Type: "TIMESTAMP"}},
		{Name: "place", Type: "GEOGRAPHY"},
		{Name: "fine", Type: "TIMESTAMP", TimestampPrecision: &picos},
		{Name: "money", Type: "NUMERIC", Precision: 10, Scale: 2},
		{Name: "list", Type: "RECORD", Mode: "REPEATED", Fields: []*bq.TableFieldSchema{{Name: "n", Type: "NUMERIC"}, {Name: "j", Type: "JSON"}, {Name: "at", Type: "TIMESTAMP"}}},
	}}
	v := func(v any) map[string]any { return map[string]any{"v": v} }
	rows := []*bq.TableRow{
		{F: []*bq.TableCell{
			{V: "[2024-02-29, UNBOUNDED)"}, {V: "[1709251199999999, 1709251200000000)"}, {V: "POINT(1 2)"}, {V: "2024-02-29T23:59:59.123456789012Z"}, {V: "1234.5"},
			{V: []any{v(map[string]any{"f": []any{v("0.1"), v(`{"k":[1,2.5]}`), v("-1")}}), v(map[string]any{"f": []any{v(nil), v(nil), v(nil)}})}},
		}},
		{F: []*bq.TableCell{{V: nil}, {V: nil}, {V: nil}, {V: nil}, {V: nil}, {V: []any{}}}},
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "days", Type: dates, Nullable: true}, {Name: "span", Type: instants, Nullable: true}, {Name: "place", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "fine", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "money", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}, Nullable: true}, {Name: "list", Type: arrow.ListOf(inner), Nullable: true},
	}, nil))
	defer b.Release()
	if err := b.UnmarshalJSON([]byte(`{"days": {"start": "2024-02-29", "end": null}, "span": {"start": "2024-02-29 23:59:59.999999", "end": "2024-03-01 00:00:00"}, "place": "POINT(1 2)",
 "fine": "2024-02-29T23:59:59.123456789012Z", "money": "1234.50", "list": [{"n": "0.1", "j": "{\"k\":[1,2.5]}", "at": "1969-12-31 23:59:59.999999"}, {"n": null, "j": null, "at": null}]}`)); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		b.Field(i).AppendNull()
	}
	b.Field(5).(*array.ListBuilder).Append(true)
	const want = `"days" JSON: "{\"start\":\"2024-02-29\",\"end\":null}"|NULL
"span" JSON: "{\"start\":\"2024-02-29 23:59:59.999999Z\",\"end\":\"2024-03-01 00:00:00Z\"}"|NULL
"place" STRING: "POINT(1 2)"|NULL
"fine" STRING: "2024-02-29T23:59:59.123456789012Z"|NULL
"money" DECIMAL: 1234.5|NULL
"list" JSON: "[{\"n\":0.1,\"j\":{\"k\":[1,2.5]},\"at\":\"1969-12-31 23:59:59.999999Z\"},{\"n\":null,\"j\":null,\"at\":null}]"|"[]"
`
	record := b.NewRecord()
	defer record.Release()
	for name, tc := range map[string]struct {
		options []string
		read    func(c *bigquery.Conn, s *fakebigquery.Server) (array.RecordReader, error)
	}{
		"with the end of the job": {nil, func(c *bigquery.Conn, _ *fakebigquery.Server) (array.RecordReader, error) {
			return c.Query(context.Background(), query)
		}},
		"Storage": {[]string{"storage=on"}, func(c *bigquery.Conn, s *fakebigquery.Server) (array.RecordReader, error) {
			return again(c, s, query)
		}},
		"pages": {[]string{"storage=off", "page_rows=1"}, func(c *bigquery.Conn, s *fakebigquery.Server) (array.RecordReader, error) {
			return again(c, s, query)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			s.Canned[query] = fakebigquery.Result{Schema: schema, Rows: rows, Record: record}
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			c := open(t, s, driver.Options{Mem: mem}, tc.options...)
			defer c.Close() //nolint:errcheck // the test's end
			r, err := tc.read(c, s)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Release()
			table, err := arrowtable.Read(r, arrowtable.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := drivertest.Show(table); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// again reads a query's result by its job, without running it again.
func again(c *bigquery.Conn, s *fakebigquery.Server, query string) (array.RecordReader, error) {
	if err := c.Exec(context.Background(), query); err != nil {
		return nil, err
	}
	return c.ReadSnapshot(context.Background(), driver.Ref{Kind: driver.RefQuery, Name: s.LastJob()})
}

package bigquery_test

import (
	"context"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/memory"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fakebigquery "github.com/badger-eval/badger/connectors/fake/bigquery"
)

// The suite against the server of our own, with the Storage API and without it.
func TestConformance(t *testing.T) {
	ways := map[string][]string{"Storage": nil, "REST": {"storage=off", "page_rows=700"}, "Streams": {"streams=3"}}
	drivertest.RunWays(t, slices.Sorted(maps.Keys(ways)), func(way string) drivertest.Harness {
		return drivertest.Harness{
			Name: "bigquery", Dialect: bigquery.Dialect, Features: bigquery.Features, Spelled: spelled, Skip: gaps,
			Open: func(t *testing.T, mem memory.Allocator) driver.Conn {
				return open(t, start(t), driver.Options{Mem: mem}, ways[way]...)
			},
			OpenReadOnly: func(t *testing.T, mem memory.Allocator) driver.Conn {
				s := start(t)
				if err := s.Exec("CREATE TABLE data.present AS SELECT 1 AS a"); err != nil {
					t.Fatal(err)
				}
				return open(t, s, driver.Options{Mem: mem, ReadOnly: true}, ways[way]...)
			},
			Slow: fakebigquery.Endless,
		}
	})
}

// spelled are texts of the suite in BigQuery's words.
var spelled = map[string]string{
	drivertest.OtherTypes:                          "CREATE TABLE others (id INT64, n NUMERIC, d DATE, h TIME, w DATETIME, b BYTES, u NUMERIC)",
	`CREATE TABLE "odd . ""name" AS SELECT 2 AS a`: "CREATE TABLE `odd name` AS SELECT 2 AS a", // no points and no quotes in names
	`table:"odd . ""name"`:                         `table:"odd name"`,
	"table:PLAIN":                                  "table:plain", // names of tables are case-sensitive
	"DELETE FROM present":                          "DELETE FROM present WHERE TRUE",
}

// gaps are what BigQuery itself does not offer.
var gaps = map[string]string{
	"Results/column names may repeat": "BigQuery refuses a result whose columns share a name",
}

// start starts a server that knows the suite's queries.
func start(t testing.TB) *fakebigquery.Server {
	t.Helper()
	s := fakebigquery.Start(t)
	for file, sql := range engineSQL {
		query := drivertest.TypeQuery("bigquery", file)
		if query == "" {
			t.Fatalf("%s: no such query", file)
		}
		s.SQL[strings.TrimSpace(query)] = sql
	}
	for file, result := range canned() {
		s.Canned[strings.TrimSpace(drivertest.TypeQuery("bigquery", file))] = result
	}
	return s
}

func open(t testing.TB, s *fakebigquery.Server, o driver.Options, options ...string) *bigquery.Conn {
	t.Helper()
	c, _, err := bigquery.Open(context.Background(), s.URL(options...), o)
	if err != nil {
		t.Fatal(err)
	}
	conn := c.(*bigquery.Conn)
	bigquery.Hasten(conn)
	return conn
}

// engineSQL are BigQuery's queries of the type files as the embedded engine spells them.
var engineSQL = map[string]string{
	"booleans":     "SELECT CASE i % 3 WHEN 0 THEN TRUE WHEN 1 THEN FALSE END AS b FROM range(11) AS t(i) ORDER BY i",
	"bytes":        `SELECT b FROM (VALUES (1, '\x00\xFF'::BLOB), (2, ''::BLOB), (3, 'longer than twelve'::BLOB), (4, NULL)) AS t(i, b) ORDER BY i`,
	"dates":        "SELECT d FROM (VALUES (1, DATE '1970-01-01'), (2, DATE '1969-12-31'), (3, DATE '2024-02-29'), (4, DATE '0001-01-01'), (5, DATE '9999-12-31'), (6, NULL)) AS t(i, d) ORDER BY i",
	"floats":       "SELECT * FROM (VALUES (1, 'NaN'::DOUBLE), (2, 'Infinity'::DOUBLE), (3, '-Infinity'::DOUBLE), (4, 0.1::DOUBLE), (5, 5e-324::DOUBLE), (6, 1.7976931348623157e308::DOUBLE), (7, -0.0::DOUBLE), (8, NULL)) AS t(i, d) ORDER BY i",
	"instants":     "SELECT TIMESTAMPTZ '2024-06-01 12:00:00+02' AS a, TIMESTAMPTZ '2024-06-01 12:00:00.000001-11:30' AS b, TIMESTAMPTZ '2024-06-01 12:00:00' AS c, NULL::TIMESTAMPTZ AS d, TIMESTAMPTZ '2024-06-01 12:00:00+02'::VARCHAR AS e",
	"integers":     "SELECT i64 FROM (VALUES (1, (-9223372036854775808)::BIGINT), (2, 9223372036854775807), (3, NULL)) AS t(i, i64) ORDER BY i",
	"json":         `SELECT '{"a":[1,2.5]}'::JSON AS a, 'null'::JSON AS b, NULL::JSON AS c`,
	"lists":        "SELECT l FROM (VALUES (1, [1, 2]), (2, []), (3, []), (4, [9223372036854775807])) AS t(i, l) ORDER BY i",
	"lists_shared": "SELECT l, n FROM (SELECT i, [i, i * 10] AS l, [{'x': [i]}, {'x': [i, i]}] AS n FROM range(3) AS t(i)) AS a, range(2) AS b(j) ORDER BY i DESC, j",
	"nul_bytes":    "SELECT 'a' || chr(0) || 'b' AS s, chr(0) AS z",
	"nulls":        "SELECT NULL AS a",
	"structs":      `SELECT {'a': 12345678901234567890.12::DECIMAL(38,9), 'n': {'x': NULL::VARCHAR, 'y': DATE '2024-02-29'}, 'f': 'NaN'::DOUBLE, 'b': '\xFF'::BLOB, 'j': '{"k":1}'::JSON, 'l': [1, 2]} AS s, NULL::STRUCT(a INTEGER) AS z`,
	"texts":        "SELECT s FROM (VALUES (1, ''), (2, 'twelve bytes'), (3, 'thirteen byte'), (4, NULL), (5, '😀🦡 añ'), (6, 'שלום'), (7, 'e' || chr(769)), (8, repeat('x', 40))) AS t(i, s) ORDER BY i",
	"times":        "SELECT TIME '00:00:00' AS a, TIME '23:59:59.999999' AS b, NULL::TIME AS e",
	"timestamps":   "SELECT us FROM (VALUES (1, TIMESTAMP '2024-02-29 23:59:59.999999'), (2, TIMESTAMP '1969-12-31 23:59:59.999999'), (3, TIMESTAMP '0001-01-01 00:00:00'), (4, TIMESTAMP '9999-12-31 23:59:59.999999'), (5, NULL)) AS t(i, us) ORDER BY i",
}

// canned are results that the embedded engine has no types for: the REST cells as the reference of
// BigQuery's API writes them, the Arrow columns as that of its Storage Read API does.
func canned() map[string]fakebigquery.Result {
	return map[string]fakebigquery.Result{
		"decimals": result(3,
			column{"a", "NUMERIC", &arrow.Decimal128Type{Precision: 38, Scale: 9}, []any{"99999999999999999999999999999.999999999", "-99999999999999999999999999999.999999999", nil}},
			column{"b", "BIGNUMERIC", &arrow.Decimal256Type{Precision: 76, Scale: 38}, []any{
				"578960446186580977117854925043439539266.34992332820282019728792003956564819967", "-578960446186580977117854925043439539266.34992332820282019728792003956564819968", nil,
			}},
			column{"c", "NUMERIC", &arrow.Decimal128Type{Precision: 38, Scale: 9}, []any{"0.1", "-0.000000001", nil}},
		),
		"intervals": result(1,
			column{"a", "INTERVAL", arrow.FixedWidthTypes.MonthDayNanoInterval, []any{"1-2 3 4:5:6.700000"}}, column{"b", "INTERVAL", arrow.FixedWidthTypes.MonthDayNanoInterval, []any{"-0-1 0 0:0:0"}},
			column{"c", "INTERVAL", arrow.FixedWidthTypes.MonthDayNanoInterval, []any{"0-0 0 0:0:0"}}, column{"d", "INTERVAL", arrow.BinaryTypes.String, []any{"0-0 0 3000000:0:0"}},
			column{"e", "INTERVAL", arrow.FixedWidthTypes.MonthDayNanoInterval, []any{"0-0 1 -0:0:0.5"}}, column{"f", "INTERVAL", arrow.FixedWidthTypes.MonthDayNanoInterval, []any{nil}},
		),
	}
}

// column is a column of a canned result.
type column struct {
	name, typ string
	arrow     arrow.DataType
	cells     []any // of the REST API
}

func result(rows int, columns ...column) fakebigquery.Result {
	schema := &bq.TableSchema{}
	var fields []arrow.Field
	for _, c := range columns {
		schema.Fields = append(schema.Fields, &bq.TableFieldSchema{Name: c.name, Type: c.typ})
		fields = append(fields, arrow.Field{Name: c.name, Type: c.arrow, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	out := fakebigquery.Result{Schema: schema}
	for r := range rows {
		row := &bq.TableRow{}
		for i, c := range columns {
			row.F = append(row.F, &bq.TableCell{V: c.cells[r]})
			appendArrow(b.Field(i), c.cells[r])
		}
		out.Rows = append(out.Rows, row)
	}
	out.Record = b.NewRecord()
	return out
}

// appendArrow appends what the Storage Read API sends for a cell.
func appendArrow(b array.Builder, cell any) {
	text, ok := cell.(string)
	if !ok {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(text)
	case *array.Decimal128Builder:
		b.Append(decimal128.FromBigInt(scaled(text, 9)))
	case *array.Decimal256Builder:
		n := scaled(text, 38)
		if n.Sign() < 0 { // FromBigInt does not take the lowest
			n.Not(n)
			v := decimal256.FromBigInt(n)
			w := v.Array()
			b.Append(decimal256.New(^w[3], ^w[2], ^w[1], ^w[0]))
			return
		}
		b.Append(decimal256.FromBigInt(n))
	case *array.MonthDayNanoIntervalBuilder:
		b.Append(map[string]arrow.MonthDayNanoInterval{
			"1-2 3 4:5:6.700000": {Months: 14, Days: 3, Nanoseconds: 14706700000000}, "-0-1 0 0:0:0": {Months: -1}, "0-0 0 0:0:0": {}, "0-0 1 -0:0:0.5": {Days: 1, Nanoseconds: -500000000},
		}[text])
	}
}

// scaled is a decimal without its point, with so many places.
func scaled(text string, places int) *big.Int {
	whole, fraction, _ := strings.Cut(text, ".")
	n, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", places-len(fraction)), 10)
	return n
}

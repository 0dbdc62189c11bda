package drivertest

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// OtherTypes creates a table with columns of types that badger's own tables lack: decimals, a date, a time of day, a
// timestamp without a zone and bytes. [Harness.Spelled] has other warehouses' syntax.
const OtherTypes = "CREATE TABLE others (id bigint, n decimal(38, 9), d date, h time, w timestamp, b bytea, u decimal(38, 0))"

// fromJSON returns rows with a schema, each from a JSON object.
func fromJSON(t *testing.T, schema *arrow.Schema, rows ...string) array.RecordReader {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.NewGoAllocator(), schema,
		strings.NewReader("["+strings.Join(rows, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	r, err := array.NewRecordReader(schema, []arrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// merges checks that all connectors map rows to tables alike: which columns names refer to, how keys work, and the
// errors for rows that do not fit.
func (h Harness) merges(t *testing.T) {
	ctx := context.Background()
	merge := func(t *testing.T, c driver.Conn, table string, key []string, rows array.RecordReader) error {
		t.Helper()
		defer rows.Release()
		_, err := c.Merge(ctx, table, key, rows)
		return err
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	same := func(t *testing.T, c driver.Conn, query, want string) {
		t.Helper()
		if got := Show(mustRead(t, c, query)); got != want {
			t.Errorf("%s:\n%swant\n%s", query, got, want)
		}
	}
	h.run(t, "names in other cases of letters", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text", "other text", "n bigint")
		for i := range 2 {
			must(t, merge(t, c, "t", []string{"K"},
				texts([]string{"K"}, []string{"N"}, []any{"a", int64(i)}, []any{"b", int64(7)})))
		}
		same(t, c, "SELECT k, n FROM t ORDER BY k", "\"k\" STRING: \"a\"|\"b\"\n\"n\" INT64: 1|7\n")
	})
	h.run(t, "columns that differ in case", func(t *testing.T) {
		c := h.open(t)
		first, second := h.Dialect.Identifier("Kx"), h.Dialect.Identifier("kX")
		if err := c.Exec(ctx,
			fmt.Sprintf("CREATE TABLE t (%s %s, %s %s)", first, h.Dialect.Types[driver.BigInt], second,
				h.Dialect.Types[driver.Text])); err != nil {
			// The warehouse has no such tables: both of the rows' columns match the same column.
			h.table(t, c, "t", "kx text")
			if err := merge(t, c, "t", nil, texts([]string{"Kx", "kX"}, nil, []any{"a", "b"})); code(c,
				err) != errcode.InvalidArgument {
				t.Errorf("two of the rows' columns that are one: %v (%v), want invalid_argument", err, code(c, err))
			}
			return
		}
		for _, text := range []string{"a", "b"} {
			must(t, merge(t, c, "t", []string{"Kx"}, texts([]string{"kX"}, []string{"Kx"}, []any{text, int64(1)})))
		}
		same(t, c, fmt.Sprintf("SELECT %s AS a, %s AS b FROM t", first, second), "\"a\" INT64: 1\n\"b\" STRING: \"b\"\n")
		if err := merge(t, c, "t", nil, texts([]string{"kx"}, nil, []any{"a"})); code(c, err) != errcode.InvalidArgument {
			t.Errorf("a name that may be either: %v (%v), want invalid_argument", err, code(c, err))
		}
	})
	h.run(t, "a key and nothing else", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text", "n bigint")
		for range 2 {
			must(t, merge(t, c, "t", []string{"n", "k"},
				texts([]string{"k"}, []string{"n"}, []any{"a", int64(1)}, []any{"a", int64(1)}, []any{"a", nil}, []any{nil, nil})))
		}
		same(t, c, "SELECT COUNT(*) AS a, COUNT(k) AS k, COUNT(n) AS n FROM t",
			"\"a\" INT64: 3\n\"k\" INT64: 2\n\"n\" INT64: 1\n")
	})
	h.run(t, "one key again and again in many rows", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text", "l bigint", "n bigint", "s text")
		rows := make([][]any, 3000)
		filler := strings.Repeat("x", 1000)
		for i := range rows {
			rows[i] = []any{"a", filler, int64(i % 3), int64(i)}
			if i%3 == 2 {
				rows[i][0], rows[i][2] = nil, nil
			}
		}
		for range 2 {
			must(t, merge(t, c, "t", []string{"k", "l"}, texts([]string{"k", "s"}, []string{"l", "n"}, rows...)))
		}
		same(t, c, "SELECT n FROM t ORDER BY n", "\"n\" INT64: 2997|2998|2999\n")
	})
	h.run(t, "types that badger's tables lack", func(t *testing.T) { h.otherTypes(t, merge) })
	h.run(t, "rows that do not go into the table", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "k text", "n bigint", "ts timestamp")
		schema := func(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }
		text, many := arrow.BinaryTypes.String, make([]string, 2000)
		for i := range many {
			many[i] = fmt.Sprintf(`{"n": "%d"}`, i)
		}
		many[1999] = `{"n": "secret"}`
		for _, tc := range []struct {
			why    string
			schema *arrow.Schema
			rows   []string
			key    []string
			want   errcode.Code
			says   string // the message must contain it
		}{
			{"a column twice", schema(arrow.Field{Name: "k", Type: text}, arrow.Field{Name: "k", Type: text}), nil, nil,
				errcode.InvalidArgument, `"k" twice`},
			{"no such column", schema(arrow.Field{Name: "nothing", Type: text}), []string{`{"nothing": "a"}`}, nil,
				errcode.InvalidArgument, `no column "nothing"`},
			{"a key that is not a column", schema(arrow.Field{Name: "k", Type: text}), []string{`{"k": "a"}`}, []string{"n"},
				errcode.InvalidArgument, `key column "n"`},
			{"lists", schema(arrow.Field{Name: "k", Type: arrow.ListOf(text)}), []string{`{"k": ["a"]}`}, nil,
				errcode.Unimplemented, `column "k"`},
			{"no number", schema(arrow.Field{Name: "n", Type: text}), []string{`{"n": "secret"}`}, nil, errcode.InvalidArgument,
				""},
			{"no number, with a key", schema(arrow.Field{Name: "k", Type: text}, arrow.Field{Name: "n", Type: text}),
				[]string{`{"k": "a", "n": "secret"}`}, []string{"k"}, errcode.InvalidArgument, ""},
			{"no number in the last of many", schema(arrow.Field{Name: "n", Type: text}), many, []string{"n"},
				errcode.InvalidArgument, ""},
		} {
			err := merge(t, c, "t", tc.key, fromJSON(t, tc.schema, tc.rows...))
			if code(c, err) != tc.want {
				t.Errorf("%s: %v (%v), want %v", tc.why, err, code(c, err), tc.want)
				continue
			}
			if text := err.Error(); !strings.HasPrefix(text, h.Name+": writing to ") || !strings.Contains(text, tc.says) ||
				strings.Contains(text, "secret") {
				t.Errorf("%s: %s; expected the prefix %s: writing to …, the text %s and no value", tc.why, text, h.Name, tc.says)
			}
		}
		if err := merge(t, c, "t", []string{"k"}, texts([]string{"k"}, nil, []any{"secret\xff"})); code(c,
			err) != errcode.InvalidArgument || strings.Contains(err.Error(), "secret") {
			t.Errorf("text that is not UTF-8: %v (%v), want invalid_argument", err, code(c, err))
		}
		same(t, c, "SELECT COUNT(*) AS n FROM t", "\"n\" INT64: 0\n")
	})
	h.run(t, "an instant that is not kept is not cut", func(t *testing.T) {
		c := h.open(t)
		h.table(t, c, "t", "ts timestamp")
		nanos := arrow.NewSchema(
			[]arrow.Field{{Name: "ts", Type: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}}}, nil)
		err := merge(t, c, "t", nil, fromJSON(t, nanos, `{"ts": "2024-02-29T12:00:00.123456789Z"}`))
		if err == nil {
			same(t, c, "SELECT ts FROM t", "\"ts\" TIMESTAMPTZ: 2024-02-29 12:00:00.123456789Z\n")
		} else if code(c, err) != errcode.InvalidArgument {
			t.Errorf("%v (%v), want invalid_argument", err, code(c, err))
		}
	})
}

// otherTypes checks that the different Arrow types for one column type are all written to it.
func (h Harness) otherTypes(t *testing.T,
	merge func(*testing.T, driver.Conn, string, []string, array.RecordReader) error) {
	c := h.open(t)
	if err := c.Exec(context.Background(), h.spelled(OtherTypes)); err != nil {
		t.Fatal(err)
	}
	id := arrow.Field{Name: "id", Type: arrow.PrimitiveTypes.Int64}
	schema := func(n, d, hour, w, b, u arrow.DataType) *arrow.Schema {
		return arrow.NewSchema(
			[]arrow.Field{id, {Name: "n", Type: n, Nullable: true}, {Name: "d", Type: d, Nullable: true},
				{Name: "h", Type: hour, Nullable: true},
				{Name: "w", Type: w, Nullable: true}, {Name: "b", Type: b, Nullable: true},
				{Name: "u", Type: u, Nullable: true}}, nil)
	}
	narrow := schema(&arrow.Decimal128Type{Precision: 38, Scale: 9}, arrow.FixedWidthTypes.Date32,
		arrow.FixedWidthTypes.Time32ms, &arrow.TimestampType{Unit: arrow.Second}, arrow.BinaryTypes.Binary,
		arrow.PrimitiveTypes.Uint64)
	wide := schema(&arrow.Decimal256Type{Precision: 76, Scale: 9}, arrow.FixedWidthTypes.Date64,
		arrow.FixedWidthTypes.Time64us, &arrow.TimestampType{Unit: arrow.Microsecond}, arrow.BinaryTypes.LargeBinary,
		&arrow.Decimal256Type{Precision: 40})
	nothing := schema(arrow.Null, arrow.Null, arrow.Null, arrow.Null, arrow.Null, arrow.Null)
	for _, rows := range []array.RecordReader{
		fromJSON(t, narrow, `{"id": 1, "n": "12345678901234567890123456789.123456789", "d": "2024-02-29", "h": "23:59:59.999", "w": "2199-12-31T23:59:59", "b": "AP8=", "u": "18446744073709551615"}`),
		fromJSON(t, wide, `{"id": 2, "n": "-0.000000001", "d": "0001-01-01", "h": "00:00:00.000001", "w": "1969-12-31T23:59:59.999999", "b": "", "u": "12345678901234567890123456789"}`, `{"id": 3}`),
		fromJSON(t, nothing, `{"id": 4}`),
	} {
		if err := merge(t, c, "others", []string{"id"}, rows); err != nil {
			t.Fatal(err)
		}
	}
	got := mustRead(t, c, "SELECT n, d, h, w, b, u FROM others ORDER BY id")
	for i, want := range [][]string{
		{"12345678901234567890123456789.123456789", "-0.000000001"}, {"2024-02-29", "0001-01-01"},
		{"23:59:59.999", "00:00:00.000001"},
		{"2199-12-31 23:59:59", "1969-12-31 23:59:59.999999"}, {"00ff", ""},
		{"18446744073709551615", "12345678901234567890123456789"},
	} {
		column := &got.Columns[i]
		for row, want := range append(want, "NULL", "NULL") {
			v := column.Value(row).String()
			if a, ok := new(big.Rat).SetString(v); ok { // trailing zeros may differ
				if b, ok := new(big.Rat).SetString(want); ok && a.Cmp(b) == 0 {
					continue
				}
			}
			if v != want {
				t.Errorf("column %s, row %d: %s, want %s", column.Name, row, v, want)
			}
		}
	}
}

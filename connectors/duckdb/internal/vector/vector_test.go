package vector

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
)

func arrayOf(t *testing.T, dt arrow.DataType, values string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(values))
	if err != nil {
		t.Fatal(dt, err)
	}
	return a
}

// What is written into vectors is read from them, behind an offset and with NULLs, too; a column that
// the engine keeps as another type is read as that.
func TestWhatIsWrittenIsRead(t *testing.T) {
	long := strings.Repeat("äöü", 500)
	for _, tc := range []struct {
		dt     arrow.DataType
		marks  arrow.Metadata
		values string // the first one is left out
		sql    string // the type that keeps them
		want   string // as Arrow prints what was read
	}{
		{dt: arrow.FixedWidthTypes.Boolean, values: `[true, false, null, true]`, sql: "BOOLEAN", want: "[false (null) true]"},
		{dt: arrow.PrimitiveTypes.Int8, values: `[1, -128, null]`, sql: "TINYINT", want: "[-128 (null)]"},
		{dt: arrow.PrimitiveTypes.Uint64, values: `[1, 4503599627370497, null]`, sql: "UBIGINT", want: "[4503599627370497 (null)]"},
		{dt: arrow.PrimitiveTypes.Float32, values: `[1, 0.5, null]`, sql: "FLOAT", want: "[0.5 (null)]"},
		{dt: arrow.PrimitiveTypes.Float64, values: `[1, 0.1, -0.0]`, sql: "DOUBLE", want: "[0.1 -0]"},
		{dt: arrow.BinaryTypes.String, values: `["a", "", null, "exactly 12 b", "more than 12 bytes", "日本 🦡", "` + long + `"]`, sql: "VARCHAR", want: `["" (null) "exactly 12 b" "more than 12 bytes" "日本 🦡" "` + long + `"]`},
		{dt: arrow.BinaryTypes.LargeString, values: `["a", "more than 12 bytes", null]`, sql: "VARCHAR", want: `["more than 12 bytes" (null)]`},
		{dt: arrow.BinaryTypes.String, marks: driverbase.JSON, values: `["1", "{}"]`, sql: "JSON", want: `["{}"]`},
		{dt: arrow.BinaryTypes.Binary, values: `["AA==", "AP8=", null]`, sql: "BLOB", want: `["\x00\xff" (null)]`},
		{dt: &arrow.FixedSizeBinaryType{ByteWidth: 2}, values: `["AAA=", "AQI=", null]`, sql: "BLOB", want: `["\x01\x02" (null)]`},
		{dt: &arrow.FixedSizeBinaryType{ByteWidth: 16}, marks: driverbase.UUID, values: `["AAAAAAAAAAAAAAAAAAAAAA==", "gAAAAAAAAAAAAAAAAAAAAQ==", null]`, sql: "UUID", want: `["\x80` + strings.Repeat(`\x00`, 14) + `\x01" (null)]`},
		{dt: arrow.FixedWidthTypes.Date32, values: `[0, "2024-02-29", null]`, sql: "DATE", want: "[19782 (null)]"},
		{dt: arrow.FixedWidthTypes.Time64us, values: `["00:00:00", "00:00:01.000001"]`, sql: "TIME_NS", want: "[1000001000]"},
		{dt: &arrow.TimestampType{Unit: arrow.Second}, values: `[0, "1970-01-01 00:00:09", null]`, sql: "TIMESTAMP_S", want: "[9 (null)]"},
		{dt: &arrow.TimestampType{Unit: arrow.Nanosecond}, values: `[0, "1970-01-01 00:00:00.000000009"]`, sql: "TIMESTAMP_NS", want: "[9]"},
		{dt: &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, values: `[0, "1970-01-01 00:00:00.009Z", null]`, sql: "TIMESTAMPTZ", want: "[9000 (null)]"},
		{dt: &arrow.Decimal128Type{Precision: 4, Scale: 2}, values: `["0.00", "-99.99", null]`, sql: "DECIMAL(4,2)", want: "[{18446744073709541617 -1} (null)]"}, // 2^64 - 9999
		{dt: &arrow.Decimal128Type{Precision: 38, Scale: 0}, values: `["0", "18446744073709551616"]`, sql: "DECIMAL(38,0)", want: "[{0 1}]"},                     // 2^64
		{dt: arrow.Null, values: `[null, null, null]`, sql: "INTEGER", want: "[(null) (null)]"},
	} {
		field := arrow.Field{Name: "a", Type: tc.dt, Nullable: true, Metadata: tc.marks}
		whole := arrayOf(t, tc.dt, tc.values)
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Array{whole}, int64(whole.Len())).NewSlice(1, int64(whole.Len()))
		if stored, err := StoredAs(field); err != nil || stored.SQL != tc.sql {
			t.Errorf("%v: kept as %q, %v, want %s", tc.dt, stored.SQL, err, tc.sql)
		}
		w, err := NewWriter(rec.Schema())
		if err != nil {
			t.Errorf("%v: %v", tc.dt, err)
			continue
		}
		if end, err := w.Fill(rec, 0, 0); err != nil || end != int(rec.NumRows()) {
			t.Errorf("%v: filled to %d, %v", tc.dt, end, err)
			continue
		}
		c, err := NewColumn(w.types[0], memory.DefaultAllocator)
		if err != nil {
			t.Errorf("%v: %v", tc.dt, err)
			continue
		}
		data, err := c.Read(mapping.DataChunkGetVector(w.Chunk(), 0), int(mapping.DataChunkGetSize(w.Chunk()))) //nolint:gosec // few
		if err != nil {
			t.Errorf("%v: %v", tc.dt, err)
			continue
		}
		if got := fmt.Sprint(array.MakeFromData(data)); got != tc.want {
			t.Errorf("%v: %.200s, want %.200s", tc.dt, got, tc.want)
		}
		data.Release()
		c.Release()
		w.Close()
	}
}

// More rows than a vector holds go into several chunks.
func TestChunks(t *testing.T) {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	const rows = 5000
	for i := range rows {
		b.Append(int64(i))
	}
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{b.NewArray()}, rows)
	w, err := NewWriter(rec.Schema())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	next, chunks := int64(0), 0
	for start := 0; start < rows; chunks++ {
		end, err := w.Fill(rec, start, 0)
		if err != nil {
			t.Fatal(err)
		}
		Each(mapping.DataChunkGetVector(w.Chunk(), 0), end-start, func(i int, x int64) {
			if x != next || i != int(next)-start {
				t.Fatalf("value %d of the chunk from %d on is %d, want %d", i, start, x, next)
			}
			next++
		})
		start = end
	}
	if next != rows || chunks != 3 {
		t.Errorf("%d rows in %d chunks, want %d in 3", next, chunks, rows)
	}
}

func TestWhatIsNotWritten(t *testing.T) {
	for _, tc := range []struct {
		why    string
		column arrow.Array
		code   errcode.Code
		says   string
	}{
		{"a type that none keeps", arrayOf(t, arrow.ListOf(arrow.PrimitiveTypes.Int64), `[[1]]`), errcode.Unimplemented, `column 2 ("b"): unsupported Arrow type list`},
		{"an instant with nanoseconds", arrayOf(t, &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, `["1970-01-01 00:00:00.000000001Z"]`), errcode.InvalidArgument, `column 2 ("b"), rows from 8 on: a timestamp with nanoseconds`},
		{"bytes that are no text", func() arrow.Array {
			b := array.NewStringBuilder(memory.DefaultAllocator)
			b.Append("caf\xe9")
			return b.NewArray()
		}(), errcode.InvalidArgument, "expected UTF-8 text"},
	} {
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: tc.column.DataType()}}, nil), []arrow.Array{arrayOf(t, arrow.PrimitiveTypes.Int64, "[1]"), tc.column}, 1)
		w, err := NewWriter(rec.Schema())
		if err == nil {
			_, err = w.Fill(rec, 0, 7)
			w.Close()
		}
		if errcode.Of(err) != tc.code || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %v and %q", tc.why, err, tc.code, tc.says)
		}
	}
	unknown := mapping.CreateLogicalType(mapping.TypeAny)
	defer mapping.DestroyLogicalType(&unknown)
	if _, err := NewColumn(unknown, memory.DefaultAllocator); errcode.Of(err) != errcode.Unimplemented {
		t.Errorf("a type that is not read: %v", err)
	}
}

// A function sees its arguments and fills its result in the engine's memory.
func TestFunctions(t *testing.T) {
	const n = 3
	vectorOf := func(dt arrow.DataType, values string) mapping.Vector {
		a := arrayOf(t, dt, values)
		w, err := NewWriter(arrow.NewSchema([]arrow.Field{{Name: "a", Type: dt}}, nil))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		if _, err := w.Fill(array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "a", Type: dt}}, nil), []arrow.Array{a}, n), 0, 0); err != nil {
			t.Fatal(err)
		}
		return mapping.DataChunkGetVector(w.Chunk(), 0)
	}
	texts := Argument(columnar.VARCHAR, vectorOf(arrow.BinaryTypes.String, `["a", null, "more than 12 bytes"]`), n, &Scratch{})
	numbers := Argument(columnar.BIGINT, vectorOf(arrow.PrimitiveTypes.Int64, `[1, 2, 3]`), n, &Scratch{})
	if fmt.Sprintf("%q %v %v %v", texts.Texts, texts.Nulls, numbers.Ints, numbers.Nulls) != `["a" "" "more than 12 bytes"] [false true false] [1 2 3] [false false false]` {
		t.Errorf("arguments: %q %v, %v %v", texts.Texts, texts.Nulls, numbers.Ints, numbers.Nulls)
	}
	for _, tc := range []struct {
		t    columnar.Type
		dt   arrow.DataType
		fill func(out *columnar.Column)
		want string
	}{
		{columnar.BIGINT, arrow.PrimitiveTypes.Int64, func(out *columnar.Column) { copy(out.Ints, []int64{7, 8, 9}); out.SetNull(1) }, "[7 (null) 9]"},
		{columnar.DOUBLE, arrow.PrimitiveTypes.Float64, func(out *columnar.Column) { copy(out.Floats, []float64{0.5, 1, 2}) }, "[0.5 1 2]"},
		{columnar.BOOLEAN, arrow.FixedWidthTypes.Boolean, func(out *columnar.Column) { copy(out.Bools, []bool{true, false, true}) }, "[true false true]"},
		{columnar.VARCHAR, arrow.BinaryTypes.String, func(out *columnar.Column) {
			copy(out.Texts, []string{"b", "", "much more than 12 bytes"})
			out.SetNull(1)
		}, `["b" (null) "much more than 12 bytes"]`},
	} {
		v := vectorOf(tc.dt, `[null, null, null]`)
		mapping.VectorEnsureValidityWritable(v)
		for i := range mask(v, n) {
			mask(v, n)[i] = ^uint64(0)
		}
		out := Result(tc.t, v, n, &Scratch{})
		if tc.fill(&out); Store(v, &out) != nil {
			t.Fatal("not stored")
		}
		logical := mapping.VectorGetColumnType(v)
		c, err := NewColumn(logical, memory.DefaultAllocator)
		mapping.DestroyLogicalType(&logical)
		if err != nil {
			t.Fatal(err)
		}
		data, err := c.Read(v, n)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(array.MakeFromData(data)); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.dt, got, tc.want)
		}
	}
}

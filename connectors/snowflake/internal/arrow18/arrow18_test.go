package arrow18

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

// columnOf makes a column of values that Arrow's JSON writes.
func columnOf(t *testing.T, dt arrow.DataType, values string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(values))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Every type that Snowflake sends has the same values in the other version, also behind an offset.
func TestTakeOver(t *testing.T) {
	for _, tc := range []struct {
		dt     arrow.DataType
		values string
		want   string // from the second value on, as the other version prints it
	}{
		{arrow.Null, `[null, null, null]`, "[(null) (null)]"},
		{arrow.FixedWidthTypes.Boolean, `[true, false, null, true]`, "[false (null) true]"},
		{arrow.PrimitiveTypes.Int8, `[1, -128, null]`, "[-128 (null)]"},
		{arrow.PrimitiveTypes.Int16, `[1, -32768, null]`, "[-32768 (null)]"},
		{arrow.PrimitiveTypes.Int32, `[1, 2147483647]`, "[2147483647]"},
		{arrow.PrimitiveTypes.Int64, `[1, 4503599627370497, null]`, "[4503599627370497 (null)]"},
		{arrow.PrimitiveTypes.Float32, `[1, 0.5]`, "[0.5]"},
		{arrow.PrimitiveTypes.Float64, `[1, 0.1, null]`, "[0.1 (null)]"},
		{arrow.BinaryTypes.String, `["a", "日本 🦡", "", null]`, `["日本 🦡" "" (null)]`},
		{arrow.BinaryTypes.Binary, `["AA==", "AP8=", null]`, `["\x00\xff" (null)]`},
		{arrow.FixedWidthTypes.Date32, `[0, "2024-02-29", null]`, "[19782 (null)]"},
		{arrow.FixedWidthTypes.Time64ns, `["00:00:00", "23:59:59.123456789"]`, "[86399123456789]"},
		{&arrow.Decimal128Type{Precision: 38, Scale: 2}, `["0.00", "-999999999999999999999999999999999999.99", null]`, "[{17759344522308878337 -5421010862427522171} (null)]"}, // 0xf675ddc000000001 and ^0x4b3b4ca85a86c47a, for 10^38-1 is 0x4b3b4ca85a86c47a098a223fffffffff
		{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `["AAA=", "AQI="]`, `["\x01\x02"]`},
		{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), `[[0, 1], [1.5, 2], null]`, "[[1.5 2] (null)]"},
		{arrow.StructOf(arrow.Field{Name: "epoch", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "fraction", Type: arrow.PrimitiveTypes.Int32}), `[{"epoch": 0, "fraction": 0}, {"epoch": -1, "fraction": 999999999}]`, "{[-1] [999999999]}"},
	} {
		column := columnOf(t, tc.dt, tc.values)
		md := arrow.NewMetadata([]string{"logicalType", "scale"}, []string{"FIXED", "2"})
		whole := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "C", Type: tc.dt, Nullable: true, Metadata: md}}, nil), []arrow.Array{column}, int64(column.Len()))
		rec, err := TakeOver(whole.NewSlice(1, whole.NumRows()))
		if err != nil {
			t.Errorf("%v: %v", tc.dt, err)
			continue
		}
		if got := fmt.Sprint(rec.Column(0)); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.dt, got, tc.want)
		}
		f := rec.Schema().Field(0)
		if scale, _ := f.Metadata.GetValue("scale"); f.Name != "C" || !f.Nullable || scale != "2" || f.Type.String() != tc.dt.String() {
			t.Errorf("%v: the field is %v", tc.dt, f)
		}
		rec.Release()
	}
}

// A type that Snowflake does not send is refused, wherever it stands.
func TestTypesThatAreNotKnown(t *testing.T) {
	for _, dt := range []arrow.DataType{
		arrow.PrimitiveTypes.Uint64, arrow.ListOf(arrow.PrimitiveTypes.Int64), arrow.FixedSizeListOf(1, arrow.PrimitiveTypes.Uint8), arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Date64}),
	} {
		rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "A", Type: arrow.PrimitiveTypes.Int64}, {Name: "B", Type: dt}}, nil), []arrow.Array{columnOf(t, arrow.PrimitiveTypes.Int64, "[1]"), array.MakeArrayOfNull(memory.DefaultAllocator, dt, 1)}, 1)
		if _, err := TakeOver(rec); errcode.Of(err) != errcode.Unimplemented || !strings.Contains(err.Error(), `column 2 ("B"): `) || !strings.Contains(err.Error(), "cast the column to VARCHAR") {
			t.Errorf("%v: %v", dt, err)
		}
	}
}

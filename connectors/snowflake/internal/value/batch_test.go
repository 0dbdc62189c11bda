package value

import (
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

// sent is a batch of one column as Snowflake sends it.
func sent(t *testing.T, dt arrow.DataType, scale, values string) arrow.Record {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(values))
	if err != nil {
		t.Fatal(dt, err)
	}
	f := arrow.Field{Name: "C", Type: dt, Nullable: true}
	if scale != "" {
		f.Metadata = arrow.NewMetadata([]string{"scale"}, []string{scale})
	}
	return array.NewRecord(arrow.NewSchema([]arrow.Field{f}, nil), []arrow.Array{a}, int64(a.Len()))
}

func schemaOf(columns []Column) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i := range columns {
		fields[i] = columns[i].Field()
	}
	return arrow.NewSchema(fields, nil)
}

func epoch(fields ...string) arrow.DataType {
	types := map[string]arrow.DataType{"epoch": arrow.PrimitiveTypes.Int64, "fraction": arrow.PrimitiveTypes.Int32, "timezone": arrow.PrimitiveTypes.Int32}
	var out []arrow.Field
	for _, f := range fields {
		out = append(out, arrow.Field{Name: f, Type: types[f], Nullable: true})
	}
	return arrow.StructOf(out...)
}

// Every encoding of Snowflake's becomes the type that was announced, or a wider one where a value needs
// it.
func TestDecode(t *testing.T) {
	for _, tc := range []struct {
		why    string
		column Column
		dt     arrow.DataType
		scale  string
		values string
		want   string // type and values of each record
		code   errcode.Code
	}{
		{"integers of 8 bits", Column{Kind: "FIXED", Precision: 38}, arrow.PrimitiveTypes.Int8, "0", `[1, -128, null]`, "int64[1 -128 (null)]", 0},
		{"integers of 64 bits", Column{Kind: "FIXED", Precision: 38}, arrow.PrimitiveTypes.Int64, "0", `[4503599627370497]`, "int64[4503599627370497]", 0},
		{"128 bits that need no more than 64", Column{Kind: "FIXED", Precision: 38}, &arrow.Decimal128Type{Precision: 38}, "0", `["7", null]`, "int64[7 (null)]", 0},
		{"128 bits", Column{Kind: "FIXED", Precision: 38}, &arrow.Decimal128Type{Precision: 38}, "0", `["18446744073709551616"]`, "decimal(38, 0)[{0 1}]", 0},
		{"a decimal as integers", Column{Kind: "FIXED", Precision: 10, Scale: 2}, arrow.PrimitiveTypes.Int16, "2", `[1250, null]`, "decimal(10, 2)[{1250 0} (null)]", 0},
		{"texts", Column{Kind: "TEXT"}, arrow.BinaryTypes.String, "", `["a", null]`, `utf8["a" (null)]`, 0},
		{"JSON", Column{Kind: "VARIANT"}, arrow.BinaryTypes.String, "", `["{}"]`, `utf8["{}"]`, 0},
		{"times of day, in units of their scale", Column{Kind: "TIME"}, arrow.FixedWidthTypes.Time64ns, "6", `["00:00:00.000001500"]`, "time64[ns][1500000]", 0},
		{"times of day in nanoseconds", Column{Kind: "TIME"}, arrow.FixedWidthTypes.Time64ns, "", `["00:00:01"]`, "time64[ns][1000000000]", 0},
		{"timestamps as integers of their scale", Column{Kind: "TIMESTAMP_NTZ"}, arrow.PrimitiveTypes.Int64, "3", `[1500, -1, null]`, "timestamp[ns][1500000000 -1000000 (null)]", 0},
		{"timestamps as seconds and nanoseconds", Column{Kind: "TIMESTAMP_LTZ"}, epoch("epoch", "fraction"), "9", `[{"epoch": -1, "fraction": 999999999}, null]`, "timestamp[ns, tz=UTC][-1 (null)]", 0},
		{"with a zone, which does not matter", Column{Kind: "TIMESTAMP_TZ"}, epoch("epoch", "timezone"), "0", `[{"epoch": 1, "timezone": 2040}]`, "timestamp[ns, tz=UTC][1000000000]", 0},
		{"far years come in microseconds, in records of their own", Column{Kind: "TIMESTAMP_NTZ"}, epoch("epoch", "fraction"), "9", `[{"epoch": 1, "fraction": 1}, {"epoch": 253402300799, "fraction": 999999000}, {"epoch": 2, "fraction": 0}]`,
			"timestamp[ns][1000000001] timestamp[us][253402300799999999 2000000]", 0},
		{"far years with nanoseconds", Column{Kind: "TIMESTAMP_NTZ"}, epoch("epoch", "fraction"), "9", `[{"epoch": 1, "fraction": 1}, {"epoch": 253402300799, "fraction": 1}]`, "", errcode.Unimplemented},
		{"decimal floating-point numbers", Column{Kind: "DECFLOAT"}, arrow.StructOf(arrow.Field{Name: "exponent", Type: arrow.PrimitiveTypes.Int16}, arrow.Field{Name: "significand", Type: arrow.BinaryTypes.Binary}), "", `[{"exponent": -2, "significand": "/w=="}]`, `utf8["-1e-2"]`, 0},
		{"numbers as texts", Column{Kind: "FIXED", Precision: 38}, arrow.BinaryTypes.String, "0", `["1"]`, "", errcode.Unimplemented},
		{"texts as numbers", Column{Kind: "TEXT"}, arrow.PrimitiveTypes.Int64, "", `[1]`, "", errcode.Unimplemented},
		{"timestamps as texts", Column{Kind: "TIMESTAMP_NTZ"}, arrow.BinaryTypes.String, "9", `["x"]`, "", errcode.Unimplemented},
	} {
		columns := []Column{tc.column}
		columns[0].Name, columns[0].Nullable = "C", true
		records, err := Decode(memory.DefaultAllocator, sent(t, tc.dt, tc.scale, tc.values), columns, schemaOf(columns))
		if errcode.Of(err) != tc.code || err != nil && (!strings.Contains(err.Error(), `column 1 ("C")`) || !strings.Contains(err.Error(), "VARCHAR")) {
			t.Errorf("%s: %v, want %v, the column and what helps", tc.why, err, tc.code)
			continue
		}
		var got []string
		for _, rec := range records {
			got = append(got, fmt.Sprintf("%v%v", rec.Schema().Field(0).Type, rec.Column(0)))
			rec.Release()
		}
		if text := strings.Join(got, " "); text != tc.want {
			t.Errorf("%s: %s, want %s", tc.why, text, tc.want)
		}
	}
	one := []Column{{Name: "A", Kind: "TEXT"}, {Name: "B", Kind: "TEXT"}}
	if _, err := Decode(memory.DefaultAllocator, sent(t, arrow.BinaryTypes.String, "", `["a"]`), one, schemaOf(one)); errcode.Of(err) != errcode.DataLoss {
		t.Errorf("a column that is missing: %v", err)
	}
	fixed := []Column{{Name: "A", Kind: "DECFLOAT"}}
	if _, err := Decode(memory.DefaultAllocator, panicking{sent(t, arrow.BinaryTypes.String, "", `["a"]`)}, fixed, schemaOf(fixed)); !errors.Is(err, ErrDamaged) {
		t.Errorf("bytes that are no Arrow: %v", err)
	}
}

// panicking is a record whose columns cannot be read.
type panicking struct{ arrow.Record }

func (panicking) Column(int) arrow.Array { panic("no Arrow") }

// Rows that the driver has as values are read like batches.
func TestFromRows(t *testing.T) {
	at := time.Date(2024, 2, 29, 1, 2, 3, 4, time.UTC)
	number := func(text string) *big.Float {
		f, _, err := big.ParseFloat(text, 10, 127, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, tc := range []struct {
		why    string
		column Column
		cells  []sqldriver.Value
		want   string
		code   errcode.Code
	}{
		{"integers in all forms", Column{Kind: "FIXED", Precision: 38}, []sqldriver.Value{"1", int64(2), big.NewInt(3), nil}, "int64[1 2 3 (null)]", 0},
		{"a wide integer", Column{Kind: "FIXED", Precision: 38}, []sqldriver.Value{"18446744073709551616"}, "decimal(38, 0)[{0 1}]", 0},
		{"decimals", Column{Kind: "FIXED", Precision: 10, Scale: 2}, []sqldriver.Value{"12.50", number("0.25")}, "decimal(10, 2)[{1250 0} {25 0}]", 0},
		{"more digits than the driver keeps", Column{Kind: "FIXED", Precision: 38, Scale: 2}, []sqldriver.Value{strings.Repeat("9", 36) + ".99"}, "", errcode.Unimplemented},
		{"no number", Column{Kind: "FIXED", Precision: 38}, []sqldriver.Value{true}, "", errcode.Unimplemented},
		{"texts", Column{Kind: "TEXT"}, []sqldriver.Value{"a", nil, ""}, `utf8["a" (null) ""]`, 0},
		{"doubles", Column{Kind: "REAL"}, []sqldriver.Value{0.5, "0.25"}, "float64[0.5 0.25]", 0},
		{"truth values", Column{Kind: "BOOLEAN"}, []sqldriver.Value{true, "false"}, "bool[true false]", 0},
		{"bytes", Column{Kind: "BINARY"}, []sqldriver.Value{[]byte{0, 255}}, `binary["\x00\xff"]`, 0},
		{"dates", Column{Kind: "DATE"}, []sqldriver.Value{at}, "date32[19782]", 0},
		{"timestamps", Column{Kind: "TIMESTAMP_TZ"}, []sqldriver.Value{at, nil}, "timestamp[ns, tz=UTC][1709168523000000004 (null)]", 0},
		{"a fraction before 1970 in JSON, which the driver gets wrong", Column{Kind: "TIMESTAMP_NTZ", JSON: true}, []sqldriver.Value{time.Unix(-5, 1)}, "", errcode.Unimplemented},
		{"a text that is no timestamp", Column{Kind: "TIMESTAMP_NTZ"}, []sqldriver.Value{"soon"}, "", errcode.Unimplemented},
	} {
		columns := []Column{tc.column}
		columns[0].Name = "C"
		rec, err := FromRows(memory.DefaultAllocator, columns, [][]sqldriver.Value{tc.cells})
		var records []arrow.Record
		if err == nil {
			records, err = Decode(memory.DefaultAllocator, rec, columns, schemaOf(columns))
		}
		if errcode.Of(err) != tc.code {
			t.Errorf("%s: %v, want %v", tc.why, err, tc.code)
		}
		if err == nil {
			if got := fmt.Sprintf("%v%v", records[0].Schema().Field(0).Type, records[0].Column(0)); got != tc.want {
				t.Errorf("%s: %s, want %s", tc.why, got, tc.want)
			}
		}
	}
}

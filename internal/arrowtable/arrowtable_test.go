package arrowtable_test

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// checked fails the test unless all memory is returned.
func checked(t testing.TB) memory.Allocator {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() {
		if n := mem.CurrentAlloc(); n != 0 {
			t.Errorf("%d bytes are still held", n)
		}
	})
	return mem
}

// read converts arrays, each a batch of one column.
func read(t *testing.T, f arrow.Field, limits arrowtable.Limits, arrays ...arrow.Array) (*scoring.Table, error) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{f}, nil)
	a := arrowtable.NewAccumulator(schema, limits)
	for _, arr := range arrays {
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: f.Name, Type: arr.DataType(), Nullable: true}}, nil), []arrow.Array{arr}, int64(arr.Len()))
		err := a.Append(rec)
		rec.Release()
		arr.Release()
		if err != nil {
			return nil, err
		}
	}
	return a.Table()
}

func texts(t *scoring.Table, col int) string {
	var s []string
	for i := range t.Rows() {
		s = append(s, t.Columns[col].Value(i).String())
	}
	return strings.Join(s, "|")
}

type build func(b array.Builder)

func each[B array.Builder, V any](add func(B, V), values ...V) build {
	return func(b array.Builder) {
		for _, v := range values {
			add(b.(B), v)
		}
		b.AppendNull()
	}
}

var kept = strings.Repeat("9", 38)

var typeCases = []struct {
	why   string
	typ   arrow.DataType
	ext   string
	build build
	want  scoring.Type
	text  string
}{
	{"booleans", arrow.FixedWidthTypes.Boolean, "", each((*array.BooleanBuilder).Append, true, false), scoring.Bool, "true|false|NULL"},
	{"the ends of int8", arrow.PrimitiveTypes.Int8, "", each((*array.Int8Builder).Append, math.MinInt8, math.MaxInt8), scoring.Int64, "-128|127|NULL"},
	{"the ends of int16", arrow.PrimitiveTypes.Int16, "", each((*array.Int16Builder).Append, math.MinInt16, math.MaxInt16), scoring.Int64, "-32768|32767|NULL"},
	{"the ends of int32", arrow.PrimitiveTypes.Int32, "", each((*array.Int32Builder).Append, math.MinInt32, math.MaxInt32), scoring.Int64, "-2147483648|2147483647|NULL"},
	{"the ends of int64", arrow.PrimitiveTypes.Int64, "", each((*array.Int64Builder).Append, math.MinInt64, math.MaxInt64), scoring.Int64, "-9223372036854775808|9223372036854775807|NULL"},
	{"uint8 is not signed", arrow.PrimitiveTypes.Uint8, "", each((*array.Uint8Builder).Append, 0, 255), scoring.Int64, "0|255|NULL"},
	{"uint16 is not signed", arrow.PrimitiveTypes.Uint16, "", each((*array.Uint16Builder).Append, 0, 65535), scoring.Int64, "0|65535|NULL"},
	{"uint32 is not signed", arrow.PrimitiveTypes.Uint32, "", each((*array.Uint32Builder).Append, 0, math.MaxUint32), scoring.Int64, "0|4294967295|NULL"},
	{"uint64 that fits", arrow.PrimitiveTypes.Uint64, "", each((*array.Uint64Builder).Append, 0, math.MaxInt64), scoring.Int64, "0|9223372036854775807|NULL"},
	{"uint64 beyond int64 is decimal", arrow.PrimitiveTypes.Uint64, "", each((*array.Uint64Builder).Append, 1, math.MaxUint64), scoring.Decimal, "1|18446744073709551615|NULL"},
	{"half floats as people wrote them", arrow.FixedWidthTypes.Float16, "", each((*array.Float16Builder).Append, float16.New(0.1), float16.New(65504), float16.New(-2.5)), scoring.Float64, "0.1|65504|-2.5|NULL"},
	{"floats as people wrote them", arrow.PrimitiveTypes.Float32, "", each((*array.Float32Builder).Append, 0.1, 16777216, 3.4028235e38, float32(math.NaN()), float32(math.Inf(-1))), scoring.Float64, "0.1|16777216|3.4028235e+38|NaN|-Infinity|NULL"},
	{"doubles", arrow.PrimitiveTypes.Float64, "", each((*array.Float64Builder).Append, 0.1, 5e-324, math.NaN(), math.Inf(1)), scoring.Float64, "0.1|5e-324|NaN|Infinity|NULL"},
	{"decimals of 64 bits", &arrow.Decimal128Type{Precision: 38, Scale: 2}, "", each((*array.Decimal128Builder).Append, decimal128.FromI64(-5), decimal128.FromI64(math.MaxInt64)), scoring.Decimal, "-0.05|92233720368547758.07|NULL"},
	{"decimals of 38 digits", &arrow.Decimal128Type{Precision: 38, Scale: 0}, "", each((*array.Decimal128Builder).Append, decimal128.GetMaxValue(38), decimal128.GetMaxValue(38).Negate()), scoring.Decimal, kept + "|-" + kept + "|NULL"},
	{"the lowest 128 bits", &arrow.Decimal128Type{Precision: 38, Scale: 0}, "", each((*array.Decimal128Builder).Append, decimal128.New(math.MinInt64, 0)), scoring.Decimal, "-170141183460469231731687303715884105728|NULL"},
	{"decimals of 76 digits", &arrow.Decimal256Type{Precision: 76, Scale: 38}, "", each((*array.Decimal256Builder).Append, decimal256.GetMaxValue(76), decimal256.FromI64(-1)), scoring.Decimal, kept + "." + kept + "|-0." + strings.Repeat("0", 37) + "1|NULL"},
	{"text with emoji and NUL", arrow.BinaryTypes.String, "", each((*array.StringBuilder).Append, "añ😀", "", "\x00"), scoring.String, "añ😀||\x00|NULL"},
	{"large text", arrow.BinaryTypes.LargeString, "", each((*array.LargeStringBuilder).Append, "añ😀", ""), scoring.String, "añ😀||NULL"},
	{"text views, inlined and not", arrow.BinaryTypes.StringView, "", each((*array.StringViewBuilder).Append, "short", "longer than twelve bytes"), scoring.String, "short|longer than twelve bytes|NULL"},
	{"bytes", arrow.BinaryTypes.Binary, "", each((*array.BinaryBuilder).Append, []byte{0, 255}, []byte{}), scoring.Bytes, "00ff||NULL"},
	{"large bytes", arrow.BinaryTypes.LargeBinary, "", each((*array.BinaryBuilder).Append, []byte{0, 255}), scoring.Bytes, "00ff|NULL"},
	{"byte views", arrow.BinaryTypes.BinaryView, "", each((*array.BinaryViewBuilder).Append, []byte{0, 255}), scoring.Bytes, "00ff|NULL"},
	{"bytes of fixed size", &arrow.FixedSizeBinaryType{ByteWidth: 2}, "", each((*array.FixedSizeBinaryBuilder).Append, []byte{0, 255}), scoring.Bytes, "00ff|NULL"},
	{"days", arrow.FixedWidthTypes.Date32, "", each((*array.Date32Builder).Append, 0, -1, 19782), scoring.Date, "1970-01-01|1969-12-31|2024-02-29|NULL"},
	{"days in milliseconds", arrow.FixedWidthTypes.Date64, "", each((*array.Date64Builder).Append, -86400000, 86400000), scoring.Date, "1969-12-31|1970-01-02|NULL"},
	{"times in seconds", arrow.FixedWidthTypes.Time32s, "", each((*array.Time32Builder).Append, 0, 86399), scoring.Time, "00:00:00|23:59:59|NULL"},
	{"times in milliseconds", arrow.FixedWidthTypes.Time32ms, "", each((*array.Time32Builder).Append, 1, 86399999), scoring.Time, "00:00:00.001|23:59:59.999|NULL"},
	{"times in microseconds", arrow.FixedWidthTypes.Time64us, "", each((*array.Time64Builder).Append, 1), scoring.Time, "00:00:00.000001|NULL"},
	{"times in nanoseconds", arrow.FixedWidthTypes.Time64ns, "", each((*array.Time64Builder).Append, 86399999999999), scoring.Time, "23:59:59.999999999|NULL"},
	{"timestamps in seconds", &arrow.TimestampType{Unit: arrow.Second}, "", each((*array.TimestampBuilder).Append, -1, 0), scoring.Timestamp, "1969-12-31 23:59:59|1970-01-01 00:00:00|NULL"},
	{"timestamps in milliseconds before 1970", &arrow.TimestampType{Unit: arrow.Millisecond}, "", each((*array.TimestampBuilder).Append, -1), scoring.Timestamp, "1969-12-31 23:59:59.999|NULL"},
	{"timestamps in microseconds", &arrow.TimestampType{Unit: arrow.Microsecond}, "", each((*array.TimestampBuilder).Append, 1709251199999999), scoring.Timestamp, "2024-02-29 23:59:59.999999|NULL"},
	{"the ends of nanoseconds", &arrow.TimestampType{Unit: arrow.Nanosecond}, "", each((*array.TimestampBuilder).Append, math.MaxInt64, math.MinInt64), scoring.Timestamp, "2262-04-11 23:47:16.854775807|1677-09-21 00:12:43.145224192|NULL"},
	{"a zone makes it an instant", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"}, "", each((*array.TimestampBuilder).Append, 0), scoring.TimestampTZ, "1970-01-01 00:00:00Z|NULL"},
	{"durations", arrow.FixedWidthTypes.Duration_ms, "", each((*array.DurationBuilder).Append, 93784500, -1500), scoring.String, "26:03:04.5|-00:00:01.5|NULL"},
	{"intervals of months", arrow.FixedWidthTypes.MonthInterval, "", each((*array.MonthIntervalBuilder).Append, 14, -1, 0), scoring.String, "1 year 2 months|-1 months|00:00:00|NULL"},
	{"intervals of days and milliseconds", arrow.FixedWidthTypes.DayTimeInterval, "", each((*array.DayTimeIntervalBuilder).Append, arrow.DayTimeInterval{Days: 1, Milliseconds: -1}), scoring.String, "1 day -00:00:00.001|NULL"},
	{"intervals of months, days and nanoseconds", arrow.FixedWidthTypes.MonthDayNanoInterval, "", each((*array.MonthDayNanoIntervalBuilder).Append, arrow.MonthDayNanoInterval{Months: 14, Days: 3, Nanoseconds: 14706700000001}), scoring.String, "1 year 2 months 3 days 04:05:06.700000001|NULL"},
	{"nothing but NULL", arrow.Null, "", func(b array.Builder) { b.AppendNull(); b.AppendNull() }, scoring.Null, "NULL|NULL"},
	{"JSON by its mark", arrow.BinaryTypes.String, "arrow.json", each((*array.StringBuilder).Append, `{"a": 1}`), scoring.JSON, `{"a": 1}|NULL`},
	{"UUIDs by their mark", &arrow.FixedSizeBinaryType{ByteWidth: 16}, "arrow.uuid", each((*array.FixedSizeBinaryBuilder).Append, []byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff")), scoring.String, "00112233-4455-6677-8899-aabbccddeeff|NULL"},
	{"booleans of a byte by their mark", arrow.PrimitiveTypes.Int8, "arrow.bool8", each((*array.Int8Builder).Append, 0, 3), scoring.Bool, "false|true|NULL"},
	{"Parquet's intervals by their mark", &arrow.FixedSizeBinaryType{ByteWidth: 12}, "badger.interval", each((*array.FixedSizeBinaryBuilder).Append, []byte{14, 0, 0, 0, 3, 0, 0, 0, 0xdc, 5, 0, 0}), scoring.String, "1 year 2 months 3 days 00:00:01.5|NULL"},
	{"decimals of any length by their mark", arrow.BinaryTypes.String, "badger.decimal", each((*array.StringBuilder).Append, kept+kept+kept+".5", "1"), scoring.Decimal, kept + kept + kept + ".5|1.0|NULL"},
}

func TestEveryType(t *testing.T) {
	for _, tc := range typeCases {
		t.Run(tc.why, func(t *testing.T) {
			mem := checked(t)
			b := array.NewBuilder(mem, tc.typ)
			defer b.Release()
			tc.build(b)
			f := arrow.Field{Name: "c", Type: tc.typ, Nullable: true}
			if tc.ext != "" {
				f.Metadata = arrow.NewMetadata([]string{arrowtable.ExtensionKey}, []string{tc.ext})
			}
			got, err := read(t, f, arrowtable.Limits{}, b.NewArray())
			if err != nil {
				t.Fatal(err)
			}
			if s := texts(got, 0); s != tc.text || got.Columns[0].Type != tc.want {
				t.Errorf("got  %v %s\nwant %v %s", got.Columns[0].Type, s, tc.want, tc.text)
			}
		})
	}
}

// An empty result still has types.
func TestNoRows(t *testing.T) {
	for _, tc := range typeCases {
		b := array.NewBuilder(checked(t), tc.typ)
		f := arrow.Field{Name: "c", Type: tc.typ}
		if tc.ext != "" {
			f.Metadata = arrow.NewMetadata([]string{arrowtable.ExtensionKey}, []string{tc.ext})
		}
		got, err := read(t, f, arrowtable.Limits{}, b.NewArray())
		b.Release()
		want := tc.want
		if tc.typ.ID() == arrow.UINT64 {
			want = scoring.Int64 // decimal only for the values' sake
		}
		if err != nil || got.Rows() != 0 || got.Columns[0].Type != want {
			t.Errorf("%s: %v, %v, want no rows of type %v", tc.why, got, err, want)
		}
	}
}

func TestNestedValuesAreJSON(t *testing.T) {
	for _, tc := range []struct {
		why  string
		typ  arrow.DataType
		json string
		want string
	}{
		{"list", arrow.ListOf(arrow.PrimitiveTypes.Int64), `[[1,null,9007199254740991],[],null]`, `[1,null,9007199254740991]|[]|NULL`},
		{"list of fixed size", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int8), `[[1,2],[3,4]]`, `[1,2]|[3,4]`},
		{"large list", arrow.LargeListOf(arrow.BinaryTypes.String), `[["a\"b"]]`, `["a\"b"]`},
		{"list view", arrow.ListViewOf(arrow.PrimitiveTypes.Int64), `[[1,2],null]`, `[1,2]|NULL`},
		{"struct", arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arrow.Field{Name: "ü", Type: arrow.BinaryTypes.String, Nullable: true}), `[{"a":1,"ü":"x"},{"a":null,"ü":null},null]`, `{"a":1,"ü":"x"}|{"a":null,"ü":null}|NULL`},
		{"decimals keep their digits", arrow.ListOf(&arrow.Decimal128Type{Precision: 38, Scale: 3}), `[["12345678901234567890.120"]]`, `[12345678901234567890.120]`},
		{"dates and times are text", arrow.ListOf(arrow.FixedWidthTypes.Date32), `[["2024-02-29"]]`, `["2024-02-29"]`},
		{"map with text keys", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), `[[{"key":"k","value":1},{"key":"l","value":null}]]`, `{"k":1,"l":null}`},
		{"map with number keys", arrow.MapOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String), `[[{"key":1,"value":"x"}]]`, `{"1":"x"}`},
		{"nested twice", arrow.ListOf(arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64)})), `[[{"l":[1.5,0.1]}]]`, `[{"l":[1.5,0.1]}]`},
	} {
		t.Run(tc.why, func(t *testing.T) {
			mem := checked(t)
			arr, _, err := array.FromJSON(mem, tc.typ, strings.NewReader(tc.json))
			if err != nil {
				t.Fatal(err)
			}
			got, err := read(t, arrow.Field{Name: "c", Type: tc.typ}, arrowtable.Limits{}, arr)
			if err != nil {
				t.Fatal(err)
			}
			if s := texts(got, 0); s != tc.want || got.Columns[0].Type != scoring.JSON {
				t.Errorf("got  %v %s\nwant JSON %s", got.Columns[0].Type, s, tc.want)
			}
		})
	}
}

func TestNotANumberInsideAList(t *testing.T) {
	mem := checked(t)
	b := array.NewListBuilder(mem, arrow.PrimitiveTypes.Float64)
	defer b.Release()
	b.Append(true)
	b.ValueBuilder().(*array.Float64Builder).AppendValues([]float64{math.NaN(), math.Inf(-1)}, nil)
	got, err := read(t, arrow.Field{Name: "c", Type: b.Type()}, arrowtable.Limits{}, b.NewArray())
	if err != nil || texts(got, 0) != `["NaN","-Infinity"]` {
		t.Errorf("got %v, %v: JSON has no such numbers, they must be text", got, err)
	}
}

func TestEncodings(t *testing.T) {
	mem := checked(t)
	dict := array.NewBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	defer dict.Release()
	for _, s := range []string{"red", "green", "red"} {
		if err := dict.AppendString(s); err != nil {
			t.Fatal(err)
		}
	}
	dict.AppendNull()
	got, err := read(t, arrow.Field{Name: "c", Type: dict.Type()}, arrowtable.Limits{}, dict.NewArray())
	if err != nil || texts(got, 0) != "red|green|red|NULL" || got.Columns[0].Type != scoring.String {
		t.Errorf("dictionary: %v, %v", got, err)
	}
	runs := array.NewRunEndEncodedBuilder(mem, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64)
	defer runs.Release()
	runs.Append(2)
	runs.ValueBuilder().(*array.Int64Builder).Append(7)
	runs.Append(1)
	runs.ValueBuilder().AppendNull()
	got, err = read(t, arrow.Field{Name: "c", Type: runs.Type()}, arrowtable.Limits{}, runs.NewArray())
	if err != nil || texts(got, 0) != "7|7|NULL" || got.Columns[0].Type != scoring.Int64 {
		t.Errorf("run-end encoded: %v, %v", got, err)
	}
	union := array.NewDenseUnionBuilder(mem, arrow.DenseUnionOf([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, []arrow.UnionTypeCode{5, 9}))
	defer union.Release()
	union.Append(9)
	union.Child(1).(*array.StringBuilder).Append("x")
	union.Append(5)
	union.Child(0).(*array.Int64Builder).Append(3)
	union.Append(5)
	union.Child(0).AppendNull()
	got, err = read(t, arrow.Field{Name: "c", Type: union.Type()}, arrowtable.Limits{}, union.NewArray())
	if err != nil || texts(got, 0) != "x|3|NULL" || got.Columns[0].Type != scoring.Any || got.Columns[0].Value(1).Type != scoring.Int64 {
		t.Errorf("union: %v, %v", got, err)
	}
}

// Warehouses that pick the narrowest integer for each batch must not break the column.
func TestBatchesOfDifferentWidth(t *testing.T) {
	mem := checked(t)
	a, b := array.NewInt8Builder(mem), array.NewInt64Builder(mem)
	defer a.Release()
	defer b.Release()
	a.Append(1)
	b.Append(math.MaxInt64)
	got, err := read(t, arrow.Field{Name: "c", Type: arrow.PrimitiveTypes.Int64}, arrowtable.Limits{}, a.NewArray(), b.NewArray())
	if err != nil || texts(got, 0) != "1|9223372036854775807" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestColumnNamesMayRepeatOrBeEmpty(t *testing.T) {
	mem := checked(t)
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	for i := range 3 {
		b.Field(i).(*array.Int64Builder).Append(int64(i))
	}
	rec := b.NewRecord()
	defer rec.Release()
	got, err := arrowtable.FromRecord(rec)
	if err != nil || len(got.Columns) != 3 || got.Columns[1].Name != "a" || got.Columns[2].Name != "" || got.Columns[1].Value(0).Int() != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestNoColumnsStillHaveRows(t *testing.T) {
	rec := array.NewRecord(arrow.NewSchema(nil, nil), nil, 3)
	defer rec.Release()
	got, err := arrowtable.FromRecord(rec)
	if err != nil || got.Rows() != 3 {
		t.Errorf("%v, %v, want 3 rows without columns", got, err)
	}
}

func TestLimits(t *testing.T) {
	mem := checked(t)
	ints := func(n int) arrow.Array {
		b := array.NewInt64Builder(mem)
		defer b.Release()
		b.AppendValues(make([]int64, n), nil)
		return b.NewArray()
	}
	dict := func() arrow.Array { // 1000 references to one word of 1 MB
		b := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
		defer b.Release()
		for range 1000 {
			if err := b.AppendString(strings.Repeat("x", 1<<20)); err != nil {
				t.Fatal(err)
			}
		}
		return b.NewArray()
	}
	for _, tc := range []struct {
		why    string
		limits arrowtable.Limits
		arrays func() []arrow.Array
		want   errcode.Code
	}{
		{"exactly as many rows as allowed", arrowtable.Limits{Rows: 6}, func() []arrow.Array { return []arrow.Array{ints(3), ints(3)} }, errcode.OK},
		{"one row more", arrowtable.Limits{Rows: 5}, func() []arrow.Array { return []arrow.Array{ints(3), ints(3)} }, errcode.ResourceExhausted},
		{"as many bytes as allowed", arrowtable.Limits{Bytes: 8 * 8}, func() []arrow.Array { return []arrow.Array{ints(8)} }, errcode.OK},
		{"one byte less", arrowtable.Limits{Bytes: 8*8 - 1}, func() []arrow.Array { return []arrow.Array{ints(8)} }, errcode.ResourceExhausted},
		{"a dictionary that unfolds to more than is allowed", arrowtable.Limits{Bytes: 1 << 24}, func() []arrow.Array { return []arrow.Array{dict()} }, errcode.ResourceExhausted},
		{"more NULLs than rows are allowed", arrowtable.Limits{Rows: 1 << 20}, func() []arrow.Array { return []arrow.Array{array.NewNull(1 << 40)} }, errcode.ResourceExhausted},
	} {
		arrays := tc.arrays()
		_, err := read(t, arrow.Field{Name: "c", Type: arrays[0].DataType()}, tc.limits, arrays...)
		if errcode.Of(err) != tc.want {
			t.Errorf("%s: %v, want %v", tc.why, err, tc.want)
		}
	}
}

func TestMalformedDataIsAnError(t *testing.T) {
	text := memory.NewBufferBytes([]byte("abc"))
	offsets := func(o ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(o)) }
	for _, tc := range []struct {
		why  string
		data func() arrow.ArrayData
		want errcode.Code
		says string
	}{
		{"offsets beyond the text", func() arrow.ArrayData {
			return array.NewData(arrow.BinaryTypes.Binary, 2, []*memory.Buffer{nil, offsets(0, 2, 3), text}, nil, 0, 0)
		}, errcode.OK, ""},
		{"offsets that run backwards", func() arrow.ArrayData {
			return array.NewData(arrow.BinaryTypes.Binary, 2, []*memory.Buffer{nil, offsets(0, 3, 2), text}, nil, 0, 0)
		}, errcode.DataLoss, `column 1 ("c"), row 1`},
		{"text that is not UTF-8", func() arrow.ArrayData {
			return array.NewData(arrow.BinaryTypes.String, 3, []*memory.Buffer{nil, offsets(0, 1, 2, 3), memory.NewBufferBytes([]byte("a\xffb"))}, nil, 0, 0)
		}, errcode.InvalidArgument, `column 1 ("c"), row 2: expected UTF-8`},
		{"a character cut in two", func() arrow.ArrayData {
			return array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, offsets(0, 1, 2), memory.NewBufferBytes([]byte("é"))}, nil, 0, 0)
		}, errcode.InvalidArgument, `row 1: expected UTF-8`},
		{"an index beyond the dictionary", func() arrow.ArrayData {
			dict := array.NewData(arrow.PrimitiveTypes.Int64, 1, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 8))}, nil, 0, 0)
			return array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}, 2, []*memory.Buffer{nil, memory.NewBufferBytes([]byte{0, 7})}, 0, 0, dict)
		}, errcode.DataLoss, "row 2: malformed"},
		{"a list that reaches beyond its items", func() arrow.ArrayData {
			items := array.NewData(arrow.PrimitiveTypes.Int64, 1, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 8))}, nil, 0, 0)
			return array.NewData(arrow.ListOf(arrow.PrimitiveTypes.Int64), 1, []*memory.Buffer{nil, offsets(0, 9)}, []arrow.ArrayData{items}, 0, 0)
		}, errcode.DataLoss, "row 1: malformed"},
	} {
		_, err := read(t, arrow.Field{Name: "c", Type: arrow.Null}, arrowtable.Limits{}, array.MakeFromData(tc.data()))
		if errcode.Of(err) != tc.want || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %v and %q", tc.why, err, tc.want, tc.says)
		}
	}
}

// A number of too many digits was returned by a query that ran; what is no number was sent wrongly.
func TestDecimalsThatAreNotRead(t *testing.T) {
	for text, unread := range map[string]bool{strings.Repeat("9", scoring.MaxDecimalDigits) + "0": true, "-0." + strings.Repeat("0", scoring.MaxDecimalDigits) + "1": true, "nine": false, "": false} {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.Append(text)
		a := b.NewArray()
		schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{arrowtable.ExtensionDecimal})}}, nil)
		if _, err := arrowtable.FromRecord(array.NewRecord(schema, []arrow.Array{a}, 1)); err == nil || errcode.IsUnread(err) != unread {
			t.Errorf("%.20s: %v, want unread %v", text, err, unread)
		}
		a.Release()
		b.Release()
	}
}

// An engine without types of columns may return integers in one batch and doubles in the next. The column is one of
// doubles if no integer changes, as in a file of results.
func TestBatchesOfIntegersAndDoubles(t *testing.T) {
	mem := checked(t)
	ints := func(values ...int64) arrow.Array {
		b := array.NewInt64Builder(mem)
		defer b.Release()
		b.AppendValues(values, nil)
		b.AppendNull()
		return b.NewArray()
	}
	doubles := func(values ...float64) arrow.Array {
		b := array.NewFloat64Builder(mem)
		defer b.Release()
		b.AppendValues(values, nil)
		return b.NewArray()
	}
	const last = 1 << 53
	for _, tc := range []struct {
		why     string
		batches []arrow.Array
		want    scoring.Type
		text    string
	}{
		{"integers first", []arrow.Array{ints(last, -last), doubles(0.5)}, scoring.Float64, "9007199254740992|-9007199254740992|NULL|0.5"},
		{"doubles first", []arrow.Array{doubles(0.5), ints(last)}, scoring.Float64, "0.5|9007199254740992|NULL"},
		{"an integer that changes first", []arrow.Array{ints(last + 1), doubles(0.5)}, scoring.Any, "9007199254740993|NULL|0.5"},
		{"an integer that changes later", []arrow.Array{doubles(0.5), ints(1, -last-1)}, scoring.Any, "0.5|1|-9007199254740993|NULL"},
		{"integers alone", []arrow.Array{ints(1), ints(2)}, scoring.Int64, "1|NULL|2|NULL"},
	} {
		got, err := read(t, arrow.Field{Name: "c", Type: tc.batches[0].DataType()}, arrowtable.Limits{}, tc.batches...)
		if err != nil || texts(got, 0) != tc.text || got.Columns[0].Type != tc.want {
			t.Errorf("%s: %v %s, %v, want %v %s", tc.why, got.Columns[0].Type, texts(got, 0), err, tc.want, tc.text)
		}
	}
}

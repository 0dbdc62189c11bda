package driverbase_test

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

var (
	coarse = &driverbase.Notation{Infinity: "inf", Instant: "2006-01-02T15:04:05.999999Z", Clock: "2006-01-02 15:04:05.999999", Finest: time.Microsecond}
	fine   = &driverbase.Notation{Infinity: "Infinity", Instant: "2006-01-02 15:04:05.000000000+00:00", Clock: "2006-01-02 15:04:05.000000000", Finest: time.Nanosecond}
)

// one is an array of one value, written as JSON, or as JSON cannot.
func one(t *testing.T, typ arrow.DataType, v any) arrow.Array {
	t.Helper()
	b := array.NewBuilder(memory.NewGoAllocator(), typ)
	defer b.Release()
	switch b := b.(type) {
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.Float32Builder:
		b.Append(float32(v.(float64)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.(int)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(v.(int)))
	case *array.Time32Builder:
		b.Append(arrow.Time32(v.(int)))
	case *array.Date64Builder:
		b.Append(arrow.Date64(v.(int)))
	case *array.BinaryBuilder:
		b.Append([]byte(v.(string)))
	default:
		if err := b.AppendValueFromString(v.(string)); err != nil {
			t.Fatal(err)
		}
	}
	return b.NewArray()
}

func TestText(t *testing.T) {
	instant, clock := &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, &arrow.TimestampType{Unit: arrow.Second}
	for _, tc := range []struct {
		why          string
		typ          arrow.DataType
		value        any
		coarse, fine string // the text; behind "!", what the error says
	}{
		{"text", arrow.BinaryTypes.LargeString, "añ😀\x00", "añ😀\x00", ""},
		{"text that is not UTF-8", arrow.BinaryTypes.String, "secret\xff", "!expected text in UTF-8", ""},
		{"words of a dictionary", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, "x", "x", ""},
		{"the lowest integer", arrow.PrimitiveTypes.Int64, "-9223372036854775808", "-9223372036854775808", ""},
		{"the highest integer", arrow.PrimitiveTypes.Uint64, "18446744073709551615", "18446744073709551615", ""},
		{"a double with all its digits", arrow.PrimitiveTypes.Float64, 0.30000000000000004, "0.30000000000000004", ""},
		{"a float with its own digits", arrow.PrimitiveTypes.Float32, 0.1, "0.1", ""},
		{"no number", arrow.PrimitiveTypes.Float32, math.NaN(), "NaN", ""},
		{"infinite", arrow.PrimitiveTypes.Float64, math.Inf(1), "inf", "Infinity"},
		{"infinite below", arrow.PrimitiveTypes.Float32, math.Inf(-1), "-inf", "-Infinity"},
		{"bytes", arrow.BinaryTypes.Binary, "\x00\xff", "00ff", ""},
		{"a day", arrow.FixedWidthTypes.Date32, "0001-01-01", "0001-01-01", ""},
		{"milliseconds that are a day", arrow.FixedWidthTypes.Date64, -86_400_000, "1969-12-31", ""},
		{"milliseconds that are none", arrow.FixedWidthTypes.Date64, 1, "!a date with a time of day", ""},
		{"a time of day", arrow.FixedWidthTypes.Time32s, 86_399, "23:59:59", ""},
		{"microseconds of the day", arrow.FixedWidthTypes.Time64us, 1, "00:00:00.000001", ""},
		{"nanoseconds of the day", arrow.FixedWidthTypes.Time64ns, 1001, "!precision", "00:00:00.000001001"},
		{"24 hours", arrow.FixedWidthTypes.Time32ms, 86_400_000, "!a time of day", ""},
		{"a time before the day", arrow.FixedWidthTypes.Time64ns, -1, "!a time of day", ""},
		{"a moment before 1970", instant, -1000, "1969-12-31T23:59:59.999999Z", "1969-12-31 23:59:59.999999000+00:00"},
		{"a nanosecond before 1970", instant, -1, "!precision", "1969-12-31 23:59:59.999999999+00:00"},
		{"a wall clock", clock, 0, "1970-01-01 00:00:00", "1970-01-01 00:00:00.000000000"},
		{"the last second of 9999", clock, 253402300799, "9999-12-31 23:59:59", "9999-12-31 23:59:59.000000000"},
		{"the first of 10000", clock, 253402300800, "!outside the years", ""},
		{"the year 0", clock, -62135596801, "!outside the years", ""},
	} {
		arr := one(t, tc.typ, tc.value)
		for notation, want := range map[*driverbase.Notation]string{coarse: tc.coarse, fine: tc.fine} {
			if want == "" {
				want = tc.coarse
			}
			got, err := notation.Append([]byte("="), arr, 0)
			if says, fails := strings.CutPrefix(want, "!"); fails {
				if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
					t.Errorf("%s: %q, %v; want an error that says %q", tc.why, got, err, says)
				}
			} else if err != nil || string(got) != "="+want {
				t.Errorf("%s: %q, %v; want %q", tc.why, got, err, want)
			}
		}
	}
}

// A decimal's text is the rational number that it is.
func TestDecimalText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := new(big.Int)
		for range random.IntN(5) {
			n.Add(n.Lsh(n, 60), big.NewInt(random.Int64N(1<<60)))
		}
		if random.IntN(2) == 0 {
			n.Neg(n)
		}
		scale := int32(random.IntN(90) - 10)
		text := driverbase.DecimalText(n, scale)
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
		want := new(big.Rat).SetFrac(n, power)
		if scale < 0 {
			want = new(big.Rat).SetInt(power.Mul(power, n))
		}
		if got, ok := new(big.Rat).SetString(text); !ok || got.Cmp(want) != 0 || strings.ContainsAny(text, "e+/") {
			t.Fatalf("%v with %d places is written %s", n, scale, text)
		}
	}
	highest, _ := new(big.Int).SetString(strings.Repeat("9", 76), 10)
	arr := array.NewDecimal256Builder(memory.NewGoAllocator(), &arrow.Decimal256Type{Precision: 76, Scale: 38})
	arr.Append(decimal256.FromBigInt(highest.Neg(highest)))
	if got, err := coarse.Append(nil, arr.NewArray(), 0); err != nil || string(got) != "-"+strings.Repeat("9", 38)+"."+strings.Repeat("9", 38) {
		t.Errorf("the lowest decimal: %s, %v", got, err)
	}
}

func TestPieces(t *testing.T) {
	fields := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "n", Type: arrow.Null, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), fields)
	defer b.Release()
	var want [][]any
	var records []arrow.Record
	for _, words := range [][]string{{}, {"plain", `q"uote`, "back\\slash"}, {}, {"line\n\x00\u2028", "añ😀<&>", "", "NULL"}} {
		for _, w := range words {
			if w == "NULL" {
				b.Field(0).AppendNull()
				want = append(want, []any{nil, nil})
			} else {
				b.Field(0).(*array.StringBuilder).Append(w)
				want = append(want, []any{w, nil})
			}
			b.Field(1).AppendNull()
		}
		records = append(records, b.NewRecord())
	}
	for _, size := range []int{2, 20, 30, 1000} {
		r, err := array.NewRecordReader(fields, records)
		if err != nil {
			t.Fatal(err)
		}
		p, err := driverbase.NewPlan("engine", "t", fields, nil)
		if err != nil {
			t.Fatal(err)
		}
		pieces := driverbase.NewPieces(p, r, coarse)
		var got [][]any
		for {
			piece, err := pieces.Next(size)
			if err != nil {
				t.Fatal(err)
			}
			if pieces.Before() != int64(len(got)) {
				t.Errorf("pieces of %d: %d rows before, want %d", size, pieces.Before(), len(got))
			}
			if piece == "" {
				break
			}
			var rows [][]any
			if err := json.Unmarshal([]byte(piece), &rows); err != nil {
				t.Fatalf("%s: %v", piece, err)
			}
			got = append(got, rows...)
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) || p.Rows != int64(len(want)) || !pieces.Done() || !p.Nulls[0] || !p.Nulls[1] {
			t.Errorf("pieces of %d:\n%s, %d rows, NULL in %v\nwant\n%s", size, a, p.Rows, p.Nulls, b)
		}
	}
}

// PostgreSQL's reader took zeros behind the places, which change nothing, and signs there, which are
// wrong; Snowflake's refused both.
func TestUnscaled(t *testing.T) {
	for _, tc := range []struct {
		text  string
		scale int
		want  string // empty: none
	}{
		{"12.34", 2, "1234"}, {"-12.3", 2, "-1230"}, {"12", 3, "12000"}, {"-0.001", 3, "-1"}, {".5", 1, "5"}, {"0", 0, "0"}, {"12.", 0, "12"},
		{"1.2300", 2, "123"}, {"5.000", 0, "5"}, {"99999999999999999999999999999999999999.9", 1, "999999999999999999999999999999999999999"},
		{"1.234", 2, ""}, {".-5", 1, ""}, {"1.+5", 2, ""}, {"", 2, ""}, {"1.2.3", 3, ""}, {"NaN", 2, ""}, {"1e5", 2, ""}, {" 1", 2, ""},
	} {
		got, ok := driverbase.Unscaled(tc.text, tc.scale)
		if ok != (tc.want != "") || ok && got.String() != tc.want {
			t.Errorf("%q with %d places: %v, %v; want %q", tc.text, tc.scale, got, ok, tc.want)
		}
	}
}

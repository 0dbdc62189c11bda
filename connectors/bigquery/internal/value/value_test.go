package value

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

func TestTimestamps(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		want      int64
		ok        bool
	}{
		{"microseconds, as asked for", "1709251199999999", 1709251199999999, true},
		{"before 1970", "-1", -1, true},
		{"seconds as a decimal", "1709251199.999999", 1709251199999999, true},
		{"seconds in scientific notation, which a double would round", "1.709251199999999E9", 1709251199999999, true},
		{"the first and the last that BigQuery has", "-62135596800000000", -62135596800000000, true},
		{"ISO 8601", "2024-02-29T23:59:59.999999Z", 1709251199999999, true},
		{"with blanks and a zone", "2024-02-29 23:59:59.999999 UTC", 1709251199999999, true},
		{"a wall clock", "2024-02-29T23:59:59", 1709251199000000, true},
		{"an offset", "2024-03-01 00:59:59+01:00", 1709251199000000, true},
		{"nanoseconds do not fit", "2024-02-29T23:59:59.999999999Z", 0, false},
		{"nor seconds of more than six places", "1.5000001", 0, false},
		{"no time", "soon", 0, false},
		{"nothing", "", 0, false},
	} {
		if got, ok := timestamp(tc.text); ok != tc.ok || ok && got != tc.want {
			t.Errorf("%s: %d, %v, want %d, %v", tc.why, got, ok, tc.want, tc.ok)
		}
	}
}

func TestPlainDecimals(t *testing.T) {
	for _, tc := range []struct {
		why, text, want string
		ok              bool
	}{
		{"as it is", "-12.5", "-12.5", true},
		{"zeros at the end", "12.500000000", "12.5", true},
		{"an integer's zeros stay", "1200", "1200", true},
		{"nothing but zeros", "-0.000", "0", true},
		{"an exponent", "1.25E+3", "1250", true},
		{"a small one", "1e-38", "0." + strings.Repeat("0", 37) + "1", true},
		{"no number", "NaN", "", false},
		{"two points", "1.2.3", "", false},
		{"a huge exponent", "1e999999999", "", false},
		{"nothing", "", "", false},
	} {
		if got, ok := plainDecimal(tc.text); ok != tc.ok || got != tc.want {
			t.Errorf("%s: %q, %v, want %q, %v", tc.why, got, ok, tc.want, tc.ok)
		}
	}
}

func TestIntervals(t *testing.T) {
	for text, want := range map[string]string{
		"0-0 0 0:0:0": "00:00:00", "1-0 0 0:0:0": "1 year", "-1-2 0 0:0:0": "-1 years -2 months", "0-0 -1 0:0:0.5": "-1 days 00:00:00.5", "0-0 0 -1:02:3": "-01:02:03",
		"10000-0 3660000 87840000:0:0": "10000 years 3660000 days 87840000:00:00", "0-0 0 0:0:0.000000": "00:00:00", "x": "", "0-0 0 0:0": "", "0 0 0:0:0": "", "0-0 0 0:0:0.x": "",
	} {
		if got, ok := intervalText(text); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", text, got, ok, want)
		}
	}
}

// A decimal is written the same by the fast way and by arbitrary precision.
func FuzzDecimals(f *testing.F) {
	f.Add(int64(1234500), uint8(9))
	f.Add(int64(-5), uint8(3))
	f.Add(int64(0), uint8(9))
	f.Fuzz(func(t *testing.T, n int64, places uint8) {
		scale := int32(places % 39)
		if n == -n && n != 0 {
			return // the lowest integer goes the other way
		}
		want, ok := plainDecimal(driverbase.DecimalText(big.NewInt(n), scale))
		if got := string(appendDecimal(nil, n, scale)); !ok || got != want {
			t.Errorf("%d / 10^%d: %q, want %q", n, scale, got, want)
		}
		r, _ := new(big.Rat).SetString(want)
		if r.Cmp(new(big.Rat).SetFrac(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))) != 0 {
			t.Errorf("%d / 10^%d became %s", n, scale, want)
		}
	})
}

// Cells are bytes from outside: whatever they hold, they are a value of their type or an error.
func FuzzCells(f *testing.F) {
	types := []string{"STRING", "JSON", "INTERVAL", "BYTES", "INTEGER", "FLOAT", "BOOLEAN", "DATE", "TIME", "DATETIME", "TIMESTAMP", "NUMERIC", "BIGNUMERIC", "RANGE"}
	for i, s := range []string{"x", "{}", "1-2 3 4:5:6.7", "AP8=", "-9223372036854775808", "Infinity", "true", "2024-02-29", "23:59:59.999999", "2024-02-29T01:02:03.5", "1.5E9", "1.50", "-1e-38", "[2024-01-01, UNBOUNDED)"} {
		f.Add(uint8(i), s)
	}
	f.Fuzz(func(t *testing.T, of uint8, text string) {
		column := &bq.TableFieldSchema{Name: "c", Type: types[int(of)%len(types)], RangeElementType: &bq.TableFieldSchemaRangeElementType{Type: "DATE"}}
		field, err := fieldOf(column)
		if err != nil {
			t.Fatal(err)
		}
		b := array.NewBuilder(memory.DefaultAllocator, field.Type)
		defer b.Release()
		if err := AppendCell(b, column, false, text); err != nil {
			return
		}
		arr := b.NewArray()
		defer arr.Release()
		if arr.Len() != 1 || arr.IsNull(0) {
			t.Fatalf("%s %q: %d values", column.Type, text, arr.Len())
		}
		switch column.Type {
		case "NUMERIC", "BIGNUMERIC":
			if _, ok := new(big.Rat).SetString(arr.(*array.String).Value(0)); !ok {
				t.Errorf("%q became %q", text, arr.(*array.String).Value(0))
			}
		case "DATE":
			if got := arr.(*array.Date32).Value(0).ToTime().UTC().Format(time.DateOnly); got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	})
}

// An IPC message is bytes from outside too.
func FuzzBatches(f *testing.F) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	f.Add([]byte("\xff\xff\xff\xff\x10\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &Batches{Mem: memory.DefaultAllocator, Schema: schema, Table: &bq.TableSchema{Fields: []*bq.TableFieldSchema{{Name: "a", Type: "INTEGER"}}}, What: "job x"}
		if rec, err := s.Decode(b, 1); err == nil {
			rec.Release()
		}
	})
}

package value

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// text is a type of texts, pair a row of two, and pairs an array of such rows.
var (
	text  = &Type{}
	pair  = &Type{Kind: Row, Fields: []Field{{"a", text}, {"b", &Type{Kind: Array, Elem: text, Delim: ','}}}}
	pairs = &Type{Kind: Array, Elem: pair, Delim: ','}
)

// What a server sends may be anything.
func FuzzDecoders(f *testing.F) {
	for _, seed := range []string{`{1,NULL,"a\"b"}`, `(1,"a ""b""")`, `{"(1,\"{a,b}\")"}`, "{{}", "(", "infinity", "2024-02-29 12:00:00.5+00", "0044-03-15 00:00:00 BC", "\x00\x01\x00\x00\x40\x00\x00\x02\x00\x7b", "\x00\x00\x00\x01\x00\x00\x00\x17\x00\x00\x00\x04\x00\x00\x00\x07"} {
		f.Add([]byte(seed), 2)
	}
	f.Fuzz(func(t *testing.T, v []byte, scale int) {
		scale = (scale%39 + 39) % 39
		if b, ok := numericText(nil, v); ok {
			number, is := new(big.Rat).SetString(string(b))
			if !is && string(b) != "NaN" && !strings.HasSuffix(string(b), "Infinity") {
				t.Fatalf("%q became %q, which is no number", v, b)
			}
			if n, ok := numeric128(v, scale); ok && is {
				// Both forms are of one number, up to the digits that the text does not show.
				back := new(big.Rat).SetFrac(n.BigInt(), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
				if shown := int(binary.BigEndian.Uint16(v[6:])); shown >= scale && back.Cmp(number) != 0 {
					t.Fatalf("%q is %q as text and %v as an integer of %d decimals", v, b, n.BigInt(), scale)
				}
			}
		}
		for _, decode := range []func() ([]byte, error){
			func() ([]byte, error) { return pairs.appendJSON(nil, v, 0) }, func() ([]byte, error) { return pair.appendJSON(nil, v, 0) }, func() ([]byte, error) { return appendRecord(nil, pgtype.NewMap(), v, 0) },
		} {
			if out, err := decode(); err == nil && !json.Valid(out) {
				t.Fatalf("%q became %q, which is no JSON", v, out)
			}
		}
		b := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Microsecond})
		defer b.Release()
		_ = addInstantText(b, v)
	})
}

// add reads a value of a type as it comes from PostgreSQL or Redshift, and prints it.
func add(t *testing.T, oid uint32, modifier int32, redshift bool, v []byte) (string, Column, error) {
	t.Helper()
	typ, _ := Builtin(oid)
	c := NewColumn(pgconn.FieldDescription{Name: "x", DataTypeOID: oid, TypeModifier: modifier}, typ, redshift)
	b := array.NewBuilder(memory.DefaultAllocator, c.Field.Type)
	defer b.Release()
	if err := c.Add(b, v); err != nil {
		return "", c, err
	}
	a := b.NewArray()
	defer a.Release()
	return a.ValueStr(0), c, nil
}

// Every type with a binary form of fixed meaning is read alike in both forms, and a value of another
// length is refused.
func TestBothFormsAreOneValue(t *testing.T) {
	const second = "\x00\x00\x00\x00\x00\x0f\x42\x40" // 1,000,000 microseconds
	for _, tc := range []struct {
		oid          uint32
		binary, text string
		want         string
	}{
		{pgtype.BoolOID, "\x01", "t", "true"},
		{pgtype.Int2OID, "\xff\xfe", "-2", "-2"},
		{pgtype.Int4OID, "\x80\x00\x00\x00", "-2147483648", "-2147483648"},
		{pgtype.Int8OID, "\x7f\xff\xff\xff\xff\xff\xff\xff", "9223372036854775807", "9223372036854775807"},
		{pgtype.Float4OID, "\x3f\x00\x00\x00", "0.5", "0.5"},
		{pgtype.Float8OID, "\x3f\xb9\x99\x99\x99\x99\x99\x9a", "0.1", "0.1"},
		{pgtype.DateOID, "\x00\x00\x00\x01", "2000-01-02", "2000-01-02"},
		{pgtype.TimeOID, second, "00:00:01", "00:00:01.000000"},
		{pgtype.TimestampOID, second, "2000-01-01 00:00:01", "2000-01-01 00:00:01Z"},
		{pgtype.TimestamptzOID, second, "2000-01-01 00:00:01+00", "2000-01-01 00:00:01Z"},
	} {
		for form, v := range map[string]string{"binary": tc.binary, "text": tc.text} {
			if got, c, err := add(t, tc.oid, -1, form == "text", []byte(v)); err != nil || got != tc.want || (c.Format == 1) != (form == "binary") {
				t.Errorf("type %d as %s: %q, %v, format %d; want %q", tc.oid, form, got, err, c.Format, tc.want)
			}
		}
		if _, _, err := add(t, tc.oid, -1, false, []byte(tc.binary+"\x00")); !errors.Is(err, errMalformed) {
			t.Errorf("type %d of a byte more: %v", tc.oid, err)
		}
		if _, _, err := add(t, tc.oid, -1, true, []byte("soon")); !errors.Is(err, errMalformed) {
			t.Errorf("type %d of another text: %v", tc.oid, err)
		}
	}
	if got, _, err := add(t, pgtype.ByteaOID, -1, false, []byte("\x00\xff")); err != nil || got != "AP8=" {
		t.Errorf("bytes: %s, %v", got, err)
	}
	if got, _, err := add(t, varbyteOID, -1, true, []byte("00ff")); err != nil || got != "AP8=" {
		t.Errorf("Redshift's bytes: %s, %v", got, err)
	}
	if _, _, err := add(t, pgtype.TextOID, -1, false, []byte("caf\xe9")); err == nil || !strings.Contains(err.Error(), "a string is not UTF-8") {
		t.Errorf("a text that is not UTF-8: %v", err)
	}
}

// A numeric of a column with precision and scale is a decimal, any other its text; what is no number is
// a double.
func TestNumerics(t *testing.T) {
	bytes := func(digits string) []byte {
		v, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	const modifier = 10<<16 | 2 + 4 // numeric(10,2)
	for _, tc := range []struct{ why, v, text, decimal string }{
		// number of digits, power of the first, sign, decimals shown, digits in base 10000
		{"12.50", "0002 0000 0000 0002 000c 1388", "12.50", "12.5"},
		{"-12.50", "0002 0000 4000 0002 000c 1388", "-12.50", "-12.5"},
		{"10000", "0001 0001 0000 0000 0001", "10000", "10000"},
		{"0.01", "0001 ffff 0000 0002 0064", "0.01", "0.01"},
		{"zero", "0000 0000 0000 0002", "0.00", "0"},
		{"more decimals than the column has", "0001 ffff 0000 0003 0032", "0.005", ""},
	} {
		v := bytes(tc.v)
		if got, c, err := add(t, pgtype.NumericOID, -1, false, v); err != nil || got != tc.text || !c.Numeric() {
			t.Errorf("%s as text: %q, %v, want %q", tc.why, got, err, tc.text)
		}
		got, c, err := add(t, pgtype.NumericOID, modifier, false, v)
		if (err != nil) != (tc.decimal == "") || err == nil && got != tc.decimal || c.Field.Type.ID() != arrow.DECIMAL128 {
			t.Errorf("%s as a decimal: %q, %v, want %q", tc.why, got, err, tc.decimal)
		}
		if _, is := c.Special(v); is {
			t.Errorf("%s is a number", tc.why)
		}
	}
	for v, want := range map[string]string{"0000 0000 c000 0000": "NaN", "0000 0000 d000 0000": "+Inf", "0000 0000 f000 0000": "-Inf"} {
		_, c, _ := add(t, pgtype.NumericOID, modifier, false, bytes("0000 0000 0000 0000"))
		if f, is := c.Special(bytes(v)); !is || fmt.Sprint(f) != want {
			t.Errorf("%s: %v, %v, want %s", v, f, is, want)
		}
	}
}

func TestNestedValues(t *testing.T) {
	for _, tc := range []struct {
		t          *Type
		text, want string // "" is an error
	}{
		{pairs, `{"(1,\"{a,NULL}\")",NULL}`, `[{"a":"1","b":["a",null]},null]`},
		{pair, `(,"{}")`, `{"a":null,"b":[]}`},
		{pair, `("a ""b""","{""x,y""}")`, `{"a":"a \"b\"","b":["x,y"]}`},
		{&Type{Kind: Array, Elem: &Type{Kind: asNumber}, Delim: ','}, `[0:1]={{1,2.50},{NaN,-3}}`, `[[1,2.50],["NaN",-3]]`},
		{&Type{Kind: Array, Elem: &Type{Kind: asBool}, Delim: ';'}, `{t;f}`, `[true,false]`},
		{&Type{Kind: asBytes}, `\x00ff`, `"00ff"`},
		{&Type{Kind: asJSON}, `{"a": 1}`, `{"a": 1}`},
		{&Type{Kind: asJSON}, `{"a": 1`, ""},
		{pairs, `{"(1,2,3)"}`, ""},
		{pairs, `{`, ""},
		{pair, `(1)`, ""},
	} {
		got, err := tc.t.appendJSON(nil, []byte(tc.text), 0)
		if (err != nil) != (tc.want == "") || err == nil && string(got) != tc.want {
			t.Errorf("%s: %s, %v, want %s", tc.text, got, err, tc.want)
		}
	}
	c := NewColumn(pgconn.FieldDescription{Name: "x", DataTypeOID: 99999}, pair, false)
	b := array.NewBuilder(memory.DefaultAllocator, c.Field.Type)
	defer b.Release()
	if err := c.Add(b, []byte("(1,2,3)")); err == nil {
		t.Error("a row of more fields than its type has is read")
	}
}

// Dates and times beyond those of others are written as the server reads them.
func TestAppendCell(t *testing.T) {
	cell := func(dt arrow.DataType, add func(b array.Builder)) (string, error) {
		b := array.NewBuilder(memory.DefaultAllocator, dt)
		defer b.Release()
		add(b)
		a := b.NewArray()
		defer a.Release()
		out, err := AppendCell(nil, a, 0)
		return string(out), err
	}
	date := func(days int32) func(array.Builder) {
		return func(b array.Builder) { b.(*array.Date32Builder).Append(arrow.Date32(days)) }
	}
	moment := func(v int64) func(array.Builder) {
		return func(b array.Builder) { b.(*array.TimestampBuilder).Append(arrow.Timestamp(v)) }
	}
	day := func(year int) int32 { return int32(time.Date(year, 3, 15, 0, 0, 0, 0, time.UTC).Unix() / 86400) } //nolint:gosec // few
	micros, nanos := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, &arrow.TimestampType{Unit: arrow.Nanosecond}
	for _, tc := range []struct {
		why  string
		dt   arrow.DataType
		add  func(array.Builder)
		want string // "" is an error
	}{
		{"a date", arrow.FixedWidthTypes.Date32, date(day(2024)), "2024-03-15"},
		{"before Christ", arrow.FixedWidthTypes.Date32, date(day(-43)), "0044-03-15 BC"},
		{"a long year", arrow.FixedWidthTypes.Date32, date(day(12024)), "12024-03-15"},
		{"an infinite date", arrow.FixedWidthTypes.Date32, date(infiniteDate), "infinity"},
		{"an instant", micros, moment(1_500_000), "1970-01-01 00:00:01.5+00"},
		{"an infinite instant", micros, moment(-infiniteTime), "-infinity"},
		{"nanoseconds that are microseconds", nanos, moment(1000), "1970-01-01 00:00:00.000001"},
		{"nanoseconds", nanos, moment(1), ""},
		{"the end of the day", arrow.FixedWidthTypes.Time64us, func(b array.Builder) { b.(*array.Time64Builder).Append(microsPerDay) }, "24:00:00"},
		{"bytes", arrow.BinaryTypes.Binary, func(b array.Builder) { b.(*array.BinaryBuilder).Append([]byte{0, 255}) }, `\x00ff`},
		{"infinity", arrow.PrimitiveTypes.Float64, func(b array.Builder) { _ = b.AppendValueFromString("-Inf") }, "-Infinity"},
		{"a text with NUL", arrow.BinaryTypes.String, func(b array.Builder) { b.(*array.StringBuilder).Append("a\x00") }, ""},
	} {
		if got, err := cell(tc.dt, tc.add); (err != nil) != (tc.want == "") || err == nil && got != tc.want {
			t.Errorf("%s: %q, %v, want %q", tc.why, got, err, tc.want)
		}
	}
}

package scoring

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"time"
)

// Type is the type of a column or of one value.
type Type uint8

// The types. Null is the type of a column that holds only NULL and of a NULL value; Any is that of a column whose
// values each have their own type.
const (
	Null        Type = iota
	Bool             // true or false
	Int64            // 64-bit signed integer
	Float64          // IEEE 754 double, with NaN and infinities
	Decimal          // exact decimal of any number of digits
	String           // UTF-8 text
	Bytes            // raw bytes
	Date             // day of the proleptic Gregorian calendar
	Time             // nanoseconds since midnight
	Timestamp        // wall clock without zone, to the nanosecond
	TimestampTZ      // instant, to the nanosecond
	JSON             // JSON text, arrays and objects of the warehouse included
	Any              // mixed
)

var typeNames = [...]string{
	"NULL", "BOOL", "INT64", "FLOAT64", "DECIMAL", "STRING", "BYTES", "DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "JSON",
	"ANY",
}

// String returns the type's name as it appears in inline results.
func (t Type) String() string { return typeNames[t] }

// Numeric reports whether values of the type are numbers.
func (t Type) Numeric() bool { return t == Int64 || t == Float64 || t == Decimal }

// Temporal reports whether values of the type are dates or times.
func (t Type) Temporal() bool { return t == Date || t == Time || t == Timestamp || t == TimestampTZ }

// Value is one cell. Its zero value is NULL. It may be copied; its text may share memory with the column that it was
// read from.
type Value struct {
	Type Type
	aux  int32 // nanoseconds of a timestamp, scale of a decimal
	num  int64 // bool, integer, unscaled decimal, days, nanoseconds since midnight, seconds since 1970, bits of a float
	text string
	big  *big.Int // unscaled decimal beyond 64 bits
}

// NullValue is the value NULL.
var NullValue = Value{}

// BoolValue returns a BOOL.
func BoolValue(v bool) Value {
	n := int64(0)
	if v {
		n = 1
	}
	return Value{Type: Bool, num: n}
}

// IntValue returns an INT64.
func IntValue(v int64) Value { return Value{Type: Int64, num: v} }

// FloatValue returns a FLOAT64.
func FloatValue(v float64) Value {
	return Value{Type: Float64, num: int64(math.Float64bits(v))} //nolint:gosec // bits, not a number
}

// DecimalValue returns the DECIMAL unscaled / 10^scale.
func DecimalValue(unscaled int64, scale int32) Value {
	return Value{Type: Decimal, num: unscaled, aux: scale}
}

// BigDecimalValue returns the DECIMAL unscaled / 10^scale for an unscaled value of any size.
func BigDecimalValue(unscaled *big.Int, scale int32) Value {
	if unscaled.IsInt64() {
		return DecimalValue(unscaled.Int64(), scale)
	}
	return Value{Type: Decimal, big: unscaled, aux: scale}
}

// TextValue returns a value of type t, which is STRING, BYTES or JSON.
func TextValue(t Type, v string) Value { return Value{Type: t, text: v} }

// StringValue returns a STRING.
func StringValue(v string) Value { return TextValue(String, v) }

// DateValue returns the DATE that is days after 1970-01-01.
func DateValue(days int64) Value { return Value{Type: Date, num: days} }

// TimeValue returns the TIME that is nanos nanoseconds after midnight.
func TimeValue(nanos int64) Value { return Value{Type: Time, num: nanos} }

// TimestampValue returns a TIMESTAMP or TIMESTAMPTZ from seconds since 1970-01-01 00:00 (local time or UTC) and
// nanoseconds in [0, 1e9).
func TimestampValue(t Type, seconds int64, nanos int32) Value {
	return Value{Type: t, num: seconds, aux: nanos}
}

// IsNull reports whether the value is NULL.
func (v Value) IsNull() bool { return v.Type == Null }

// Bool returns the value of a BOOL.
func (v Value) Bool() bool { return v.num != 0 }

// Int returns the value of an INT64, the days of a DATE, the nanoseconds of a TIME or the seconds of a timestamp.
func (v Value) Int() int64 { return v.num }

// Nanos returns the nanoseconds of a timestamp's second.
func (v Value) Nanos() int32 { return v.aux }

// Float returns the value of a FLOAT64.
func (v Value) Float() float64 { return math.Float64frombits(uint64(v.num)) } //nolint:gosec // bits, not a number

// Decimal returns the unscaled value and the scale of a DECIMAL. If the unscaled value needs more than 64 bits, it is
// wide; otherwise wide is nil.
func (v Value) Decimal() (unscaled int64, wide *big.Int, scale int32) { return v.num, v.big, v.aux }

// Text returns the text of a STRING, BYTES or JSON value unchanged; "" for other types.
func (v Value) Text() string { return v.text }

// String formats the value for people: exact numbers, ISO 8601 dates and times, strings unchanged, bytes as
// hexadecimal digits. NULL is "NULL".
func (v Value) String() string {
	if v.Type == Null {
		return "NULL"
	}
	return string(v.append(nil))
}

func (v Value) append(b []byte) []byte {
	switch v.Type {
	case Bool:
		return strconv.AppendBool(b, v.num != 0)
	case Int64:
		return strconv.AppendInt(b, v.num, 10)
	case Float64:
		return appendFloat(b, v.Float())
	case Decimal:
		return appendDecimal(b, v.num, v.big, v.aux)
	case Bytes:
		return hex.AppendEncode(b, []byte(v.text))
	case Date:
		return appendDate(b, v.num)
	case Time:
		return appendClock(b, v.num/1e9, v.num%1e9)
	case Timestamp, TimestampTZ:
		days, secs := floorDiv(v.num, 86400)
		b = append(appendDate(b, days), ' ')
		b = appendClock(b, secs, int64(v.aux))
		if v.Type == TimestampTZ {
			b = append(b, 'Z')
		}
		return b
	case Null:
		return b
	}
	return append(b, v.text...)
}

// appendFloat appends the shortest text that parses as f, with an exponent only below 1e-7 and from 1e21.
func appendFloat(b []byte, f float64) []byte {
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	case abs != 0 && (abs < 1e-7 || abs >= 1e21):
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

func appendDecimal(b []byte, unscaled int64, wide *big.Int, scale int32) []byte {
	start := len(b)
	if wide != nil {
		b = wide.Append(b, 10)
	} else {
		b = strconv.AppendInt(b, unscaled, 10)
	}
	if scale <= 0 {
		for ; scale < 0 && (unscaled != 0 || wide != nil); scale++ {
			b = append(b, '0')
		}
		return b
	}
	if b[start] == '-' {
		start++
	}
	digits := len(b) - start
	for ; digits <= int(scale); digits++ { // at least one digit before the point
		b = append(b, 0)
		copy(b[start+1:], b[start:])
		b[start] = '0'
	}
	b = append(b, 0)
	point := len(b) - 1 - int(scale)
	copy(b[point+1:], b[point:])
	b[point] = '.'
	return b
}

func appendDate(b []byte, days int64) []byte {
	t := time.Unix(days*86400, 0).UTC()
	y, m, d := t.Date()
	if y < 0 || y > 9999 {
		return t.AppendFormat(b, "2006-01-02")
	}
	b = append(b, byte('0'+y/1000), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10), '-')
	b = append(b, byte('0'+int(m)/10), byte('0'+int(m)%10), '-')
	return append(b, byte('0'+d/10), byte('0'+d%10))
}

func appendClock(b []byte, secs, nanos int64) []byte {
	h, m, s := secs/3600, secs/60%60, secs%60
	b = append(b, byte('0'+h/10), byte('0'+h%10), ':', byte('0'+m/10), byte('0'+m%10), ':', byte('0'+s/10), byte('0'+s%10))
	if nanos == 0 {
		return b
	}
	b = append(b, '.')
	for div := int64(1e8); div > 0 && nanos > 0; div /= 10 {
		b = append(b, byte('0'+nanos/div))
		nanos %= div
	}
	return b
}

func floorDiv(a, b int64) (quotient, remainder int64) {
	quotient, remainder = a/b, a%b
	if remainder < 0 {
		quotient, remainder = quotient-1, remainder+b
	}
	return quotient, remainder
}

package driverbase

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
)

// Notation is the text form in which a warehouse reads values.
type Notation struct {
	Infinity string        // infinity of a floating-point number; "-" is put before it for the negative one
	Instant  string        // the layout of a timestamp with a zone, in UTC
	Clock    string        // the layout of a timestamp without a zone
	Finest   time.Duration // precision of timestamps and times of day: time.Microsecond or time.Nanosecond
}

// writable reports whether [Notation.Append] supports an Arrow type.
func writable(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.NullType, *arrow.BooleanType, *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type,
		*arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type,
		*arrow.Float32Type, *arrow.Float64Type, *arrow.Decimal128Type, *arrow.Decimal256Type, *arrow.StringType,
		*arrow.LargeStringType, *arrow.StringViewType,
		*arrow.BinaryType, *arrow.LargeBinaryType, *arrow.FixedSizeBinaryType, *arrow.Date32Type, *arrow.Date64Type,
		*arrow.Time32Type, *arrow.Time64Type, *arrow.TimestampType:
		return true
	case *arrow.DictionaryType:
		return writable(t.ValueType)
	}
	return false
}

// IsNull reports whether a value is NULL, also in an array of NULLs and for a dictionary index of a NULL.
func IsNull(arr arrow.Array, i int) bool {
	switch a := arr.(type) {
	case *array.Null:
		return true
	case *array.Dictionary:
		return a.IsNull(i) || IsNull(a.Dictionary(), a.GetValueIndex(i))
	}
	return arr.IsNull(i)
}

// Append appends a value that is not NULL as text: numbers with all their digits, bytes in hexadecimal, times of day as
// 15:04:05.999999999 and dates as 2006-01-02. The error is InvalidArgument for invalid UTF-8 and for a time outside the
// warehouse's range or precision, and does not contain the value.
func (n *Notation) Append(dst []byte, arr arrow.Array, i int) ([]byte, error) {
	switch a := arr.(type) {
	case *array.Dictionary:
		return n.Append(dst, a.Dictionary(), a.GetValueIndex(i))
	case *array.String:
		return appendUTF8(dst, a.Value(i))
	case *array.LargeString:
		return appendUTF8(dst, a.Value(i))
	case *array.StringView:
		return appendUTF8(dst, a.Value(i))
	case *array.Boolean:
		return strconv.AppendBool(dst, a.Value(i)), nil
	case *array.Int64:
		return strconv.AppendInt(dst, a.Value(i), 10), nil
	case *array.Int8, *array.Int16, *array.Int32, *array.Uint8, *array.Uint16, *array.Uint32, *array.Uint64:
		return append(dst, arr.ValueStr(i)...), nil
	case *array.Float64:
		return n.AppendFloat(dst, a.Value(i), 64), nil
	case *array.Float32:
		return n.AppendFloat(dst, float64(a.Value(i)), 32), nil
	case *array.Decimal128:
		return append(dst, DecimalText(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal128Type).Scale)...), nil
	case *array.Decimal256:
		return append(dst, DecimalText(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal256Type).Scale)...), nil
	case *array.Binary:
		return hex.AppendEncode(dst, a.Value(i)), nil
	case *array.LargeBinary:
		return hex.AppendEncode(dst, a.Value(i)), nil
	case *array.FixedSizeBinary:
		return hex.AppendEncode(dst, a.Value(i)), nil
	case *array.Date32:
		return appendMoment(dst, a.Value(i).ToTime(), time.DateOnly)
	case *array.Date64:
		if a.Value(i)%86_400_000 != 0 {
			return dst, errcode.New(errcode.InvalidArgument, "a date with a time of day")
		}
		return appendMoment(dst, a.Value(i).ToTime(), time.DateOnly)
	case *array.Time32:
		return n.appendTime(dst, int64(a.Value(i)), a.DataType().(*arrow.Time32Type).Unit)
	case *array.Time64:
		return n.appendTime(dst, int64(a.Value(i)), a.DataType().(*arrow.Time64Type).Unit)
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		at, layout := a.Value(i).ToTime(t.Unit), n.Clock
		if t.TimeZone != "" {
			layout = n.Instant
		}
		if n.finer(at) {
			return dst, errFiner
		}
		return appendMoment(dst, at, layout)
	}
	return dst, errcode.New(errcode.Unimplemented, "unsupported Arrow type %v", arr.DataType())
}

func appendUTF8(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return dst, errcode.New(errcode.InvalidArgument, "expected text in UTF-8")
	}
	return append(dst, s...), nil
}

// AppendFloat appends the shortest text from which f is read back exactly.
func (n *Notation) AppendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, n.Infinity...)
	case math.IsInf(f, -1):
		return append(append(dst, '-'), n.Infinity...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, bits)
}

var (
	errFiner = errcode.New(errcode.InvalidArgument, "a time has more than microsecond precision")
	errYears = errcode.New(errcode.InvalidArgument, "a date outside the years 1 to 9999")
	errDay   = errcode.New(errcode.InvalidArgument, "a time of day of less than 0 or of 24 hours and more")
)

func (n *Notation) finer(t time.Time) bool { return t.Nanosecond()%int(n.Finest) != 0 }

func appendMoment(dst []byte, t time.Time, layout string) ([]byte, error) {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return dst, errYears
	}
	return t.AppendFormat(dst, layout), nil
}

func (n *Notation) appendTime(dst []byte, v int64, unit arrow.TimeUnit) ([]byte, error) {
	if v < 0 || v >= int64(24*time.Hour/unit.Multiplier()) {
		return dst, errDay
	}
	t := time.Unix(0, v*int64(unit.Multiplier())).UTC()
	if n.finer(t) {
		return dst, errFiner
	}
	return t.AppendFormat(dst, "15:04:05.999999999"), nil
}

// DecimalText returns n / 10^scale as a decimal without an exponent.
func DecimalText(n *big.Int, scale int32) string {
	digits, sign := new(big.Int).Abs(n).String(), ""
	if n.Sign() < 0 {
		sign = "-"
	}
	if scale <= 0 {
		return sign + digits + strings.Repeat("0", int(-scale))
	}
	digits = strings.Repeat("0", max(0, int(scale)+1-len(digits))) + digits
	point := len(digits) - int(scale)
	return sign + digits[:point] + "." + digits[point:]
}

// Unscaled parses a decimal without exponent as a multiple of 10^-scale, the inverse of [DecimalText]. Additional
// decimal digits must be zeros; otherwise ok is false.
func Unscaled(text string, scale int) (n *big.Int, ok bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > scale {
		if strings.Trim(fraction[scale:], "0") != "" {
			return nil, false
		}
		fraction = fraction[:scale]
	}
	if whole+fraction == "" || strings.ContainsAny(fraction, "+-") { // ".-5" is not a number
		return nil, false
	}
	return new(big.Int).SetString(whole+fraction+strings.Repeat("0", scale-len(fraction)), 10)
}

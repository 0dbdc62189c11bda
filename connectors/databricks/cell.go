package databricks

import (
	"encoding/base64"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

func broken(format string, args ...any) error {
	return errcode.New(errcode.DataLoss, "databricks: reading a result: "+format, args...)
}

// parse makes an array of values that came as text.
func (c *column) parse(mem memory.Allocator, n int, text func(row int) (string, bool)) (arrow.Array, error) {
	if c.sql == "VOID" {
		return array.NewNull(n), nil
	}
	b := array.NewBuilder(mem, c.arrowType())
	defer b.Release()
	b.Reserve(n)
	for row := range n {
		s, ok := text(row)
		if !ok {
			b.AppendNull()
			continue
		}
		if !appendText(b, s) {
			return nil, broken("column %q, row %d: expected a value of type %s", c.name, row+1, c.sql)
		}
	}
	return b.NewArray(), nil
}

// appendText appends one value, and tells whether the text is one.
func appendText(b array.Builder, s string) bool {
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(s)
	case *array.BooleanBuilder:
		v, err := strconv.ParseBool(s)
		b.Append(v)
		return err == nil
	case *array.Int8Builder:
		v, err := strconv.ParseInt(s, 10, 8)
		b.Append(int8(v))
		return err == nil
	case *array.Int16Builder:
		v, err := strconv.ParseInt(s, 10, 16)
		b.Append(int16(v))
		return err == nil
	case *array.Int32Builder:
		v, err := strconv.ParseInt(s, 10, 32)
		b.Append(int32(v))
		return err == nil
	case *array.Int64Builder:
		v, err := strconv.ParseInt(s, 10, 64)
		b.Append(v)
		return err == nil
	case *array.Float32Builder:
		v, err := strconv.ParseFloat(s, 32)
		b.Append(float32(v))
		return err == nil
	case *array.Float64Builder:
		v, err := strconv.ParseFloat(s, 64)
		b.Append(v)
		return err == nil
	case *array.Decimal128Builder:
		v, ok := scaled(s, b.Type().(*arrow.Decimal128Type).Scale)
		b.Append(v)
		return ok
	case *array.Date32Builder:
		t, ok := instant(s, dateLayouts)
		b.Append(arrow.Date32(floor(t.Unix(), 86400))) //nolint:gosec // 32 bits hold the years that are parsed
		return ok
	case *array.TimestampBuilder:
		t, ok := instant(s, timestampLayouts)
		b.Append(arrow.Timestamp(t.UnixMicro()))
		return ok
	case *array.Time64Builder:
		t, err := time.Parse(time.TimeOnly, s) // with digits of a second, too
		b.Append(arrow.Time64(t.Sub(t.Truncate(24 * time.Hour)).Microseconds()))
		return err == nil && t.Nanosecond()%1000 == 0
	case *array.BinaryBuilder:
		v, err := base64.StdEncoding.DecodeString(s)
		b.Append(v)
		return err == nil
	}
	return true
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// scaled is a decimal as a multiple of 10^-scale. One of more places than that is none, unless they
// are zeros.
func scaled(s string, scale int32) (decimal128.Num, bool) {
	mantissa, exponent, scientific := strings.Cut(strings.ToUpper(s), "E")
	shift := int64(scale)
	if scientific {
		e, err := strconv.ParseInt(exponent, 10, 16)
		if err != nil {
			return decimal128.Num{}, false
		}
		shift += e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	shift -= int64(len(fraction))
	digits := whole + fraction
	for shift < 0 && len(digits) > 1 && strings.HasSuffix(digits, "0") {
		digits, shift = digits[:len(digits)-1], shift+1
	}
	if len(digits) > 1000 || shift < 0 && strings.Trim(digits, "+-0") != "" || shift > 1000 {
		return decimal128.Num{}, false
	}
	n, ok := new(big.Int).SetString(strings.TrimPrefix(digits, "+")+strings.Repeat("0", int(max(shift, 0))), 10)
	if !ok || n.BitLen() > 127 {
		return decimal128.Num{}, false
	}
	return decimal128.FromBigInt(n), true
}

var (
	dateLayouts      = []string{"2006-01-02"}
	timestampLayouts = []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02"}
)

func instant(s string, layouts []string) (time.Time, bool) {
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

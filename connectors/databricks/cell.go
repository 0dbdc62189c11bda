package databricks

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// parse returns an array of n values that arrived as text. text returns the value of a row, or false for NULL.
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
			return nil, workspace.Broken("column %q, row %d: expected a value of type %s", c.name, row+1, c.sql)
		}
	}
	return b.NewArray(), nil
}

// appendText appends the value that s is the text of, and reports whether s is valid for the builder's type.
func appendText(b array.Builder, s string) bool {
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(s)
		return true
	case *array.Decimal128Builder:
		v, ok := scaled(s, b.Type().(*arrow.Decimal128Type).Scale)
		b.Append(v)
		return ok
	case *array.TimestampBuilder:
		t, ok := driverbase.Instant(s)
		b.Append(arrow.Timestamp(t.UnixMicro()))
		return ok
	case *array.Time64Builder:
		t, err := time.Parse(time.TimeOnly, s) // fractional seconds are accepted too
		b.Append(arrow.Time64(t.Sub(t.Truncate(24 * time.Hour)).Microseconds()))
		return err == nil && t.Nanosecond()%1000 == 0
	}
	// Databricks writes booleans, numbers, dates and bytes as Arrow does
	return s != array.NullValueStr && b.AppendValueFromString(s) == nil
}

// scaled converts a decimal, which may have an exponent, to a multiple of 10^-scale. It returns false if the decimal
// has nonzero digits beyond scale, or needs more than 127 bits.
func scaled(s string, scale int32) (decimal128.Num, bool) {
	n, ok := driverbase.Unscaled(s, int(scale))
	if mantissa, exponent, scientific := strings.Cut(strings.ToUpper(s), "E"); scientific && len(mantissa) < 1000 {
		e, err := strconv.ParseInt(exponent, 10, 11)
		places := max(int(scale)+int(e), len(mantissa))
		if n, ok = driverbase.Unscaled(mantissa, places); ok {
			rest, spare := new(big.Int), int64(places)-int64(scale)-e
			n.QuoRem(n, rest.Exp(big.NewInt(10), big.NewInt(spare), nil), rest)
			ok = err == nil && rest.Sign() == 0
		}
	}
	if !ok || n.BitLen() > 127 {
		return decimal128.Num{}, false
	}
	return decimal128.FromBigInt(n), true
}

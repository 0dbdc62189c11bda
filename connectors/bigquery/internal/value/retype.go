package value

import (
	"math"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// retyped returns array data with the equivalent type to: names and metadata of inner fields may differ, and decimals
// and intervals become strings. It returns false if the types are not equivalent.
func retyped(d arrow.ArrayData, to arrow.DataType, mem memory.Allocator) (arrow.ArrayData, bool) {
	from := d.DataType()
	if arrow.TypeEqual(from, to, arrow.CheckMetadata()) {
		d.Retain()
		return d, true
	}
	if to.ID() == arrow.STRING {
		switch t := from.(type) {
		case *arrow.MonthDayNanoIntervalType:
			in := array.NewMonthDayNanoIntervalData(d)
			defer in.Release()
			return written(in, mem, func(b []byte, i int) []byte {
				v := in.Value(i)
				return driverbase.AppendInterval(b, int64(v.Months), int64(v.Days), v.Nanoseconds/1000) // BigQuery has microseconds
			}), true
		case *arrow.Decimal128Type:
			in := array.NewDecimal128Data(d)
			defer in.Release()
			return written(in, mem, func(b []byte, i int) []byte {
				v := in.Value(i)
				if low := int64(v.LowBits()); low>>63 == v.HighBits() && low != math.MinInt64 { //nolint:gosec // checked
					return appendDecimal(b, low, t.Scale)
				}
				text, _ := plainDecimal(driverbase.DecimalText(v.BigInt(), t.Scale))
				return append(b, text...)
			}), t.Scale >= 0
		case *arrow.Decimal256Type:
			in := array.NewDecimal256Data(d)
			defer in.Release()
			return written(in, mem, func(b []byte, i int) []byte {
				text, _ := plainDecimal(driverbase.DecimalText(in.Value(i).BigInt(), t.Scale))
				return append(b, text...)
			}), t.Scale >= 0
		}
	}
	if from.ID() != to.ID() {
		return nil, false
	}
	switch to := to.(type) {
	case *arrow.TimestampType:
		f := from.(*arrow.TimestampType)
		if f.Unit != to.Unit || (f.TimeZone == "") != (to.TimeZone == "") {
			return nil, false
		}
		return withType(d, to, nil), true
	case *arrow.ListType:
		return retypedChildren(d, to, mem, to.ElemField())
	case *arrow.StructType:
		return retypedChildren(d, to, mem, to.Fields()...)
	}
	return nil, false
}

func retypedChildren(d arrow.ArrayData, to arrow.DataType, mem memory.Allocator,
	fields ...arrow.Field) (arrow.ArrayData, bool) {
	if len(fields) != len(d.Children()) {
		return nil, false
	}
	inner := make([]arrow.ArrayData, len(fields))
	defer func() {
		for _, c := range inner {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, f := range fields {
		var ok bool
		if inner[i], ok = retyped(d.Children()[i], f.Type, mem); !ok {
			return nil, false
		}
	}
	return withType(d, to, inner), true
}

func withType(d arrow.ArrayData, t arrow.DataType, children []arrow.ArrayData) arrow.ArrayData {
	return array.NewData(t, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}

// written returns strings, which write appends for each value that is not NULL.
func written(in arrow.Array, mem memory.Allocator, write func(b []byte, i int) []byte) arrow.ArrayData {
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.Reserve(in.Len())
	var text []byte
	for i := range in.Len() {
		if in.IsNull(i) {
			b.AppendNull()
			continue
		}
		text = write(text[:0], i)
		b.BinaryBuilder.Append(text)
	}
	arr := b.NewArray()
	defer arr.Release()
	arr.Data().Retain()
	return arr.Data()
}

// appendDecimal appends n / 10^scale without trailing zeros.
func appendDecimal(b []byte, n int64, scale int32) []byte {
	for scale > 0 && n%10 == 0 {
		n, scale = n/10, scale-1
	}
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	start := len(b)
	b = strconv.AppendInt(b, n, 10)
	if scale == 0 {
		return b
	}
	for len(b)-start <= int(scale) {
		b = append(b, 0)
		copy(b[start+1:], b[start:])
		b[start] = '0'
	}
	point := len(b) - int(scale)
	b = append(b, 0)
	copy(b[point+1:], b[point:])
	b[point] = '.'
	return b
}

// intervalTexts converts intervals that arrive as BigQuery's text by intervalText; false if one is malformed.
func intervalTexts(in *array.String, mem memory.Allocator) (arrow.Array, bool) {
	all := true
	data := written(in, mem, func(b []byte, i int) []byte {
		text, ok := intervalText(in.Value(i))
		all = all && ok
		return append(b, text...)
	})
	defer data.Release()
	return array.MakeFromData(data), all
}

// Package value reads values as Snowflake and its driver return them, from batches of Arrow in Snowflake's own
// encodings and from rows, into Arrow records of fixed types. It does not depend on connections, and on SQL only
// for casting strings to a type.
package value

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Column is a column of a result, from Snowflake's description.
type Column struct {
	Name             string
	Kind             string // FIXED, REAL, TEXT, …
	Precision, Scale int32  // of FIXED
	Nullable         bool
	JSON             bool // the result arrived as JSON
}

// kind describes how values of a type are read and written.
type kind struct {
	arrow arrow.DataType // nil is string
	mark  arrow.Metadata // of the field
	// casts a string %[1]s with the precision %[2]d and the scale %[3]d; "" if strings are unchanged
	cast string
}

// kinds are the types by Snowflake's names. Other types, such as TEXT, GEOGRAPHY and GEOMETRY, are read as strings.
var kinds = map[string]kind{
	"FIXED":   {arrow: arrow.PrimitiveTypes.Int64, cast: "%[1]s::NUMBER(%[2]d, %[3]d)"},
	"REAL":    {arrow: arrow.PrimitiveTypes.Float64, cast: "%[1]s::FLOAT"},
	"BOOLEAN": {arrow: arrow.FixedWidthTypes.Boolean, cast: "%[1]s::BOOLEAN"},
	"BINARY":  {arrow: arrow.BinaryTypes.Binary, cast: "TO_BINARY(%[1]s, 'HEX')"},
	"DATE":    {arrow: arrow.FixedWidthTypes.Date32, cast: "%[1]s::DATE"},
	"TIME":    {arrow: arrow.FixedWidthTypes.Time64ns, cast: "%[1]s::TIME(9)"},

	"TIMESTAMP_NTZ": {arrow: &arrow.TimestampType{Unit: arrow.Nanosecond}, cast: "%[1]s::TIMESTAMP_NTZ(9)"},
	"TIMESTAMP_LTZ": {arrow: arrow.FixedWidthTypes.Timestamp_ns, cast: "%[1]s::TIMESTAMP_LTZ(9)"},
	"TIMESTAMP_TZ":  {arrow: arrow.FixedWidthTypes.Timestamp_ns, cast: "%[1]s::TIMESTAMP_TZ(9)"},

	"VARIANT":  {mark: driverbase.JSON, cast: "PARSE_JSON(%[1]s)"},
	"OBJECT":   {mark: driverbase.JSON, cast: "PARSE_JSON(%[1]s)::OBJECT"},
	"ARRAY":    {mark: driverbase.JSON, cast: "PARSE_JSON(%[1]s)::ARRAY"},
	"MAP":      {mark: driverbase.JSON},
	"DECFLOAT": {mark: driverbase.Decimal},
}

// Field returns the column's Arrow field according to its description. Integers are 64-bit until a batch contains wider
// ones.
func (c *Column) Field() arrow.Field {
	k := kinds[c.Kind]
	switch {
	case c.Kind == "FIXED" && c.Scale != 0:
		k.arrow = &arrow.Decimal128Type{Precision: c.digits(), Scale: c.Scale}
	case k.arrow == nil:
		k.arrow = arrow.BinaryTypes.String
	}
	return arrow.Field{Name: c.Name, Type: k.arrow, Nullable: c.Nullable, Metadata: k.mark}
}

// Cast returns an expression that casts a string to the column's type.
func (c *Column) Cast(text string) string {
	return fmt.Sprintf(cmp.Or(kinds[c.Kind].cast, "%[1]s"), text, c.digits(), c.Scale)
}

func (c *Column) digits() int32 {
	if c.Precision < 1 || c.Precision > 38 || c.Precision < c.Scale {
		return 38
	}
	return c.Precision
}

// isTimestamp reports whether the column is one of timestamps, whose unit may differ between records, see [moments].
func (c *Column) isTimestamp() bool {
	return c.Field().Type.ID() == arrow.TIMESTAMP
}

// decode converts an array from Snowflake's encoding to the column's type. want is the type in the announced schema.
func (c *Column) decode(mem memory.Allocator, arr arrow.Array, scale int32, want arrow.DataType) (arrow.Array, error) {
	unexpected := errcode.Unread("values of type %s have the unsupported Arrow type %v; cast the column to VARCHAR",
		c.Kind,
		arr.DataType())
	switch c.Kind {
	case "FIXED":
		return c.decodeFixed(mem, arr, want)
	case "TIME":
		if a, ok := arr.(*array.Time64); ok {
			return timesOf(mem, a, scale)
		}
		return nil, unexpected
	case "DECFLOAT":
		if a, ok := arr.(*array.Struct); ok && a.NumField() == 2 {
			return decfloats(mem, a)
		}
	}
	if c.Kind == "VECTOR" {
		if _, ok := arr.(*array.FixedSizeList); !ok {
			return nil, unexpected
		}
	} else if c.Field().Type.ID() != arr.DataType().ID() {
		return nil, unexpected
	}
	arr.Retain()
	return arr, nil
}

// decodeFixed converts numbers, which arrive as the narrowest integers that hold a batch, or as 128-bit decimals.
func (c *Column) decodeFixed(mem memory.Allocator, arr arrow.Array, want arrow.DataType) (arrow.Array, error) {
	decimal := &arrow.Decimal128Type{Precision: c.digits(), Scale: c.Scale}
	if a, ok := arr.(*array.Decimal128); ok {
		if want.ID() == arrow.INT64 && narrow(a) {
			return fixedWidth(mem, want, arr, 8, func(b []byte) {
				for i, v := range a.Values() {
					arrow.Int64Traits.CastFromBytes(b)[i] = int64(v.LowBits()) //nolint:gosec // checked
				}
			}), nil
		}
		d := a.Data()
		data := array.NewData(decimal, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset())
		defer data.Release()
		return array.MakeFromData(data), nil
	}
	if a, ok := arr.(*array.Int64); ok && want.ID() == arrow.INT64 {
		a.Retain()
		return a, nil
	}
	if want.ID() != arrow.INT64 {
		want = decimal
	}
	switch a := arr.(type) {
	case *array.Int8:
		return widened(mem, want, arr, a.Int8Values()), nil
	case *array.Int16:
		return widened(mem, want, arr, a.Int16Values()), nil
	case *array.Int32:
		return widened(mem, want, arr, a.Int32Values()), nil
	case *array.Int64:
		return widened(mem, want, arr, a.Int64Values()), nil
	}
	return nil, errcode.Unread("numbers have the unsupported Arrow type %v; cast the column to VARCHAR", arr.DataType())
}

// narrow reports whether all values fit 64 bits.
func narrow(a *array.Decimal128) bool {
	for i, v := range a.Values() {
		if int64(v.LowBits())>>63 != v.HighBits() && a.IsValid(i) { //nolint:gosec // the sign's bits
			return false
		}
	}
	return true
}

// widened returns an array's integers as 64-bit integers or as decimals.
func widened[T int8 | int16 | int32 | int64](mem memory.Allocator, want arrow.DataType, arr arrow.Array,
	values []T) arrow.Array {
	if want.ID() == arrow.INT64 {
		return fixedWidth(mem, want, arr, 8, func(b []byte) {
			to := arrow.Int64Traits.CastFromBytes(b)
			for i, v := range values {
				to[i] = int64(v)
			}
		})
	}
	return fixedWidth(mem, want, arr, 16, func(b []byte) {
		to := arrow.Decimal128Traits.CastFromBytes(b)
		for i, v := range values {
			to[i] = decimal128.FromI64(int64(v))
		}
	})
}

// fixedWidth returns an array with the validity of another one, and values of width bytes that fill writes.
func fixedWidth(mem memory.Allocator, t arrow.DataType, of arrow.Array, width int, fill func([]byte)) arrow.Array {
	values := memory.NewResizableBuffer(mem)
	defer values.Release()
	values.Resize(of.Len() * width)
	fill(values.Bytes())
	valid := validityOf(mem, of)
	if valid != nil {
		defer valid.Release()
	}
	data := array.NewData(t, of.Len(), []*memory.Buffer{valid, values}, nil, of.NullN(), 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// validityOf returns an array's validity bitmap, starting at bit 0; nil if no value is NULL. It is shared if it starts
// there already.
func validityOf(mem memory.Allocator, arr arrow.Array) *memory.Buffer {
	if arr.NullN() == 0 || len(arr.NullBitmapBytes()) == 0 {
		return nil
	}
	if arr.Data().Offset() == 0 {
		b := arr.Data().Buffers()[0]
		b.Retain()
		return b
	}
	b := memory.NewResizableBuffer(mem)
	b.Resize(int(bitutil.BytesForBits(int64(arr.Len()))))
	for i := range b.Bytes() {
		b.Bytes()[i] = 0
	}
	for i := range arr.Len() {
		bitutil.SetBitTo(b.Bytes(), i, arr.IsValid(i))
	}
	return b
}

// timesOf converts times of day to nanoseconds. gosnowflake 1.19.1 declares them as nanoseconds, but they have the
// column's scale.
func timesOf(mem memory.Allocator, a *array.Time64, scale int32) (arrow.Array, error) {
	unit := powers[9-scale]
	if unit == 1 {
		a.Retain()
		return a, nil
	}
	return fixedWidth(mem, arrow.FixedWidthTypes.Time64ns, a, 8, func(b []byte) {
		to := arrow.Time64Traits.CastFromBytes(b)
		for i, v := range a.Time64Values() {
			to[i] = v * arrow.Time64(unit)
		}
	}), nil
}

var powers = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// decfloats converts decimal floating-point numbers, an exponent and a significand in two's complement, to strings.
func decfloats(mem memory.Allocator, a *array.Struct) (arrow.Array, error) {
	exponents, ok := a.Field(0).(*array.Int16)
	significands, also := a.Field(1).(*array.Binary)
	if !ok || !also {
		return nil, errcode.Unread("DECFLOAT values have the unsupported Arrow type %v; cast the column to VARCHAR",
			a.DataType())
	}
	b := array.NewStringBuilder(mem)
	defer b.Release()
	for i := range a.Len() {
		if a.IsNull(i) || significands.IsNull(i) {
			b.AppendNull()
			continue
		}
		bytes := significands.Value(i)
		n := new(big.Int).SetBytes(bytes)
		if len(bytes) > 0 && bytes[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes)))) //nolint:gosec // few bytes
		}
		b.Append(n.String() + "e" + strconv.Itoa(int(exponents.Value(i))))
	}
	return b.NewArray(), nil
}

// moments are a column's timestamps as seconds since 1970 and nanoseconds. They hold Snowflake's years 0 to 9999;
// Arrow's 64-bit nanoseconds only hold 1677 to 2262.
type moments struct {
	seconds []int64
	nanos   []int32
	null    func(i int) bool
}

// momentsOf parses timestamps: integers of the column's scale, or structs of an epoch, nanoseconds if the scale is
// above 7, and for TIMESTAMP_TZ the zone, which does not affect the instant.
func (c *Column) momentsOf(arr arrow.Array, scale int32) (*moments, error) {
	n := arr.Len()
	m := &moments{seconds: make([]int64, n), nanos: make([]int32, n), null: arr.IsNull}
	unexpected := errcode.Unread("timestamps have the unsupported Arrow type %v; cast the column to VARCHAR",
		arr.DataType())
	scaled := func(values []int64) {
		per := powers[scale]
		for i, v := range values {
			sec := v / per
			if v%per < 0 {
				sec--
			}
			m.seconds[i], m.nanos[i] = sec, int32((v-sec*per)*powers[9-scale]) //nolint:gosec // below 1e9
		}
	}
	switch a := arr.(type) {
	case *array.Int64:
		scaled(a.Int64Values())
		return m, nil
	case *array.Struct:
		zone := 0
		if c.Kind == "TIMESTAMP_TZ" {
			zone = 1
		}
		epochs, ok := a.Field(0).(*array.Int64)
		if !ok {
			return nil, unexpected
		}
		m.null = func(i int) bool { return a.IsNull(i) || epochs.IsNull(i) }
		switch a.NumField() - zone {
		case 1:
			scaled(epochs.Int64Values())
			return m, nil
		case 2:
			fractions, ok := a.Field(1).(*array.Int32)
			if !ok {
				return nil, unexpected
			}
			copy(m.seconds, epochs.Int64Values())
			copy(m.nanos, fractions.Int32Values())
			return m, nil
		}
	}
	return nil, unexpected
}

// run returns the number of rows from start on that fit one unit, and that unit: nanoseconds, or microseconds if more
// rows fit them.
func (m *moments) run(start int) (rows int, unit arrow.TimeUnit) {
	nanos, micros := 0, 0
	for i := start; i < len(m.seconds) && (nanos == i-start || micros == i-start); i++ {
		null := m.null(i)
		if nanos == i-start && (null || inNanoseconds(m.seconds[i], int64(m.nanos[i]))) {
			nanos++
		}
		if micros == i-start && (null || m.nanos[i]%1000 == 0) {
			micros++
		}
	}
	if micros > nanos {
		return micros, arrow.Microsecond
	}
	return nanos, arrow.Nanosecond
}

// inNanoseconds reports whether a time fits 64 bits of nanoseconds.
func inNanoseconds(sec, ns int64) bool {
	const low, high = math.MinInt64 / 1_000_000_000, math.MaxInt64 / 1_000_000_000
	return sec > low && (sec < high || sec == high && ns <= math.MaxInt64%1_000_000_000)
}

// array returns the timestamps of the rows from start to end, in t's unit.
func (m *moments) array(mem memory.Allocator, t *arrow.TimestampType, start, end int) arrow.Array {
	b := array.NewTimestampBuilder(mem, t)
	defer b.Release()
	b.Reserve(end - start)
	for i := start; i < end; i++ {
		switch sec, ns := m.seconds[i], int64(m.nanos[i]); {
		case m.null(i):
			b.AppendNull()
		case t.Unit == arrow.Nanosecond:
			b.UnsafeAppend(arrow.Timestamp(sec*1_000_000_000 + ns))
		default:
			b.UnsafeAppend(arrow.Timestamp(sec*1_000_000 + ns/1000))
		}
	}
	return b.NewArray()
}

package snowflake

import (
	"math"
	"math/big"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

// column is a column of a result as Snowflake describes it.
type column struct {
	name             string
	kind             string // FIXED, REAL, TEXT, …
	precision, scale int32  // of FIXED
	nullable         bool
	json             bool // came in a result in JSON
}

// Names of extension types in a field's metadata, see package driver.
const (
	extensionKey     = "ARROW:extension:name"
	extensionJSON    = "arrow.json"
	extensionDecimal = "badger.decimal"
)

// field is the column's Arrow field, going by its description alone. Integers are 64-bit ones until
// a batch holds a wider one.
func (c *column) field() arrow.Field {
	f := arrow.Field{Name: c.name, Nullable: c.nullable}
	extension := func(name string) { f.Metadata = arrow.NewMetadata([]string{extensionKey}, []string{name}) }
	switch c.kind {
	case "FIXED":
		f.Type = arrow.PrimitiveTypes.Int64
		if c.scale != 0 {
			f.Type = &arrow.Decimal128Type{Precision: c.digits(), Scale: c.scale}
		}
	case "REAL":
		f.Type = arrow.PrimitiveTypes.Float64
	case "DECFLOAT":
		f.Type = arrow.BinaryTypes.String
		extension(extensionDecimal)
	case "BOOLEAN":
		f.Type = arrow.FixedWidthTypes.Boolean
	case "BINARY":
		f.Type = arrow.BinaryTypes.Binary
	case "DATE":
		f.Type = arrow.FixedWidthTypes.Date32
	case "TIME":
		f.Type = arrow.FixedWidthTypes.Time64ns
	case "TIMESTAMP_NTZ":
		f.Type = &arrow.TimestampType{Unit: arrow.Nanosecond}
	case "TIMESTAMP_LTZ", "TIMESTAMP_TZ":
		f.Type = &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}
	case "VARIANT", "OBJECT", "ARRAY", "MAP":
		f.Type = arrow.BinaryTypes.String
		extension(extensionJSON)
	default: // TEXT, GEOGRAPHY, GEOMETRY and whatever is written as text
		f.Type = arrow.BinaryTypes.String
	}
	return f
}

func (c *column) digits() int32 {
	if c.precision < 1 || c.precision > 38 || c.precision < c.scale {
		return 38
	}
	return c.precision
}

// isTimestamp tells columns that the record's rows are cut by, see [instants].
func (c *column) isTimestamp() bool {
	return c.kind == "TIMESTAMP_NTZ" || c.kind == "TIMESTAMP_LTZ" || c.kind == "TIMESTAMP_TZ"
}

// decode makes an array of the column's type of what Snowflake sent. Want is the type that the
// reader has announced.
func (c *column) decode(mem memory.Allocator, arr arrow.Array, scale int32, want arrow.DataType) (arrow.Array, error) {
	unexpected := errcode.New(errcode.Unimplemented, "values of type %s came as %v, which is not read; cast the column to VARCHAR", c.kind, arr.DataType())
	switch c.kind {
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
	if c.kind == "VECTOR" {
		if _, ok := arr.(*array.FixedSizeList); !ok {
			return nil, unexpected
		}
	} else if c.field().Type.ID() != arr.DataType().ID() {
		return nil, unexpected
	}
	arr.Retain()
	return arr, nil
}

// decodeFixed reads numbers, which come as the narrowest integers that hold a batch, or as 128
// bits.
func (c *column) decodeFixed(mem memory.Allocator, arr arrow.Array, want arrow.DataType) (arrow.Array, error) {
	decimal := &arrow.Decimal128Type{Precision: c.digits(), Scale: c.scale}
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
	ints, ok := integers(arr)
	if !ok {
		return nil, errcode.New(errcode.Unimplemented, "numbers came as %v, which is not read; cast the column to VARCHAR", arr.DataType())
	}
	if want.ID() == arrow.INT64 {
		return fixedWidth(mem, want, arr, 8, func(b []byte) { ints(arrow.Int64Traits.CastFromBytes(b), nil) }), nil
	}
	return fixedWidth(mem, decimal, arr, 16, func(b []byte) { ints(nil, arrow.Decimal128Traits.CastFromBytes(b)) }), nil
}

// narrow tells whether 64 bits hold all values.
func narrow(a *array.Decimal128) bool {
	for i, v := range a.Values() {
		if int64(v.LowBits())>>63 != v.HighBits() && a.IsValid(i) { //nolint:gosec // the sign's bits
			return false
		}
	}
	return true
}

// integers returns what writes an array's integers as 64-bit or as 128-bit ones, one of which is
// nil.
func integers(arr arrow.Array) (func([]int64, []decimal128.Num), bool) {
	switch a := arr.(type) {
	case *array.Int8:
		return func(to []int64, wide []decimal128.Num) { widen(to, wide, a.Int8Values()) }, true
	case *array.Int16:
		return func(to []int64, wide []decimal128.Num) { widen(to, wide, a.Int16Values()) }, true
	case *array.Int32:
		return func(to []int64, wide []decimal128.Num) { widen(to, wide, a.Int32Values()) }, true
	case *array.Int64:
		return func(to []int64, wide []decimal128.Num) { widen(to, wide, a.Int64Values()) }, true
	}
	return nil, false
}

func widen[T int8 | int16 | int32 | int64](to []int64, wide []decimal128.Num, values []T) {
	if wide == nil {
		for i, v := range values {
			to[i] = int64(v)
		}
		return
	}
	for i, v := range values {
		wide[i] = decimal128.FromI64(int64(v))
	}
}

// fixedWidth makes an array with the validity of another and values that fill writes.
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

// validityOf is an array's validity from bit 0 on, shared where it begins there; nil where nothing
// is NULL.
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

// timesOf reads times of day. gosnowflake 1.19.1 calls them nanoseconds, but they are units of the
// column's scale.
func timesOf(mem memory.Allocator, a *array.Time64, scale int32) (arrow.Array, error) {
	if scale < 0 || scale > 9 {
		scale = 9
	}
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

// decfloats reads decimal floating-point numbers, an exponent and a significand in two's
// complement, as text.
func decfloats(mem memory.Allocator, a *array.Struct) (arrow.Array, error) {
	exponents, ok := a.Field(0).(*array.Int16)
	significands, also := a.Field(1).(*array.Binary)
	if !ok || !also {
		return nil, errcode.New(errcode.Unimplemented, "DECFLOAT values came as %v, which is not read; cast the column to VARCHAR", a.DataType())
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

// moments are a column's timestamps as whole seconds since 1970 and nanoseconds, which hold the
// years 0 to 9999 that Snowflake has; Arrow's 64 bits of nanoseconds hold 1677 to 2262.
type moments struct {
	seconds []int64
	nanos   []int32
	of      arrow.Array // whose NULLs count
	null    func(i int) bool
}

// momentsOf reads timestamps: integers of the column's scale, or structs of an epoch, nanoseconds
// beyond scale 7, and for TIMESTAMP_TZ the zone, which does not matter for the instant.
func (c *column) momentsOf(arr arrow.Array, scale int32) (*moments, error) {
	if scale < 0 || scale > 9 {
		scale = 9
	}
	n := arr.Len()
	m := &moments{seconds: make([]int64, n), nanos: make([]int32, n), of: arr, null: arr.IsNull}
	unexpected := errcode.New(errcode.Unimplemented, "timestamps came as %v, which is not read; cast the column to VARCHAR", arr.DataType())
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
		if c.kind == "TIMESTAMP_TZ" {
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

// run is how many rows from start on fit a unit, and which unit fits the most of them: nanoseconds
// or, for far years, microseconds.
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

// inNanoseconds tells whether 64 bits of nanoseconds hold a moment.
func inNanoseconds(sec, ns int64) bool {
	const low, high = math.MinInt64 / 1_000_000_000, math.MaxInt64 / 1_000_000_000
	return sec > low && (sec < high || sec == high && ns <= math.MaxInt64%1_000_000_000)
}

// array makes timestamps of the rows from start to end.
func (m *moments) array(mem memory.Allocator, t *arrow.TimestampType, start, end int) arrow.Array {
	n := end - start
	values, valid := memory.NewResizableBuffer(mem), memory.NewResizableBuffer(mem)
	defer values.Release()
	defer valid.Release()
	values.Resize(n * 8)
	valid.Resize(int(bitutil.BytesForBits(int64(n))))
	for i := range valid.Bytes() {
		valid.Bytes()[i] = 0
	}
	to := arrow.TimestampTraits.CastFromBytes(values.Bytes())
	nulls := 0
	for i := range n {
		if m.null(start + i) {
			to[i] = 0
			nulls++
			continue
		}
		bitutil.SetBit(valid.Bytes(), i)
		sec, ns := m.seconds[start+i], int64(m.nanos[start+i])
		if t.Unit == arrow.Nanosecond {
			to[i] = arrow.Timestamp(sec*1_000_000_000 + ns)
		} else {
			to[i] = arrow.Timestamp(sec*1_000_000 + ns/1000)
		}
	}
	data := array.NewData(t, n, []*memory.Buffer{valid, values}, nil, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

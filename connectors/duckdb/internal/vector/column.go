// Package vector copies the engine's vectors into Arrow arrays and Arrow arrays into vectors, and gives Go functions
// access to vectors as slices. It handles the memory layouts of the engine's types, but neither connections nor SQL.
package vector

import (
	"encoding/binary"
	"math"
	"math/big"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Column copies vectors of one engine type into Arrow arrays. The vectors are flat: value i is at index i.
type Column struct {
	field    arrow.Field
	mem      memory.Allocator
	children []Column
	words    arrow.Array // the dictionary of an ENUM
	width    int         // bytes of a fixed-width value, or length of an ARRAY
	internal mapping.Type
	build    func(c *Column, v mapping.Vector, n int) (arrow.ArrayData, error)
}

// NewColumn returns a column for a type of the engine. Its error for a type that cannot be read has the code
// Unimplemented.
func NewColumn(t mapping.LogicalType, mem memory.Allocator) (Column, error) {
	c := Column{mem: mem, field: arrow.Field{Nullable: true}}
	id := mapping.GetTypeId(t)
	for _, f := range fixedTypes {
		if f.id == id {
			c.field.Type, c.build, c.internal = f.arrow, (*Column).fixed, id
			c.width = f.arrow.(arrow.FixedWidthDataType).Bytes()
			return c, nil
		}
	}
	switch id {
	case mapping.TypeBoolean:
		c.field.Type, c.build = arrow.FixedWidthTypes.Boolean, (*Column).booleans
	case mapping.TypeDecimal:
		c.field.Type = &arrow.Decimal128Type{Precision: int32(mapping.DecimalWidth(t)), Scale: int32(mapping.DecimalScale(t))}
		c.internal, c.build = mapping.DecimalInternalType(t), (*Column).decimals
	case mapping.TypeHugeInt, mapping.TypeUHugeInt:
		c.field.Type = &arrow.Decimal256Type{Precision: 39} // 128 bits have 39 digits
		c.internal, c.build = id, (*Column).hugeInts
	case mapping.TypeVarchar:
		c.field.Type, c.build = arrow.BinaryTypes.String, (*Column).texts
		if mapping.LogicalTypeGetAlias(t) == "JSON" {
			c.field.Metadata = driverbase.JSON
		}
	case mapping.TypeBlob, mapping.TypeGeometry:
		c.field.Type, c.build = arrow.BinaryTypes.Binary, (*Column).texts
	case mapping.TypeBigNum:
		c.field.Type, c.field.Metadata = arrow.BinaryTypes.String, driverbase.Decimal
		c.build = (*Column).bigNums
	case mapping.TypeUUID:
		c.field.Type, c.field.Metadata = &arrow.FixedSizeBinaryType{ByteWidth: 16}, driverbase.UUID
		c.build = (*Column).uuids
	case mapping.TypeBit, mapping.TypeTimeTZ, mapping.TypeInterval:
		c.field.Type, c.internal, c.build = arrow.BinaryTypes.String, id, (*Column).written
	case mapping.TypeSQLNull:
		c.field.Type, c.build = arrow.Null, (*Column).nulls
	case mapping.TypeEnum:
		return c, c.enum(t)
	case mapping.TypeList, mapping.TypeMap, mapping.TypeArray, mapping.TypeStruct, mapping.TypeUnion:
		return c, c.nested(id, t)
	default:
		return c, errcode.Unread("unsupported type of the engine (%d); cast the column to VARCHAR or JSON", id)
	}
	return c, nil
}

// fixedTypes have the same memory layout in the engine and in Arrow. They are also the types that rows are written as,
// except the last two: more Arrow types are written as those.
var fixedTypes = []fixedType{
	{mapping.TypeTinyInt, "TINYINT", arrow.PrimitiveTypes.Int8},
	{mapping.TypeSmallInt, "SMALLINT", arrow.PrimitiveTypes.Int16},
	{mapping.TypeInteger, "INTEGER", arrow.PrimitiveTypes.Int32},
	{mapping.TypeBigInt, "BIGINT", arrow.PrimitiveTypes.Int64},
	{mapping.TypeUTinyInt, "UTINYINT", arrow.PrimitiveTypes.Uint8},
	{mapping.TypeUSmallInt, "USMALLINT", arrow.PrimitiveTypes.Uint16},
	{mapping.TypeUInteger, "UINTEGER", arrow.PrimitiveTypes.Uint32},
	{mapping.TypeUBigInt, "UBIGINT", arrow.PrimitiveTypes.Uint64},
	{mapping.TypeFloat, "FLOAT", arrow.PrimitiveTypes.Float32},
	{mapping.TypeDouble, "DOUBLE", arrow.PrimitiveTypes.Float64},
	{mapping.TypeDate, "DATE", arrow.FixedWidthTypes.Date32},
	{mapping.TypeTimeNS, "TIME_NS", arrow.FixedWidthTypes.Time64ns},
	{mapping.TypeTimestamp, "TIMESTAMP", &arrow.TimestampType{Unit: arrow.Microsecond}},
	{mapping.TypeTimestampS, "TIMESTAMP_S", &arrow.TimestampType{Unit: arrow.Second}},
	{mapping.TypeTimestampMS, "TIMESTAMP_MS", &arrow.TimestampType{Unit: arrow.Millisecond}},
	{mapping.TypeTimestampNS, "TIMESTAMP_NS", &arrow.TimestampType{Unit: arrow.Nanosecond}},
	{mapping.TypeTime, "TIME", arrow.FixedWidthTypes.Time64us},
	{mapping.TypeTimestampTZ, "TIMESTAMPTZ", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
}

type fixedType struct {
	id    mapping.Type
	sql   string
	arrow arrow.DataType
}

// Field returns the Arrow field of the column, without a name.
func (c *Column) Field() arrow.Field { return c.field }

// Read copies the first n values of a vector of the column's type. The data have the type of [Column.Field], except for
// a TIMESTAMP_NS vector with infinite values: these are in microseconds, because in nanoseconds Arrow's largest value
// is a valid time.
func (c *Column) Read(v mapping.Vector, n int) (arrow.ArrayData, error) {
	if c.internal == mapping.TypeTimestampNS && anyInfinite(v, n) {
		return c.micros(v, n)
	}
	return c.build(c, v, n)
}

// inner is like Read for the items of another type, which must all have the column's type.
func (c *Column) inner(v mapping.Vector, n int) (arrow.ArrayData, error) { return c.build(c, v, n) }

// Release releases the column's own buffers, but not the arrays that it has returned.
func (c *Column) Release() {
	if c.words != nil {
		c.words.Release()
		c.words = nil
	}
	for i := range c.children {
		c.children[i].Release()
	}
}

// buffer returns a new buffer of n bytes.
func (c *Column) buffer(n int) *memory.Buffer {
	b := memory.NewResizableBuffer(c.mem)
	b.Resize(n)
	return b
}

// raw returns the memory of a vector's first values, which take n bytes in total.
func raw(v mapping.Vector, bytes int) []byte {
	if bytes == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(mapping.VectorGetData(v)), bytes)
}

func values[T any](v mapping.Vector, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(mapping.VectorGetData(v)), n)
}

// mask returns the validity mask of n values: bit i%64 of word i/64 is 1 if value i is not NULL. nil means that none
// is.
func mask(v mapping.Vector, n int) []uint64 {
	p := mapping.VectorGetValidity(v)
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(p), (n+63)/64)
}

func valid(mask []uint64, i int) bool { return mask == nil || mask[i>>6]&(1<<(i&63)) != 0 }

// Each calls f with each of a vector's first n values that is not NULL. T must have the values' memory layout.
func Each[T any](v mapping.Vector, n int, f func(i int, x T)) {
	present := mask(v, n)
	for i, x := range values[T](v, n) {
		if valid(present, i) {
			f(i, x)
		}
	}
}

// validity returns a copy of the mask, which has Arrow's layout, and the number of NULLs; nil and 0 if no value is
// NULL.
func (c *Column) validity(v mapping.Vector, n int) (*memory.Buffer, int) {
	m := mask(v, n)
	if m == nil {
		return nil, 0
	}
	bits := unsafe.Slice((*byte)(unsafe.Pointer(&m[0])), 8*len(m))[:(n+7)/8]
	nulls := n - bitutil.CountSetBits(bits, 0, n)
	if nulls == 0 {
		return nil, 0
	}
	b := c.buffer(len(bits))
	copy(b.Bytes(), bits)
	return b, nulls
}

// data returns array data of the buffers and releases them.
func (c *Column) data(v mapping.Vector, n int, buffers []*memory.Buffer, children []arrow.ArrayData) arrow.ArrayData {
	present, nulls := c.validity(v, n)
	buffers = append([]*memory.Buffer{present}, buffers...)
	d := array.NewData(c.field.Type, n, buffers, children, nulls, 0)
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	for _, child := range children {
		child.Release()
	}
	return d
}

func (c *Column) fixed(v mapping.Vector, n int) (arrow.ArrayData, error) {
	if c.internal == mapping.TypeTimestampNS && anyInfinite(v, n) {
		return nil, errcode.Unread("an infinite TIMESTAMP_NS inside another type cannot be read; cast it to TIMESTAMP")
	}
	b := c.buffer(n * c.width)
	copy(b.Bytes(), raw(v, n*c.width))
	return c.data(v, n, []*memory.Buffer{b}, nil), nil
}

// anyInfinite reports whether one of the first n values, of a 64-bit time type, is infinite.
func anyInfinite(v mapping.Vector, n int) (found bool) {
	Each(v, n, func(_ int, x int64) { found = found || infinite(x) })
	return found
}

func infinite(x int64) bool { return x == math.MaxInt64 || x == -math.MaxInt64 }

// micros returns nanoseconds as microseconds. Infinite values are unchanged; fractions of a microsecond are an error.
func (c *Column) micros(v mapping.Vector, n int) (data arrow.ArrayData, err error) {
	b := c.buffer(8 * n)
	out := arrow.Int64Traits.CastFromBytes(b.Bytes())
	clear(out)
	Each(v, n, func(i int, x int64) {
		switch {
		case infinite(x):
			out[i] = x
		case x%1000 == 0:
			out[i] = x / 1000
		default:
			err = errcode.Unread(
				"an infinite TIMESTAMP_NS within %d rows of one with nanoseconds cannot be read; cast the column to TIMESTAMP", n)
		}
	})
	if err != nil {
		b.Release()
		return nil, err
	}
	present, nulls := c.validity(v, n)
	if present != nil {
		defer present.Release()
	}
	defer b.Release()
	return array.NewData(&arrow.TimestampType{Unit: arrow.Microsecond}, n, []*memory.Buffer{present, b}, nil, nulls,
		0), nil
}

func (c *Column) nulls(_ mapping.Vector, n int) (arrow.ArrayData, error) {
	return array.NewData(arrow.Null, n, []*memory.Buffer{nil}, nil, n, 0), nil
}

func (c *Column) booleans(v mapping.Vector, n int) (arrow.ArrayData, error) {
	b := c.buffer(int(bitutil.BytesForBits(int64(n))))
	bits := b.Bytes()
	clear(bits)
	for i, t := range raw(v, n) {
		if t != 0 {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return c.data(v, n, []*memory.Buffer{b}, nil), nil
}

// decimals returns decimals widened to 128 bits: those of up to 18 digits have fewer in the engine.
func (c *Column) decimals(v mapping.Vector, n int) (arrow.ArrayData, error) {
	b := c.buffer(16 * n)
	out := arrow.Int64Traits.CastFromBytes(b.Bytes())
	switch c.internal {
	case mapping.TypeSmallInt:
		widen(out, values[int16](v, n))
	case mapping.TypeInteger:
		widen(out, values[int32](v, n))
	case mapping.TypeBigInt:
		widen(out, values[int64](v, n))
	default:
		copy(b.Bytes(), raw(v, 16*n))
	}
	return c.data(v, n, []*memory.Buffer{b}, nil), nil
}

func widen[T int16 | int32 | int64](out []int64, in []T) {
	for i, x := range in {
		out[2*i], out[2*i+1] = int64(x), int64(x)>>63
	}
}

func (c *Column) hugeInts(v mapping.Vector, n int) (arrow.ArrayData, error) {
	b := c.buffer(32 * n)
	out := arrow.Int64Traits.CastFromBytes(b.Bytes())
	in := values[[2]int64](v, n)
	for i, x := range in {
		sign := x[1] >> 63
		if c.internal == mapping.TypeUHugeInt {
			sign = 0
		}
		copy(out[4*i:], []int64{x[0], x[1], sign, sign})
	}
	return c.data(v, n, []*memory.Buffer{b}, nil), nil
}

// Text is the engine's string: its length, then up to 12 bytes of it, or the first 4 bytes and a pointer to all of
// them.
type Text struct {
	length uint32
	prefix [4]byte
	tail   [8]byte // the rest of a short string, or the pointer of a long one
}

const inlined = 12

// Bytes returns the string's bytes, in the engine's memory.
func (t *Text) Bytes() []byte {
	if t.length <= inlined {
		return unsafe.Slice(&t.prefix[0], inlined)[:t.length]
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&t.tail)), int(t.length))
}

func (c *Column) texts(v mapping.Vector, n int) (arrow.ArrayData, error) {
	in, present := values[Text](v, n), mask(v, n)
	total := 0
	for i := range in {
		if valid(present, i) {
			total += int(in[i].length)
		}
	}
	if total > math.MaxInt32 {
		return nil, errcode.New(errcode.ResourceExhausted, "more than 2 GiB of text in %d rows", n)
	}
	offsets, data := c.buffer(4*(n+1)), c.buffer(total)
	ends, out := arrow.Int32Traits.CastFromBytes(offsets.Bytes()), data.Bytes()
	ends[0] = 0
	at := 0
	for i := range in {
		if valid(present, i) {
			at += copy(out[at:], in[i].Bytes())
		}
		ends[i+1] = int32(at) //nolint:gosec // checked above
	}
	return c.data(v, n, []*memory.Buffer{offsets, data}, nil), nil
}

// strings returns string data: write appends the string for row i, and is called for each value that is not NULL.
func (c *Column) strings(v mapping.Vector, n int, write func(b []byte, i int) []byte) (arrow.ArrayData, error) {
	present := mask(v, n)
	offsets := c.buffer(4 * (n + 1))
	ends := arrow.Int32Traits.CastFromBytes(offsets.Bytes())
	ends[0] = 0
	var out []byte
	for i := range n {
		if valid(present, i) {
			out = write(out, i)
		}
		ends[i+1] = int32(len(out)) //nolint:gosec // a few bytes each
	}
	return c.data(v, n, []*memory.Buffer{offsets, memory.NewBufferBytes(out)}, nil), nil
}

// bigNums returns large integers as decimal strings. They are stored as 3 bytes of length and sign, and the digits,
// most significant first, all complemented if negative.
func (c *Column) bigNums(v mapping.Vector, n int) (arrow.ArrayData, error) {
	in := values[Text](v, n)
	return c.strings(v, n, func(b []byte, i int) []byte {
		digits := append([]byte(nil), in[i].Bytes()...)
		if len(digits) < 4 {
			return append(b, '0')
		}
		positive := digits[0]&0x80 != 0
		if !positive {
			for j := range digits {
				digits[j] = ^digits[j]
			}
		}
		number := new(big.Int).SetBytes(digits[3:])
		if !positive {
			number.Neg(number)
		}
		return number.Append(b, 10)
	})
}

// uuids returns UUIDs. They are stored as 128-bit numbers whose highest bit is flipped, so that they sort.
func (c *Column) uuids(v mapping.Vector, n int) (arrow.ArrayData, error) {
	b := c.buffer(16 * n)
	for i, x := range values[[2]uint64](v, n) {
		binary.BigEndian.PutUint64(b.Bytes()[16*i:], x[1]^1<<63)
		binary.BigEndian.PutUint64(b.Bytes()[16*i+8:], x[0])
	}
	return c.data(v, n, []*memory.Buffer{b}, nil), nil
}

// written returns values of types that Arrow lacks as the strings that the engine would write.
func (c *Column) written(v mapping.Vector, n int) (arrow.ArrayData, error) {
	switch c.internal {
	case mapping.TypeBit:
		in := values[Text](v, n)
		return c.strings(v, n, func(b []byte, i int) []byte { return appendBits(b, in[i].Bytes()) })
	case mapping.TypeTimeTZ:
		in := values[uint64](v, n)
		return c.strings(v, n, func(b []byte, i int) []byte { return appendTimeTZ(b, in[i]) })
	}
	in := values[interval](v, n)
	return c.strings(v, n, func(b []byte, i int) []byte {
		return driverbase.AppendInterval(b, int64(in[i].months), int64(in[i].days), in[i].micros)
	})
}

package arrowtable

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// schema returns the Arrow schema for writing a table, from which the readers of this package restore its types.
// Timestamps get the coarsest of seconds, microseconds and nanoseconds that preserves them. Decimals get the digits
// that they need; beyond 76 they are utf8, marked badger.decimal. An ANY column is text.
func schema(t *scoring.Table) *arrow.Schema {
	fields := make([]arrow.Field, len(t.Columns))
	for i := range t.Columns {
		fields[i] = field(&t.Columns[i])
	}
	return arrow.NewSchema(fields, nil)
}

func field(c *scoring.Column) arrow.Field {
	f := arrow.Field{Name: c.Name, Nullable: true, Type: arrow.BinaryTypes.String}
	extension := func(name string) { f.Metadata = arrow.NewMetadata([]string{ExtensionKey}, []string{name}) }
	switch c.Type {
	case scoring.Null:
		f.Type = arrow.Null
	case scoring.Bool:
		f.Type = arrow.FixedWidthTypes.Boolean
	case scoring.Int64:
		f.Type = arrow.PrimitiveTypes.Int64
	case scoring.Float64:
		f.Type = arrow.PrimitiveTypes.Float64
	case scoring.Decimal:
		switch digits := max(decimalDigits(c), c.Scale, 1); {
		case digits <= 38:
			f.Type = &arrow.Decimal128Type{Precision: digits, Scale: c.Scale}
		case digits <= 76:
			f.Type = &arrow.Decimal256Type{Precision: digits, Scale: c.Scale}
		default:
			extension(ExtensionDecimal)
		}
	case scoring.Bytes:
		f.Type = arrow.BinaryTypes.Binary
	case scoring.Date:
		f.Type = arrow.FixedWidthTypes.Date32
	case scoring.Time:
		f.Type = arrow.FixedWidthTypes.Time64ns
	case scoring.Timestamp:
		f.Type = &arrow.TimestampType{Unit: timestampUnit(c)}
	case scoring.TimestampTZ:
		f.Type = &arrow.TimestampType{Unit: timestampUnit(c), TimeZone: "UTC"}
	case scoring.JSON:
		extension(ExtensionJSON)
	}
	return f
}

// decimalDigits returns the largest number of digits of the column's decimals, taken as integers without the point.
func decimalDigits(c *scoring.Column) int32 {
	digits := 0
	if ints := c.Ints(); ints != nil || c.Len() == 0 {
		for _, v := range ints {
			n, u := 1, uint64(max(v, -v)) //nolint:gosec // MinInt64 has 19 digits either way
			if v == math.MinInt64 {
				u = 1 << 63
			}
			for ; u >= 10; u /= 10 {
				n++
			}
			digits = max(digits, n)
		}
		return int32(digits) //nolint:gosec // at most 19
	}
	for i := range c.Len() {
		digits = max(digits, len(new(big.Int).Abs(unscaled(c, i)).String()))
	}
	return int32(digits) //nolint:gosec // bounded by scoring.MaxDecimalDigits
}

func unscaled(c *scoring.Column, i int) *big.Int {
	if c.IsNull(i) {
		return new(big.Int)
	}
	n, wide, _ := c.Value(i).Decimal()
	if wide == nil {
		wide = big.NewInt(n)
	}
	return wide
}

func timestampUnit(c *scoring.Column) arrow.TimeUnit {
	unit := arrow.Second
	for _, n := range c.Nanos() {
		switch {
		case n == 0:
		case n%1000 != 0:
			return arrow.Nanosecond
		default:
			unit = arrow.Microsecond
		}
	}
	return unit
}

// Record returns a table as one record. It shares vectors of numbers and strings with the table, and allocates the rest
// from mem.
func Record(mem memory.Allocator, t *scoring.Table) (arrow.Record, error) {
	return record(mem, t, schema(t), 0, t.Rows())
}

// maxBatchText is the maximum number of bytes of text of a column in one record. Arrow's offsets have 31 bits.
const maxBatchText = 1 << 30

// record returns a record of the rows from start up to, but without, end.
func record(mem memory.Allocator, t *scoring.Table, schema *arrow.Schema, start, end int) (arrow.Record, error) {
	cols := make([]arrow.Array, len(t.Columns))
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i := range cols {
		c := &t.Columns[i]
		arr, err := columnArray(mem, c, schema.Field(i).Type, start, end)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "column %d (%q): %w", i+1, c.Name, err)
		}
		cols[i] = arr
	}
	return array.NewRecord(schema, cols, int64(end-start)), nil
}

func columnArray(mem memory.Allocator, c *scoring.Column, t arrow.DataType, start, end int) (arrow.Array, error) {
	n := end - start
	if t.ID() == arrow.NULL {
		return array.NewNull(n), nil
	}
	buffers := []*memory.Buffer{validityOf(mem, c, start, end)}
	switch {
	case t.ID() == arrow.INT64 || t.ID() == arrow.TIME64:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(c.Ints()[start:end])))
	case t.ID() == arrow.FLOAT64:
		buffers = append(buffers, memory.NewBufferBytes(arrow.Float64Traits.CastToBytes(c.Floats()[start:end])))
	case c.Type == scoring.String || c.Type == scoring.Bytes || c.Type == scoring.JSON:
		b, err := sharedText(mem, c, start, end)
		if err != nil {
			release(buffers)
			return nil, err
		}
		buffers = append(buffers, b...)
	default:
		release(buffers)
		return builtArray(mem, c, t, start, end)
	}
	nulls := 0
	if buffers[0] != nil {
		nulls = array.UnknownNullCount
	}
	data := array.NewData(t, n, buffers, nil, nulls, 0)
	defer data.Release()
	release(buffers)
	return array.MakeFromData(data), nil
}

func release(buffers []*memory.Buffer) {
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
}

// validityOf returns the validity bitmap of the rows from start up to end. It returns nil if the column has no NULL
// there or later.
func validityOf(mem memory.Allocator, c *scoring.Column, start, end int) *memory.Buffer {
	if len(c.Nulls()) <= start>>6 {
		return nil
	}
	buf := memory.NewResizableBuffer(mem)
	buf.Resize(int(bitutil.BytesForBits(int64(end - start))))
	bits := buf.Bytes()
	for i := range bits {
		bits[i] = 0xff
	}
	for i := start; i < end; i++ {
		if c.IsNull(i) {
			bitutil.ClearBit(bits, i-start)
		}
	}
	return buf
}

// sharedText returns a buffer of offsets, and one of text that it shares with c, for the rows from start up to end.
func sharedText(mem memory.Allocator, c *scoring.Column, start, end int) ([]*memory.Buffer, error) {
	text, ends := c.Texts()
	first := uint32(0)
	if start > 0 {
		first = ends[start-1]
	}
	last := first
	if end > start {
		last = ends[end-1]
	}
	if last-first > math.MaxInt32 {
		return nil, errcode.New(errcode.ResourceExhausted, "more than 2 GiB of text in one record")
	}
	buf := memory.NewResizableBuffer(mem)
	buf.Resize(4 * (end - start + 1))
	offsets := arrow.Int32Traits.CastFromBytes(buf.Bytes())
	offsets[0] = 0
	for i := start; i < end; i++ {
		offsets[i-start+1] = int32(ends[i] - first) //nolint:gosec // checked above
	}
	return []*memory.Buffer{buf, memory.NewBufferBytes(text[first:last:last])}, nil
}

func builtArray(mem memory.Allocator, c *scoring.Column, t arrow.DataType, start, end int) (arrow.Array, error) {
	b := array.NewBuilder(mem, t)
	defer b.Release()
	b.Reserve(end - start)
	for i := start; i < end; i++ {
		if c.IsNull(i) {
			b.AppendNull()
			continue
		}
		if err := appendTo(b, c, i); err != nil {
			return nil, errcode.New(errcode.Of(err), "row %d: %w", i+1, err)
		}
	}
	return b.NewArray(), nil
}

func appendTo(b array.Builder, c *scoring.Column, i int) error {
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(c.Ints()[i] != 0)
	case *array.Date32Builder:
		days := c.Ints()[i]
		if days != int64(int32(days)) { //nolint:gosec // the check itself
			return errcode.New(errcode.InvalidArgument, "a date beyond 32 bits of days")
		}
		b.Append(arrow.Date32(days)) //nolint:gosec // checked above
	case *array.TimestampBuilder:
		units, nanosEach := perSecond(b.Type().(*arrow.TimestampType).Unit)
		v := c.Value(i)
		sec := v.Int()
		if infinity := sec == infinite || sec == -infinite; infinity && v.Nanos() == 0 && units < 1e9 {
			b.Append(arrow.Timestamp(math.MaxInt64 * (sec / infinite)))
			return nil
		}
		if sec > math.MaxInt64/units-1 || sec < math.MinInt64/units+1 {
			return errcode.New(errcode.InvalidArgument, "a timestamp beyond 64 bits of %v", b.Type().(*arrow.TimestampType).Unit)
		}
		b.Append(arrow.Timestamp(sec*units + int64(v.Nanos())/nanosEach))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromBigInt(unscaled(c, i)))
	case *array.Decimal256Builder:
		b.Append(decimal256.FromBigInt(unscaled(c, i)))
	case *array.StringBuilder:
		if b.DataLen() > maxBatchText {
			return errcode.New(errcode.ResourceExhausted, "more than %d bytes of text in one record", maxBatchText)
		}
		b.Append(c.Value(i).String())
	default:
		return errcode.New(errcode.Internal, "no way to write %v as %v", c.Type, b.Type())
	}
	return nil
}

// NewReader returns a reader of the table's rows, in records of at most rows rows. The caller must release it.
func NewReader(mem memory.Allocator, t *scoring.Table, rows int) (array.RecordReader, error) {
	schema := schema(t)
	var records []arrow.Record
	defer func() {
		for _, r := range records {
			r.Release()
		}
	}()
	for start := 0; start < t.Rows(); {
		end := batchEnd(t, start, rows)
		rec, err := record(mem, t, schema, start, end)
		if err != nil {
			return nil, err
		}
		records = append(records, rec)
		start = end
	}
	return array.NewRecordReader(schema, records)
}

// batchEnd returns the end of the batch of rows that begins at start. It has at most rows rows, and no more text in a
// column than fits one record.
func batchEnd(t *scoring.Table, start, rows int) int {
	end := min(start+max(rows, 1), t.Rows())
	for i := range t.Columns {
		_, ends := t.Columns[i].Texts()
		if ends == nil {
			continue
		}
		first := uint32(0)
		if start > 0 {
			first = ends[start-1]
		}
		for end > start+1 && ends[end-1]-first > maxBatchText {
			end = start + (end-start)/2
		}
	}
	return end
}

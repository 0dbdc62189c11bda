package server

import (
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
)

// readArrow reads an Arrow array as argument k of fn. It does not copy strings of the parameter's type. It converts
// other types without loss; a value that cannot be converted fails its row. The error is that the array is invalid,
// has an unsupported type, or that memory is short.
func readArrow(in *udf.Batch, fn *udf.Function, k int, arr arrow.Array, counted *account.Tally) (err error) {
	defer func() {
		if recover() != nil { // offsets that point outside of the buffers
			err = errNotArrow
		}
	}()
	if e, ok := arr.(array.ExtensionArray); ok {
		arr = e.Storage()
	}
	col := &in.Args[k]
	if readSame(col, arr) {
		return nil
	}
	if arr.DataType().ID() == arrow.NULL {
		for range in.Rows {
			col.AppendNull()
		}
		return nil
	}
	index := func(i int) int { return i }
	values := arr
	if d, ok := arr.(*array.Dictionary); ok {
		index, values = d.GetValueIndex, d.Dictionary()
	}
	text, ok := textsOf(values)
	if !ok {
		return errcode.New(errcode.InvalidArgument, "argument %d (%s): an Arrow column of type %s, expected %v", k+1,
			fn.Params[k].Name, values.DataType().Name(), col.Type)
	}
	for i := range in.Rows {
		if arr.IsNull(i) || values.IsNull(index(i)) {
			col.AppendNull()
			continue
		}
		value := text(index(i))
		wrong := col.AppendText(value)
		size := int64(len(value))
		if wrong != "" {
			size += badBytes
		}
		if err := counted.Add(size); err != nil {
			return err
		}
		if wrong != "" {
			in.BadArgument(fn, k, i, wrong)
		}
	}
	return nil
}

// readSame appends an array that has the column's own type. It reports false, and changes nothing, for another type.
func readSame(col *udf.Column, arr arrow.Array) bool {
	n := arr.Len()
	textual := col.Type == udf.VARCHAR || col.Type == udf.JSON
	switch a := arr.(type) {
	case *array.String:
		if !textual {
			return false
		}
		if n > 0 {
			col.Texts = cutTexts(col.Texts, a.ValueBytes(), a.ValueOffsets())
		}
	case *array.LargeString:
		if !textual {
			return false
		}
		if n > 0 {
			col.Texts = cutTexts(col.Texts, a.ValueBytes(), a.ValueOffsets())
		}
	case *array.Float64:
		if col.Type != udf.DOUBLE {
			return false
		}
		col.Floats = append(col.Floats, a.Float64Values()[:n]...)
	case *array.Int64:
		if col.Type != udf.BIGINT {
			return false
		}
		col.Ints = append(col.Ints, a.Int64Values()[:n]...)
	default:
		return false
	}
	col.Nulls = columnar.Zeroed(col.Nulls, n)
	if arr.NullN() != 0 {
		for i := range col.Nulls {
			col.Nulls[i] = arr.IsNull(i)
		}
	}
	return true
}

// cutTexts returns the n strings of values that n+1 offsets delimit. values starts at the first offset. It reuses
// texts.
func cutTexts[T int32 | int64](texts []string, values []byte, offsets []T) []string {
	n := len(offsets) - 1
	texts = slices.Grow(texts[:0], n)[:n]
	all, from := textOf(values), offsets[0]
	start := T(0)
	for i, end := range offsets[1:] {
		texts[i] = all[start : end-from]
		start = end - from
	}
	return texts
}

// textsOf returns a function that formats value i of an array as text without loss; ok is false for an unsupported
// type.
func textsOf(arr arrow.Array) (text func(i int) string, ok bool) {
	value := func(f func(i int) scoring.Value) func(i int) string {
		return func(i int) string { return f(i).String() }
	}
	switch a := arr.(type) {
	case *array.String:
		return a.Value, true
	case *array.LargeString:
		return a.Value, true
	case *array.StringView:
		return func(i int) string { checkView(a.ValueHeader(i)); return a.Value(i) }, true
	case *array.Binary: // JSON as Databend has it
		return func(i int) string { return textOf(a.Value(i)) }, true
	case *array.LargeBinary:
		return func(i int) string { return textOf(a.Value(i)) }, true
	case *array.BinaryView:
		return func(i int) string { checkView(a.ValueHeader(i)); return textOf(a.Value(i)) }, true
	case *array.Boolean:
		return func(i int) string { return strconv.FormatBool(a.Value(i)) }, true
	case *array.Int8:
		return integers(a.Value), true
	case *array.Int16:
		return integers(a.Value), true
	case *array.Int32:
		return integers(a.Value), true
	case *array.Int64:
		return integers(a.Value), true
	case *array.Uint8:
		return integers(a.Value), true
	case *array.Uint16:
		return integers(a.Value), true
	case *array.Uint32:
		return integers(a.Value), true
	case *array.Uint64:
		return func(i int) string { return strconv.FormatUint(a.Value(i), 10) }, true
	case *array.Float16:
		return func(i int) string { return strconv.FormatFloat(float64(a.Value(i).Float32()), 'g', -1, 32) }, true
	case *array.Float32:
		return func(i int) string { return strconv.FormatFloat(float64(a.Value(i)), 'g', -1, 32) }, true
	case *array.Float64:
		return func(i int) string { return udf.FormatFloat(a.Value(i)) }, true
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale //nolint:forcetypeassert // by construction
		return value(func(i int) scoring.Value { return scoring.BigDecimalValue(a.Value(i).BigInt(), scale) }), saneScale(
			scale)
	case *array.Decimal256:
		scale := a.DataType().(*arrow.Decimal256Type).Scale //nolint:forcetypeassert // by construction
		return value(func(i int) scoring.Value { return scoring.BigDecimalValue(a.Value(i).BigInt(), scale) }), saneScale(
			scale)
	case *array.Date32:
		return value(func(i int) scoring.Value { return scoring.DateValue(int64(a.Value(i))) }), true
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType) //nolint:forcetypeassert // by construction
		kind := scoring.Timestamp
		if t.TimeZone != "" {
			kind = scoring.TimestampTZ
		}
		unit := int64(t.Unit.Multiplier())
		return value(func(i int) scoring.Value {
			perSecond := int64(1e9) / unit
			secs, rest := int64(a.Value(i))/perSecond, int64(a.Value(i))%perSecond
			if rest < 0 {
				secs, rest = secs-1, rest+perSecond
			}
			return scoring.TimestampValue(kind, secs, int32(rest*unit)) //nolint:gosec // below 1e9
		}), true
	}
	return nil, false
}

func integers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](value func(int) T) func(int) string {
	return func(i int) string { return strconv.FormatInt(int64(value(i)), 10) }
}

// saneScale reports whether a decimal's scale is small enough to write its zeros.
func saneScale(scale int32) bool { return scale >= -1000 && scale <= 1000 }

// checkView panics if a view has a negative length, which the library would take for a short string.
func checkView(h *arrow.ViewHeader) {
	if h.Len() < 0 {
		panic(errNotArrow)
	}
}

// writeArrow returns a record of a result. Numbers are not copied: the record must be written before the column is
// reused.
func writeArrow(c *udf.Column, schema *arrow.Schema) (arrow.Record, error) {
	n := c.Len()
	validity, nulls := validityOf(c.Nulls)
	buffers := []*memory.Buffer{validity, nil}
	switch c.Type {
	case udf.DOUBLE:
		buffers[1] = bufferOf(c.Floats)
	case udf.BIGINT:
		buffers[1] = bufferOf(c.Ints)
	case udf.BOOLEAN:
		bits := make([]byte, (n+7)/8)
		for i, v := range c.Bools {
			if v {
				bits[i>>3] |= 1 << (i & 7)
			}
		}
		buffers[1] = memory.NewBufferBytes(bits)
	default:
		total := 0
		for i, text := range c.Texts {
			if !c.Nulls[i] {
				total += len(text)
			}
		}
		if total > math.MaxInt32 {
			return nil, errcode.New(errcode.ResourceExhausted,
				"the results of %d rows are longer than 2 GiB; send fewer rows at once", n)
		}
		data := make([]byte, 0, total)
		if schema.Field(0).Type.ID() == arrow.LARGE_BINARY {
			ends := make([]int64, n+1)
			for i, text := range c.Texts {
				if !c.Nulls[i] {
					data = append(data, text...)
				}
				ends[i+1] = int64(len(data))
			}
			buffers[1] = bufferOf(ends)
		} else {
			ends := make([]int32, n+1)
			for i, text := range c.Texts {
				if !c.Nulls[i] {
					data = append(data, text...)
				}
				ends[i+1] = int32(len(data)) //nolint:gosec // checked above
			}
			buffers[1] = bufferOf(ends)
		}
		buffers = append(buffers, memory.NewBufferBytes(data))
	}
	data := array.NewData(schema.Field(0).Type, n, buffers, nil, nulls, 0)
	defer data.Release()
	arr := array.MakeFromData(data)
	defer arr.Release()
	return array.NewRecord(schema, []arrow.Array{arr}, int64(n)), nil
}

// validityOf returns the Arrow validity bitmap, in which a 1 is a value that is not NULL, and the number of NULLs.
// The bitmap is nil without NULLs.
func validityOf(isNull []bool) (bitmap *memory.Buffer, nulls int) {
	var bits []byte
	for i, null := range isNull {
		if !null {
			continue
		}
		if bits == nil {
			bits = make([]byte, (len(isNull)+7)/8)
			for j := range bits {
				bits[j] = 0xff
			}
		}
		bits[i>>3] &^= 1 << (i & 7)
		nulls++
	}
	if bits == nil {
		return nil, 0
	}
	return memory.NewBufferBytes(bits), nulls
}

// bufferOf returns an Arrow buffer that shares the memory of s.
func bufferOf[T int32 | int64 | float64](s []T) *memory.Buffer {
	if len(s) == 0 {
		return memory.NewBufferBytes(nil)
	}
	return memory.NewBufferBytes(
		unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0]))))
}

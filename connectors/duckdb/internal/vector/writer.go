package vector

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Stored is the engine's type for an Arrow field, and the function that fills its vectors.
type Stored struct {
	SQL   string // the type's name
	id    mapping.Type
	width uint8 // precision of a decimal
	scale uint8
	fill  func(w *Writer, v mapping.Vector, arr arrow.Array, start, end int) error
}

// StoredAs returns the engine's type that stores a field's values exactly. If no type does, the error has the code
// Unimplemented.
func StoredAs(f arrow.Field) (Stored, error) {
	if driverbase.Marked(f, driverbase.UUID) {
		return Stored{id: mapping.TypeUUID, SQL: "UUID", fill: fillUUIDs}, nil
	}
	switch t := f.Type.(type) {
	case *arrow.NullType:
		return Stored{id: mapping.TypeInteger, SQL: "INTEGER", fill: fillNulls}, nil
	case *arrow.BooleanType:
		return Stored{id: mapping.TypeBoolean, SQL: "BOOLEAN", fill: fillBooleans}, nil
	case *arrow.StringType, *arrow.LargeStringType, *arrow.DictionaryType:
		name := "VARCHAR"
		if driverbase.Marked(f, driverbase.JSON) {
			name = "JSON"
		}
		return Stored{id: mapping.TypeVarchar, SQL: name, fill: fillTexts}, nil
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.FixedSizeBinaryType:
		return Stored{id: mapping.TypeBlob, SQL: "BLOB", fill: fillTexts}, nil
	case *arrow.Decimal128Type:
		if t.Precision > 38 || t.Scale < 0 || t.Scale > t.Precision {
			break
		}
		return Stored{id: mapping.TypeDecimal, SQL: fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale), width: uint8(t.Precision), scale: uint8(t.Scale), fill: fillDecimals}, nil //nolint:gosec // checked
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return Stored{id: mapping.TypeTimestampTZ, SQL: "TIMESTAMPTZ", fill: fillInstants}, nil
		}
	case *arrow.Time64Type:
		return Stored{id: mapping.TypeTimeNS, SQL: "TIME_NS", fill: fillTimes}, nil
	}
	for _, same := range fixedTypes {
		if arrow.TypeEqual(same.arrow, f.Type) {
			return Stored{id: same.id, SQL: same.sql, fill: fillFixed}, nil
		}
	}
	return Stored{}, errcode.New(errcode.Unimplemented,
		"unsupported Arrow type %v: no type of the engine stores its values exactly", f.Type)
}

// Writer copies records into a chunk of the engine, some rows at a time.
type Writer struct {
	columns   []Stored
	types     []mapping.LogicalType
	chunk     mapping.DataChunk
	textBytes int // number of bytes of strings in the chunk
	scratch   []byte
}

// NewWriter returns a writer for records with a schema. The error names the first column of an unsupported type.
func NewWriter(s *arrow.Schema) (*Writer, error) {
	w := &Writer{}
	for i, f := range s.Fields() {
		c, err := StoredAs(f)
		if err != nil {
			w.Close()
			return nil, errcode.New(errcode.Of(err), "duckdb: column %d (%q): %w", i+1, f.Name, err)
		}
		w.columns = append(w.columns, c)
		if c.id == mapping.TypeDecimal {
			w.types = append(w.types, mapping.CreateDecimalType(c.width, c.scale))
		} else {
			w.types = append(w.types, mapping.CreateLogicalType(c.id))
		}
	}
	w.chunk = mapping.CreateDataChunk(w.types)
	return w, nil
}

// Chunk returns the chunk, with the rows of the last call of Fill.
func (w *Writer) Chunk() mapping.DataChunk { return w.chunk }

// TextBytes returns the number of bytes of text in the chunk.
func (w *Writer) TextBytes() int { return w.textBytes }

// Close destroys the chunk.
func (w *Writer) Close() {
	mapping.DestroyDataChunk(&w.chunk)
	for i := range w.types {
		mapping.DestroyLogicalType(&w.types[i])
	}
}

// maxChunkText is the maximum number of bytes of strings in a chunk, as lengths have 32 bits.
const maxChunkText = 1 << 30

// Fill copies rows into the chunk, from start to end, as many as fit. before is the number of rows written so far, for
// errors.
func (w *Writer) Fill(rec arrow.Record, start int, before int64) (end int, err error) {
	mapping.DataChunkReset(w.chunk)
	w.textBytes = 0
	end = min(start+int(mapping.VectorSize()), int(rec.NumRows())) //nolint:gosec // 2048
	for i := range w.columns {
		for end > start+1 && textLength(rec.Column(i), start, end) > maxChunkText {
			end = start + (end-start)/2
		}
	}
	for i := range w.columns {
		arr := rec.Column(i)
		v := mapping.DataChunkGetVector(w.chunk, mapping.IdxT(i)) //nolint:gosec // few
		if err := w.columns[i].fill(w, v, arr, start, end); err != nil {
			return 0, errcode.New(errcode.Of(err), "duckdb: column %d (%q), rows from %d on: %w", i+1, rec.ColumnName(i),
				before+1, err)
		}
		if arr.NullN() > 0 {
			setNulls(v, end-start, func(i int) bool { return arr.IsNull(start + i) })
		}
	}
	mapping.DataChunkSetSize(w.chunk, mapping.IdxT(end-start)) //nolint:gosec // positive
	return end, nil
}

func textLength(arr arrow.Array, start, end int) int {
	switch a := arr.(type) {
	case *array.String:
		return int(a.ValueOffsets()[end] - a.ValueOffsets()[start])
	case *array.Binary:
		return int(a.ValueOffsets()[end] - a.ValueOffsets()[start])
	}
	return 0
}

// setNulls sets the values of a vector for which null returns true to NULL.
func setNulls(v mapping.Vector, n int, null func(i int) bool) {
	mapping.VectorEnsureValidityWritable(v)
	m := mask(v, n)
	for i := range n {
		if null(i) {
			m[i>>6] &^= 1 << (i & 63)
		}
	}
}

func fillNulls(_ *Writer, v mapping.Vector, _ arrow.Array, start, end int) error {
	mapping.VectorEnsureValidityWritable(v)
	clear(mask(v, end-start))
	return nil
}

func fillFixed(_ *Writer, v mapping.Vector, arr arrow.Array, start, end int) error {
	size := arr.DataType().(arrow.FixedWidthDataType).Bytes()
	from := (arr.Data().Offset() + start) * size
	copy(raw(v, (end-start)*size), arr.Data().Buffers()[1].Bytes()[from:])
	return nil
}

func fillBooleans(_ *Writer, v mapping.Vector, arr arrow.Array, start, end int) error {
	out, a := raw(v, end-start), arr.(*array.Boolean)
	for i := range out {
		out[i] = 0
		if a.Value(start + i) {
			out[i] = 1
		}
	}
	return nil
}

// fillTimes writes times of day as nanoseconds.
func fillTimes(_ *Writer, v mapping.Vector, arr arrow.Array, start, end int) error {
	unit := int64(1)
	if arr.DataType().(*arrow.Time64Type).Unit == arrow.Microsecond {
		unit = 1000
	}
	out, in := values[int64](v, end-start), arr.(*array.Time64).Time64Values()[start:end]
	for i := range out {
		out[i] = int64(in[i]) * unit
	}
	return nil
}

// fillInstants writes timestamps with a zone as microseconds, the engine's only precision for them.
func fillInstants(_ *Writer, v mapping.Vector, arr arrow.Array, start, end int) error {
	out, in := values[int64](v, end-start), arr.(*array.Timestamp).TimestampValues()[start:end]
	unit := arr.DataType().(*arrow.TimestampType).Unit
	up := map[arrow.TimeUnit]int64{arrow.Second: 1e6, arrow.Millisecond: 1e3, arrow.Microsecond: 1,
		arrow.Nanosecond: 1}[unit]
	for i := range out {
		t := int64(in[i])
		switch {
		case arr.IsNull(start + i):
			t = 0
		case unit == arrow.Nanosecond && t%1000 != 0:
			return errcode.New(errcode.InvalidArgument, "a timestamp with nanoseconds; the engine stores microseconds")
		case unit == arrow.Nanosecond:
			t /= 1000
		case t*up/up != t:
			return errcode.New(errcode.InvalidArgument, "a timestamp beyond 64 bits of microseconds")
		default:
			t *= up
		}
		out[i] = t
	}
	return nil
}

// fillDecimals writes decimals with as many of Arrow's 16 bytes as their precision needs.
func fillDecimals(_ *Writer, v mapping.Vector, arr arrow.Array, start, end int) error {
	n := end - start
	from := (arr.Data().Offset() + start) * 16
	in := arrow.Int64Traits.CastFromBytes(arr.Data().Buffers()[1].Bytes()[from : from+16*n])
	switch p := arr.DataType().(*arrow.Decimal128Type).Precision; {
	case p <= 4:
		narrow(values[int16](v, n), in)
	case p <= 9:
		narrow(values[int32](v, n), in)
	case p <= 18:
		narrow(values[int64](v, n), in)
	default:
		copy(values[int64](v, 2*n), in)
	}
	return nil
}

func narrow[T int16 | int32 | int64](out []T, in []int64) {
	for i := range out {
		out[i] = T(in[2*i]) //nolint:gosec // within the precision
	}
}

func fillUUIDs(_ *Writer, v mapping.Vector, arr arrow.Array, start, end int) error {
	a, ok := arr.(*array.FixedSizeBinary)
	if !ok || a.DataType().(*arrow.FixedSizeBinaryType).ByteWidth != 16 {
		return errcode.New(errcode.InvalidArgument, "expected UUIDs of 16 bytes")
	}
	out := values[[2]uint64](v, end-start)
	for i := range out {
		if a.IsValid(start + i) {
			b := a.Value(start + i)
			out[i] = [2]uint64{binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b) ^ 1<<63}
		}
	}
	return nil
}

// fillTexts copies all strings into the vector's memory in one step and makes the values point into it.
func fillTexts(w *Writer, v mapping.Vector, arr arrow.Array, start, end int) error {
	var value func(i int) string
	switch a := arr.(type) {
	case *array.String:
		value = a.Value
	case *array.LargeString:
		value = a.Value
	case *array.Binary:
		value = a.ValueString
	case *array.LargeBinary:
		value = a.ValueString
	case *array.FixedSizeBinary:
		value = func(i int) string { b := a.Value(i); return unsafe.String(unsafe.SliceData(b), len(b)) }
	case *array.Dictionary:
		words, ok := a.Dictionary().(*array.String)
		if !ok {
			return errcode.New(errcode.Unimplemented, "unsupported Arrow type %v", arr.DataType())
		}
		value = func(i int) string { return words.Value(a.GetValueIndex(i)) }
	default:
		return errcode.New(errcode.Unimplemented, "unsupported Arrow type %v", arr.DataType())
	}
	if a, ok := arr.(*array.String); ok && start < end {
		if all, ok := adjacent(a, start, end); ok {
			w.textBytes += len(all)
			offsets := a.ValueOffsets()[start:]
			setTexts(v, all, end-start, func(i int) int { return int(offsets[i+1] - offsets[i]) })
			return nil
		}
	}
	_, bytes := arr.DataType().(arrow.BinaryDataType)
	check := !bytes || arr.DataType().(arrow.BinaryDataType).IsUtf8()
	if arr.DataType().ID() == arrow.FIXED_SIZE_BINARY {
		check = false
	}
	w.scratch = w.scratch[:0]
	for i := start; i < end; i++ {
		if arr.IsValid(i) {
			s := value(i)
			if check && !utf8.ValidString(s) {
				return errcode.New(errcode.InvalidArgument, "row %d of them: expected UTF-8 text", i-start+1)
			}
			w.scratch = append(w.scratch, s...)
		}
	}
	w.textBytes += len(w.scratch)
	at := 0
	setTexts(v, w.scratch, end-start, func(i int) int {
		if arr.IsNull(start + i) {
			return 0
		}
		n := len(value(start + i))
		at += n
		return n
	})
	return nil
}

// adjacent returns the bytes of rows start to end, which are contiguous. It returns false if a row is invalid UTF-8 or
// a NULL has bytes.
func adjacent(a *array.String, start, end int) ([]byte, bool) {
	offsets := a.ValueOffsets()
	from, to := offsets[start], offsets[end]
	if from == to {
		return nil, true
	}
	all := a.Data().Buffers()[2].Bytes()[from:to]
	if !utf8.Valid(all) {
		return nil, false
	}
	for i := start; i < end; i++ {
		if at := offsets[i]; at < to && !utf8.RuneStart(all[at-from]) || a.NullN() > 0 && a.IsNull(i) && offsets[i+1] > at {
			return nil, false
		}
	}
	return all, true
}

// setTexts sets n values of a string vector to consecutive strings of the given lengths in all.
func setTexts(v mapping.Vector, all []byte, n int, length func(i int) int) {
	out := values[Text](v, n)
	var base unsafe.Pointer
	if len(all) > inlined && n > 0 {
		bindings.UnsafeVectorAssignStringElementLen(v, 0, all) // copies all into the vector's memory; UTF-8 was checked
		base = *(*unsafe.Pointer)(unsafe.Pointer(&out[0].tail))
	}
	at := 0
	for i := range out {
		size := length(i)
		s := all[at : at+size]
		out[i] = Text{length: uint32(size)} //nolint:gosec // below maxChunkText
		if size <= inlined {
			copy(unsafe.Slice(&out[i].prefix[0], inlined), s)
		} else {
			copy(out[i].prefix[:], s)
			*(*unsafe.Pointer)(unsafe.Pointer(&out[i].tail)) = unsafe.Add(base, at)
		}
		at += size
	}
}

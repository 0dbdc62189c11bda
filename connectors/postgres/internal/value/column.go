package value

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Column describes how a column of a result is read.
type Column struct {
	Field  arrow.Field
	Format int16 // wire format: 0 is text, 1 is binary
	// Add parses a value that is not NULL and appends it to a builder of the field's type. The error does not name the
	// column or the row.
	Add func(b array.Builder, v []byte) error

	oid uint32
}

type appender func(b array.Builder, v []byte) error

var (
	errMalformed = errcode.New(errcode.DataLoss, "a value is not what its type says")
	errTooFar    = errcode.Unread("a time is too far away to be read; cast the column to text")
)

// form describes how values of a type are parsed from their binary and their text format.
type form struct {
	arrow        arrow.DataType
	binary, text appender
}

var forms = map[uint32]form{
	pgtype.BoolOID: {arrow.FixedWidthTypes.Boolean,
		fixed(1, func(b array.Builder, v []byte) { b.(*array.BooleanBuilder).Append(v[0] != 0) }), addParsed},
	pgtype.Int2OID: {arrow.PrimitiveTypes.Int16,
		fixed(2, func(b array.Builder, v []byte) { b.(*array.Int16Builder).Append(int16(binary.BigEndian.Uint16(v))) }),
		addParsed},
	pgtype.Int4OID: {arrow.PrimitiveTypes.Int32,
		fixed(4, func(b array.Builder, v []byte) { b.(*array.Int32Builder).Append(int32(binary.BigEndian.Uint32(v))) }),
		addParsed},
	pgtype.Int8OID: {arrow.PrimitiveTypes.Int64,
		fixed(8, func(b array.Builder, v []byte) { b.(*array.Int64Builder).Append(int64(binary.BigEndian.Uint64(v))) }),
		addParsed},
	pgtype.OIDOID: {arrow.PrimitiveTypes.Uint32,
		fixed(4, func(b array.Builder, v []byte) { b.(*array.Uint32Builder).Append(binary.BigEndian.Uint32(v)) }), addParsed},
	pgtype.Float4OID: {arrow.PrimitiveTypes.Float32,
		fixed(4, func(b array.Builder, v []byte) { b.(*array.Float32Builder).Append(float4(v)) }), addParsed},
	pgtype.Float8OID: {arrow.PrimitiveTypes.Float64,
		fixed(8, func(b array.Builder, v []byte) { b.(*array.Float64Builder).Append(float8(v)) }), addParsed},
	pgtype.ByteaOID: {arrow.BinaryTypes.Binary, addBytes, addBytesText},
	pgtype.DateOID: {arrow.FixedWidthTypes.Date32,
		fixed(4, func(b array.Builder, v []byte) { b.(*array.Date32Builder).Append(dateOf(v)) }), addDateText},
	pgtype.TimeOID: {arrow.FixedWidthTypes.Time64us, fixed(8, func(b array.Builder, v []byte) {
		b.(*array.Time64Builder).Append(arrow.Time64(binary.BigEndian.Uint64(v)))
	}), addTimeText},
	pgtype.TimestampOID:   {&arrow.TimestampType{Unit: arrow.Microsecond}, addTimestamp, addWallText},
	pgtype.TimestamptzOID: {&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, addTimestamp, addInstantText},
	pgtype.UUIDOID: {&arrow.FixedSizeBinaryType{ByteWidth: 16},
		fixed(16, func(b array.Builder, v []byte) { b.(*array.FixedSizeBinaryBuilder).Append(v) }), nil},
}

// NewColumn returns the reader of a column of type t. Types whose binary format has a fixed meaning are sent in binary,
// others as the server's text. Redshift does not document its binary formats, so its types are sent as text.
func NewColumn(f pgconn.FieldDescription, t *Type, redshift bool) Column {
	col := Column{Field: arrow.Field{Name: f.Name, Type: arrow.BinaryTypes.String, Nullable: true}, oid: f.DataTypeOID,
		Add: addText}
	switch form, fixed := forms[f.DataTypeOID]; {
	case fixed && !redshift:
		col.Field.Type, col.Format, col.Add = form.arrow, 1, form.binary
	case fixed && form.text != nil:
		col.Field.Type, col.Add = form.arrow, form.text
	}
	nested := func(json func(dst, v []byte) ([]byte, error)) {
		col.Field.Metadata = driverbase.JSON
		var scratch []byte
		col.Add = func(b array.Builder, v []byte) (err error) {
			if scratch, err = json(scratch[:0], v); err != nil {
				return err
			}
			b.(*array.StringBuilder).BinaryBuilder.Append(scratch)
			return nil
		}
	}
	switch f.DataTypeOID {
	case varbyteOID:
		col.Field.Type, col.Add = arrow.BinaryTypes.Binary, addBytesText
	case pgtype.UUIDOID:
		if !redshift { // Redshift has no such type
			col.Field.Metadata = driverbase.UUID
		}
	case pgtype.NumericOID:
		col.numeric(f.TypeModifier, redshift)
	case pgtype.JSONOID, pgtype.JSONBOID, SuperOID:
		col.Field.Metadata = driverbase.JSON
	case pgtype.RecordOID, pgtype.RecordArrayOID:
		col.Format = 1
		types := pgtype.NewMap()
		nested(func(dst, v []byte) ([]byte, error) { return appendBinary(dst, types, f.DataTypeOID, v, 0) })
	default:
		if k := t.Kind; k == Array || k == Row {
			nested(func(dst, v []byte) ([]byte, error) { return t.appendJSON(dst, v, 0) })
		}
	}
	return col
}

// Unnamed reports whether a column has rows without a type name, such as those of ROW(1, 'x'), or arrays of them.
func (c *Column) Unnamed() bool {
	return c.oid == pgtype.RecordOID || c.oid == pgtype.RecordArrayOID
}

// AsText makes the column one of strings, in the server's text format.
func (c *Column) AsText() {
	c.Format, c.Add, c.Field.Metadata = 0, addText, arrow.Metadata{}
}

// fixed returns an appender that checks that values have width bytes.
func fixed(width int, add func(b array.Builder, v []byte)) appender {
	return func(b array.Builder, v []byte) error {
		if len(v) != width {
			return errMalformed
		}
		add(b, v)
		return nil
	}
}

func float4(v []byte) float32 { return math.Float32frombits(binary.BigEndian.Uint32(v)) }
func float8(v []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(v)) }

func addText(b array.Builder, v []byte) error {
	if !utf8.Valid(v) {
		return errcode.New(errcode.DataLoss,
			"a string is not UTF-8, as in a database of encoding SQL_ASCII; cast the column to bytea or convert_from it")
	}
	b.(*array.StringBuilder).BinaryBuilder.Append(v)
	return nil
}

// addParsed parses the text of a number or a boolean.
func addParsed(b array.Builder, v []byte) error {
	if b.AppendValueFromString(string(v)) != nil { // its error contains the value
		return errMalformed
	}
	return nil
}

func addBytes(b array.Builder, v []byte) error {
	b.(*array.BinaryBuilder).Append(v)
	return nil
}

// addBytesText parses hexadecimal digits after \x, which Redshift's VARBYTE omits.
func addBytesText(b array.Builder, v []byte) error {
	bytes, err := hex.DecodeString(strings.TrimPrefix(string(v), `\x`))
	if err != nil {
		return errMalformed
	}
	b.(*array.BinaryBuilder).Append(bytes)
	return nil
}

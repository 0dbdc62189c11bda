package postgres

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/internal/errcode"
)

// column is how a column of a result is read.
type column struct {
	field  arrow.Field
	format int16 // on the wire: 0 is text, 1 binary
	oid    uint32
	typ    *pgType
	// add reads one value that is not NULL into a builder of the field's type. The error says what
	// is wrong with it, not where.
	add func(b array.Builder, v []byte) error
}

// Names of extension types in a field's metadata, see package driver.
const (
	extensionKey     = "ARROW:extension:name"
	extensionJSON    = "arrow.json"
	extensionUUID    = "arrow.uuid"
	extensionDecimal = "badger.decimal"
)

func extension(name string) arrow.Metadata {
	return arrow.NewMetadata([]string{extensionKey}, []string{name})
}

var (
	errMalformed = errcode.New(errcode.DataLoss, "a value is not what its type says")
	errTooFar    = errcode.New(errcode.Unimplemented, "a time is too far away to be read; cast the column to text")
)

// column says how a column is read. What has a binary form of fixed meaning comes in it, the rest
// as the text that the server makes of it. Redshift's binary forms are not documented: from there
// all is text.
func (c *Conn) column(f pgconn.FieldDescription) column {
	col := column{field: arrow.Field{Name: f.Name, Type: arrow.BinaryTypes.String, Nullable: true}, oid: f.DataTypeOID, typ: c.types.of(f.DataTypeOID), add: addText}
	pick := func(t arrow.DataType, bin, text func(b array.Builder, v []byte) error) {
		col.field.Type, col.format, col.add = t, 1, bin
		if c.redshift {
			col.format, col.add = 0, text
		}
	}
	nested := func(json func(dst, v []byte) ([]byte, error)) {
		col.field.Metadata = extension(extensionJSON)
		var scratch []byte
		col.add = func(b array.Builder, v []byte) (err error) {
			if scratch, err = json(scratch[:0], v); err != nil {
				return err
			}
			b.(*array.StringBuilder).BinaryBuilder.Append(scratch)
			return nil
		}
	}
	switch f.DataTypeOID {
	case oidBool:
		pick(arrow.FixedWidthTypes.Boolean, addBool, addBoolText)
	case oidInt2:
		pick(arrow.PrimitiveTypes.Int16, addInt2, addIntText)
	case oidInt4:
		pick(arrow.PrimitiveTypes.Int32, addInt4, addIntText)
	case oidInt8:
		pick(arrow.PrimitiveTypes.Int64, addInt8, addIntText)
	case oidOid:
		pick(arrow.PrimitiveTypes.Uint32, addOid, addIntText)
	case oidFloat4:
		pick(arrow.PrimitiveTypes.Float32, addFloat4, addFloatText)
	case oidFloat8:
		pick(arrow.PrimitiveTypes.Float64, addFloat8, addFloatText)
	case oidBytea:
		pick(arrow.BinaryTypes.Binary, addBytes, addBytesText)
	case oidVarbyte:
		col.field.Type, col.add = arrow.BinaryTypes.Binary, addBytesText
	case oidDate:
		pick(arrow.FixedWidthTypes.Date32, addDate, addDateText)
	case oidTime:
		pick(arrow.FixedWidthTypes.Time64us, addTime, addTimeText)
	case oidTimestamp:
		pick(&arrow.TimestampType{Unit: arrow.Microsecond}, addTimestamp, addTimestampText)
	case oidTimestamptz:
		pick(&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, addTimestamp, addTimestampText)
	case oidUUID:
		if !c.redshift { // which has none
			pick(&arrow.FixedSizeBinaryType{ByteWidth: 16}, addUUID, nil)
			col.field.Metadata = extension(extensionUUID)
		}
	case oidNumeric:
		col.numeric(f.TypeModifier, c.redshift)
	case oidJSON, oidJSONB, oidSuper:
		col.field.Metadata = extension(extensionJSON)
	case oidRecord, oidRecordArray:
		col.format = 1
		array := f.DataTypeOID == oidRecordArray
		nested(func(dst, v []byte) ([]byte, error) { return appendRecord(dst, v, array, 0) })
	default:
		if k := col.typ.kind; k == asArray || k == asComposite {
			nested(func(dst, v []byte) ([]byte, error) {
				dst, err := col.typ.appendJSON(dst, v, 0)
				if err != nil { // as after ALTER TYPE
					c.types.forget()
				}
				return dst, err
			})
		}
	}
	return col
}

func addText(b array.Builder, v []byte) error {
	if !utf8.Valid(v) {
		return errcode.New(errcode.DataLoss, "a text is not UTF-8, as in a database of encoding SQL_ASCII; cast the column to bytea or convert_from it")
	}
	b.(*array.StringBuilder).BinaryBuilder.Append(v)
	return nil
}

func addBool(b array.Builder, v []byte) error {
	if len(v) != 1 {
		return errMalformed
	}
	b.(*array.BooleanBuilder).Append(v[0] != 0)
	return nil
}

func addBoolText(b array.Builder, v []byte) error {
	b.(*array.BooleanBuilder).Append(string(v) == "t" || string(v) == "true" || string(v) == "1")
	return nil
}

func addInt2(b array.Builder, v []byte) error {
	if len(v) != 2 {
		return errMalformed
	}
	b.(*array.Int16Builder).Append(int16(binary.BigEndian.Uint16(v)))
	return nil
}

func addInt4(b array.Builder, v []byte) error {
	if len(v) != 4 {
		return errMalformed
	}
	b.(*array.Int32Builder).Append(int32(binary.BigEndian.Uint32(v)))
	return nil
}

func addInt8(b array.Builder, v []byte) error {
	if len(v) != 8 {
		return errMalformed
	}
	b.(*array.Int64Builder).Append(int64(binary.BigEndian.Uint64(v)))
	return nil
}

func addOid(b array.Builder, v []byte) error {
	if len(v) != 4 {
		return errMalformed
	}
	b.(*array.Uint32Builder).Append(binary.BigEndian.Uint32(v))
	return nil
}

func addIntText(b array.Builder, v []byte) error {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		return errMalformed
	}
	switch b := b.(type) {
	case *array.Int16Builder:
		b.Append(int16(n))
	case *array.Int32Builder:
		b.Append(int32(n))
	case *array.Uint32Builder:
		b.Append(uint32(n))
	case *array.Int64Builder:
		b.Append(n)
	}
	return nil
}

func addFloat4(b array.Builder, v []byte) error {
	if len(v) != 4 {
		return errMalformed
	}
	b.(*array.Float32Builder).Append(math.Float32frombits(binary.BigEndian.Uint32(v)))
	return nil
}

func addFloat8(b array.Builder, v []byte) error {
	if len(v) != 8 {
		return errMalformed
	}
	b.(*array.Float64Builder).Append(math.Float64frombits(binary.BigEndian.Uint64(v)))
	return nil
}

func addFloatText(b array.Builder, v []byte) error {
	switch b := b.(type) {
	case *array.Float32Builder:
		f, err := strconv.ParseFloat(string(v), 32)
		if err != nil {
			return errMalformed
		}
		b.Append(float32(f))
	case *array.Float64Builder:
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return errMalformed
		}
		b.Append(f)
	}
	return nil
}

func addBytes(b array.Builder, v []byte) error {
	b.(*array.BinaryBuilder).Append(v)
	return nil
}

// addBytesText reads \x and hexadecimal digits, before which Redshift's VARBYTE has nothing.
func addBytesText(b array.Builder, v []byte) error {
	if len(v) >= 2 && v[0] == '\\' && v[1] == 'x' {
		v = v[2:]
	}
	bytes := make([]byte, hex.DecodedLen(len(v)))
	if _, err := hex.Decode(bytes, v); err != nil {
		return errMalformed
	}
	b.(*array.BinaryBuilder).Append(bytes)
	return nil
}

func addUUID(b array.Builder, v []byte) error {
	if len(v) != 16 {
		return errMalformed
	}
	b.(*array.FixedSizeBinaryBuilder).Append(v)
	return nil
}

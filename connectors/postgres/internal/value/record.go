package value

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/badger-eval/badger/internal/errcode"
)

// Rows without a type name, as ROW(1, 'x') makes them, contain the types of their values only in the binary format.

// errUnknown is the error for a value in such a row whose binary format is unsupported.
var errUnknown = errcode.Unread(
	"a row without a type name contains a value of an unsupported type; cast it to text inside the row")

// Unknown reports whether err is that of a value with an unsupported binary format, in a row without a type name. Such
// a row can be read as text.
func Unknown(err error) bool { return errors.Is(err, errUnknown) }

// appendRecord appends such a row as a JSON object. Its columns are f1, f2 and so on, as in row_to_json.
func appendRecord(dst []byte, types *pgtype.Map, v []byte, depth int) (_ []byte, err error) {
	r := pgtype.NewCompositeBinaryScanner(types, v)
	dst = append(dst, '{')
	n := 0
	for ; r.Next(); n++ {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(strconv.AppendInt(append(dst, `"f`...), int64(n)+1, 10), `":`...)
		if dst, err = appendBinary(dst, types, r.OID(), r.Bytes(), depth+1); err != nil {
			return dst, err
		}
	}
	if r.Err() != nil || n != r.FieldCount() {
		return dst, errMalformed
	}
	return append(dst, '}'), nil
}

// appendBinaryArray appends an array of any dimensions as JSON.
func appendBinaryArray(dst []byte, types *pgtype.Map, oid, element uint32, v []byte, depth int) (_ []byte, err error) {
	var array pgtype.Array[pgtype.UndecodedBytes]
	if types.Scan(oid, pgtype.BinaryFormatCode, v, &array) != nil {
		return dst, errMalformed
	}
	if len(array.Elements) == 0 {
		return append(dst, "[]"...), nil
	}
	var level func(dims []pgtype.ArrayDimension) error
	level = func(dims []pgtype.ArrayDimension) error {
		if len(dims) == 0 {
			if len(array.Elements) == 0 {
				return errMalformed
			}
			dst, err = appendBinary(dst, types, element, array.Elements[0], depth+1)
			array.Elements = array.Elements[1:]
			return err
		}
		dst = append(dst, '[')
		for k := range dims[0].Length {
			if k > 0 {
				dst = append(dst, ',')
			}
			if err := level(dims[1:]); err != nil {
				return err
			}
		}
		dst = append(dst, ']')
		return nil
	}
	return dst, level(array.Dims)
}

// appendBinary appends a value in binary format as JSON; nil is NULL. An unsupported type is errUnknown.
func appendBinary(dst []byte, types *pgtype.Map, oid uint32, v []byte, depth int) ([]byte, error) {
	switch {
	case depth > maxDepth:
		return dst, errDeep
	case v == nil:
		return append(dst, "null"...), nil
	case oid == pgtype.RecordOID:
		return appendRecord(dst, types, v, depth)
	}
	if t, ok := types.TypeForOID(oid); ok {
		if a, ok := t.Codec.(*pgtype.ArrayCodec); ok {
			return appendBinaryArray(dst, types, oid, a.ElementType.OID, v, depth)
		}
	}
	text, err := textOf(oid, v)
	if err != nil {
		return dst, err
	}
	return (&Type{Kind: builtin[oid]}).appendJSON(dst, text, depth)
}

// textOf converts a value from the binary to the server's text format.
func textOf(oid uint32, v []byte) ([]byte, error) {
	if t, ok := forms[oid].arrow.(arrow.FixedWidthDataType); ok && len(v) != (t.BitWidth()+7)/8 {
		return nil, errMalformed
	}
	switch oid {
	case pgtype.BoolOID:
		return strconv.AppendBool(nil, v[0] != 0)[:1], nil
	case pgtype.Int2OID:
		return strconv.AppendInt(nil, int64(int16(binary.BigEndian.Uint16(v))), 10), nil
	case pgtype.Int4OID:
		return strconv.AppendInt(nil, int64(int32(binary.BigEndian.Uint32(v))), 10), nil
	case pgtype.Int8OID:
		return strconv.AppendInt(nil, int64(binary.BigEndian.Uint64(v)), 10), nil
	case pgtype.OIDOID:
		return strconv.AppendUint(nil, uint64(binary.BigEndian.Uint32(v)), 10), nil
	case pgtype.Float4OID:
		return Text.AppendFloat(nil, float64(float4(v)), 32), nil
	case pgtype.Float8OID:
		return Text.AppendFloat(nil, float8(v), 64), nil
	case pgtype.NumericOID:
		if text, ok := numericText(nil, v); ok {
			return text, nil
		}
		return nil, errMalformed
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.UnknownOID, pgtype.JSONOID, pgtype.NameOID:
		return v, nil
	case pgtype.QCharOID: // one byte; how the server writes bytes beyond ASCII depends on its version
		switch {
		case len(v) != 1:
			return nil, errMalformed
		case v[0] == 0:
			return []byte{}, nil
		case v[0] >= utf8.RuneSelf:
			return nil, errUnknown
		}
		return v, nil
	case pgtype.JSONBOID:
		if len(v) == 0 || v[0] != 1 { // version of the format
			return nil, errMalformed
		}
		return v[1:], nil
	case pgtype.ByteaOID:
		return hex.AppendEncode(nil, v), nil
	case pgtype.UUIDOID:
		return []byte(pgtype.UUID{Bytes: [16]byte(v), Valid: true}.String()), nil
	case pgtype.DateOID:
		return appendDate(nil, dateOf(v)), nil
	case pgtype.TimeOID:
		return appendClock(nil, int64(binary.BigEndian.Uint64(v))), nil
	case pgtype.TimestampOID, pgtype.TimestamptzOID:
		us, err := microsOf(v)
		if oid == pgtype.TimestampOID {
			return appendMicros(nil, us, wallLayout), err
		}
		return appendMicros(nil, us, instantLayout), err
	}
	return nil, errUnknown
}

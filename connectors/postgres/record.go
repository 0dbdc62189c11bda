package postgres

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Rows without a type's name, as ROW(1, 'x') makes them, say what they hold only in binary.

// arrayOf are the elements of the arrays that such rows may hold.
var arrayOf = map[uint32]uint32{
	1000: oidBool, 1001: oidBytea, 1005: oidInt2, 1007: oidInt4, 1016: oidInt8, 1009: oidText, 1014: oidBpchar, 1015: oidVarchar, 1021: oidFloat4, 1022: oidFloat8, 1028: oidOid,
	1115: oidTimestamp, 1182: oidDate, 1183: oidTime, 1185: oidTimestamptz, 1231: oidNumeric, 199: oidJSON, 2951: oidUUID, 3807: oidJSONB, oidRecordArray: oidRecord,
}

// appendRecord writes a row, or an array of rows, as JSON. Its columns are f1, f2 and so on, as
// row_to_json calls them.
func appendRecord(dst, v []byte, isArray bool, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, errDeep
	}
	if isArray {
		return appendBinaryArray(dst, v, depth)
	}
	r := &bytesReader{v}
	n := r.int32()
	dst = append(dst, '{')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `"f`...)
		dst = append(strconv.AppendInt(dst, int64(i)+1, 10), `":`...)
		oid := uint32(r.int32())
		item, null, ok := r.item()
		var err error
		switch {
		case !ok:
			err = errMalformed
		case null:
			dst = append(dst, "null"...)
		default:
			dst, err = appendBinary(dst, oid, item, depth+1)
		}
		if err != nil {
			return dst, err
		}
	}
	if len(r.rest) > 0 || n < 0 {
		return dst, errMalformed
	}
	return append(dst, '}'), nil
}

// appendBinaryArray writes an array: the number of its dimensions, whether it has NULLs, the type
// of its elements, the length and first index of each dimension, and the elements in a row.
func appendBinaryArray(dst, v []byte, depth int) ([]byte, error) {
	r := &bytesReader{v}
	dims := r.int32()
	r.int32()
	oid := uint32(r.int32())
	if dims == 0 {
		return append(dst, "[]"...), nil
	}
	if dims < 0 || dims > maxDepth {
		return dst, errMalformed
	}
	lengths := make([]int32, dims)
	for i := range lengths {
		lengths[i] = r.int32()
		r.int32()
	}
	var level func(i int) error
	level = func(i int) error {
		dst = append(dst, '[')
		for k := range lengths[i] {
			if k > 0 {
				dst = append(dst, ',')
			}
			if i+1 < len(lengths) {
				if err := level(i + 1); err != nil {
					return err
				}
				continue
			}
			item, null, ok := r.item()
			var err error
			switch {
			case !ok:
				err = errMalformed
			case null:
				dst = append(dst, "null"...)
			default:
				dst, err = appendBinary(dst, oid, item, depth+1)
			}
			if err != nil {
				return err
			}
		}
		dst = append(dst, ']')
		return nil
	}
	if err := level(0); err != nil {
		return dst, err
	}
	if len(r.rest) > 0 {
		return dst, errMalformed
	}
	return dst, nil
}

// appendBinary writes a value of a type whose binary form is known.
func appendBinary(dst []byte, oid uint32, v []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, errDeep
	}
	if elem, ok := arrayOf[oid]; ok && elem != 0 {
		return appendBinaryArray(dst, v, depth)
	}
	want := map[uint32]int{oidBool: 1, oidInt2: 2, oidInt4: 4, oidInt8: 8, oidOid: 4, oidFloat4: 4, oidFloat8: 8, oidDate: 4, oidTime: 8, oidTimestamp: 8, oidTimestamptz: 8, oidUUID: 16}
	if n, ok := want[oid]; ok && len(v) != n {
		return dst, errMalformed
	}
	quoted := func(s string) ([]byte, error) { return appendString(dst, []byte(s)) }
	switch oid {
	case oidBool:
		return strconv.AppendBool(dst, v[0] != 0), nil
	case oidInt2:
		return strconv.AppendInt(dst, int64(int16(binary.BigEndian.Uint16(v))), 10), nil
	case oidInt4:
		return strconv.AppendInt(dst, int64(int32(binary.BigEndian.Uint32(v))), 10), nil
	case oidInt8:
		return strconv.AppendInt(dst, int64(binary.BigEndian.Uint64(v)), 10), nil
	case oidOid:
		return strconv.AppendUint(dst, uint64(binary.BigEndian.Uint32(v)), 10), nil
	case oidFloat4:
		f := float64(math.Float32frombits(binary.BigEndian.Uint32(v)))
		return appendNumber(dst, floatText(f, 32)), nil
	case oidFloat8:
		return appendNumber(dst, floatText(math.Float64frombits(binary.BigEndian.Uint64(v)), 64)), nil
	case oidNumeric:
		text, ok := numericText(nil, v)
		if !ok {
			return dst, errMalformed
		}
		return appendNumber(dst, text), nil
	case oidText, oidVarchar, oidBpchar, oidUnknown, 18, 19:
		return appendString(dst, v)
	case oidJSONB, oidJSON:
		if oid == oidJSONB {
			if len(v) == 0 || v[0] != 1 {
				return dst, errMalformed
			}
			v = v[1:]
		}
		if !json.Valid(v) {
			return dst, errMalformed
		}
		return append(dst, v...), nil
	case oidBytea:
		return quoted(hex.EncodeToString(v))
	case oidUUID:
		h := hex.EncodeToString(v)
		return quoted(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:])
	case oidDate:
		days, infinite := dateOf(int32(binary.BigEndian.Uint32(v)))
		if infinite {
			return quoted(infinityText(int64(days)))
		}
		return quoted(momentText(time.Unix(int64(days)*86400, 0), "-01-02"))
	case oidTime:
		us := int64(binary.BigEndian.Uint64(v))
		if us == microsPerDay {
			return quoted("24:00:00")
		}
		return quoted(time.UnixMicro(us).UTC().Format("15:04:05.999999"))
	case oidTimestamp, oidTimestamptz:
		us, ok := microsOf(int64(binary.BigEndian.Uint64(v)))
		switch {
		case !ok:
			return dst, errTooFar
		case us == infiniteTime || us == -infiniteTime:
			return quoted(infinityText(us))
		}
		text := momentText(time.UnixMicro(us), "-01-02 15:04:05.999999")
		if oid == oidTimestamptz {
			text += "+00"
		}
		return quoted(text)
	case oidRecord:
		return appendRecord(dst, v, false, depth)
	}
	return dst, errcode.New(errcode.Unimplemented, "a row without a type's name holds a value of type %d, which is not read; cast it to text inside the row", oid)
}

func floatText(f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendFloat(nil, f)
	}
	return strconv.AppendFloat(nil, f, 'g', -1, bits)
}

func infinityText(n int64) string {
	if n < 0 {
		return "-infinity"
	}
	return "infinity"
}

// momentText writes a moment as the server does: the year with four digits or more, and BC after it
// where there was no year 0.
func momentText(t time.Time, layout string) string {
	t = t.UTC()
	year, era := t.Year(), ""
	if year < 1 {
		year, era = 1-year, " BC"
	}
	y := strconv.Itoa(year)
	for len(y) < 4 {
		y = "0" + y
	}
	return y + t.Format(layout) + era
}

// bytesReader reads the protocol's integers and items.
type bytesReader struct{ rest []byte }

// int32 reads an integer; -1 where there is none.
func (r *bytesReader) int32() int32 {
	if len(r.rest) < 4 {
		r.rest = nil
		return -1
	}
	n := int32(binary.BigEndian.Uint32(r.rest))
	r.rest = r.rest[4:]
	return n
}

// item reads a length and so many bytes; a length of -1 is NULL.
func (r *bytesReader) item() (v []byte, null, ok bool) {
	if len(r.rest) < 4 {
		return nil, false, false
	}
	n := r.int32()
	if n == -1 {
		return nil, true, true
	}
	if n < 0 || int(n) > len(r.rest) {
		return nil, false, false
	}
	v, r.rest = r.rest[:n], r.rest[n:]
	return v, false, true
}

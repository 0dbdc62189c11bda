package sqlserver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// parameters reads a call of sp_executesql: its query and the values of its parameters.
func parameters(m []byte) (query string, args []any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a call that cannot be read: %v", p)
		}
	}()
	const executeSQL = 10
	if binary.LittleEndian.Uint16(m) != 0xffff || binary.LittleEndian.Uint16(m[2:]) != executeSQL {
		return "", nil, errors.New("a call of another procedure")
	}
	m = m[6:]
	for len(m) > 0 {
		m = m[1+2*int(m[0])+1:] // name and flags
		var v any
		if v, m, err = value(m); err != nil {
			return "", nil, err
		}
		args = append(args, v)
	}
	query, _ = args[0].(string)
	return query, args[2:], nil
}

// value reads a parameter's type and value.
func value(m []byte) (v any, rest []byte, err error) {
	kind := m[0]
	m = m[1:]
	short := func() (b []byte) {
		n := int(m[0])
		b, m = m[1:1+n], m[1+n:]
		return b
	}
	switch kind {
	case 0x1f: // NULL
		return nil, m, nil
	case 0x26, 0x6d, 0x68:
		m = m[1:]
		b := short()
		switch {
		case len(b) == 0:
			return nil, m, nil
		case kind == 0x26:
			return int64(binary.LittleEndian.Uint64(b)), m, nil //nolint:gosec // bits
		case kind == 0x6d:
			return math.Float64frombits(binary.LittleEndian.Uint64(b)), m, nil
		}
		return b[0] != 0, m, nil
	case 0x2b: // datetimeoffset, in UTC
		m = m[1:]
		b := short()
		ticks := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32
		days := int(b[5]) | int(b[6])<<8 | int(b[7])<<16
		at := time.Date(1, 1, 1+days, 0, 0, 0, 0, time.UTC)
		return at.Add(time.Duration(ticks) * 100), m, nil //nolint:gosec // less than a day
	case 0xe7:
		size := binary.LittleEndian.Uint16(m)
		m = m[2+5:]
		if size != 0xffff {
			n := int(binary.LittleEndian.Uint16(m))
			m = m[2:]
			if n == 0xffff {
				return nil, m, nil
			}
			return text(m[:n]), m[n:], nil
		}
		total := binary.LittleEndian.Uint64(m)
		m = m[8:]
		if total == math.MaxUint64 {
			return nil, m, nil
		}
		var all []byte
		for {
			n := int(binary.LittleEndian.Uint32(m))
			m = m[4:]
			if n == 0 {
				return text(all), m, nil
			}
			all, m = append(all, m[:n]...), m[n:]
		}
	}
	return nil, nil, fmt.Errorf("a parameter of type %#x", kind)
}

// column is how the values of a column are sent.
type column struct {
	info   []byte // TYPE_INFO of MS-TDS
	null   []byte
	append func(b []byte, arr arrow.Array, row int) []byte
}

// columnOf returns how a column of the engine is sent.
func columnOf(f arrow.Field) (column, error) {
	var c column
	var put func(b []byte, arr arrow.Array, row int) []byte
	c.null = []byte{0}
	switch t := f.Type.(type) {
	case *arrow.NullType:
		c.info = []byte{0x26, 4}
	case *arrow.BooleanType:
		c.info = []byte{0x68, 1}
		put = func(b []byte, arr arrow.Array, row int) []byte {
			if arr.(*array.Boolean).Value(row) {
				return append(b, 1, 1)
			}
			return append(b, 1, 0)
		}
	case *arrow.Int32Type:
		c.info = []byte{0x26, 4}
		put = func(b []byte, arr arrow.Array, row int) []byte {
			return binary.LittleEndian.AppendUint32(append(b, 4), uint32(arr.(*array.Int32).Value(row))) //nolint:gosec // bits
		}
	case *arrow.Int64Type:
		c.info = []byte{0x26, 8}
		put = func(b []byte, arr arrow.Array, row int) []byte {
			return binary.LittleEndian.AppendUint64(append(b, 8), uint64(arr.(*array.Int64).Value(row))) //nolint:gosec // bits
		}
	case *arrow.Float64Type:
		c.info = []byte{0x6d, 8}
		put = func(b []byte, arr arrow.Array, row int) []byte {
			return binary.LittleEndian.AppendUint64(append(b, 8), math.Float64bits(arr.(*array.Float64).Value(row)))
		}
	case *arrow.Decimal128Type:
		c.info = []byte{0x6a, 17, byte(t.Precision), byte(t.Scale)} //nolint:gosec // at most 38
		put = func(b []byte, arr arrow.Array, row int) []byte {
			return appendDecimal(b, arr.(*array.Decimal128).Value(row).BigInt())
		}
	case *arrow.StringType:
		c.info = []byte{0xe7, 0xff, 0xff, 9, 4, 0xd0, 0, 52} // nvarchar(max)
		c.null = []byte{255, 255, 255, 255, 255, 255, 255, 255}
		put = func(b []byte, arr arrow.Array, row int) []byte {
			return appendMax(b, wide(arr.(*array.String).Value(row)))
		}
	case *arrow.BinaryType:
		c.info = []byte{0xa5, 0xff, 0xff}
		c.null = []byte{255, 255, 255, 255, 255, 255, 255, 255}
		put = func(b []byte, arr arrow.Array, row int) []byte { return appendMax(b, arr.(*array.Binary).Value(row)) }
	case *arrow.Date32Type:
		c.info = []byte{0x28}
		put = func(b []byte, arr arrow.Array, row int) []byte {
			return appendDays(append(b, 3), arr.(*array.Date32).Value(row).ToTime())
		}
	case *arrow.TimestampType:
		c.info = []byte{0x2a, 7}
		zoned := t.TimeZone != ""
		if zoned {
			c.info[0] = 0x2b
		}
		put = func(b []byte, arr arrow.Array, row int) []byte {
			at := arr.(*array.Timestamp).Value(row).ToTime(t.Unit)
			if zoned {
				return append(appendDays(appendClock(append(b, 10), at), at), 0, 0)
			}
			return appendDays(appendClock(append(b, 8), at), at)
		}
	default:
		return c, fmt.Errorf("the fake server sends no %v", f.Type)
	}
	c.append = func(b []byte, arr arrow.Array, row int) []byte {
		if put == nil || arr.IsNull(row) {
			return append(b, c.null...)
		}
		return put(b, arr, row)
	}
	return c, nil
}

func appendDecimal(b []byte, n *big.Int) []byte {
	sign := byte(1)
	if n.Sign() < 0 {
		sign = 0
	}
	var magnitude [16]byte
	new(big.Int).Abs(n).FillBytes(magnitude[:])
	b = append(b, 17, sign)
	for i := range magnitude {
		b = append(b, magnitude[15-i])
	}
	return b
}

// appendMax appends a value of a type without a limit, in one chunk.
func appendMax(b, value []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(value)))
	if len(value) > 0 {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(value))) //nolint:gosec // of a test
		b = append(b, value...)
	}
	return append(b, 0, 0, 0, 0)
}

// appendDays appends a date, as days since the first of January of the year 1.
func appendDays(b []byte, t time.Time) []byte {
	days := (t.Unix() - time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()) / 86400
	return append(b, byte(days), byte(days>>8), byte(days>>16)) //nolint:gosec // bits
}

// appendClock appends a time of day in 100 nanoseconds.
func appendClock(b []byte, t time.Time) []byte {
	ticks := t.UTC().Sub(t.UTC().Truncate(24*time.Hour)) / 100
	return append(b, byte(ticks), byte(ticks>>8), byte(ticks>>16), byte(ticks>>24), byte(ticks>>32)) //nolint:gosec // bits
}

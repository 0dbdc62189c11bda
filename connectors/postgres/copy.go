package postgres

import (
	"context"
	"encoding/hex"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/errcode"
)

// copySource is rows in COPY's text format, a few at a time: one line a row, tabs between the
// values, \N for NULL.
type copySource struct {
	mu       sync.Mutex      // the driver may read on for a moment after the copying has ended
	ctx      context.Context //nolint:containedctx // of the copying
	rows     int64
	err      error  // why it ended early
	nulls    []bool // columns that hold a NULL
	numbered bool   // the first value is the row's number

	in    array.RecordReader // nil at the end
	names []string
	rec   arrow.Record
	next  int // row of rec
	buf   []byte
	sent  int // of buf
	cell  []byte
}

func newCopySource(ctx context.Context, in array.RecordReader, names []string, numbered bool) *copySource {
	return &copySource{ctx: ctx, in: in, names: names, numbered: numbered, nulls: make([]bool, len(names))}
}

// close ends the reading and tells which columns held NULL.
func (c *copySource) close() []bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in, c.rec = nil, nil
	return c.nulls
}

// Read gives the next bytes. An error of the rows ends the copying, and with it the transaction.
func (c *copySource) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sent == len(c.buf) {
		c.buf, c.sent = c.buf[:0], 0
		for len(c.buf) < len(p) && c.err == nil {
			if !c.row() {
				break
			}
		}
	}
	if c.err != nil {
		return 0, errStopped
	}
	if c.sent == len(c.buf) {
		return 0, io.EOF
	}
	n := copy(p, c.buf[c.sent:])
	c.sent += n
	return n, nil
}

// errStopped is what the server is told: not why, which may be anything.
var errStopped = errcode.New(errcode.Cancelled, "the rows ended in an error")

// row writes a row; false is the end.
func (c *copySource) row() bool {
	for c.rec == nil || c.next == int(c.rec.NumRows()) {
		c.rec, c.next = nil, 0
		if c.in == nil {
			return false
		}
		if c.err = c.ctx.Err(); c.err != nil {
			return false
		}
		if !c.in.Next() {
			c.err = c.in.Err()
			return false
		}
		c.rec = c.in.Record()
	}
	c.rows++
	if c.numbered {
		c.buf = append(strconv.AppendInt(c.buf, c.rows, 10), '\t')
	}
	for i, col := range c.rec.Columns() {
		if i > 0 {
			c.buf = append(c.buf, '\t')
		}
		if col.IsNull(c.next) {
			c.nulls[i] = true
			c.buf = append(c.buf, '\\', 'N')
			continue
		}
		if c.cell, c.err = appendCell(c.cell[:0], col, c.next); c.err != nil {
			c.err = errcode.New(errcode.Of(c.err), "column %q, row %d: %w", c.names[i], c.rows, c.err)
			return false
		}
		c.buf = appendEscaped(c.buf, c.cell)
	}
	c.buf = append(c.buf, '\n')
	c.next++
	return true
}

// appendEscaped writes what COPY would take for its own with a backslash.
func appendEscaped(dst, text []byte) []byte {
	start := 0
	for i, b := range text {
		var e byte
		switch b {
		case '\\', '\t':
			e = b
		case '\n':
			e = 'n'
		case '\r':
			e = 'r'
		default:
			continue
		}
		dst = append(append(dst, text[start:i]...), '\\', e)
		start = i + 1
	}
	return append(dst, text[start:]...)
}

// appendCell writes a value that is not NULL as the server reads it.
func appendCell(dst []byte, arr arrow.Array, i int) ([]byte, error) {
	switch a := arr.(type) {
	case *array.String:
		return appendChecked(dst, a.Value(i))
	case *array.LargeString:
		return appendChecked(dst, a.Value(i))
	case *array.StringView:
		return appendChecked(dst, a.Value(i))
	case *array.Boolean:
		return strconv.AppendBool(dst, a.Value(i)), nil
	case *array.Int8:
		return strconv.AppendInt(dst, int64(a.Value(i)), 10), nil
	case *array.Int16:
		return strconv.AppendInt(dst, int64(a.Value(i)), 10), nil
	case *array.Int32:
		return strconv.AppendInt(dst, int64(a.Value(i)), 10), nil
	case *array.Int64:
		return strconv.AppendInt(dst, a.Value(i), 10), nil
	case *array.Uint8:
		return strconv.AppendUint(dst, uint64(a.Value(i)), 10), nil
	case *array.Uint16:
		return strconv.AppendUint(dst, uint64(a.Value(i)), 10), nil
	case *array.Uint32:
		return strconv.AppendUint(dst, uint64(a.Value(i)), 10), nil
	case *array.Uint64:
		return strconv.AppendUint(dst, a.Value(i), 10), nil
	case *array.Float32:
		return append(dst, floatText(float64(a.Value(i)), 32)...), nil
	case *array.Float64:
		return appendFloat(dst, a.Value(i)), nil
	case *array.Decimal128:
		return append(dst, a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale)...), nil
	case *array.Decimal256:
		return append(dst, a.Value(i).ToString(a.DataType().(*arrow.Decimal256Type).Scale)...), nil
	case *array.Binary:
		return hex.AppendEncode(append(dst, '\\', 'x'), a.Value(i)), nil
	case *array.LargeBinary:
		return hex.AppendEncode(append(dst, '\\', 'x'), a.Value(i)), nil
	case *array.FixedSizeBinary:
		if len(a.Value(i)) == 16 { // what the server reads as a UUID, and not as bytes
			return hex.AppendEncode(dst, a.Value(i)), nil
		}
		return hex.AppendEncode(append(dst, '\\', 'x'), a.Value(i)), nil
	case *array.Date32:
		if v := a.Value(i); v == infiniteDate || v == -infiniteDate {
			return append(dst, infinityText(int64(v))...), nil
		}
		return append(dst, dated(momentText(time.Unix(int64(a.Value(i))*86400, 0), "-01-02"), "")...), nil
	case *array.Time64:
		return appendTime(dst, int64(a.Value(i)), a.DataType().(*arrow.Time64Type).Unit)
	case *array.Timestamp:
		return appendTimestamp(dst, int64(a.Value(i)), a.DataType().(*arrow.TimestampType))
	}
	return dst, errcode.New(errcode.Unimplemented, "values of type %v are not written", arr.DataType())
}

func appendChecked(dst []byte, s string) ([]byte, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return dst, invalid("PostgreSQL has no text with NUL bytes")
	}
	return append(dst, s...), nil
}

var errFiner = invalid("a time is finer than the microseconds that PostgreSQL has")

func appendTime(dst []byte, v int64, unit arrow.TimeUnit) ([]byte, error) {
	if unit == arrow.Nanosecond {
		if v%1000 != 0 {
			return dst, errFiner
		}
		v /= 1000
	}
	if v == microsPerDay {
		return append(dst, "24:00:00"...), nil
	}
	return time.UnixMicro(v).UTC().AppendFormat(dst, "15:04:05.999999"), nil
}

func appendTimestamp(dst []byte, v int64, t *arrow.TimestampType) ([]byte, error) {
	var at time.Time
	switch t.Unit {
	case arrow.Second:
		at = time.Unix(v, 0)
	case arrow.Millisecond:
		at = time.UnixMilli(v)
	case arrow.Microsecond:
		if v == math.MaxInt64 || v == -math.MaxInt64 {
			return append(dst, infinityText(v)...), nil
		}
		at = time.UnixMicro(v)
	default:
		if v%1000 != 0 {
			return dst, errFiner
		}
		at = time.Unix(0, v)
	}
	zone := ""
	if t.TimeZone != "" {
		zone = "+00"
	}
	return append(dst, dated(momentText(at, "-01-02 15:04:05.999999"), zone)...), nil
}

// dated puts the zone before BC.
func dated(text, zone string) string {
	if t, bc := strings.CutSuffix(text, " BC"); bc {
		return t + zone + " BC"
	}
	return text + zone
}

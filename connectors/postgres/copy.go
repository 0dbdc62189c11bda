package postgres

import (
	"bytes"
	"context"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// copySource is rows in COPY's text format, a few at a time: one line a row, tabs between the
// values, \N for NULL.
type copySource struct {
	mu       sync.Mutex      // the driver may read on for a moment after the copying has ended
	ctx      context.Context //nolint:containedctx // of the copying
	plan     *driverbase.Plan
	err      error // why it ended early
	numbered bool  // the first value is the row's number

	in   array.RecordReader // nil at the end
	rec  arrow.Record
	next int // row of rec
	buf  []byte
	sent int // of buf
	cell []byte
}

func newCopySource(ctx context.Context, in array.RecordReader, plan *driverbase.Plan, numbered bool) *copySource {
	return &copySource{ctx: ctx, in: in, plan: plan, numbered: numbered}
}

// close ends the reading: the plan changes no more.
func (c *copySource) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in, c.rec = nil, nil
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
	if c.numbered {
		c.buf = append(strconv.AppendInt(c.buf, c.plan.Rows, 10), '\t')
	}
	for i, col := range c.rec.Columns() {
		if i > 0 {
			c.buf = append(c.buf, '\t')
		}
		if driverbase.IsNull(col, c.next) {
			c.plan.Nulls[i] = true
			c.buf = append(c.buf, '\\', 'N')
			continue
		}
		if c.cell, c.err = appendCell(c.cell[:0], col, c.next); c.err != nil {
			c.err = c.plan.CellError(i, c.err)
			return false
		}
		c.buf = appendEscaped(c.buf, c.cell)
	}
	c.buf = append(c.buf, '\n')
	c.plan.Rows++
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

// textForm is how the server reads values. Dates and timestamps, which go beyond the years of
// others, are written by appendCell.
var textForm = &driverbase.Notation{Infinity: "Infinity", Finest: time.Microsecond}

// appendCell writes a value that is not NULL as the server reads it.
func appendCell(dst []byte, arr arrow.Array, i int) ([]byte, error) {
	switch a := arr.(type) {
	case *array.Dictionary:
		return appendCell(dst, a.Dictionary(), a.GetValueIndex(i))
	case *array.Binary, *array.LargeBinary:
		dst = append(dst, '\\', 'x')
	case *array.FixedSizeBinary:
		if len(a.Value(i)) != 16 { // else what the server reads as a UUID, and not as bytes
			dst = append(dst, '\\', 'x')
		}
	case *array.Date32:
		if v := a.Value(i); v == infiniteDate || v == -infiniteDate {
			return append(dst, infinityText(int64(v))...), nil
		}
		return append(dst, dated(momentText(time.Unix(int64(a.Value(i))*86400, 0), "-01-02"), "")...), nil
	case *array.Time64:
		if time.Duration(a.Value(i))*a.DataType().(*arrow.Time64Type).Unit.Multiplier() == 24*time.Hour {
			return append(dst, "24:00:00"...), nil
		}
	case *array.Timestamp:
		return appendTimestamp(dst, int64(a.Value(i)), a.DataType().(*arrow.TimestampType))
	}
	at := len(dst)
	dst, err := textForm.Append(dst, arr, i)
	if err == nil && bytes.IndexByte(dst[at:], 0) >= 0 {
		err = invalid("PostgreSQL has no text with NUL bytes")
	}
	return dst, err
}

var errFiner = invalid("a time is finer than the microseconds that PostgreSQL has")

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

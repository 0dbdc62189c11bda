package value

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/jackc/pgx/v5/pgtype"
)

// Some values do not fit their column's Arrow type: numerics that are NaN or infinite, and timestamps in PostgreSQL's
// last thirty years, from 294247 on, which overflow 64 bits of microseconds. They are returned in separate records, as
// doubles and as milliseconds.

// MayBeOther reports whether the column's type has such values.
func (c *Column) MayBeOther() bool { return c.Numeric() || c.isTimestamp() }

func (c *Column) isTimestamp() bool {
	return c.oid == pgtype.TimestampOID || c.oid == pgtype.TimestamptzOID
}

// Other reports whether v is such a value.
func (c *Column) Other(v []byte) bool {
	switch {
	case c.Numeric():
		_, is := c.Special(v)
		return is
	case c.Format == 1:
		return len(v) == 8 && isFar(int64(binary.BigEndian.Uint64(v)))
	}
	us, ok := c.farText(v)
	return ok && isFar(us)
}

// isFar reports whether microseconds since 2000 overflow as microseconds since 1970. Infinity is not far.
func isFar(us int64) bool { return us > math.MaxInt64-microsBefore2000-1 && us != math.MaxInt64 }

// farText returns a timestamp as microseconds since 2000; ok is false for a year of fewer than six digits or a
// malformed text.
func (c *Column) farText(v []byte) (us int64, ok bool) {
	if bytes.IndexByte(v, '-') < len("294247") {
		return 0, false
	}
	var t pgtype.Timestamp
	var err error
	if c.oid == pgtype.TimestampOID {
		err = wallText.Scan(v, &t)
	} else {
		var at pgtype.Timestamptz
		err = instantText.Scan(v, &at)
		t = pgtype.Timestamp(at)
	}
	return (t.Time.Unix()-daysBefore2000*86400)*1_000_000 + int64(t.Time.Nanosecond())/1000, err == nil
}

// OtherType returns the Arrow type of such values.
func (c *Column) OtherType() arrow.DataType {
	if c.Numeric() {
		return arrow.PrimitiveTypes.Float64
	}
	return &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: c.Field.Type.(*arrow.TimestampType).TimeZone}
}

// AddOther parses such a value and appends it to a builder of OtherType.
func (c *Column) AddOther(b array.Builder, v []byte) error {
	if c.Numeric() {
		f, _ := c.Special(v)
		b.(*array.Float64Builder).Append(f)
		return nil
	}
	us, ok := int64(0), true
	if c.Format == 1 {
		us = int64(binary.BigEndian.Uint64(v))
	} else {
		us, ok = c.farText(v)
	}
	if !ok || us%1000 != 0 {
		return errTooFar
	}
	b.(*array.TimestampBuilder).Append(arrow.Timestamp(us/1000 + microsBefore2000/1000))
	return nil
}

package value

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/jackc/pgx/v5/pgtype"
)

// Some values of a column do not fit its Arrow type: numerics that are not finite, and timestamps in the
// last thirty years that PostgreSQL has, from 294247 on, which 64 bits of microseconds do not hold. They
// are returned in separate records, as doubles and in milliseconds.

// MayBeOther reports whether a column may have such values.
func (c *Column) MayBeOther() bool { return c.Numeric() || c.isTimestamp() }

func (c *Column) isTimestamp() bool {
	return c.oid == pgtype.TimestampOID || c.oid == pgtype.TimestamptzOID
}

// Other reports whether a value is one of them.
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

// isFar reports whether microseconds since 2000 overflow when they are counted from 1970. The last of all is infinity.
func isFar(us int64) bool { return us > math.MaxInt64-microsBefore2000-1 && us != math.MaxInt64 }

// farText reads the text of a timestamp whose year has six digits, in microseconds since 2000.
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

// OtherType is the Arrow type of these values.
func (c *Column) OtherType() arrow.DataType {
	if c.Numeric() {
		return arrow.PrimitiveTypes.Float64
	}
	return &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: c.Field.Type.(*arrow.TimestampType).TimeZone}
}

// AddOther reads one of them into a builder of their type.
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

package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/jackc/pgx/v5/pgtype"
)

// PostgreSQL counts from the year 2000, Arrow from 1970.
const (
	daysBefore2000   = 10957
	microsBefore2000 = daysBefore2000 * microsPerDay
	microsPerDay     = 86_400_000_000
)

// The values for infinity are Arrow's largest. They differ from every date and time of PostgreSQL and sort correctly.
// Code that reads these arrays must treat them as infinity, whatever their type.
const (
	infiniteDate = math.MaxInt32
	infiniteTime = math.MaxInt64
)

// dateOf converts days since 2000 to days since 1970. PostgreSQL's last year, 5874897, fits.
func dateOf(v []byte) arrow.Date32 {
	switch n := int32(binary.BigEndian.Uint32(v)); n {
	case math.MaxInt32:
		return infiniteDate
	case math.MinInt32:
		return -infiniteDate
	default:
		return arrow.Date32(n + daysBefore2000)
	}
}

// microsOf converts microseconds since 2000 to microseconds since 1970. Times in PostgreSQL's last thirty years, up to
// 294276, are an error.
func microsOf(v []byte) (int64, error) {
	switch n := int64(binary.BigEndian.Uint64(v)); {
	case n == math.MaxInt64:
		return infiniteTime, nil
	case n == math.MinInt64:
		return -infiniteTime, nil
	case n > math.MaxInt64-microsBefore2000-1:
		return 0, errTooFar
	default:
		return n + microsBefore2000, nil
	}
}

func addTimestamp(b array.Builder, v []byte) error {
	if len(v) != 8 {
		return errMalformed
	}
	us, err := microsOf(v)
	if err != nil {
		return err
	}
	b.(*array.TimestampBuilder).Append(arrow.Timestamp(us))
	return nil
}

// Parsers for the text that the server writes with datestyle ISO: 2024-02-29 12:00:00.5+00, followed by BC for years
// before 1.
var (
	dateText    = pgtype.DateCodec{}.PlanScan(nil, pgtype.DateOID, pgtype.TextFormatCode, &pgtype.Date{})
	timeText    = pgtype.TimeCodec{}.PlanScan(nil, pgtype.TimeOID, pgtype.TextFormatCode, &pgtype.Time{})
	wallText    = (&pgtype.TimestampCodec{}).PlanScan(nil, pgtype.TimestampOID, pgtype.TextFormatCode, &pgtype.Timestamp{})
	instantText = (&pgtype.TimestamptzCodec{}).PlanScan(nil, pgtype.TimestamptzOID, pgtype.TextFormatCode,
		&pgtype.Timestamptz{})
)

func addDateText(b array.Builder, v []byte) error {
	var d pgtype.Date
	if dateText.Scan(v, &d) != nil { // its error contains the value
		return errMalformed
	}
	days := int64(d.InfinityModifier) * infiniteDate
	if d.InfinityModifier == pgtype.Finite {
		days = d.Time.Unix() / 86400
	}
	b.(*array.Date32Builder).Append(arrow.Date32(days))
	return nil
}

func addTimeText(b array.Builder, v []byte) error {
	var t pgtype.Time
	if timeText.Scan(v, &t) != nil || t.Microseconds < 0 || t.Microseconds > microsPerDay {
		return errMalformed
	}
	b.(*array.Time64Builder).Append(arrow.Time64(t.Microseconds))
	return nil
}

func addWallText(b array.Builder, v []byte) error {
	var t pgtype.Timestamp
	return addMoment(b, wallText.Scan(v, &t), t)
}

func addInstantText(b array.Builder, v []byte) error {
	var t pgtype.Timestamptz
	err := instantText.Scan(v, &t)
	return addMoment(b, err, pgtype.Timestamp(t))
}

func addMoment(b array.Builder, err error, t pgtype.Timestamp) error {
	us := int64(t.InfinityModifier) * infiniteTime
	if t.InfinityModifier == pgtype.Finite {
		us = t.Time.UnixMicro()
	}
	switch {
	case err != nil:
		return errMalformed
	case t.Time.After(time.UnixMicro(infiniteTime - 1)):
		return errTooFar
	}
	b.(*array.TimestampBuilder).Append(arrow.Timestamp(us))
	return nil
}

// appendMoment appends a date, and if layout is not empty also the time, as the server does: with a year of at least
// four digits, and BC at the end for years before 1.
func appendMoment(dst []byte, t time.Time, layout string) []byte {
	t = t.UTC()
	year, era := t.Year(), ""
	if year < 1 {
		year, era = 1-year, " BC"
	}
	return append(t.AppendFormat(fmt.Appendf(dst, "%04d-", year), "01-02"+layout), era...)
}

// Layouts of the time of day that follows a date.
const (
	wallLayout    = " 15:04:05.999999"
	instantLayout = wallLayout + "+00"
)

func appendDate(dst []byte, days arrow.Date32) []byte {
	if days == infiniteDate || days == -infiniteDate {
		return appendInfinity(dst, days < 0)
	}
	return appendMoment(dst, time.Unix(int64(days)*86400, 0), "")
}

func appendMicros(dst []byte, us int64, layout string) []byte {
	if us == infiniteTime || us == -infiniteTime {
		return appendInfinity(dst, us < 0)
	}
	return appendMoment(dst, time.UnixMicro(us), layout)
}

func appendInfinity(dst []byte, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	return append(dst, "infinity"...)
}

// appendClock appends a time of day, which may be 24:00:00.
func appendClock(dst []byte, us int64) []byte {
	if us == microsPerDay {
		return append(dst, "24:00:00"...)
	}
	return time.UnixMicro(us).UTC().AppendFormat(dst, "15:04:05.999999")
}

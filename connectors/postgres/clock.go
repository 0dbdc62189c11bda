package postgres

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// PostgreSQL counts from the year 2000, Arrow from 1970.
const (
	daysBefore2000   = 10957
	microsBefore2000 = daysBefore2000 * microsPerDay
	microsPerDay     = 86_400_000_000
)

// Infinity is the farthest value that Arrow has: distinct from every date and time of PostgreSQL's,
// and in order.
const (
	infiniteDate = math.MaxInt32
	infiniteTime = math.MaxInt64
)

func addDate(b array.Builder, v []byte) error {
	if len(v) != 4 {
		return errMalformed
	}
	d, _ := dateOf(int32(binary.BigEndian.Uint32(v)))
	b.(*array.Date32Builder).Append(arrow.Date32(d))
	return nil
}

// dateOf makes days since 1970 of days since 2000. PostgreSQL ends in the year 5874897, which fits.
func dateOf(n int32) (days int32, infinite bool) {
	switch n {
	case math.MaxInt32:
		return infiniteDate, true
	case math.MinInt32:
		return -infiniteDate, true
	}
	return n + daysBefore2000, false
}

func addTime(b array.Builder, v []byte) error {
	if len(v) != 8 {
		return errMalformed
	}
	b.(*array.Time64Builder).Append(arrow.Time64(binary.BigEndian.Uint64(v)))
	return nil
}

func addTimestamp(b array.Builder, v []byte) error {
	if len(v) != 8 {
		return errMalformed
	}
	us, ok := microsOf(int64(binary.BigEndian.Uint64(v)))
	if !ok {
		return errTooFar
	}
	b.(*array.TimestampBuilder).Append(arrow.Timestamp(us))
	return nil
}

// microsOf makes microseconds since 1970 of such since 2000. The last thirty years that PostgreSQL
// has, to 294276, do not fit.
func microsOf(n int64) (int64, bool) {
	switch n {
	case math.MaxInt64:
		return infiniteTime, true
	case math.MinInt64:
		return -infiniteTime, true
	}
	if n > math.MaxInt64-microsBefore2000-1 {
		return 0, false
	}
	return n + microsBefore2000, true
}

func addDateText(b array.Builder, v []byte) error {
	days, rest, ok := parseDate(string(v))
	switch {
	case string(v) == "infinity":
		days = infiniteDate
	case string(v) == "-infinity":
		days = -infiniteDate
	case !ok || rest != "" || days > infiniteDate || days < -infiniteDate:
		return errMalformed
	}
	b.(*array.Date32Builder).Append(arrow.Date32(days))
	return nil
}

func addTimeText(b array.Builder, v []byte) error {
	us, rest, ok := parseClock(string(v))
	if !ok || rest != "" {
		return errMalformed
	}
	b.(*array.Time64Builder).Append(arrow.Time64(us))
	return nil
}

func addTimestampText(b array.Builder, v []byte) error {
	us, err := parseTimestamp(string(v))
	if err != nil {
		return err
	}
	b.(*array.TimestampBuilder).Append(arrow.Timestamp(us))
	return nil
}

// parseTimestamp reads what the server writes with datestyle ISO: 2024-02-29 12:00:00.5+00, and BC
// after it where that is so.
func parseTimestamp(s string) (int64, error) {
	switch s {
	case "infinity":
		return infiniteTime, nil
	case "-infinity":
		return -infiniteTime, nil
	}
	era := ""
	if t, bc := strings.CutSuffix(s, " BC"); bc {
		s, era = t, " BC"
	}
	day, clock, ok := strings.Cut(s, " ")
	days, rest, dated := parseDate(day + era)
	us, zone, timed := parseClock(clock)
	offset, zoned := parseZone(zone)
	if !ok || !dated || !timed || !zoned || rest != "" {
		return 0, errMalformed
	}
	if days > math.MaxInt64/microsPerDay-1 || days < math.MinInt64/microsPerDay+1 {
		return 0, errTooFar
	}
	return days*microsPerDay + us - offset, nil
}

// parseDate reads YYYY-MM-DD, the year of four digits or more, and BC. Rest is what follows.
func parseDate(s string) (days int64, rest string, ok bool) {
	year, s, _ := strings.Cut(s, "-")
	month, s, _ := strings.Cut(s, "-")
	if len(year) < 4 || len(month) != 2 || len(s) < 2 {
		return 0, "", false
	}
	y, err1 := strconv.Atoi(year)
	m, err2 := strconv.Atoi(month)
	d, err3 := strconv.Atoi(s[:2])
	if err1 != nil || err2 != nil || err3 != nil || y > 6_000_000 || m < 1 || m > 12 || d < 1 || d > 31 {
		return 0, "", false
	}
	rest, bc := strings.CutSuffix(s[2:], " BC")
	if bc {
		y = 1 - y
	}
	return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Unix() / 86400, rest, true
}

// parseClock reads HH:MM:SS[.ffffff] as microseconds. Rest is what follows.
func parseClock(s string) (us int64, rest string, ok bool) {
	if len(s) < 8 || s[2] != ':' || s[5] != ':' {
		return 0, "", false
	}
	h, err1 := strconv.ParseUint(s[0:2], 10, 8)
	m, err2 := strconv.ParseUint(s[3:5], 10, 8)
	sec, err3 := strconv.ParseUint(s[6:8], 10, 8)
	if err1 != nil || err2 != nil || err3 != nil || h > 24 || m > 59 || sec > 60 {
		return 0, "", false
	}
	us = int64((h*60+m)*60+sec) * 1_000_000
	rest = s[8:]
	if strings.HasPrefix(rest, ".") {
		unit := int64(100_000)
		rest = rest[1:]
		for rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			us += int64(rest[0]-'0') * unit
			unit /= 10
			rest = rest[1:]
		}
	}
	return us, rest, true
}

// parseZone reads "", Z or ±HH[:MM[:SS]] as microseconds east of Greenwich.
func parseZone(s string) (us int64, ok bool) {
	if s == "" || s == "Z" {
		return 0, true
	}
	sign := int64(1)
	switch s[0] {
	case '-':
		sign = -1
	case '+':
	default:
		return 0, false
	}
	unit := int64(3_600_000_000)
	for part := range strings.SplitSeq(s[1:], ":") {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil || unit < 1_000_000 {
			return 0, false
		}
		us += int64(n) * unit
		unit /= 60
	}
	return sign * us, true
}

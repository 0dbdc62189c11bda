package driverbase

import (
	"fmt"
	"strconv"
)

// AppendInterval appends an interval such as "1 year 2 months 3 days 04:05:06.7". months, days and micros are not
// converted into each other.
func AppendInterval(b []byte, months, days, micros int64) []byte {
	start := len(b)
	for _, part := range []struct {
		n    int64
		name string
	}{{months / 12, "year"}, {months % 12, "month"}, {days, "day"}} {
		if part.n == 0 {
			continue
		}
		b = append(append(strconv.AppendInt(b, part.n, 10), ' '), part.name...)
		if part.n != 1 {
			b = append(b, 's')
		}
		b = append(b, ' ')
	}
	if micros == 0 && len(b) > start {
		return b[:len(b)-1]
	}
	if micros < 0 {
		b = append(b, '-')
	}
	return AppendClock(b, micros)
}

// AppendClock appends the magnitude of micros as HH:MM:SS[.ffffff]. Hours may have more than two digits.
func AppendClock(b []byte, micros int64) []byte {
	u := uint64(micros) //nolint:gosec // the magnitude follows
	if micros < 0 {
		u = -u
	}
	b = fmt.Appendf(b, "%02d:%02d:%02d", u/3600e6, u/60e6%60, u/1e6%60)
	if u%1e6 == 0 {
		return b
	}
	b = fmt.Appendf(b, ".%06d", u%1e6)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

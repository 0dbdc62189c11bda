package arrowtable

import "strconv"

// intervalText returns an interval as PostgreSQL and DuckDB print it: "1 year 2 months -3 days 04:05:06.7". Months,
// days and time are not converted into each other. The time is seconds, which may be negative, plus nanos in [0, 1e9).
func intervalText(months, days, seconds, nanos int64) string {
	var b []byte
	unit := func(n int64, name string) {
		if n == 0 {
			return
		}
		if len(b) > 0 {
			b = append(b, ' ')
		}
		b = append(append(strconv.AppendInt(b, n, 10), ' '), name...)
		if n != 1 {
			b = append(b, 's')
		}
	}
	unit(months/12, "year")
	unit(months%12, "month")
	unit(days, "day")
	if seconds == 0 && nanos == 0 && len(b) > 0 {
		return string(b)
	}
	if len(b) > 0 {
		b = append(b, ' ')
	}
	if seconds < 0 {
		b = append(b, '-')
		if nanos > 0 {
			seconds, nanos = seconds+1, 1e9-nanos
		}
		seconds = -seconds
	}
	two := func(n int64) {
		if n < 10 {
			b = append(b, '0')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	two(seconds / 3600)
	b = append(b, ':')
	two(seconds / 60 % 60)
	b = append(b, ':')
	two(seconds % 60)
	if nanos > 0 {
		digits := strconv.FormatInt(1e9+nanos, 10)
		end := len(digits)
		for digits[end-1] == '0' {
			end--
		}
		b = append(append(b, '.'), digits[1:end]...)
	}
	return string(b)
}

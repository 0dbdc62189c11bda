package cell

import (
	"strings"
	"testing"
)

// Lengths are PostgreSQL's: EXTRACT(EPOCH FROM …) with years of 12 months and months of 30 days, as
// its comparison of intervals has them.
func TestIntervals(t *testing.T) {
	const second = 1_000_000
	for text, want := range map[string]int64{
		"36:00:00": 36 * 3600 * second, "1 day 12:00:00": 36 * 3600 * second, "2 days": 48 * 3600 * second, "48:00:00": 48 * 3600 * second, "1 mon": 30 * 86400 * second, "30 days": 30 * 86400 * second,
		"1 year 2 mons": 420 * 86400 * second, "14 months": 420 * 86400 * second, "-1 mons +2 days -00:00:01": (-28*86400 - 1) * second, "00:00:00": 0, "3000000:00:00": 3000000 * 3600 * second,
		"1 day -00:00:00.5": 86400*second - second/2, "00:00:00.000001": 1,
	} {
		got, _, ok := parseInterval(text)
		if !ok || got.Int64() != want {
			t.Errorf("%s: %v, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "1", "day", "1 week", "1:30", "1:30:00", "12:30", "12:60:00", "12:00:00 1 day", "1.5 days", "1 day 12", "1-2", "12:00:00+02", "12:00:00.1234567", "one day"} {
		if got, _, ok := parseInterval(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	for text, want := range map[string]bool{"48:00:00|2 days": true, "1 mon|30 days": true, "1 month|30 days": false, "2 days|soon": false} {
		if _, written := IntervalFormat(textColumn(strings.Split(text, "|")...)); written != want {
			t.Errorf("%s: %v", text, written)
		}
	}
}

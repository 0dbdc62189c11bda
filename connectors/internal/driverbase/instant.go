package driverbase

import "time"

// Instant parses the timestamp of a reference such as table:NAME@2024-02-29T12:00:00Z: a date, or a date and a time of
// day separated by T or a blank, with optional fractional seconds. Without a zone it is UTC.
func Instant(text string) (at time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", time.DateTime,
		time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil { // which also allows fractional seconds
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

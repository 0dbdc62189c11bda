package scoring

import (
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// ParseInstant parses the time of an answer, in case files and in tables, as [ParseTimestamp] does. It is
// UTC without a zone. Digits beyond microseconds are dropped, as tables do not store them. ok is false for any other
// text and for a time outside of the years 1 to 9999.
func ParseInstant(text string) (at time.Time, ok bool) {
	v, ok := ParseTimestamp(text)
	if !ok {
		return time.Time{}, false
	}
	return v.Instant()
}

// Instant returns the time that a date or timestamp means, to the microsecond and in UTC. ok is false for a value of
// another type and for a time outside of the years 1 to 9999.
func (v Value) Instant() (at time.Time, ok bool) {
	switch v.Type { //nolint:exhaustive // the types of instants
	case Timestamp, TimestampTZ:
		at = time.Unix(v.Int(), int64(v.Nanos())).UTC().Truncate(time.Microsecond)
	case Date:
		at = time.Unix(v.Int()*24*60*60, 0).UTC()
	default:
		return time.Time{}, false
	}
	if at.IsZero() || at.Year() < 1 || at.Year() > 9999 {
		return time.Time{}, false
	}
	return at, true
}

// ranAt parses the member agent.ran_at of a case; the zero time for the empty string.
func ranAt(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, ok := ParseInstant(text)
	if !ok {
		return at, errcode.New(errcode.InvalidArgument,
			"agent.ran_at is %.40q; expected a time such as 2025-01-13T02:00:00Z (without a zone it is UTC)", text)
	}
	return at, nil
}

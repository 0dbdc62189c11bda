package driverbase_test

import (
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

func TestInstant(t *testing.T) {
	noon := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2024-02-29T12:00:00Z": noon, "2024-02-29 12:00:00Z": noon, "2024-02-29T12:00:00": noon, "2024-02-29 12:00:00": noon,
		"2024-02-29T17:30:00+05:30": noon, "2024-02-29 07:00:00-05:00": noon, "2024-02-29": noon.Add(-12 * time.Hour),
		"2024-02-29T12:00:00.123456789Z": noon.Add(123456789), "2024-02-29 12:00:00.5": noon.Add(500 * time.Millisecond),
		"": {}, "2023-02-29": {}, "17": {}, "2024-02-29T12:00": {}, "2024-02-29T12:00:00Z'": {}, "soon": {},
	} {
		if got, ok := driverbase.Instant(text); ok != !want.IsZero() || !got.Equal(want) || ok && got.Location() != time.UTC {
			t.Errorf("%q: %v, %v; want %v", text, got, ok, want)
		}
	}
}

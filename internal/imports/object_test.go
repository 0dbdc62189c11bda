package imports

import (
	"encoding/json"
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	want := time.Date(2025, 3, 1, 10, 0, 0, 0, time.UTC)
	for text, known := range map[string]bool{
		`"2025-03-01T10:00:00Z"`: true, `"2025-03-01T11:00:00+01:00"`: true, `"2025-03-01T10:00:00"`: true,
		`"2025-03-01T10:00:00.000000000Z"`: true, `1740823200`: true, `1740823200000`: true, `"1740823200000"`: true, `1740823200000000`: true,
		`"1740823200000000000"`: true, `1740823200.0`: true,
		`"inf"`: false, `"NaN"`: false, `-1`: false, `0`: false, `1e99`: false, `"1e999"`: false, `""`: false, `"soon"`: false, `null`: false, `[1]`: false,
	} {
		got := object{{Name: []byte("t"), Value: json.RawMessage(text)}}.time("t")
		if known && !got.Equal(want) || !known && !got.IsZero() {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

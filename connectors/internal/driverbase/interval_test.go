package driverbase_test

import (
	"math"
	"testing"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

func TestIntervals(t *testing.T) {
	for _, tc := range []struct {
		why                  string
		months, days, micros int64
		want                 string
	}{
		{"nothing", 0, 0, 0, "00:00:00"},
		{"one of each", 13, 1, 3_661_000_000, "1 year 1 month 1 day 01:01:01"},
		{"several, and a fraction", 26, 3, 14_706_700_000, "2 years 2 months 3 days 04:05:06.7"},
		{"below zero", -14, -1, -500_000, "-1 years -2 months -1 days -00:00:00.5"},
		{"parts of either sign", 1, -2, 1, "1 month -2 days 00:00:00.000001"},
		{"more hours than a day has", 0, 0, 87_840_000 * 3_600_000_000, "87840000:00:00"},
		{"the lowest", 0, 0, math.MinInt64, "-2562047788:00:54.775808"},
	} {
		if got := string(driverbase.AppendInterval([]byte("="), tc.months, tc.days, tc.micros)); got != "="+tc.want {
			t.Errorf("%s: %s, want =%s", tc.why, got, tc.want)
		}
	}
}

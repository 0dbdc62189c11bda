package metric

import (
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
)

func TestLatencyOverheadInWords(t *testing.T) {
	for _, tc := range []struct {
		gold, pred time.Duration
		value      float64
		want       string
	}{
		{30 * time.Millisecond, 3885 * time.Millisecond, 12850,
			"the agent's query took 130 times as long as the gold query (3.9 s, gold 30 ms)"},
		{500 * time.Millisecond, 1000 * time.Millisecond, 100,
			"the agent's query took 2 times as long as the gold query (1 s, gold 500 ms)"},
		{500 * time.Millisecond, 999 * time.Millisecond, 99.8,
			"the agent's query took 100% longer than the gold query (999 ms, gold 500 ms)"},
		{500 * time.Millisecond, 800 * time.Millisecond, 60,
			"the agent's query took 60% longer than the gold query (800 ms, gold 500 ms)"},
		{500 * time.Millisecond, 250 * time.Millisecond, -50,
			"the agent's query took 50% less time than the gold query (250 ms, gold 500 ms)"},
		{500 * time.Millisecond, 500 * time.Millisecond, 0, "the agent's query took as long as the gold query"},
		{1500 * time.Microsecond, 1600 * time.Microsecond, 100.0 / 15,
			"the agent's query took 6.7% longer than the gold query (1.6 ms, gold 1.5 ms)"},
	} {
		in := &scoring.Input{Gold: &scoring.Query{Latency: &tc.gold}, Pred: &scoring.Query{Latency: &tc.pred}}
		s, err := latencyOverhead(t.Context(), in)
		if err != nil || s.Reason != tc.want || s.Value-tc.value > 1e-9 || tc.value-s.Value > 1e-9 {
			t.Errorf("%v %v: %v %q %v, want %v %q", tc.gold, tc.pred, s.Value, s.Reason, err, tc.value, tc.want)
		}
	}
}

package driverbase_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// fails is how a request fails one time.
type fails struct {
	asked time.Duration // by the server
	final bool
}

// The cases in which BigQuery and Databricks did not do the same.
func TestRetry(t *testing.T) {
	retry := driverbase.Retry{Times: 3, First: time.Second, Longest: 4 * time.Second, Asked: 2 * time.Minute, Patience: 10 * time.Minute}
	busy, gone := errors.New("busy"), errors.New("gone")
	for _, tc := range []struct {
		why         string
		fails       []fails
		sent        int
		want        error
		least, most time.Duration // of all pauses
	}{
		{"an answer", nil, 1, nil, 0, 0},
		{"an answer after two failures: pauses of 1s and 2s, half of them by chance", make([]fails, 2), 3, nil, 1500 * time.Millisecond, 3 * time.Second},
		{"pauses grow to the longest, and repetitions end", make([]fails, 9), 4, busy, 3500 * time.Millisecond, 7 * time.Second},
		{"not to be sent again", []fails{{}, {final: true}}, 2, gone, 500 * time.Millisecond, time.Second},
		{"a server that asks for a longer pause (chance adds to it)", []fails{{asked: 10 * time.Second}}, 2, nil, 10 * time.Second, 10500 * time.Millisecond},
		{"a server that asks for a shorter one is not asked sooner (and does not count: 1s, 2s, 2s)", []fails{{}, {}, {asked: 500 * time.Millisecond}}, 4, nil, 2500 * time.Millisecond, 5 * time.Second},
		{"a server that asks for too long a pause", []fails{{asked: 24 * time.Hour}}, 2, nil, 2 * time.Minute, 2*time.Minute + time.Second},
		{"pauses that are asked for do not count", []fails{{asked: time.Minute}, {asked: time.Minute}, {asked: time.Minute}, {asked: time.Minute}, {}, {}, {}}, 8, nil, 4*time.Minute + 3500*time.Millisecond, 4*time.Minute + 9*time.Second},
		{"until patience ends: five of two minutes, then three", repeated(fails{asked: 2 * time.Minute}, 20), 9, busy, 16 * time.Minute, 16*time.Minute + 12*time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			sent, began := 0, time.Now()
			err := retry.Do(t.Context(), func() error {
				if sent++; sent > len(tc.fails) {
					return nil
				}
				if tc.fails[sent-1].final {
					return gone
				}
				return busy
			}, func(err error) (bool, time.Duration) { return errors.Is(err, busy), tc.fails[sent-1].asked })
			if took := time.Since(began); !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) || sent != tc.sent || took < tc.least || took > tc.most {
				t.Errorf("%s: %v, sent %d times in %v; want %v, %d times, %v to %v", tc.why, err, sent, took, tc.want, tc.sent, tc.least, tc.most)
			}
		})
	}
}

func repeated(f fails, n int) []fails {
	out := make([]fails, n)
	for i := range out {
		out[i] = f
	}
	return out
}

// Once the context has ended, the error is its own and nothing is sent again.
func TestRetryGivenUp(t *testing.T) {
	busy := errors.New("busy")
	yes := func(error) (bool, time.Duration) { return true, 0 }
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		sent := 0
		if err := driverbase.DefaultRetry.Do(ctx, func() error { sent++; return busy }, yes); !errors.Is(err, context.DeadlineExceeded) || sent != 1 {
			t.Errorf("in a pause: %v, sent %d times", err, sent)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	sent := 0
	if err := driverbase.DefaultRetry.Do(ctx, func() error { sent++; cancel(); return busy }, yes); !errors.Is(err, context.Canceled) || sent != 1 {
		t.Errorf("while it is sent: %v, sent %d times", err, sent)
	}
}

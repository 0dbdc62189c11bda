package judgebackend

import (
	"context"
	"time"
)

// Clock returns the time and waits. Tests replace it.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error // ctx.Err() if ctx ends before
}

// SystemClock is the system's clock.
var SystemClock Clock = systemClock{}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

package backendtest

import (
	"context"
	"sync"
	"time"
)

// Clock is a fake clock: Sleep moves it forward and returns immediately. The zero value starts at midnight, 1 January
// 2026, UTC.
type Clock struct {
	mu    sync.Mutex
	moved time.Duration
	slept []time.Duration
}

// Now implements judgebackend.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(c.moved)
}

// Sleep implements judgebackend.Clock.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if d > 0 {
		c.moved += d
		c.slept = append(c.slept, d)
	}
	return nil
}

// Advance moves the clock forward by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved += d
}

// Slept returns the durations of all sleeps so far.
func (c *Clock) Slept() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.slept...)
}

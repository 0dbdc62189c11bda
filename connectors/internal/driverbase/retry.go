package driverbase

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Retry says how often a request that failed is sent again, and after which pauses.
type Retry struct {
	Times          int           // at most; 0 is never
	First, Longest time.Duration // of the pauses, doubled from one to the next
	Asked          time.Duration // the longest pause that a server can request
	// Patience is the total time for which pauses that a server requests are not counted as attempts: stopped
	// warehouses take minutes to start.
	Patience time.Duration
}

// DefaultRetry tries for about half a minute where the server does not say when to come again.
var DefaultRetry = Retry{Times: 6, First: 500 * time.Millisecond, Longest: 30 * time.Second, Asked: 2 * time.Minute,
	Patience: 10 * time.Minute}

// Do sends a request until it is answered, until it failed in a way after which it is not to be sent
// again, or until it was sent often enough; the error is then that of the last time. Once the
// context has ended, nothing is sent again, and the error is the context's. After an error, again
// reports whether the request may be sent again, and what [RetryAfter] said.
func (r Retry) Do(ctx context.Context, send func() error, again func(error) (ok bool, asked time.Duration)) error {
	patience := r.Patience
	for n := 1; ; n++ {
		err := send()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		ok, asked := again(err)
		switch {
		case !ok:
			return err
		case asked > 0 && patience > 0:
			patience -= min(asked, r.Asked)
			n--
		case n > r.Times:
			return err
		}
		if err := r.Pause(ctx, max(n, 1), asked); err != nil {
			return err
		}
	}
}

// Pause waits before the n-th repetition, from 1, or longer where the server asked for that. Some of
// the pause is by chance, so that many clients do not come back together. The error is the context's.
func (r Retry) Pause(ctx context.Context, n int, asked time.Duration) error {
	step := min(r.First<<min(n-1, 20), r.Longest)
	return Wait(ctx, max(step/2, min(asked, r.Asked))+rand.N(step/2+1)) //nolint:gosec // no secret
}

// Wait waits until the time has passed or the context has ended; the error is the context's.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RetryAfter is how long a server asks to wait, in seconds or until a date (RFC 9110, section
// 10.2.3); 0 if it does not say.
func RetryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(max(0, n)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

package driverbase

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/badger-eval/badger/internal/outbound"
)

// Retry configures the number of retries of a request, and the delays between them.
type Retry struct {
	Times          int           // maximum number of retries
	First, Longest time.Duration // the first and the longest delay; each delay is double the previous one
	Asked          time.Duration // longest delay that is accepted from a server
	// Patience is the total of server-requested delays that are not counted as attempts, as stopped warehouses take
	// minutes to start.
	Patience time.Duration
}

// DefaultRetry retries for about half a minute if the server sends no Retry-After.
var DefaultRetry = Retry{Times: 6, First: 500 * time.Millisecond, Longest: 30 * time.Second, Asked: 2 * time.Minute,
	Patience: 10 * time.Minute}

// Do calls send until it succeeds, its error may not be retried, or the retries are used up; it returns the last error.
// When ctx ends, Do stops and returns the context's error. again reports whether an error may be retried, and the delay
// that the server requested ([RetryAfter]).
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

// Pause waits before the n-th retry, from 1, for the exponential delay or for asked, if that is longer, plus a random
// part that spreads the retries of many clients. It returns the context's error if that ends.
func (r Retry) Pause(ctx context.Context, n int, asked time.Duration) error {
	step := min(r.First<<min(n-1, 20), r.Longest)
	return outbound.Wait(ctx, max(step/2, min(asked, r.Asked))+rand.N(step/2+1)) //nolint:gosec // no secret
}

package judgebackend

import (
	"context"

	"golang.org/x/time/rate"
)

// paced is the wrapper that limits requests and tokens per minute.
type paced struct {
	next     Backend
	clock    Clock
	requests *rate.Limiter // nil: no limit
	tokens   *rate.Limiter
}

// perMinute returns a limiter of n per minute, with bursts of a sixtieth of n, or nil if n is not positive.
func perMinute(n int) *rate.Limiter {
	if n <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(float64(n)/60), max(1, n/60))
}

func (w *paced) Complete(ctx context.Context, r Request) (Response, error) {
	if err := w.take(ctx, w.requests, 1); err != nil {
		return Response{}, err
	}
	// Vendors count about four bytes a token, and the reply's bound in full.
	if err := w.take(ctx, w.tokens, r.bytesOut()/4+r.ReplyTokens()); err != nil {
		return Response{}, err
	}
	return w.next.Complete(ctx, r)
}

// take waits for n units of l, in portions if n is larger than a burst.
func (w *paced) take(ctx context.Context, l *rate.Limiter, n int) error {
	for l != nil && n > 0 {
		part := min(n, l.Burst())
		now := w.clock.Now()
		res := l.ReserveN(now, part)
		if err := w.clock.Sleep(ctx, res.DelayFrom(now)); err != nil {
			res.CancelAt(w.clock.Now())
			return err
		}
		n -= part
	}
	return nil
}

package judgebackend

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// RetryPolicy configures the number of attempts and their delays. Zero fields take the defaults in brackets.
type RetryPolicy struct {
	Attempts      int           // maximum attempts for one request, including the first [5]
	Base          time.Duration // the delay before attempt n+1 is random between 0 and Base·2^(n-1) [500 ms]
	Max           time.Duration // maximum of that delay [30 s]
	MaxRetryAfter time.Duration // no retry if Retry-After is longer [2 min]
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.Attempts <= 0 {
		p.Attempts = 5
	}
	if p.Base <= 0 {
		p.Base = 500 * time.Millisecond
	}
	if p.Max <= 0 {
		p.Max = 30 * time.Second
	}
	if p.MaxRetryAfter <= 0 {
		p.MaxRetryAfter = 2 * time.Minute
	}
	return p
}

// wait returns the delay after attempt n (from 1) failed: the endpoint's Retry-After plus a random time, full jitter
// (Brooker, "Exponential Backoff And Jitter", 2015). False means no retry.
func (p RetryPolicy) wait(n int, retryAfter time.Duration, random float64) (time.Duration, bool) {
	if retryAfter > p.MaxRetryAfter {
		return 0, false
	}
	ceiling := p.Max
	if n < 32 && p.Base<<(n-1) > 0 {
		ceiling = min(p.Max, p.Base<<(n-1))
	}
	if retryAfter > 0 { // all clients got the same time: spread them a little after it
		ceiling = min(ceiling, p.Base)
	}
	return retryAfter + time.Duration(random*float64(ceiling)), true
}

// retried is the wrapper that repeats attempts after errors that may be transient.
type retried struct {
	next    Backend
	policy  RetryPolicy
	clock   Clock
	random  func() float64 // in [0, 1)
	retries atomic.Int64
}

func (w *retried) Complete(ctx context.Context, r Request) (Response, error) {
	for n := 1; ; n++ {
		resp, err := w.next.Complete(ctx, r)
		if err == nil || n == w.policy.Attempts || !kinds[KindOf(err)].retry {
			return resp, err
		}
		var retryAfter time.Duration
		if e := (*Error)(nil); errors.As(err, &e) {
			if retryAfter = e.RetryAfter; e.NoRetry {
				return resp, err
			}
		}
		pause, ok := w.policy.wait(n, retryAfter, w.random())
		if !ok {
			return resp, err
		}
		if w.clock.Sleep(ctx, pause) != nil {
			return resp, err
		}
		if refused := again(ctx, err); refused != nil {
			return resp, refused
		}
		w.retries.Add(1)
	}
}

func randomFloat() float64 { return rand.Float64() } //nolint:gosec // jitter needs no secrecy

package judgebackend

import (
	"context"
	"math"
	"sync"
	"time"
)

// adaptive limits the calls in flight by additive increase and multiplicative decrease (Chiu and Jain, 1989). The
// limit starts at the maximum, is halved when the endpoint is overloaded, and grows by one after as many successes as
// the limit. Calls in flight during a decrease do not cause another one. A Retry-After delays all callers.
type adaptive struct {
	next  Backend
	clock Clock
	max   float64

	mu       sync.Mutex
	limit    float64
	inFlight int
	queue    []chan struct{} // callers in order of arrival
	epoch    int             // number of decreases
	paused   time.Time       // no call starts before this time
}

func newAdaptive(next Backend, clock Clock, limit int) *adaptive {
	return &adaptive{next: next, clock: clock, max: float64(limit), limit: float64(limit)}
}

func (w *adaptive) Complete(ctx context.Context, r Request) (Response, error) {
	epoch, err := w.acquire(ctx)
	if err != nil {
		return Response{}, err
	}
	resp, err := w.next.Complete(ctx, r)
	w.release(epoch, err)
	return resp, err
}

// acquire waits for a slot and returns the epoch in which it was acquired.
func (w *adaptive) acquire(ctx context.Context) (int, error) {
	w.mu.Lock()
	if w.inFlight >= int(w.limit) || len(w.queue) > 0 {
		turn := make(chan struct{})
		w.queue = append(w.queue, turn)
		w.mu.Unlock()
		select {
		case <-turn: // the slot is ours already
		case <-ctx.Done():
			w.leave(turn)
			return 0, ctx.Err()
		}
		w.mu.Lock()
	} else {
		w.inFlight++
	}
	for pause := w.paused.Sub(w.clock.Now()); pause > 0; pause = w.paused.Sub(w.clock.Now()) {
		w.mu.Unlock()
		err := w.clock.Sleep(ctx, pause)
		w.mu.Lock()
		if err != nil {
			w.inFlight--
			w.admit()
			w.mu.Unlock()
			return 0, err
		}
	}
	epoch := w.epoch
	w.mu.Unlock()
	return epoch, nil
}

// leave removes a caller that gives up from the queue, or releases its slot if it just got one.
func (w *adaptive) leave(turn chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, t := range w.queue {
		if t == turn {
			w.queue = append(w.queue[:i], w.queue[i+1:]...)
			return
		}
	}
	w.inFlight--
	w.admit()
}

func (w *adaptive) release(epoch int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight--
	switch e, ok := err.(*Error); { //nolint:errorlint // the layers below return this type
	case err == nil:
		w.limit = min(w.max, w.limit+1/w.limit)
	case ok && isCongestion(e):
		if epoch == w.epoch {
			w.limit = max(1, math.Floor(w.limit/2))
			w.epoch++
		}
		if until := w.clock.Now().Add(min(e.RetryAfter, time.Minute)); e.RetryAfter > 0 && until.After(w.paused) {
			w.paused = until
		}
	}
	w.admit()
}

func isCongestion(e *Error) bool {
	const unavailable, overloaded = 503, 529 // HTTP's, and Anthropic's
	return e.Kind == KindRateLimited || e.Status == overloaded || e.Status == unavailable
}

// admit gives free slots to the callers in the queue. The caller holds w.mu.
func (w *adaptive) admit() {
	for len(w.queue) > 0 && w.inFlight < int(w.limit) {
		w.inFlight++
		close(w.queue[0])
		w.queue = w.queue[1:]
	}
}

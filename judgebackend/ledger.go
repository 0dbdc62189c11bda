package judgebackend

import (
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// ledger returns recorded replies from the store, and lets concurrent equal requests share one call. The lookup is
// part of the shared call, so that no equal call can start between the lookup and the call.
type ledger struct {
	next     Backend
	id       Identity
	store    Store // nil: no ledger
	flights  *flights
	askAgain bool
	clock    Clock
	log      *slog.Logger
	unkept   *semaphore.Weighted // limits the calls whose replies are not stored yet
	requests atomic.Int64
	hits     atomic.Int64
}

func (l *ledger) Complete(ctx context.Context, r Request) (Response, error) {
	l.requests.Add(1)
	// Requests that differ only in the maximal length of the answer have the same hash but may have different
	// answers.
	key := r.hash + "/" + strconv.Itoa(r.ReplyTokens())
	if r.anew {
		key += "/anew"
	}
	resp, shared, err := l.flights.do(ctx, key, func(ctx context.Context) (Response, error) { return l.fill(ctx, r) })
	if shared && resp.FinishReason != "" {
		resp.Cached = true
	}
	if resp.Cached {
		l.hits.Add(1)
	}
	if err != nil {
		return resp, MapError(ctx, l.id, err)
	}
	return resp, nil
}

func (l *ledger) fill(ctx context.Context, r Request) (Response, error) {
	if l.store == nil {
		return l.next.Complete(ctx, r)
	}
	resp, found, err := l.lookup(ctx, r)
	if found || err != nil {
		return resp, err
	}
	release, err := l.claim(ctx, r.hash)
	if err != nil {
		return Response{}, err
	}
	if release != nil {
		defer release()
		// The previous holder of the claim may have stored an answer.
		if resp, found, err = l.lookup(ctx, r); found || err != nil {
			return resp, err
		}
	}
	// An answer that is paid for but not stored is bought again after the process was killed.
	if err := l.unkept.Acquire(ctx, 1); err != nil {
		return Response{}, err
	}
	defer l.unkept.Release(1)
	resp, err = l.next.Complete(ctx, r)
	if resp.FinishReason == "" {
		return resp, err
	}
	// The answer is paid for: it is kept although the caller may have given up, and given although
	// it could not be kept.
	if putErr := l.store.Put(context.WithoutCancel(ctx), assess(ctx, l.id, r, resp)); putErr != nil {
		l.log.Error("judge ledger: cannot store a reply; the same call may be repeated and billed again", "request_hash",
			r.hash, "error",
			MapError(ctx, l.id, putErr))
	}
	return resp, err
}

// lookup reads a usable reply from the store. found reports whether there is one; for an unusable reply, err is set
// as well.
func (l *ledger) lookup(ctx context.Context, r Request) (resp Response, found bool, err error) {
	a, ok, err := l.store.Get(ctx, r.hash)
	switch {
	case err != nil:
		return Response{}, false, l.away(ctx)
	case !ok || !l.usable(a, r) || r.anew && !a.CreatedAt.After(r.asked):
		return Response{}, false, nil
	}
	resp = a.response()
	resp.AskAgain = l.askAgain
	return resp, true, resp.finishError(l.id)
}

// claim waits until no other process makes the same call. release is nil if the store does not coordinate processes.
func (l *ledger) claim(ctx context.Context, hash string) (release func(), err error) {
	c, ok := l.store.(Claimer)
	if !ok {
		return nil, nil
	}
	for wait := 50 * time.Millisecond; ; wait = min(wait*3/2, 5*time.Second) {
		release, ok, err := c.Claim(ctx, hash)
		switch {
		case err != nil:
			return nil, l.away(ctx)
		case ok:
			return release, nil
		}
		if err := l.clock.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// away returns the error of a store that cannot be read. The judge is not called then, because replies that are in
// the store would be paid for twice.
func (l *ledger) away(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &Error{Kind: KindStore, Backend: l.id.Backend}
}

// usable reports whether a recorded reply answers r. A complete reply always does. A truncated one does not if r
// allows more tokens, and no incomplete one does if askAgain is set.
func (l *ledger) usable(a Assessment, r Request) bool {
	switch a.FinishReason {
	case "", FinishStop:
		return true
	case FinishLength:
		return !l.askAgain && r.ReplyTokens() <= a.MaxTokens
	}
	return !l.askAgain
}

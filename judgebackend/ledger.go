package judgebackend

import (
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
)

// ledger answers from the store what was answered before, and lets equal requests share one call.
// The lookup is inside the flight: between a miss and the call nobody can slip in.
type ledger struct {
	next     Backend
	id       Identity
	store    Store // nil for none
	flights  *flights
	askAgain bool
	log      *slog.Logger
	requests atomic.Int64
	hits     atomic.Int64
}

func (l *ledger) Complete(ctx context.Context, r Request) (Response, error) {
	l.requests.Add(1)
	// Requests that differ only in how long the answer may be have one hash but may have different
	// answers.
	key := r.hash + "/" + strconv.Itoa(r.maxTokens())
	resp, shared, err := l.flights.do(ctx, key, func(ctx context.Context) (Response, error) { return l.fill(ctx, r) })
	if shared && resp.FinishReason != "" {
		resp.Cached = true
	}
	if resp.Cached {
		l.hits.Add(1)
	}
	if err != nil {
		return resp, mapError(ctx, l.id, err)
	}
	return resp, nil
}

func (l *ledger) fill(ctx context.Context, r Request) (Response, error) {
	if l.store == nil {
		return l.next.Complete(ctx, r)
	}
	a, ok, err := l.store.Get(ctx, r.hash)
	switch {
	case err != nil && ctx.Err() != nil:
		return Response{}, ctx.Err()
	case err != nil: // asking anyway could pay twice for everything
		return Response{}, &Error{Kind: KindStore, Backend: l.id.Backend}
	case ok && l.usable(a, r):
		resp := a.response()
		return resp, resp.finishError(l.id)
	}
	resp, err := l.next.Complete(ctx, r)
	if resp.FinishReason == "" {
		return resp, err
	}
	// The answer is paid for: it is kept although the caller may have given up, and given although
	// it could not be kept.
	if putErr := l.store.Put(context.WithoutCancel(ctx), assess(l.id, r, resp)); putErr != nil {
		l.log.Error("judge ledger: an answer could not be kept and may be paid for again", "request_hash", r.hash, "error", mapError(ctx, l.id, putErr))
	}
	return resp, err
}

// usable tells whether a recorded answer stands for r. Complete ones always do. An answer that was
// cut is looked at again when more tokens are allowed; refusals and the like when the run is told
// to ask again.
func (l *ledger) usable(a Assessment, r Request) bool {
	switch a.FinishReason {
	case "", FinishStop:
		return true
	case FinishLength:
		return !l.askAgain && r.maxTokens() <= a.MaxTokens
	}
	return !l.askAgain
}

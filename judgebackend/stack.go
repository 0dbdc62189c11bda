package judgebackend

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/badger-eval/badger/internal/errcode"
)

// StackOptions configures the wrappers. The zero value has no ledger, no budget, no record and no
// rate limit; equal requests at the same time still share one call, failed calls are retried, and
// at most 64 are in flight.
type StackOptions struct {
	Store    Store    // the ledger; nil for none
	AskAgain bool     // do not take refused, cut, oversized and malformed answers from the ledger
	Budget   *Budget  // may be shared by several stacks; nil for none
	Quota    *Quota   // what each payer may spend a day; nil for no limit
	Record   Recorder // takes every answer as an assessment; nil for none

	// KeepRequests puts the whole request into what Record gets, so that people can read a
	// recording. Off by default, since requests hold data.
	KeepRequests bool

	Retry             RetryPolicy
	Concurrency       int           // the most calls in flight, until their answers are in the store [64]
	RequestsPerMinute int           // 0 for no limit
	TokensPerMinute   int           // 0 for no limit
	AttemptTimeout    time.Duration // for one attempt [3 min]
	CoolDown          time.Duration // how long an open circuit stays open before one call tries again [1 min]
	OnOpen            func(error)   // called once when a circuit opens; nil: log it

	Audit  *slog.Logger   // one line an attempt; nil for nowhere
	Log    *slog.Logger   // what went wrong without failing a call; nil for nowhere
	Clock  Clock          // nil for SystemClock
	Random func() float64 // in [0, 1), for jitter; nil for the runtime's
}

// Defaults of [StackOptions].
const (
	DefaultConcurrency    = 64
	DefaultAttemptTimeout = 3 * time.Minute
)

// Stack is a backend in its wrappers; the package's doc says which and why in this order.
type Stack struct {
	id      Identity
	top     *ledger
	circuit *circuit
	retry   *retried
	calls   *attempt
}

// Stats counts what a stack did.
type Stats struct {
	Requests int64 // asked of the stack
	Hits     int64 // answered by the ledger or by another caller's call
	Calls    int64 // attempts that went out
	Retries  int64 // how many of them were not the first
}

// NewStack puts the wrappers around b, the one place where their order is decided. It fails with
// FailedPrecondition if the budget counts money and b's model has no price.
func NewStack(b Backend, o *StackOptions) (*Stack, error) {
	if b == nil {
		return nil, errcode.New(errcode.InvalidArgument, "judge stack: no backend")
	}
	if o == nil {
		o = &StackOptions{}
	}
	if min(o.Concurrency, o.RequestsPerMinute, o.TokensPerMinute) < 0 || min(o.AttemptTimeout, o.CoolDown) < 0 {
		return nil, errcode.New(errcode.InvalidArgument, "judge stack: limits and durations must not be negative")
	}
	discard := slog.New(slog.DiscardHandler)
	clock, log, audit := orElse(o.Clock, SystemClock), orElse(o.Log, discard), orElse(o.Audit, discard)
	random := o.Random
	if random == nil {
		random = randomFloat
	}
	bare := check(b, clock)
	s := &Stack{id: bare.id}

	s.circuit = &circuit{clock: clock, coolDown: orElse(o.CoolDown, time.Minute), onOpen: o.OnOpen, log: log}
	s.calls = &attempt{backend: bare, circuit: s.circuit, timeout: orElse(o.AttemptTimeout, DefaultAttemptTimeout),
		audit: audit, clock: clock}
	var next Backend = s.calls
	if o.RequestsPerMinute > 0 || o.TokensPerMinute > 0 {
		next = &paced{next: next, clock: clock, requests: perMinute(o.RequestsPerMinute),
			tokens: perMinute(o.TokensPerMinute)}
	}
	next = newAdaptive(next, clock, orElse(o.Concurrency, DefaultConcurrency))
	s.retry = &retried{next: next, policy: o.Retry.withDefaults(), clock: clock, random: random}
	next = &recorded{next: s.retry, id: s.id, write: o.Record, keepRequests: o.KeepRequests, clock: clock, log: log}
	if o.Budget != nil {
		price, err := o.Budget.price(s.id)
		if err != nil {
			return nil, err
		}
		next = &budgeted{next: next, budget: o.Budget, price: price}
	}
	if o.Quota != nil {
		if _, err := o.Quota.price(s.id); err != nil {
			return nil, err
		}
		next = &perPayer{next: next, id: s.id, quota: o.Quota}
	}
	gate := Func(func(ctx context.Context, r Request) (Response, error) {
		if err := s.circuit.refuses(s.id); err != nil {
			return Response{}, err
		}
		return next.Complete(ctx, r)
	})
	s.top = &ledger{next: gate, id: s.id, store: o.Store, flights: newFlights(), askAgain: o.AskAgain, clock: clock,
		log:    log,
		unkept: semaphore.NewWeighted(int64(orElse(o.Concurrency, DefaultConcurrency)))}
	return s, nil
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Identity is the backend's.
func (s *Stack) Identity() Identity { return s.id }

// Complete implements Backend.
func (s *Stack) Complete(ctx context.Context, r Request) (Response, error) {
	if err := r.validate(); err != nil {
		return Response{}, err
	}
	r.hash = r.Hash(s.id)
	return s.top.Complete(ctx, r)
}

// Stats returns the counts of the stack so far.
func (s *Stack) Stats() Stats {
	return Stats{
		Requests: s.top.requests.Load(), Hits: s.top.hits.Load(),
		Calls: s.calls.calls.Load(), Retries: s.retry.retries.Load(),
	}
}

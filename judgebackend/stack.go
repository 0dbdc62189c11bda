package judgebackend

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/badger-eval/badger/internal/errcode"
)

// StackOptions configures the wrappers. The zero value has no ledger, budget, record or rate limit; concurrent equal
// requests share one call, failed calls are retried, and at most 64 calls are in flight.
type StackOptions struct {
	Store    Store    // the ledger; nil: no ledger
	AskAgain bool     // call again for refused, truncated, oversized and invalid replies in the ledger
	Budget   *Budget  // may be shared by several stacks; nil: unlimited
	Quota    *Quota   // limits of each payer per day; nil: unlimited
	Record   Recorder // called with every reply as an assessment; nil: no record

	// KeepRequests stores the whole request with each assessment for Record, so that people can read a recording. Off
	// by default, because requests contain data.
	KeepRequests bool

	Settings          Settings // of the model, for all requests
	Retry             RetryPolicy
	Concurrency       int           // maximum calls in flight, until their replies are stored [64]
	RequestsPerMinute int           // 0: unlimited
	TokensPerMinute   int           // 0: unlimited
	AttemptTimeout    time.Duration // time limit of one attempt [3 min]
	CoolDown          time.Duration // time after which an open circuit admits one call as a probe [1 min]
	OnOpen            func(error)   // called when a circuit opens; nil: log it

	Audit  *slog.Logger   // one line per attempt; nil: no log
	Log    *slog.Logger   // problems that fail no call; nil: no log
	Clock  Clock          // nil: SystemClock
	Random func() float64 // in [0, 1), for jitter; nil: math/rand
}

// Defaults of [StackOptions].
const (
	DefaultConcurrency    = 64
	DefaultAttemptTimeout = 3 * time.Minute
)

// Stack is a backend with its wrappers; see the package's documentation for their order.
type Stack struct {
	id       Identity
	settings Settings
	top      *ledger
	circuit  *circuit
	retry    *retried
	calls    *attempt
}

// Stats counts the requests and calls of a stack.
type Stats struct {
	Requests int64 // requests to the stack
	Hits     int64 // requests answered by the ledger or by a concurrent call
	Calls    int64 // attempts made
	Retries  int64 // attempts after the first of a request
}

// NewStack wraps b. It returns FailedPrecondition if the budget or quota limits money and b's model has no price.
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
	s := &Stack{id: bare.id, settings: o.Settings}

	s.circuit = &circuit{clock: clock, coolDown: orElse(o.CoolDown, time.Minute), onOpen: o.OnOpen, log: log}
	s.calls = &attempt{backend: bare, circuit: s.circuit, timeout: orElse(o.AttemptTimeout, DefaultAttemptTimeout),
		audit: audit, log: log, clock: clock}
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

// Identity returns the backend's identity.
func (s *Stack) Identity() Identity { return s.id }

// Settings returns the settings of the model.
func (s *Stack) Settings() Settings { return s.settings }

// Complete implements Backend. It sends r with the settings of the model.
func (s *Stack) Complete(ctx context.Context, r Request) (Response, error) {
	r = s.settings.on(r)
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

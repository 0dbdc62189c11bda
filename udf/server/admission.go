package server

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
)

// admission limits the concurrent calls and the memory of all callers together, and of each caller.
type admission struct {
	limits Limits
	calls  *semaphore.Weighted
	bytes  *semaphore.Weighted
	held   atomic.Int64        // bytes reserved at present
	alone  *semaphore.Weighted // held by the one row that reads references alone because memory was short
	spare  []func()            // each drops cached data, such as replies

	collect func() // runs the garbage collector

	mu      sync.Mutex
	callers map[string]*quota
}

// quota is the limits and the usage of one caller.
type quota struct {
	name   string
	limits CallerLimits
	calls  *semaphore.Weighted
	bytes  *semaphore.Weighted
	shares int // calls that refer to it

	mu   sync.Mutex
	paid time.Time // until when the caller's rows so far use up its rate
}

func newAdmission(l Limits) *admission {
	return &admission{
		limits: l, calls: semaphore.NewWeighted(int64(l.Calls)), bytes: semaphore.NewWeighted(l.InFlight),
		alone:   semaphore.NewWeighted(1),
		collect: runtime.GC,
		callers: map[string]*quota{},
	}
}

// share is the usage of one call. It counts against the caller's limits and the total ones.
type share struct {
	a  *admission
	q  *quota
	in bool // the call has a slot

	mu   sync.Mutex
	held int64
}

// of starts to count a call of a caller. The share must be ended with end.
func (a *admission) of(caller string) *share {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.callers[caller]
	if q == nil {
		a.sweep()
		l := a.limits.of(caller)
		q = &quota{name: caller, limits: l, calls: semaphore.NewWeighted(int64(l.Calls)),
			bytes: semaphore.NewWeighted(l.InFlight)}
		a.callers[caller] = q
	}
	q.shares++
	return &share{a: a, q: q}
}

// sweep removes the quotas of callers without usage if there are 1000 quotas or more, because the number of names is
// unlimited.
func (a *admission) sweep() {
	if len(a.callers) < 1000 {
		return
	}
	now := time.Now()
	for name, q := range a.callers {
		if q.shares == 0 && q.paid.Before(now) {
			delete(a.callers, name)
		}
	}
}

// end releases the slot and all memory of the call.
func (s *share) end() {
	s.leave()
	n := s.holds()
	s.a.unused(n)
	s.free(n)
	s.a.mu.Lock()
	s.q.shares--
	s.a.mu.Unlock()
}

// detach moves the memory of the call to a new share, for work that continues after the call.
func (s *share) detach() *share {
	own := s.a.of(s.q.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	own.held, s.held = s.held, 0
	return own
}

// enter acquires a slot for a call, or returns an error if none is free.
func (s *share) enter() error {
	if s.in {
		return nil
	}
	if !s.q.calls.TryAcquire(1) {
		return busy("caller calls", 0, "this caller has %d calls at once", s.q.limits.Calls)
	}
	if !s.a.calls.TryAcquire(1) {
		s.q.calls.Release(1)
		return busy("calls", 0, "too many calls at once")
	}
	s.in = true
	return nil
}

// await acquires a slot as enter does, but waits until one is free. It is for the later batches of a stream.
func (s *share) await(ctx context.Context) error {
	if s.in {
		return nil
	}
	if err := s.q.calls.Acquire(ctx, 1); err != nil {
		return err
	}
	if err := s.a.calls.Acquire(ctx, 1); err != nil {
		s.q.calls.Release(1)
		return err
	}
	s.in = true
	return nil
}

// leave releases the slot.
func (s *share) leave() {
	if s.in {
		s.a.calls.Release(1)
		s.q.calls.Release(1)
		s.in = false
	}
}

// Name implements udf.Caller.
func (s *share) Name() string { return s.q.name }

// Reserve implements udf.Caller. The bytes count in a separate share of the same caller.
func (s *share) Reserve(n int64) (release func(), err error) {
	own := s.a.of(s.q.name)
	if err := own.Hold(n); err != nil {
		own.end()
		return nil, err
	}
	return own.end, nil
}

// Hold reserves n bytes of memory, or returns an error if they are not available.
func (s *share) Hold(n int64) error {
	if err := s.tryHold(n); err != nil {
		return err
	}
	s.mu.Lock()
	s.held += n
	s.mu.Unlock()
	return nil
}

// holdLarge reserves n bytes for a message, but only if an eighth of the memory then remains free for requests that
// cannot wait. A message too large for that may use all memory.
func (s *share) holdLarge(n int64) error {
	margin := s.a.limits.InFlight / 8
	if s.holds()+n+margin > s.most() {
		margin = 0
	}
	if err := s.Hold(n + margin); err != nil {
		return err
	}
	s.free(margin)
	return nil
}

// tryHold reserves n bytes as Hold does, but does not add them to s.held. If the call needs more than its caller may
// have at all, the error is not errBusy: to repeat the call would not help.
func (s *share) tryHold(n int64) error {
	if held, most := s.holds(), s.most(); held+n > most {
		return errcode.New(errcode.ResourceExhausted, "the call needs %d bytes of memory, expected at most %d"+
			" (limits.memory_bytes, limits.caller.memory_bytes); send fewer rows in a call", held+n, most)
	}
	if !s.q.bytes.TryAcquire(n) {
		return busy("caller bytes", 0, "this caller's calls hold %d bytes at most", s.q.limits.InFlight)
	}
	if !s.a.Take(n) {
		s.q.bytes.Release(n)
		return busy("bytes", 0, "no memory for the call at present")
	}
	return nil
}

// most returns the memory in bytes that one call can have.
func (s *share) most() int64 { return min(s.a.limits.InFlight, s.q.limits.InFlight) }

// holds returns the number of bytes that the call has reserved with Hold.
func (s *share) holds() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

func (s *share) free(n int64) {
	s.mu.Lock()
	s.held -= n
	s.mu.Unlock()
	s.release(n)
}

func (s *share) release(n int64) {
	s.a.Give(n)
	s.q.bytes.Release(n)
}

// Take implements udf.Memory: it reserves n bytes of the total that belong to no caller. If they are not available,
// it drops cached data and tries again.
func (a *admission) Take(n int64) bool {
	if !a.bytes.TryAcquire(n) {
		for _, spare := range a.spare {
			spare()
		}
		if !a.bytes.TryAcquire(n) {
			return false
		}
	}
	a.held.Add(n)
	return true
}

// Give implements udf.Memory: it releases n bytes.
func (a *admission) Give(n int64) {
	a.held.Add(-n)
	a.bytes.Release(n)
}

// garbage is the number of bytes whose release starts a garbage collection: otherwise several large rows, one after
// the other, could make the process larger than the limit.
const garbage = 16 << 20

// unused must be called before n unused bytes are released. It collects garbage if n is large.
func (a *admission) unused(n int64) {
	if n >= garbage {
		a.collect()
	}
}

// rows counts n rows against the caller's rate. A batch of any size is accepted if the rows so far exceed the rate by
// at most a second. Otherwise rows waits, if wait is set, or returns an error.
func (s *share) rows(ctx context.Context, n int, wait bool) error {
	rate := s.q.limits.Rows
	if rate == 0 {
		return nil
	}
	for {
		now := time.Now()
		s.q.mu.Lock()
		ahead := s.q.paid.Sub(now)
		if ahead <= time.Second {
			if ahead < 0 {
				s.q.paid = now
			}
			s.q.paid = s.q.paid.Add(time.Duration(float64(n) / rate * float64(time.Second)))
			s.q.mu.Unlock()
			return nil
		}
		s.q.mu.Unlock()
		if !wait {
			return busy("caller rows", ahead, "this caller sends more than %g rows a second", rate)
		}
		t := time.NewTimer(ahead - time.Second)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
}

// withShare returns ctx with s as its udf.Caller, and with the caller's name for the judges' ledger.
func withShare(ctx context.Context, s *share) context.Context {
	if s.q.name != "" {
		ctx = scoring.WithPayer(ctx, s.q.name)
	}
	return udf.WithCaller(ctx, s)
}

// shareFrom returns the share of the call that ctx belongs to, or nil.
func shareFrom(ctx context.Context) *share {
	s, _ := udf.CallerFrom(ctx).(*share)
	return s
}

// threeQuarters returns three quarters of a limit: the part that one named caller may use.
func threeQuarters(n int64) int64 { return n / 4 * 3 }

// Read implements udf.Caller. If f failed because the memory was in use by others, it runs f again when no other row
// does so: such rows take turns instead of failing.
func (s *share) Read(ctx context.Context, f func(ctx context.Context)) {
	r := &rowAccount{share: s}
	r.run(ctx, f)
	if !r.short || ctx.Err() != nil {
		return
	}
	// Other rows need none of this memory: they must not wait for the worker that this one has.
	var err error
	again := udf.Aside(ctx, func() { err = s.a.alone.Acquire(ctx, 1) })
	if err != nil {
		return
	}
	defer s.a.alone.Release(1)
	if !again {
		return
	}
	r.alone = true
	r.run(ctx, f)
}

// rowAccount is the memory account of one row that reads references.
type rowAccount struct {
	*share
	alone bool

	mu    sync.Mutex
	held  int64
	short bool // memory was not available, but would be without other calls
}

var (
	_ account.Account = (*rowAccount)(nil)
	_ udf.Caller      = (*share)(nil)
	_ udf.Memory      = (*admission)(nil)
)

func (r *rowAccount) run(ctx context.Context, f func(ctx context.Context)) {
	defer func() {
		r.a.unused(r.held)
		r.release(r.held)
		r.held = 0
	}()
	f(account.With(ctx, r))
}

// Limit implements account.Account.
func (r *rowAccount) Limit() int64 { return r.a.limits.Reference }

// Hold implements account.Account. If r.alone is set, it waits up to 5 seconds for others to release memory.
func (r *rowAccount) Hold(ctx context.Context, n int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for try := 0; ; try++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.tryHold(n) == nil {
			r.held += n
			return nil
		}
		never := r.held+r.holds()+n > r.most() // next to its own call
		if !r.alone || try == 50 || never {
			r.short = r.short || !never
			return errcode.New(errcode.ResourceExhausted, "no memory for a result of that size: the results that references name and the bodies of calls may take %d bytes together, of one caller %d",
				r.a.limits.InFlight, r.q.limits.InFlight)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

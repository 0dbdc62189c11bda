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

// admission counts calls and the bytes they hold, of all callers together and of each.
type admission struct {
	limits Limits
	calls  *semaphore.Weighted
	bytes  *semaphore.Weighted
	held   atomic.Int64        // bytes
	alone  *semaphore.Weighted // a row that reads so much that it has to be the only one
	spare  []func()            // each releases memory of data that are cached, such as replies

	collect func() // collects garbage

	mu      sync.Mutex
	callers map[string]*quota
}

// quota is the usage of one caller.
type quota struct {
	name   string
	limits CallerLimits
	calls  *semaphore.Weighted
	bytes  *semaphore.Weighted
	shares int // calls that refer to it

	mu   sync.Mutex
	paid time.Time // until when the rows so far use the caller's rate up
}

func newAdmission(l Limits) *admission {
	return &admission{
		limits: l, calls: semaphore.NewWeighted(int64(l.Calls)), bytes: semaphore.NewWeighted(l.InFlight),
		alone:   semaphore.NewWeighted(1),
		collect: runtime.GC,
		callers: map[string]*quota{},
	}
}

// share is the usage of one call, within its caller's limits and the total.
type share struct {
	a  *admission
	q  *quota
	in bool // it has a place

	mu   sync.Mutex
	held int64
}

// of starts a call of a caller; end ends it.
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

// sweep forgets callers that hold nothing, now and then: there may be any number of names.
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

// end releases everything.
func (s *share) end() {
	s.leave()
	n := s.holds()
	s.a.unused(n)
	s.free(n)
	s.a.mu.Lock()
	s.q.shares--
	s.a.mu.Unlock()
}

// detach moves the memory that the call holds to a share that outlives it.
func (s *share) detach() *share {
	own := s.a.of(s.q.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	own.held, s.held = s.held, 0
	return own
}

// enter takes a place for a call, or says that there is none.
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

// await is enter for the later batches of a stream, which can be made to wait.
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

// Name is udf.Caller's.
func (s *share) Name() string { return s.q.name }

// Reserve is udf.Caller's. The bytes count in a separate share of the same caller.
func (s *share) Reserve(n int64) (release func(), err error) {
	own := s.a.of(s.q.name)
	if err := own.Hold(n); err != nil {
		own.end()
		return nil, err
	}
	return own.end, nil
}

// Hold reserves memory of n bytes, or says that there is none.
func (s *share) Hold(n int64) error {
	if err := s.tryHold(n); err != nil {
		return err
	}
	s.mu.Lock()
	s.held += n
	s.mu.Unlock()
	return nil
}

// holdLarge is Hold for messages, which can wait: an eighth of the memory is left for what cannot.
func (s *share) holdLarge(n int64) error {
	margin := s.a.limits.InFlight / 8
	if n+margin > min(s.a.limits.InFlight, s.q.limits.InFlight) {
		margin = 0
	}
	if err := s.Hold(n + margin); err != nil {
		return err
	}
	s.free(margin)
	return nil
}

// tryHold is Hold without a note that the call holds it.
func (s *share) tryHold(n int64) error {
	if !s.q.bytes.TryAcquire(n) {
		return busy("caller bytes", 0, "this caller's calls hold %d bytes at most", s.q.limits.InFlight)
	}
	if !s.a.Take(n) {
		s.q.bytes.Release(n)
		return busy("bytes", 0, "no memory for the call at present")
	}
	return nil
}

// holds is how many bytes the call holds.
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

// Take reserves memory that belongs to no caller, such as that of cached replies. Optional data is evicted for
// required data.
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

// Give is udf.Memory's.
func (a *admission) Give(n int64) {
	a.held.Add(-n)
	a.bytes.Release(n)
}

// garbage is how many bytes are released only after a garbage collection: until then the process still has
// them, and several large rows, one after the other, would take more together than the limit.
const garbage = 16 << 20

// unused is called before n unused bytes are released.
func (a *admission) unused(n int64) {
	if n >= garbage {
		a.collect()
	}
}

// rows counts the rows of a batch against the caller's rate. A batch is accepted while the caller is not more than
// a second ahead, whatever its size: a batch larger than the rate must pass at some time. wait reports that the
// caller, a stream, can be made to wait.
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

// withShare returns the context of a call, for readers of references and for judges, whose ledger records the
// caller.
func withShare(ctx context.Context, s *share) context.Context {
	if s.q.name != "" {
		ctx = scoring.WithPayer(ctx, s.q.name)
	}
	return udf.WithCaller(ctx, s)
}

// shareFrom is the share of the call that ctx belongs to, or nil.
func shareFrom(ctx context.Context) *share {
	s, _ := udf.CallerFrom(ctx).(*share)
	return s
}

// threeQuarters returns the part of a limit that one named caller may use, so that it cannot use all.
func threeQuarters(n int64) int64 { return n / 4 * 3 }

// Read runs f, which may read results that references name, and counts what it reads with the
// call. If there is no memory for it next to the others', f runs once more, when no
// other row does so: rows that read much take turns instead of failing.
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

// rowAccount is the memory account of one row.
type rowAccount struct {
	*share
	alone bool

	mu    sync.Mutex
	held  int64
	short bool // memory was not available
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

// Limit is account.Account's.
func (r *rowAccount) Limit() int64 { return r.a.limits.Reference }

// Hold is account.Account's. A row that is alone waits a little for the others to finish.
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
		never := r.held+r.holds()+n > min(r.a.limits.InFlight, r.q.limits.InFlight) // next to its own call
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

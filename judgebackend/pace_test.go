package judgebackend_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// account is an endpoint that takes so many calls at once and says 429 to the rest.
type account struct {
	limit            atomic.Int64
	inFlight         atomic.Int64
	served, rejected atomic.Int64
}

func (a *account) Identity() judgebackend.Identity { return judgebackend.Identity{Backend: "test"} }

func (a *account) Complete(ctx context.Context, _ judgebackend.Request) (judgebackend.Response, error) {
	now := a.inFlight.Add(1)
	defer a.inFlight.Add(-1)
	if now > a.limit.Load() {
		a.rejected.Add(1)
		return judgebackend.Response{}, fails(judgebackend.KindRateLimited)
	}
	a.served.Add(1)
	time.Sleep(100 * time.Millisecond)
	return said("yes"), ctx.Err()
}

// The number of calls in flight finds what the account allows, and most of it is used.
func TestConcurrencyAdapts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &account{}
		a.limit.Store(8)
		s := stack(t, a, judgebackend.StackOptions{Concurrency: 64, Retry: judgebackend.RetryPolicy{Attempts: 50}})
		start := time.Now()
		var wg sync.WaitGroup
		const n = 2000
		for i := range n {
			wg.Go(func() {
				if _, err := s.Complete(t.Context(), ask(fmt.Sprint(i))); err != nil {
					t.Errorf("call %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		ideal := n / 8 * 100 * time.Millisecond
		if took := time.Since(start); took > ideal*3/2 {
			t.Errorf("%v for what takes %v at best", took, ideal)
		}
		if r := a.rejected.Load(); r > n/4 {
			t.Errorf("%d of %d calls were turned away, want few", r, n)
		}
	})
}

// A Retry-After told to one caller holds the others back too.
func TestRetryAfterPausesEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		b := &scripted{answer: func(_ context.Context, n int64, _ judgebackend.Request) (judgebackend.Response, error) {
			if n == 1 {
				return judgebackend.Response{}, &judgebackend.Error{Kind: judgebackend.KindRateLimited, RetryAfter: 20 * time.Second}
			}
			if early := 20*time.Second - time.Since(start); early > 0 {
				t.Errorf("a call went out %v too early", early)
			}
			return said("yes"), nil
		}}
		s := stack(t, b, judgebackend.StackOptions{})
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				if _, err := s.Complete(t.Context(), ask(fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

// Callers that give up while they wait for a slot leave no hole.
func TestConcurrencySlotsAreNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var most, inFlight atomic.Int64
		b := &scripted{answer: func(context.Context, int64, judgebackend.Request) (judgebackend.Response, error) {
			if now := inFlight.Add(1); now > most.Load() {
				most.Store(now)
			}
			defer inFlight.Add(-1)
			time.Sleep(10 * time.Millisecond)
			return said("yes"), nil
		}}
		s := stack(t, b, judgebackend.StackOptions{Concurrency: 3})
		var wg sync.WaitGroup
		var done, gaveUp atomic.Int64
		for i := range 300 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%5)*4*time.Millisecond+time.Duration(i/5)*20*time.Millisecond+time.Microsecond)
				defer cancel()
				switch _, err := s.Complete(ctx, ask(fmt.Sprint(i))); errcode.Of(err) {
				case errcode.OK:
					done.Add(1)
				case errcode.DeadlineExceeded:
					gaveUp.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if done.Load() < 100 || gaveUp.Load() == 0 || most.Load() != 3 {
			t.Errorf("%d done, %d gave up, %d at once; want most done, some given up, 3 at once", done.Load(), gaveUp.Load(), most.Load())
		}
		time.Sleep(time.Second) // calls whose callers gave up end too
		start := time.Now()
		for i := range 30 {
			wg.Go(func() { _, _ = s.Complete(t.Context(), ask(fmt.Sprint("after", i))) })
		}
		wg.Wait()
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("30 calls by 3 took %v, want 100ms: a slot is lost or was made up", took)
		}
	})
}

func TestRateLimit(t *testing.T) {
	for _, tc := range []struct {
		why  string
		o    judgebackend.StackOptions
		n    int
		want time.Duration
	}{
		{"120 requests a minute, two at once", judgebackend.StackOptions{RequestsPerMinute: 120}, 62, 30 * time.Second},
		{"30 requests a minute", judgebackend.StackOptions{RequestsPerMinute: 30}, 31, 60 * time.Second},
		// 104 tokens a call: the reply's bound and 17 bytes, four of them a token
		{"tokens a minute, more than a burst for one call", judgebackend.StackOptions{TokensPerMinute: 600}, 60, 624*time.Second - time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := stack(t, always(said("yes"), nil), tc.o)
			start := time.Now()
			var wg sync.WaitGroup
			for i := range tc.n {
				wg.Go(func() {
					if _, err := s.Complete(t.Context(), ask(fmt.Sprintf("%02d", i))); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if took := time.Since(start).Round(time.Second); took != tc.want {
				t.Errorf("%s: %v for %d calls, want %v", tc.why, took, tc.n, tc.want)
			}
		})
	}
}

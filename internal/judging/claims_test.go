package judging_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/internal/judging"
)

// claimTable is a table of claims in memory, whose statements can be slow or fail.
type claimTable struct {
	*table

	mu       sync.Mutex
	owner    map[string]string
	until    map[string]time.Time
	slow     time.Duration // of a statement that takes claims, after it has looked at the clock
	slowGive time.Duration
	failGive bool
}

func newClaimTable() *claimTable {
	return &claimTable{table: newTable(), owner: map[string]string{}, until: map[string]time.Time{}}
}

func (f *claimTable) Claim(_ context.Context, owner string, now, until time.Time, keys ...string) (held []string, err error) {
	f.mu.Lock()
	slow := f.slow
	f.mu.Unlock()
	time.Sleep(slow)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range keys {
		if f.owner[k] == "" || f.until[k].Before(now) {
			f.owner[k], f.until[k] = owner, until
		}
		if f.owner[k] == owner {
			held = append(held, k)
		}
	}
	return held, nil
}

func (f *claimTable) RenewClaims(_ context.Context, owner string, until time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for k, o := range f.owner {
		if o == owner {
			f.until[k] = until
		}
	}
	return nil
}

func (f *claimTable) ReleaseClaims(_ context.Context, owner string, keys ...string) error {
	f.mu.Lock()
	slow, fail := f.slowGive, f.failGive
	f.mu.Unlock()
	time.Sleep(slow)
	if fail {
		return errors.New("the warehouse is asleep")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range keys {
		if f.owner[k] == owner {
			delete(f.owner, k)
		}
	}
	return nil
}

func (f *claimTable) VoidClaims(context.Context, string, string) error { return nil }

func (f *claimTable) ForgetClaims(context.Context, time.Time) error { return nil }

func (f *claimTable) set(slow, slowGive time.Duration, failGive bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slow, f.slowGive, f.failGive = slow, slowGive, failGive
}

// claim reports whether the claim was got, and how to give it back.
func claim(t *testing.T, l *judging.Ledger) (release func(), ok bool) {
	t.Helper()
	release, ok, err := l.Claim(t.Context(), "question")
	if err != nil {
		t.Fatal(err)
	}
	return release, ok
}

const lease = time.Minute

// A claim that was granted so late that it has ended must not count: another process may have it.
func TestClaimsThatComeTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newClaimTable()
		a := judging.NewLedgerWithLease(f, lease, time.Now, nil)
		f.set(lease+time.Second, 0, false)
		if _, ok := claim(t, a); ok {
			t.Error("a claim that ended before it was granted counts")
		}
		f.set(0, 0, false)
		release, ok := claim(t, a)
		if !ok {
			t.Fatal("it cannot be taken again")
		}
		release()
		time.Sleep(2 * lease)
	})
}

// While a process gives a claim back, it must not take the row for a new claim of its own: the
// statement on its way would delete that.
func TestClaimsOnTheirWayBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newClaimTable()
		a, b := judging.NewLedgerWithLease(f, lease, time.Now, nil), judging.NewLedgerWithLease(f, lease, time.Now, nil)
		release, _ := claim(t, a)
		f.set(0, time.Second, false)
		release()
		again, first := claim(t, a)
		time.Sleep(2 * time.Second)
		others, second := claim(t, b)
		if first && second {
			t.Error("two processes have the claim")
		}
		for _, release := range []func(){again, others} {
			if release != nil {
				release()
			}
		}
		time.Sleep(2 * lease)
	})
}

// A claim that could not be returned is free for others all the same, although its process continues
// to renew others.
func TestClaimsThatCannotBeGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newClaimTable()
		a, b := judging.NewLedgerWithLease(f, lease, time.Now, nil), judging.NewLedgerWithLease(f, lease, time.Now, nil)
		other, ok, err := a.Claim(t.Context(), "another question")
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		release, _ := claim(t, a)
		f.set(0, 0, true)
		release()
		synctest.Wait()
		f.set(0, 0, false)
		time.Sleep(2 * lease)
		if release, ok = claim(t, b); !ok {
			t.Fatal("another process waits for ever")
		}
		release()
		other()
		time.Sleep(2 * lease)
	})
}

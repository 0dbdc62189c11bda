package judging

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/badger-eval/badger/judgebackend"
)

// Claims is a table through which processes agree which of them makes a judge call; [store.Store] implements it. A
// Table that does not implement Claims must be used by one process only.
type Claims interface {
	Claim(ctx context.Context, owner string, now, until time.Time, keys ...string) ([]string, error)
	RenewClaims(ctx context.Context, owner string, until time.Time) error
	ReleaseClaims(ctx context.Context, owner string, keys ...string) error
	ForgetClaims(ctx context.Context, before time.Time) error
	VoidClaims(ctx context.Context, kind, mine string) error
}

// The owners of judge claims start with kind, followed by an ID of the process.
const kind = "judge:"

var mine = kind + rand.Text() + ":"

// DefaultLease is how long claims last without renewal. They are renewed earlier while the judge is called, so that
// the claims of a killed process expire. The clocks of processes that share a warehouse may differ by half of it.
const DefaultLease = time.Minute

// claims are the claims of this process.
type claims struct {
	table Claims
	owner string
	lease time.Duration
	now   func() time.Time
	takes group[string, bool]
	gives group[string, struct{}]

	mu       sync.Mutex
	held     map[string]bool // by request hash, including claims that are being released
	kept     map[string]bool // those in held whose release failed and is retried
	renewing bool
	swept    time.Time
}

func newClaims(t Claims, lease time.Duration, now func() time.Time) *claims {
	c := &claims{table: t, owner: mine + rand.Text(), lease: lease, now: now, held: map[string]bool{},
		kept: map[string]bool{}}
	c.takes.do = c.take
	c.gives.do = func(ctx context.Context, keys []string) ([]struct{}, error) {
		return make([]struct{}, len(keys)), t.ReleaseClaims(ctx, c.owner, keys...)
	}
	return c
}

func (c *claims) take(ctx context.Context, keys []string) ([]bool, error) {
	now := c.now()
	c.mu.Lock()
	first, sweep := c.swept.IsZero(), now.Sub(c.swept) > 10*c.lease
	c.mu.Unlock()
	if first { // do not wait for processes that are known to have exited
		if err := c.table.VoidClaims(ctx, kind, mine); err != nil {
			return nil, err
		}
	}
	if sweep {
		c.mu.Lock()
		c.swept = now
		c.mu.Unlock()
	}
	if sweep { // claims of killed processes
		_ = c.table.ForgetClaims(ctx, now.Add(-c.lease))
	}
	got, err := c.table.Claim(ctx, c.owner, now, now.Add(c.lease), keys...)
	if err != nil {
		return nil, err
	}
	if c.now().Sub(now) > c.lease/2 { // it expires before it would be renewed: acquire it again
		got = nil
	}
	won := make(map[string]bool, len(got))
	for _, k := range got {
		won[k] = true
	}
	out := make([]bool, len(keys))
	for i, k := range keys {
		out[i] = won[k]
	}
	return out, nil
}

// Claim implements judgebackend.Claimer.
func (l *Ledger) Claim(ctx context.Context, requestHash string) (release func(), ok bool, err error) {
	c := l.claims
	if c == nil {
		return nil, true, nil
	}
	c.mu.Lock()
	mine := c.held[requestHash]
	c.held[requestHash] = true
	c.mu.Unlock()
	if mine { // this process asks it already, with another bound of the reply, or has just done so
		return nil, false, nil
	}
	free := func() {
		c.mu.Lock()
		delete(c.held, requestHash)
		c.mu.Unlock()
	}
	if ok, err = c.takes.ask(ctx, requestHash); !ok || err != nil {
		free()
		return nil, false, err
	}
	c.keep(ctx)
	return func() {
		go func() { // in the background
			if _, err := c.gives.ask(context.WithoutCancel(ctx), requestHash); err == nil {
				free()
				return
			}
			c.mu.Lock()
			c.kept[requestHash] = true
			c.mu.Unlock()
		}()
	}, true, nil
}

// giveBack retries the release of claims in kept. They would otherwise be renewed with all others, and block other
// processes permanently.
func (c *claims) giveBack(ctx context.Context) {
	c.mu.Lock()
	keys := slices.Collect(maps.Keys(c.kept))
	c.mu.Unlock()
	if len(keys) == 0 || c.table.ReleaseClaims(ctx, c.owner, keys...) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range keys {
		delete(c.kept, k)
		delete(c.held, k)
	}
}

// keep starts a goroutine, unless it runs, that renews the claims until all are released.
func (c *claims) keep(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.renewing {
		return
	}
	c.renewing = true
	ctx = context.WithoutCancel(ctx)
	go func() {
		for {
			time.Sleep(c.lease / 4)
			c.giveBack(ctx)
			c.mu.Lock()
			if len(c.held) == 0 {
				c.renewing = false
				c.mu.Unlock()
				return
			}
			c.mu.Unlock()
			_ = c.table.RenewClaims(ctx, c.owner, c.now().Add(c.lease)) // tried again before they end
		}
	}()
}

var (
	_ judgebackend.Claimer  = (*Ledger)(nil)
	_ judgebackend.Payments = (*Ledger)(nil)
)

package backendtest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/judgebackend"
)

// Faulty is an endpoint at which 30 % of the calls fail, with all kinds of faults. Whether a call fails depends on
// its content and on how often that content came before, but not on the order of goroutines.
//
// An attempt that hangs times out after 20 ms, and no other attempt ever times out: on a busy machine a real time
// limit would also affect good calls. The stack's own limit must be longer.
type Faulty struct {
	Endpoint *Endpoint

	answer   func(Call) Answer
	mu       sync.Mutex
	seen     map[string]int
	injected map[Fault]int
	calls    int
	timeOuts map[string]func() // end the attempts under way, by content
}

// NewFaulty starts the endpoint; answer returns the reply to a call that does not fail.
func NewFaulty(tb testing.TB, answer func(Call) Answer) *Faulty {
	tb.Helper()
	f := &Faulty{answer: answer, seen: map[string]int{}, injected: map[Fault]int{}, timeOuts: map[string]func(){}}
	f.Endpoint = NewEndpoint(tb, f.serve)
	return f
}

// Wrap returns b with contexts that the endpoint can end when an attempt hangs.
func (f *Faulty) Wrap(b judgebackend.Backend) judgebackend.Backend { return &timedOut{b, f} }

// Injected returns the number of injected faults by kind, and their share of all calls.
func (f *Faulty) Injected() (faults map[Fault]int, share float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, k := range f.injected {
		n += k
	}
	return maps.Clone(f.injected), float64(n) / float64(max(1, f.calls))
}

func (f *Faulty) serve(c Call) Answer {
	a := f.answer(c)
	fates := append(append([]Fault{Oversized}, Transient()...), Answered()...)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	sum := sha256.Sum256(fmt.Append(nil, c.Content, "/", f.seen[c.Content]))
	f.seen[c.Content]++
	if fate := binary.BigEndian.Uint64(sum[:]); fate%100 < 30 {
		a.Fault = fates[fate/100%uint64(len(fates))]
		f.injected[a.Fault]++
	}
	if a.Fault == Hang || a.Fault == SlowTrickle {
		time.AfterFunc(20*time.Millisecond, f.timeOuts[c.Content])
	}
	return a
}

type timedOut struct {
	judgebackend.Backend
	f *Faulty
}

func (b *timedOut) Identity() judgebackend.Identity {
	return b.Backend.(judgebackend.Identified).Identity() //nolint:forcetypeassert // all that Open returns are
}

func (b *timedOut) Complete(ctx context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	var content strings.Builder // as the endpoint writes it
	for _, m := range r.Messages {
		fmt.Fprintf(&content, "%s: %s\n", m.Role, m.Content)
	}
	limited := &timeLimited{Context: ctx, over: make(chan struct{})}
	b.f.mu.Lock()
	b.f.timeOuts[content.String()] = sync.OnceFunc(func() { close(limited.over) })
	b.f.mu.Unlock()
	return b.Backend.Complete(limited, r)
}

// timeLimited is a context whose deadline passes when over is closed.
type timeLimited struct {
	context.Context
	over chan struct{}
}

func (c *timeLimited) Done() <-chan struct{} { return c.over }

func (c *timeLimited) Err() error {
	select {
	case <-c.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

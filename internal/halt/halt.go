// Package halt stops long computations whose caller has gone. The comparison of results and queries consists of many
// pure functions that neither take a context nor return errors. Long ones check a [Signal] from time to time. If its
// context has ended, the check panics, and the function that started the computation converts the panic to an error.
package halt

import (
	"context"
	"sync"
)

// Signal is set when a context ends. A nil Signal is never set. It may be used concurrently.
type Signal struct {
	ctx context.Context //nolint:containedctx // of one computation
}

// Of returns the signal of a context, or nil if the context never ends.
func Of(ctx context.Context) *Signal {
	if ctx.Done() == nil {
		return nil
	}
	return &Signal{ctx}
}

// halted is the value with which Check panics.
type halted struct{ err error }

// Check panics if the signal is set. The function that started the computation passes the recovered value to
// [Cause].
func (s *Signal) Check() {
	if s == nil {
		return
	}
	if err := s.ctx.Err(); err != nil {
		panic(halted{err})
	}
}

// Cause returns the context's error, and true, if recovered is the value of a panic of [Signal.Check].
func Cause(recovered any) (err error, ok bool) { //nolint:revive // whether it is one comes second
	h, ok := recovered.(halted)
	return h.err, ok
}

// Every checks a signal at each N-th step, for steps that take less time than a check.
type Every struct {
	Signal *Signal
	N      int
	n      int
}

// Step counts one step. It must not be called concurrently.
func (e *Every) Step() {
	if e.n++; e.n >= e.N {
		e.n = 0
		e.Signal.Check()
	}
}

// Group runs functions concurrently. If functions panic, Wait panics with the first value, so that it reaches the
// function that started the computation.
type Group struct {
	all   sync.WaitGroup
	once  sync.Once
	value any
}

// Go runs f in a new goroutine.
func (g *Group) Go(f func()) {
	g.all.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				g.once.Do(func() { g.value = v })
			}
		}()
		f()
	})
}

// Wait waits until all functions have ended. It panics if one of them did.
func (g *Group) Wait() {
	g.all.Wait()
	if g.value != nil {
		panic(g.value)
	}
}

package halt_test

import (
	"context"
	"errors"
	"testing"

	"github.com/badger-eval/badger/internal/halt"
)

// A signal that has gone off ends what looks at it, also in goroutines, and says why.
func TestHalt(t *testing.T) {
	halt.Of(context.Background()).Check() // never ends
	ctx, cancel := context.WithCancel(t.Context())
	s := halt.Of(ctx)
	s.Check()
	cancel()
	for name, f := range map[string]func(){
		"at once": s.Check,
		"in a goroutine": func() {
			var g halt.Group
			g.Go(func() {})
			g.Go(s.Check)
			g.Wait()
		},
		"each third time": func() {
			e := halt.Every{Signal: s, N: 3}
			for range 3 {
				e.Step()
			}
		},
	} {
		func() {
			defer func() {
				if err, ok := halt.Cause(recover()); !ok || !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %v, %t", name, err, ok)
				}
			}()
			f()
			t.Errorf("%s: it goes on", name)
		}()
	}
	if _, ok := halt.Cause("a defect"); ok {
		t.Error("another panic is taken for a signal")
	}
}

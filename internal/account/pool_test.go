package account_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/badger-eval/badger/internal/account"
)

// Readings that together want more than there is all end, one after the other; what is taken at once
// stays below the pool and one reading.
func TestPool(t *testing.T) {
	const size, each, steps = 1000, 700, 7
	p := account.NewPool(size, each)
	var mu sync.Mutex
	var now, most int64
	var readings sync.WaitGroup
	for range 20 {
		readings.Go(func() {
			ctx, end := p.With(t.Context())
			defer end()
			held := int64(0)
			for range steps {
				if err := account.From(ctx).Hold(ctx, each/steps); err != nil {
					t.Error(err)
					return
				}
				held += each / steps
				mu.Lock()
				now += each / steps
				most = max(most, now)
				mu.Unlock()
			}
			mu.Lock()
			now -= held
			mu.Unlock()
		})
	}
	readings.Wait()
	if most > size+each {
		t.Errorf("%d bytes at once, want at most %d", most, size+each)
	}
	ctx, end := p.With(t.Context())
	defer end()
	if account.From(ctx).Limit() != each || account.From(ctx).Hold(ctx, size) != nil {
		t.Error("not everything was given back")
	}
}

// Whoever bounds the memory of the process is told how much is taken, also by a reading that takes more than the pool.
func TestPoolTellsWhatIsTaken(t *testing.T) {
	var told []int64
	p := account.NewPool(100, 100)
	p.Taken = func(bytes int64) { told = append(told, bytes) }
	ctx, end := p.With(t.Context())
	for _, n := range []int64{60, 70} {
		if err := account.From(ctx).Hold(ctx, n); err != nil {
			t.Fatal(err)
		}
	}
	end()
	if !slices.Equal(told, []int64{60, 130, 0}) {
		t.Errorf("told %v, want 60, 130 and 0", told)
	}
}

// A reading that waits ends with its context.
func TestPoolEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := account.NewPool(10, 10)
		first, end := p.With(t.Context())
		defer end()
		if err := account.From(first).Hold(first, 10); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		second, endSecond := p.With(ctx)
		defer endSecond()
		done := make(chan error)
		go func() { done <- account.From(second).Hold(second, 1) }()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

package judging

import (
	"context"
	"sync"
)

// group batches requests: those that arrive while a batch is processed form the next one. A request that arrives when
// none is processed starts immediately.
type group[K, V any] struct {
	do func(ctx context.Context, keys []K) ([]V, error) // returns one value per key

	mu      sync.Mutex
	waiting []*waiter[K, V]
	working bool
}

type waiter[K, V any] struct {
	key   K
	value V
	err   error
	done  chan struct{}
}

// ask returns the value of key. If ctx ends it returns early, but the batch continues.
func (g *group[K, V]) ask(ctx context.Context, key K) (V, error) {
	w := &waiter[K, V]{key: key, done: make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, w)
	if !g.working {
		g.working = true
		go g.work(context.WithoutCancel(ctx))
	}
	g.mu.Unlock()
	select {
	case <-w.done:
		return w.value, w.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// work processes batches until no request waits.
func (g *group[K, V]) work(ctx context.Context) {
	for {
		g.mu.Lock()
		batch := g.waiting[:min(len(g.waiting), mostTogether)]
		g.waiting = g.waiting[len(batch):]
		if len(batch) == 0 {
			g.waiting, g.working = nil, false
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		keys := make([]K, len(batch))
		for i, w := range batch {
			keys[i] = w.key
		}
		values, err := g.do(ctx, keys)
		for i, w := range batch {
			if w.err = err; err == nil {
				w.value = values[i]
			}
			close(w.done)
		}
	}
}

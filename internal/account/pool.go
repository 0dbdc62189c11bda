package account

import (
	"context"
	"sync"

	"github.com/badger-eval/badger/internal/errcode"
)

// Pool is memory that several readings share. A reading waits until others have released enough; none fails. The
// oldest one never waits, so that at most the pool and the memory of one reading are in use.
type Pool struct {
	// Taken is called with the number of reserved bytes whenever it changes; it may be nil.
	Taken func(bytes int64)

	size int64
	each int64 // bytes of one result

	mu    sync.Mutex
	freed sync.Cond
	free  int64
	began int64 // readings that have taken something
	of    map[int64]*drawn
}

// NewPool returns a pool of the given size. One result may take at most each bytes.
func NewPool(bytes, each int64) *Pool {
	p := &Pool{size: bytes, each: each, free: bytes, of: map[int64]*drawn{}}
	p.freed.L = &p.mu
	return p
}

// With is ctx of one reading, with an account in the pool, and what ends it.
func (p *Pool) With(ctx context.Context) (reading context.Context, end func()) {
	d := &drawn{pool: p}
	return With(ctx, d), d.end
}

// drawn is the memory that one reading has taken.
type drawn struct {
	pool *Pool
	turn int64 // the lower, the longer; 0: nothing was taken
	held int64
}

// Limit is Account's.
func (d *drawn) Limit() int64 { return d.pool.each }

// Hold is Account's. It waits; the error is that of ctx.
func (d *drawn) Hold(ctx context.Context, n int64) error {
	p := d.pool
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.freed.Broadcast()
	})
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.turn == 0 {
		p.began++
		d.turn = p.began
		p.of[d.turn] = d
	}
	for p.free < n && !p.first(d) {
		if err := ctx.Err(); err != nil {
			return errcode.New(errcode.Of(err), "waiting for the memory of other results: %w", err)
		}
		p.freed.Wait()
	}
	p.free -= n
	d.held += n
	p.changed()
	return nil
}

func (p *Pool) changed() {
	if p.Taken != nil {
		p.Taken(p.size - p.free)
	}
}

// first reports whether d has held memory for the longest time.
func (p *Pool) first(d *drawn) bool {
	for turn := range p.of {
		if turn < d.turn {
			return false
		}
	}
	return true
}

func (d *drawn) end() {
	p := d.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, d.turn)
	p.free += d.held
	d.held = 0
	p.changed()
	p.freed.Broadcast()
}

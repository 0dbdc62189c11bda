package account

import (
	"context"
	"sync"

	"github.com/badger-eval/badger/internal/errcode"
)

// Pool is memory that several readings of results share. A reading that needs more waits until others have released
// enough, and fails only if its context ends. The oldest reading never waits, so the memory in use is at most the size
// of the pool plus that of one reading.
type Pool struct {
	// Taken is called with the number of reserved bytes whenever it changes; it may be nil.
	Taken func(bytes int64)

	size int64
	each int64 // maximum bytes of one result

	mu    sync.Mutex
	freed sync.Cond
	free  int64
	began int64 // number of readings that have reserved memory
	of    map[int64]*drawn
}

// NewPool returns a pool of the given size. One result may take at most each bytes.
func NewPool(bytes, each int64) *Pool {
	p := &Pool{size: bytes, each: each, free: bytes, of: map[int64]*drawn{}}
	p.freed.L = &p.mu
	return p
}

// With returns a context for one reading with an account in the pool. The caller must call end after the reading, which
// releases its memory.
func (p *Pool) With(ctx context.Context) (reading context.Context, end func()) {
	d := &drawn{pool: p}
	return With(ctx, d), d.end
}

// drawn is the account of one reading, with the memory that it has reserved.
type drawn struct {
	pool *Pool
	turn int64 // rank by the time of the first reservation, from 1; 0: none yet
	held int64
}

// Limit implements [Account].
func (d *drawn) Limit() int64 { return d.pool.each }

// Hold implements [Account]. It waits for memory. Its only error is that of ctx.
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

// first reports whether d made its first reservation before all other readings that have not ended.
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

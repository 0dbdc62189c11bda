package account

import (
	"context"
	"io"
	"sync"
)

// Reading is the memory that reading one result has reserved of an account: for the bytes from the warehouse, for
// the driver's copies, and for the resulting table. Bytes that one part releases are available to the next. The
// account gets everything back when the row is done. All methods may be called concurrently, and on nil, which
// reserves nothing.
type Reading struct {
	account Account

	mu   sync.Mutex
	used int64
	held int64
}

type readingKey struct{}

// Begin is ctx for the reading of one result. Within another reading of the same result it is that one.
func Begin(ctx context.Context) (context.Context, *Reading) {
	a := From(ctx)
	if r := ReadingOf(ctx); a == nil || r != nil {
		return ctx, r
	}
	r := &Reading{account: a}
	return context.WithValue(ctx, readingKey{}, r), r
}

// ReadingOf is the reading that ctx belongs to, or nil.
func ReadingOf(ctx context.Context) *Reading {
	r, _ := ctx.Value(readingKey{}).(*Reading)
	return r
}

// Limit returns how many bytes the result may take; 0 means unlimited.
func (r *Reading) Limit() int64 {
	if r == nil {
		return 0
	}
	return r.account.Limit()
}

// readingStep is the number of bytes reserved in one call, so that small reservations are cheap.
const readingStep = 64 << 10

// Take reserves n further bytes. The error is ResourceExhausted if there is no room; nothing is
// taken then.
func (r *Reading) Take(ctx context.Context, n int64) error {
	if r == nil || n <= 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if over := r.used + n - r.held; over > 0 {
		more := (over + readingStep - 1) / readingStep * readingStep
		if err := r.account.Hold(ctx, more); err != nil {
			return err
		}
		r.held += more
	}
	r.used += n
	return nil
}

// Give releases n bytes to the rest of the reading.
func (r *Reading) Give(n int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
}

// Reader reserves bytes before it reads them, at most 64 KiB ahead. The reservation is kept after reading, for the
// data that the bytes are decoded to.
func (r *Reading) Reader(ctx context.Context, from io.Reader) io.Reader {
	if r == nil {
		return from
	}
	return &countedReader{ctx, r, from}
}

type countedReader struct {
	ctx     context.Context //nolint:containedctx // lives for one call
	reading *Reading
	from    io.Reader
}

func (c *countedReader) Read(p []byte) (int, error) {
	p = p[:min(len(p), readingStep)]
	if err := c.reading.Take(c.ctx, int64(len(p))); err != nil {
		return 0, err
	}
	n, err := c.from.Read(p)
	c.reading.Give(int64(len(p) - n))
	return n, err
}

// Table is the memory that is reserved for the table of a result while the result is read: twice the size of the
// table so far, because columns grow by doubling.
type Table struct {
	ctx     context.Context //nolint:containedctx // lives for one call
	reading *Reading

	mu    sync.Mutex
	bytes int64
}

// NewTable returns a Table that counts the memory of one table that r reads. ctx is the context of r.
func NewTable(ctx context.Context, r *Reading) *Table { return &Table{ctx: ctx, reading: r} }

// Grow records the bytes of the table so far. They remain reserved until the call ends.
func (t *Table) Grow(bytes int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if bytes <= t.bytes {
		return nil
	}
	if err := t.reading.Take(t.ctx, 2*(bytes-t.bytes)); err != nil {
		return err
	}
	t.bytes = bytes
	return nil
}

// Apart returns the context for reading something else next to a result, such as its size, whose
// memory is not counted with the result.
func Apart(ctx context.Context) context.Context {
	if ReadingOf(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, readingKey{}, (*Reading)(nil))
}

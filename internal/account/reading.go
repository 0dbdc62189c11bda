package account

import (
	"context"
	"io"
	"sync"
)

// Reading is the memory that reading one result has reserved in an account: for the bytes from the warehouse, for the
// driver's copies, and for the resulting table. Bytes that one part releases are available to the next. The account
// gets all of it back when the row is done. All methods may be called concurrently. A nil Reading reserves nothing.
type Reading struct {
	account Account

	mu   sync.Mutex
	used int64
	held int64
}

type readingKey struct{}

// Begin returns a context for the reading of one result, and the reading. If ctx already belongs to a reading, it
// returns that one. The reading is nil if ctx has no account.
func Begin(ctx context.Context) (context.Context, *Reading) {
	a := From(ctx)
	if r := ReadingOf(ctx); a == nil || r != nil {
		return ctx, r
	}
	r := &Reading{account: a}
	return context.WithValue(ctx, readingKey{}, r), r
}

// ReadingOf returns the reading that ctx belongs to, or nil.
func ReadingOf(ctx context.Context) *Reading {
	r, _ := ctx.Value(readingKey{}).(*Reading)
	return r
}

// Limit returns the maximum size of the result in bytes; 0 means unlimited.
func (r *Reading) Limit() int64 {
	if r == nil {
		return 0
	}
	return r.account.Limit()
}

// readingStep is the number of bytes reserved in one call, so that small reservations are cheap.
const readingStep = 64 << 10

// Take reserves n further bytes. If the memory is not available, it returns an error and reserves nothing.
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

// Give makes n reserved bytes available to later parts of the same reading.
func (r *Reading) Give(n int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
}

// Reader returns a reader that reserves memory for bytes before it reads them from from, at most 64 KiB ahead. The
// memory stays reserved after reading, for the data that the bytes are decoded to.
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

// NewTable returns a Table that reserves memory in the reading r. ctx is the context of r.
func NewTable(ctx context.Context, r *Reading) *Table { return &Table{ctx: ctx, reading: r} }

// Grow sets the size of the table so far and reserves the memory for its growth. The memory stays reserved until the
// row is done. A smaller size has no effect.
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

// Apart returns a context for reading something other than the result of ctx's reading, such as its size. Memory is
// then not counted in that reading.
func Apart(ctx context.Context) context.Context {
	if ReadingOf(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, readingKey{}, (*Reading)(nil))
}

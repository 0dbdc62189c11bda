package account

import (
	"context"
	"io"
	"sync"
)

// Reading is what the reading of one result has reserved of an account: for the bytes that a warehouse
// sends, for what a driver makes of them, and for the table that they become. What one part gives back
// is there for the next; the account has everything again when the row is done. All methods may be
// called on nil, which reserves nothing, and from several goroutines at once.
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

// Limit is how many bytes the result may take; 0 is no limit.
func (r *Reading) Limit() int64 {
	if r == nil {
		return 0
	}
	return r.account.Limit()
}

// readingStep is how many bytes are reserved at once, so that it is cheap to ask often.
const readingStep = 64 << 10

// Take reserves n further bytes. An error, ResourceExhausted, says that there is no room; nothing is
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

// Give gives n bytes back to the rest of the reading.
func (r *Reading) Give(n int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
}

// Reader reserves what it reads before it comes, at most 64 KiB ahead. What arrived stays reserved: it
// stands for what is made of it.
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

// Table is what the reading of one result has reserved for the table that it becomes: twice what the table has come
// to, because columns grow by doubling.
type Table struct {
	ctx     context.Context //nolint:containedctx // lives for one call
	reading *Reading

	mu    sync.Mutex
	bytes int64
}

// NewTable starts to count the table of the reading r, whose context is ctx.
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

// Apart is ctx for what is read next to a result, such as its size, and does not count with it.
func Apart(ctx context.Context) context.Context {
	if ReadingOf(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, readingKey{}, (*Reading)(nil))
}

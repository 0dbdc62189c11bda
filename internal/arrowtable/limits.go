package arrowtable

import (
	"context"
	"errors"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Limits bound the size of a table. A limit of 0 means no limit.
type Limits struct {
	Rows  int64
	Bytes int64 // maximum size of the table in memory, see [scoring.Table.MemoryBytes]

	held *held // memory reserved in the call's account; nil: no account
}

// held is the memory that is reserved while one table is read: for the table and for buffers.
type held struct {
	ctx     context.Context //nolint:containedctx // lives for one call
	reading *account.Reading
	table   *account.Table
}

// For returns the limits for a table that is read under ctx. If the call has a memory account, the table's memory is
// reserved there, and Bytes is at most the account's limit.
func (l Limits) For(ctx context.Context) Limits {
	ctx, reading := account.Begin(ctx)
	if reading == nil {
		return l
	}
	if most := reading.Limit(); l.Bytes <= 0 || most < l.Bytes {
		l.Bytes = most
	}
	l.held = &held{ctx, reading, account.NewTable(ctx, reading)}
	return l
}

// CheckRows returns an error if rows exceeds the limit.
func (l Limits) CheckRows(rows int64) error {
	if l.Rows > 0 && rows > l.Rows {
		return errcode.New(errcode.ResourceExhausted, "more than the allowed %d rows", l.Rows)
	}
	return nil
}

// CheckBytes returns an error if bytes, the table's size so far, exceeds the limit or the memory that is available to
// the call.
func (l Limits) CheckBytes(bytes int64) error {
	if l.Bytes > 0 && bytes > l.Bytes {
		return errcode.New(errcode.ResourceExhausted, "more than the allowed %d bytes", l.Bytes)
	}
	if l.held == nil {
		return nil
	}
	return l.held.table.Grow(bytes)
}

// Extra reserves n bytes for memory in addition to the table, such as its compressed text. A negative n releases
// memory, which is then available to the rest of the reading.
func (l Limits) Extra(n int64) error {
	if l.held == nil {
		return nil
	}
	if n < 0 {
		l.held.reading.Give(-n)
		return nil
	}
	return l.held.reading.Take(l.held.ctx, n)
}

// refused is the value with which the allocator panics if memory runs out.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

// allocator allocates Go memory, and panics if the bytes in use exceed the limits.
type allocator struct {
	memory.Allocator
	limits Limits

	mu   sync.Mutex
	used int64
}

// Allocator returns an allocator that limits the memory of the Arrow libraries while they read one table, because
// lengths in a file may be false and a few bytes may represent a billion values. It panics beyond twice the limit of
// bytes, since buffers are copied when they grow, and if no memory is left. [Recover] converts the panic to an error.
func (l Limits) Allocator() memory.Allocator {
	return &allocator{Allocator: memory.NewGoAllocator(), limits: l}
}

func (a *allocator) Allocate(size int) []byte {
	a.use(size)
	return a.Allocator.Allocate(size)
}

func (a *allocator) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return a.Allocator.Reallocate(size, b)
	}
	a.use(size)
	out := a.Allocator.Reallocate(size, b)
	a.use(-len(b))
	return out
}

func (a *allocator) Free(b []byte) {
	a.use(-len(b))
	a.Allocator.Free(b)
}

func (a *allocator) use(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used += int64(n)
	if most := a.limits.Bytes; most > 0 && a.used > 2*most+1<<16 {
		panic(refused{errcode.New(errcode.ResourceExhausted, "more than the allowed %d bytes", most)})
	}
	if err := a.limits.Extra(int64(n)); err != nil {
		panic(refused{err})
	}
}

// Recover must be deferred. It converts a panic to an error, because the Arrow libraries panic on malformed bytes.
func Recover(err *error) {
	v := recover()
	if v == nil {
		return
	}
	*err = errcode.New(errcode.DataLoss, "malformed content, or an unsupported form")
	if e, ok := v.(error); ok && (errors.As(e, new(refused)) || errors.As(e, new(scoring.NoRoom))) {
		*err = Classify(e)
	}
}

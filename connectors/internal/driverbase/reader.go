package driverbase

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// Stream returns the records of a result in order.
type Stream interface {
	// Next returns the next record, which belongs to the caller, or nil at the end. It is not called
	// again after the end or an error.
	Next(ctx context.Context) (arrow.Record, error)
	// Close releases the resources of the stream. It is called once: at the end, after an error, or when the caller
	// stops reading. The context may have ended.
	Close(ctx context.Context)
}

// sized is a stream that can bound the bytes that the next record takes. A reader with an account reserves them first.
type sized interface {
	NextBytes() int64
}

// Reader is an [array.RecordReader] of a stream. One goroutine may read; any may call Retain and Release.
type Reader struct {
	refs   atomic.Int64
	ctx    context.Context //nolint:containedctx // that of all calls of the stream
	schema *arrow.Schema
	stream Stream // nil after it is closed
	rec    arrow.Record
	err    error

	reading *account.Reading // account for the records' memory; nil is none
	taken   int64            // bytes reserved for the current record
	largest int64            // size of the largest record so far
}

var _ array.RecordReader = (*Reader)(nil)

// NewReader returns a reader of a stream, which ends early when ctx ends. schema is that of the first record; it does
// not check later ones. The caller must release the reader.
func NewReader(ctx context.Context, schema *arrow.Schema, s Stream) *Reader {
	r := &Reader{ctx: ctx, schema: schema, stream: s, reading: account.ReadingOf(ctx)}
	r.refs.Store(1)
	return r
}

// Schema returns the schema of the first record.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Record returns the current record, which is valid until Next; nil if there is none.
func (r *Reader) Record() arrow.Record { return r.rec }

// Err returns why reading ended early: the context's error if that has ended, otherwise the stream's; nil at the end.
func (r *Reader) Err() error { return r.err }

// Next reads the next record and reports whether there is one.
func (r *Reader) Next() bool {
	r.drop()
	if r.stream == nil {
		return false
	}
	if r.err = r.ctx.Err(); r.err == nil {
		r.rec, r.err = r.next()
	}
	if r.err == nil && r.rec != nil {
		return true
	}
	if r.err != nil && r.ctx.Err() != nil {
		r.err = r.ctx.Err()
	}
	r.close()
	return false
}

// next returns the stream's next record, with its memory reserved and its JSON values checked; nil at the end.
func (r *Reader) next() (rec arrow.Record, err error) {
	defer Recovered(&err)
	if r.reading == nil {
		if rec, err = r.stream.Next(r.ctx); rec == nil || err != nil {
			return rec, err
		}
		return withJSON(rec)
	}
	expected := r.largest
	if sized, ok := r.stream.(sized); ok {
		expected = max(expected, sized.NextBytes())
	}
	if err := r.take(expected); err != nil {
		return nil, err
	}
	if rec, err = r.stream.Next(r.ctx); rec == nil || err != nil {
		return rec, err
	}
	size := sizeOf(rec)
	if limit := r.reading.Limit(); limit > 0 && size > limit {
		err = errcode.New(errcode.ResourceExhausted, "a batch of its rows has more than the allowed %d bytes", limit)
	} else if r.largest = max(r.largest, size); size > expected {
		err = r.take(size - expected)
	}
	if err != nil {
		rec.Release()
		return nil, err
	}
	return withJSON(rec)
}

// take reserves n more bytes for the current record. drop returns them.
func (r *Reader) take(n int64) error {
	err := r.reading.Take(r.ctx, n)
	if err == nil {
		r.taken += n
	}
	return err
}

// Retain keeps the reader for one more user.
func (r *Reader) Retain() { r.refs.Add(1) }

// Release releases a reference; the last one closes the stream.
func (r *Reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.close()
	}
}

func (r *Reader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
	r.reading.Give(r.taken)
	r.taken = 0
}

func (r *Reader) close() {
	if r.stream != nil {
		r.stream.Close(r.ctx)
		r.stream = nil
	}
}

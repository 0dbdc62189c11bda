package driverbase

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// Stream gives the records of a result, one after the other.
type Stream interface {
	// Next returns the next record, which belongs to the caller, or nil at the end. It is not called
	// again after the end or an error.
	Next(ctx context.Context) (arrow.Record, error)
	// Close releases the resources of the stream. It is called once: at the end, after an error, or when the caller
	// stops reading. The context may have ended.
	Close(ctx context.Context)
}

// sized is a stream that knows, before it reads the next record, how many bytes reading it may take at
// most. If the reader counts with a call, so much is reserved before.
type sized interface {
	NextBytes() int64
}

// Reader is an [array.RecordReader] of a stream. One goroutine reads; any may retain and release.
type Reader struct {
	refs   atomic.Int64
	ctx    context.Context //nolint:containedctx // governs the stream
	schema *arrow.Schema
	stream Stream // nil once it is closed
	rec    arrow.Record
	err    error

	reading *account.Reading // what the records count with; nil: nothing
	taken   int64            // of it, for the current record
	largest int64            // of the records so far
}

var _ array.RecordReader = (*Reader)(nil)

// NewReader reads a stream until it ends or the context does. The schema is that of the first
// record; a connector says where later ones differ. The caller releases the reader.
func NewReader(ctx context.Context, schema *arrow.Schema, s Stream) *Reader {
	r := &Reader{ctx: ctx, schema: schema, stream: s, reading: account.ReadingOf(ctx)}
	r.refs.Store(1)
	return r
}

// Schema is that of the first record.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Record is the current record, valid until Next, and nil if there is none.
func (r *Reader) Record() arrow.Record { return r.rec }

// Err returns why the stream ended early: the context's error if that ended it, else the stream's.
func (r *Reader) Err() error { return r.err }

// Next reads the next record.
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

// next is the stream's next record, whose values are what their marks say.
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
		err = errcode.New(errcode.ResourceExhausted, "more than the allowed %d bytes", limit)
	} else if r.largest = max(r.largest, size); size > expected {
		err = r.take(size - expected)
	}
	if err != nil {
		rec.Release()
		return nil, err
	}
	return withJSON(rec)
}

// take reserves n further bytes until the record is dropped.
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

package driverbase

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Stream gives the records of a result, one after the other.
type Stream interface {
	// Next returns the next record, which belongs to the caller, or nil at the end. It is not called
	// again after the end or an error.
	Next(ctx context.Context) (arrow.Record, error)
	// Close gives back what the stream holds. It is called once: at the end, after an error, or when
	// nobody reads any more. The context may have ended.
	Close(ctx context.Context)
}

// Reader is an [array.RecordReader] of a stream. One goroutine reads; any may retain and release.
type Reader struct {
	refs   atomic.Int64
	ctx    context.Context //nolint:containedctx // governs the stream
	schema *arrow.Schema
	stream Stream // nil once it is closed
	rec    arrow.Record
	err    error
}

var _ array.RecordReader = (*Reader)(nil)

// NewReader reads a stream until it ends or the context does. The schema is that of the first
// record; a connector says where later ones differ. The caller releases the reader.
func NewReader(ctx context.Context, schema *arrow.Schema, s Stream) *Reader {
	r := &Reader{ctx: ctx, schema: schema, stream: s}
	r.refs.Store(1)
	return r
}

// Schema is that of the first record.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Record is the current record, valid until Next, and nil where there is none.
func (r *Reader) Record() arrow.Record { return r.rec }

// Err is why the stream ended early: the context's error where that ended it, else the stream's.
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
	if rec, err = r.stream.Next(r.ctx); rec == nil || err != nil {
		return rec, err
	}
	return withJSON(rec)
}

// Retain keeps the reader for one more user.
func (r *Reader) Retain() { r.refs.Add(1) }

// Release gives it back; the last one closes the stream.
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
}

func (r *Reader) close() {
	if r.stream != nil {
		r.stream.Close(r.ctx)
		r.stream = nil
	}
}

package databricks

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// part is some rows of a result: bytes of an Arrow stream, or an array for each column.
type part struct {
	stream io.Reader
	arrays []arrow.Array
	rows   int64 // as announced
}

// source gives a result's parts, in order.
type source interface {
	next(ctx context.Context) (*part, error) // nil at the end
	close(ctx context.Context)
}

// reader streams a result; it is an [array.RecordReader].
type reader struct {
	refs    atomic.Int64
	ctx     context.Context //nolint:containedctx // it governs the reading
	c       *Conn
	mem     memory.Allocator
	source  source
	columns []column
	schema  *arrow.Schema

	stream  *ipc.Reader
	left    int64 // rows of the part that are still to come
	current arrow.Record
	err     error
	ended   bool
}

var _ array.RecordReader = (*reader)(nil)

// Retain keeps the reader for one more user.
func (r *reader) Retain() { r.refs.Add(1) }

// Release gives it back; the last one ends the statement.
func (r *reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.end()
	}
}

func (r *reader) end() {
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
	if r.stream != nil {
		r.stream.Release()
		r.stream = nil
	}
	if !r.ended {
		r.ended = true
		r.source.close(r.ctx)
	}
}

// Schema is the result's columns.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// Record is the current rows, until Next is called again.
func (r *reader) Record() arrow.Record { return r.current }

// Err is why there are no more rows; nil at the end of the result.
func (r *reader) Err() error { return r.err }

// Next goes on to the next rows.
func (r *reader) Next() bool {
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
	if r.err != nil || r.ended {
		return false
	}
	rec, err := r.next()
	if err != nil {
		r.err = r.c.errorOf(err)
	}
	if rec == nil {
		r.end()
		return false
	}
	r.current = rec
	return true
}

// next returns the next record that has rows, or nil at the end.
func (r *reader) next() (rec arrow.Record, err error) {
	defer func() {
		if p := recover(); p != nil { // the decoder of another's bytes
			rec, err = nil, broken("its bytes are no Arrow stream")
		}
	}()
	for {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		if r.stream != nil {
			if r.left > 0 && r.stream.Next() {
				rec, err := r.take(r.stream.Record())
				if rec != nil || err != nil {
					return rec, err
				}
				continue
			}
			if err := r.stream.Err(); err != nil && err != io.EOF { //nolint:errorlint // as the reader returns it
				return nil, broken("its bytes are no Arrow stream")
			}
			r.stream.Release()
			r.stream = nil
			if r.left > 0 {
				return nil, broken("%d rows of a part are missing", r.left)
			}
		}
		p, err := r.source.next(r.ctx)
		if p == nil || err != nil {
			return nil, err
		}
		r.left = p.rows
		if p.arrays != nil {
			return r.assemble(p.arrays, p.rows)
		}
		if r.stream, err = ipc.NewReader(p.stream, ipc.WithAllocator(r.mem)); err != nil {
			r.stream = nil
			return nil, broken("its bytes are no Arrow stream")
		}
		if n := len(r.stream.Schema().Fields()); n != len(r.columns) {
			return nil, broken("%d columns in its rows, %d in its description", n, len(r.columns))
		}
	}
}

// take makes a record of one as it arrived. The service may send more rows than it announces; those
// are not part of the result.
func (r *reader) take(wire arrow.Record) (arrow.Record, error) {
	n := min(wire.NumRows(), r.left)
	r.left -= n
	if n == 0 {
		return nil, nil
	}
	arrays := make([]arrow.Array, len(r.columns))
	for i, col := range wire.Columns() {
		arrays[i] = array.NewSlice(col, 0, n)
	}
	return r.assemble(arrays, n)
}

// assemble makes a record of arrays, which are released.
func (r *reader) assemble(arrays []arrow.Array, n int64) (rec arrow.Record, err error) {
	for i, arr := range arrays {
		if err != nil {
			arr.Release()
			arrays[i] = nil
			continue
		}
		arrays[i], err = r.retyped(i, arr)
	}
	if err == nil {
		rec = array.NewRecord(r.schema, arrays, n)
	}
	for _, arr := range arrays {
		if arr != nil {
			arr.Release()
		}
	}
	return rec, err
}

// schemaOf is the schema that a result's reader has, from the columns and the schema as it arrives,
// which may be nil where values come as text.
func schemaOf(columns []column, wire *arrow.Schema) (*arrow.Schema, error) {
	if wire != nil && len(wire.Fields()) != len(columns) {
		return nil, broken("%d columns in its rows, %d in its description", len(wire.Fields()), len(columns))
	}
	fields := make([]arrow.Field, len(columns))
	for i := range columns {
		var t arrow.DataType = arrow.BinaryTypes.String
		if wire != nil {
			t = wire.Field(i).Type
		}
		fields[i] = columns[i].field(t)
	}
	return arrow.NewSchema(fields, nil), nil
}

// wireSchema reads the schema message that stands before an Arrow stream.
func wireSchema(message []byte) (schema *arrow.Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = broken("its schema is none of Arrow's")
		}
	}()
	r, err := ipc.NewReader(bytes.NewReader(message))
	if err != nil {
		return nil, broken("its schema is none of Arrow's")
	}
	defer r.Release()
	return r.Schema(), nil
}

package duckdb

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/internal/errcode"
)

// reader streams a result as records of one chunk (2,048 rows) each. The engine computes as it is
// read.
type reader struct {
	ctx      context.Context //nolint:containedctx // governs the stream
	session  *session
	prepared mapping.PreparedStatement
	result   mapping.Result
	done     func() // gives the session back

	schema  *arrow.Schema
	columns []column
	rec     arrow.Record
	err     error
	end     bool
	refs    int64
}

var _ array.RecordReader = (*reader)(nil)

// init finds the columns' types.
func (r *reader) init() error {
	n := int(mapping.ColumnCount(&r.result)) //nolint:gosec // few
	if mapping.ResultReturnType(r.result) == mapping.ResultTypeNothing {
		n = 0
	}
	fields := make([]arrow.Field, n)
	r.columns = make([]column, n)
	for i := range n {
		at := mapping.IdxT(i) //nolint:gosec // few
		name := mapping.ColumnName(&r.result, at)
		t := mapping.ColumnLogicalType(&r.result, at)
		c, err := newColumn(t, r.session.db.mem)
		mapping.DestroyLogicalType(&t)
		if err != nil {
			return errcode.New(errcode.Of(err), "duckdb: column %d (%q): %w", i+1, name, err)
		}
		r.columns[i] = c
		fields[i] = c.field
		fields[i].Name = name
	}
	r.schema = arrow.NewSchema(fields, nil)
	return nil
}

// Schema is that of all records.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// Record is the current record, valid until Next.
func (r *reader) Record() arrow.Record { return r.rec }

// Err is why the stream ended early.
func (r *reader) Err() error { return r.err }

// Next reads the next record.
func (r *reader) Next() bool {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
	if r.err != nil || r.end {
		return false
	}
	var chunk mapping.DataChunk
	r.err = r.session.run(r.ctx, func() error {
		chunk = mapping.FetchChunk(r.result)
		if chunk.Ptr == nil {
			if message := mapping.ResultError(&r.result); message != "" {
				return r.session.db.errorOf(message)
			}
		}
		return nil
	})
	if chunk.Ptr == nil || r.err != nil {
		mapping.DestroyDataChunk(&chunk)
		r.end = true
		return false
	}
	defer mapping.DestroyDataChunk(&chunk)
	r.rec, r.err = r.record(chunk)
	return r.err == nil
}

func (r *reader) record(chunk mapping.DataChunk) (arrow.Record, error) {
	n := int(mapping.DataChunkGetSize(chunk)) //nolint:gosec // 2048 at most
	arrays := make([]arrow.Array, len(r.columns))
	defer func() {
		for _, a := range arrays {
			if a != nil {
				a.Release()
			}
		}
	}()
	for i := range r.columns {
		v := mapping.DataChunkGetVector(chunk, mapping.IdxT(i)) //nolint:gosec // few
		data, err := r.columns[i].read(v, n)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "duckdb: column %d (%q): %w", i+1, r.schema.Field(i).Name, err)
		}
		arrays[i] = array.MakeFromData(data)
		data.Release()
	}
	return array.NewRecord(r.schema, arrays, int64(n)), nil
}

// Retain and Release count who uses the reader; the last to leave gives the result and the session
// back.
func (r *reader) Retain() { r.refs++ }

// Release is the opposite of Retain.
func (r *reader) Release() {
	if r.refs--; r.refs != 0 {
		return
	}
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
	for i := range r.columns {
		r.columns[i].release()
	}
	mapping.DestroyResult(&r.result)
	mapping.DestroyPrepare(&r.prepared)
	if r.done != nil {
		r.done()
	}
}

package postgres

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/internal/errcode"
)

// A record holds so many rows, or fewer of so many bytes.
const (
	recordRows  = 8192
	recordBytes = 4 << 20
)

// reader streams a result: rows become records as they are asked for.
type reader struct {
	ctx     context.Context //nolint:containedctx // governs the stream
	cancel  context.CancelFunc
	s       *session // nil once it is given back
	rows    *pgconn.ResultReader
	columns []column
	schema  *arrow.Schema

	builders []array.Builder
	// Numerics that are no numbers, NaN and the infinities, come as doubles, in records of their
	// own.
	doubles  map[int]*array.Float64Builder // by column
	specials map[int]bool                  // of the record that is being built
	held     [][]byte                      // a row that begins the next record

	n    int // rows so far
	rec  arrow.Record
	err  error
	refs atomic.Int64
}

var _ array.RecordReader = (*reader)(nil)

func newReader(ctx context.Context, s *session, st *statement) *reader {
	r := &reader{s: s, columns: st.columns, doubles: map[int]*array.Float64Builder{}, specials: map[int]bool{}}
	r.refs.Store(1)
	r.ctx, r.cancel = context.WithCancel(ctx)
	fields := make([]arrow.Field, len(st.columns))
	for i := range st.columns {
		fields[i] = st.columns[i].field
		r.builders = append(r.builders, array.NewBuilder(s.db.mem, fields[i].Type))
	}
	r.schema = arrow.NewSchema(fields, nil)
	r.rows = s.run(r.ctx, st)
	return r
}

// Schema is that of all records but those that hold numerics as doubles.
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
	if r.err != nil || r.s == nil {
		return false
	}
	if r.err = r.ctx.Err(); r.err != nil {
		r.end()
		return false
	}
	rows, size := 0, 0
	for r.err == nil && rows < recordRows && size < recordBytes {
		values := r.held
		r.held = nil
		if values == nil {
			if !r.rows.NextRow() {
				r.end()
				break
			}
			values = r.rows.Values()
			if r.changes(values) && rows > 0 {
				r.held = values // valid until the next row is read
				break
			}
		}
		r.mark(values)
		rows++
		r.n++
		for i, v := range values {
			size += len(v)
			if r.err = r.add(i, v); r.err != nil {
				r.end()
				break
			}
		}
	}
	if r.err != nil || rows == 0 {
		return false
	}
	r.rec = r.record(rows)
	return true
}

// changes tells whether a row needs another schema than the record so far.
func (r *reader) changes(values [][]byte) bool {
	for i, v := range values {
		if v == nil || r.columns[i].oid != oidNumeric {
			continue
		}
		if _, is := r.columns[i].special(v); is != r.specials[i] {
			return true
		}
	}
	return false
}

// mark makes the record's schema that of a row.
func (r *reader) mark(values [][]byte) {
	for i, v := range values {
		if v != nil && r.columns[i].oid == oidNumeric {
			_, r.specials[i] = r.columns[i].special(v)
		}
	}
}

// add reads one value.
func (r *reader) add(i int, v []byte) error {
	c := &r.columns[i]
	if r.specials[i] {
		if r.doubles[i] == nil {
			r.doubles[i] = array.NewFloat64Builder(r.s.db.mem)
		}
		if v == nil {
			r.doubles[i].AppendNull()
		} else {
			f, _ := c.special(v)
			r.doubles[i].Append(f)
		}
		return nil
	}
	if v == nil {
		r.builders[i].AppendNull()
		return nil
	}
	if err := c.add(r.builders[i], v); err != nil {
		return errcode.New(errcode.Of(err), "postgres: column %d (%q), row %d: %w", i+1, c.field.Name, r.n, err)
	}
	return nil
}

func (r *reader) record(rows int) arrow.Record {
	schema, arrays := r.schema, make([]arrow.Array, len(r.columns))
	var fields []arrow.Field
	for i := range arrays {
		if !r.specials[i] {
			arrays[i] = r.builders[i].NewArray()
			continue
		}
		if fields == nil {
			fields = r.schema.Fields()
		}
		fields[i] = arrow.Field{Name: fields[i].Name, Type: arrow.PrimitiveTypes.Float64, Nullable: true}
		arrays[i] = r.doubles[i].NewArray()
	}
	if fields != nil {
		schema = arrow.NewSchema(fields, nil)
	}
	rec := array.NewRecord(schema, arrays, int64(rows))
	for _, a := range arrays {
		a.Release()
	}
	return rec
}

// end gives the session back. What is left of the result is not waited for: its session ends.
func (r *reader) end() {
	if r.s == nil {
		return
	}
	before := r.ctx.Err()
	if r.err != nil || before != nil {
		r.cancel()
	}
	tag, err := r.rows.Close()
	if r.err == nil && err != nil {
		r.err = r.s.db.errorOf(r.ctx, err)
	}
	r.s.spent = err != nil || !leavesNothing(tag.String())
	if _, refused := asServerError(err); refused && !r.s.pg.IsClosed() { // an error of the statement leaves the session as it was
		r.s.spent = false
	}
	r.cancel()
	r.s.release()
	r.s = nil
}

// Retain and Release count references, from several goroutines.
func (r *reader) Retain() { r.refs.Add(1) }

// Release ends the stream with the last reference.
func (r *reader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	if r.s != nil {
		r.cancel() // before the rows are closed, which would read them all
		r.end()
	}
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
	for _, b := range r.builders {
		b.Release()
	}
	for _, b := range r.doubles {
		b.Release()
	}
	r.builders, r.doubles = nil, nil
}

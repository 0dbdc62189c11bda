package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/postgres/internal/value"
	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// A record holds so many rows, or fewer of so many bytes.
const (
	recordRows  = 8192
	recordBytes = 4 << 20
)

// stream is a result whose rows become records as they are asked for. Records that hold
// values in another type have another schema than the others, see [value.Column.Other].
type stream struct {
	ctx     context.Context //nolint:containedctx // that of the statement, which cancel ends
	cancel  context.CancelFunc
	s       *session // nil once it is returned
	rows    *result
	columns []value.Column
	schema  *arrow.Schema

	builders []array.Builder
	// Values that do not fit the column's type are returned in another type, in separate records.
	others  map[int]array.Builder // by column
	isOther map[int]bool          // in the record that is being built
	held    [][]byte              // the first row of the next record

	reading *account.Reading // nil: nothing is counted
	uncount func()

	n     int          // rows so far
	first arrow.Record // if it was read before the reader was made

	// again starts the statement anew where another transaction was in its way before it gave a row; nil if
	// it may not run twice.
	again func() (*session, *statement, error)
	times int // how often it was
}

// startsAgain is how often a statement is started again that gave way to another transaction, or to the recovery
// of a standby.
const startsAgain = 3

func newStream(ctx context.Context, s *session, st *statement) *stream {
	r := &stream{columns: st.columns, others: map[int]array.Builder{}, isOther: map[int]bool{}}
	fields := make([]arrow.Field, len(st.columns))
	for i := range st.columns {
		fields[i] = st.columns[i].Field
		r.builders = append(r.builders, array.NewBuilder(s.db.mem, fields[i].Type))
	}
	r.schema = arrow.NewSchema(fields, nil)
	r.start(ctx, s, st)
	return r
}

// start runs the statement.
func (r *stream) start(ctx context.Context, s *session, st *statement) {
	r.s = s
	r.ctx, r.cancel = context.WithCancel(ctx)
	if r.reading == nil {
		r.reading = account.ReadingOf(ctx)
	}
	if conn := driverbase.CountedOf(s.pg.Conn()); conn != nil && r.reading != nil {
		conn.Count(ctx, r.reading)
		r.uncount = func() { conn.Count(ctx, nil) }
	}
	r.rows = s.run(r.ctx, st)
}

// startAgain starts the statement anew after an error, or returns the error.
func (r *stream) startAgain(ctx context.Context, failed error) error {
	pe, server := asServerError(failed)
	if r.n > 0 || r.again == nil || r.times == startsAgain || !server || !gaveWay(pe) {
		return failed
	}
	r.times++
	if err := driverbase.Wait(ctx, time.Duration(r.times)*100*time.Millisecond); err != nil {
		return err
	}
	s, st, err := r.again()
	if err != nil {
		return err
	}
	if len(st.columns) != len(r.columns) ||
		!slices.EqualFunc(st.columns, r.columns,
			func(a, b value.Column) bool { return a.Field.Equal(b.Field) && a.Format == b.Format }) {
		s.release()
		return failed
	}
	r.columns = st.columns
	r.start(ctx, s, st)
	return nil
}

// Next reads the next rows.
func (r *stream) Next(ctx context.Context) (arrow.Record, error) {
	if rec := r.first; rec != nil {
		r.first = nil
		return rec, nil
	}
	if r.s == nil { // the last record ended the result
		return nil, nil
	}
	rows, size := 0, 0
	for rows < recordRows && size < recordBytes {
		values := r.held
		r.held = nil
		if values == nil {
			var more bool
			if values, more = r.rows.next(); !more {
				if err := r.end(); err != nil {
					if err = r.startAgain(ctx, err); err != nil {
						return nil, err
					}
					continue
				}
				if rows == 0 {
					return nil, nil
				}
				break
			}
			if r.changes(values) && rows > 0 {
				r.held = values // valid until the next row is read
				break
			}
		}
		if err := r.reserve(values); err != nil {
			return nil, err
		}
		r.mark(values)
		rows++
		r.n++
		for i, v := range values {
			size += len(v)
			if err := r.add(i, v); err != nil {
				return nil, err
			}
		}
	}
	return r.record(rows), nil
}

// NextBytes is how many bytes a record takes while it is built; rows that are larger reserve their own.
func (r *stream) NextBytes() int64 { return 2 * recordBytes }

// reserve reserves what a row takes in a record that is larger than a record is meant to be.
func (r *stream) reserve(values [][]byte) error {
	if r.reading == nil {
		return nil
	}
	size := int64(0)
	for _, v := range values {
		size += int64(len(v))
	}
	if size < recordBytes/8 {
		return nil
	}
	return r.reading.Take(r.ctx, 2*size)
}

// changes reports whether a row needs another schema than the record so far.
func (r *stream) changes(values [][]byte) bool {
	for i, v := range values {
		if v != nil && r.columns[i].MayBeOther() && r.columns[i].Other(v) != r.isOther[i] {
			return true
		}
	}
	return false
}

// mark makes the record's schema that of a row.
func (r *stream) mark(values [][]byte) {
	for i, v := range values {
		if v != nil && r.columns[i].MayBeOther() {
			r.isOther[i] = r.columns[i].Other(v)
		}
	}
}

// add reads one value.
func (r *stream) add(i int, v []byte) error {
	c := &r.columns[i]
	b, add := r.builders[i], c.Add
	if r.isOther[i] {
		if r.others[i] == nil {
			r.others[i] = array.NewBuilder(r.s.db.mem, c.OtherType())
		}
		b, add = r.others[i], c.AddOther
	}
	if v == nil {
		b.AppendNull()
		return nil
	}
	if err := add(b, v); err != nil {
		return errcode.New(errcode.Of(err), "postgres: column %d (%q), row %d: %w", i+1, c.Field.Name, r.n, err)
	}
	return nil
}

func (r *stream) record(rows int) arrow.Record {
	schema, arrays := r.schema, make([]arrow.Array, len(r.columns))
	var fields []arrow.Field
	for i := range arrays {
		if !r.isOther[i] {
			arrays[i] = r.builders[i].NewArray()
			continue
		}
		if fields == nil {
			fields = r.schema.Fields()
		}
		fields[i] = arrow.Field{Name: fields[i].Name, Type: r.columns[i].OtherType(), Nullable: true}
		arrays[i] = r.others[i].NewArray()
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

// end releases the session.
func (r *stream) end() (failed error) {
	tag, err := r.rows.close()
	if r.uncount != nil {
		r.uncount()
	}
	if err != nil {
		failed = r.s.db.errorOf(r.ctx, err)
		if pe, server := asServerError(err); server && r.ctx.Err() == nil && r.s.foreign(pe) {
			failed = errcode.Unread(
				"postgres: %s: a string is not in the database's declared encoding, %s; cast the column to bytea (SQLSTATE %s)",
				r.s.db.where, r.s.pg.ParameterStatus("server_encoding"), pe.Code)
		}
	}
	r.s.spent = err != nil || !leavesNothing(tag.String())
	// an error of the statement leaves the session as it was
	if _, refused := asServerError(err); refused && !r.s.pg.IsClosed() {
		r.s.spent = false
	}
	r.cancel()
	r.s.release()
	r.s = nil
	return failed
}

// foreign reports whether the server cannot convert a stored string to UTF-8, in a database with another encoding or
// none. The strings of the statement were accepted before.
func (s *session) foreign(pe *pgconn.PgError) bool {
	encoding := s.pg.ParameterStatus("server_encoding")
	return (pe.Code == "22021" || pe.Code == "22P05") && encoding != "" && encoding != "UTF8"
}

// Close closes the stream. It does not read the rest of the result, but closes the session.
func (r *stream) Close(context.Context) {
	if r.s != nil {
		r.cancel() // before the rows are closed, which would read them all
		_ = r.end()
	}
	if r.first != nil {
		r.first.Release()
	}
	for _, b := range r.builders {
		b.Release()
	}
	for _, b := range r.others {
		b.Release()
	}
}

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
	"github.com/badger-eval/badger/internal/outbound"
)

// The maximum number of rows of a record, and the number of bytes after which a record ends.
const (
	recordRows  = 8192
	recordBytes = 4 << 20
)

// stream returns the rows of a result as records, as they are requested. Records with values of another type have a
// different schema, see [value.Column.Other].
type stream struct {
	ctx     context.Context //nolint:containedctx // the statement's context, which cancel ends
	cancel  context.CancelFunc
	s       *session // nil after it is released
	rows    *result
	columns []value.Column
	schema  *arrow.Schema

	builders []array.Builder
	// Values that do not fit the column's type are read as another type, in separate records.
	others  map[int]array.Builder // their builders, by column
	isOther map[int]bool          // the columns of the current record that have the other type
	held    [][]byte              // the first row of the next record, if it was read already

	reading *account.Reading // nil if memory is not accounted
	uncount func()

	n     int          // number of rows so far
	first arrow.Record // the first record, if it was read before the reader was returned

	// again starts the statement again if it was aborted for another transaction before it returned a row; nil if it
	// must not run twice.
	again func() (*session, *statement, error)
	times int // number of times that again was called
}

// startsAgain is the maximum number of retries of a statement that was aborted in favor of another transaction,
// or by the recovery of a standby.
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

// start runs the parsed statement in a session.
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

// startAgain starts the statement again if failed allows it, and returns nil; otherwise it returns an error.
func (r *stream) startAgain(ctx context.Context, failed error) error {
	pe, server := asServerError(failed)
	if r.n > 0 || r.again == nil || r.times == startsAgain || !server || !gaveWay(pe) {
		return failed
	}
	r.times++
	if err := outbound.Wait(ctx, time.Duration(r.times)*100*time.Millisecond); err != nil {
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

// Next returns the next record, or nil at the end.
func (r *stream) Next(ctx context.Context) (arrow.Record, error) {
	if rec := r.first; rec != nil {
		r.first = nil
		return rec, nil
	}
	if r.s == nil { // the result has ended
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

// NextBytes returns the number of bytes to reserve before a record is built. Large rows reserve more.
func (r *stream) NextBytes() int64 { return 2 * recordBytes }

// reserve reserves memory for a large row, of at least an eighth of recordBytes.
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

// changes reports whether a row needs a different schema than the current record.
func (r *stream) changes(values [][]byte) bool {
	for i, v := range values {
		if v != nil && r.columns[i].MayBeOther() && r.columns[i].Other(v) != r.isOther[i] {
			return true
		}
	}
	return false
}

// mark sets the types of the current record to those that a row needs.
func (r *stream) mark(values [][]byte) {
	for i, v := range values {
		if v != nil && r.columns[i].MayBeOther() {
			r.isOther[i] = r.columns[i].Other(v)
		}
	}
}

// add appends a value to column i of the current record.
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

// end closes the result and releases the session, and returns the error of the statement.
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
	// after an error of the server the session is unchanged
	if _, refused := asServerError(err); refused && !r.s.pg.IsClosed() {
		r.s.spent = false
	}
	r.cancel()
	r.s.release()
	r.s = nil
	return failed
}

// foreign reports whether the server failed to convert a stored string to UTF-8, in a database with another encoding.
// Strings of the statement are not the cause, as they were accepted before.
func (s *session) foreign(pe *pgconn.PgError) bool {
	encoding := s.pg.ParameterStatus("server_encoding")
	return (pe.Code == "22021" || pe.Code == "22P05") && encoding != "" && encoding != "UTF8"
}

// Close closes the stream. If rows are left, it cancels the statement instead of reading them.
func (r *stream) Close(context.Context) {
	if r.s != nil {
		r.cancel() // before the rows are closed, which would otherwise read them all
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

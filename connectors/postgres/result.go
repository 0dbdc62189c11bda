package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/internal/errcode"
)

// result is the result of running a statement that was parsed before. Its transaction ends in the same round trip.
type result struct {
	pipeline *pgconn.Pipeline
	rows     *pgconn.ResultReader // nil after an error
	fields   []pgconn.FieldDescription
	err      error
}

// run executes the statement that the session's transaction began with.
func (s *session) run(ctx context.Context, st *statement) *result {
	_, end := s.db.transaction()
	r := &result{pipeline: s.pg.StartPipeline(ctx), fields: st.fields}
	r.pipeline.SendQueryPrepared("", st.values, nil, st.formats)
	r.pipeline.SendQueryParams(end, nil, nil, nil, nil)
	if r.err = r.pipeline.Sync(); r.err != nil {
		return r
	}
	var got any
	if got, r.err = r.pipeline.GetResults(); r.err != nil {
		return r
	}
	r.rows, _ = got.(*pgconn.ResultReader)
	if r.rows == nil || !slices.EqualFunc(r.rows.FieldDescriptions(), st.fields, sameField) {
		r.err = errOther
	}
	return r
}

// errOther ends a result that is not that of the statement that was read: a pooler may have given
// each of them to another session of the server.
var errOther = errcode.New(errcode.DataLoss,
	"postgres: the server's answer has other columns than the statement that it read: "+
		"does a pooler between split transactions? Set PgBouncer's pool_mode to session or transaction, or connect to the server itself")

// sameField reports whether a returned column is the described one.
func sameField(a, b pgconn.FieldDescription) bool {
	return a.Name == b.Name && a.DataTypeOID == b.DataTypeOID && a.TypeModifier == b.TypeModifier
}

// next is the next row, valid until the one after it is read; ok is false at the end and after an
// error.
func (r *result) next() (values [][]byte, ok bool) {
	if r.err != nil || r.rows == nil || !r.rows.NextRow() {
		return nil, false
	}
	if values = r.rows.Values(); len(values) != len(r.fields) {
		r.err = errOther
		return nil, false
	}
	return values, true
}

// close reads the result to its end. The error is the first one, be it of the statement or of the
// transaction's end.
func (r *result) close() (tag pgconn.CommandTag, err error) {
	if r.rows != nil {
		tag, err = r.rows.Close()
	}
	return tag, cmp.Or(r.err, err, r.pipeline.Close())
}

package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/internal/errcode"
)

// result is the result of a parsed statement. Its transaction ends in the same round trip that runs it.
type result struct {
	pipeline *pgconn.Pipeline
	rows     *pgconn.ResultReader // nil after an error
	fields   []pgconn.FieldDescription
	err      error
}

// run runs the parsed statement and ends its transaction.
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

// errOther is the error for a result with other columns than those of the parsed statement: a pooler may have used a
// different session of the server for each round trip.
var errOther = errcode.New(errcode.DataLoss,
	"postgres: the server's answer has other columns than the statement that it read: "+
		"does a pooler between split transactions? Set PgBouncer's pool_mode to session or transaction, or connect to the server itself")

// sameField reports whether two columns have the same name and type.
func sameField(a, b pgconn.FieldDescription) bool {
	return a.Name == b.Name && a.DataTypeOID == b.DataTypeOID && a.TypeModifier == b.TypeModifier
}

// next returns the next row, which is valid until the following call. ok is false at the end and after an error.
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

// close reads the rest of the result. It returns the first error, of the statement or of the end of the transaction.
func (r *result) close() (tag pgconn.CommandTag, err error) {
	if r.rows != nil {
		tag, err = r.rows.Close()
	}
	return tag, cmp.Or(r.err, err, r.pipeline.Close())
}

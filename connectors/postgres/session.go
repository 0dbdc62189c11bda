package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/badger-eval/badger/connectors/postgres/internal/value"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// settings returns the statement that makes the server write values in the format that is parsed here. It applies to
// the current transaction only: behind a pooler the next one may be in another session of the server, which other
// clients use too.
func (c *Conn) settings(ctx context.Context) string {
	if c.redshift {
		return "SELECT set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true), set_config('extra_float_digits', '2', true)"
	}
	ends := ""
	if c.watched {
		ends = ", " + watching
	}
	if deadline, ok := ctx.Deadline(); ok {
		ends += fmt.Sprintf(", "+ending, max(1, time.Until(deadline)+grace).Milliseconds())
	}
	return "SELECT pg_catalog.set_config(name, value, true) FROM (VALUES ('timezone', 'UTC'), ('datestyle', 'ISO, YMD'), ('extra_float_digits', '3'), " +
		"('intervalstyle', 'postgres'), ('bytea_output', 'hex'), ('client_encoding', 'UTF8')" + ends + ") AS s(name, value)"
}

// watching makes the server check at this interval whether a statement's client still exists, and otherwise cancel the
// statement. PostgreSQL supports it from version 14 on, and not on every system.
const watching = "('client_connection_check_interval', '2s')"

// ending makes the server cancel a statement after its caller's deadline, even if the caller is gone: behind a pooler
// the server's client is the pooler. A shorter limit of the role is kept.
const ending = `('statement_timeout', CASE WHEN pg_catalog.current_setting('statement_timeout')::interval BETWEEN '1 microsecond' AND '%[1]d ms' THEN pg_catalog.current_setting('statement_timeout') ELSE '%[1]dms' END)`

// grace is the time after the deadline until the server cancels a statement, so that the caller usually cancels it
// first.
const grace = 5 * time.Second

// transaction returns the statements before and after a call's own statement. A read-only connection rolls back.
func (c *Conn) transaction() (begin, end string) {
	if c.readOnly {
		return "BEGIN READ ONLY", "ROLLBACK"
	}
	return "BEGIN", "COMMIT"
}

// session is a session of the server, used by one call at a time.
type session struct {
	db    *Conn
	conn  *pgxpool.Conn
	pg    *pgconn.PgConn
	spent bool // its state has changed, so that it must not be reused
}

// closing is the time limit for closing a session.
const closing = 5 * time.Second

// release returns the session to the pool, or closes it.
func (s *session) release() {
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if s.pg.TxStatus() != 'I' && !s.spent && !s.pg.IsClosed() {
		if _, err := s.pg.Exec(ctx, "ROLLBACK").ReadAll(); err != nil {
			s.spent = true
		}
	}
	if s.spent {
		s.pg.Close(ctx) //nolint:errcheck // it is closed even after an error
	}
	if s.pg.IsClosed() {
		go cancelled(s.pg)
	}
	s.conn.Release()
	s.conn = nil
	s.db.room <- struct{}{}
}

// cancelled repeats the request to cancel an abandoned statement. The driver sends it once, and a server that is
// compiling the statement at that time ignores it.
func cancelled(pg *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	for wait := 300 * time.Millisecond; ; wait *= 2 {
		select {
		case <-pg.CleanupDone():
			return
		case <-ctx.Done():
			return
		case <-time.After(wait):
			pg.CancelRequest(ctx) //nolint:errcheck // failures are ignored
		}
	}
}

// statement is a statement that the server has parsed.
type statement struct {
	fields  []pgconn.FieldDescription // columns of the result
	columns []value.Column
	formats []int16  // wire formats of the columns
	oids    []uint32 // types of the parameters
	values  [][]byte // values of the parameters, as text
}

// start acquires a session, starts a transaction and has the server parse a statement in it.
func (c *Conn) start(ctx context.Context, query string, args []any) (*session, *statement, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := check(query); err != nil {
		return nil, nil, err
	}
	var st *statement
	s, err := c.enter(ctx, func(s *session) (err error) {
		st, err = s.prepare(ctx, query, args)
		return err
	})
	return s, st, err
}

// simple runs statements without parameters and discards their results.
func (s *session) simple(ctx context.Context, sql string) error {
	if _, err := s.pg.Exec(ctx, sql).ReadAll(); err != nil {
		return s.db.errorOf(ctx, err)
	}
	return nil
}

// backend returns the process ID of the server's session that the transaction is in.
func (s *session) backend(ctx context.Context) (string, error) {
	results, err := s.pg.Exec(ctx, "SELECT pg_backend_pid()").ReadAll()
	switch {
	case err != nil:
		return "", s.db.errorOf(ctx, err)
	case len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != 1:
		return "", errcode.New(errcode.DataLoss, "postgres: the server does not tell the id of its session")
	}
	return string(results[0].Rows[0][0]), nil
}

// check returns an error for SQL text that is empty, contains a NUL byte, or is COPY.
func check(query string) error {
	if strings.IndexByte(query, 0) >= 0 {
		return invalid("the SQL text holds a NUL byte")
	}
	switch firstWord(query) {
	case "":
		return invalid("there is no statement")
	case "COPY":
		return invalid("COPY is unsupported; use Merge to write rows and a query to read them")
	}
	return nil
}

// firstWord returns the first word of a statement after comments and opening brackets, in upper case; "" if there
// is none.
func firstWord(query string) string {
	for _, t := range sqlparts.Tokens(query, sqlparts.Postgres) {
		switch text := query[t.Start:t.End]; {
		case t.Kind == sqlparts.TokenComment, text == "(", text == ";":
		default:
			return strings.ToUpper(text)
		}
	}
	return ""
}

// begin starts a transaction and has the server parse an unnamed statement in it, in one round trip. A statement is
// parsed in one round trip and run in the next; only a transaction keeps both in the same session of the server
// behind a pooler.
func (s *session) begin(ctx context.Context, query string, oids []uint32) (d *pgconn.StatementDescription, err error) {
	begin, _ := s.db.transaction()
	p := s.pg.StartPipeline(ctx)
	p.SendQueryParams(begin, nil, nil, nil, nil)
	p.SendQueryParams(s.db.settings(ctx), nil, nil, nil, nil)
	p.SendPrepare("", query, oids)
	err = p.Sync()
	for synced := false; err == nil && !synced; {
		var result any
		result, err = p.GetResults()
		switch r := result.(type) {
		case *pgconn.ResultReader:
			_, err = r.Close()
		case *pgconn.StatementDescription:
			d = r
		case *pgconn.PipelineSync:
			synced = true
		}
	}
	return d, cmp.Or(err, p.Close())
}

// prepare starts a transaction, has the server parse a statement in it, and determines how its columns are read.
func (s *session) prepare(ctx context.Context, query string, args []any) (*statement, error) {
	oids := make([]uint32, len(args))
	d, err := s.begin(ctx, query, nil)
	if err == nil && len(d.ParamOIDs) == len(args) {
		// The server types an otherwise untyped parameter as text; use the type of its Go value instead.
		again := false
		for i, arg := range args {
			if own := oidOf(arg); own != 0 && d.ParamOIDs[i] == pgtype.TextOID {
				oids[i], again = own, true
			}
		}
		if again {
			d, err = s.pg.Prepare(ctx, "", query, oids)
		}
	} else if err != nil && undetermined(err) {
		for i, arg := range args {
			oids[i] = oidOf(arg)
		}
		if _, err = s.pg.Exec(ctx, "ROLLBACK").ReadAll(); err == nil {
			d, err = s.begin(ctx, query, oids)
		}
	}
	if err != nil {
		return nil, s.db.errorOf(ctx, err)
	}
	if len(d.ParamOIDs) != len(args) {
		return nil, invalid("the statement has %d parameters and %d values are given", len(d.ParamOIDs), len(args))
	}
	st := &statement{oids: d.ParamOIDs}
	if st.values, err = bind(args, d.ParamOIDs); err != nil {
		return nil, err
	}
	types, asked, err := s.db.types.load(ctx, s, d.Fields)
	if err != nil {
		return nil, err
	}
	if asked { // the query for the types has replaced the parsed statement
		if d, err = s.pg.Prepare(ctx, "", query, d.ParamOIDs); err != nil {
			return nil, s.db.errorOf(ctx, err)
		}
	}
	st.fields = d.Fields
	for i, f := range d.Fields {
		c := value.NewColumn(f, types[i], s.db.redshift)
		st.columns = append(st.columns, c)
		st.formats = append(st.formats, c.Format)
	}
	return st, nil
}

// undetermined reports whether the server could not infer the type of a parameter.
func undetermined(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && (pe.Code == "42P18" || pe.Code == "42P08" || pe.Code == "42725" || pe.Code == "42804")
}

// oidOf returns the type of a parameter's Go value; 0 leaves it to the server.
func oidOf(arg any) uint32 {
	switch arg.(type) {
	case bool:
		return pgtype.BoolOID
	case int64, int:
		return pgtype.Int8OID
	case float64:
		return pgtype.Float8OID
	case time.Time:
		return pgtype.TimestamptzOID
	}
	return 0
}

// bind returns the parameters as text, which every type reads without loss.
func bind(args []any, oids []uint32) ([][]byte, error) {
	values := make([][]byte, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case nil:
		case bool:
			values[i] = strconv.AppendBool(nil, v)
		case int:
			values[i] = strconv.AppendInt(nil, int64(v), 10)
		case int64:
			values[i] = strconv.AppendInt(nil, v, 10)
		case float64:
			values[i] = value.Text.AppendFloat(nil, v, 64)
		case string:
			if strings.IndexByte(v, 0) >= 0 {
				return nil, invalid("parameter %d: PostgreSQL strings cannot contain NUL bytes", i+1)
			}
			values[i] = append(make([]byte, 0, len(v)), v...)
		case time.Time:
			if v.Year() < 1 || v.Year() > 9999 {
				return nil, invalid("parameter %d: a time before the year 1 or after 9999; write it as text and cast it", i+1)
			}
			layout := "2006-01-02 15:04:05.999999999-07:00"
			if oids[i] == pgtype.TimestampOID || oids[i] == pgtype.DateOID { // without a zone: the time in UTC
				layout = "2006-01-02 15:04:05.999999999"
			}
			values[i] = v.UTC().AppendFormat(nil, layout)
		default:
			return nil, invalid("parameter %d: unsupported Go type %T", i+1, arg)
		}
	}
	return values, nil
}

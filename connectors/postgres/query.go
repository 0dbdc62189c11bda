package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/connectors/postgres/internal/value"
	"github.com/badger-eval/badger/internal/errcode"
)

// Query runs one statement and streams its result.
func (c *Conn) Query(ctx context.Context, query string, args ...any) (array.RecordReader, error) {
	s, st, err := c.start(ctx, query, args)
	if err != nil {
		return nil, err
	}
	r := newStream(ctx, s, st)
	if c.readOnly || reads(query) {
		r.again = func() (*session, *statement, error) { return c.start(ctx, query, args) }
	}
	if !slices.ContainsFunc(st.columns, func(col value.Column) bool { return col.Unnamed() }) {
		return driverbase.NewReader(ctx, r.schema, r), nil
	}
	// The types in a row without a type name are only known when it is read. If one is unsupported, the query runs
	// again, if it may, and such rows are read as text.
	if r.first, err = r.Next(ctx); err != nil {
		r.Close(ctx)
		if !value.Unknown(err) || !c.readOnly && !reads(query) {
			return nil, err
		}
		if s, st, err = c.start(ctx, query, args); err != nil {
			return nil, err
		}
		for i := range st.columns {
			if st.columns[i].Unnamed() {
				st.columns[i].AsText()
				st.formats[i] = st.columns[i].Format
			}
		}
		r = newStream(ctx, s, st)
	}
	return driverbase.NewReader(ctx, r.schema, r), nil
}

// reads reports whether the first word of a statement is one that reads, so that it may run twice.
func reads(query string) bool {
	switch firstWord(query) {
	case "SELECT", "VALUES", "TABLE":
		return true
	}
	return false
}

// Exec runs one statement and discards its result.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) error {
	err := c.exec(ctx, query, args)
	if code := errcode.Of(err); code == errcode.AlreadyExists && strings.Contains(query, "IF NOT EXISTS") {
		return c.exec(ctx, query, args) // IF NOT EXISTS does not prevent a conflict with another client
	}
	return err
}

func (c *Conn) exec(ctx context.Context, query string, args []any) error {
	s, st, err := c.start(ctx, query, args)
	if err != nil {
		return err
	}
	defer s.release()
	tag, err := s.run(ctx, st).close()
	if onlyAlone(err) && len(st.fields) == 0 && !c.readOnly {
		tag, err = s.alone(ctx, query, st)
	}
	if err != nil {
		return c.errorOf(ctx, err)
	}
	s.spent = !leavesNothing(tag.String())
	return nil
}

// onlyAlone reports whether a statement failed because it cannot run inside a transaction, such as CREATE DATABASE and
// a call of a procedure that commits.
func onlyAlone(err error) bool {
	pe, ok := asServerError(err)
	return ok && (pe.Code == "25001" || pe.Code == "2D000")
}

// alone runs a statement that returns no rows outside of a transaction, in one round trip.
func (s *session) alone(ctx context.Context, query string, st *statement) (pgconn.CommandTag, error) {
	if _, err := s.pg.Exec(ctx, "ROLLBACK").ReadAll(); err != nil {
		return pgconn.CommandTag{}, err
	}
	return s.pg.ExecParams(ctx, query, st.values, st.oids, nil, nil).Close()
}

// leavesNothing reports whether a statement with this command tag leaves its session's state unchanged.
func leavesNothing(tag string) bool {
	first, _, _ := strings.Cut(tag, " ")
	switch first {
	case "SET", "RESET", "BEGIN", "START", "PREPARE", "DECLARE", "LISTEN", "LOAD", "DISCARD", "DO", "CALL":
		return false
	}
	return true
}

// ReadSnapshot streams the present rows of a table. Other references are unsupported.
func (c *Conn) ReadSnapshot(ctx context.Context, ref driver.Ref) (array.RecordReader, error) {
	name := "PostgreSQL"
	if c.redshift {
		name = "Redshift"
	}
	switch {
	case ref.Kind == driver.RefQuery:
		return nil, errcode.New(errcode.Unimplemented,
			"%s: query references are unsupported; save the result as a table (CREATE TABLE … AS) and refer to it as table:NAME", name)
	case ref.Kind != driver.RefTable:
		return nil, errcode.New(errcode.Unimplemented, "%s: unsupported reference; use table:NAME", name)
	case ref.At != "":
		return nil, errcode.New(errcode.Unimplemented,
			"%s: versions of tables are unsupported; save the old rows as a separate table", name)
	}
	if _, err := ref.Parts(); err != nil {
		return nil, err
	}
	return c.Query(ctx, "SELECT * FROM "+ref.Name)
}

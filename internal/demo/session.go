package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/badger-eval/badger/internal/errcode"
)

// session is a connection with one thread and the time zone UTC, so that a query returns the same rows in the same
// order on every machine.
type session struct {
	conn *sql.Conn
	undo []string // statements that restore the previous settings
}

// turn allows one session at a time: the second of two overlapping ones would save the first one's single thread as the
// setting to restore.
var turn = make(chan struct{}, 1)

// openSession opens a session on a connection of db. The number of threads is a setting of the whole database: other
// queries also run on one thread until the session is closed.
func openSession(ctx context.Context, db *sql.DB) (*session, error) {
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return nil, failed(ctx.Err(), "waiting for another query")
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		<-turn
		return nil, failed(err, "connecting")
	}
	s := &session{conn: conn}
	for _, setting := range []struct{ name, value string }{{"threads", "1"}, {"TimeZone", "'UTC'"}} {
		var before string
		if err := conn.QueryRowContext(ctx,
			fmt.Sprintf("SELECT current_setting('%s')::VARCHAR", setting.name)).Scan(&before); err != nil {
			s.close()
			return nil, failed(err, "reading setting %s", setting.name)
		}
		if _, err := conn.ExecContext(ctx, fmt.Sprintf("SET %s = %s", setting.name, setting.value)); err != nil {
			s.close()
			return nil, failed(err, "changing setting %s", setting.name)
		}
		s.undo = append(s.undo, fmt.Sprintf("SET %s = '%s'", setting.name, before))
	}
	return s, nil
}

// close restores the settings and releases the connection, even if the caller's context has ended.
func (s *session) close() {
	for _, stmt := range s.undo {
		s.conn.ExecContext(context.Background(), stmt) //nolint:errcheck // the settings only affect speed and display
	}
	s.conn.Close() //nolint:errcheck // returns it to the pool
	<-turn
}

// failed wraps an error of the database. The message contains what failed and the kind of error, but not the database's
// text, which quotes SQL and values. errors.As finds the cause.
func failed(err error, format string, args ...any) error {
	code, kind := errcode.Of(err), "database error"
	if own := (*duckdb.Error)(nil); errors.As(err, &own) {
		if before, _, ok := strings.Cut(own.Msg, ":"); ok && strings.HasSuffix(before, " Error") {
			kind = before
		}
	}
	if code == errcode.Cancelled || code == errcode.DeadlineExceeded {
		kind = code.String()
	}
	return &errcode.Error{Code: code, Msg: fmt.Sprintf("demo: %s: %s", fmt.Sprintf(format, args...), kind), Err: err}
}

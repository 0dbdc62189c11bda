package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// patience is how long a call waits for a session if the server or a pooler has none free. Tests shorten it.
var patience = 2 * time.Minute

// shrunk is how long the pool then opens one session fewer.
const shrunk = 5 * time.Second

// full matches the messages of poolers without a free session: PgBouncer (and Neon's), Supavisor, pgcat, Odyssey and
// RDS Proxy. They have no dedicated SQLSTATE; those that they use have other meanings too.
var full = lazyregexp.New(`(?i)no more connections allowed|query_wait_timeout|too many (?:database |client )?(?:tcp )?(?:clients|connections?)|max(?:imum)? ?clients|max client connections|MaxClientsInSessionMode` +
	`|unable to check out (?:connection|process)|max pools count reached|could not get connection from the pool|failed to get remote server connection|timed-out waiting to acquire database connection`)

// isFull reports whether the server or a pooler has no free session.
func isFull(pe *pgconn.PgError) bool {
	if pe.Code == "53300" {
		return true
	}
	switch pe.Code[:min(2, len(pe.Code))] {
	case "08", "53", "57", "58", "XX": // messages of other classes may quote the statement
		return full.MatchString(pe.Message)
	}
	return false
}

// enter acquires a session from the pool and runs its first statements. If the session is dead, it acquires another, as
// nothing has run yet. If the server has no session free, it waits until one becomes free, up to patience.
func (c *Conn) enter(ctx context.Context, first func(*session) error) (*session, error) {
	refused := time.Time{} // time of the first such error
	for dead, pauses := 0, 1; ; {
		s, err := c.take(ctx)
		if err == nil {
			if err = s.do(first); err == nil {
				return s, nil
			}
		}
		lost := s != nil && s.pg.IsClosed() && ctx.Err() == nil && errcode.Of(err) == errcode.Unavailable
		if s != nil {
			s.release()
		}
		pe, said := asServerError(err)
		switch {
		case said && isFull(pe):
			if refused.IsZero() {
				refused = time.Now()
			}
			if time.Since(refused) > patience {
				return nil, err
			}
			if s != nil || !c.open() { // the pool has no session to wait for
				if driverbase.DefaultRetry.Pause(ctx, pauses, 0) != nil {
					return nil, outOfTime(ctx, err)
				}
				pauses++
			}
		case lost && dead < maxSessions:
			dead++
		default:
			return nil, err
		}
	}
}

// do runs the first statements of a session, which is not reused if the driver panics.
func (s *session) do(first func(*session) error) (err error) {
	defer func() { s.spent = s.spent || errcode.Of(err) == errcode.Internal }()
	defer driverbase.Recovered(&err)
	return first(s)
}

// take acquires a session from the pool. If the server has none free, the pool uses one session fewer for the time
// shrunk, so that later calls wait for an existing one.
func (c *Conn) take(ctx context.Context) (*session, error) {
	select {
	case <-c.room:
	case <-ctx.Done():
		return nil, outOfTime(ctx, nil)
	}
	conn, err := c.pool.Acquire(ctx)
	if err == nil {
		return &session{db: c, conn: conn, pg: conn.Conn().PgConn()}, nil
	}
	if pe, said := asServerError(err); said && isFull(pe) && c.open() {
		time.AfterFunc(shrunk, func() { c.room <- struct{}{} })
	} else {
		c.room <- struct{}{}
	}
	if ctx.Err() != nil {
		return nil, outOfTime(ctx, err)
	}
	return nil, c.errorOf(ctx, err)
}

// open reports whether the pool has sessions, in use or idle.
func (c *Conn) open() bool {
	s := c.pool.Stat()
	return s.AcquiredConns()+s.IdleConns() > 0
}

// outOfTime returns the error of a call whose context ended before it had a session. For a deadline it is Unavailable,
// as the statement did not run.
func outOfTime(ctx context.Context, cause error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	return errcode.Because(cause, errcode.Unavailable, "postgres: no session became free before the timeout, and the statement did not run: raise the timeout, run fewer statements at a time, or allow more sessions (pool_max_conns=N in the URL, and the limits of the server and its role)")
}
